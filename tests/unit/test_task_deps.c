/* deps.json: what is read, what is left out, and what is known of a task. */
#include "tests/support/temp_dir.h"

#include "common/base/file.h"
#include "orchestrator/profiles/swimlane.h"
#include "orchestrator/profiles/task_deps.h"
#include "tests/support/failing_alloc.h"

static const char graph[] =
    "{\"other\": [1, {\"tasks\": 2}], \"tasks\": ["
    "{\"task_id\": \"9007199254740993\", \"kernel_ids\": [-1, -1, 3], \"block_num\": 4},"
    "{\"task_id\": \"7\", \"kernel_ids\": [2, 1, 5, 9], \"more\": null},"
    "{\"task_id\": \"8\", \"kernel_ids\": [0, -1, -1]},"
    "{\"task_id\": \"1\", \"kernel_ids\": []}],"
    " \"edges\": [{\"pred\": \"8\", \"succ\": \"9007199254740993\", \"arg\": 0, \"source\": \"tensormap\"},"
    "{\"pred\": \"7\", \"succ\": \"9007199254740993\", \"source\": \"creator\"},"
    "{\"pred\": \"7\", \"succ\": \"8\", \"source\": \"explicit\"},"
    "{\"pred\": \"8\", \"succ\": \"9007199254740993\", \"arg\": 1, \"source\": \"tensormap\"}]}";

static struct rig {
    char *dir, *path;
    struct task_deps deps;
    struct notes notes;
    struct error err;
} rig;

static int setup(void **state)
{
    (void)state;
    memset(&rig, 0, sizeof rig);
    rig.dir = temp_dir_make();
    rig.path = file_join(rig.dir, "deps.json", NULL);
    return rig.path ? 0 : -1;
}

static void clear(void)
{
    task_deps_free(&rig.deps);
    notes_free(&rig.notes);
}

static int teardown(void **state)
{
    (void)state;
    clear();
    free(rig.path);
    temp_dir_remove(rig.dir);
    return 0;
}

static int read_text(const char *text)
{
    clear();
    temp_dir_put_text(rig.dir, "deps.json", text);
    return task_deps_read(rig.path, &rig.deps, &rig.notes, &rig.err);
}

static void tasks_by_id(void **state)
{
    static const uint64_t ids[] = {1, 7, 8, 9007199254740993u};

    (void)state;
    assert_int_equal(read_text(graph), 0);
    assert_int_equal(rig.notes.count, 0);
    assert_int_equal(rig.deps.ntask, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(rig.deps.tasks[i].id == ids[i]);
        assert_ptr_equal(task_deps_find(&rig.deps, ids[i]), &rig.deps.tasks[i]);
    }
    assert_null(task_deps_find(&rig.deps, 9007199254740992u)); /* as a double it would be the other */
    assert_int_equal(rig.deps.tasks[0].kernel_ids[0], -1);
    assert_int_equal(rig.deps.tasks[1].kernel_ids[2], 5);
    assert_int_equal(rig.deps.tasks[1].nblock, 1);
    assert_int_equal(rig.deps.tasks[3].nblock, 4);
}

static void each_pair_once(void **state)
{
    (void)state;
    assert_int_equal(read_text(graph), 0);
    assert_int_equal(rig.deps.nedge, 3);
    assert_true(rig.deps.edges[0].pred == 7 && rig.deps.edges[0].succ == 8);
    assert_string_equal(rig.deps.edges[0].source, "explicit");
    assert_true(rig.deps.edges[1].pred == 7 && rig.deps.edges[1].succ == 9007199254740993u);
    assert_true(rig.deps.edges[2].pred == 8 && rig.deps.edges[2].succ == 9007199254740993u);
}

/* 7: three kernels; 8: one; the long one: one of four blocks; 1: none. */
static void calls_are_blocks_times_kernels(void **state)
{
    (void)state;
    assert_int_equal(read_text(graph), 0);
    assert_int_equal(task_deps_calls(&rig.deps), 3 + 1 + 4);
    assert_int_equal(read_text("{\"tasks\": [{\"task_id\": \"1\", \"kernel_ids\": [0, 1, -1], \"block_num\": "
                               "18446744073709551615}]}"),
                     0);
    assert_true(task_deps_calls(&rig.deps) == UINT64_MAX);
    assert_int_equal(read_text("{}"), 0);
    assert_int_equal(task_deps_calls(&rig.deps), 0);
    assert_null(task_deps_find(&rig.deps, 0));
}

