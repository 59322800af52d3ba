/* The plan stream: what is read, that writing and reading give the same plan, and streams that are cut off or damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "common/plan/plan_stream.h"
#include "tests/support/plan_sample.h"

static void test_sample(void **state)
{
    struct plan p;
    struct error err;
    double value;

    (void)state;
    if (plan_sample_read(plan_sample, PLAN_SAMPLE, &p, &err)) {
        fail_msg("%s: %s", err.where, err.what);
    }
    assert_int_equal(p.world_size, 3);
    assert_int_equal(p.nstorage, 5);
    assert_int_equal(p.nnode, 6);
    assert_int_equal(p.nnote, 1);
    assert_string_equal(plan_text(&p, p.notes[0]), "n was taken as 4, \"quoted\"");
    assert_int_equal(p.storages[0].nbytes, 4 * 128 * 4);
    assert_int_equal(p.storages[1].nbytes, 8);
    assert_true(p.storages[1].fill == -7);
    assert_true(p.storages[2].fill < -1e308);
    assert_int_equal(p.storages[3].kind, PLAN_WINDOW);
    assert_int_equal(p.storages[3].card, 2);
    assert_int_equal(p.storages[4].card, 0);
    assert_string_equal(plan_text(&p, p.storages[4].name), "comm[0]");
    assert_int_equal(p.domains[0].end_node, 4);
    assert_int_equal(p.domains[0].nbuffer, 2);
    assert_true(plan_is_fill(&p.nodes[0]));
    memcpy(&value, &p.scalars[p.nodes[0].first_scalar].bits, sizeof value);
    assert_true(value == 0.1);
    assert_int_equal(p.nodes[0].lane, plan_host_lane(&p));
    assert_int_equal(p.nodes[1].nscalar, 5);
    assert_true(p.scalars[p.nodes[1].first_scalar].bits == (UINT64_C(1) << 53) - 1);
    assert_true(p.scalars[p.nodes[1].first_scalar + 1].bits == UINT64_C(1) << 53);
    assert_true(p.scalars[p.nodes[1].first_scalar + 2].bits == UINT64_MAX);
    assert_int_equal(p.scalars[p.nodes[1].first_scalar + 3].kind, PLAN_DEVICE_CTX);
    assert_int_equal(p.scalars[p.nodes[1].first_scalar + 4].kind, PLAN_WINDOW_BASE);
    assert_true(p.scalars[p.nodes[1].first_scalar + 4].bits == UINT64_C(1) << 63);
    assert_int_equal(p.nodes[1].k, 0);
    assert_int_equal(p.nodes[2].k, PLAN_NONE);
    assert_int_equal(p.nodes[2].group, 0);
    assert_int_equal(p.nodes[1].program, p.nodes[3].program);
    assert_int_equal(p.nodes[5].lane, 4);
    assert_int_equal(p.npred, 0);
    plan_free(&p);
}

/* Equal views and shapes are kept once. */
static void test_views_are_interned(void **state)
{
    const char *lines[] = {
        plan_sample[0],
        plan_sample[2],
        "{\"dispatch\":0,\"program\":\"p\",\"card\":0,\"args\":[[\"in\",0,\"fp32\",0,[128]],"
        "[\"out\",0,\"fp32\",0,[128]],[\"in\",0,\"fp32\",0,[128],[1]],[\"in\",0,\"fp32\",128,[128]]],\"scalars\":[]}",
        "{\"end\":1}",
    };
    struct plan p;
    struct error err;

    (void)state;
    assert_int_equal(plan_sample_read(lines, 4, &p, &err), 0);
    assert_int_equal(p.nview, 2);
    assert_int_equal(p.args[0].view, p.args[2].view);
    /* x's shape, and one shape and stride for all views. */
    assert_int_equal(p.ndim, 4);
    plan_free(&p);
}

static char *save(const struct plan *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct error err;

    assert_non_null(f);
    assert_int_equal(plan_save(p, f, &err), 0);
    fclose(f);
    return text;
}

static void assert_same_array(const void *a, const void *b, uint64_t count, size_t size)
{
    if (count) {
        assert_memory_equal(a, b, count * size);
    }
}

