#include "rank-worker/splice/ptoas.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/args.h"
#include "common/base/executable.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "rank-worker/compile/jobs.h"

enum { QUOTED_MAX = 1000 }; /* bytes of its output that fit into an error beside the rest */

int ptoas_find(char **path, struct error *err)
{
    static const char *const below_root[] = {"ptoas", "ptoas.sh", "bin/ptoas"};
    const char *root = getenv("PTOAS_ROOT");

    *path = NULL;
    if (!root || !*root) {
        return executable_find("ptoas", path, err);
    }
    for (size_t i = 0; i < sizeof below_root / sizeof *below_root && !*path; i++) {
        char *candidate = file_join(root, below_root[i], err);
        int rc = candidate ? executable_find(candidate, path, err) : -1;
        free(candidate);
        if (rc < 0) {
            return -1;
        }
    }
    return 0;
}

/* `addr` as a whole word, then "=". */
static bool has_address(struct span text, size_t from)
{
    for (size_t at = text_find(text, from, "addr"); at != TEXT_NONE; at = text_find(text, at + 1, "addr")) {
        size_t end = text_skip_blanks(text, at + strlen("addr"));
        if (!text_is_word(text.at[at - 1]) && end < text.size && text.at[end] == '=') {
            return true;
        }
    }
    return false;
}

bool ptoas_places_tiles(struct span pto)
{
    struct span line;

    for (size_t at = 0; text_next_line(pto, &at, &line);) {
        struct span own = text_trim(line);
        size_t next = 0;
        if (own.size < 2 || own.at[0] != '%') {
            continue;
        }
        while (next < own.size && !text_is_blank(own.at[next]) && own.at[next] != '=') {
            next++;
        }
        next = text_skip_blanks(own, next);
        if (next >= own.size || own.at[next] != '=') {
            continue;
        }
        next = text_skip_blanks(own, next + 1);
        if (text_word_at(own, next, "pto.alloc_tile") && has_address(own, next)) {
            return true;
        }
    }
    return false;
}

static int fail(const char *shown, const struct job_result *result, struct error *err)
{
    struct span said = text_trim((struct span){result->output, strlen(result->output)});
    char how[64];

    if (result->code > 128) {
        snprintf(how, sizeof how, "was ended by signal %d (%s)", result->code - 128, strsignal(result->code - 128));
    } else {
        snprintf(how, sizeof how, "failed with exit code %d", result->code);
    }
    if (said.size > QUOTED_MAX) {
        log_msg(LOG_ERROR, "ptoas on %s: %s", shown, result->output);
    }
    return error_set(
        err, shown, "correct the .pto file, or turn this off with --no-rebuild-from-pto; nothing was changed",
        "ptoas %s on %s%s%.*s%s", how, shown, said.size ? ": " : " and said nothing",
        (int)(said.size > QUOTED_MAX ? QUOTED_MAX : said.size), said.at, said.size > QUOTED_MAX ? " ..." : "");
}

int ptoas_run(const char *ptoas, const char *pto, const char *shown, struct span text, const char *output, int timeout,
              struct error *err)
{
    const char *level = ptoas_places_tiles(text) ? "--pto-level=level3" : "--pto-level=level2";
    const char *const argv[] = {ptoas, pto, "-o", output, "--enable-insert-sync", level, NULL};
    const struct job job = {.argv = (char *const *)argv, .limit_ms = timeout * 1000};
    struct job_pool *pool = job_pool_new(1);
    struct job_result result = {0};
    int rc = -1;

    if (!pool) {
        return error_nomem(err, shown, 1024);
    }
    if (job_start(pool, &job, err) < 0 || job_wait(pool, -1, &result, err) < 0) {
        goto out;
    }
    if (result.timed_out) {
        error_set(err, shown, "correct the .pto file, or give it longer with --ptoas-timeout; nothing was changed",
                  "%s did not end within %d s on %s", ptoas, timeout, shown);
    } else {
        rc = result.code == 0 ? 0 : fail(shown, &result, err);
    }
    free(result.output);
out:
    job_pool_free(pool);
    return rc;
}
