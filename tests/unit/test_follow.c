/* The processes of a job but process 0, alone: what each order makes them do, and how they end. Everything that follow.c calls,
 * but the arithmetic of cards, is a stand-in of this file. Some ends end the process, so each run is a child. */
#include "tests/support/temp_dir.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include "common/base/log.h"
#include "orchestrator/job/assist.h"
#include "orchestrator/job/farewell.h"
#include "orchestrator/job/follow.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/messages/order.h"
#include "orchestrator/messages/stop_signals.h"
#include "orchestrator/supervise/supervise_worker.h"

enum { ORDERS_MAX = 8, LIMIT_S = 60, WORLD = 7, SIZE = 3, RANK = 1, FIRST_CARD = 3, CARDS = 2 };

/* Shared with the child. */
static struct rig {
    char steps[1024];                /* words of what was called, each with a blank before and after it */
    struct order orders[ORDERS_MAX]; /* to be had; then ORDER_LEAVE */
    int norder, next;
    const char *failing;
    bool must_send, interrupted, signal_waits;
    struct participant me;

    int32_t pid, fd; /* of the segment, as opened */
    char token[ORDER_TOKEN_MAX];
    struct events_address address;
    uint32_t first, count, connected_as;
    struct order taken; /* by what answers orders */
    struct event sent;
    struct error failure; /* reported by the loop that waits; "": none */
    bool sends;           /* it has a sender */
} *rig;

/* --- stand-ins ------------------------------------------------------------ */

static int step(const char *word, struct error *err)
{
    size_t n = strlen(rig->steps);

    snprintf(rig->steps + n, sizeof rig->steps - n, "%s%s ", n ? "" : " ", word);
    return rig->failing && strcmp(word, rig->failing) == 0 ? error_set(err, NULL, NULL, "%s failed", word) : 0;
}

int mpi_job_share(const struct mpi_job *job, void *buf, size_t nbytes, struct error *err)
{
    (void)job;
    if (step("order", err) < 0 || nbytes != sizeof(struct order)) {
        return -1;
    }
    memset(buf, 0, nbytes);
    if (rig->next < rig->norder) {
        memcpy(buf, &rig->orders[rig->next++], nbytes);
    }
    return 0;
}

int farewell_say(const struct mpi_job *job, struct error *err)
{
    assert_ptr_equal(job, &rig->me.job);
    return step("farewell", err);
}

void farewell_end(struct farewell *f, const struct mpi_job *job, int exit_code)
{
    assert_int_equal(f->count, 0); /* process 0 alone waits for processes */
    assert_ptr_equal(job, &rig->me.job);
    assert_int_equal(exit_code, 0);
    step("finalize", NULL);
}

void mpi_job_abort(const struct mpi_job *job, int exit_code)
{
    (void)job;
    step("abort", NULL);
    _exit(exit_code);
}

int participant_open_signals(struct participant *me, struct error *err)
{
    (void)me;
    return step("read-signals", err);
}

int participant_start_executors(struct participant *me, struct segment *seg, const int *device_ids, struct error *err)
{
    (void)device_ids;
    if (seg == &me->segment) {
        me->executors = (struct executors *)rig;
    }
    return step("start", err);
}

void participant_end_executors(struct participant *me)
{
    me->executors = NULL;
    step("end", NULL);
}

void participant_report_strangers(const struct participant *me)
{
    (void)me;
    step("strangers", NULL);
}

void participant_close(struct participant *me)
{
    (void)me;
    step("close", NULL);
}

int segment_open_peer(struct segment *seg, pid_t pid, int fd, struct error *err)
{
    rig->pid = pid;
    rig->fd = fd;
    seg->plan.world_size = WORLD;
    return step("map", err);
}

int gather_must_send(const struct segment *seg, const char *token, uint32_t first, uint32_t count, struct error *err)
{
    (void)seg;
    snprintf(rig->token, sizeof rig->token, "%s", token);
    rig->first = first;
    rig->count = count;
    return step("look", err) < 0 ? -1 : rig->must_send;
}

int gather_join(struct gather_sender **out, const struct segment *seg, uint32_t first, uint32_t count,
                struct error *err)
{
    (void)seg;
    if (step("join", err) < 0) {
        return -1;
    }
    *out = first == FIRST_CARD && count == CARDS && !*out ? (struct gather_sender *)rig : NULL;
    return 0;
}

void gather_leave(struct gather_sender *s)
{
    step(s ? "leave" : "leave-nothing", NULL);
}

int events_connect(struct events **out, const struct events_address *address, uint32_t rank, struct error *err)
{
    rig->address = *address;
    rig->connected_as = rank;
    if (step("connect", err) < 0) {
        return -1;
    }
    *out = (struct events *)rig;
    return 0;
}

