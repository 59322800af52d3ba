#include "rank-worker/compile/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "rank-worker/compile/build_units.h"
#include "rank-worker/compile/failures.h"
#include "rank-worker/compile/headers.h"
#include "rank-worker/compile/identity.h"
#include "rank-worker/compile/shared_units.h"
#include "rank-worker/compile/store_trim.h"
#include "rank-worker/compile/store_use.h"

struct work {
    struct compile_session *session;
    struct unit_env *env; /* the session's */
    struct unit *units;   /* all: nkernel precompiled headers, the kernels, the orchestrations */
    struct unit *sources; /* the kernels and orchestrations in it */
    size_t nkernel, nsource;
};

static struct unit make_unit(enum unit_kind kind, const struct program *program, const struct kernel *kernel)
{
    return (struct unit){.kind = kind, .program = program, .kernel = kernel, .lock = -1};
}

static void list_program(const struct program *p, struct compiled_program *out, struct unit *kernels,
                         struct unit *orchestration)
{
    *orchestration = make_unit(UNIT_ORCHESTRATION, p, NULL);
    orchestration->slot = &out->orchestration;
    orchestration->made_slot = &out->orchestration_made;
    for (size_t i = 0; i < p->nkernel; i++) {
        kernels[i] = make_unit(UNIT_KERNEL, p, &p->kernels[i]);
        kernels[i].slot = &out->kernels[i];
        kernels[i].made_slot = &out->kernels_made[i];
    }
}

static int list_units(struct work *w, const struct program_table *programs, const bool *wanted, struct compiled *out,
                      struct error *err)
{
    size_t k = 0, o;

    for (size_t i = 0; i < programs->count; i++) {
        if (!wanted || wanted[i]) {
            w->nkernel += programs->items[i].nkernel;
            w->nsource += programs->items[i].nkernel + 1;
        }
    }
    w->units = calloc(w->nkernel + w->nsource + 1, sizeof *w->units);
    if (!w->units) {
        error_nomem(err, "compile", w->nsource * sizeof *w->units);
        return -1;
    }
    w->sources = w->units + w->nkernel;
    for (size_t i = 0; i < w->nkernel; i++) {
        w->units[i] = (struct unit){.state = UNIT_DONE, .lock = -1};
    }
    o = w->nkernel;
    for (size_t i = 0; i < programs->count; i++) {
        const struct program *program = &programs->items[i];
        if (wanted && !wanted[i]) {
            continue;
        }
        list_program(program, &out->items[i], &w->sources[k], &w->sources[o++]);
        k += program->nkernel;
    }
    return 0;
}

