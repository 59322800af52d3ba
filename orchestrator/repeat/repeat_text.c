#include <inttypes.h>

#include "orchestrator/data/element.h"
#include "orchestrator/plan/print_view.h"
#include "orchestrator/repeat/repeat.h"

enum { MOST_SHOWN = 5 }; /* groups that are printed; the result file has all */

typedef bool (*run_filter)(const struct repeat *r, uint32_t run);

static bool is_usual(const struct repeat *r, uint32_t run)
{
    return r->runs[run].group == repeat_largest(r);
}

static bool is_unusual(const struct repeat *r, uint32_t run)
{
    return !is_usual(r, run);
}

static bool is_failed(const struct repeat *r, uint32_t run)
{
    return !r->groups[r->runs[run].group].matches;
}

/* "runs 1-3, 7", or "run 7". */
static void print_runs(FILE *f, const struct repeat *r, run_filter wanted)
{
    const char *between = " ";
    uint32_t count = 0;

    for (uint32_t i = 0; i < r->nrun; i++) {
        count += wanted(r, i);
    }
    fputs(count == 1 ? "run" : "runs", f);
    for (uint32_t i = 0; i < r->nrun; i++) {
        uint32_t from = i;

        if (!wanted(r, i)) {
            continue;
        }
        while (i + 1 < r->nrun && wanted(r, i + 1)) {
            i++;
        }
        fprintf(f, "%s%" PRIu32, between, from + 1);
        if (i > from) {
            fprintf(f, "%s%" PRIu32, i == from + 1 ? ", " : "-", i + 1);
        }
        between = ", ";
    }
}

static void print_counts(FILE *f, const struct repeat *r)
{
    const uint32_t same = r->groups[repeat_largest(r)].count;

    if (r->nrun < r->wanted) {
        fprintf(f, "%" PRIu32 " of %" PRIu32 " runs came to their end\n", r->nrun, r->wanted);
    }
    if (r->nrun == 1) { /* there is nothing to compare it with */
        return;
    }
    if (same == 1) {
        fprintf(f, "no two of %" PRIu32 " runs gave the same bits\n", r->nrun);
        return;
    }
    fprintf(f, "%" PRIu32 " of %" PRIu32 " runs gave the same bits", same, r->nrun);
    if (same < r->nrun) {
        fputs(" (", f);
        print_runs(f, r, is_usual);
        fputs("); ", f);
        print_runs(f, r, is_unusual);
        fputs(" gave others", f);
    }
    fputc('\n', f);
}

static void print_difference(FILE *f, const struct repeat *r, uint32_t run)
{
    const uint32_t output = repeat_first_output(r, run), storage = r->outputs[output];
    const struct repeat_difference *d = &r->runs[run].outputs[output];
    const struct plan_storage *s = &r->plan->storages[storage];
    char index[ELEMENT_INDEX_SIZE], one[ELEMENT_VALUE_SIZE], other[ELEMENT_VALUE_SIZE];
    char one_bits[ELEMENT_BITS_SIZE], other_bits[ELEMENT_BITS_SIZE];
    const char *between = "; other outputs that differ: ";

    fprintf(
        f, "run %" PRIu32 " against run 1: %s%s is %s (%s) and was %s (%s); %" PRIu64 " of %" PRIu64 " elements differ",
        run + 1, plan_text(r->plan, s->name), element_index(r->plan, storage, d->first, index, sizeof index),
        element_value(s->dtype, d->other, other, sizeof other),
        element_bits(s->dtype, d->other, other_bits, sizeof other_bits),
        element_value(s->dtype, d->one, one, sizeof one), element_bits(s->dtype, d->one, one_bits, sizeof one_bits),
        d->ndiffer, s->nbytes / dtype_size(s->dtype));
    for (uint32_t i = 0; i < r->noutput; i++) {
        if (i == output || !r->runs[run].outputs[i].ndiffer) {
            continue;
        }
        fprintf(f, "%s%s", between, plan_text(r->plan, r->plan->storages[r->outputs[i]].name));
        between = ", ";
    }
    fputc('\n', f);
}

/* "dispatch 5 (scale on card 1, host_orch.py:26), rank1/d1: argument 1, scaled[3, :]" */
static void print_place(FILE *f, const struct repeat *r, const struct repeat_place *place)
{
    const struct plan_node *n = &r->plan->nodes[place->node];
    char label[256], view[PRINT_VIEW_SIZE];

    fputs(plan_node_label(r->plan, place->node, label, sizeof label), f);
    if (n->kind == PLAN_DISPATCH && n->k != PLAN_NONE) {
        fprintf(f, ", rank%" PRIu32 "/d%" PRIu32, n->lane, n->k);
    }
    fprintf(f, ": argument %" PRIu64 ", %s", place->arg - n->first_arg,
            print_view(r->plan, r->plan->args[place->arg].view, view, sizeof view));
}

static void print_places(FILE *f, const struct repeat *r, const struct repeat_run *run)
{
    if (run->window.node != PLAN_NONE) {
        fputs("  a window differed after ", f);
        print_place(f, r, &run->window);
        fputs(" (other cards write there too, at any time)\n", f);
    }
    if (run->tensor.node == PLAN_NONE) {
        if (run->outputs) {
            fputs("  no tensor differed when the node that writes it ended: something else wrote there\n", f);
        }
        return;
    }
    fputs("  other bits from here on: ", f);
    print_place(f, r, &run->tensor);
    fputc('\n', f);
}

/* Runs that differ, but not in their outputs. */
static bool is_hidden(const struct repeat *r, uint32_t run)
{
    return run > 0 && !r->runs[run].outputs && r->runs[run].tensor.node != PLAN_NONE;
}

static void print_hidden(FILE *f, const struct repeat *r)
{
    uint32_t first = 0, count = 0;

    for (uint32_t i = r->nrun; i-- > 0;) {
        if (is_hidden(r, i)) {
            first = i;
            count++;
        }
    }
    if (!count) {
        return;
    }
    print_runs(f, r, is_hidden);
    fputs(" gave the outputs of run 1, but other bits on the way", f);
    if (count > 1) {
        fprintf(f, "; run %" PRIu32 " (--result FILE.json has all)", first + 1);
    }
    fputs(":\n", f);
    print_places(f, r, &r->runs[first]);
}

void repeat_print(FILE *f, const struct repeat *r)
{
    uint32_t failed = repeat_failed(r);

    if (r->nrun == 0) {
        return;
    }
    print_counts(f, r);
    for (uint32_t g = 1; g < r->ngroup && g <= MOST_SHOWN; g++) {
        print_difference(f, r, r->groups[g].first);
        print_places(f, r, &r->runs[r->groups[g].first]);
    }
    if (r->ngroup > MOST_SHOWN + 1) {
        fprintf(f, "and %" PRIu32 " more different outcomes; --result FILE.json has them all\n",
                r->ngroup - MOST_SHOWN - 1);
    }
    print_hidden(f, r);
    if (failed) {
        fprintf(f, "%" PRIu32 " of %" PRIu32 " runs did not match what was expected: ", failed, r->nrun);
        print_runs(f, r, is_failed);
        fputc('\n', f);
    }
}
