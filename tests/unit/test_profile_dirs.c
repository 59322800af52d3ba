/* Directories of profiles: their names, what is cleared, what is put into them. */
#include "tests/support/temp_dir.h"

#include "common/plan/plan.h"
#include "common/segment/dfx.h"
#include "orchestrator/prepare/profile_dirs.h"

static char *dir;

static bool exists(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

/* Card 0: two dispatches by _submit_chip with a collective between; card 1: one of a program that is not known. */
static int open_profiles(const struct dfx_options *options, const char *platform, struct dfx *out)
{
    static char text[] = "one\0lost", one[] = "one", add[] = "add", mul[] = "mul";
    static struct kernel kernels[] = {{.func_id = 0, .name = add}, {.func_id = 7, .name = mul}};
    static struct program programs[] = {{.name = one, .nkernel = 2, .kernels = kernels}};
    static uint32_t names[] = {0, 4};
    static struct plan_node nodes[] = {
        {.kind = PLAN_DISPATCH, .lane = 0, .k = 0},
        {.kind = PLAN_DISPATCH, .lane = 0, .k = PLAN_NONE},
        {.kind = PLAN_COPY, .lane = 2, .k = PLAN_NONE},
        {.kind = PLAN_DISPATCH, .lane = 0, .k = 1},
        {.kind = PLAN_DISPATCH, .lane = 1, .program = 1, .k = 0},
    };
    struct program_table table = {.count = 1, .items = programs};
    struct plan plan = {.world_size = 2, .nnode = 5, .nodes = nodes, .nprogram = 2, .programs = names, .text = text};
    char *name = strdup(platform);
    struct build build = {.dir = dir, .platform = name};
    struct error err;
    int lock, rc = dfx_open(out, &lock, options, &build, &plan, &table, &err);

    if (lock >= 0) {
        close(lock);
    }
    free(name);
    return rc;
}

static void names_are_rank_and_count(void **state)
{
    struct dfx dfx = {.dir = "/p"};
    char buf[64];

    (void)state;
    dfx_dispatch_dir(dfx.dir, false, 3, 12, 0, buf, sizeof buf);
    assert_string_equal(buf, "/p/rank3/d12");
    dfx_dispatch_dir(dfx.dir, false, 3, PLAN_NONE, 2, buf, sizeof buf);
    assert_string_equal(buf, "/p/rank3/c2");
    dfx_dispatch_dir(dfx.dir, true, 0, 0, 0, buf, sizeof buf);
    assert_string_equal(buf, "/p");
}

static void names_of_one_dispatch(void **state)
{
    static const char *const of_it[] = {"pmu.csv",
                                        "deps.json",
                                        "scope_stats",
                                        "args_dump",
                                        "name_map.json",
                                        "name_map_my_build.json",
                                        "chip_swimlane_records.json",
                                        "merged_swimlane_d0.json",
                                        "dispatch_program.json"};
    static const char *const not_of_it[] = {"rank0",      "l3_run.json", "pmu.csv.old",
                                            "name_map_x", "name_map",    "mine.json"};

    (void)state;
    for (size_t i = 0; i < sizeof of_it / sizeof *of_it; i++) {
        assert_true(dfx_is_profile(of_it[i]));
    }
    for (size_t i = 0; i < sizeof not_of_it / sizeof *not_of_it; i++) {
        assert_false(dfx_is_profile(not_of_it[i]));
    }
}

static void an_l2_build_has_flat_profiles(void **state)
{
    static char text[] = "one", one[] = "one", add[] = "add", platform[] = "a2a3sim";
    struct kernel kernel = {.func_id = 0, .name = add};
    struct program program = {.name = one, .nkernel = 1, .kernels = &kernel};
    struct program_table table = {.count = 1, .items = &program};
    struct plan_node node = {.kind = PLAN_DISPATCH};
    uint32_t name = 0;
    struct plan plan = {.world_size = 1, .nnode = 1, .nodes = &node, .nprogram = 1, .programs = &name, .text = text};
    struct build build = {.kind = BUILD_L2, .dir = dir, .platform = platform};
    struct dfx_options options = {.dfx = {.pmu = 2}};
    struct error err;
    struct dfx out;
    int lock;

    (void)state;
    temp_dir_put_text(dir, "dfx_outputs/deps.json", "old");
    temp_dir_put_text(dir, "dfx_outputs/name_map_other.json", "old");
    temp_dir_put_text(dir, "dfx_outputs/scope_stats/scope_stats.jsonl", "old");
    temp_dir_put_text(dir, "dfx_outputs/rank0/d0/pmu.csv", "old");
    temp_dir_put_text(dir, "dfx_outputs/mine.txt", "keep");
    assert_int_equal(dfx_open(&out, &lock, &options, &build, &plan, &table, &err), 0);
    assert_true(out.flat);
    assert_false(exists("dfx_outputs/deps.json"));
    assert_false(exists("dfx_outputs/name_map_other.json"));
    assert_false(exists("dfx_outputs/scope_stats"));
    assert_false(exists("dfx_outputs/rank0"));
    assert_true(exists("dfx_outputs/mine.txt"));
    assert_true(exists("dfx_outputs/dispatch_program.json"));
    assert_true(exists("dfx_outputs/name_map_one.json"));
    close(lock);
}

static void nothing_asked_for_touches_nothing(void **state)
{
    struct dfx_options options = {0};
    struct dfx out;

    (void)state;
    temp_dir_put_text(dir, "dfx_outputs/rank0/d5/pmu.csv", "old");
    assert_int_equal(open_profiles(&options, "a2a3sim", &out), 0);
    assert_false(dfx_any(&out));
    assert_true(exists("dfx_outputs/rank0/d5/pmu.csv"));
    assert_false(exists("dfx_outputs/rank0/d0"));
}

static void stale_dispatches_go_and_the_rest_stays(void **state)
{
    struct dfx_options options = {.dfx = {.scope_stats = true}};
    struct dfx out;

    (void)state;
    temp_dir_put_text(dir, "dfx_outputs/rank0/d5/deep/er/file", "old");
    temp_dir_put_text(dir, "dfx_outputs/rank0/d0/name_map.json", "old");
    temp_dir_put_text(dir, "dfx_outputs/rank17/c0/file", "old");
    temp_dir_put_text(dir, "dfx_outputs/rank0/mine/file", "keep");
    temp_dir_put_text(dir, "dfx_outputs/rank0/d5x/file", "keep");
    temp_dir_put_text(dir, "dfx_outputs/merged.json", "keep");
    temp_dir_put_text(dir, "elsewhere/file", "keep");
    char target[512], path[512];
    snprintf(target, sizeof target, "%s/elsewhere", dir);
    snprintf(path, sizeof path, "%s/dfx_outputs/rank0/d6", dir);
    assert_int_equal(symlink(target, path), 0);
    temp_dir_put_text(dir, "elsewhere/d0/file", "keep");
    temp_dir_put_text(dir, "dfx_outputs/rank00/d0/file", "keep"); /* no run names them so */
    temp_dir_put_text(dir, "dfx_outputs/rank0/d007/file", "keep");
    snprintf(path, sizeof path, "%s/dfx_outputs/rank9", dir);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(open_profiles(&options, "a2a3sim", &out), 0);
    assert_false(exists("dfx_outputs/rank0/d5"));
    assert_false(exists("dfx_outputs/rank0/d6"));
    assert_false(exists("dfx_outputs/rank17"));
    assert_true(exists("dfx_outputs/rank0/mine/file"));
    assert_true(exists("dfx_outputs/rank0/d5x/file"));
    assert_true(exists("dfx_outputs/merged.json"));
    assert_true(exists("elsewhere/file")); /* a link goes, not what it points to */
    assert_false(exists("dfx_outputs/rank9"));
    assert_true(exists("elsewhere/d0/file"));
    assert_true(exists("dfx_outputs/rank00/d0/file"));
    assert_true(exists("dfx_outputs/rank0/d007/file"));
}

static void a_directory_belongs_to_one_run(void **state)
{
    const struct dfx_options options = {.dfx = {.pmu = 2}};
    struct program_table none = {0};
    struct plan plan = {.world_size = 1};
    struct build build = {.dir = dir, .platform = (char *)(uintptr_t)"a2a3sim"};
    int first, second;
    struct error err;
    struct dfx out;

    (void)state;
    assert_int_equal(dfx_open(&out, &first, &options, &build, &plan, &none, &err), 0);
    assert_int_equal(dfx_open(&out, &second, &options, &build, &plan, &none, &err), -1);
    assert_non_null(strstr(err.what, "another run"));
    assert_non_null(strstr(err.hint, "--dfx-dir"));
    close(second);
    close(first);
    assert_int_equal(dfx_open(&out, &first, &options, &build, &plan, &none, &err), 0);
    close(first);
}

static void every_dispatch_gets_the_names_of_its_program_alone(void **state)
{
    static const char *const named[] = {"rank0/d0", "rank0/c0", "rank0/d1"};
    struct dfx_options options = {.dfx = {.pmu = 2}};
    struct dfx out;
    char path[512];

    (void)state;
    assert_int_equal(open_profiles(&options, "a2a3sim", &out), 0);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        snprintf(path, sizeof path, "grep -q '\"7\":.*\"mul\"' %s/dfx_outputs/%s/name_map.json", dir, named[i]);
        assert_int_equal(system(path), 0);
        snprintf(path, sizeof path, "grep -q '\"program\":.*\"one\"' %s/dfx_outputs/%s/dispatch_program.json", dir,
                 named[i]);
        assert_int_equal(system(path), 0);
    }
    assert_false(exists("dfx_outputs/rank0/d2"));
    assert_true(exists("dfx_outputs/rank1/d0"));
    assert_false(exists("dfx_outputs/rank1/d0/name_map.json")); /* no names rather than another program's */
    assert_false(exists("dfx_outputs/rank2"));
}

