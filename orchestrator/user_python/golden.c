#include "orchestrator/user_python/golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/open/run_script.h"
#include "orchestrator/user_python/golden_inputs.h"
#include "orchestrator/user_python/golden_state.h"

enum { SOURCE_MAX = 16 << 20 };

/* --- which file ------------------------------------------------------------- */

/* 1: a file of the build feeds the parameter, or is its reference; 0: none; -1. */
static int has_file(const struct build *build, const char *dir, const char *param, struct error *err)
{
    char *path;
    int rc = fit_find(build, dir, param, &path, err);

    if (rc < 0) {
        return -1;
    }
    rc = path != NULL;
    free(path);
    return rc;
}

/* 1: data/in and data/out hold all that is read and written; 0; -1. */
static int is_complete(const struct build *build, struct error *err)
{
    int there = 1;

    for (uint32_t i = 0; there == 1 && i < build->nparam; i++) {
        const struct build_param *p = &build->params[i];

        if (!p->scalar && p->direction != PLAN_OUT) {
            there = has_file(build, "data/in", p->name, err);
        }
        if (there == 1 && !p->scalar && p->direction != PLAN_IN) {
            there = has_file(build, "data/out", p->name, err);
        }
    }
    return there;
}

static void note_unused(const struct run_script *script, const char *why)
{
    if (script->inputs_edited) {
        log_msg(LOG_WARN, "_inline_inputs of debug/run.py was edited and is not used: %s", why);
    }
    if (script->compare_edited) {
        log_msg(LOG_WARN, "_user_compare of debug/run.py was edited and is not called: %s", why);
    }
}

/* Sets label, function and path; a path of NULL: neither is used. */
static int choose(struct golden *g, struct error *err)
{
    char *golden = file_join(g->build->dir, "golden.py", err);
    struct run_script script;
    bool edited;
    int complete = is_complete(g->build, err);

    if (!golden || complete < 0 || run_script_read(&script, g->build, err) < 0) {
        free(golden);
        return -1;
    }
    edited = script.inputs_edited || script.compare_edited;
    if (g->options.off) {
        note_unused(&script, "--no-golden");
    } else if (file_is_regular(golden) && !(edited && g->options.no_validate)) {
        g->is_golden = true;
        g->path = golden;
        g->label = "golden.py";
        g->function = "generate_inputs";
        note_unused(&script, "golden.py decides, unless --no-validate is given");
        return 0;
    } else if (edited && complete) {
        note_unused(&script, "data/in and data/out hold all inputs and outputs");
    } else if (edited) {
        g->path = file_join(g->build->dir, "debug/run.py", err);
        g->label = "debug/run.py";
        g->function = script.inputs_edited ? "_inline_inputs" : NULL;
        g->calls_compare = script.compare_edited && !g->options.shapes_only;
    }
    free(golden);
    return g->path || g->options.off || !edited || complete ? 0 : -1;
}

/* --- which parameters --------------------------------------------------------- */

static bool is_given(const struct build *build, const struct args *given, const struct build_param *p)
{
    for (size_t i = 0; i < given->n; i++) {
        if (build_find_param(build, given->v[i], NULL) == p) {
            return true;
        }
    }
    return false;
}

static bool is_open(const struct build_param *p)
{
    for (uint32_t d = 0; d < p->ndim; d++) {
        if (p->shape[d] < 0) {
            return true;
        }
    }
    return p->scalar;
}

/* Parameters that are read and nothing feeds; where there are any, also pure outputs of a size that is not known. */
static int find_needed(struct golden *g, const struct args *given, size_t *count, struct error *err)
{
    bool shapes = false;

    *count = 0;
    for (int outputs = 0; outputs < 2 && (!outputs || *count); outputs++) {
        for (uint32_t i = 0; i < g->build->nparam; i++) {
            const struct build_param *p = &g->build->params[i];
            int fed = p->dtype == DTYPE_COUNT || is_given(g->build, given, p);

            if ((p->direction == PLAN_OUT) != (outputs == 1) || (outputs && !is_open(p))) {
                continue;
            }
            if (!fed && !outputs && (fed = has_file(g->build, "data/in", p->name, err)) < 0) {
                return -1;
            }
            g->needed[i] = !fed;
            *count += !fed;
            shapes = shapes || (!fed && is_open(p));
        }
    }
    if (g->options.shapes_only && !shapes) {
        memset(g->needed, 0, g->build->nparam * sizeof *g->needed);
        *count = 0;
    }
    return 0;
}

/* --- what decides the result ---------------------------------------------------- */

