/* Arguments of tasks before and after they run: args_dump/. Under the lock. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan/dtype.h"
#include "rank-worker/cpu/profile/profile_records.h"

enum { LEVEL_MARKED = 1, LEVEL_HYBRID = 3, GATHER_NBYTES = 4096 };
enum role { ROLE_INPUT, ROLE_OUTPUT, ROLE_INOUT };

/* What a task's dump needs to know beyond the task itself. */
struct task_dump {
    uint64_t marks, ambiguous; /* bit i: argument i, tensors before scalars */
    int32_t kernels[3];
    int nkernel;
    uint8_t tags[L3R_CORE_TENSORS], types[L3R_CORE_SCALARS];
};

struct profile_dump {
    struct profile_dump *next;
    uint64_t task, value, offset, bin_offset, bin_nbytes;
    int32_t kernels[3];
    uint8_t nkernel, index, role, dtype, ndims;
    bool after, scalar, contiguous, ambiguous, truncated;
    uint32_t shapes[L3R_MAX_DIMS], strides[L3R_MAX_DIMS];
};

int profile_args_open(struct profile *p, struct error *err)
{
    return profile_create(p, &p->bin, "args_dump/args.bin", err);
}

void profile_args_task(struct device *dev, struct task *task, const struct l3r_core_args *args)
{
    struct profile *p = dev->profile;
    if (!task->lanes || (p->want.dump_args == LEVEL_MARKED && !args->tail.dump_marks)) {
        return;
    }
    struct task_dump *d = profile_alloc(p, &p->own, sizeof(*d));
    if (!d) {
        return;
    }
    d->marks = args->tail.dump_marks;
    d->ambiguous = args->tail.dump_ambiguous;
    for (int i = 0; i < 3; i++) {
        if (task->kernels[i]) {
            d->kernels[d->nkernel++] = task->kernels[i]->func_id;
        }
    }
    for (uint32_t i = 0; i < task->ntensor; i++) {
        d->tags[i] = (uint8_t)args->tags[i];
    }
    memcpy(d->types, args->scalar_types, sizeof(d->types));
    task->dump = d;
}

static bool write_bin(struct profile *p, const void *bytes, size_t n)
{
    if (!p->bin_failed && fwrite(bytes, 1, n, p->bin.stream) != n) {
        p->bin_failed = true;
        error_errno(&p->bin_error, p->bin.path, file_errno_hint(errno), "cannot write the arguments of a task");
    }
    p->bin_nbytes += p->bin_failed ? 0 : n;
    return !p->bin_failed;
}

/* The elements of dimensions `d` and beyond, in row-major order; runs of a buffer's size at a time. */
static bool gather(struct profile *p, const struct l3r_tensor *t, const uint8_t *at, uint32_t d)
{
    const size_t size = dtype_size((enum dtype)t->dtype);
    const uint64_t step = t->strides[d] * size;
    if (d + 1 < t->ndims) {
        for (uint32_t i = 0; i < t->shapes[d]; i++) {
            if (!gather(p, t, at + i * step, d + 1)) {
                return false;
            }
        }
        return true;
    }
    if (t->strides[d] == 1) {
        return write_bin(p, at, t->shapes[d] * size);
    }
    uint8_t buffer[GATHER_NBYTES];
    size_t n = 0;
    for (uint32_t i = 0; i < t->shapes[d]; i++) {
        memcpy(buffer + n, at + i * step, size);
        n += size;
        if ((n == sizeof(buffer) || i + 1 == t->shapes[d])) {
            if (!write_bin(p, buffer, n)) {
                return false;
            }
            n = 0;
        }
    }
    return true;
}

static uint64_t elements(const uint32_t *shapes, uint32_t ndims)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < ndims; i++) {
        n *= shapes[i];
    }
    return n;
}

/* Bytes of the tensor to the end of args.bin. */
static void write_tensor(struct profile *p, const struct l3r_tensor *t, struct profile_dump *out)
{
    const size_t size = dtype_size((enum dtype)t->dtype);
    const uint8_t *const at = (const uint8_t *)(uintptr_t)t->addr + t->offset * size;
    const uint64_t n = elements(t->shapes, t->ndims) * size;
    if (n == 0 || t->addr == 0) {
        return;
    }
    const bool whole = t->ndims == 0 || out->contiguous ? write_bin(p, at, n) : gather(p, t, at, 0);
    out->bin_nbytes = whole ? n : 0;
    out->truncated = !whole;
}

