#include "orchestrator/job/result.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/file.h"
#include "common/base/json_write.h"

enum { RESULT_VERSION = 1 };

static void put_count(struct json_writer *w, cJSON *object, const char *key, uint64_t count)
{
    json_put_number(w, object, key, (double)count);
}

/* --- parts -------------------------------------------------------------- */

static const char *kind_name(enum error_kind kind)
{
    return kind == ERROR_FAIL ? "fail" : kind == ERROR_USAGE ? "usage" : "infra";
}

static void put_error(struct json_writer *w, cJSON *root, const struct error *error)
{
    cJSON *object = json_put_object(w, root, "error");

    json_put_text(w, object, "kind", kind_name(error->kind));
    json_put_text(w, object, "what", error->what);
    json_put_text(w, object, "where", error->where);
    json_put_text(w, object, "hint", error->hint);
}

static void put_target(struct json_writer *w, cJSON *root, const struct result *r)
{
    char seed[24];
    cJSON *list;

    json_put_text(w, root, "build", r->build);
    json_put_text(w, root, "plan", r->plan);
    json_put_text(w, root, "recording", r->recording);
    json_put_text(w, root, "platform", r->platform);
    json_put_text(w, root, "device", r->device);
    if (r->world_size) {
        put_count(w, root, "world_size", r->world_size);
    }
    if (r->ndevice_id) {
        list = json_put_list(w, root, "devices");
        for (uint32_t i = 0; i < r->ndevice_id; i++) {
            json_append_number(w, list, r->device_ids[i]);
        }
    }
    /* A string, because readers of JSON lose digits of large numbers. */
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    json_put_text(w, root, "seed", seed);
    put_count(w, root, "rounds", r->rounds);
}

static void put_times(struct json_writer *w, cJSON *root, const struct result *r)
{
    cJSON *list, *item;

    if (r->nphase) {
        list = json_put_list(w, root, "phases");
        for (size_t i = 0; i < r->nphase; i++) {
            item = json_append_object(w, list);
            json_put_text(w, item, "name", r->phases[i].name);
            json_put_number(w, item, "seconds", r->phases[i].seconds);
        }
    }
    if (r->nstage) {
        list = json_put_list(w, root, "stages");
        for (size_t i = 0; i < r->nstage; i++) {
            item = json_append_object(w, list);
            json_put_text(w, item, "name", r->stages[i].name);
            json_put_number(w, item, "begin_ms", r->stages[i].begin_ms);
            json_put_number(w, item, "end_ms", r->stages[i].end_ms);
        }
    }
    if (!r->ncard) {
        return;
    }
    list = json_put_list(w, root, "cards");
    for (size_t i = 0; i < r->ncard; i++) {
        const struct result_card *c = &r->cards[i];
        item = json_append_object(w, list);
        put_count(w, item, "card", c->card);
        json_put_number(w, item, "device_id", c->device_id);
        json_put_text(w, item, "host", c->host);
        if (c->process != RESULT_NONE) {
            put_count(w, item, "process", c->process);
        }
        put_count(w, item, "dispatches", c->ndispatch);
        put_count(w, item, "start_ns", c->start_ns);
        put_count(w, item, "end_ns", c->end_ns);
        put_count(w, item, "busy_ns", c->busy_ns);
    }
}

static void put_dispatches(struct json_writer *w, cJSON *root, const struct result *r)
{
    cJSON *list = json_put_list(w, root, "dispatches"), *item;

    for (size_t i = 0; i < r->ndispatch && !w->failed; i++) {
        const struct result_dispatch *d = &r->dispatches[i];
        item = json_append_object(w, list);
        put_count(w, item, "node", d->node);
        json_put_text(w, item, "program", d->program);
        put_count(w, item, "card", d->card);
        if (d->k != RESULT_NONE) {
            put_count(w, item, "k", d->k);
        }
        if (d->line) {
            put_count(w, item, "line", d->line);
        }
        put_count(w, item, "round", d->round);
        put_count(w, item, "start_ns", d->start_ns);
        put_count(w, item, "end_ns", d->end_ns);
        put_count(w, item, "wall_ns", d->wall_ns);
        put_count(w, item, "orch_ns", d->orch_ns);
        put_count(w, item, "device_ns", d->device_ns);
        put_count(w, item, "tasks", d->ntasks);
        put_count(w, item, "turns_lost", d->turns_lost);
    }
}

