/*
 * Any bytes as a plan stream, line by line: it is refused with a message, or it is a plan that passes plan_check(),
 * whose views resolve, and that compiles, prints, packs, and comes back the same from what it saves.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "common/plan/plan_stream.h"
#include "common/plan/plan_view.h"
#include "orchestrator/plan/edges.h"
#include "orchestrator/plan/print.h"

/* Printing and compiling cost by size; a fuzzer learns nothing from big plans. */
enum { MAX_NODES = 200, MAX_INPUT = 1 << 16 };

static int read_plan(const char *data, size_t size, struct plan *out)
{
    struct error err = {.what = ""};
    struct plan_stream *s = plan_stream_new("fuzz", &err);
    int rc = 0;

    if (!s) {
        return -1;
    }
    while (size > 0 && rc == 0) {
        const char *end = memchr(data, '\n', size);
        size_t length = end ? (size_t)(end - data) + 1 : size;
        char *line = malloc(length + 1);

        if (!line) {
            abort();
        }
        memcpy(line, data, length);
        line[length] = '\0';
        rc = plan_stream_line(s, line, length, &err);
        free(line);
        data += length;
        size -= length;
    }
    if (rc == 0) {
        rc = plan_stream_finish(s, out, &err);
    }
    if (rc && (!err.what[0] || !err.where[0])) {
        abort();
    }
    plan_stream_free(s);
    return rc;
}

static char *save(const struct plan *p, size_t *size)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    struct error err;

    if (!f || plan_save(p, f, &err)) {
        abort();
    }
    fclose(f);
    return text;
}

static void print(const struct plan *p)
{
    FILE *f = fopen("/dev/null", "w");
    struct error err;

    if (!f || plan_print_text(p, f, &err) || plan_print_dot(p, f, &err)) {
        abort();
    }
    fclose(f);
}

static void round_trip(const struct plan *p)
{
    size_t size, again_size;
    char *text = save(p, &size), *again;
    struct plan q;

    if (read_plan(text, size, &q)) {
        abort();
    }
    again = save(&q, &again_size);
    /* Edges are not read back, so they are compared by compiling elsewhere; here neither plan has any. */
    if (size != again_size || memcmp(text, again, size) != 0) {
        abort();
    }
    free(text);
    free(again);
    plan_free(&q);
}

static void pack(const struct plan *p)
{
    struct error err;
    struct plan q;
    size_t nbytes;
    void *block;

    if (plan_pack(p, &block, &nbytes, &err) || plan_unpack(&q, block, nbytes, true, &err)) {
        abort();
    }
    plan_free(&q);
}

static void resolve(const struct plan *p)
{
    struct plan_tensor t;
    struct error err;

    for (uint32_t i = 0; i < p->nview; i++) {
        if (plan_view_resolve(p, i, &t, &err) || t.offset + t.nbytes > p->storages[t.storage].nbytes) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err;
    struct plan p;

    log_set_level(LOG_NULL);
    if (size > MAX_INPUT || read_plan((const char *)data, size, &p)) {
        return 0;
    }
    if (plan_check(&p, &err)) {
        abort();
    }
    resolve(&p);
    round_trip(&p);
    for (int mode = DEPS_EXACT; p.nnode <= MAX_NODES && mode <= DEPS_UPSTREAM; mode++) {
        if (edges_compile(&p, (enum deps_mode)mode, &err) || plan_check(&p, &err)) {
            abort();
        }
    }
    pack(&p);
    if (p.nnode <= MAX_NODES) {
        print(&p);
    }
    plan_free(&p);
    return 0;
}
