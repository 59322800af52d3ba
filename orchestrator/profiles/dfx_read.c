#include "orchestrator/profiles/dfx_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clean_name.h"
#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/json_stream.h"
#include "orchestrator/profiles/swimlane_read.h"

static const size_t max_small = (size_t)64 << 20;

/* --- the list ----------------------------------------------------------- */

/* The directory of a dispatch: true when it can be read. A file of that name is no dispatch; a directory that cannot be
 * read is noted. */
static bool usable(struct dfx_list *list, const char *path, uint32_t rank, uint32_t k)
{
    struct stat st;

    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
        return false;
    }
    if (access(path, R_OK | X_OK) == 0) {
        return true;
    }
    notes_add(&list->notes, DFX_DISPATCH ": %s", rank, DFX_SLOT(k), strerror(errno));
    return false;
}

static int list_rank(struct dfx_list *list, const char *path, uint32_t rank, struct error *err)
{
    struct args names = {0};
    uint32_t k;
    int rc = 0;

    if (directory_list(path, NULL, &names) < 0) {
        if (errno != ENOTDIR) {
            notes_add(&list->notes, "rank%u: %s", rank, strerror(errno));
        }
        return 0;
    }
    for (size_t i = 0; i < names.n && rc == 0; i++) {
        char *sub;
        bool other = dfx_name_number(names.v[i], "c", &k);
        if ((!other && !dfx_name_number(names.v[i], "d", &k)) || k >= DFX_OTHER) {
            continue;
        }
        k += other ? DFX_OTHER : 0;
        sub = file_join(path, names.v[i], err);
        if (!sub) {
            rc = -1;
        } else if (!usable(list, sub, rank, k)) {
            free(sub);
        } else if (array_room(&list->entries, &list->capacity, list->count, sizeof *list->entries)) {
            free(sub);
            rc = error_nomem(err, path, list->count * sizeof *list->entries);
        } else {
            list->entries[list->count++] = (struct dfx_entry){rank, k, sub};
        }
    }
    args_free(&names);
    return rc;
}

static int compare_entries(const void *a, const void *b)
{
    const struct dfx_entry *x = a, *y = b;

    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return x->k < y->k ? -1 : x->k > y->k;
}

static int list_ranks(struct dfx_list *list, struct error *err)
{
    struct args names = {0};
    uint32_t rank;
    int rc = 0;

    if (directory_list(list->dir, NULL, &names) < 0) {
        return error_errno(err, list->dir, "name a directory of profiles", "cannot read the directory %s", list->dir);
    }
    for (size_t i = 0; i < names.n && rc == 0; i++) {
        char *sub;
        if (!dfx_name_number(names.v[i], "rank", &rank)) {
            continue;
        }
        sub = file_join(list->dir, names.v[i], err);
        rc = sub ? list_rank(list, sub, rank, err) : -1;
        free(sub);
    }
    args_free(&names);
    return rc;
}

/* Of an L2 build: the files of its one dispatch lie in the directory itself. */
static int list_flat(struct dfx_list *list, struct error *err)
{
    struct args names = {0};
    int rc = 0;

    if (list->count || list->notes.count || directory_list(list->dir, dfx_is_profile, &names) < 0) {
        return 0; /* one that cannot be read has been reported */
    }
    if (names.n) {
        char *path = strdup(list->dir);
        if (!path || array_room(&list->entries, &list->capacity, 0, sizeof *list->entries)) {
            free(path);
            rc = error_nomem(err, list->dir, sizeof *list->entries);
        } else {
            list->entries[list->count++] = (struct dfx_entry){0, 0, path};
        }
    }
    args_free(&names);
    return rc;
}

/* 1: there is something below `dir`, or would be if it could be read. */
static int list_below(struct dfx_list *list, const char *dir, struct error *err)
{
    list->dir = strdup(dir);
    if (!list->dir) {
        return error_nomem(err, dir, strlen(dir));
    }
    if (list_ranks(list, err) || list_flat(list, err)) {
        return -1;
    }
    if (list->notes.failed) {
        return error_nomem(err, dir, 256);
    }
    return list->count || list->notes.count;
}

