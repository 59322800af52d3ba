/* Lanes of mixed tasks that wait: for each other in every way there is, for other clusters, for another card, and for
 * threads that the system refuses. Each device is in a child process, which has a limit. */
#include "tests/support/temp_dir.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/support/mixed_runs.h"
#include "tests/unit/cpu/turns_kernel.h"

enum { DISPATCHES = 10, LOGS = 50, BLOCKS = 8, PEER_RUNS = 20, LATER = 100, LOAD_MAX = 64 };

static const char *const ways[TURNS_NWAY] = {
#define WAY_NAME(name) "lanes_take_turns_by_" #name,
    TURNS_WAYS(WAY_NAME)};

static int setup(void **state)
{
    char common[512];

    (void)state;
    mixed_runs_begin();
    assert_true(rig_shell("%s %s %s/tests/unit/cpu/turns_common.cpp -o %s/turns_common.so", rig_cxx23(),
                          rig_cxx23_flags(), SOURCE_DIR, mixed_runs_dir));
    snprintf(common, sizeof(common), "%s/turns_common.so", mixed_runs_dir);
    mixed_runs_compile("turns_kernel", common);
    return 0;
}

static enum run_state run_on(int ncores, int run, const uint64_t scalars[MIXED_ARGS], char text[CHILD_TEXT])
{
    return mixed_runs_dispatch("turns_kernel", ncores, run, scalars, text);
}

/* Child 0 on one core, child 1 on two. */
static enum run_state wait_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    struct turns_memory m = {0};
    const uint64_t scalars[MIXED_ARGS] = {[MIXED_MEMORY] = (uintptr_t)&m,
                                          [MIXED_OP] = *(const uint64_t *)context,
                                          [MIXED_LANES] = 7,
                                          [MIXED_BLOCKS] = 1,
                                          [MIXED_TASKS] = 1};
    if (run_on(child + 1, run, scalars, text) != RUN_RIGHT) {
        return RUN_FAILED;
    }
    for (int lane = 0; lane < 3; lane++) {
        if (m.done[lane] != TURNS_ROUNDS) {
            snprintf(text, CHILD_TEXT, "lane %d was through %lld rounds", lane, (long long)m.done[lane]);
            return RUN_WRONG;
        }
    }
    return RUN_RIGHT;
}

static void waiting_lets_others_on(void **state)
{
    mixed_runs_assert(2, DISPATCHES, wait_once, *state);
}

/* Spinning ends only when other lanes are let in, a tick each time: one dispatch is enough. */
static void spinning_ends(void **state)
{
    mixed_runs_assert(2, 1, wait_once, *state);
}

/* Lanes that meet, and whether one of them lost its turn over it. */
struct meeting {
    uint64_t way; /* enum turns_op */
    bool free_threads, loses;
};

/* Child 0 on one core, child 1 on two. */
static enum run_state meet_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    struct meeting *meeting = context;

    if (run == 0 &&
        mixed_open_threads(&mixed_runs_program, mixed_runs_dir, "turns_kernel", child + 1, meeting->free_threads)) {
        return mixed_runs_failed(text);
    }
    const enum run_state state = wait_once(&meeting->way, child, run + 1, text);
    if (state == RUN_RIGHT && (mixed_runs_program.result.turns_lost > 0) != meeting->loses) {
        snprintf(text, CHILD_TEXT, "turns were lost %u times", mixed_runs_program.result.turns_lost);
        return RUN_WRONG;
    }
    return state;
}

static void a_lane_that_spins_loses_its_turn(void **state)
{
    struct meeting meeting = {.way = TURNS_SPIN, .loses = true};

    (void)state;
    mixed_runs_assert(2, 1, meet_once, &meeting);
}

static void a_lane_that_waits_by_a_call_loses_no_turn(void **state)
{
    struct meeting meeting = {.way = TURNS_CONDITION_WAIT};

    (void)state;
    mixed_runs_assert(2, DISPATCHES, meet_once, &meeting);
}

