/* Clocks of a job without MPI: who is measured for whom, and what becomes of the times that executors wrote. */
#include "tests/support/temp_dir.h"

#include <sys/wait.h>

#include "common/plan/plan_stream.h"
#include "orchestrator/clocks/job_clocks.h"
#include "orchestrator/plan/edges.h"

static const char *const plan_lines[] = {
    "{\"plan\":1,\"world_size\":4}",
    "{\"storage\":0,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[4],\"direction\":\"In\"}",
    "{\"dispatch\":0,\"program\":\"p\",\"card\":0,\"k\":0,\"args\":[[\"in\",0,\"fp32\",0,[4]]],\"scalars\":[]}",
    "{\"dispatch\":1,\"program\":\"p\",\"card\":1,\"k\":0,\"args\":[[\"in\",0,\"fp32\",0,[4]]],\"scalars\":[]}",
    "{\"dispatch\":2,\"program\":\"p\",\"card\":2,\"k\":0,\"args\":[[\"in\",0,\"fp32\",0,[4]]],\"scalars\":[]}",
    "{\"dispatch\":3,\"program\":\"p\",\"card\":3,\"k\":0,\"args\":[[\"in\",0,\"fp32\",0,[4]]],\"scalars\":[]}",
    "{\"dispatch\":4,\"program\":\"p\",\"card\":3,\"k\":1,\"args\":[[\"in\",0,\"fp32\",0,[4]]],\"scalars\":[]}",
    "{\"end\":5}",
};

static struct plan plan;
static struct segment seg;

static int make_segment(void **state)
{
    struct error err;
    struct plan_stream *s = plan_stream_new("sample", &err);

    (void)state;
    for (size_t i = 0; i < sizeof plan_lines / sizeof *plan_lines; i++) {
        char *line = strdup(plan_lines[i]);
        assert_int_equal(plan_stream_line(s, line, strlen(line), &err), 0);
        free(line);
    }
    assert_int_equal(plan_stream_finish(s, &plan, &err), 0);
    plan_stream_free(s);
    assert_int_equal(edges_compile(&plan, DEPS_EXACT, &err), 0);
    return segment_create(&seg, &plan, "[]", "a2a3sim", &err);
}

static int drop_segment(void **state)
{
    (void)state;
    segment_unmap(&seg);
    plan_free(&plan);
    return 0;
}

/* Four processes, one card each. */
static struct job_clocks open_four(const char *second, const char *third, const char *fourth)
{
    const struct mpi_job job = {.size = 4};
    struct job_clocks clocks;
    struct error err;

    assert_int_equal(job_clocks_open(&clocks, &job, &plan, &err), 0);
    strcpy(clocks.processes[0].own.identity, "a");
    strcpy(clocks.processes[1].own.identity, second);
    strcpy(clocks.processes[2].own.identity, third);
    strcpy(clocks.processes[3].own.identity, fourth);
    return clocks;
}

static void the_first_process_of_a_clock_is_measured(void **state)
{
    struct job_clocks clocks = open_four("b", "a", "b");

    (void)state;
    assert_int_equal(job_clocks_leader(&clocks, 0), 0);
    assert_int_equal(job_clocks_leader(&clocks, 1), 1);
    assert_int_equal(job_clocks_leader(&clocks, 2), 0);
    assert_int_equal(job_clocks_leader(&clocks, 3), 1);
    job_clocks_free(&clocks);
    /* A process that did not answer has nobody's clock, not even that of another that did not. */
    clocks = open_four("b", "", "");
    assert_int_equal(job_clocks_leader(&clocks, 2), 2);
    assert_int_equal(job_clocks_leader(&clocks, 3), 3);
    job_clocks_free(&clocks);
}

/* With more processes than cards the last ones have none: nobody would use what is measured of them. */
static void a_process_without_cards_is_nobodys_first(void **state)
{
    struct job_clocks clocks = open_four("b", "c", "c");

    (void)state;
    clocks.world_size = 2;
    assert_int_equal(job_clocks_leader(&clocks, 1), 1);
    assert_int_equal(job_clocks_leader(&clocks, 3), 3);
    job_clocks_free(&clocks);
}

/* As the executors of the five nodes. */
static void put_times(const struct segment_times *times)
{
    for (uint32_t i = 0; i < 5; i++) {
        *segment_node_times(&seg, i) = times[i];
    }
}

static uint64_t in_segment(uint32_t node)
{
    return segment_node_times(&seg, node)->start_ns;
}

