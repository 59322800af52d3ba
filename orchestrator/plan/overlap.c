#include "orchestrator/plan/overlap.h"

#include <string.h>

#include "common/plan/plan_view.h"

/* Take a dimension out of a form, keeping the order of the others. */
static void drop_dim(struct overlap_form *f, uint32_t d)
{
    f->ndim--;
    memmove(&f->count[d], &f->count[d + 1], (f->ndim - d) * sizeof *f->count);
    memmove(&f->stride[d], &f->stride[d + 1], (f->ndim - d) * sizeof *f->stride);
}

/* Innermost dimension first: what repeats a run without a gap makes a longer run; what continues the
 * progression of the dimension inside it makes that one longer. */
static void merge_dims(struct overlap_form *f)
{
    for (uint32_t d = f->ndim; d-- > 0;) {
        uint64_t step, inner;

        if (f->stride[d] <= f->run) {
            f->run += (f->count[d] - 1) * f->stride[d];
            drop_dim(f, d);
            continue;
        }
        if (d + 1 == f->ndim) {
            continue;
        }
        step = f->stride[d] / f->stride[d + 1];
        inner = f->count[d + 1];
        if (f->stride[d] % f->stride[d + 1] == 0 && step <= inner) {
            f->count[d + 1] = inner + (f->count[d] - 1) * step;
            drop_dim(f, d);
        }
    }
}

void overlap_form(const struct plan *p, const struct plan_view *v, struct overlap_form *out)
{
    const struct plan_tensor view = plan_view_tensor(p, v);
    uint64_t element = dtype_size(view.dtype);

    *out = (struct overlap_form){.offset = view.offset, .run = element, .extent = view.nbytes};
    if (out->extent == 0) {
        out->run = 0;
        return;
    }
    for (uint32_t i = 0; i < view.ndim; i++) {
        uint64_t stride = (uint64_t)view.stride[i] * element;
        uint32_t at = out->ndim;

        if (view.shape[i] < 2 || stride == 0) {
            continue;
        }
        for (; at > 0 && out->stride[at - 1] < stride; at--) {
            out->stride[at] = out->stride[at - 1];
            out->count[at] = out->count[at - 1];
        }
        out->stride[at] = stride;
        out->count[at] = (uint64_t)view.shape[i];
        out->ndim++;
    }
    merge_dims(out);
}

/* sum(c[i] * z[i]) in [low, high] with 0 <= z[i] <= u[i]; c positive and descending. */
struct problem {
    uint32_t n;
    int64_t c[2 * PLAN_MAX_DIMS], u[2 * PLAN_MAX_DIMS];
    int64_t budget;
};

/* Some of the terms: from..to-1. */
struct terms {
    uint32_t from, to;
    int64_t reach;   /* greatest value of their sum */
    int64_t divisor; /* greatest common divisor of their c; 0 for no terms */
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

static int64_t mod(int64_t a, int64_t m)
{
    int64_t r = a % m;

    return r < 0 ? r + m : r;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t t = a % b;

        a = b;
        b = t;
    }
    return a;
}

/* Smallest k >= 0 with low <= (a * k) mod m <= high, where 0 <= low <= high < m; -1: none.
 * Euclid's steps on (m, a), so the number of turns is logarithmic. */
static int64_t first_in_range(int64_t a, int64_t m, int64_t low, int64_t high)
{
    int64_t k, j;

    if (low == 0) {
        return 0;
    }
    a = mod(a, m);
    if (a == 0) {
        return -1;
    }
    k = ceil_div(low, a);
    if ((__int128)k * a <= high) {
        return k;
    }
    /* No multiple of a lies in [low, high]: look for the first j with low + m * j .. high + m * j holding one. */
    j = first_in_range(mod(m, a), a, mod(-high, a), mod(-low, a));
    if (j < 0) {
        return -1;
    }
    return (int64_t)(((__int128)m * j + low + a - 1) / a);
}

/* Two terms are left. */
static bool solve_two(int64_t c1, int64_t u1, int64_t c2, int64_t u2, int64_t low, int64_t high)
{
    int64_t from = ceil_div(low - c2 * u2, c1), to = floor_div(high, c1), base, start;

    if (from < 0) {
        from = 0;
    }
    if (to > u1) {
        to = u1;
    }
    if (from > to) {
        return false;
    }
    /* For these z1 the interval left for c2 * z2 meets [0, c2 * u2], so any multiple of c2 in it will do (if the
     * interval sticks out it holds 0 or c2 * u2 itself): (high - c1 * z1) mod c2 <= high - low. */
    if (high - low >= c2 - 1) {
        return true;
    }
    base = mod(high - c1 * from, c2);
    start = mod(-base, c2);
    if (start + (high - low) >= c2) {
        return true;
    }
    base = first_in_range(mod(-c1, c2), c2, start, start + (high - low));
    return base >= 0 && base <= to - from;
}

static struct terms terms_of(const struct problem *p, uint32_t from, uint32_t to)
{
    struct terms t = {.from = from, .to = to};

    for (uint32_t i = from; i < to; i++) {
        t.reach += p->c[i] * p->u[i];
        t.divisor = gcd(p->c[i], t.divisor);
    }
    return t;
}