int events_send(struct events *e, const struct event *event, struct error *err)
{
    (void)e;
    rig->sent = *event;
    return step("send", err);
}

int supervise_worker(struct supervision *s, struct error *err)
{
    rig->failure = s->failure ? *s->failure : (struct error){0};
    rig->sends = s->sender != NULL;
    s->interrupted = rig->interrupted;
    return step(s->events && s->seg->plan.world_size == WORLD ? "watch" : "watch-nothing", err);
}

int supervise_send(struct supervision *s, struct error *err)
{
    s->interrupted = rig->interrupted;
    return step(s->sender ? "send-rest" : "send-nothing", err);
}

int job_clocks_answer(const struct mpi_job *job, const struct order *order, struct error *err)
{
    (void)job;
    rig->taken = *order;
    return step("clocks", err);
}

int assist_take(const struct mpi_job *job, const struct order *order, struct error *err)
{
    (void)job;
    rig->taken = *order;
    return step("compile", err);
}

/* --- what the tests share ------------------------------------------------- */

static int setup(void **state)
{
    (void)state;
    log_set_level(LOG_NULL);
    memset(rig, 0, sizeof *rig);
    rig->me.job = (struct mpi_job){.rank = RANK, .size = SIZE};
    return 0;
}

static void order(enum order_kind kind)
{
    struct order *o = &rig->orders[rig->norder++];

    o->kind = kind;
    if (kind == ORDER_RUN && rig->norder == 1) { /* later ones do not say it again */
        o->pid = 4711;
        o->segment_fd = 9;
        strcpy(o->events.endpoint, "endpoint");
        memset(o->events.secret, 5, sizeof o->events.secret);
        strcpy(o->token, "token");
    }
    if (kind == ORDER_CLOCKS) {
        o->round = 3;
    }
}

static void leave_a_signal_pending(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    raise(SIGTERM);
}

/* Follow the orders, and expect this exit code. */
static void follow(int code)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(LIMIT_S);
        if (rig->signal_waits) {
            leave_a_signal_pending();
        }
        _exit(follow_process_0(&rig->me));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
}

static void fail_at(const char *word)
{
    rig->failing = word;
    follow(EXIT_CODE_INFRA);
}

/* --- orders --------------------------------------------------------------- */

static void test_leave(void **state)
{
    (void)state;
    follow(0);
    assert_string_equal(rig->steps, " order strangers close farewell finalize ");
}

static void test_run_without_profiles(void **state)
{
    (void)state;
    order(ORDER_RUN);
    follow(0);
    assert_string_equal(
        rig->steps, " order read-signals map look connect start watch end order strangers close farewell finalize ");
    assert_int_equal(rig->pid, 4711);
    assert_int_equal(rig->fd, 9);
    assert_string_equal(rig->address.endpoint, "endpoint");
    assert_memory_equal(rig->address.secret, rig->orders[0].events.secret, EVENTS_SECRET);
    assert_string_equal(rig->token, "token");
    assert_int_equal(rig->connected_as, RANK);
    assert_int_equal(rig->first, FIRST_CARD); /* 7 cards over 3 processes: 3, 2, 2 */
    assert_int_equal(rig->count, CARDS);
    assert_string_equal(rig->failure.what, "");
    assert_false(rig->sends);
}

static void test_rest_without_sender(void **state)
{
    (void)state;
    order(ORDER_RUN);
    order(ORDER_GATHER);
    follow(0);
    assert_null(strstr(rig->steps, "send"));
}

/* Connection and mapping last for all passes; each pass has a sender of its own. */
static void test_two_passes_with_profiles(void **state)
{
    (void)state;
    rig->must_send = true;
    order(ORDER_RUN);
    order(ORDER_GATHER);
    order(ORDER_RUN);
    order(ORDER_GATHER);
    follow(0);
    assert_string_equal(rig->steps,
                        " order read-signals map look connect join start watch end order send-rest leave"
                        " order join start watch end order send-rest leave order strangers close farewell finalize ");
    assert_true(rig->sends);
}

static void test_other_orders(void **state)
{
    (void)state;
    order(ORDER_COMPILE);
    follow(0);
    assert_string_equal(rig->steps, " order compile order strangers close farewell finalize ");
    assert_int_equal(rig->taken.kind, ORDER_COMPILE);
    setup(state);
    order(ORDER_CLOCKS);
    follow(0);
    assert_string_equal(rig->steps, " order clocks order strangers close farewell finalize ");
    assert_int_equal(rig->taken.round, 3);
}

/* --- failures ------------------------------------------------------------- */