/* Card 0 is on process 0's clock; cards 1 and 2 on one that stands 1 s before it; card 3's process did not answer. */
static void times_come_to_the_clock_of_process_0(void **state)
{
    struct job_clocks clocks = open_four("b", "b", "");
    struct segment_times raw[5] = {0};
    struct error err;

    (void)state;
    clocks.begun_ns = 5000;
    clocks.processes[1].points[0] = (struct clock_point){1000000000, -999990000, 10};
    clocks.processes[1].points[1] = (struct clock_point){1000100000, -999989980, 30}; /* 20 ns in 100 us */
    clocks.processes[1].npoint = 2;
    raw[0] = (struct segment_times){.start_ns = 11000, .end_ns = 12000, .device_ns = 900, .orch_ns = 80, .ntasks = 1};
    raw[1] = (struct segment_times){
        .start_ns = 1000000000, .end_ns = 1000050000, .device_ns = 900, .orch_ns = 80, .ntasks = 1};
    raw[2] = (struct segment_times){
        .start_ns = 1000050000, .end_ns = 1000100000, .device_ns = 900, .orch_ns = 80, .ntasks = 1};
    raw[3] = (struct segment_times){.start_ns = 777000, .end_ns = 778000, .device_ns = 900, .orch_ns = 80, .ntasks = 1};
    raw[4] = (struct segment_times){0}; /* did not run */
    put_times(raw);
    assert_int_equal(job_clocks_settle(&clocks, &seg, &err), 0);
    assert_int_equal(seg.times[0].start_ns, 11000);
    assert_int_equal(seg.times[0].end_ns, 12000);
    assert_int_equal(seg.times[1].start_ns, 10000);
    assert_int_equal(seg.times[1].end_ns, 60010);
    assert_int_equal(seg.times[2].start_ns, 60010);
    assert_int_equal(seg.times[2].end_ns, 110020);
    assert_int_equal(seg.times[2].device_ns, 900);
    /* Nothing was measured: as if it had started with the run. */
    assert_int_equal(seg.times[3].start_ns, 5000);
    assert_int_equal(seg.times[3].end_ns, 6000);
    assert_int_equal(seg.times[4].end_ns, 0);
    /* What executors write stays as it is. */
    assert_int_equal(in_segment(1), 1000000000);
    assert_int_equal(clocks.result.count, 3);
    assert_int_equal(clocks.result.of_lane[1], 1);
    assert_int_equal(clocks.result.of_lane[2], 1);
    assert_int_equal(clocks.result.of_lane[3], 2);
    assert_int_equal(clocks.result.of_lane[4], 0); /* host lane and sub-workers: process 0 */
    assert_int_equal(clocks.result.items[0].error_ns, 0);
    /* The larger point's 30, and at most 4 ns of rounding. */
    assert_in_range(clocks.result.items[1].error_ns, 30, 34);
    assert_true(clocks.result.items[2].error_ns == CLOCK_NO_BOUND);
    /* Settling again starts from what the executors wrote. */
    assert_int_equal(job_clocks_settle(&clocks, &seg, &err), 0);
    assert_int_equal(seg.times[1].start_ns, 10000);
    job_clocks_free(&clocks);
}

static void a_clock_that_was_set_is_not_aligned(void **state)
{
    struct job_clocks clocks = open_four("b", "a", "a");
    const struct segment_times raw[5] = {0};
    struct error err;

    (void)state;
    put_times(raw);
    clocks.processes[1].points[0] = (struct clock_point){1000, 0, 10};
    clocks.processes[1].points[1] = (struct clock_point){2000, 5000000, 10};
    clocks.processes[1].npoint = 2;
    assert_int_equal(job_clocks_lane_map(&clocks, 1).kind, CLOCK_UNALIGNED);
    assert_int_equal(job_clocks_lane_map(&clocks, 2).kind, CLOCK_SHARED);
    assert_int_equal(job_clocks_settle(&clocks, &seg, &err), 0);
    assert_int_equal(clocks.result.items[1].map.kind, CLOCK_UNALIGNED);
    job_clocks_free(&clocks);
}

/* During the run, the measurement before it is all there is; and without clocks all is one. */
static void a_lane_has_the_clock_that_is_known_so_far(void **state)
{
    struct job_clocks clocks = open_four("b", "b", "a");
    struct clock_map map;

    (void)state;
    assert_int_equal(job_clocks_lane_map(&clocks, 2).kind, CLOCK_UNALIGNED);
    clocks.processes[1].points[0] = (struct clock_point){1000, 500, 10};
    clocks.processes[1].npoint = 1;
    map = job_clocks_lane_map(&clocks, 2);
    assert_int_equal(map.kind, CLOCK_ONE_POINT);
    assert_int_equal(clock_map_to_root(&map, 2000), 2500);
    assert_int_equal(job_clocks_lane_map(&clocks, 5).kind, CLOCK_SHARED);
    assert_int_equal(job_clocks_lane_map(NULL, 2).kind, CLOCK_SHARED);
    job_clocks_free(&clocks);
}

/* Another process of this host, which has this clock, says the same of it. */
static void an_identity_is_the_clocks_not_the_processs(void **state)
{
    struct job_clock_identity mine, childs;
    int fds[2], status;
    pid_t pid;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        job_clocks_identify(&childs);
        _exit(write(fds[1], &childs, sizeof childs) == (ssize_t)sizeof childs ? 0 : 1);
    }
    job_clocks_identify(&mine);
    assert_int_equal(read(fds[0], &childs, sizeof childs), sizeof childs);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(strlen(mine.identity) > 0);
    assert_string_equal(mine.identity, childs.identity);
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_process_of_a_clock_is_measured),
        cmocka_unit_test(a_process_without_cards_is_nobodys_first),
        cmocka_unit_test(times_come_to_the_clock_of_process_0),
        cmocka_unit_test(a_clock_that_was_set_is_not_aligned),
        cmocka_unit_test(a_lane_has_the_clock_that_is_known_so_far),
        cmocka_unit_test(an_identity_is_the_clocks_not_the_processs),
    };

    return cmocka_run_group_tests(tests, make_segment, drop_segment);
}