static void put_index(struct json_writer *w, cJSON *item, const struct result_comparison *c, uint64_t flat)
{
    cJSON *index = json_put_list(w, item, "index");
    uint64_t position[PLAN_MAX_DIMS];

    for (uint32_t d = c->ndim; d-- > 0;) {
        position[d] = flat % (uint64_t)c->shape[d];
        flat /= (uint64_t)c->shape[d];
    }
    for (uint32_t d = 0; d < c->ndim; d++) {
        json_append_number(w, index, (double)position[d]);
    }
}

static void put_mismatches(struct json_writer *w, cJSON *object, const struct result_comparison *c)
{
    cJSON *list = json_put_list(w, object, "mismatches"), *item;

    for (uint32_t i = 0; i < c->found.numbers.nshown; i++) {
        item = json_append_object(w, list);
        put_index(w, item, c, c->found.numbers.shown[i].index);
        json_put_number(w, item, "actual", c->found.numbers.shown[i].actual);
        json_put_number(w, item, "expected", c->found.numbers.shown[i].expected);
    }
    item = json_put_object(w, object, "largest");
    put_index(w, item, c, c->found.numbers.max_index);
}

/* By what the output was compared, and what came of it. */
static void put_rule(struct json_writer *w, cJSON *item, const struct result_comparison *c)
{
    const struct compare_rule *rule = &c->rule;

    json_put_bool(w, item, "matches", c->found.verdict.passed);
    if (rule->tol.reldiff > 0) {
        json_put_number(w, item, "reldiff", rule->tol.reldiff);
        json_put_number(w, item, "max_reldiff", c->found.numbers.max_reldiff);
    } else {
        json_put_number(w, item, "rtol", rule->tol.rtol);
        json_put_number(w, item, "atol", rule->tol.atol);
    }
    if (compare_rule_ratio(rule) >= 0) {
        json_put_number(w, item, "max_error_ratio", compare_rule_ratio(rule));
        put_count(w, item, "allowed", c->found.verdict.allowed);
        put_count(w, item, "not_finite", c->found.verdict.not_finite);
    }
    if (rule->valid_rows != COMPARE_ALL_ROWS) {
        json_put_number(w, item, "valid_rows", (double)rule->valid_rows);
        json_put_number(w, item, "valid_axis", rule->valid_axis);
    }
    if (rule->zero_tail) {
        put_count(w, item, "tail_nonzero", c->found.verdict.tail_nonzero);
    }
}

/* Where the elements lie that differ. */
static void put_places(struct json_writer *w, cJSON *item, const struct result_comparison *c)
{
    const struct mismatch_places *p = &c->found.places;
    cJSON *box = json_put_list(w, item, "box"), *group, *entry;

    for (uint32_t d = 0; d < c->ndim; d++) {
        entry = json_append_object(w, box);
        put_count(w, entry, "first", p->low[d]);
        put_count(w, entry, "last", p->high[d]);
    }
    put_count(w, item, "box_elements", p->volume);
    if (p->has_ulps) {
        group = json_put_object(w, item, "ulps");
        for (unsigned i = 0; i < ULP_BUCKETS; i++) {
            put_count(w, group, ulp_bucket_names[i], p->ulps[i]);
        }
    }
    if (!p->has_writers) {
        return;
    }
    group = json_put_list(w, item, "writers");
    for (uint32_t i = 0; i < p->nwriter; i++) {
        entry = json_append_object(w, group);
        if (p->writers[i].node == PLAN_NONE) {
            json_put_null(w, entry, "node");
        } else {
            put_count(w, entry, "node", p->writers[i].node);
        }
        put_count(w, entry, "elements", p->writers[i].written);
        put_count(w, entry, "mismatched", p->writers[i].mismatched);
    }
    put_count(w, item, "other_writers", p->nmore);
}

static void put_comparisons(struct json_writer *w, cJSON *root, const struct result *r)
{
    cJSON *list, *item;

    json_put_number(w, root, "rtol", r->tolerance.rtol);
    json_put_number(w, root, "atol", r->tolerance.atol);
    list = json_put_list(w, root, "comparisons");
    for (size_t i = 0; i < r->ncomparison; i++) {
        const struct result_comparison *c = &r->comparisons[i];
        item = json_append_object(w, list);
        json_put_text(w, item, "parameter", c->parameter);
        json_put_text(w, item, "file", c->file);
        json_put_text(w, item, "dtype", c->dtype);
        if (c->comparator) {
            json_put_text(w, item, "comparator", c->comparator);
            json_put_bool(w, item, "matches", c->matches);
            continue;
        }
        put_count(w, item, "count", c->found.numbers.count);
        put_count(w, item, "mismatched", c->found.numbers.mismatched);
        put_count(w, item, "ignored", c->found.numbers.ignored);
        json_put_number(w, item, "max_abs_error", c->found.numbers.max_abs_error);
        put_rule(w, item, c);
        if (c->found.ties) {
            put_count(w, item, "ties", c->found.ties);
        }
        if (c->found.numbers.nshown) {
            put_mismatches(w, item, c);
        }
        if (c->found.places.mismatched) {
            put_places(w, item, c);
        }
    }
}