static struct profile_dump *add_dump(struct profile *p, const struct task *task, const struct task_dump *d,
                                     uint32_t index, enum role role, bool after)
{
    struct profile_dump *out = profile_alloc(p, &p->shared, sizeof(*out));
    if (!out) {
        return NULL;
    }
    out->task = task->id;
    memcpy(out->kernels, d->kernels, sizeof(out->kernels));
    out->nkernel = (uint8_t)d->nkernel;
    out->index = (uint8_t)index;
    out->role = (uint8_t)role;
    out->after = after;
    out->bin_offset = p->bin_nbytes;
    CPU_APPEND(p->dumps, p->last_dump, out);
    p->ndump++;
    return out;
}

static enum role role_of(int tag)
{
    return tag == L3R_TAG_INOUT ? ROLE_INOUT : tag == L3R_TAG_INPUT || tag == L3R_TAG_NO_DEP ? ROLE_INPUT : ROLE_OUTPUT;
}

static bool row_major(const struct l3r_tensor *t)
{
    uint64_t expected = 1;
    for (uint32_t i = t->ndims; i-- > 0;) {
        if (t->shapes[i] != 1 && t->strides[i] != expected) {
            return false;
        }
        expected *= t->shapes[i];
    }
    return true;
}

static bool is_marked(const struct task_dump *d, uint32_t index)
{
    return index < 64 && d->marks >> index & 1;
}

static void dump_tensor(struct profile *p, const struct task *task, uint32_t i, bool after)
{
    const struct task_dump *d = task->dump;
    const struct l3r_tensor *t = &task->tensors[i];
    const enum role role = role_of(d->tags[i]);
    if ((after ? role == ROLE_INPUT : role == ROLE_OUTPUT) || (p->want.dump_args == LEVEL_MARKED && !is_marked(d, i))) {
        return;
    }
    struct profile_dump *out = add_dump(p, task, d, i, role, after);
    if (!out) {
        return;
    }
    out->dtype = t->dtype;
    out->ndims = (uint8_t)t->ndims;
    out->offset = t->offset;
    out->contiguous = row_major(t);
    memcpy(out->shapes, t->shapes, sizeof(out->shapes));
    memcpy(out->strides, t->strides, sizeof(out->strides));
    if (p->want.dump_args != LEVEL_HYBRID || is_marked(d, i)) {
        write_tensor(p, t, out);
    }
}

static void dump_scalar(struct profile *p, const struct task *task, uint32_t i)
{
    const struct task_dump *d = task->dump;
    const uint32_t index = task->ntensor + i;
    if (p->want.dump_args == LEVEL_MARKED && !is_marked(d, index)) {
        return;
    }
    struct profile_dump *out = add_dump(p, task, d, index, ROLE_INPUT, false);
    if (out) {
        out->scalar = out->contiguous = true;
        out->value = task->scalars[i];
        out->dtype = d->types[i];
        out->ambiguous = d->ambiguous >> index & 1;
    }
}

void cpu_profile_args(struct device *dev, const struct task *task, bool after)
{
    struct profile *p = dev->profile;
    if (!task->dump || p->bin_failed) {
        return;
    }
    for (uint32_t i = 0; i < task->ntensor; i++) {
        dump_tensor(p, task, i, after);
    }
    for (uint32_t i = 0; i < task->nscalar && !after; i++) {
        dump_scalar(p, task, i);
    }
}

static void write_list(FILE *f, const uint32_t *values, uint32_t n)
{
    fputc('[', f);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(f, "%s%u", i ? ", " : "", values[i]);
    }
    fputc(']', f);
}

static void write_value(FILE *f, const struct profile_dump *d)
{
    const uint64_t bits = d->value;
    if (d->dtype == DTYPE_FLOAT32) {
        float value;
        memcpy(&value, &bits, sizeof(value));
        fprintf(f, isnan(value) ? "null" : isinf(value) ? value < 0 ? "\"-$Inf\"" : "\"$Inf\"" : "%.9g", (double)value);
    } else if (d->dtype == DTYPE_BOOL) {
        fputs(bits ? "true" : "false", f);
    } else if (d->dtype == DTYPE_INT8 || d->dtype == DTYPE_INT16 || d->dtype == DTYPE_INT32 ||
               d->dtype == DTYPE_INT64) {
        const int shift = 64 - 8 * (int)dtype_size((enum dtype)d->dtype);
        fprintf(f, "%" PRId64, (int64_t)(bits << shift) >> shift);
    } else {
        fprintf(f, "%" PRIu64, bits);
    }
}