/* With turns, lanes that only look at memory cannot meet unless some lose theirs. */
static void lanes_without_turns_meet_by_spinning(void **state)
{
    struct meeting meeting = {.way = TURNS_SPIN, .free_threads = true};

    (void)state;
    mixed_runs_assert(2, 1, meet_once, &meeting);
}

static enum run_state log_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    static uint8_t first[3 * TURNS_STEPS];
    struct turns_memory m = {0};
    const uint64_t scalars[MIXED_ARGS] = {[MIXED_MEMORY] = (uintptr_t)&m,
                                          [MIXED_OP] = TURNS_LOG,
                                          [MIXED_LANES] = 7,
                                          [MIXED_BLOCKS] = 1,
                                          [MIXED_TASKS] = 1};
    (void)context;
    if (run_on(child + 1, run, scalars, text) != RUN_RIGHT) {
        return RUN_FAILED;
    }
    if (run == 0) {
        memcpy(first, m.log, sizeof(first));
    }
    if (m.log[0] != 0 || m.log[1] != 1 || m.log[2] != 2 || memcmp(first, m.log, sizeof(first)) != 0) {
        int length = 0;
        for (size_t i = 0; i < sizeof(first); i++) {
            length += snprintf(text + length, CHILD_TEXT - (size_t)length, "%u", m.log[i]);
        }
        return RUN_WRONG;
    }
    return RUN_RIGHT;
}

/* A process for each core that does nothing but use it. */
static int load_begin(pid_t pids[LOAD_MAX])
{
    const long ncore = sysconf(_SC_NPROCESSORS_ONLN);
    const pid_t parent = getpid();
    int n = 0;
    while (n < ncore && n < LOAD_MAX && (pids[n] = fork()) > 0) {
        n++;
    }
    if (n < LOAD_MAX && n < ncore && pids[n] == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(10 * CHILD_RUN_SECONDS);
        for (volatile int forever = getppid() == parent; forever;) {
        }
        _exit(0);
    }
    return n;
}

/* LOGS runs on one core and on two, beside a busy process a core. */
static void assert_order_under_load(child_run run)
{
    pid_t pids[LOAD_MAX];
    struct child_runs runs;
    const int nload = load_begin(pids);

    const bool ran = child_runs(2, LOGS, run, NULL, &runs);
    for (int i = 0; i < nload; i++) {
        kill(pids[i], SIGKILL);
        waitpid(pids[i], NULL, 0);
    }
    assert_true(ran);
    if (runs.right != 2 * LOGS) {
        fail_msg("%d right, %d of another order, %d failed, %d not ended; %s", runs.right, runs.wrong, runs.failed,
                 runs.not_ended, runs.text);
    }
}

static void lanes_start_and_go_on_in_the_same_order_under_load(void **state)
{
    (void)state;
    assert_order_under_load(log_once);
}

static enum run_state all_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    struct turns_memory m = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    const uint64_t scalars[MIXED_ARGS] = {[MIXED_MEMORY] = (uintptr_t)&m, [MIXED_OP] = TURNS_ALL, [MIXED_LANES] = 7,
                                          [MIXED_BLOCKS] = BLOCKS,        [MIXED_TASKS] = 1,      [MIXED_LATER] = LATER,
                                          [MIXED_LATER_OP] = TURNS_COUNT};
    (void)child;
    if (run_on(*(const int *)context, run, scalars, text) != RUN_RIGHT) {
        return RUN_FAILED;
    }
    if (m.arrived != TURNS_LANES || m.counted != LATER) {
        snprintf(text, CHILD_TEXT, "%lld lanes arrived, %lld tasks ran after them", (long long)m.arrived,
                 (long long)m.counted);
        return RUN_WRONG;
    }
    return RUN_RIGHT;
}

static void all_lanes_of_a_device_may_wait_at_the_same_time(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        int ncores = (const int[]){1, 2, TURNS_LANES}[i];
        mixed_runs_assert(1, DISPATCHES, all_once, &ncores);
    }
}

