/* Kernel calls, scheduler phases and submits with their times: chip_swimlane_records.json. */
#include <inttypes.h>
#include <time.h>

#include "common/base/clock.h"
#include "rank-worker/cpu/profile/profile_records.h"
#include "rank-worker/cpu/state/kernel_call.h"

enum { LEVEL_DISPATCH = 2, LEVEL_SCHEDULER = 3, LEVEL_ORCHESTRATOR = 4 };

int profile_core(const struct lane *lane)
{
    const int slot = (int)(lane - lane->dev->lanes) % 3;
    return slot == 0 ? lane->cluster : CPU_CLUSTERS + 2 * lane->cluster + slot - 1;
}

/* Under the lock: a block of a task was put on a lane. */
void cpu_profile_dispatched(struct device *dev, struct lane *lane)
{
    struct profile *p = dev->profile;
    lane->run = NULL;
    if (!p->want.swimlane && !p->want.pmu) {
        return;
    }
    struct profile_run *r = profile_alloc(p, &p->shared, sizeof(*r));
    if (!r) {
        return;
    }
    r->task = lane->task->id;
    r->func_id = lane->kernel->func_id;
    r->core = (int16_t)profile_core(lane);
    r->reg = p->nreg[r->core]++;
    r->dispatch_ns = p->want.swimlane >= LEVEL_DISPATCH ? clock_now_ns() : 0;
    CPU_APPEND(p->runs, p->last_run, r);
    lane->run = r;
}

/* Under the lock: `blocks` of the task became ready, or (negative) are so no more. */
void cpu_profile_ready(struct device *dev, const struct task *task, int32_t blocks)
{
    const int which = task->lanes == LANE_AIC ? 0 : task->lanes == LANE_AIV0 ? 1 : 2;
    dev->profile->ready[which] += blocks;
}

/* 0: it cannot be had. */
static uint64_t thread_cpu_ns(void)
{
    struct timespec t;

    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec : 0;
}

/* Without the lock, on the thread that runs it. The thread's clock is read outside of what is timed, since that takes longer than
 * a short kernel; so what it gives is at most the wall time. */
void cpu_profile_call(struct lane *lane, struct profile_run *r, uint64_t receive_ns)
{
    struct profile *p = lane->dev->profile;
    struct profile_thread *thread = &p->threads[profile_thread_index()];
    r->receive_ns = receive_ns;
    r->thread = (int16_t)profile_thread_index();
    if (p->want.pmu) {
        profile_pmu_before(lane->dev, r, thread);
    }
    r->cpu_ns = p->want.swimlane ? thread_cpu_ns() : 0;
    r->start_ns = clock_now_ns();
    cpu_call_kernel(lane);
    r->end_ns = clock_now_ns();
    r->cpu_ns = p->want.swimlane ? thread_cpu_ns() - r->cpu_ns : 0;
    r->cpu_ns = r->cpu_ns < r->end_ns - r->start_ns ? r->cpu_ns : r->end_ns - r->start_ns;
    if (p->want.pmu) {
        profile_pmu_after(lane->dev, r, thread);
    }
}

static struct profile_phase *add_phase(struct profile *p, enum profile_kind kind)
{
    struct profile_thread *t = &p->threads[profile_thread_index()];
    struct profile_phase *phase = profile_alloc(p, &p->shared, sizeof(*phase));
    if (!phase) {
        return NULL;
    }
    phase->kind = kind;
    phase->loop = t->loops;
    CPU_APPEND(t->first, t->last, phase);
    return phase;
}

static void copy_ready(const struct profile *p, int32_t out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = p->ready[i];
    }
}

/* Under the lock: the thread is about to look for what it can start. */
void cpu_profile_look(struct device *dev, struct profile_look *look)
{
    struct profile *p = dev->profile;
    if (p->want.swimlane < LEVEL_SCHEDULER) {
        return;
    }
    p->threads[profile_thread_index()].loops++;
    p->passed = 0;
    copy_ready(p, look->ready);
    look->start_ns = clock_now_ns();
}

