/*
 * hooks - what PTO-ISA's CPU code asks the process while a kernel runs.
 *
 * It finds these two functions by name in the executor's dynamic symbols.
 * docs/formats.md, "Hooks of PTO-ISA".
 */
#include "rank-worker/cpu/internal.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"

uint32_t pto_sim_get_subblock_id(void);
void *pto_sim_get_pipe_shared_state(uint64_t pipe_key, size_t size);

struct pipe_state {
    struct pipe_state *next;
    int cluster;
    uint64_t key;
    size_t size;
    uint64_t dispatch; /* in which it was last zeroed */
    void *memory;
};

static _Thread_local struct lane *running;

void cpu_call_kernel(struct lane *lane)
{
    running = lane;
    lane->kernel->fn(lane->args);
    running = NULL;
}

bool cpu_in_kernel(void)
{
    return running != NULL;
}

uint32_t pto_sim_get_subblock_id(void)
{
    return running ? running->sub_block : 0;
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
    *p = (struct pipe_state){dev->pipes, cluster, key, size, dev->dispatch, memory};
    dev->pipes = p;
    return p;
}

void *pto_sim_get_pipe_shared_state(uint64_t pipe_key, size_t size)
{
    if (!running || size == 0) {
        return NULL;
    }
    struct device *dev = running->dev;
    pthread_mutex_lock(&dev->pipe_lock);
    struct pipe_state *p = find_or_add(dev, running->cluster, pipe_key, size);
    if (p && p->dispatch != dev->dispatch) {
        memset(p->memory, 0, p->size);
        p->dispatch = dev->dispatch;
    }
    pthread_mutex_unlock(&dev->pipe_lock);
    if (!p) {
        log_msg(LOG_ERROR, "kernel %s: no memory for %zu bytes of pipe state", running->kernel->name, size);
        abort();
    }
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
