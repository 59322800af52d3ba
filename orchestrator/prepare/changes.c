#include "orchestrator/prepare/changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/base/file.h"
#include "common/base/log.h"

enum { SOURCE_MAX = 64 << 20, NAMES_SHOWN = 8 };

/* What is written down of one replay, and what was found by comparing. */
struct changes {
    const char *before; /* text of the last replay; NULL: there was none */
    FILE *now;
    uint32_t nsource, nchanged;
    char names[1024]; /* of those that changed */
};

static void note_change(struct changes *c, const char *label)
{
    size_t used = strlen(c->names);

    if (c->nchanged++ < NAMES_SHOWN) {
        snprintf(c->names + used, sizeof c->names - used, "%s%s", used ? ", " : "", label);
    }
}

/* One line a source: "<hash> <program>/<file>". The same line in the old text means the same content. */
static int add_source(struct changes *c, const struct program *p, const char *source, struct error *err)
{
    const char *slash = strrchr(source, '/');
    char label[512], line[640];
    size_t size;
    char *text = file_read(source, SOURCE_MAX, &size, err);
    XXH128_hash_t hash;

    if (!text) {
        return -1;
    }
    hash = XXH3_128bits(text, size);
    free(text);
    snprintf(label, sizeof label, "%s/%s", p->name, slash ? slash + 1 : source);
    snprintf(line, sizeof line, "%016" PRIx64 "%016" PRIx64 " %s\n", hash.high64, hash.low64, label);
    c->nsource++;
    if (c->before && !strstr(c->before, line)) {
        note_change(c, label);
    }
    return fputs(line, c->now) < 0 ? error_errno(err, source, NULL, "cannot note the sources") : 0;
}

static int add_sources(struct changes *c, const struct program_table *programs, const struct compiled *compiled,
                       struct error *err)
{
    for (uint32_t i = 0; i < compiled->count; i++) {
        const struct program *p = &programs->items[i];

        if (!compiled->items[i].orchestration) {
            continue;
        }
        if (add_source(c, p, p->orchestration, err) < 0) {
            return -1;
        }
        for (size_t k = 0; k < p->nkernel; k++) {
            if (add_source(c, p, p->kernels[k].source, err) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static void report(const struct changes *c)
{
    if (!c->before) {
        return;
    }
    if (c->nchanged) {
        log_msg(LOG_TIMING, "changed since the last replay (%u of %u sources): %s%s", c->nchanged, c->nsource, c->names,
                c->nchanged > NAMES_SHOWN ? ", ..." : "");
    } else {
        log_msg(LOG_TIMING, "no source changed since the last replay");
    }
}

int changes_tell(const char *build_dir, const struct program_table *programs, const struct compiled *compiled,
                 struct error *err)
{
    char *path = file_join(build_dir, ".l3replay.last", err), *before = NULL, *now = NULL;
    struct changes c = {0};
    size_t size = 0;
    int rc = -1;

    if (!path) {
        return -1;
    }
    if (file_is_regular(path)) {
        before = file_read(path, SOURCE_MAX, NULL, err);
        if (!before) {
            goto out;
        }
    }
    c.before = before;
    c.now = open_memstream(&now, &size);
    if (!c.now) {
        error_nomem(err, path, 1);
        goto out;
    }
    rc = add_sources(&c, programs, compiled, err);
    if (fclose(c.now) != 0 && rc == 0) {
        rc = error_nomem(err, path, size);
    }
    if (rc < 0) {
        goto out;
    }
    report(&c);
    if (access(build_dir, W_OK) == 0) {
        rc = file_write_unsynced(path, now, size, err);
    }
out:
    free(now);
    free(before);
    free(path);
    return rc;
}