static int fail_empty(const struct dfx_list *list, const char *dir, struct error *err)
{
    if (list->notes.count) {
        return error_set(err, dir, "make its directories readable",
                         "none of the profiles in %s can be read, the first: %s", list->dir, list->notes.items[0]);
    }
    return error_set(
        err, dir, "run with profiling on (`l3replay run BUILD --swimlane`) and name its dfx_outputs directory",
        "there are no profiles in %s: it holds neither rank<r>/d<k> nor the files of a dispatch", list->dir);
}

int dfx_list_read(const char *dir, struct dfx_list *list, struct error *err)
{
    char *inner;
    int rc;

    memset(list, 0, sizeof *list);
    inner = file_join(dir, "dfx_outputs", err);
    if (!inner) {
        return -1;
    }
    rc = list_below(list, dir, err);
    if (rc <= 0 && file_is_directory(inner)) {
        dfx_list_free(list);
        rc = list_below(list, inner, err);
    }
    free(inner);
    if (rc >= 0 && list->count == 0) {
        rc = fail_empty(list, dir, err);
    }
    if (rc < 0) {
        dfx_list_free(list);
        return -1;
    }
    qsort(list->entries, list->count, sizeof *list->entries, compare_entries);
    return 0;
}

bool dfx_list_has(const struct dfx_list *list, uint32_t rank, uint32_t k)
{
    const struct dfx_entry key = {.rank = rank, .k = k};

    return bsearch(&key, list->entries, list->count, sizeof key, compare_entries) != NULL;
}

void dfx_list_free(struct dfx_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entries[i].path);
    }
    free(list->entries);
    free(list->dir);
    notes_free(&list->notes);
    memset(list, 0, sizeof *list);
}

/* --- one dispatch ------------------------------------------------------- */

/* A small JSON file of the dispatch, opened at its outermost object; NULL when it is not there or unreadable. */
static char *open_small(struct dfx_dispatch *d, const char *path, const char *name, struct json_pull *p)
{
    struct error err;
    size_t size;
    char *text = file_read(path, max_small, &size, &err);

    if (!text) {
        notes_add(&d->notes, "%s: %s", name, err.what);
        return NULL;
    }
    json_pull_start(p, text, size);
    json_pull_open(p, '{');
    return text;
}

static void close_small(struct dfx_dispatch *d, const char *name, struct json_pull *p, char *text)
{
    char buf[160];

    if (json_pull_fault(p, buf, sizeof buf)) {
        notes_add(&d->notes, "%s: %s", name, buf);
    }
    free(text);
}

static void load_program(struct dfx_dispatch *d, const char *path)
{
    struct json_pull p;
    char key[32], name[256];
    char *text = open_small(d, path, "dispatch_program.json", &p);

    if (!text) {
        return;
    }
    while (json_pull_key(&p, key, sizeof key)) {
        if (strcmp(key, "program") != 0 || d->program) {
            json_pull_skip(&p);
        } else if (json_pull_text(&p, name, sizeof name) && *name) {
            d->program = strdup(clean_name(name));
            d->notes.failed = d->notes.failed || !d->program;
        }
    }
    close_small(d, "dispatch_program.json", &p, text);
}

static void read_names(struct dfx_dispatch *d, struct json_pull *p)
{
    char key[32], name[256], *stop;

    if (!json_pull_open(p, '{')) {
        return;
    }
    while (json_pull_key(p, key, sizeof key) && json_pull_text(p, name, sizeof name)) {
        long long id = strtoll(key, &stop, 10);
        if (*stop || !*key || !*name) {
            continue;
        }
        if (array_room(&d->names, &d->name_capacity, d->nname, sizeof *d->names) ||
            !(d->names[d->nname].name = strdup(clean_name(name)))) {
            d->notes.failed = true;
            return;
        }
        d->names[d->nname++].id = id;
    }
}

