/*
 * record_build - small builds written for the recorder's tests, and their recording.
 */
#ifndef L3R_TESTS_SUPPORT_RECORD_BUILD_H
#define L3R_TESTS_SUPPORT_RECORD_BUILD_H

#include "tests/support/temp_dir.h"

#include "common/base/log.h"
#include "orchestrator/open/build.h"
#include "orchestrator/record/record.h"

#define KERNEL_CONFIG                                                                                                  \
    "from pathlib import Path\n"                                                                                       \
    "from simpler.task_interface import ArgDirection as _D\n"                                                          \
    "_ROOT_DIR = Path(__file__).parent\n"                                                                              \
    "RUNTIME_CONFIG = {\"runtime\": \"tensormap_and_ringbuffer\", \"aicpu_thread_num\": 0}\n"                          \
    "ORCHESTRATION = {\"source\": str(_ROOT_DIR / \"orchestration\" / \"chip.cpp\"),\n"                                \
    "                 \"function_name\": \"aicpu_orchestration_entry\", \"signature\": [_D.IN, _D.OUT]}\n"             \
    "KERNELS = [{\"func_id\": 0, \"name\": \"k\", \"source\": str(_ROOT_DIR / \"kernels\" / \"k.cpp\"),\n"             \
    "            \"core_type\": \"aiv\", \"signature\": [_D.IN, _D.OUT]}]\n"

/* Line 1 to 5 of every host_orch.py here; the body of the entry begins in line 6. */
#define HEADER                                                                                                         \
    "import torch\n"                                                                                                   \
    "from simpler.task_interface import CallConfig, CommBufferSpec, DataType, TaskArgs, TensorArgType\n"               \
    "from pypto.runtime.tensor_arg import make_tensor_arg\n"                                                           \
    "from pypto.runtime.distributed_runner import _submit_chip\n"
#define ENTRY                                                                                                          \
    "def host_orch(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, "                           \
    "_domain_provider=None):\n"
#define MARK "host_orch._pypto_distributed_entry = True\n"

/* One line: "ta" with one tensor, submitted to `card`. */
#define SEND(tensor, tag, card)                                                                                        \
    "    ta = TaskArgs(); ta.add_tensor(make_tensor_arg(orch._worker, " tensor "), TensorArgType." tag "); "           \
    "_keep.append(ta); _submit_chip(orch, callables[\"chip\"], ta, config, " card ")\n"

#define PARAM(name, direction, shape, dtype)                                                                           \
    "{\"name\":\"" name "\",\"direction\":\"" direction "\",\"shape\":" shape ",\"dtype\":\"" dtype "\"}"
#define XY PARAM("x", "In", "[4,8,16]", "fp32") "," PARAM("y", "Out", "[4,16]", "fp32")

struct recording {
    char *dir;
    struct build build;
    struct program_table programs;
    struct plan plan;
    struct error err;
    int rc;
};

/* Write a build with one program, for `cards` cards and with these parameters, into `dir`. */
void build_put(const char *dir, int cards, const char *params, const char *host_orch);

/* Open r->dir and record it into *r; the request gets the build. */
void record_request(struct recording *r, struct record_request request);

/* Write a build (build_put) and record it; recording_free() removes it. */
struct recording record_text(int cards, const char *params, const char *host_orch);

/* Record a host_orch.py whose entry has `body` (four spaces deep), over the parameters XY and two cards. */
struct recording record_body(const char *body);

void recording_free(struct recording *r);

/* Recording succeeded. */
void assert_recorded(const struct recording *r);

void assert_says(const char *text, const char *words);

/* Recording fails; the error says `what`, in line `line` of host_orch.py (0: not checked). */
void expect_fault(const char *body, int line, const char *what);

/* Parts of a plan; an index that is too large fails the test. */
const struct plan_view *arg_view(const struct plan *p, uint32_t node, uint32_t arg);
uint32_t arg_tag(const struct plan *p, uint32_t node, uint32_t arg);
const struct plan_scalar *scalar_at(const struct plan *p, uint32_t node, uint32_t at);

/* The view as text: "<storage>+<offset> <shape> / <strides>". */
void assert_view(const struct plan *p, const struct plan_view *v, const char *expected);

void assert_arg(const struct plan *p, uint32_t node, uint32_t arg, uint32_t tag, const char *expected);

#endif
