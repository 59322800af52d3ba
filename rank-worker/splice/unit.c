#include "rank-worker/splice/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/args.h"
#include "common/base/array.h"
#include "common/base/directory.h"
#include "common/base/file.h"
#include "rank-worker/splice/body.h"
#include "rank-worker/splice/ptoas.h"
#include "rank-worker/splice/target.h"

static const char *const hint_pto =
    "correct the .pto file, or turn this off with --no-rebuild-from-pto; nothing was changed";

static void unit_clear(struct splice_unit *u)
{
    splice_unit_forget(u);
    free(u->name);
    free(u->pto);
    free(u->cpp);
    free(u->shown);
}

void splice_unit_forget(struct splice_unit *u)
{
    free(u->raw);
    free(u->body);
    u->raw = u->body = NULL;
}

void splice_units_free(struct splice_units *u)
{
    for (size_t i = 0; i < u->count; i++) {
        unit_clear(&u->items[i]);
    }
    free(u->items);
    memset(u, 0, sizeof *u);
}

/* --- finding -------------------------------------------------------------- */

static bool is_older(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/* 1: stale, 0: fresh or no file, -1: error. */
static int is_stale(const struct splice_unit *u, struct error *err)
{
    struct stat pto, cpp;

    if (stat(u->pto, &pto) < 0) {
        return errno == ENOENT ? 0 : error_errno(err, u->pto, file_errno_hint(errno), "cannot examine %s", u->shown);
    }
    if (!S_ISREG(pto.st_mode)) {
        return 0;
    }
    if (stat(u->cpp, &cpp) < 0) {
        return errno == ENOENT ? 1 : error_errno(err, u->cpp, file_errno_hint(errno), "cannot examine %s", u->cpp);
    }
    return is_older(cpp.st_mtim, pto.st_mtim);
}

/* Add the unit of the file `file` when it is stale. */
static int consider(struct splice_units *list, const struct subbuild *program, const char *file, struct error *err)
{
    int stem = (int)(strlen(file) - strlen(".pto")), stale;
    struct splice_unit u = {.program = program, .name = text_format("%.*s", stem, file)};

    u.pto = text_format("%s/ptoas/%s", program->path, file);
    u.cpp = text_format("%s/ptoas/%.*s.cpp", program->path, stem, file);
    u.shown = text_format("%sptoas/%s", program->prefix, file);
    if (!u.name || !u.pto || !u.cpp || !u.shown) {
        unit_clear(&u);
        return error_nomem(err, file, sizeof u);
    }
    stale = is_stale(&u, err);
    if (stale > 0) {
        if (array_room(&list->items, &list->capacity, list->count, sizeof *list->items) == 0) {
            list->items[list->count++] = u;
            return 0;
        }
        stale = error_nomem(err, file, sizeof u);
    }
    unit_clear(&u);
    return stale;
}

static bool is_pto(const char *name)
{
    size_t n = strlen(name);

    /* Names that begin with a dot are editors' own. */
    return n > 4 && name[0] != '.' && strcmp(name + n - 4, ".pto") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct splice_unit *)a)->name, ((const struct splice_unit *)b)->name);
}

static int find_in(struct splice_units *list, const struct subbuild *program, struct error *err)
{
    char *path = file_join(program->path, "ptoas", err);
    size_t first = list->count;
    struct args files = {0};
    bool there;
    int rc = 0;

    if (!path) {
        return -1;
    }
    there = directory_list(path, is_pto, &files) == 0;
    if (!there && errno != ENOENT && errno != ENOTDIR) {
        rc = error_errno(err, path, file_errno_hint(errno), "cannot read the directory %s", path);
    }
    list->any_stage = list->any_stage || there;
    for (size_t i = 0; i < files.n && rc == 0; i++) {
        rc = consider(list, program, files.v[i], err);
    }
    args_free(&files);
    if (list->count > first) {
        qsort(list->items + first, list->count - first, sizeof *list->items, by_name);
    }
    free(path);
    return rc;
}

int splice_units_find(const struct subbuilds *programs, struct splice_units *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < programs->count; i++) {
        if (find_in(out, &programs->items[i], err)) {
            splice_units_free(out);
            return -1;
        }
    }
    return 0;
}

