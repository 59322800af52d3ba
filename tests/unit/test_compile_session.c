/* A session asks each compiler for its version once, and reads PTO-ISA once, whatever is done in it. */
#include "tests/support/compile_fixture.h"

#include <stdlib.h>

static const char kernel_text[] = "extern \"C\" int kernel_entry() { return 7; }\n";

/* A script is no compiler whose version the store keeps: it is asked each time that somebody wants to know. */
static void counting_compiler(struct fixture *f, const char *variable, const char *name, const char *real)
{
    char *extra = fixture_text("[ \"$1\" = --version ] && echo \"$0\" >>\"$odd/versions\"");

    fixture_compiler(f, variable, name, extra, real);
    free(extra);
}

static int versions_asked(const struct fixture *f, const char *name)
{
    char *path = fixture_text("%s/versions", f->root), *line = NULL;
    FILE *file = fopen(path, "r");
    size_t size = 0;
    int n = 0;

    free(path);
    assert_non_null(file);
    while (getline(&line, &size, file) > 0) {
        n += strstr(line, name) != NULL;
    }
    free(line);
    fclose(file);
    return n;
}

static void open_session(struct fixture *f, struct compile_session **session)
{
    if (compile_session_open(&f->session, session, &f->err) < 0) {
        fail_msg("%s (in %s)", f->err.what, f->err.where);
    }
}

static void compile(struct fixture *f, struct compile_session *session, unsigned built)
{
    compiled_free(&f->out);
    if (compile_programs(session, &f->table, &f->options, &f->out, &f->err) < 0) {
        fail_msg("%s (in %s)", f->err.what, f->err.where);
    }
    assert_int_equal(f->out.nbuilt, built);
}

static void identify(struct fixture *f, struct compile_session *session, struct cache_identity *identity)
{
    if (compile_identity(session, &f->table, "a2a3sim", identity, &f->err) < 0) {
        fail_msg("%s (in %s)", f->err.what, f->err.where);
    }
}

static void test_compilers_are_asked_once(void **state)
{
    struct cache_identity before, after;
    struct compile_session *session;
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", kernel_text);
    counting_compiler(&f, "L3REPLAY_KERNEL_CXX", "kernel-c++", "clang++-19");
    counting_compiler(&f, "L3REPLAY_ORCH_CXX", "orch-c++", "g++");
    open_session(&f, &session);
    /* What --no-recompile does: it compares stamps, compiles, and stamps. */
    identify(&f, session, &before);
    compile(&f, session, 2);
    identify(&f, session, &after);
    compile(&f, session, 0);
    compile_session_close(session);
    assert_int_equal(versions_asked(&f, "kernel-c++"), 1);
    assert_int_equal(versions_asked(&f, "orch-c++"), 1);
    assert_string_equal(before.runtime_revision, after.runtime_revision);
    identity_free(&before);
    identity_free(&after);
    fixture_close(&f);
}

/* What a source of an earlier compile says is not taken for what it says now. */
static void test_edits_within_a_session(void **state)
{
    struct compile_session *session;
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_put(&f, "build/next_levels/prog0/kernels/aiv/n.h", "enum { N = 7 };\n");
    fixture_kernel(&f, 0, "k", "#include \"n.h\"\nextern \"C\" int kernel_entry() { return N; }\n");
    open_session(&f, &session);
    compile(&f, session, 2);
    assert_int_equal(fixture_kernel_result(&f, 0), 7);
    fixture_put(&f, "build/next_levels/prog0/kernels/aiv/n.h", "enum { N = 11 };\n");
    compile(&f, session, 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 11);
    compile_session_close(session);
    fixture_close(&f);
}

/* Only a session that began after a change of PTO-ISA sees it, so it was read once in the first. */
static void test_pto_isa_is_read_once(void **state)
{
    struct cache_identity first, second, later;
    struct compile_session *session;
    struct fixture f;
    char *isa;

    (void)state;
    fixture_open(&f);
    isa = fixture_text("%s/isa", f.root);
    fixture_put(&f, "isa/include/pto/pto-inst.hpp", "#pragma once\n");
    assert_int_equal(setenv("PTO_ISA_ROOT", isa, 1), 0);
    fixture_kernel(&f, 0, "k", "#include <pto/pto-inst.hpp>\nextern \"C\" int kernel_entry() { return 7; }\n");
    open_session(&f, &session);
    identify(&f, session, &first);
    fixture_put(&f, "isa/include/pto/pto-inst.hpp", "#pragma once\n#define CHANGED\n");
    identify(&f, session, &second);
    assert_string_equal(first.pto_isa_revision, second.pto_isa_revision);
    compile_session_close(session);
    open_session(&f, &session);
    identify(&f, session, &later);
    assert_string_not_equal(first.pto_isa_revision, later.pto_isa_revision);
    compile_session_close(session);
    identity_free(&first);
    identity_free(&second);
    identity_free(&later);
    free(isa);
    fixture_close(&f);
}

/* Programs of one session that do not use PTO-ISA have none in their identity. */
static void test_identity_without_pto_isa(void **state)
{
    struct cache_identity identity;
    struct compile_session *session;
    struct fixture f;

    (void)state;
    fixture_open(&f);
    assert_int_equal(setenv("PTO_ISA_ROOT", "/nowhere", 1), 0);
    fixture_kernel(&f, 0, "k", kernel_text);
    open_session(&f, &session);
    identify(&f, session, &identity);
    assert_string_equal(identity.pto_isa_revision, "l3replay-none");
    assert_string_equal(identity.runtime_name, "tensormap_and_ringbuffer");
    compile_session_close(session);
    identity_free(&identity);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compilers_are_asked_once),
        cmocka_unit_test(test_edits_within_a_session),
        cmocka_unit_test(test_pto_isa_is_read_once),
        cmocka_unit_test(test_identity_without_pto_isa),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
