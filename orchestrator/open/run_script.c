#include "orchestrator/open/run_script.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"

enum { SCRIPT_MAX = 1 << 20 };

/* The lines of a function below its "def" line, up to the next line that is not indented; NULL: it is not there. */
static char *body_of(const char *text, const char *name)
{
    char head[64];
    const char *at, *end;

    snprintf(head, sizeof head, "\ndef %s(", name);
    at = strstr(text, head);
    at = at ? strchr(at + 1, '\n') : NULL;
    if (!at) {
        return NULL;
    }
    for (end = at; *end && !(end[0] == '\n' && end[1] && !isspace((unsigned char)end[1])); end++) {
    }
    return strndup(at, (size_t)(end - at));
}

/* Past a doc string at the start of a body. */
static const char *skip_doc(const char *body)
{
    const char *at = body + strspn(body, " \t\r\n"), *end;

    if (strncmp(at, "\"\"\"", 3) != 0) {
        return body;
    }
    end = strstr(at + 3, "\"\"\"");
    return end ? end + 3 : body;
}

/* Remove blanks and comments in place, and end each line that is left with one newline. No line that the compiler writes
 * has a '#' in a string. */
static void strip(char *text)
{
    char *to = text;

    for (const char *at = text; *at;) {
        char *line = to;

        for (; *at && *at != '\n'; at++) {
            if (*at == '#') {
                at += strcspn(at, "\n");
                break;
            }
            if (!isspace((unsigned char)*at)) {
                *to++ = *at;
            }
        }
        at += *at == '\n';
        if (to > line) {
            *to++ = '\n';
        }
    }
    *to = '\0';
}

/* The compiler writes float32 for a type that torch has no name for. */
static const char *torch_name(enum dtype type)
{
    static const char *const names[DTYPE_COUNT] = {
        [DTYPE_FLOAT16] = "float16", [DTYPE_FLOAT64] = "float64", [DTYPE_BFLOAT16] = "bfloat16",
        [DTYPE_INT8] = "int8",       [DTYPE_INT16] = "int16",     [DTYPE_INT32] = "int32",
        [DTYPE_INT64] = "int64",     [DTYPE_UINT8] = "uint8",     [DTYPE_UINT16] = "uint16",
        [DTYPE_UINT32] = "uint32",   [DTYPE_UINT64] = "uint64",   [DTYPE_BOOL] = "bool"};

    return type < DTYPE_COUNT && names[type] ? names[type] : "float32";
}

/* How a parameter is made: a dynamic dimension is 1. */
static void put_param(FILE *f, const struct build_param *p)
{
    const char *type = torch_name(p->dtype);

    if (p->scalar) {
        fprintf(f, "%s=None\n", p->name);
        return;
    }
    fprintf(f, "%s=torch.", p->name);
    if (p->direction == PLAN_OUT) {
        fputs("zeros((", f);
    } else if (p->dtype == DTYPE_BOOL) {
        fputs("randint(0,2,(", f);
    } else if (strstr(type, "float")) {
        fputs("randn((", f);
    } else {
        fputs("randint(0,8,(", f);
    }
    for (uint32_t d = 0; d < p->ndim; d++) {
        fprintf(f, "%s%" PRId64, d ? "," : "", p->shape[d] < 0 ? 1 : p->shape[d]);
    }
    fprintf(f, "%s),dtype=torch.%s)\n", p->ndim == 1 ? "," : "", type);
}

/* The body of _inline_inputs, stripped; NULL without memory. */
static char *generated_inputs(const struct build *b)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    if (!f) {
        return NULL;
    }
    for (uint32_t i = 0; i < b->nparam; i++) {
        put_param(f, &b->params[i]);
    }
    if (!b->nparam) {
        fputs("pass\n", f);
    }
    fputs("return[", f);
    for (uint32_t i = 0; i < b->nparam; i++) {
        fprintf(f, "%s%s", i ? "," : "", b->params[i].name);
    }
    fputs("]\n", f);
    if (fclose(f)) {
        free(text);
        return NULL;
    }
    return text;
}

static bool differs(const char *script, const char *function, const char *generated)
{
    char *body = body_of(script, function);
    char *code = body ? strdup(skip_doc(body)) : NULL;
    bool other = false;

    if (code) {
        strip(code);
        other = strcmp(code, generated) != 0;
    }
    free(code);
    free(body);
    return other;
}

int run_script_read(struct run_script *out, const struct build *build, struct error *err)
{
    char *path = file_join(build->dir, "debug/run.py", err), *script = NULL, *inputs = NULL;
    int rc = -1;

    *out = (struct run_script){0};
    if (!path) {
        return -1;
    }
    if (!file_is_regular(path)) {
        rc = 0;
        goto out;
    }
    script = file_read(path, SCRIPT_MAX, NULL, err);
    if (!script) {
        goto out;
    }
    inputs = generated_inputs(build);
    if (!inputs) {
        error_nomem(err, path, SCRIPT_MAX);
        goto out;
    }
    out->inputs_edited = differs(script, "_inline_inputs", inputs);
    out->compare_edited = differs(script, "_user_compare", "return\n");
    rc = 0;
out:
    free(inputs);
    free(script);
    free(path);
    return rc;
}

char *run_script_build(const char *path)
{
    static const char tail[] = "/debug/run.py";
    char *whole = file_is_regular(path) ? realpath(path, NULL) : NULL;
    const size_t length = whole ? strlen(whole) : 0;

    if (length < sizeof tail || strcmp(whole + length - (sizeof tail - 1), tail) != 0) {
        free(whole);
        return NULL;
    }
    whole[length - (sizeof tail - 1)] = '\0';
    return whole;
}

char *run_script_missing(const char *path)
{
    static const char tail[] = "/debug/run.py";
    const size_t length = strlen(path), end = sizeof tail - 1;
    char *dir = length > end && strcmp(path + length - end, tail) == 0 ? strndup(path, length - end) : NULL;

    if (dir && !file_is_directory(dir)) {
        free(dir);
        dir = NULL;
    }
    return dir;
}