/* Process 0 has to know why, to stop the others: the pass is watched to its end all the same. */
static void test_pass_that_cannot_begin_is_reported(void **state)
{
    static const char *const failing[] = {"start", "join"};

    for (int i = 0; i < 2; i++) {
        char text[32];

        setup(state);
        rig->must_send = true;
        rig->failing = failing[i];
        order(ORDER_RUN);
        follow(0);
        snprintf(text, sizeof text, "%s failed", failing[i]);
        assert_string_equal(rig->failure.what, text);
        assert_non_null(strstr(rig->steps, " watch end order strangers close farewell finalize "));
    }
}

/* What process 0 cannot be informed of ends the job. */
static void test_ends_of_the_job(void **state)
{
    static const struct {
        const char *failing;
        enum order_kind kind;
    } cases[] = {{"order", ORDER_RUN},     {"read-signals", ORDER_RUN}, {"map", ORDER_RUN},
                 {"look", ORDER_RUN},      {"connect", ORDER_RUN},      {"watch", ORDER_RUN},
                 {"clocks", ORDER_CLOCKS}, {"compile", ORDER_COMPILE}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setup(state);
        order(cases[i].kind);
        fail_at(cases[i].failing);
        assert_non_null(strstr(rig->steps, " strangers close abort "));
        assert_null(strstr(rig->steps, "finalize"));
    }
}

static void test_failed_pass_leaves_no_executor(void **state)
{
    (void)state;
    order(ORDER_RUN);
    fail_at("watch");
    assert_non_null(strstr(rig->steps, " watch end strangers close abort "));
}

static void test_rest_that_cannot_be_sent(void **state)
{
    (void)state;
    rig->must_send = true;
    order(ORDER_RUN);
    order(ORDER_GATHER);
    fail_at("send-rest");
    assert_non_null(strstr(rig->steps, " send-rest leave strangers close abort "));
}

/* --- interrupts: nothing is left, process 0 hears of it, and nobody waits in MPI_Finalize ------- */

static void expect_interrupted(const char *steps)
{
    follow(EXIT_CODE_INFRA);
    assert_string_equal(rig->steps, steps);
    assert_int_equal(rig->sent.kind, EVENT_STOPPED);
    assert_int_equal(rig->sent.rank, RANK);
}

static void test_interrupted_pass(void **state)
{
    (void)state;
    rig->must_send = true;
    rig->interrupted = true;
    order(ORDER_RUN);
    expect_interrupted(" order read-signals map look connect join start watch end leave send close ");
}

static void test_interrupted_while_sending(void **state)
{
    (void)state;
    rig->me.events = (struct events *)rig; /* as after a pass */
    rig->me.sender = (struct gather_sender *)rig;
    rig->interrupted = true;
    order(ORDER_GATHER);
    expect_interrupted(" order send-rest end leave send close ");
}

/* A signal ends the wait for an order with an error: it is the signal that counts. */
static void test_interrupted_between_orders(void **state)
{
    (void)state;
    rig->signal_waits = true;
    rig->me.events = (struct events *)rig;
    rig->failing = "order";
    expect_interrupted(" order end leave-nothing send close ");
}

static void test_interrupted_before_the_first_pass(void **state)
{
    (void)state;
    rig->signal_waits = true;
    rig->failing = "order";
    follow(EXIT_CODE_INFRA);
    assert_string_equal(rig->steps, " order end leave-nothing close ");
}

/* With a signal that waits and no failure, the order counts. */
static void test_signal_that_waits_at_the_end(void **state)
{
    (void)state;
    rig->signal_waits = true;
    follow(0);
    assert_string_equal(rig->steps, " order strangers close farewell finalize ");
}

/* Process 0 has gone, or does not answer: mpirun must end the rest of the job. */
static void test_farewell_that_fails(void **state)
{
    (void)state;
    fail_at("farewell");
    assert_non_null(strstr(rig->steps, " farewell abort "));
    assert_null(strstr(rig->steps, "finalize"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
    const struct CMUnitTest tests[] = {
        TEST(test_leave),
        TEST(test_run_without_profiles),
        TEST(test_rest_without_sender),
        TEST(test_two_passes_with_profiles),
        TEST(test_other_orders),
        TEST(test_pass_that_cannot_begin_is_reported),
        TEST(test_ends_of_the_job),
        TEST(test_failed_pass_leaves_no_executor),
        TEST(test_rest_that_cannot_be_sent),
        TEST(test_interrupted_pass),
        TEST(test_interrupted_while_sending),
        TEST(test_interrupted_between_orders),
        TEST(test_interrupted_before_the_first_pass),
        TEST(test_signal_that_waits_at_the_end),
        TEST(test_farewell_that_fails),
    };
    int failed;

    rig = mmap(NULL, sizeof *rig, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rig == MAP_FAILED) {
        return 1;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    munmap(rig, sizeof *rig);
    return failed;
}