static enum run_state peer_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    const struct turns_memory *m = context;
    const uint64_t scalars[MIXED_ARGS] = {[MIXED_MEMORY] = (uintptr_t)m,
                                          [MIXED_OP] = TURNS_PEER,
                                          [MIXED_A] = (uint64_t)child,
                                          [MIXED_B] = (uint64_t)run,
                                          [MIXED_LANES] = 7,
                                          [MIXED_BLOCKS] = BLOCKS,
                                          [MIXED_TASKS] = 1};
    if (run_on(1, run, scalars, text) != RUN_RIGHT) {
        return RUN_FAILED;
    }
    for (int i = 0; i < TURNS_LANES; i++) {
        if (m->flags[child][i] != run + 1) {
            snprintf(text, CHILD_TEXT, "lane %d of block %d has run %lld times", i % 3, i / 3,
                     (long long)m->flags[child][i]);
            return RUN_WRONG;
        }
    }
    return RUN_RIGHT;
}

/* The first block of one card needs the last of the other, so all of them must have begun. */
static void lanes_may_wait_for_those_of_another_card(void **state)
{
    struct turns_memory *m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(m != MAP_FAILED);
    mixed_runs_assert(2, PEER_RUNS, peer_once, m);
    munmap(m, sizeof(*m));
}

/* From here on this process is a plain user's who may have no more threads. */
static int give_up_threads(void)
{
    const struct rlimit none = {1, 1};
    if (setrlimit(RLIMIT_NPROC, &none)) {
        return -1;
    }
    return geteuid() == 0 ? setresuid(65534, 65534, 65534) : 0;
}

static bool says_why(const struct error *err, char text[CHILD_TEXT])
{
    snprintf(text, CHILD_TEXT, "kind %d: %.150s", (int)err->kind, err->what);
    return err->kind == ERROR_INFRA && strstr(err->what, strerror(EAGAIN));
}

static enum run_state refused_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    struct turns_memory m = {0};
    const uint64_t scalars[MIXED_ARGS] = {[MIXED_MEMORY] = (uintptr_t)&m,
                                          [MIXED_OP] = TURNS_CONDITION_WAIT,
                                          [MIXED_LANES] = 7,
                                          [MIXED_BLOCKS] = 1,
                                          [MIXED_TASKS] = 1};
    (void)context;
    (void)run;
    if (mixed_open(&mixed_runs_program, mixed_runs_dir, "turns_kernel", child + 1)) {
        return mixed_runs_failed(text);
    }
    if (give_up_threads()) {
        snprintf(text, CHILD_TEXT, "cannot give up threads: %s", strerror(errno));
        return RUN_FAILED;
    }
    if (mixed_run(&mixed_runs_program, scalars) == 0) {
        snprintf(text, CHILD_TEXT, "it passed, on one thread");
        return RUN_WRONG;
    }
    return says_why(&mixed_runs_program.err, text) ? RUN_RIGHT : RUN_WRONG;
}

static void a_lane_that_gets_no_thread_is_the_hosts_fault(void **state)
{
    (void)state;
    mixed_runs_assert(2, 1, refused_once, NULL);
}

/* Tasks of one lane need no thread but the first; who helps or watches may be missing. */
static enum run_state refused_helpers_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    struct turns_memory m = {0};
    const uint64_t scalars[MIXED_ARGS] = {
        [MIXED_MEMORY] = (uintptr_t)&m, [MIXED_LATER] = LATER, [MIXED_LATER_OP] = TURNS_COUNT};
    (void)context;
    (void)run;
    if (mixed_open(&mixed_runs_program, mixed_runs_dir, "turns_kernel", child + 1) || give_up_threads()) {
        return mixed_runs_failed(text);
    }
    if (mixed_run(&mixed_runs_program, scalars) == 0) {
        snprintf(text, CHILD_TEXT, "%lld tasks ran", (long long)m.counted);
        return m.counted == LATER ? RUN_RIGHT : RUN_WRONG;
    }
    return says_why(&mixed_runs_program.err, text) ? RUN_RIGHT : RUN_WRONG;
}