/* Sums of the coarse terms that can be part of a solution: multiples of their divisor, first..last times. */
static int64_t coarse_sums(const struct terms *coarse, const struct terms *fine, int64_t low, int64_t high,
                           int64_t *first)
{
    const int64_t from = low - fine->reach, to = high < coarse->reach ? high : coarse->reach;
    const int64_t step = coarse->divisor ? coarse->divisor : 1; /* no terms: their sum is 0 */

    *first = ceil_div(from > 0 ? from : 0, step);
    return floor_div(to, step) - *first + 1;
}

static bool solve(struct problem *p, uint32_t from, uint32_t to, int64_t low, int64_t high);

/* Cut the terms in two where that leaves the fewest sums of the coarse ones to try. For the strides of a row-major
 * tensor they are two or three, whatever the sizes, since the fine terms reach little further than one coarse step. */
static bool solve_cut(struct problem *p, uint32_t from, uint32_t to, int64_t low, int64_t high)
{
    int64_t best = INT64_MAX, first = 0;
    uint32_t cut = from + 1;
    struct terms coarse;

    for (uint32_t k = from + 1; k < to; k++) {
        struct terms fine = terms_of(p, k, to);
        int64_t begin, count;

        coarse = terms_of(p, from, k);
        count = coarse_sums(&coarse, &fine, low, high, &begin);
        if (count < best) {
            best = count;
            cut = k;
            first = begin;
        }
    }
    coarse = terms_of(p, from, cut);
    for (int64_t i = 0; i < best; i++) {
        int64_t sum = (first + i) * coarse.divisor;

        if (--p->budget < 0) {
            return true;
        }
        if (solve(p, from, cut, sum, sum) && solve(p, cut, to, low - sum, high - sum)) {
            return true;
        }
    }
    return false;
}

static bool solve(struct problem *p, uint32_t from, uint32_t to, int64_t low, int64_t high)
{
    struct terms t = terms_of(p, from, to);

    if (low > t.reach || high < 0) {
        return false;
    }
    if (low <= 0 || high >= t.reach) {
        return true; /* all terms 0, or all at their greatest */
    }
    if (floor_div(high, t.divisor) * t.divisor < low) {
        return false;
    }
    if (to - from == 1) {
        return true; /* a multiple of c in the interval, and both ends of the range were looked at */
    }
    if (to - from == 2) {
        return solve_two(p->c[from], p->u[from], p->c[from + 1], p->u[from + 1], low, high);
    }
    return solve_cut(p, from, to, low, high);
}

/* Terms whose multiples run on without a gap are one term with more values. True when two were merged. */
static bool merge_one(struct problem *p)
{
    for (uint32_t i = p->n; i-- > 0;) {
        for (uint32_t j = i + 1; j < p->n; j++) {
            int64_t step = p->c[i] / p->c[j];

            if (p->c[i] % p->c[j] != 0 || step > p->u[j] + 1) {
                continue;
            }
            p->u[j] += step * p->u[i];
            p->n--;
            memmove(&p->c[i], &p->c[i + 1], (p->n - i) * sizeof *p->c);
            memmove(&p->u[i], &p->u[i + 1], (p->n - i) * sizeof *p->u);
            return true;
        }
    }
    return false;
}

static void add_term(struct problem *p, uint64_t stride, uint64_t count)
{
    uint32_t at = p->n++;

    for (; at > 0 && p->c[at - 1] < (int64_t)stride; at--) {
        p->c[at] = p->c[at - 1];
        p->u[at] = p->u[at - 1];
    }
    p->c[at] = (int64_t)stride;
    p->u[at] = (int64_t)count - 1;
}

bool overlap_forms(const struct overlap_form *a, const struct overlap_form *b)
{
    struct problem p = {.n = 0, .budget = OVERLAP_BUDGET};
    int64_t low, high;

    if (a->run == 0 || b->run == 0 || a->offset >= b->offset + b->extent || b->offset >= a->offset + a->extent) {
        return false;
    }
    if (a->ndim == 0 && b->ndim == 0) {
        return true;
    }
    /* Byte offsets x of a run of a and y of one of b meet when -(a.run - 1) <= x - y <= b.run - 1. Counting b's
     * indices down from their greatest makes every coefficient positive. */
    low = (int64_t)b->offset - (int64_t)a->offset - (int64_t)(a->run - 1);
    high = (int64_t)b->offset - (int64_t)a->offset + (int64_t)(b->run - 1);
    for (uint32_t i = 0; i < a->ndim; i++) {
        add_term(&p, a->stride[i], a->count[i]);
    }
    for (uint32_t i = 0; i < b->ndim; i++) {
        add_term(&p, b->stride[i], b->count[i]);
    }
    low += (int64_t)(b->extent - b->run);
    high += (int64_t)(b->extent - b->run);
    while (merge_one(&p))
        ;
    return solve(&p, 0, p.n, low, high);
}

bool overlap_views(const struct plan *p, uint32_t view_a, uint32_t view_b)
{
    struct overlap_form a, b;

    if (p->views[view_a].storage != p->views[view_b].storage) {
        return false;
    }
    overlap_form(p, &p->views[view_a], &a);
    overlap_form(p, &p->views[view_b], &b);
    return overlap_forms(&a, &b);
}