/* --- assembling ----------------------------------------------------------- */

/* A name beside the unit's own that nobody else has, as an empty file: what cannot be written is found out here. */
static char *make_output(const struct splice_unit *u, struct error *err)
{
    static atomic_uint counter;
    char *path = text_format("%s/ptoas/.%s.%ld.%u.l3replay.cpp", u->program->path, u->name, (long)getpid(),
                             atomic_fetch_add(&counter, 1));
    int fd;

    if (!path) {
        error_nomem(err, u->shown, 256);
        return NULL;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        error_errno(err, path, file_errno_hint(errno), "cannot write beside %s", u->shown);
        free(path);
        return NULL;
    }
    close(fd);
    return path;
}

static int check_output(const struct splice_unit *u, struct error *err)
{
    struct span raw = {u->raw, u->raw_size}, body = {u->body, u->body_size}, name;
    size_t at = 0;

    if (text_trim(raw).size == 0) {
        return error_set(err, u->shown, hint_pto, "ptoas ended well on %s but wrote nothing", u->shown);
    }
    if (text_open_braces(raw) > 0) {
        return error_set(err, u->shown, hint_pto,
                         "ptoas ended well on %s but wrote only a part: a '{' of it is never closed", u->shown);
    }
    if (!body_next_function(raw, &at, &name)) {
        return error_set(err, u->shown, hint_pto, "ptoas ended well on %s but wrote no function (\"AICORE void ...\")",
                         u->shown);
    }
    if (text_find(body, 0, TARGET_END_MARK) != TEXT_NONE) {
        return error_set(err, u->shown, hint_pto,
                         "what ptoas wrote for %s holds the line \"%s\", which marks the end of such code", u->shown,
                         TARGET_END_MARK);
    }
    return 0;
}

int splice_unit_assemble(struct splice_unit *u, const char *ptoas, int timeout, struct error *err)
{
    char *text = NULL, *output = NULL;
    struct stat st;
    size_t size;
    int rc = -1;

    /* Its time before its content: an edit in between leaves the unit stale. */
    if (stat(u->pto, &st) < 0) {
        return error_errno(err, u->pto, file_errno_hint(errno), "cannot examine %s", u->shown);
    }
    u->edited = st.st_mtim;
    text = file_read(u->pto, UNIT_FILE_MAX, &size, err);
    if (text) {
        output = make_output(u, err);
    }
    if (!output || ptoas_run(ptoas, u->pto, u->shown, (struct span){text, size}, output, timeout, err)) {
        goto out;
    }
    u->raw = file_read(output, UNIT_FILE_MAX, &u->raw_size, err);
    if (u->raw && body_clean((struct span){u->raw, u->raw_size}, &u->body, &u->body_size, err) == 0) {
        rc = check_output(u, err);
    }
out:
    if (output) {
        unlink(output);
    }
    free(output);
    free(text);
    return rc;
}

/* --- left-overs ----------------------------------------------------------- */

/* What ptoas was to write. */
static bool is_output(const char *name)
{
    return fnmatch(".*.[0-9]*.[0-9]*.l3replay.cpp", name, 0) == 0;
}

static bool is_unfinished(const char *name)
{
    size_t length;

    return file_is_unfinished(name, &length) && length > 4 && strncmp(name + length - 4, ".cpp", 4) == 0;
}

static void sweep(const char *program, const char *below, bool (*is_ours)(const char *name))
{
    char *path = file_join(program, below, NULL);
    struct args names = {0};

    if (path) {
        directory_list(path, is_ours, &names);
    }
    for (size_t i = 0; i < names.n; i++) {
        char *file = file_join(path, names.v[i], NULL);

        if (file) {
            unlink(file); /* one that stays does no harm */
        }
        free(file);
    }
    args_free(&names);
    free(path);
}

void splice_leftovers_remove(const char *program)
{
    sweep(program, "ptoas", is_output);
    sweep(program, "ptoas", is_unfinished);
    sweep(program, "kernels/aic", is_unfinished);
    sweep(program, "kernels/aiv", is_unfinished);
}