static void a_helper_that_gets_no_thread_is_no_kernels_fault(void **state)
{
    (void)state;
    mixed_runs_assert(2, 1, refused_helpers_once, NULL);
}

/* aic, aiv0, aiv1, aic, ...: a yield gives the turn to the next lane, and to no other. */
static enum run_state yields_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    struct turns_memory m = {0};
    const uint64_t scalars[MIXED_ARGS] = {[MIXED_MEMORY] = (uintptr_t)&m,
                                          [MIXED_OP] = TURNS_YIELD_LOG,
                                          [MIXED_LANES] = 7,
                                          [MIXED_BLOCKS] = 1,
                                          [MIXED_TASKS] = 1};
    (void)context;
    if (run_on(child + 1, run, scalars, text) != RUN_RIGHT) {
        return RUN_FAILED;
    }
    for (size_t i = 0; i < sizeof(m.log); i++) {
        if (m.log[i] != i % 3) {
            snprintf(text, CHILD_TEXT, "step %zu was lane %u's", i, m.log[i]);
            return RUN_WRONG;
        }
    }
    return RUN_RIGHT;
}

static void yielding_lanes_go_on_in_their_order(void **state)
{
    (void)state;
    assert_order_under_load(yields_once);
}

static enum run_state signal_once(void *context, int child, int run, char text[CHILD_TEXT])
{
    struct turns_memory m = {0};
    const uint64_t scalars[MIXED_ARGS] = {[MIXED_MEMORY] = (uintptr_t)&m,
                                          [MIXED_OP] = TURNS_SIGNAL,
                                          [MIXED_LANES] = 7,
                                          [MIXED_BLOCKS] = 1,
                                          [MIXED_TASKS] = 1};
    (void)context;
    if (run_on(child + 1, run, scalars, text) != RUN_RIGHT) {
        return RUN_FAILED;
    }
    snprintf(text, CHILD_TEXT, "the wait ended before the signal");
    return m.done[0] == 1 ? RUN_RIGHT : RUN_WRONG;
}

/* Else a program that forgets to signal would pass here and hang elsewhere. */
static void a_wait_ends_by_a_signal_only(void **state)
{
    (void)state;
    mixed_runs_assert(2, 2, signal_once, NULL);
}

int main(void)
{
    static uint64_t numbers[TURNS_NWAY];
    struct CMUnitTest tests[TURNS_NWAY + 10] = {
        [TURNS_NWAY] = cmocka_unit_test(a_lane_that_spins_loses_its_turn),
        cmocka_unit_test(a_lane_that_waits_by_a_call_loses_no_turn),
        cmocka_unit_test(lanes_without_turns_meet_by_spinning),
        cmocka_unit_test(lanes_start_and_go_on_in_the_same_order_under_load),
        cmocka_unit_test(yielding_lanes_go_on_in_their_order),
        cmocka_unit_test(a_wait_ends_by_a_signal_only),
        cmocka_unit_test(all_lanes_of_a_device_may_wait_at_the_same_time),
        cmocka_unit_test(lanes_may_wait_for_those_of_another_card),
        cmocka_unit_test(a_lane_that_gets_no_thread_is_the_hosts_fault),
        cmocka_unit_test(a_helper_that_gets_no_thread_is_no_kernels_fault),
    };
    for (uint64_t i = 0; i < TURNS_NWAY; i++) {
        numbers[i] = i;
        tests[i] = (struct CMUnitTest){.name = ways[i],
                                       .test_func = i == TURNS_SPIN ? spinning_ends : waiting_lets_others_on,
                                       .initial_state = &numbers[i]};
    }
    return cmocka_run_group_tests(tests, setup, mixed_runs_end);
}
