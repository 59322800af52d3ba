#include "orchestrator/data/element.h"
#include "orchestrator/plan/print_view.h"
#include "orchestrator/repeat/repeat.h"

static void put_count(struct json_writer *w, cJSON *object, const char *key, uint64_t count)
{
    json_put_number(w, object, key, (double)count);
}

/* --- who gave what ------------------------------------------------------ */

static void put_group(struct json_writer *w, cJSON *list, const struct repeat *r, uint32_t group)
{
    cJSON *item = json_append_object(w, list), *runs = json_put_list(w, item, "runs");

    for (uint32_t i = r->groups[group].first; i < r->nrun; i++) {
        if (r->runs[i].group == group) {
            json_append_number(w, runs, i + 1);
        }
    }
    json_put_bool(w, item, "matches", r->groups[group].matches);
}

/* The largest first. */
static void put_groups(struct json_writer *w, cJSON *object, const struct repeat *r)
{
    cJSON *list = json_put_list(w, object, "groups");

    for (uint32_t count = r->nrun; count > 0 && !w->failed; count--) {
        for (uint32_t g = 0; g < r->ngroup; g++) {
            if (r->groups[g].count == count) {
                put_group(w, list, r, g);
            }
        }
    }
}

static void put_failed(struct json_writer *w, cJSON *object, const struct repeat *r)
{
    cJSON *list = json_put_list(w, object, "failed_runs");

    for (uint32_t i = 0; i < r->nrun; i++) {
        if (!r->groups[r->runs[i].group].matches) {
            json_append_number(w, list, i + 1);
        }
    }
}

/* --- how a run differs -------------------------------------------------- */

static void put_place(struct json_writer *w, cJSON *object, const char *key, const struct repeat *r,
                      const struct repeat_place *place)
{
    static const char *const kinds[] = {"dispatch", "copy", "sub"};
    const struct plan_node *n;
    char view[PRINT_VIEW_SIZE];
    cJSON *item;

    if (place->node == PLAN_NONE) {
        return;
    }
    n = &r->plan->nodes[place->node];
    item = json_put_object(w, object, key);
    put_count(w, item, "node", place->node);
    json_put_text(w, item, "kind", kinds[n->kind]);
    if (n->kind == PLAN_DISPATCH) {
        json_put_text(w, item, "program", plan_text(r->plan, r->plan->programs[n->program]));
        put_count(w, item, "card", n->lane);
    }
    if (n->kind == PLAN_SUB) {
        json_put_text(w, item, "name", plan_text(r->plan, r->plan->subs[n->program]));
    }
    if (n->k != PLAN_NONE) {
        put_count(w, item, "k", n->k);
    }
    if (n->line) {
        put_count(w, item, "line", n->line);
    }
    put_count(w, item, "argument", place->arg - n->first_arg);
    json_put_text(w, item, "tensor", print_view(r->plan, r->plan->args[place->arg].view, view, sizeof view));
}

static void put_output(struct json_writer *w, cJSON *list, const struct repeat *r, uint32_t output,
                       const struct repeat_difference *d)
{
    const struct plan_storage *s = &r->plan->storages[r->outputs[output]];
    cJSON *item = json_append_object(w, list), *index, *bits;
    int64_t position[PLAN_MAX_DIMS];
    char text[ELEMENT_BITS_SIZE];
    uint64_t flat = d->first;

    json_put_text(w, item, "parameter", plan_text(r->plan, s->name));
    put_count(w, item, "count", s->nbytes / dtype_size(s->dtype));
    put_count(w, item, "differing", d->ndiffer);
    index = json_put_list(w, item, "index");
    for (uint32_t i = s->ndim; i-- > 0;) {
        position[i] = (int64_t)(flat % (uint64_t)r->plan->dims[s->dims + i]);
        flat /= (uint64_t)r->plan->dims[s->dims + i];
    }
    for (uint32_t i = 0; i < s->ndim; i++) {
        json_append_number(w, index, (double)position[i]);
    }
    json_put_number(w, item, "run_1", dtype_load(s->dtype, d->one));
    json_put_number(w, item, "value", dtype_load(s->dtype, d->other));
    bits = json_put_list(w, item, "bits");
    json_append_text(w, bits, element_bits(s->dtype, d->one, text, sizeof text));
    json_append_text(w, bits, element_bits(s->dtype, d->other, text, sizeof text));
    if (d->node != PLAN_NONE) {
        put_count(w, item, "node", d->node);
    }
}

static void put_run(struct json_writer *w, cJSON *list, const struct repeat *r, uint32_t number)
{
    const struct repeat_run *run = &r->runs[number];
    cJSON *item, *outputs;
    uint32_t first;

    if (!run->outputs && run->tensor.node == PLAN_NONE) {
        return;
    }
    item = json_append_object(w, list);
    put_count(w, item, "run", number + 1);
    if (run->outputs) {
        first = repeat_first_output(r, number);
        outputs = json_put_list(w, item, "outputs");
        put_output(w, outputs, r, first, &run->outputs[first]);
        for (uint32_t i = 0; i < r->noutput; i++) {
            if (i != first && run->outputs[i].ndiffer) {
                put_output(w, outputs, r, i, &run->outputs[i]);
            }
        }
    }
    put_place(w, item, "first", r, &run->tensor);
    put_place(w, item, "window", r, &run->window);
}

void repeat_put_json(struct json_writer *w, cJSON *root, const struct repeat *r)
{
    cJSON *object = json_put_object(w, root, "repeat"), *list;

    put_count(w, object, "wanted", r->wanted);
    put_count(w, object, "runs", r->nrun);
    put_count(w, object, "same", r->nrun ? r->groups[repeat_largest(r)].count : 0);
    put_groups(w, object, r);
    put_failed(w, object, r);
    list = json_put_list(w, object, "differences");
    for (uint32_t i = 1; i < r->nrun && !w->failed; i++) {
        put_run(w, list, r, i);
    }
}
