/* Commands of a runtime are run as it says them, with what is added in the places where its own tools have it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rank-worker/compile/stack_commands.h"

static void fill(struct stack_commands *s)
{
    *s = (struct stack_commands){.directory = strdup("/rt")};
    args_add_all(&s->kernel[CORE_AIC], (const char *const[]){"cxx", "-Dcube"}, 2);
    args_add_all(&s->kernel[CORE_AIV], (const char *const[]){"cxx", "-Dvec", "-Isrc"}, 3);
    args_add_all(&s->orchestration, (const char *const[]){"g++", "-shared", "-Wl,--build-id=sha1"}, 3);
    args_add_all(&s->shared, (const char *const[]){"src/a.cpp", "/abs/b.cpp"}, 2);
}

static void expect(struct args *got, const char *text)
{
    char *all = args_text(got);

    assert_non_null(all);
    assert_string_equal(all, text);
    free(all);
    args_free(got);
}

static void test_commands(void **state)
{
    char *dirs[] = {(char[]){"/own"}, NULL};
    const struct kernel vector = {.core = CORE_AIV, .ninclude = 1, .include_dirs = dirs}, cube = {.core = CORE_AIC};
    struct args out = {0}, objects = {0};
    struct stack_commands s;

    (void)state;
    fill(&s);
    stack_command(&s, &vector, &out);
    expect(&out, "cxx -Dvec -Isrc -I/own");
    stack_command(&s, &cube, &out);
    expect(&out, "cxx -Dcube");
    stack_command(&s, NULL, &out);
    expect(&out, "g++ -shared -Wl,--build-id=sha1");

    /* One command with all sources has the shared ones first. */
    args_add_all(&objects, (const char *const[]){"a.o", "b.o"}, 2);
    stack_link(&s, &objects, "own.o", "out.so", &out);
    expect(&out, "g++ -shared -Wl,--build-id=sha1 a.o b.o -o out.so own.o");
    args_free(&objects);

    stack_run_in(&s, &out);
    args_add(&out, "true");
    expect(&out, "/usr/bin/env -C /rt true");
    stack_commands_free(&s);
}

static void test_paths(void **state)
{
    struct stack_commands s;
    char *relative, *absolute;

    (void)state;
    fill(&s);
    relative = stack_path(&s, s.shared.v[0]);
    absolute = stack_path(&s, s.shared.v[1]);
    assert_string_equal(relative, "/rt/src/a.cpp");
    assert_string_equal(absolute, "/abs/b.cpp");
    free(relative);
    free(absolute);
    stack_commands_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands), cmocka_unit_test(test_paths)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