static void load_names(struct dfx_dispatch *d, const char *path, const char *name)
{
    struct json_pull p;
    char key[32];
    char *text = open_small(d, path, name, &p);

    if (!text) {
        return;
    }
    while (json_pull_key(&p, key, sizeof key)) {
        if (strcmp(key, "callable_id_to_name") == 0) {
            read_names(d, &p);
        } else {
            json_pull_skip(&p);
        }
    }
    d->has_names = d->nname > 0;
    close_small(d, name, &p, text);
}

static int load_part(const struct dfx_entry *entry, const char *name, struct dfx_dispatch *d, struct error *err)
{
    char *path = file_join(entry->path, name, err);
    size_t nnote = d->notes.count;
    bool there;

    if (!path) {
        return -1;
    }
    there = file_is_regular(path);
    if (there && strcmp(name, "chip_swimlane_records.json") == 0) {
        if (swimlane_read(path, &d->records, &d->notes, err)) {
            notes_add(&d->notes, "%s: %s", name, err->what);
        }
        d->has_records = d->records.ntask > 0;
    } else if (there && strcmp(name, "deps.json") == 0) {
        if (task_deps_read(path, &d->deps, &d->notes, err)) {
            notes_add(&d->notes, "%s: %s", name, err->what);
        }
        d->has_deps = d->deps.ntask > 0;
        d->no_graph = !d->has_deps && !d->deps.nedge && d->notes.count == nnote;
    } else if (there && dfx_is_name_map(name)) {
        load_names(d, path, name);
    } else if (there && strcmp(name, "dispatch_program.json") == 0) {
        load_program(d, path);
    } else if (there) {
        d->has_pmu = true;
    }
    free(path);
    return 0;
}

/* The first of them, should there be several. */
static int load_name_map(const struct dfx_entry *entry, struct dfx_dispatch *d, struct error *err)
{
    struct args names = {0};
    int rc = 0;

    if (directory_list(entry->path, dfx_is_name_map, &names) == 0 && names.n) {
        rc = load_part(entry, names.v[0], d, err);
    }
    args_free(&names);
    return rc;
}

int dfx_load(const struct dfx_entry *entry, struct dfx_dispatch *d, struct error *err)
{
    static const char *const parts[] = {"dispatch_program.json", "chip_swimlane_records.json", "deps.json", "pmu.csv"};

    memset(d, 0, sizeof *d);
    d->rank = entry->rank;
    d->k = entry->k;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (load_part(entry, parts[i], d, err)) {
            return -1;
        }
    }
    if (load_name_map(entry, d, err)) {
        return -1;
    }
    return d->notes.failed ? error_nomem(err, entry->path, 256) : 0;
}

void dfx_free(struct dfx_dispatch *d)
{
    for (size_t i = 0; i < d->nname; i++) {
        free(d->names[i].name);
    }
    free(d->names);
    free(d->program);
    swimlane_free(&d->records);
    task_deps_free(&d->deps);
    notes_free(&d->notes);
    memset(d, 0, sizeof *d);
}

int64_t dfx_function(const struct dfx_dispatch *d, const struct swim_task *task)
{
    return task_deps_function(&d->deps, task->token, swimlane_core_type(&d->records, task->core));
}

const char *dfx_kernel_name(const struct dfx_dispatch *d, const struct swim_task *task, char *buf, size_t size)
{
    int64_t id = dfx_function(d, task);

    for (size_t i = 0; i < d->nname && id >= 0; i++) {
        if (d->names[i].id == id) {
            return d->names[i].name;
        }
    }
    if (id >= 0) {
        snprintf(buf, size, "func_%" PRId64, id);
    } else {
        snprintf(buf, size, "task");
    }
    return buf;
}
