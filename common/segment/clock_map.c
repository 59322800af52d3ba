#include "common/segment/clock_map.h"

static const int64_t billion = 1000000000;

/* a - b of clocks: their difference has a sign, and fits. */
static int64_t minus(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* What a clock that is off by `ppb` is off by after `ns`, rounded up. */
static uint64_t apart(uint64_t ns, int64_t ppb)
{
    return (uint64_t)(((unsigned __int128)ns * (uint64_t)ppb + (uint64_t)billion - 1) / (uint64_t)billion);
}

/* Towards minus infinity, so that a line of such quotients never falls. */
static __int128 floor_div(__int128 a, __int128 b)
{
    __int128 q = a / b;

    return q * b > a ? q - 1 : q;
}

static uint64_t clamp(__int128 ns)
{
    return ns<0 ? 0 : ns>(__int128) UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > CLOCK_NO_BOUND - b ? CLOCK_NO_BOUND : a + b;
}

static const struct clock_sample *quickest(const struct clock_sample *samples, size_t n)
{
    const struct clock_sample *best = NULL;

    for (size_t i = 0; i < n; i++) {
        if (samples[i].received_ns >= samples[i].sent_ns &&
            (!best || samples[i].received_ns - samples[i].sent_ns < best->received_ns - best->sent_ns)) {
            best = &samples[i];
        }
    }
    return best;
}

int clock_point_of(const struct clock_sample *samples, size_t n, struct clock_point *point)
{
    const struct clock_sample *best = quickest(samples, n);
    int64_t low, high;

    if (!best) {
        return -1;
    }
    low = minus(best->sent_ns, best->stamp_ns);
    high = minus(best->received_ns, best->stamp_ns);
    for (size_t i = 0; i < n; i++) {
        const struct clock_sample *s = &samples[i];
        /* The offset moved between this sample and the best one by no more than this: so the true offset at the best
         * one stays inside, whatever the drift. */
        int64_t wide = (int64_t)apart(distance(s->stamp_ns, best->stamp_ns), CLOCK_MOST_DRIFT_PPB);
        if (s->received_ns < s->sent_ns) {
            continue;
        }
        if (minus(s->sent_ns, s->stamp_ns) - wide > low) {
            low = minus(s->sent_ns, s->stamp_ns) - wide;
        }
        if (minus(s->received_ns, s->stamp_ns) + wide < high) {
            high = minus(s->received_ns, s->stamp_ns) + wide;
        }
    }
    if (low > high) { /* no clock drifts like that; one sample says the truth about its own moment in any case */
        low = minus(best->sent_ns, best->stamp_ns);
        high = minus(best->received_ns, best->stamp_ns);
    }
    point->at_ns = best->stamp_ns;
    point->offset_ns = low + (high - low) / 2;
    point->error_ns = (uint64_t)(high - point->offset_ns) + 1; /* clocks are read in whole ns */
    return 0;
}

/* Process 0's clock at a point. */
static __int128 root_at(const struct clock_point *p)
{
    return (__int128)p->at_ns + p->offset_ns;
}

int clock_map_make(struct clock_map *map, const struct clock_point *before, const struct clock_point *after,
                   struct error *err)
{
    uint64_t between, most;
    int64_t moved;

    *map = (struct clock_map){.kind = CLOCK_ONE_POINT, .points = {*before}};
    if (!after) {
        return 0;
    }
    between = after->at_ns > before->at_ns ? after->at_ns - before->at_ns : 0;
    moved = after->offset_ns - before->offset_ns;
    most = add(add(before->error_ns, after->error_ns), apart(between, CLOCK_MOST_DRIFT_PPB));
    if (between == 0 || root_at(after) < root_at(before) || (uint64_t)(moved < 0 ? -moved : moved) > most) {
        return error_set(err, NULL, "replay again, when nothing sets the clocks of the hosts",
                         "the clock moved by %.6f s against that of process 0 in %.6f s: it was set or stood still",
                         (double)moved / 1e9, (double)between / 1e9);
    }
    map->kind = CLOCK_TWO_POINTS;
    map->points[1] = *after;
    return 0;
}

uint64_t clock_map_to_root(const struct clock_map *map, uint64_t ns)
{
    const struct clock_point *a = &map->points[0], *b = &map->points[1];

    if (map->kind == CLOCK_SHARED) {
        return ns;
    }
    if (map->kind != CLOCK_TWO_POINTS) {
        return clamp((__int128)ns + a->offset_ns);
    }
    return clamp(root_at(a) + floor_div((root_at(b) - root_at(a)) * minus(ns, a->at_ns), minus(b->at_ns, a->at_ns)));
}

/* Between the points the line's error is between theirs, and a deviation of the rate from its mean is undone before
 * the other one. Outside, the slope itself may be wrong by what both points may be. */
static uint64_t line_error(const struct clock_point *a, const struct clock_point *b, uint64_t ns)
{
    uint64_t length = b->at_ns - a->at_ns, from_a = distance(ns, a->at_ns), from_b = distance(ns, b->at_ns);
    uint64_t near = from_a < from_b ? from_a : from_b;
    const struct clock_point *edge = from_a < from_b ? a : b;
    unsigned __int128 error;

    if (ns >= a->at_ns && ns <= b->at_ns) {
        error = ((unsigned __int128)a->error_ns * from_b + (unsigned __int128)b->error_ns * from_a) / length;
    } else {
        error = edge->error_ns + ((unsigned __int128)a->error_ns + b->error_ns) * near / length;
    }
    /* Two for rounding: of this, and of the line. */
    return add(clamp((__int128)error), add(apart(near, CLOCK_WANDER_PPB), 2));
}

uint64_t clock_map_error(const struct clock_map *map, uint64_t ns)
{
    const struct clock_point *a = &map->points[0];

    switch (map->kind) {
    case CLOCK_SHARED:
        return 0;
    case CLOCK_ONE_POINT:
        return add(a->error_ns, apart(distance(ns, a->at_ns), CLOCK_MOST_DRIFT_PPB));
    case CLOCK_TWO_POINTS:
        return line_error(a, &map->points[1], ns);
    case CLOCK_UNALIGNED:
        break;
    }
    return CLOCK_NO_BOUND;
}

uint64_t clock_map_worst_error(const struct clock_map *map, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t worst = clock_map_error(map, from_ns), other = clock_map_error(map, to_ns), middle;

    worst = other > worst ? other : worst;
    if (map->kind != CLOCK_TWO_POINTS) {
        return worst;
    }
    /* The bound is made of straight pieces that rise to the middle between the points. */
    middle = map->points[0].at_ns + (map->points[1].at_ns - map->points[0].at_ns) / 2;
    other = middle > from_ns && middle < to_ns ? clock_map_error(map, middle) : 0;
    /* Its parts are rounded apart, so beside a corner it may step by that. */
    return add(other > worst ? other : worst, 2);
}

int64_t clock_map_drift_ppb(const struct clock_map *map)
{
    const struct clock_point *a = &map->points[0], *b = &map->points[1];

    if (map->kind != CLOCK_TWO_POINTS) {
        return 0;
    }
    return (int64_t)floor_div((__int128)(b->offset_ns - a->offset_ns) * billion, minus(b->at_ns, a->at_ns));
}
