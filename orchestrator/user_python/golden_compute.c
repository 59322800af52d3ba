#include "orchestrator/user_python/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "orchestrator/user_python/golden_inputs.h"
#include "orchestrator/user_python/golden_state.h"
#include "orchestrator/user_python/segment_json.h"
#include "orchestrator/user_python/shared_file.h"

struct computing {
    struct golden *g;
    const struct segment *seg;
    const struct golden_scalar *scalars;
    size_t nscalar;
    const char **wanted; /* names of parameters, in the order of storages */
    size_t nwanted;
};

/* Does __outputs__ leave the parameter out? */
static bool is_left_out(const struct golden *g, const char *param)
{
    for (size_t i = 0; g->has_outputs && i < g->outputs.n; i++) {
        const struct build_param *p = build_find_param(g->build, g->outputs.v[i], NULL);

        if (p && strcmp(p->name, param) == 0) {
            return false;
        }
    }
    return g->has_outputs;
}

static void choose(struct computing *c, const bool *lacking)
{
    const struct plan *plan = &c->seg->plan;

    for (uint32_t i = 0; i < plan->nstorage; i++) {
        const char *name = plan_text(plan, plan->storages[i].name);

        if (plan->storages[i].kind == PLAN_PARAM && lacking[i] && !is_left_out(c->g, name)) {
            c->wanted[c->nwanted++] = name;
        }
    }
}

/* All that compute_golden() can see. */
static struct key compute_key(const struct computing *c, struct hasher *h)
{
    const struct plan *plan = &c->seg->plan;

    hasher_text(h, "golden");
    hasher_key(h, c->g->content);
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        const struct plan_storage *s = &plan->storages[i];
        const uint32_t dtype = s->dtype;

        if (s->kind == PLAN_PARAM) {
            hasher_text(h, plan_text(plan, s->name));
            hasher_bytes(h, &dtype, sizeof dtype);
            hasher_bytes(h, plan->dims + s->dims, s->ndim * sizeof *plan->dims);
            hasher_bytes(h, segment_storage((struct segment *)c->seg, i), s->nbytes);
        }
    }
    for (size_t i = 0; i < c->nscalar; i++) {
        hasher_text(h, c->scalars[i].param);
        hasher_text(h, c->scalars[i].text);
    }
    for (size_t i = 0; i < c->nwanted; i++) {
        hasher_text(h, c->wanted[i]);
    }
    return hasher_end(h);
}

static char *compute_request(struct computing *c, const char *data_path, struct error *err)
{
    const struct plan *plan = &c->seg->plan;
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *list, *item;
    char name[512];

    json_put_string(&w, root, "op", "golden");
    json_put_string(&w, root, "file", c->g->path);
    list = json_put_list(&w, root, "tensors");
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        if (plan->storages[i].kind == PLAN_PARAM) {
            golden_name(c->g, plan_text(plan, plan->storages[i].name), name, sizeof name);
            segment_json_storage(&w, list, c->seg, i, name, data_path);
        }
    }
    list = json_put_list(&w, root, "scalars");
    for (size_t i = 0; i < c->nscalar; i++) {
        const struct build_param *p = build_find_param(c->g->build, c->scalars[i].param, NULL);

        if (p) {
            segment_json_scalar(&w, list, p, golden_name(c->g, p->name, name, sizeof name), c->scalars[i].text);
        }
    }
    list = json_put_list(&w, root, "outputs");
    for (size_t i = 0; i < c->nwanted; i++) {
        if (golden_set_add(&c->g->references, c->wanted[i], err) < 0) {
            cJSON_Delete(root);
            return NULL;
        }
        item = json_append_object(&w, list);
        json_put_string(&w, item, "name", golden_name(c->g, c->wanted[i], name, sizeof name));
        json_put_string(&w, item, "path", c->g->references.files[i].file);
    }
    return json_finish_line(&w, root, c->g->label, err);
}

static bool has_needed(const struct golden *g)
{
    for (uint32_t i = 0; i < g->build->nparam; i++) {
        if (g->needed[i]) {
            return true;
        }
    }
    return false;
}

/* Where generate_inputs() was called for an earlier replay it is called again: compute_golden() may use what it left. */
static int run(struct computing *c, struct error *err)
{
    struct golden *g = c->g;
    char *path = shared_file_path(c->seg->parts[SEGMENT_DATA].fd, err), *request = NULL;
    struct json_source src;
    cJSON *answer = NULL;
    int rc = -1;

    if (path && golden_load(g, err) == 0 && (!has_needed(g) || golden_generate(g, err) == 0)) {
        request = compute_request(c, path, err);
    }
    if (request) {
        answer = user_session_ask(g->python, request, g->label, "compute_golden of golden.py", &src, err);
    }
    if (answer) {
        rc = golden_take_files(g, &src, answer);
    }
    cJSON_Delete(answer);
    free(path);
    return rc;
}

static int compute(struct computing *c, struct error *err)
{
    const int64_t begun = clock_now_ms();
    struct golden *g = c->g;
    struct hasher *h = hasher_new();
    struct golden_entry e;
    struct key key;
    int rc;

    if (!h) {
        return error_nomem(err, g->label, 512);
    }
    key = compute_key(c, h);
    if (golden_set_make(&g->references, c->nwanted, err) < 0) {
        return -1;
    }
    if (!g->options.fresh && golden_cache_find(&g->cache, key, c->nwanted, &e)) {
        rc = golden_set_take(&g->references, &e, c->wanted, err);
        args_add_all(&g->files, (const char *const *)e.files.v, e.files.n);
        args_sort_unique(&g->files);
        golden_entry_free(&e);
        log_msg(LOG_TIMING, "golden.py: references as kept from an earlier run");
        return rc;
    }
    if (run(c, err) < 0) {
        return -1;
    }
    log_msg(LOG_TIMING, "golden.py: references in %lld ms", (long long)(clock_now_ms() - begun));
    golden_cache_keep(&g->cache, key, "{}", &g->files, g->references.fds, c->nwanted);
    return 0;
}

int golden_compute(struct golden *g, const struct segment *seg, const bool *lacking,
                   const struct golden_scalar *scalars, size_t nscalar, struct error *err)
{
    struct computing c = {.g = g, .seg = seg, .scalars = scalars, .nscalar = nscalar};
    int rc = 0;

    c.wanted = calloc(seg->plan.nstorage + 1u, sizeof *c.wanted);
    if (!c.wanted) {
        return error_nomem(err, g->label, seg->plan.nstorage * sizeof *c.wanted);
    }
    if (!g->inputs.files && golden_make_inputs(g, 0, err) < 0) { /* what __outputs__ says */
        rc = -1;
    }
    if (rc == 0) {
        choose(&c, lacking);
        rc = c.nwanted ? compute(&c, err) : 0;
    }
    user_session_close(g->python); /* nothing of it is left while the plan runs */
    g->python = NULL;
    free(c.wanted);
    return rc;
}