static void write_dump(FILE *f, const struct profile_dump *d)
{
    static const char *const roles[] = {"input", "output", "inout"};
    fprintf(f, "    {\"task_id\": \"0x%016" PRIx64 "\", \"func_id\": [", d->task);
    for (int i = 0; i < d->nkernel; i++) {
        fprintf(f, "%s%d", i ? ", " : "", d->kernels[i]);
    }
    fprintf(f, "], \"arg_index\": %d, \"role\": \"%s\", \"stage\": \"%s\", \"kind\": \"%s\", \"dtype\": \"%s\"",
            d->index, roles[d->role], d->after ? "after_completion" : "before_dispatch",
            d->scalar ? "scalar" : "tensor", dtype_runtime_name((enum dtype)d->dtype));
    if (d->scalar) {
        fputs(", \"value\": ", f);
        write_value(f, d);
    }
    fprintf(f, ", \"is_contiguous\": %s, \"shape\": ", d->contiguous ? "true" : "false");
    write_list(f, d->shapes, d->ndims);
    fputs(", \"strides\": ", f);
    write_list(f, d->strides, d->ndims);
    fprintf(f,
            ", \"start_offset\": %" PRIu64 ", \"numel\": %" PRIu64 "%s, \"bin_offset\": %" PRIu64
            ", \"bin_size\": %" PRIu64 ", \"truncated\": %s, \"overwritten\": false}",
            d->offset, elements(d->shapes, d->ndims), d->ambiguous ? ", \"arg_index_ambiguous\": true" : "",
            d->bin_offset, d->bin_nbytes, d->truncated ? "true" : "false");
}

static int in_order(const void *a, const void *b)
{
    const struct profile_dump *x = *(const struct profile_dump *const *)a, *y = *(const struct profile_dump *const *)b;
    if (x->task != y->task) {
        return x->task < y->task ? -1 : 1;
    }
    return x->after != y->after ? x->after - y->after : x->index - y->index;
}

static void write_totals(FILE *f, const struct profile *p, struct profile_dump *const *sorted)
{
    uint64_t roles[3] = {0}, after = 0, truncated = 0;
    for (uint64_t i = 0; i < p->ndump; i++) {
        roles[sorted[i]->role]++;
        after += sorted[i]->after;
        truncated += sorted[i]->truncated;
    }
    fprintf(f,
            "{\n  \"run_dir\": \"args_dump\",\n  \"bin_format\": {\n    \"type\": \"logical_contiguous\",\n"
            "    \"byte_order\": \"little_endian\"\n  },\n  \"dump_args_level\": %d,\n  \"total_args\": %" PRIu64
            ",\n  \"before_dispatch\": %" PRIu64 ",\n  \"after_completion\": %" PRIu64 ",\n",
            p->want.dump_args, p->ndump, p->ndump - after, after);
    fprintf(f,
            "  \"input_args\": %" PRIu64 ",\n  \"output_args\": %" PRIu64 ",\n  \"inout_args\": %" PRIu64
            ",\n  \"truncated_args\": %" PRIu64 ",\n  \"dropped_records\": %" PRIu64 ",\n  \"dropped_overwrite\": 0,\n",
            roles[ROLE_INPUT], roles[ROLE_OUTPUT], roles[ROLE_INOUT], truncated, p->ndropped);
    fprintf(f, "  \"bin_file\": %s,\n  \"args\": [\n", p->has_bin ? "\"args.bin\"" : "null");
}

static int write_manifest(struct profile *p, struct profile_dump **sorted, struct error *err)
{
    struct file_writer w;
    uint64_t n = 0;
    for (struct profile_dump *d = p->dumps; d; d = d->next) {
        sorted[n++] = d;
    }
    qsort(sorted, n, sizeof(*sorted), in_order);
    if (profile_create(p, &w, "args_dump/args_dump.json", err)) {
        return -1;
    }
    write_totals(w.stream, p, sorted);
    for (uint64_t i = 0; i < n; i++) {
        write_dump(w.stream, sorted[i]);
        fputs(i + 1 < n ? ",\n" : "\n", w.stream);
    }
    fputs("  ]\n}\n", w.stream);
    return file_write_commit(&w, err);
}

int profile_write_args(struct profile *p, struct error *err)
{
    if (p->bin_failed) {
        *err = p->bin_error;
        return -1;
    }
    p->has_bin = p->want.dump_args != LEVEL_HYBRID || p->bin_nbytes > 0;
    if (!p->has_bin) {
        file_write_abort(&p->bin);
    } else if (file_write_commit(&p->bin, err)) { /* before the list, which must not name what is not there */
        return -1;
    }
    struct profile_dump **sorted = calloc(p->ndump ? p->ndump : 1, sizeof(*sorted));
    if (!sorted) {
        return error_nomem(err, "args_dump.json", p->ndump * sizeof(*sorted));
    }
    int rc = write_manifest(p, sorted, err);
    free(sorted);
    return rc;
}