static void test_round_trip(void **state)
{
    char path[] = "/tmp/l3r-test-plan-XXXXXX";
    int fd = mkstemp(path);
    struct plan p, q;
    struct error err;
    char *text, *again;
    FILE *f = fdopen(fd, "w");

    (void)state;
    assert_non_null(f);
    assert_int_equal(plan_sample_read(plan_sample, PLAN_SAMPLE, &p, &err), 0);
    text = save(&p);
    fputs(text, f);
    fclose(f);
    if (plan_load(path, &q, &err)) {
        fail_msg("%s: %s", err.where, err.what);
    }
    unlink(path);
    again = save(&q);
    assert_string_equal(text, again);
    assert_int_equal(p.nview, q.nview);
    assert_same_array(p.views, q.views, p.nview, sizeof *p.views);
    assert_same_array(p.nodes, q.nodes, p.nnode, sizeof *p.nodes);
    assert_same_array(p.args, q.args, p.narg, sizeof *p.args);
    assert_same_array(p.scalars, q.scalars, p.nscalar, sizeof *p.scalars);
    assert_same_array(p.dims, q.dims, p.ndim, sizeof *p.dims);
    assert_same_array(p.domains, q.domains, p.ndomain, sizeof *p.domains);
    assert_same_array(p.cards, q.cards, p.ncard, sizeof *p.cards);
    free(text);
    free(again);
    plan_free(&p);
    plan_free(&q);
}

static void test_truncation_is_noticed(void **state)
{
    (void)state;
    for (size_t count = 0; count < PLAN_SAMPLE; count++) {
        struct plan p;
        struct error err;

        assert_int_equal(plan_sample_read(plan_sample, count, &p, &err), -1);
        assert_non_null(strstr(err.what, "no end record"));
    }
}

static void test_nothing_follows_the_end(void **state)
{
    const char *lines[PLAN_SAMPLE + 1];
    struct plan p;
    struct error err;

    (void)state;
    memcpy(lines, plan_sample, sizeof plan_sample);
    lines[PLAN_SAMPLE] = "{\"note\":\"late\"}";
    assert_int_equal(plan_sample_read(lines, PLAN_SAMPLE + 1, &p, &err), -1);
    assert_non_null(strstr(err.what, "after the end"));
}

/* Whatever byte of a plan is changed: a full error, or a plan in which every index holds. */
static void test_damaged_bytes(void **state)
{
    static const char replacements[] = {'0', '9', '-', '"', ',', ']', '}', 'e', '\x01', '\xff'};
    const char *lines[PLAN_SAMPLE];
    size_t refused_count = 0, accepted = 0;

    (void)state;
    memcpy(lines, plan_sample, sizeof lines);
    for (size_t at = 0; at < PLAN_SAMPLE; at++) {
        char *line = strdup(plan_sample[at]);

        assert_non_null(line);
        lines[at] = line;
        for (size_t i = 0; line[i]; i++) {
            for (size_t k = 0; k < sizeof replacements; k++) {
                char before = line[i];
                struct error err;
                struct plan p;

                line[i] = replacements[k];
                if (plan_sample_read(lines, PLAN_SAMPLE, &p, &err) == 0) {
                    if (plan_check(&p, &err)) {
                        fail_msg("line %zu: %s: %s", at + 1, line, err.what);
                    }
                    plan_free(&p);
                    accepted++;
                } else {
                    assert_true(err.what[0] && err.where[0] && err.hint[0]);
                    refused_count++;
                }
                line[i] = before;
            }
        }
        lines[at] = plan_sample[at];
        free(line);
    }
    assert_true(refused_count > 5000 && accepted > 100);
}

static void test_missing_file(void **state)
{
    struct plan p;
    struct error err;

    (void)state;
    assert_int_equal(plan_load("/nonexistent/plan.jsonl", &p, &err), -1);
    assert_string_equal(err.where, "/nonexistent/plan.jsonl");
    assert_non_null(strstr(err.what, "No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_views_are_interned),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_truncation_is_noticed),
        cmocka_unit_test(test_nothing_follows_the_end),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_missing_file),
    };

    log_set_level(LOG_NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