static int hash_content(struct golden *g, struct error *err)
{
    size_t size;
    char *source = file_read(g->path, SOURCE_MAX, &size, err), *python = user_session_interpreter();
    const char *threads = getenv("PYPTO_GOLDEN_NUM_THREADS");
    struct hasher *h = source && python ? hasher_new() : NULL;

    if (!h) {
        free(python);
        if (source) {
            error_nomem(err, g->label, size);
        }
        free(source);
        return -1;
    }
    hasher_text(h, "golden 1");
    hasher_text(h, g->path);
    hasher_bytes(h, source, size);
    hasher_text(h, python);
    hasher_text(h, threads ? threads : "");
    for (uint32_t i = 0; i < g->build->nparam; i++) {
        const struct build_param *p = &g->build->params[i];
        const char direction = (char)p->direction;

        hasher_text(h, p->name);
        hasher_text(h, p->dtype_text);
        hasher_bytes(h, &direction, sizeof direction);
        hasher_bytes(h, p->shape, p->ndim * sizeof *p->shape);
    }
    g->content = hasher_end(h);
    free(python);
    free(source);
    return 0;
}

/* --- opening -------------------------------------------------------------------- */

static int prepare(struct golden *g, const struct args *given, struct error *err)
{
    size_t count = 0;

    g->needed = calloc(g->build->nparam + 1u, sizeof *g->needed);
    g->names = calloc(g->build->nparam + 1u, sizeof *g->names);
    if (!g->needed || !g->names) {
        return error_nomem(err, g->label, g->build->nparam * sizeof *g->names);
    }
    args_add(&g->files, "%s", g->path);
    if ((g->function && find_needed(g, given, &count, err) < 0) || args_done(&g->files, err) < 0) {
        return -1;
    }
    return g->function && count ? golden_make_inputs(g, count, err) : 0;
}

int golden_open(struct golden **out, const struct build *build, const struct args *given,
                const struct golden_options *options, struct error *err)
{
    struct golden *g = calloc(1, sizeof *g);

    *out = NULL;
    if (!g) {
        return error_nomem(err, "golden.py", sizeof *g);
    }
    *g = (struct golden){.build = build, .options = *options, .rtol = -1, .atol = -1};
    if (choose(g, err) < 0) {
        golden_free(g);
        return -1;
    }
    if (!g->path) {
        golden_free(g);
        return 0;
    }
    if (hash_content(g, err) < 0 || prepare(g, given, err) < 0) {
        golden_free(g);
        return -1;
    }
    *out = g;
    return 0;
}

void golden_free(struct golden *g)
{
    if (!g) {
        return;
    }
    user_session_close(g->python);
    golden_cache_close(&g->cache);
    golden_set_free(&g->inputs);
    golden_set_free(&g->references);
    for (uint32_t i = 0; g->names && i < g->build->nparam; i++) {
        free(g->names[i]);
    }
    free(g->names);
    free(g->needed);
    free(g->path);
    args_free(&g->outputs);
    args_free(&g->files);
    free(g);
}

/* --- asking --------------------------------------------------------------------- */

const char *golden_label(const struct golden *g)
{
    return g->label;
}

const struct named_file *golden_inputs(const struct golden *g, size_t *count)
{
    *count = g->inputs.count;
    return g->inputs.files;
}

void golden_release_inputs(struct golden *g)
{
    golden_set_close(&g->inputs);
}

const struct named_file *golden_references(const struct golden *g, size_t *count)
{
    *count = g->references.count;
    return g->references.files;
}

bool golden_computes(const struct golden *g)
{
    return g->is_golden && !g->options.no_validate && !g->options.shapes_only;
}

bool golden_calls_compare(const struct golden *g)
{
    return g->calls_compare;
}

const struct args *golden_files(const struct golden *g)
{
    return &g->files;
}

/* The number that a line "NAME = 1e-3" of the text gives; else `value`. */
static double number_in(const char *text, const char *name, double value)
{
    const size_t length = strlen(name);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        const char *at;
        double number;
        char *end;

        line += *line == '\n';
        if (strncmp(line, name, length) != 0) {
            continue;
        }
        at = line + length + strspn(line + length, " \t");
        number = *at == '=' ? strtod(at + 1, &end) : -1;
        if (*at == '=' && end > at + 1 && (!end[strspn(end, " \t\r")] || strchr("\n#", end[strspn(end, " \t\r")])) &&
            number >= 0 && number <= 1e300) {
            value = number;
        }
    }
    return value;
}

void golden_tolerance(const struct golden *g, const struct build *build, double *rtol, double *atol)
{
    char *path = file_join(build->dir, "golden.py", NULL);
    char *text = path && file_is_regular(path) ? file_read(path, SOURCE_MAX, NULL, NULL) : NULL;

    if (text) {
        *rtol = number_in(text, "RTOL", *rtol);
        *atol = number_in(text, "ATOL", *atol);
    }
    if (g && g->is_golden && g->rtol >= 0) {
        *rtol = g->rtol;
    }
    if (g && g->is_golden && g->atol >= 0) {
        *atol = g->atol;
    }
    free(text);
    free(path);
}
