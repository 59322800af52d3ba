#include "orchestrator/plan/saved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/json_write.h"
#include "common/plan_stream.h"
#include "orchestrator/record/program_read.h"

/* The path below `build_dir`, or the whole path when it lies elsewhere. */
static const char *relative(const char *build_dir, const char *path)
{
    size_t n = strlen(build_dir);

    return strncmp(path, build_dir, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

static void put_signature(struct json_writer *w, cJSON *object, const struct signature *s)
{
    cJSON *list;

    if (!s->given)
        return;
    list = json_put_list(w, object, "signature");
    for (uint32_t i = 0; i < s->count; i++)
        json_append_number(w, list, s->directions[i]);
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
    for (size_t i = 0; i < k->ninclude; i++)
        json_append_text(w, include, relative(build_dir, k->include_dirs[i]));
}

static int write_program(const struct program *p, const char *build_dir, FILE *f, struct error *err)
{
    struct json_writer w = {0};
    cJSON *object = json_new_object(&w), *kernels;
    char *text;

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
    for (size_t i = 0; i < p->nkernel; i++)
        put_kernel(&w, kernels, &p->kernels[i], build_dir);
    text = w.failed ? NULL : cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (!text)
        return error_nomem(err, "saved plan", 0);
    if (fprintf(f, "%s\n", text) < 0) {
        cJSON_free(text);
        return error_errno(err, "saved plan", "free disk space", "cannot write the plan");
    }
    cJSON_free(text);
    return 0;
}

int saved_programs_write(const struct program_table *programs, const bool *wanted, const char *build_dir, FILE *f,
                         struct error *err)
{
    for (size_t i = 0; i < programs->count; i++)
        if ((!wanted || wanted[i]) && write_program(&programs->items[i], build_dir, f, err) < 0)
            return -1;
    return 0;
}

int saved_plan_write(const struct plan *plan, const struct program_table *programs, const char *build_dir, FILE *f,
                     struct error *err)
{
    if (saved_programs_write(programs, NULL, build_dir, f, err) < 0)
        return -1;
    return plan_save(plan, f, err);
}

static int make_absolute(const char *build_dir, char **path, struct error *err)
{
    char *joined;

    if (**path == '/')
        return 0;
    joined = file_join(build_dir, *path, err);
    if (!joined)
        return -1;
    free(*path);
    *path = joined;
    return 0;
}

static int place_program(struct program *p, const char *build_dir, struct error *err)
{
    if (make_absolute(build_dir, &p->dir, err) < 0 || make_absolute(build_dir, &p->orchestration, err) < 0)
        return -1;
    for (size_t i = 0; i < p->nkernel; i++) {
        if (make_absolute(build_dir, &p->kernels[i].source, err) < 0)
            return -1;
        for (size_t d = 0; d < p->kernels[i].ninclude; d++)
            if (make_absolute(build_dir, &p->kernels[i].include_dirs[d], err) < 0)
                return -1;
    }
    return 0;
}

int saved_program_read(struct program_table *programs, const char *line, size_t length, const char *build_dir,
                       struct error *err)
{
    if (program_read(programs, line, length, err) < 0)
        return -1;
    return place_program(&programs->items[programs->count - 1], build_dir, err);
}

static int take_line(struct plan_stream *stream, struct program_table *programs, char *line, size_t length,
                     const char *build_dir, struct error *err)
{
    static const char program_key[] = "{\"kernel_config\":";

    if (strncmp(line, program_key, sizeof program_key - 1) == 0)
        return saved_program_read(programs, line, length, build_dir, err);
    return plan_stream_line(stream, line, length, err);
}

int saved_plan_load(const char *path, const char *build_dir, struct program_table *programs, struct plan *plan,
                    struct error *err)
{
    FILE *f = fopen(path, "r");
    struct plan_stream *stream = NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int rc = -1;

    memset(programs, 0, sizeof *programs);
    if (!f)
        return error_errno(err, path, "give the file that `l3replay plan --format json` wrote", "cannot open the plan");
    stream = plan_stream_new(path, err);
    if (!stream)
        goto out;
    while ((n = getline(&line, &room, f)) > 0) {
        if (line[n - 1] == '\n')
            line[--n] = '\0';
        if (take_line(stream, programs, line, (size_t)n, build_dir, err) < 0)
            goto out;
    }
    if (ferror(f)) {
        error_errno(err, path, NULL, "cannot read the plan");
        goto out;
    }
    rc = plan_stream_finish(stream, plan, err);
out:
    plan_stream_free(stream);
    free(line);
    fclose(f);
    return rc;
}
