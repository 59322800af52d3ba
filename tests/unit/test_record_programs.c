/* kernel_config.py as struct program (docs/formats.md, "kernel_config.py"). */
#include "tests/support/record_build.h"

static struct recording evaluate(const char *chip, const char *second)
{
    struct recording r = {.dir = temp_dir_make()};

    build_put(r.dir, 1, XY, HEADER ENTRY "    pass\n" MARK);
    temp_dir_put_text(r.dir, "next_levels/chip/kernel_config.py", chip);
    if (second) {
        temp_dir_put_text(r.dir, "next_levels/a.second__sum/kernel_config.py", second);
    }
    log_set_level(LOG_NULL);
    assert_int_equal(build_open(r.dir, &r.build, &r.err), 0);
    r.rc = record_programs(&r.build, &r.programs, &r.err);
    return r;
}

static void assert_path(const struct recording *r, const char *path, const char *below)
{
    char expected[512];

    snprintf(expected, sizeof expected, "%s/%s", r->build.dir, below);
    assert_string_equal(path, expected);
}

static void both_styles(void **state)
{
    struct recording r = evaluate(
        KERNEL_CONFIG,
        "# Kernel and Orchestration Configuration\n"
        "from pathlib import Path\n"
        "\n"
        "_ROOT_DIR = Path(__file__).parent\n"
        "RUNTIME_CONFIG = {\n"
        "    \"aicpu_thread_num\": 3,\n"
        "    \"block_dim\": 8,\n"
        "    \"enable_sdma\": True,\n"
        "}\n"
        "ORCHESTRATION = {\n"
        "    \"source\": _ROOT_DIR / \"orchestration\" / \"second.cpp\",\n"
        "    \"function_name\": \"entry\",\n"
        "    \"config_name\": \"entry_config\",\n"
        "}\n"
        "KERNELS = [\n"
        "    {\"func_id\": 0, \"name\": \"mm\", \"source\": str(_ROOT_DIR / \"kernels\" / \"aic\" / \"mm.cpp\"),\n"
        "     \"core_type\": \"aic\", \"signature\": [1, 3, 0]},\n"
        "    {\"func_id\": 7, \"name\": \"ext\", \"source\": \"/elsewhere/ext.cpp\", \"core_type\": \"aiv\",\n"
        "     \"external\": True, \"extra_include_dirs\": [\"/elsewhere/include\", _ROOT_DIR]},\n"
        "]\n");
    const struct program *p = r.programs.items;

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.programs.count, 2);
    assert_string_equal(p[0].name, "a.second__sum");
    assert_string_equal(p[1].name, "chip");
    assert_path(&r, p[0].dir, "next_levels/a.second__sum");
    assert_path(&r, p[0].orchestration, "next_levels/a.second__sum/orchestration/second.cpp");
    assert_string_equal(p[0].runtime, "tensormap_and_ringbuffer");
    assert_int_equal(p[0].aicpu_thread_num, 3);
    assert_true(p[0].enable_sdma);
    assert_string_equal(p[0].function_name, "entry");
    assert_string_equal(p[0].config_name, "entry_config");
    assert_false(p[0].signature.given);
    assert_int_equal(p[0].nkernel, 2);
    assert_int_equal(p[0].kernels[0].core, CORE_AIC);
    assert_int_equal(p[0].kernels[0].signature.count, 3);
    assert_int_equal(p[0].kernels[0].signature.directions[1], ARG_INOUT);
    assert_int_equal(p[0].kernels[1].func_id, 7);
    assert_true(p[0].kernels[1].external);
    assert_false(p[0].kernels[1].signature.given);
    assert_string_equal(p[0].kernels[1].source, "/elsewhere/ext.cpp");
    assert_int_equal(p[0].kernels[1].ninclude, 2);
    assert_path(&r, p[0].kernels[1].include_dirs[1], "next_levels/a.second__sum");
    assert_false(p[1].enable_sdma);
    assert_string_equal(p[1].config_name, "aicpu_orchestration_config");
    assert_true(p[1].signature.given);
    assert_int_equal(p[1].signature.directions[0], ARG_IN);
    assert_int_equal(p[1].signature.directions[1], ARG_OUT);
    assert_string_equal(p[1].kernels[0].name, "k");
    recording_free(&r);
}