static void swimlane_brings_the_graph_on_simulators_only(void **state)
{
    struct dfx_options options = {.dfx = {.swimlane = 1}};
    struct dfx out;

    (void)state;
    assert_int_equal(open_profiles(&options, "a2a3sim", &out), 0);
    assert_true(out.dep_gen);
    assert_int_equal(open_profiles(&options, "a2a3", &out), 0);
    assert_false(out.dep_gen);
}

static void another_directory_is_made_and_absolute(void **state)
{
    struct dfx_options options = {.dfx = {.dep_gen = true}};
    struct dfx out;
    char path[512];

    (void)state;
    snprintf(path, sizeof path, "%s/a/../b/c", dir);
    temp_dir_put_text(dir, "a/file", "");
    options.dir = path;
    assert_int_equal(open_profiles(&options, "a2a3sim", &out), 0);
    assert_true(exists("b/c/rank0/d1/dispatch_program.json"));
    assert_false(exists("dfx_outputs"));
    assert_null(strstr(out.dir, ".."));
}

static int setup(void **state)
{
    (void)state;
    dir = temp_dir_make();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_rank_and_count, setup, teardown),
        cmocka_unit_test_setup_teardown(an_l2_build_has_flat_profiles, setup, teardown),
        cmocka_unit_test(names_of_one_dispatch),
        cmocka_unit_test_setup_teardown(nothing_asked_for_touches_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(stale_dispatches_go_and_the_rest_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(a_directory_belongs_to_one_run, setup, teardown),
        cmocka_unit_test_setup_teardown(every_dispatch_gets_the_names_of_its_program_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(swimlane_brings_the_graph_on_simulators_only, setup, teardown),
        cmocka_unit_test_setup_teardown(another_directory_is_made_and_absolute, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
