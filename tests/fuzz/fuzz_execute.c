/*
 * Any bytes as a saved plan, and what an executor makes of it: it is refused with a message, or every dispatch is resolved
 * to tensors that a device can be given and that lie in their storages, and every host copy stays in its own.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/plan/sheet.h"
#include "common/segment/segment.h"
#include "orchestrator/plan/edges.h"
#include "orchestrator/plan/saved.h"
#include "rank-worker/executor/card.h"
#include "rank-worker/executor/host_copy.h"

/* More costs time and shows nothing new. */
enum { MAX_FILE = 1 << 14, MAX_NODES = 64, MAX_CARDS = 8, MAX_BYTES = 1 << 20, MAX_COPIED = 1 << 14 };

/* --- a device that looks at what it is given ----------------------------- */

struct device {
    uint32_t nprogram;
};

static const struct segment *segment;

static int open_device(struct device **out, const struct device_config *config, struct error *err)
{
    (void)config;
    *out = calloc(1, sizeof **out);
    return *out ? 0 : error_nomem(err, "device", sizeof **out);
}

static int load_program(struct device *dev, const struct device_program *program, uint32_t *id, struct error *err)
{
    (void)program;
    (void)err;
    *id = dev->nprogram++;
    return 0;
}

static bool is_mapped(const void *at, uint64_t nbytes)
{
    const struct segment_memory *data = &segment->parts[SEGMENT_DATA];
    const char *begin = at;

    return begin >= data->base && nbytes <= data->nbytes && begin <= data->base + (data->nbytes - nbytes);
}

static int add_domain(struct device *dev, const struct device_domain *domain, uint64_t *ctx, struct error *err)
{
    (void)dev;
    (void)err;
    if (domain->nranks > DEVICE_MAX_RANKS || domain->rank >= domain->nranks) {
        abort();
    }
    for (uint32_t i = 0; i < domain->nranks; i++) {
        if (!is_mapped(domain->windows[i], domain->window_nbytes)) {
            abort();
        }
    }
    *ctx = 1;
    return 0;
}

static void check_tensor(const struct device_tensor *t)
{
    uint64_t last = 0;

    if (t->ndim < 1 || t->ndim > DEVICE_MAX_DIMS || t->dtype >= DTYPE_COUNT || !is_mapped(t->addr, t->nbytes)) {
        abort();
    }
    for (uint32_t i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0 || t->stride[i] == 0) {
            abort();
        }
        last += (uint64_t)(t->shape[i] - 1) * t->stride[i];
    }
    /* Sizes that were cut would reach less far than the view. */
    if ((last + 1) * dtype_size(t->dtype) != t->nbytes) {
        abort();
    }
    memset(t->addr, 1, t->nbytes);
}

static int run(struct device *dev, const struct device_dispatch *dispatch, struct device_result *result,
               struct error *err)
{
    (void)err;
    *result = (struct device_result){0};
    if (dispatch->program >= dev->nprogram || dispatch->ntensor > DEVICE_MAX_TENSORS ||
        dispatch->nscalar > DEVICE_MAX_SCALARS) {
        abort();
    }
    for (uint32_t i = 0; i < dispatch->ntensor; i++) {
        check_tensor(&dispatch->tensors[i]);
    }
    return 0;
}

static uint32_t save_profile(struct device *dev)
{
    (void)dev;
    return 0;
}

static void close_device(struct device *dev)
{
    free(dev);
}

static const struct device_ops ops = {.name = "fuzz",
                                      .open = open_device,
                                      .load_program = load_program,
                                      .add_domain = add_domain,
                                      .run = run,
                                      .save_profile = save_profile,
                                      .close = close_device};

/* --- the plan ------------------------------------------------------------ */

static int load(const uint8_t *data, size_t size, struct plan *plan)
{
    struct program_table programs;
    struct error err = {.what = ""};
    char path[64];
    int fd = memfd_create("plan", MFD_CLOEXEC), rc;

    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    rc = saved_plan_load(path, "/build", &programs, plan, &err);
    if (rc && (!err.what[0] || !err.where[0])) {
        abort();
    }
    for (size_t i = 0; rc == 0 && i < programs.count; i++) {
        if (strncmp(programs.items[i].dir, "/build/", 7) != 0) {
            abort();
        }
    }
    program_table_free(&programs);
    close(fd);
    return rc;
}

static bool is_small(const struct plan *p)
{
    uint64_t nbytes = 0;

    if (p->nnode > MAX_NODES || p->world_size > MAX_CARDS) {
        return false;
    }
    for (uint32_t i = 0; i < p->nstorage; i++) {
        if (p->storages[i].nbytes > MAX_BYTES || (nbytes += p->storages[i].nbytes) > MAX_BYTES) {
            return false;
        }
    }
    return true;
}

/* Objects for all programs. */
static char *write_sheet(const struct plan *p)
{
    struct error err;
    struct sheet_writer *w = sheet_writer_new(&err);
    struct program program = {.function_name = "f", .config_name = "c"};

    for (uint32_t i = 0; w && i < p->nprogram; i++) {
        program.name = p->text + p->programs[i];
        if (sheet_write(w, &program, "o", NULL, &err)) {
            abort();
        }
    }
    return w ? sheet_writer_text(w, &err) : NULL;
}

static uint64_t count_elements(const struct plan *p, const struct plan_view *v)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < v->ndim; i++) {
        n *= (uint64_t)p->dims[v->dims + i];
    }
    return n;
}

static void execute(struct segment *seg, const struct sheet *sheet)
{
    struct card *cards[MAX_CARDS] = {NULL};
    struct device_result result;
    struct error err;

    for (uint32_t i = 0; i < seg->plan.world_size; i++) {
        const struct card_config config = {.lane = i, .ncores = 1};

        if (card_open(&cards[i], &ops, seg, &config, sheet, &err)) {
            abort();
        }
    }
    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        const struct plan_node *n = &seg->plan.nodes[i];
        int rc = 0;

        err.what[0] = '\0';
        if (n->kind == PLAN_DISPATCH) {
            rc = card_dispatch(cards[n->lane], n, &result, &err);
        } else if (n->kind == PLAN_COPY &&
                   count_elements(&seg->plan, &seg->plan.views[seg->plan.args[n->first_arg].view]) <= MAX_COPIED) {
            rc = host_copy_run(seg, n, &err);
        }
        if (rc && !err.what[0]) {
            abort();
        }
    }
    for (uint32_t i = 0; i < seg->plan.world_size; i++) {
        card_close(cards[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct segment seg = {0};
    struct sheet sheet = {0};
    struct error err;
    struct plan plan;
    char *text;

    log_set_level(LOG_NULL);
    if (size > MAX_FILE || load(data, size, &plan)) {
        return 0;
    }
    if (is_small(&plan)) {
        text = write_sheet(&plan);
        if (!text || edges_compile(&plan, DEPS_EXACT, &err) || sheet_parse(text, &sheet, &err) ||
            segment_create(&seg, &plan, text, "a2a3sim", &err)) {
            abort();
        }
        segment = &seg;
        execute(&seg, &sheet);
        segment_unmap(&seg);
        sheet_free(&sheet);
        free(text);
    }
    plan_free(&plan);
    return 0;
}
