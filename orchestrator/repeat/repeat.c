#include "orchestrator/repeat/repeat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const struct repeat_place nowhere = {.node = PLAN_NONE};

/* --- opening ------------------------------------------------------------ */

static void find_outputs(struct repeat *r)
{
    for (uint32_t i = 0; i < r->plan->nstorage; i++) {
        const struct plan_storage *s = &r->plan->storages[i];

        r->output_of[i] = PLAN_NONE;
        if (s->kind != PLAN_PARAM || (s->direction == PLAN_IN && !verify_has(r->verify, i))) {
            continue;
        }
        r->output_of[i] = r->noutput;
        r->outputs[r->noutput++] = i;
    }
}

int repeat_open(struct repeat **out, const struct plan *plan, const struct verify *verify, uint32_t wanted,
                struct error *err)
{
    struct repeat *r = calloc(1, sizeof *r);

    *out = r;
    if (!r) {
        return error_nomem(err, "repeat", sizeof *r);
    }
    *r = (struct repeat){.plan = plan, .verify = verify, .wanted = wanted};
    r->outputs = calloc(plan->nstorage + 1u, sizeof *r->outputs);
    r->output_of = calloc(plan->nstorage + 1u, sizeof *r->output_of);
    r->kept = calloc(plan->nstorage + 1u, sizeof *r->kept);
    r->runs = calloc(wanted + 1u, sizeof *r->runs);
    r->groups = calloc(wanted + 1u, sizeof *r->groups);
    r->hashes = calloc(plan->narg + 1u, sizeof *r->hashes);
    if (r->outputs && r->output_of && r->kept && r->runs && r->groups && r->hashes) {
        find_outputs(r);
        return 0;
    }
    repeat_free(r);
    *out = NULL;
    return error_nomem(err, "repeat", wanted * sizeof *r->runs + plan->narg * sizeof *r->hashes);
}

void repeat_free(struct repeat *r)
{
    if (!r) {
        return;
    }
    for (uint32_t i = 0; r->kept && i < r->noutput; i++) {
        free(r->kept[i]);
    }
    for (uint32_t i = 0; r->runs && i < r->nrun; i++) {
        free(r->runs[i].outputs);
    }
    free(r->outputs);
    free(r->output_of);
    free(r->kept);
    free(r->runs);
    free(r->groups);
    free(r->hashes);
    free(r);
}

/* --- comparing ---------------------------------------------------------- */

static uint64_t output_nbytes(const struct repeat *r, uint32_t output)
{
    return r->plan->storages[r->outputs[output]].nbytes;
}

static int keep(struct repeat *r, const struct segment *seg, struct error *err)
{
    for (uint32_t i = 0; i < r->noutput; i++) {
        uint64_t nbytes = output_nbytes(r, i);

        if (!r->kept[i]) {
            r->kept[i] = malloc(nbytes ? nbytes : 1);
        }
        if (!r->kept[i]) {
            return error_nomem(err, plan_text(r->plan, r->plan->storages[r->outputs[i]].name), nbytes);
        }
        memcpy(r->kept[i], segment_storage(seg, r->outputs[i]), nbytes);
    }
    memcpy(r->hashes, seg->hashes, r->plan->narg * sizeof *r->hashes);
    return 0;
}

static void compare_bits(const char *one, const char *other, uint64_t nbytes, size_t element,
                         struct repeat_difference *out)
{
    if (memcmp(one, other, nbytes) == 0) {
        return;
    }
    for (uint64_t at = 0; at + element <= nbytes; at += element) {
        if (memcmp(one + at, other + at, element) == 0) {
            continue;
        }
        if (out->ndiffer++) {
            continue;
        }
        out->first = at / element;
        memcpy(out->one, one + at, element);
        memcpy(out->other, other + at, element);
    }
}

static int compare_outputs(const struct repeat *r, const struct segment *seg, struct repeat_run *run, struct error *err)
{
    struct repeat_difference *differences = calloc(r->noutput + 1u, sizeof *differences);
    bool same = true;

    if (!differences) {
        return error_nomem(err, "repeat", r->noutput * sizeof *differences);
    }
    for (uint32_t i = 0; i < r->noutput; i++) {
        differences[i].node = PLAN_NONE;
        compare_bits(r->kept[i], segment_storage(seg, r->outputs[i]), output_nbytes(r, i),
                     dtype_size(r->plan->storages[r->outputs[i]].dtype), &differences[i]);
        same = same && differences[i].ndiffer == 0;
    }
    if (same) {
        free(differences);
    } else {
        run->outputs = differences;
    }
    return 0;
}

static void note_place(const struct repeat *r, struct repeat_run *run, uint32_t node, uint64_t arg)
{
    const uint32_t storage = r->plan->views[r->plan->args[arg].view].storage;
    const uint32_t output = r->output_of[storage];
    struct repeat_place *place = r->plan->storages[storage].kind == PLAN_WINDOW ? &run->window : &run->tensor;

    if (place->node == PLAN_NONE) {
        *place = (struct repeat_place){node, arg};
    }
    if (run->outputs && output != PLAN_NONE && run->outputs[output].node == PLAN_NONE) {
        run->outputs[output].node = node;
    }
}

