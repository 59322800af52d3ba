#include "rank-worker/cpu/describe.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rank-worker/cpu/thread_state.h"

enum { TRIES = 100, NAP_MS = 2 };
static const uint64_t often_ns = 200000000; /* a row of calls, of which the last is no older, goes on */

static const char *const cores[] = {"aic", "aiv0", "aiv1"};

struct text {
    char *buf;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(text->buf + text->used, text->size - text->used, fmt, ap);
    va_end(ap);
    text->used += n < 0 ? 0 : (size_t)n;
    if (text->used >= text->size) {
        text->used = text->size - 1;
    }
}

static double seconds_since(uint64_t ns)
{
    const uint64_t now = lane_call_now_ns();
    return now > ns ? (double)(now - ns) / 1e9 : 0.0;
}

/* Its thread is in no function that waits.c knows. */
static void put_thread(struct text *text, const struct lane *lane, uint64_t since_ns)
{
    char call[32];
    const pid_t tid = lane->thread ? lane->thread->tid : 0;
    const char state = cpu_thread_state(tid);
    if (state == 'Z') {
        put(text, "has ended its thread without a return");
    } else if (*cpu_thread_syscall(tid, call, sizeof(call))) {
        put(text, "in %s for up to %.1f s", call, seconds_since(since_ns));
    } else {
        put(text, "%s for %.1f s", state == 'R' || state == '?' ? "computing" : "asleep in a system call",
            seconds_since(since_ns));
    }
}

static void put_state(struct text *text, struct lane *lane)
{
    const struct lane_call *c = &lane->call;
    const uint64_t begun = atomic_load(&c->begun_ns);
    if (lane->turn == TURN_NEW || !begun) {
        put(text, "not begun");
        return;
    }
    const bool inside = atomic_load(&c->inside);
    const char *name = atomic_load(&c->name);
    const uint64_t changed = atomic_load(&c->changed_ns);
    const uint32_t count = atomic_load(&c->count);
    if (name && count > 1 && lane_call_now_ns() - changed < often_ns) {
        put(text, "calling %s again and again for %.1f s", name, seconds_since(atomic_load(&c->first_ns)));
    } else if (inside) {
        put(text, "in %s for %.1f s", name, seconds_since(changed));
    } else if (lane->turn == TURN_READY) {
        put(text, "waiting for its turn");
    } else {
        put_thread(text, lane, name ? changed : begun);
    }
}

static void put_task(struct text *text, const struct lane *lane)
{
    const struct task *t = lane->task;
    put(text, "%stask %llu (", text->used ? "\n" : "", (unsigned long long)t->order - 1);
    const char *before = "";
    for (int slot = 0; slot < 3; slot++) {
        const char *name = t->lanes & 1 << slot ? t->kernels[slot]->name : NULL;
        if (name && strcmp(name, before) != 0) {
            put(text, "%s%s", *before ? "+" : "", name);
            before = name;
        }
    }
    put(text, ", block %d", (int)lane->local.block_idx);
    if (lane->local.block_num > 1) {
        put(text, " of %d", (int)lane->local.block_num);
    }
    put(text, "):");
}

/* A mixed block: lanes of it that have ended have no task any more. */
static void put_block(struct text *text, struct lane *lanes, const struct lane *some)
{
    put_task(text, some);
    const char *separator = " ";
    for (int slot = 0; slot < 3; slot++) {
        if (!(some->task->lanes & 1 << slot)) {
            continue;
        }
        put(text, "%s%s ", separator, cores[slot]);
        separator = ", ";
        if (lanes[slot].task == some->task) {
            put_state(text, &lanes[slot]);
        } else {
            put(text, "ended");
        }
    }
}

static void put_cluster(struct text *text, struct lane *lanes)
{
    for (int slot = 0; slot < 3; slot++) {
        if (!lanes[slot].task) {
            continue;
        }
        if (lanes[slot].mixed) {
            put_block(text, lanes, &lanes[slot]);
            return;
        }
        put_task(text, &lanes[slot]);
        put(text, " %s ", cores[slot]);
        put_state(text, &lanes[slot]);
    }
}

/* Not a lock with a limit: waits.c has one of that name. */
static bool lock(struct device *dev)
{
    for (int i = 0; i < TRIES; i++) {
        if (pthread_mutex_trylock(&dev->lock) != EBUSY) {
            return true;
        }
        poll(NULL, 0, NAP_MS);
    }
    return false;
}

void cpu_describe(struct device *dev, char *buf, size_t size)
{
    struct text text = {.buf = buf, .size = size};
    buf[0] = '\0';
    if (!lock(dev)) {
        put(&text, "the device answers nothing");
        return;
    }
    for (size_t c = 0; c < CPU_CLUSTERS; c++) {
        put_cluster(&text, &dev->lanes[3 * c]);
    }
    if (dev->orchestrating) {
        put(&text, "%sthe orchestration of program %s has not ended", text.used ? "\n" : "", dev->program->name);
        if (dev->wait_task) {
            put(&text, "; it waits for task %llu", (unsigned long long)dev->wait_task->order - 1);
        }
    } else if (!text.used && dev->nunfinished) {
        put(&text, "no task runs, and %u are not complete", dev->nunfinished);
    }
    pthread_mutex_unlock(&dev->lock);
}
