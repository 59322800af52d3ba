/* Saved plans: what a file may say of the programs of a build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "orchestrator/plan/saved.h"
#include "tests/support/temp_dir.h"

static const char program_end[] =
    "\",\"runtime\":\"r\",\"aicpu_thread_num\":0,\"enable_sdma\":false,\"orchestration\":\"o.cpp\","
    "\"function_name\":\"f\",\"config_name\":\"c\",\"kernels\":[]}\n";

/* A plan without nodes whose one program lies in `dir`. */
static int load(const char *dir, struct program_table *programs, struct error *err)
{
    char text[1024], path[4096], *temp = temp_dir_make();
    struct plan plan = {0};
    int rc;

    snprintf(text, sizeof text, "{\"plan\":1,\"world_size\":1}\n{\"kernel_config\":\"p\",\"dir\":\"%s%s{\"end\":0}\n",
             dir, program_end);
    temp_dir_put_text(temp, "plan.json", text);
    snprintf(path, sizeof path, "%s/plan.json", temp);
    rc = saved_plan_load(path, "/build", programs, &plan, err);
    plan_free(&plan);
    temp_dir_remove(temp);
    return rc;
}

static void test_programs_lie_in_the_build(void **state)
{
    static const char *const outside[] = {"/etc", "..", "../other", "next_levels/../../other", "a/.."};
    struct program_table programs;
    struct error err;

    (void)state;
    assert_int_equal(load("next_levels/..p", &programs, &err), 0);
    assert_string_equal(programs.items[0].dir, "/build/next_levels/..p");
    program_table_free(&programs);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_int_equal(load(outside[i], &programs, &err), -1);
        assert_non_null(strstr(err.what, "outside the build"));
        assert_non_null(strstr(err.where, "plan.json, line 2"));
        program_table_free(&programs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs_lie_in_the_build),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