static void find_places(const struct repeat *r, const struct segment *seg, struct repeat_run *run)
{
    if (memcmp(r->hashes, seg->hashes, r->plan->narg * sizeof *r->hashes) == 0) {
        return;
    }
    for (uint32_t i = 0; i < r->plan->nnode; i++) {
        const struct plan_node *n = &r->plan->nodes[i];

        for (uint64_t a = n->first_arg; a < n->first_arg + n->narg; a++) {
            if (r->hashes[a] != seg->hashes[a]) {
                note_place(r, run, i, a);
            }
        }
    }
    if (run->window.node != PLAN_NONE && run->window.node >= run->tensor.node) {
        run->window = nowhere;
    }
}

/* --- grouping ----------------------------------------------------------- */

static int hash_outputs(const struct repeat *r, const struct segment *seg, uint64_t hash[2], struct error *err)
{
    XXH128_hash_t *each = calloc(r->noutput + 1u, sizeof *each), all;

    if (!each) {
        return error_nomem(err, "repeat", r->noutput * sizeof *each);
    }
    for (uint32_t i = 0; i < r->noutput; i++) {
        each[i] = XXH3_128bits(segment_storage(seg, r->outputs[i]), output_nbytes(r, i));
    }
    all = XXH3_128bits(each, r->noutput * sizeof *each);
    free(each);
    hash[0] = all.low64;
    hash[1] = all.high64;
    return 0;
}

static int check_references(const struct repeat *r, const struct segment *seg, bool *matches, struct error *err)
{
    *matches = true;
    for (uint32_t i = 0; i < r->noutput && *matches; i++) {
        int rc = verify_matches(r->verify, r->plan, r->outputs[i], segment_storage(seg, r->outputs[i]), err);

        if (rc < 0) {
            return -1;
        }
        *matches = rc;
    }
    return 0;
}

static int join_group(struct repeat *r, const struct segment *seg, struct repeat_run *run, struct error *err)
{
    struct repeat_group *g = &r->groups[r->ngroup];

    *g = (struct repeat_group){.first = r->nrun};
    if (r->nrun > 0 && !run->outputs) { /* those of run 1: nothing to be read again */
        run->group = 0;
    } else if (hash_outputs(r, seg, g->hash, err) < 0) {
        return -1;
    } else {
        for (run->group = 0; run->group < r->ngroup; run->group++) {
            if (memcmp(r->groups[run->group].hash, g->hash, sizeof g->hash) == 0) {
                break;
            }
        }
    }
    if (run->group == r->ngroup) {
        if (check_references(r, seg, &g->matches, err) < 0) {
            return -1;
        }
        r->ngroup++;
    }
    r->groups[run->group].count++;
    return 0;
}

int repeat_take(struct repeat *r, const struct segment *seg, struct error *err)
{
    struct repeat_run run = {.tensor = nowhere, .window = nowhere};

    if (r->nrun == r->wanted) {
        return error_set(err, "repeat", NULL, "there are more runs than were asked for");
    }
    if (r->nrun == 0 && keep(r, seg, err) < 0) {
        return -1;
    }
    if (r->nrun > 0 && compare_outputs(r, seg, &run, err) < 0) {
        return -1;
    }
    if (r->nrun > 0) {
        find_places(r, seg, &run);
    }
    if (join_group(r, seg, &run, err) < 0) {
        free(run.outputs);
        return -1;
    }
    r->runs[r->nrun++] = run;
    return 0;
}

/* --- asking ------------------------------------------------------------- */

uint32_t repeat_current(const struct repeat *r)
{
    return r->nrun < r->wanted ? r->nrun : r->wanted - 1;
}

uint32_t repeat_failed(const struct repeat *r)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < r->ngroup; i++) {
        n += r->groups[i].matches ? 0 : r->groups[i].count;
    }
    return n;
}

bool repeat_is_first_failure(const struct repeat *r)
{
    return r->nrun > 0 && repeat_failed(r) == 1 && !r->groups[r->runs[r->nrun - 1].group].matches;
}

void repeat_name_run(const struct repeat *r, struct error *err)
{
    char name[40];

    snprintf(name, sizeof name, "run %" PRIu32 " of %" PRIu32, r->nrun, r->wanted);
    error_within(err, name);
}

uint32_t repeat_largest(const struct repeat *r)
{
    uint32_t largest = 0;

    for (uint32_t i = 1; i < r->ngroup; i++) {
        if (r->groups[i].count > r->groups[largest].count) {
            largest = i;
        }
    }
    return largest;
}

uint32_t repeat_first_output(const struct repeat *r, uint32_t run)
{
    const struct repeat_difference *d = r->runs[run].outputs;
    uint32_t first = PLAN_NONE;

    for (uint32_t i = 0; i < r->noutput; i++) {
        if (d[i].ndiffer && (first == PLAN_NONE || d[i].node < d[first].node)) {
            first = i;
        }
    }
    return first;
}