/* Under the lock: it has found `lanes`, or nothing. */
void cpu_profile_looked(struct device *dev, const struct profile_look *look, const struct lane *lanes)
{
    struct profile *p = dev->profile;
    if (p->want.swimlane < LEVEL_SCHEDULER) {
        return;
    }
    struct profile_thread *t = &p->threads[profile_thread_index()];
    t->misses += p->passed + (lanes ? 0 : 1);
    if (!lanes) {
        return;
    }
    struct profile_phase *phase = add_phase(p, PHASE_DISPATCH);
    if (!phase) {
        return;
    }
    phase->start_ns = look->start_ns;
    phase->end_ns = clock_now_ns();
    phase->hit = 1;
    phase->miss = t->misses;
    t->misses = 0;
    for (const struct lane *lane = lanes; lane; lane = lane->next) {
        phase->ntask++;
    }
    for (int i = 0; i < 3; i++) {
        phase->shared_start[i] = look->ready[i];
    }
    copy_ready(p, phase->shared_end);
}

void cpu_profile_passed(struct device *dev)
{
    dev->profile->passed++;
}

/* Under the lock, around what follows from the end of a kernel call. */
void cpu_profile_finishing(struct device *dev, struct lane *lane, struct profile_look *look)
{
    struct profile *p = dev->profile;
    struct profile_run *r = lane->run;
    lane->run = NULL;
    if (p->want.swimlane < LEVEL_DISPATCH) {
        return;
    }
    look->start_ns = clock_now_ns();
    copy_ready(p, look->ready);
    if (r) {
        r->finish_ns = look->start_ns;
    }
    p->core_thread[profile_core(lane)] = (int16_t)profile_thread_index();
}

void cpu_profile_finished(struct device *dev, const struct profile_look *look)
{
    struct profile *p = dev->profile;
    struct profile_phase *phase = p->want.swimlane >= LEVEL_SCHEDULER ? add_phase(p, PHASE_COMPLETE) : NULL;
    if (!phase) {
        return;
    }
    phase->start_ns = look->start_ns;
    phase->end_ns = clock_now_ns();
    phase->ntask = 1;
    for (int i = 0; i < 3; i++) {
        phase->shared_start[i] = look->ready[i];
    }
    copy_ready(p, phase->shared_end);
}

/* Under the lock: a task was done without running anything. */
void cpu_profile_not_run(struct device *dev, const struct task *task, bool predicated)
{
    struct profile *p = dev->profile;
    if (p->want.swimlane < LEVEL_SCHEDULER) {
        return;
    }
    struct profile_phase *phase = add_phase(p, predicated ? PHASE_PREDICATED_SKIP : PHASE_DUMMY_TASK);
    if (phase) {
        phase->start_ns = phase->end_ns = clock_now_ns();
        phase->task = task->id;
        phase->ntask = 1;
        copy_ready(p, phase->shared_start);
        copy_ready(p, phase->shared_end);
    }
}

uint64_t cpu_profile_submitting(const struct device *dev)
{
    return dev->profile->want.swimlane >= LEVEL_ORCHESTRATOR ? clock_now_ns() : 0;
}

void cpu_profile_submitted(struct device *dev, uint64_t task, uint64_t index, uint64_t start_ns)
{
    struct profile *p = dev->profile;
    struct profile_submit *s;
    if (p->want.swimlane < LEVEL_ORCHESTRATOR || !(s = profile_alloc(p, &p->own, sizeof(*s)))) {
        return;
    }
    *s = (struct profile_submit){.index = index, .task = task, .start_ns = start_ns, .end_ns = clock_now_ns()};
    CPU_APPEND(p->submits, p->last_submit, s);
}

static void write_metadata(FILE *f, const struct profile *p)
{
    fprintf(f,
            "{\n  \"chip_swimlane_level\": %d,\n  \"metadata\": {\n    \"clock_freq_hz\": 1000000000,\n"
            "    \"num_cores\": %d,\n    \"core_types\": [",
            p->want.swimlane, CPU_LANES);
    for (int i = 0; i < CPU_LANES; i++) {
        fprintf(f, "%s\"%s\"", i ? ", " : "", i < CPU_CLUSTERS ? "aic" : "aiv");
    }
    fputs("],\n    \"core_to_thread\": [", f);
    for (int i = 0; i < CPU_LANES; i++) {
        fprintf(f, "%s%d", i ? ", " : "", p->core_thread[i]);
    }
    fputs("]\n  },\n", f);
}