static void put_unchecked(struct json_writer *w, cJSON *root, const struct result *r)
{
    cJSON *list, *item;

    put_count(w, root, "compared", r->compared);
    put_count(w, root, "outputs", r->outputs);
    if (!r->nunchecked) {
        return;
    }
    list = json_put_list(w, root, "unchecked");
    for (size_t i = 0; i < r->nunchecked; i++) {
        item = json_append_object(w, list);
        json_put_text(w, item, "parameter", r->unchecked[i].parameter);
        json_put_text(w, item, "why", r->unchecked[i].why);
    }
}

static void put_texts(struct json_writer *w, cJSON *root, const char *key, const char *const *texts, size_t count)
{
    cJSON *list;

    if (!count) {
        return;
    }
    list = json_put_list(w, root, key);
    for (size_t i = 0; i < count; i++) {
        json_append_text(w, list, texts[i]);
    }
}

/* What differs from the last replay of the build. */
static void put_changes(struct json_writer *w, cJSON *root, const struct changes *c)
{
    cJSON *item;

    if (c) {
        item = json_put_object(w, root, "changes");
        json_put_bool(w, item, "compared", c->compared);
        put_texts(w, item, "changed", (const char *const *)c->changed.v, c->changed.n);
        put_texts(w, item, "unknown", (const char *const *)c->unknown.v, c->unknown.n);
    }
}

static void put_pace(struct json_writer *w, cJSON *root, const struct result *r)
{
    cJSON *pace = json_put_object(w, root, "pace");

    json_put_text(w, pace, "mode", r->paced ? "domain" : "free");
    if (r->paced) {
        put_count(w, pace, "opened", r->nopened);
    }
}

static void put_versions_and_notes(struct json_writer *w, cJSON *root, const struct result *r)
{
    cJSON *object;

    if (r->nversion) {
        object = json_put_object(w, root, "versions");
        for (size_t i = 0; i < r->nversion; i++) {
            json_put_text(w, object, r->versions[i].name, r->versions[i].text);
        }
    }
    put_texts(w, root, "notes", r->notes, r->nnote);
    put_texts(w, root, "warnings", r->warnings, r->nwarning);
}

/* ------------------------------------------------------------------------ */

const char *result_verdict_name(enum result_verdict verdict)
{
    static const char *const names[] = {"PASS", "FAIL", "INFRA"};

    return names[verdict];
}

int result_write(const char *path, const struct result *r, struct error *err)
{
    struct json_writer w = {.failed = false};
    cJSON *root = json_new_object(&w);

    put_count(&w, root, "format", RESULT_VERSION);
    json_put_text(&w, root, "result", result_verdict_name(r->verdict));
    json_put_text(&w, root, "marker", r->marker);
    if (r->error) {
        put_error(&w, root, r->error);
    }
    put_target(&w, root, r);
    if (r->repeat) {
        repeat_put_json(&w, root, r->repeat);
    }
    if (r->measured) {
        measured_put_json(&w, root, r->measured);
    }
    if (r->pairs) {
        pairs_put_json(&w, root, r->pairs, r->other_build, r->precision);
    }
    put_pace(&w, root, r);
    put_versions_and_notes(&w, root, r);
    put_changes(&w, root, r->changes);
    put_times(&w, root, r);
    put_unchecked(&w, root, r);
    if (r->ncomparison) {
        put_comparisons(&w, root, r);
    }
    if (r->clock_error_ns == CLOCK_NO_BOUND) {
        json_put_null(&w, root, "clock_error_ns");
    } else if (r->clock_error_ns) {
        put_count(&w, root, "clock_error_ns", r->clock_error_ns);
    }
    if (r->ndispatch) {
        put_dispatches(&w, root, r);
    }
    return json_save(&w, root, path, JSON_NEWLINE, err);
}
