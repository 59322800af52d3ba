/* What a compile reports of a job: failures, counts, and what each object was made of. */
#include "tests/support/compile_fixture.h"

#include <xxhash.h>

#include "rank-worker/compile/store_use.h"

static int count_of(const char *text, const char *words)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, words)); at++) {
        n++;
    }
    return n;
}

/* However many compile at once, each is reported once, whole, and as the programs have them. */
static void test_failures_are_in_the_order_of_the_programs(void **state)
{
    static const char *const names[] = {"prog0/aiv/bad1.cpp does not", "prog0/aiv/bad2.cpp does not",
                                        "prog1/aiv/bad3.cpp does not"};
    const char *at;
    struct fixture f;

    (void)state;
    fixture_open(&f);
    f.table.count = 2;
    fixture_kernel(&f, 0, "bad1", "#error first reason\n");
    fixture_kernel(&f, 0, "bad2", "#error second reason\n");
    fixture_kernel(&f, 1, "bad3", "#error third reason\n");
    f.options.jobs = 4;
    fixture_refused(&f, "kernel bad1", "program prog0", "3 of 5");
    at = f.log;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(count_of(f.log, names[i]), 1);
        at = strstr(at, names[i]);
        assert_non_null(at);
    }
    assert_true(strstr(f.log, "first reason") < strstr(f.log, "prog0/aiv/bad2.cpp does not"));
    /* A process that compiles for another one leaves the report to it. */
    f.options.assisting = true;
    fixture_refused(&f, "3 of 5");
    assert_string_equal(f.log, "");
    fixture_close(&f);
}

struct helper {
    struct fixture *f;
    int calls, rc;
};

/* What another process of the job does: it compiles the same programs with the same store. */
static int compile_all_here(void *context, const struct program_table *programs, const bool *wanted, struct error *err)
{
    struct helper *h = context;
    struct compile_options options = h->f->options;
    struct compile_session *session;
    struct compiled out = {0};

    options.share = NULL;
    options.wanted = wanted;
    options.assisting = true;
    h->calls++;
    h->rc = compile_session_open(&h->f->session, &session, err);
    if (h->rc == 0) {
        h->rc = compile_programs(session, programs, &options, &out, err);
    }
    compiled_free(&out);
    compile_session_close(session);
    return 0;
}

/* What another process has compiled for this job is built, not reused, and the job's look-ups count once. */
static void test_built_counts_the_job(void **state)
{
    struct store_counts counts;
    struct helper h = {0};
    struct store s;
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", "extern \"C\" int kernel_entry() { return 7; }\n");
    h.f = &f;
    f.options.share = compile_all_here;
    f.options.context = &h;
    fixture_expect(&f, 2, 0);
    assert_int_equal(h.calls, 1);
    assert_int_equal(h.rc, 0);
    assert_int_equal(store_open(&s, &f.err), 0);
    counts = store_counts_read(&s);
    assert_int_equal(counts.lookups, 2);
    assert_int_equal(counts.hits, 0);
    fixture_expect(&f, 0, 2);
    assert_int_equal(h.calls, 1); /* nothing to compile: nobody is asked */
    counts = store_counts_read(&s);
    assert_int_equal(counts.lookups, 4);
    assert_int_equal(counts.hits, 2);
    store_close(&s);
    fixture_close(&f);
}

static struct key hash_of(const char *text)
{
    XXH128_hash_t hash = XXH3_128bits(text, strlen(text));

    return (struct key){.high = hash.high64, .low = hash.low64};
}

/* The header that a kernel includes, and its content: -1 there is none of this name. */
static int content_of(const struct made_of *m, const char *header, struct key *content)
{
    for (size_t i = 0; i < m->headers.n; i++) {
        if (strcmp(m->headers.v[i], header) == 0) {
            *content = m->contents[i];
            return 0;
        }
    }
    return -1;
}

/* What an object was made of is known, also when it comes out of the store. */
static void test_what_objects_are_made_of(void **state)
{
    static const char source[] = "#include \"k.h\"\nextern \"C\" int kernel_entry() { return K; }\n";
    static const char header[] = "#define K 8\n";
    const struct made_of *m;
    struct key content = {0};
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", source);
    fixture_put(&f, "build/next_levels/prog0/kernels/aiv/k.h", header);
    for (int i = 0; i < 2; i++) {
        fixture_expect(&f, i ? 0 : 2, i ? 2 : 0);
        m = &f.out.items[0].kernels_made[0];
        assert_true(m->known);
        assert_true(key_equal(m->source, hash_of(source)));
        assert_int_equal(content_of(m, "./k.h", &content), 0);
        assert_true(key_equal(content, hash_of(header)));
        assert_true(f.out.items[0].orchestration_made.known);
        assert_int_equal(content_of(&f.out.items[0].orchestration_made, "./k.h", &content), -1);
    }
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_are_in_the_order_of_the_programs),
        cmocka_unit_test(test_built_counts_the_job),
        cmocka_unit_test(test_what_objects_are_made_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
