/*
 * hooks - what PTO-ISA's CPU code asks the process while a kernel runs.
 *
 * It finds these two functions by name in the executor's dynamic symbols.
 * docs/formats.md, "Hooks of PTO-ISA".
 */
#include "rank-worker/cpu/hooks.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "rank-worker/cpu/state/kernel_call.h"
#include "rank-worker/cpu/turns.h"

uint32_t pto_sim_get_subblock_id(void);
void *pto_sim_get_pipe_shared_state(uint64_t pipe_key, size_t size);

/* docs/formats.md, "Hooks of PTO-ISA" */
enum { KEY_DIRECTION_SHIFT = 48, KEY_BOTH = 3 };

struct pipe_state {
    struct pipe_state *next;
    int cluster;
    uint64_t key;
    size_t size;
    uint64_t epoch; /* cluster's, in which it was last zeroed */
    void *memory;
};

/* PTO-ISA's lock for atomic adds is a static variable of an inline function: without this symbol each kernel object would
 * have one of its own, and two kernels that add to one tensor would lose updates. Objects bind to the executor's. */
extern pthread_mutex_t _ZZN3pto3cpu14AtomicAddMutexEvE5mutex;
pthread_mutex_t _ZZN3pto3cpu14AtomicAddMutexEvE5mutex = PTHREAD_MUTEX_INITIALIZER;

uint32_t pto_sim_get_subblock_id(void)
{
    const struct lane *lane = cpu_lane_running();
    return lane ? lane->sub_block : 0;
}

static struct pipe_state *find_or_add(struct device *dev, int cluster, uint64_t key, size_t size)
{
    struct pipe_state *p = dev->pipes;
    while (p && !(p->cluster == cluster && p->key == key && p->size >= size)) {
        p = p->next;
    }
    if (p) {
        return p;
    }
    p = calloc(1, sizeof(*p));
    void *memory = calloc(1, size);
    if (!p || !memory) {
        free(p);
        free(memory);
        return NULL;
    }
    *p = (struct pipe_state){dev->pipes, cluster, key, size, dev->clusters[cluster].epoch, memory};
    dev->pipes = p;
    return p;
}

void *pto_sim_get_pipe_shared_state(uint64_t pipe_key, size_t size)
{
    struct lane *lane = cpu_lane_running();
    if (!lane || size == 0) {
        return NULL;
    }
    struct device *dev = lane->dev;
    if (cpu_lane_enter()) { /* each operation on a pipe begins here */
        lane->hands_on = (pipe_key >> KEY_DIRECTION_SHIFT & KEY_BOTH) == KEY_BOTH;
        cpu_turn_point(lane);
    }
    pthread_mutex_lock(&dev->pipe_lock);
    struct pipe_state *p = find_or_add(dev, lane->cluster, pipe_key, size);
    if (p && p->epoch != dev->clusters[lane->cluster].epoch) {
        memset(p->memory, 0, p->size);
        p->epoch = dev->clusters[lane->cluster].epoch;
    }
    pthread_mutex_unlock(&dev->pipe_lock);
    if (!p) {
        log_msg(LOG_ERROR, "kernel %s: no memory for %zu bytes of pipe state", lane->kernel->name, size);
        abort();
    }
    cpu_lane_return(lane);
    return p->memory;
}

void cpu_pipes_free(struct device *dev)
{
    while (dev->pipes) {
        struct pipe_state *p = dev->pipes;
        dev->pipes = p->next;
        free(p->memory);
        free(p);
    }
}
