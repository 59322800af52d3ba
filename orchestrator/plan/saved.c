#include "orchestrator/plan/saved.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/json_write.h"
#include "common/plan/plan_stream.h"
#include "common/plan/program_read.h"

#define RERECORD "record the plan again: l3replay plan BUILD --format json"
#define HINT_FILE "give the file that `l3replay plan --format json` wrote"

/* The path below `build_dir`, "." for itself (the program of an L2 build), or the whole path when it lies elsewhere. */
static const char *relative(const char *build_dir, const char *path)
{
    size_t n = strlen(build_dir);

    if (strncmp(path, build_dir, n) != 0 || (path[n] && path[n] != '/')) {
        return path;
    }
    return path[n] ? path + n + 1 : ".";
}

static void put_signature(struct json_writer *w, cJSON *object, const struct signature *s)
{
    cJSON *list;

    if (!s->given) {
        return;
    }
    list = json_put_list(w, object, "signature");
    for (uint32_t i = 0; i < s->count; i++) {
        json_append_number(w, list, s->directions[i]);
    }
}

static void put_kernel(struct json_writer *w, cJSON *list, const struct kernel *k, const char *build_dir)
{
    cJSON *object = json_append_object(w, list), *include;

    json_put_number(w, object, "func_id", k->func_id);
    json_put_text(w, object, "name", k->name);
    json_put_text(w, object, "source", relative(build_dir, k->source));
    json_put_text(w, object, "core", k->core == CORE_AIC ? "aic" : "aiv");
    json_put_bool(w, object, "external", k->external);
    put_signature(w, object, &k->signature);
    include = json_put_list(w, object, "include");
    for (size_t i = 0; i < k->ninclude; i++) {
        json_append_text(w, include, relative(build_dir, k->include_dirs[i]));
    }
}

static int write_program(const struct program *p, const char *build_dir, FILE *f, struct error *err)
{
    struct json_writer w = {0};
    cJSON *object = json_new_object(&w), *kernels;
    char *text;
    int rc;

    json_put_text(&w, object, "kernel_config", p->name);
    json_put_text(&w, object, "dir", relative(build_dir, p->dir));
    json_put_text(&w, object, "runtime", p->runtime);
    json_put_number(&w, object, "aicpu_thread_num", p->aicpu_thread_num);
    json_put_bool(&w, object, "enable_sdma", p->enable_sdma);
    json_put_text(&w, object, "orchestration", relative(build_dir, p->orchestration));
    json_put_text(&w, object, "function_name", p->function_name);
    json_put_text(&w, object, "config_name", p->config_name);
    put_signature(&w, object, &p->signature);
    kernels = json_put_list(&w, object, "kernels");
    for (size_t i = 0; i < p->nkernel; i++) {
        put_kernel(&w, kernels, &p->kernels[i], build_dir);
    }
    text = json_finish_line(&w, object, "saved plan", err);
    if (!text) {
        return -1;
    }
    rc = fprintf(f, "%s\n", text) < 0 ? error_errno(err, "saved plan", "free disk space", "cannot write the plan") : 0;
    free(text);
    return rc;
}

int saved_programs_write(const struct program_table *programs, const bool *wanted, const char *build_dir, FILE *f,
                         struct error *err)
{
    for (size_t i = 0; i < programs->count; i++) {
        if ((!wanted || wanted[i]) && write_program(&programs->items[i], build_dir, f, err) < 0) {
            return -1;
        }
    }
    return 0;
}

int saved_plan_write(const struct plan *plan, const struct program_table *programs, const char *build_dir, FILE *f,
                     struct error *err)
{
    if (saved_programs_write(programs, NULL, build_dir, f, err) < 0) {
        return -1;
    }
    return plan_save(plan, f, err);
}

static int make_absolute(const char *build_dir, char **path, struct error *err)
{
    char *joined;

    if (**path == '/') {
        return 0;
    }
    joined = strcmp(*path, ".") == 0 ? strdup(build_dir) : file_join(build_dir, *path, err);
    if (!joined) {
        return error_nomem(err, build_dir, strlen(build_dir) + 1);
    }
    free(*path);
    *path = joined;
    return 0;
}