#define ORCH "ORCHESTRATION = {'source': 'o.cpp', 'function_name': 'f'}\n"
#define KERNEL(fields) ORCH "KERNELS = [{'func_id': 0, 'source': 'k.cpp', 'core_type': 'aiv', " fields "}]\n"

static void faults_name_file_and_key(void **state)
{
    static const struct {
        const char *text, *what;
    } cases[] = {
        {"KERNELS = []\n", "ORCHESTRATION is missing"},
        {ORCH, "KERNELS is missing"},
        {"ORCHESTRATION = []\nKERNELS = []\n", "ORCHESTRATION has the wrong type (list)"},
        {ORCH "KERNELS = {}\n", "KERNELS has the wrong type (dict)"},
        {ORCH "KERNELS = [3]\n", "KERNELS[0] is not a dict"},
        {"ORCHESTRATION = {'source': 'o.cpp'}\nKERNELS = []\n", "ORCHESTRATION['function_name'] is missing"},
        {"ORCHESTRATION = {'source': 5, 'function_name': 'f'}\nKERNELS = []\n", "ORCHESTRATION['source'] is 5"},
        {ORCH "KERNELS = [{'func_id': True, 'source': 'k.cpp', 'core_type': 'aiv'}]\n", "['func_id'] is True"},
        {ORCH "KERNELS = [{'func_id': -1, 'source': 'k.cpp', 'core_type': 'aiv'}]\n", "KERNELS[0]['func_id'] is -1"},
        {KERNEL("'signature': ['IN']"), "KERNELS[0]['signature'] holds 'IN'"},
        {KERNEL("'extra_include_dirs': 'x'"), "KERNELS[0]['extra_include_dirs'] is 'x'"},
        {ORCH "KERNELS = [{'func_id': 0, 'source': 'k.cpp', 'core_type': 'aicpu'}]\n", "'core_type'] is 'aicpu'"},
        {ORCH "KERNELS = [{'func_id': 0, 'source': 'k.cpp', 'core_type': 'aiv'}] * 2\n", "another kernel has too"},
        {ORCH "KERNELS = []\nRUNTIME_CONFIG = {'runtime': 1}\n", "RUNTIME_CONFIG['runtime'] is 1"},
        {ORCH "KERNELS = [\n", "cannot be read as Python"},
        {"import missing_module\n", "No module named 'missing_module'"},
        {"1 / 0\n", "ZeroDivisionError"},
        {"raise SystemExit(1)\n", "sys.exit"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recording r = evaluate(cases[i].text, NULL);
        assert_int_equal(r.rc, -1);
        assert_says(r.err.what, cases[i].what);
        assert_says(r.err.where, "next_levels/chip/kernel_config.py");
        assert_true(r.err.hint[0] != '\0');
        recording_free(&r);
    }
}

static void runtimes_must_agree(void **state)
{
    struct recording r =
        evaluate(KERNEL_CONFIG, ORCH "KERNELS = []\nRUNTIME_CONFIG = {'runtime': 'host_build_graph'}\n");

    (void)state;
    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, "'a.second__sum' has host_build_graph");
    assert_says(r.err.what, "'chip' has tensormap_and_ringbuffer");
    recording_free(&r);
}

/* kernel_config.py may print and read the directory that it is in. */
static void runs_under_its_real_path(void **state)
{
    struct recording r =
        evaluate("import os\nprint('kernel_config speaks')\n"
                 "assert os.listdir(os.path.dirname(__file__)) == ['kernel_config.py']\n" ORCH "KERNELS = []\n",
                 NULL);

    (void)state;
    assert_recorded(&r);
    assert_path(&r, r.programs.items[0].orchestration, "next_levels/chip/o.cpp");
    recording_free(&r);
}

static void programs_come_with_the_plan(void **state)
{
    struct recording r = record_body("    pass\n");

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.programs.count, 1);
    assert_int_equal(r.plan.nnote, 1);
    assert_says(plan_text(&r.plan, r.plan.notes[0]), "does not dispatch: chip");
    recording_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_styles),
        cmocka_unit_test(faults_name_file_and_key),
        cmocka_unit_test(runtimes_must_agree),
        cmocka_unit_test(runs_under_its_real_path),
        cmocka_unit_test(programs_come_with_the_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
