#include "orchestrator/profiles/critical_path.h"

#include <stdlib.h>
#include <string.h>

struct place {
    uint64_t start, end;
    uint32_t item, lane;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    if (x->end != y->end) {
        return x->end < y->end ? -1 : 1;
    }
    return x->item < y->item ? -1 : x->item > y->item;
}

/* By lane, within a lane in the order above. */
static int compare_lanes(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->lane != y->lane) {
        return x->lane < y->lane ? -1 : 1;
    }
    return compare_places(a, b);
}

static int precedes(const struct path_item *items, uint32_t a, uint32_t b)
{
    struct place x = {items[a].start, items[a].end, a, 0}, y = {items[b].start, items[b].end, b, 0};

    return compare_places(&x, &y) < 0;
}

int path_bind(const struct path_item *items, size_t n, const struct path_edge *edges, size_t nedge,
              struct path_bind *binds, struct error *err)
{
    struct place *places = malloc((n + 1) * sizeof *places);

    if (!places) {
        return error_nomem(err, "critical path", n * sizeof *places);
    }
    for (uint32_t i = 0; i < n; i++) {
        places[i] = (struct place){items[i].start, items[i].end, i, items[i].lane};
        binds[i] = (struct path_bind){PATH_NONE, PATH_NONE};
    }
    qsort(places, n, sizeof *places, compare_lanes);
    for (size_t i = 1; i < n; i++) {
        if (places[i].lane == places[i - 1].lane) {
            binds[places[i].item].before = places[i - 1].item;
        }
    }
    for (size_t e = 0; e < nedge; e++) {
        uint32_t pred = edges[e].pred, succ = edges[e].succ;
        struct path_bind *bind = &binds[succ];
        /* Following only what comes earlier in one total order is what ends the walk back. */
        if (precedes(items, pred, succ) && (bind->pred == PATH_NONE || items[bind->pred].end < items[pred].end)) {
            bind->pred = pred;
        }
    }
    free(places);
    return 0;
}

uint32_t path_holder(const struct path_item *items, const struct path_bind *bind, enum path_reason *reason)
{
    if (bind->pred != PATH_NONE && (bind->before == PATH_NONE || items[bind->pred].end >= items[bind->before].end)) {
        *reason = PATH_EDGE;
        return bind->pred;
    }
    *reason = bind->before == PATH_NONE ? PATH_FIRST : PATH_LANE;
    return bind->before;
}

int path_critical(const struct path_item *items, size_t n, const struct path_bind *binds, struct path_step **steps,
                  size_t *nstep, struct error *err)
{
    enum path_reason reason;
    uint32_t last = 0, at;
    size_t count = 0;

    *steps = NULL;
    *nstep = 0;
    if (n == 0) {
        return 0;
    }
    for (uint32_t i = 1; i < n; i++) {
        if (items[i].end > items[last].end) {
            last = i;
        }
    }
    for (at = last; at != PATH_NONE; at = path_holder(items, &binds[at], &reason)) {
        count++;
    }
    *steps = calloc(count, sizeof **steps);
    if (!*steps) {
        return error_nomem(err, "critical path", count * sizeof **steps);
    }
    *nstep = count;
    for (at = last; count > 0; count--) {
        struct path_step *step = &(*steps)[count - 1];
        uint32_t holder = path_holder(items, &binds[at], &reason);
        uint64_t from = items[at].start;

        step->item = at;
        step->reason = reason;
        if (holder != PATH_NONE && items[holder].end < from) {
            step->gap = from - items[holder].end;
        } else if (holder != PATH_NONE) {
            from = items[holder].end;
        }
        step->time = items[at].end > from ? items[at].end - from : 0;
        at = holder;
    }
    return 0;
}