/* Binaries are written into the program's directory, so a file must not name another one. */
static bool lies_in_build(const char *dir)
{
    const char *part = dir;

    if (*dir == '/') {
        return false;
    }
    while (*part) {
        size_t length = strcspn(part, "/");

        if (length == 2 && strncmp(part, "..", 2) == 0) {
            return false;
        }
        part += length + (part[length] == '/');
    }
    return true;
}

static int place_program(struct program *p, const char *build_dir, const char *origin, const char *hint,
                         struct error *err)
{
    if (!lies_in_build(p->dir)) {
        return error_set(err, origin, hint, "the directory of program %s is outside the build: %s", p->name, p->dir);
    }
    if (make_absolute(build_dir, &p->dir, err) < 0 || make_absolute(build_dir, &p->orchestration, err) < 0) {
        return -1;
    }
    for (size_t i = 0; i < p->nkernel; i++) {
        if (make_absolute(build_dir, &p->kernels[i].source, err) < 0) {
            return -1;
        }
        for (size_t d = 0; d < p->kernels[i].ninclude; d++) {
            if (make_absolute(build_dir, &p->kernels[i].include_dirs[d], err) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int read_program(struct program_table *programs, const char *line, size_t length, const char *origin,
                        const char *hint, const char *build_dir, struct error *err)
{
    if (program_read(programs, line, length, origin, hint, err) < 0) {
        return -1;
    }
    return place_program(&programs->items[programs->count - 1], build_dir, origin, hint, err);
}

int saved_program_read(struct program_table *programs, const char *line, size_t length, const char *build_dir,
                       struct error *err)
{
    return read_program(programs, line, length, "the programs that process 0 sent",
                        "report this as a fault of l3replay", build_dir, err);
}

struct saved_file {
    const char *path;
    FILE *file;
    struct plan_stream *stream;
    unsigned long long line; /* lines read */
};

static int take_line(struct saved_file *saved, struct program_table *programs, char *line, size_t length,
                     const char *build_dir, struct error *err)
{
    static const char program_key[] = "{\"kernel_config\":";
    char origin[PATH_MAX + 32];

    saved->line++;
    if (strncmp(line, program_key, sizeof program_key - 1) != 0) {
        return plan_stream_line(saved->stream, line, length, err);
    }
    plan_stream_skip(saved->stream);
    snprintf(origin, sizeof origin, "%s, line %llu", saved->path, saved->line);
    return read_program(programs, line, length, origin, RERECORD, build_dir, err);
}

static int take_lines(struct saved_file *saved, struct program_table *programs, const char *build_dir,
                      struct error *err)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int rc = 0;

    errno = 0;
    while (rc == 0 && (n = getline(&line, &room, saved->file)) > 0) {
        if (line[n - 1] == '\n') {
            line[--n] = '\0';
        }
        rc = take_line(saved, programs, line, (size_t)n, build_dir, err);
    }
    if (rc == 0 && !feof(saved->file)) {
        rc = error_errno(err, saved->path, HINT_FILE, "cannot read the plan");
    }
    free(line);
    return rc;
}

/* Whether the name stands for a descriptor of this process: mpirun gives its processes none of its own. */
static bool is_descriptor(const char *path)
{
    return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/", 6) == 0;
}

static const char *hint_file(const char *path)
{
    return is_descriptor(path) ? "standard input and other open files do not reach the processes of a replay: write "
                                 "the plan into a file, and give its path"
                               : HINT_FILE;
}

int saved_plan_load(const char *path, const char *build_dir, struct program_table *programs, struct plan *plan,
                    struct error *err)
{
    struct saved_file saved = {.path = path, .file = fopen(path, "re")};
    int rc = -1;

    memset(programs, 0, sizeof *programs);
    if (!saved.file) {
        return error_errno(err, path, hint_file(path), "cannot open the plan");
    }
    saved.stream = plan_stream_new(path, err);
    if (saved.stream && take_lines(&saved, programs, build_dir, err) == 0) {
        if (saved.line == 0) {
            error_set(err, path, hint_file(path), "the plan is empty");
        } else {
            rc = plan_stream_finish(saved.stream, plan, err);
        }
    }
    plan_stream_free(saved.stream);
    fclose(saved.file);
    return rc;
}
