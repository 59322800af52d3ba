/* The exchange: identities to process 0, then its questions, one process after the other. */
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "orchestrator/clocks/job_clocks.h"
#include "orchestrator/messages/mpi_message.h"
#include "topology/placement.h"

enum { SAMPLES = 40, LIMIT_S = 10, TAG_IDENTITY = 1701, TAG_QUESTION, TAG_ANSWER };

/* Waits come to this for process 0; the others may have to wait until it is through with each other. */
static uint64_t limit_ns(int times)
{
    return clock_now_ns() + (uint64_t)times * LIMIT_S * 1000000000u;
}

/* --- process 0 ---------------------------------------------------------- */

static int put(struct job_clocks_process *p, int process, struct job_clocks_message message, uint64_t deadline,
               struct error *err)
{
    int rc;

    if (p->deaf) {
        return 1;
    }
    p->out = message;
    rc = mpi_message_send(&p->out, sizeof p->out, process, TAG_QUESTION, deadline, err);
    p->deaf = rc != 0;
    return rc;
}

/* What a process answered in earlier rounds, too late for them, is read and dropped. */
static int take_identity(struct job_clocks_process *p, int process, uint32_t round, uint64_t deadline,
                         struct error *err)
{
    struct job_clock_identity own;
    int rc;

    do {
        rc = mpi_message_receive(&own, sizeof own, process, TAG_IDENTITY, deadline, false, err);
    } while (rc == 0 && own.round != round);
    if (rc == 0) {
        p->own = own;
    }
    return rc;
}

static int ask(struct job_clocks_process *p, int process, struct job_clocks_message question, uint64_t deadline,
               struct clock_sample *sample, struct error *err)
{
    struct job_clocks_message answer;
    int rc;

    sample->sent_ns = clock_now_ns();
    rc = put(p, process, question, deadline, err);
    while (rc == 0) {
        rc = mpi_message_receive(&answer, sizeof answer, process, TAG_ANSWER, deadline, true, err);
        sample->received_ns = clock_now_ns();
        if (rc == 0 && answer.round == question.round && answer.number == question.number) {
            break;
        }
    }
    sample->stamp_ns = rc == 0 ? answer.stamp_ns : 0;
    return rc;
}

static int measure(struct job_clocks_process *p, int process, uint32_t round, uint64_t deadline, struct error *err)
{
    struct clock_sample samples[SAMPLES];
    struct clock_point point;
    size_t n = 0;
    int rc = 0;

    while (n < SAMPLES && rc == 0) {
        rc = ask(p, process, (struct job_clocks_message){round, (int32_t)n, 0}, deadline, &samples[n], err);
        n += rc == 0;
    }
    if (clock_point_of(samples, n, &point) < 0) {
        return rc ? rc : 1;
    }
    log_msg(LOG_DEBUG, "clock of process %d: %.9f s from ours, within %llu ns", process, (double)point.offset_ns / 1e9,
            (unsigned long long)point.error_ns);
    p->points[p->npoint ? 1 : 0] = point;
    p->npoint += p->npoint < 2;
    return 0;
}

static bool has_cards(const struct job_clocks *clocks, uint32_t process)
{
    uint32_t first, count;

    placement_block(clocks->world_size, clocks->size, process, &first, &count);
    return count > 0;
}

static void report_unmeasured(const struct job_clocks *clocks, uint32_t process, int rc, const struct error *err)
{
    if (!has_cards(clocks, process)) {
        return;
    }
    if (rc > 0) {
        log_msg(LOG_WARN, "the clock of process %u could not be aligned: it did not answer within %d s", process,
                LIMIT_S);
    } else {
        log_msg(LOG_WARN, "the clock of process %u could not be aligned: %s", process, err->what);
    }
}

static bool all_share(const struct job_clocks *clocks)
{
    for (uint32_t p = 1; p < clocks->size; p++) {
        if (strcmp(clocks->processes[p].own.identity, clocks->processes[0].own.identity) != 0) {
            return false;
        }
    }
    return true;
}

int job_clocks_measure(struct job_clocks *clocks, const struct mpi_job *job, struct error *err)
{
    struct order order = {.kind = ORDER_CLOCKS, .round = ++clocks->round};
    uint64_t deadline = limit_ns(1);
    struct error fault;

    if (all_share(clocks)) {
        return 0;
    }
    memcpy(order.clock, clocks->processes[0].own.identity, sizeof order.clock);
    if (mpi_job_share(job, &order, sizeof order, err) < 0) {
        return -1;
    }
    for (uint32_t p = 1; p < clocks->size; p++) {
        int rc = take_identity(&clocks->processes[p], (int)p, order.round, deadline, &fault);
        if (rc) {
            report_unmeasured(clocks, p, rc, &fault);
        }
    }
    for (uint32_t p = 1; p < clocks->size; p++) {
        struct job_clocks_process *process = &clocks->processes[p];
        bool answered = process->own.round == order.round;
        int rc = 0;

        if (answered && strcmp(process->own.identity, order.clock) == 0) {
            continue;
        }
        if (answered && has_cards(clocks, p) && job_clocks_leader(clocks, p) == p) {
            rc = measure(process, (int)p, order.round, deadline, &fault);
        }
        if (rc) {
            report_unmeasured(clocks, p, rc, &fault);
        }
        if (put(process, (int)p, (struct job_clocks_message){order.round, -1, 0}, deadline, &fault) < 0) {
            error_print(&fault);
        }
    }
    return 0;
}

/* --- the others --------------------------------------------------------- */

/* 0: answered; 1: there are no more questions. */
static int answer(uint32_t round, bool brisk, uint64_t deadline, struct error *err)
{
    struct job_clocks_message message;
    int rc = mpi_message_receive(&message, sizeof message, 0, TAG_QUESTION, deadline, brisk, err);

    if (rc < 0) {
        return -1;
    }
    if (rc == 1) {
        log_msg(LOG_DEBUG, "process 0 did not ask for the time of this process");
        return 1;
    }
    if (message.round != round) {
        return 0; /* of a round that this process came too late for */
    }
    if (message.number < 0) {
        return 1;
    }
    message.stamp_ns = clock_now_ns();
    rc = mpi_message_send(&message, sizeof message, 0, TAG_ANSWER, deadline, err);
    return rc == 1 ? error_set(err, "clocks", "look at process 0 of the job", "process 0 takes no messages") : rc;
}

int job_clocks_answer(const struct mpi_job *job, const struct order *order, struct error *err)
{
    uint64_t deadline = limit_ns(2);
    struct job_clock_identity own;
    int rc;

    job_clocks_identify(&own);
    own.round = order->round;
    rc = mpi_message_send(&own, sizeof own, 0, TAG_IDENTITY, deadline, err);
    if (rc) {
        return rc < 0 ? -1
                      : error_set(err, "clocks", "look at process 0 of the job",
                                  "process 0 takes no messages of process %d", job->rank);
    }
    if (strcmp(own.identity, order->clock) == 0) {
        return 0;
    }
    rc = answer(order->round, false, deadline, err); /* until it is its turn it sleeps */
    while (rc == 0) {
        rc = answer(order->round, true, deadline, err);
    }
    return rc < 0 ? -1 : 0;
}
