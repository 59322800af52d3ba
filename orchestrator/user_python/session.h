/*
 * session - a Python process that runs files of the user's: golden.py, debug/run.py, comparators.
 *
 * One script (orchestrator/record/recorder/user_python.py) answers requests, one line of JSON each, on a pipe of its own; what
 * the user's code prints goes to stderr. Tensors go through memfds, which the script opens by path (shared_file.h):
 *
 *   {"op":"load","file":F,"seed":N}          {"ok":true,"outputs":[NAME,..] or null,"rtol":X or null,"atol":X or null}
 *   {"op":"inputs","file":F,"function":NAME,"names":[NAME,..]}
 *                                            {"ok":true,"values":[{"name","dtype","shape"} or {"name","scalar"},..]}
 *   {"op":"save","values":[{"name","path","dtype","scalar"},..]}                  {"ok":true,"files":[PATH,..]}
 *   {"op":"golden","file":F,"tensors":[T,..],"scalars":[S,..],"outputs":[{"name","path"},..]}  the same
 *   {"op":"call","file":F,"function":NAME,"tensors":[T,..],"scalars":[S,..],"order":[NAME,..]}
 *                                            {"ok":true,"matches":BOOL,"text":TEXT,"raised":BOOL}
 *   {"op":"compare","file":F,"function":NAME,"name":NAME,"actual":[T,..],"expected":[T,..],"inputs":[T,..],
 *    "scalars":[S,..],"rtol":X,"atol":X}       the same
 *   {"op":"ask","file":F,"function":NAME,..}   what the function of that file, which is one of ours, returns (ir_passes.h)
 *
 *   T: {"name","dtype" (torch's),"shape","path","offset"}; S: {"name","kind" (int, float, bool),"value" (text)}. "files" are those that decided the
 *   result: modules that were imported and files that were read, but those of Python itself.
 *
 * and, in place of any answer, {"error":TEXT,"where":PLACE,"raised":BOOL}, with "missing" (the name of a module) when an
 * import failed. Answers are input: whoever can write to the pipe may have written them.
 */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_SESSION_H
#define L3R_ORCHESTRATOR_USER_PYTHON_SESSION_H

#include "common/base/json.h"
#include "common/base/json_write.h"

struct user_session;

/* A session whose Python starts with the first load. Each request may take `limit_s` seconds; 0: no limit. */
int user_session_open(struct user_session **out, double limit_s, struct error *err);

/* End Python and what it started. NULL is fine. */
void user_session_close(struct user_session *s);

/* Execute `file`, of which errors say `label` ("golden.py"), in the first interpreter of python_for_user() that has what it
 * imports. Returns the answer, for cJSON_Delete(), and sets `*src` for reading it. NULL with `err` (INFRA): a module is
 * missing, the file raised, Python ended or took too long. */
cJSON *user_session_load(struct user_session *s, const char *file, const char *label, uint64_t seed,
                         struct json_source *src, struct error *err);

/* Send a request about a loaded file (as json_finish_line() made it, freed here; NULL: `err` says why) and return the
 * answer in the same way. `doing` ("compute_golden of golden.py") is what a note and errors say it is. */
cJSON *user_session_ask(struct user_session *s, char *request, const char *label, const char *doing,
                        struct json_source *src, struct error *err);

/* The interpreter that runs, or would run first: its path with what tells it from a later one, to be freed. NULL without
 * memory. */
char *user_session_interpreter(void);

#endif