static void the_function_of_a_task_on_a_core(void **state)
{
    (void)state;
    assert_int_equal(read_text(graph), 0);
    assert_int_equal(task_deps_function(&rig.deps, 7, SWIM_AIC), 2);
    assert_int_equal(task_deps_function(&rig.deps, 7, SWIM_AIV), 1); /* of two the first */
    assert_int_equal(task_deps_function(&rig.deps, 9007199254740993u, SWIM_AIV), 3);
    assert_int_equal(task_deps_function(&rig.deps, 9007199254740993u, SWIM_AIC), -1);
    assert_int_equal(task_deps_function(&rig.deps, 8, SWIM_AIC), 0);
    assert_int_equal(task_deps_function(&rig.deps, 8, SWIM_AIV), -1);
    assert_int_equal(task_deps_function(&rig.deps, 8, SWIM_UNKNOWN), -1);
    assert_int_equal(task_deps_function(&rig.deps, 99, SWIM_AIC), -1);
}

static void a_vector_function_may_be_number_0(void **state)
{
    (void)state;
    assert_int_equal(read_text("{\"tasks\": [{\"task_id\": \"1\", \"kernel_ids\": [-1, 0, 2]}]}"), 0);
    assert_int_equal(task_deps_function(&rig.deps, 1, SWIM_AIV), 0);
}

/* What came before the end is kept, and a note says that it is not all. */
static void a_file_that_ends_early(void **state)
{
    const size_t nend = sizeof graph - 2; /* the last brace */
    char cut[sizeof graph];

    (void)state;
    for (size_t n = 0; n <= nend; n++) {
        memcpy(cut, graph, n);
        cut[n] = '\0';
        assert_int_equal(read_text(cut), 0);
        assert_int_equal(rig.notes.count, 1);
        assert_memory_equal(rig.notes.items[0], "deps.json: ", 11);
    }
    assert_int_equal(rig.deps.ntask, 4);
    assert_int_equal(rig.deps.nedge, 3);
    assert_non_null(strstr(rig.notes.items[0], "(4 tasks, 4 edges were read)"));
}

/* An entry that cannot be read is none. */
static void entries_of_other_kinds(void **state)
{
    static const char *const texts[] = {"{\"tasks\": 1}",
                                        "{\"tasks\": [{\"task_id\": \"1\"}, 5]}",
                                        "{\"tasks\": [{\"task_id\": {}}]}",
                                        "{\"edges\": {}}",
                                        "{\"edges\": [5]}",
                                        "{\"edges\": [{\"pred\": []}]}",
                                        "[]",
                                        "{\"tasks\": [{\"kernel_ids\": 3}]}"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(read_text(texts[i]), 0);
        assert_int_equal(rig.notes.count, 1);
        assert_int_equal(rig.deps.ntask, i == 1 ? 1 : 0);
        assert_int_equal(rig.deps.nedge, 0);
    }
}

static void a_file_that_is_not_there(void **state)
{
    (void)state;
    assert_int_equal(task_deps_read(rig.path, &rig.deps, &rig.notes, &rig.err), -1);
    assert_non_null(strstr(rig.err.what, "deps.json"));
}

/* Memory that runs out is a failure, whichever allocation it is: half a graph is not taken for a whole one. */
static void without_memory(void **state)
{
    unsigned long calls;

    (void)state;
    failing_alloc_start(0);
    assert_int_equal(read_text(graph), 0);
    calls = failing_alloc_stop();
    assert_true(calls >= 3); /* the file, the tasks, the edges */
    clear();
    for (unsigned long n = 1; n <= calls; n++) {
        int rc;

        memset(&rig.err, 0, sizeof rig.err);
        failing_alloc_start(n);
        rc = task_deps_read(rig.path, &rig.deps, &rig.notes, &rig.err);
        failing_alloc_stop();
        if (failing_alloc_name()) {
            assert_int_equal(rc, -1);
            assert_int_equal(rig.err.kind, ERROR_INFRA);
        }
        clear();
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(tasks_by_id),
        TEST(each_pair_once),
        TEST(calls_are_blocks_times_kernels),
        TEST(the_function_of_a_task_on_a_core),
        TEST(a_vector_function_may_be_number_0),
        TEST(a_file_that_ends_early),
        TEST(entries_of_other_kinds),
        TEST(a_file_that_is_not_there),
        TEST(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