static void write_runs(FILE *f, const struct profile *p)
{
    const char *between = "";
    fputs("  \"aicore_tasks\": [", f);
    for (const struct profile_run *r = p->runs; r; r = r->next) {
        fprintf(f, "%s\n    [%d, %" PRIu64 ", %u, %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", between, r->core, r->task,
                r->reg, r->start_ns, r->end_ns, r->start_ns - r->receive_ns);
        between = ",";
    }
    between = "";
    fputs("\n  ],\n  \"aicpu_tasks\": [", f);
    for (const struct profile_run *r = p->runs; r && p->want.swimlane >= LEVEL_DISPATCH; r = r->next) {
        fprintf(f, "%s\n    [%d, %u, %" PRIu64 ", %" PRIu64 "]", between, r->core, r->reg, r->dispatch_ns,
                r->finish_ns);
        between = ",";
    }
    between = "";
    fputs("\n  ],\n  \"aicore_task_cpu_ns\": [", f);
    for (const struct profile_run *r = p->runs; r; r = r->next) {
        fprintf(f, "%s%" PRIu64, between, r->cpu_ns);
        between = ", ";
    }
    fputs("]", f);
}

static void write_phase(FILE *f, const struct profile_phase *s)
{
    static const char *const kinds[] = {"dispatch", "complete", "dummy_task", "predicated_skip"};
    fprintf(f,
            "\n      {\"kind\": \"%s\", \"start_cycles\": %" PRIu64 ", \"end_cycles\": %" PRIu64
            ", \"loop_iter\": %u, \"tasks_processed\": %u",
            kinds[s->kind], s->start_ns, s->end_ns, s->loop, s->ntask);
    if (s->kind == PHASE_DISPATCH) {
        fprintf(f, ", \"pop_hit\": %u, \"pop_miss\": %u", s->hit, s->miss);
    } else if (s->kind != PHASE_COMPLETE) {
        fprintf(f, ", \"task_id\": %" PRIu64, s->task);
    }
    fprintf(f, ", \"shared_at_start\": [%d,%d,%d], \"shared_at_end\": [%d,%d,%d]}", s->shared_start[0],
            s->shared_start[1], s->shared_start[2], s->shared_end[0], s->shared_end[1], s->shared_end[2]);
}

/* A list for each thread up to the last that did something. */
static void write_scheduler(FILE *f, const struct profile *p)
{
    int n = PROFILE_THREADS;
    while (n > 1 && !p->threads[n - 1].first) {
        n--;
    }
    fputs(",\n  \"aicpu_scheduler_phases\": [", f);
    for (int i = 0; i < n; i++) {
        fputs(i ? ",\n    [" : "\n    [", f);
        for (const struct profile_phase *s = p->threads[i].first; s; s = s->next) {
            write_phase(f, s);
            fputs(s->next ? "," : "", f);
        }
        fputs("]", f);
    }
    fputs("\n  ]", f);
}

static void write_orchestrator(FILE *f, const struct profile *p)
{
    fputs(",\n  \"aicpu_orchestrator_phases\": [\n    [", f);
    for (const struct profile_submit *s = p->submits; s; s = s->next) {
        fprintf(f,
                "\n      {\"submit_idx\": %" PRIu64 ", \"task_id\": %" PRIu64 ", \"start_cycles\": %" PRIu64
                ", \"end_cycles\": %" PRIu64 "}%s",
                s->index, s->task, s->start_ns, s->end_ns, s->next ? "," : "");
    }
    fputs("]\n  ]", f);
}

int profile_write_swimlane(struct profile *p, struct error *err)
{
    struct file_writer w;
    if (profile_create(p, &w, "chip_swimlane_records.json", err)) {
        return -1;
    }
    write_metadata(w.stream, p);
    write_runs(w.stream, p);
    if (p->want.swimlane >= LEVEL_SCHEDULER) {
        write_scheduler(w.stream, p);
    }
    if (p->want.swimlane >= LEVEL_ORCHESTRATOR) {
        write_orchestrator(w.stream, p);
    }
    fputs("\n}\n", w.stream);
    return file_write_commit(&w, err);
}
