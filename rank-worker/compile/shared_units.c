#include "rank-worker/compile/shared_units.h"

#include <stdlib.h>
#include <string.h>

#include "rank-worker/compile/build_units.h"

/* A unit belongs to a program. */
struct shared {
    size_t n;
    struct program *programs;
    struct unit *units;
};

static int open_one(struct shared *s, size_t i, const struct unit_env *env, struct error *err)
{
    static char name[] = "simpler"; /* for people */
    struct program *p = &s->programs[i];
    struct unit *u = &s->units[i];

    p->name = name;
    p->orchestration = stack_path(env->stack, env->stack->shared.v[i]);
    *u = (struct unit){
        .kind = UNIT_ORCHESTRATION, .program = p, .named = env->stack->shared.v[i], .shared = true, .lock = -1};
    if (!p->orchestration) {
        return error_nomem(err, env->stack->directory, 1);
    }
    if (unit_open(u, err) < 0 || unit_prepare(u, env, err) < 0) {
        return -1;
    }
    return unit_lookup(u, env, err);
}

/* Looks all up; the state of those that the store has is UNIT_DONE. */
static int open_all(struct shared *s, const struct unit_env *env, struct error *err)
{
    s->n = env->stack->shared.n;
    s->programs = calloc(s->n + 1, sizeof *s->programs);
    s->units = calloc(s->n + 1, sizeof *s->units);
    if (!s->programs || !s->units) {
        return error_nomem(err, "compile", s->n * sizeof *s->units);
    }
    for (size_t i = 0; i < s->n; i++) {
        s->units[i].lock = -1;
    }
    for (size_t i = 0; i < s->n; i++) {
        int rc = open_one(s, i, env, err);

        if (rc < 0) {
            return -1;
        }
        s->units[i].state = rc > 0 ? UNIT_DONE : UNIT_WAITING;
    }
    return 0;
}

static int take(const struct shared *s, struct unit_env *env, struct error *err)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct unit *u = &s->units[i];

        if (u->state != UNIT_DONE || !u->object) {
            return error_set(err, u->source, "the runtime and its compilers do not fit: see docs/devices.md",
                             "a source of the simpler runtime does not compile: %.1000s",
                             u->first_output ? u->first_output : "the compiler was stopped");
        }
        args_add(&env->shared, "%s", u->object);
    }
    return args_done(&env->shared, err);
}

static void close_all(struct shared *s)
{
    for (size_t i = 0; s->units && i < s->n; i++) {
        unit_close(&s->units[i]);
    }
    for (size_t i = 0; s->programs && i < s->n; i++) {
        free(s->programs[i].orchestration);
    }
    free(s->units);
    free(s->programs);
}

int shared_units_build(struct unit_env *env, int jobs, bool quiet, struct error *err)
{
    struct build_counts counts = {0};
    struct shared s = {0};
    int rc = 0;

    if (env->shared.n == 0) {
        rc = open_all(&s, env, err);
        if (rc == 0) {
            rc = build_units(s.units, s.n, env, jobs, quiet, &counts, err);
        }
        if (rc == 0) {
            rc = take(&s, env, err);
        }
        close_all(&s);
    }
    return rc;
}
