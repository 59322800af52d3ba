/* The plan as people read it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "common/plan/plan_stream.h"
#include "orchestrator/plan/edges.h"
#include "orchestrator/plan/print.h"
#include "orchestrator/plan/print_view.h"

static const char *const sample[] = {
    "{\"plan\":1,\"world_size\":2}",
    "{\"storage\":0,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[2,64,128],\"direction\":\"In\"}",
    "{\"storage\":1,\"name\":\"out\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[64,128],\"direction\":\"Out\"}",
    "{\"storage\":2,\"name\":\"t\\\"mp\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[64,128],\"fill\":0}",
    "{\"domain\":0,\"name\":\"comm\",\"workers\":[1,0],\"window\":1024,"
    "\"buffers\":[{\"name\":\"buf\",\"offset\":0,\"nbytes\":512},{\"name\":\"sig\",\"offset\":512,\"nbytes\":512}]}",
    "{\"dispatch\":0,\"program\":\"chip\",\"card\":0,\"k\":0,\"line\":37,\"args\":[[\"in\",0,\"fp32\",0,[64,128]],"
    "[\"inout\",2,\"fp32\",0,[64,64],[128,1]]],\"scalars\":[[\"ctx\",0,0,0],7]}",
    "{\"dispatch\":1,\"program\":\"chip\",\"card\":1,\"k\":0,\"args\":[[\"in\",0,\"fp32\",8192,[64,128]],"
    "[\"inout\",3,\"fp32\",132,[4]]],\"scalars\":[[\"win\",0,1,64]]}",
    "{\"end_domain\":0}",
    "{\"dispatch\":2,\"program\":\"reduce\",\"card\":1,\"k\":1,\"args\":[[\"in\",2,\"fp32\",64,[2,64],[256,1]],"
    "[\"out_existing\",1,\"fp32\",0,[64,128]],[\"in\",2,\"fp32\",5,[64],[128]]],\"scalars\":[]}",
    "{\"copy\":3,\"line\":50,\"dst\":[2,\"fp32\",0,[64,128]],\"src\":[1,\"fp32\",0,[64,128]]}",
    "{\"copy\":4,\"line\":51,\"dst\":[2,\"fp32\",3,[32,4],[256,1]],\"fill\":0.5}",
    "{\"sub\":5,\"name\":\"verify\",\"args\":[[\"in\",1,\"fp32\",8,[1024]],[\"in\",2,\"fp32\",0,[128,64],[1,128]],"
    "[\"in\",2,\"int8\",16,[2,4]],[\"in\",1,\"fp32\",130,[]],[\"in\",1,\"fp32\",256,[1,128]]],\"scalars\":[]}",
    "{\"end\":6}",
};

static void read_sample(struct plan *p)
{
    struct error err;
    struct plan_stream *s = plan_stream_new("sample", &err);

    assert_non_null(s);
    for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
        char *line = strdup(sample[i]);

        assert_non_null(line);
        if (plan_stream_line(s, line, strlen(line), &err)) {
            fail_msg("%s: %s", err.where, err.what);
        }
        free(line);
    }
    assert_int_equal(plan_stream_finish(s, p, &err), 0);
    plan_stream_free(s);
    assert_int_equal(edges_compile(p, DEPS_EXACT, &err), 0);
}

static char *print(int (*how)(const struct plan *, FILE *, struct error *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct error err;
    struct plan p;

    assert_non_null(f);
    read_sample(&p);
    assert_int_equal(how(&p, f, &err), 0);
    fclose(f);
    plan_free(&p);
    return text;
}

static void test_views(void **state)
{
    /* By node and argument, in order: what a person would write in host_orch.py. */
    static const char *const expected[] = {
        "x[0, :, :]",
        "t\"mp[:, 0:64]",
        "x[1, :, :]",
        "comm[1].sig+16B as [4]",
        "t\"mp[0:3:2, 64:128]",
        "out",
        "t\"mp[:, 5]",
        "t\"mp",
        "out",
        "t\"mp[0:63:2, 3:7]",
        "out.flat[8:1032]",
        "t\"mp.flat[0:] as [128, 64] strides [1, 128]",
        "t\"mp.flat[16:] as [2, 4]",
        "out[1, 2]",
        "out[2:3, :]",
    };
    char text[PRINT_VIEW_SIZE];
    struct plan p;

    (void)state;
    read_sample(&p);
    assert_int_equal(p.narg, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < p.narg; i++) {
        assert_string_equal(print_view(&p, p.args[i].view, text, sizeof text), expected[i]);
    }
    assert_string_equal(print_view(&p, p.args[11].view, text, 12), "t\"mp.fla...");
    plan_free(&p);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("\"%s\" is not in:\n%s", part, text);
    }
}

static void test_text(void **state)
{
    char *text = print(plan_print_text);

    (void)state;
    has(text, "plan for 2 cards: 3 dispatches of 2 programs, 2 host copies, 1 sub-worker call");
    has(text, "  comm  cards 1, 0; window of 1024 bytes: buf[0:512], sig[512:1024]; ends before node 2\n");
    has(text, "0  card 0      chip  d0  host_orch.py:37\n");
    has(text, "scalars       context of comm[0], 7\n");
    has(text, "scalars       window of comm[1] + 64\n");
    has(text, "2  card 1      reduce  d1\n");
    /* 2 reads column 5 of what 0 wrote. */
    has(text, "          waits for 0 (reads t\"mp it wrote)\n");
    has(text, "          waits for 2 (overwrites t\"mp it read, reads out it wrote)\n");
    has(text, "t\"mp[0:63:2, 3:7] = 0.5\n");
    has(text, "5  sub-worker  verify\n");
    has(text, "          waits for 4 (reads t\"mp it wrote)\n");
    free(text);
}

static void test_dot(void **state)
{
    char *text = print(plan_print_dot);
    size_t length = strlen(text);

    (void)state;
    assert_true(strncmp(text, "digraph plan {\n", 15) == 0);
    assert_string_equal(text + length - 2, "}\n");
    has(text, "label=\"card 1\";\n    n1 [label=\"1  chip  d0\"];\n    n1 -> n2 [style=dotted];\n");
    has(text, "label=\"host\"");
    has(text, "n0 -> n2 [label=\"raw t\\\"mp\"];\n");
    has(text, "n2 -> n3 [label=\"raw+war out\"];\n");
    free(text);
}

static void test_full_disk(void **state)
{
    FILE *f = fopen("/dev/full", "w");
    struct error err;
    struct plan p;

    (void)state;
    assert_non_null(f);
    read_sample(&p);
    assert_int_equal(plan_print_text(&p, f, &err), -1);
    assert_non_null(strstr(err.what, "could not be written"));
    clearerr(f);
    assert_int_equal(plan_print_dot(&p, f, &err), -1);
    clearerr(f);
    assert_int_equal(plan_save(&p, f, &err), -1);
    fclose(f);
    plan_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_dot),
        cmocka_unit_test(test_full_disk),
    };

    log_set_level(LOG_ERROR);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
