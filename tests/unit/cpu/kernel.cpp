/* One kernel that does what its scalars say. -DTENSORS=n: how many tensors come before them; -DTAG=n: added to the tag.
 * Scalars: address of struct events, tag, op, a, b. */
#include <sched.h>

#include "kernel_events.h"
#include "intrinsic.h"
#include "tensor.h"

extern "C" __attribute__((weak)) uint32_t pto_sim_get_subblock_id(void);
extern "C" __attribute__((weak)) void *pto_sim_get_pipe_shared_state(uint64_t key, size_t size);

static int64_t add(int64_t *p, int64_t n)
{
    return __atomic_add_fetch(p, n, __ATOMIC_SEQ_CST);
}

static void wait_for(const int64_t *p, int64_t value)
{
    while (__atomic_load_n(p, __ATOMIC_SEQ_CST) < value) {
        sched_yield();
    }
}

static int32_t *element(const ChipTensor *t, uint64_t i)
{
    uint64_t at = t->start_offset;
    for (uint32_t d = t->ndims; d-- > 0;) {
        at += i % t->shapes[d] * t->strides[d];
        i /= t->shapes[d];
    }
    return reinterpret_cast<int32_t *>(t->buffer.addr) + at;
}

static void work(int64_t *args, struct events *events, struct event *e)
{
    const int64_t op = args[TENSORS + 2], a = args[TENSORS + 3], b = args[TENSORS + 4];
    const ChipTensor *first = reinterpret_cast<ChipTensor *>(args[0]);
    const ChipTensor *last = reinterpret_cast<ChipTensor *>(args[TENSORS > 0 ? TENSORS - 1 : 0]);

    if (op == OP_SIGNAL || op == OP_MEET) {
        add(&events->flags[a], 1);
    }
    if (op == OP_WAIT || op == OP_MEET) {
        wait_for(&events->flags[a], b);
    }
    if (op == OP_PIPE) {
        int64_t *counter = static_cast<int64_t *>(pto_sim_get_pipe_shared_state(static_cast<uint64_t>(a), 64));
        add(counter, 1);
        wait_for(counter, b);
        e->pipe = *counter;
    }
    for (uint64_t i = 0; TENSORS > 0 && (op == OP_FILL || op == OP_COPY || op == OP_ADD) && i < first->numel(); i++) {
        if (op == OP_FILL) {
            *element(first, i) = static_cast<int32_t>(a);
        } else if (op == OP_ADD) {
            *element(first, i) += static_cast<int32_t>(a);
        } else {
            *element(last, i) = *element(first, i) + static_cast<int32_t>(a);
        }
    }
}

extern "C" void kernel_entry(int64_t *args)
{
    struct events *events = reinterpret_cast<struct events *>(args[TENSORS]);
    struct event *e = &events->tags[args[TENSORS + 1] + TAG + get_block_idx(args)];

    e->start = add(&events->clock, 1);
    e->block = get_block_idx(args);
    e->nblock = get_block_num(args);
    e->lane = get_sub_block_id(args);
    e->hook_lane = pto_sim_get_subblock_id();
    work(args, events, e);
    add(&e->count, 1);
    e->end = add(&events->clock, 1);
}