static int open_units(struct work *w, struct error *err)
{
    for (size_t i = 0; i < w->nsource; i++) {
        if (unit_open(&w->sources[i], err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int find_pto(struct work *w, struct error *err)
{
    const char *root = getenv("PTO_ISA_ROOT");
    const struct unit *u = NULL;
    char *probe;

    for (size_t i = 0; i < w->nkernel && !u; i++) {
        u = w->sources[i].scan.pto ? &w->sources[i] : NULL;
    }
    if (!u || w->env->pto) {
        return 0;
    }
    if (!root || !*root) {
        return error_set(err, u->source, "set PTO_ISA_ROOT to a checkout of PTO-ISA",
                         "kernel %s of program %s includes PTO-ISA, and PTO_ISA_ROOT is not set", u->kernel->name,
                         u->program->name);
    }
    probe = text_format("%s/include/pto/pto-inst.hpp", root);
    w->env->pto = probe && access(probe, R_OK) == 0 ? realpath(root, NULL) : NULL;
    if (!w->env->pto) {
        error_set(err, probe, "set PTO_ISA_ROOT to the directory that holds include/pto",
                  "PTO_ISA_ROOT is %s, and there is no PTO-ISA (kernel %s of program %s needs it)", root,
                  u->kernel->name, u->program->name);
    }
    free(probe);
    return w->env->pto ? 0 : -1;
}

static int check_bfloat16(const struct work *w, struct error *err)
{
    const struct toolchain *tool = &w->env->tools[TOOLCHAIN_KERNEL];

    for (size_t i = 0; i < w->nkernel && tool->bfloat16 == BFLOAT16_NONE && !w->env->stack; i++) {
        const struct unit *u = &w->sources[i];
        if (u->scan.bfloat16) {
            return error_set(err, u->source, "install clang-19 or g++ 13 or later, or set L3REPLAY_KERNEL_CXX",
                             "kernel %s of program %s uses bfloat16_t, which %s (%s) does not have: results would be "
                             "wrong",
                             u->kernel->name, u->program->name, tool->path, tool->version);
        }
    }
    return 0;
}

static int find_compilers(struct work *w, struct error *err)
{
    if (w->nsource > 0 && !compile_session_compiler(w->session, TOOLCHAIN_ORCHESTRATION, err)) {
        return -1;
    }
    if (w->nkernel == 0) {
        return 0;
    }
    return compile_session_kernel_compiler(w->session, err) ? check_bfloat16(w, err) : -1;
}

/* Prepare all units and mark those done that the store has. */
static int look_up(struct work *w, struct build_counts *counts, struct error *err)
{
    for (size_t i = 0; i < w->nsource; i++) {
        struct unit *u = &w->sources[i];
        int rc = unit_prepare(u, w->env, err);
        if (rc == 0) {
            rc = unit_lookup(u, w->env, err);
        }
        if (rc < 0) {
            return -1;
        }
        if (rc > 0) {
            u->state = UNIT_DONE;
            counts->reused++;
        }
    }
    return 0;
}

/* The caller's slots get what was made. */
static void hand_out(struct work *w)
{
    for (size_t i = 0; i < w->nsource; i++) {
        struct unit *u = &w->sources[i];
        *u->slot = u->object;
        *u->made_slot = u->made;
        u->object = NULL;
        u->made = (struct made_of){0};
    }
}

/* Everything up to the first compiler: the units of the wanted programs, those of the store done. */
static int open_all(struct work *w, const struct program_table *programs, const struct compile_options *options,
                    struct compiled *out, struct build_counts *counts, struct error *err)
{
    if (list_units(w, programs, options->wanted, out, err) < 0 || open_units(w, err) < 0 || find_pto(w, err) < 0 ||
        find_compilers(w, err) < 0) {
        return -1;
    }
    hashes_refresh(w->env->hashes);
    return look_up(w, counts, err);
}

static int name_compiler(const struct toolchain *tool, char **version, struct key *id, struct error *err)
{
    *version = strdup(tool->version);
    *id = tool->id;
    return *version ? 0 : error_nomem(err, "compile", strlen(tool->version));
}

/* Of the sources that there are; the session may know more compilers. */
static int name_compilers(const struct work *w, struct compiled *out, struct error *err)
{
    const struct toolchain *tools = w->env->tools;

    if (w->nkernel > 0 &&
        name_compiler(&tools[TOOLCHAIN_KERNEL], &out->kernel_compiler, &out->kernel_compiler_id, err) < 0) {
        return -1;
    }
    return w->nsource > 0 ? name_compiler(&tools[TOOLCHAIN_ORCHESTRATION], &out->orchestration_compiler,
                                          &out->orchestration_compiler_id, err)
                          : 0;
}

/* Whether an orchestration has to be linked. */
static bool links(const struct work *w)
{
    for (size_t i = w->nkernel; i < w->nsource; i++) {
        if (w->sources[i].state == UNIT_WAITING) {
            return true;
        }
    }
    return false;
}

/* What the orchestrations of a runtime share, before the first of them is linked. */
static int shared_objects(struct work *w, int jobs, bool quiet, struct error *err)
{
    return w->env->stack && links(w) ? shared_units_build(w->env, jobs, quiet, err) : 0;
}

static int compile_all(struct work *w, const struct program_table *programs, const struct compile_options *options,
                       struct compiled *out, struct error *err)
{
    struct build_counts counts = {0};
    int jobs = options->jobs < 1 ? 1 : options->jobs;

    /* Times of files are taken from this clock, which is some ms behind the other. */
    clock_gettime(CLOCK_REALTIME_COARSE, &out->read_at);
    if (open_all(w, programs, options, out, &counts, err) < 0) {
        return -1;
    }
    if (!options->assisting) {
        store_count(&w->env->store, (struct store_counts){.lookups = w->nsource, .hits = counts.reused});
    }
    if (options->share && w->nsource > counts.reused + 1 &&
        options->share(options->context, programs, options->wanted, err) < 0) {
        return -1;
    }
    if (shared_objects(w, jobs, options->assisting, err) < 0 ||
        headers_plan(w->units, w->sources, w->nkernel, w->env, jobs, err) < 0 ||
        build_units(w->units, w->nkernel + w->nsource, w->env, jobs, options->assisting, &counts, err) < 0 ||
        headers_order_missing(w->units, w->nkernel, w->env, err) < 0) {
        return -1;
    }
    out->nbuilt = counts.built;
    out->nreused = counts.reused;
    if (failures_report(w->sources, w->nsource, w->env, programs, options->assisting, err) < 0) {
        return -1;
    }
    hand_out(w);
    return name_compilers(w, out, err);
}

static int make_slots(const struct program_table *programs, struct compiled *out, struct error *err)
{
    out->items = calloc(programs->count + 1, sizeof *out->items);
    if (!out->items) {
        return error_nomem(err, "compile", programs->count * sizeof *out->items);
    }
    for (size_t i = 0; i < programs->count; i++) {
        struct compiled_program *p = &out->items[i];
        p->nkernel = programs->items[i].nkernel;
        p->kernels = calloc(p->nkernel + 1, sizeof *p->kernels);
        p->kernels_made = calloc(p->nkernel + 1, sizeof *p->kernels_made);
        out->count++;
        if (!p->kernels || !p->kernels_made) {
            return error_nomem(err, "compile", p->nkernel * sizeof *p->kernels_made);
        }
    }
    return 0;
}

static void close_work(struct work *w)
{
    for (size_t i = 0; w->units && i < w->nkernel + w->nsource; i++) {
        unit_close(&w->units[i]);
    }
    free(w->units);
}

/* 1 when some kernel includes PTO-ISA, 0 when none does, -1 when a source cannot be read. */
static int uses_pto(const struct program_table *programs, struct error *err)
{
    struct compiled out = {0};
    struct work w = {0};
    int rc = -1;

    if (make_slots(programs, &out, err) == 0 && list_units(&w, programs, NULL, &out, err) == 0 &&
        open_units(&w, err) == 0) {
        rc = 0;
    }
    for (size_t i = 0; rc == 0 && i < w.nkernel; i++) {
        rc = w.sources[i].scan.pto;
    }
    close_work(&w);
    compiled_free(&out);
    return rc;
}

int compile_identity(struct compile_session *session, const struct program_table *programs, const char *platform,
                     struct cache_identity *out, struct error *err)
{
    const char *runtime = programs->count ? programs->items[0].runtime : "";
    const int pto = uses_pto(programs, err);
    const char *cpu_revision, *pto_revision = IDENTITY_NO_PTO;
    const struct stack_commands *stack = compile_session_env(session)->stack;

    if (stack) {
        return identity_make(platform, runtime, stack->runtime_revision, stack->pto_isa_revision, out, err);
    }
    if (pto < 0) {
        return -1;
    }
    cpu_revision = compile_session_cpu_revision(session, err);
    if (cpu_revision && pto) {
        pto_revision = compile_session_pto_revision(session, err);
    }
    if (!cpu_revision || !pto_revision) {
        return -1;
    }
    return identity_make(platform, runtime, cpu_revision, pto_revision, out, err);
}

static int check_platform(const char *platform, struct error *err)
{
    size_t length = platform ? strlen(platform) : 0;

    if (length > 3 && strcmp(platform + length - 3, "sim") == 0) {
        return 0;
    }
    return error_set(err, NULL, "replay with --platform a2a3sim or a5sim",
                     "the cpu device runs simulator platforms only, and this is %s", platform ? platform : "none");
}

int compile_programs(struct compile_session *session, const struct program_table *programs,
                     const struct compile_options *options, struct compiled *out, struct error *err)
{
    struct work w = {.session = session, .env = compile_session_env(session)};
    int rc;

    *out = (struct compiled){0};
    if (!w.env->stack && check_platform(options->platform, err) < 0) {
        return -1;
    }
    rc = make_slots(programs, out, err);
    if (rc == 0) {
        rc = compile_all(&w, programs, options, out, err);
    }
    close_work(&w);
    if (rc < 0) {
        compiled_free(out);
    }
    return rc;
}

void compile_trim(struct compile_session *session, const struct compiled *c)
{
    const struct store *store = &compile_session_env(session)->store;
    struct store_trimmed out;
    struct error err;
    uint64_t limit;
    int rc = 0;

    if (c->nbuilt == 0) {
        return;
    }
    if (store_limit(&limit, &err) < 0) {
        rc = -1;
    } else if (limit > 0 && !store->is_private) {
        rc = store_trim(store, limit, &out, &err);
    }
    if (rc < 0) {
        log_msg(LOG_WARN, "the object store was not trimmed: %s", err.what);
    }
}

void compiled_program_free(struct compiled_program *c)
{
    for (size_t i = 0; i < c->nkernel; i++) {
        if (c->kernels) {
            free(c->kernels[i]);
        }
        if (c->kernels_made) {
            made_of_free(&c->kernels_made[i]);
        }
    }
    free(c->kernels);
    free(c->kernels_made);
    free(c->orchestration);
    made_of_free(&c->orchestration_made);
    *c = (struct compiled_program){0};
}

void compiled_free(struct compiled *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        compiled_program_free(&c->items[i]);
    }
    free(c->items);
    free(c->kernel_compiler);
    free(c->orchestration_compiler);
    *c = (struct compiled){0};
}
