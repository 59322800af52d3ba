/* The plan stream: what is read, what is refused and how, and that writing and reading give the same plan. */
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

/* Every kind of record once, and every form of view and scalar. */
static const char *const sample[] = {
    "{\"plan\":1,\"world_size\":3,\"build\":\"unknown keys are ignored\"}",
    "{\"note\":\"n was taken as 4, \\\"quoted\\\"\"}",
    "{\"storage\":0,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[4,128],\"direction\":\"In\"}",
    "{\"storage\":1,\"name\":\"tmp\",\"kind\":\"temp\",\"dtype\":\"int64\",\"shape\":[],\"fill\":-7}",
    "{\"storage\":2,\"name\":\"low\",\"kind\":\"temp\",\"dtype\":\"fp16\",\"shape\":[8],\"fill\":\"-inf\"}",
    "{\"domain\":0,\"name\":\"comm\",\"workers\":[2,0],\"window\":512,"
    "\"buffers\":[{\"name\":\"a\",\"offset\":0,\"nbytes\":256},{\"name\":\"b\",\"offset\":256,\"nbytes\":256}]}",
    "{\"copy\":0,\"line\":4,\"dst\":[0,\"fp32\",0,[4,128]],\"fill\":0.10000000000000001}",
    "{\"dispatch\":1,\"program\":\"p\",\"card\":2,\"k\":0,\"line\":9,\"args\":[[\"in\",0,\"fp32\",64,[2,64],[128,1]],"
    "[\"inout\",3,\"fp32\",64,[64]]],\"scalars\":[9007199254740991,\"9007199254740992\",\"18446744073709551615\","
    "[\"ctx\",0,2,0],[\"win\",0,0,\"9223372036854775808\"]]}",
    "{\"dispatch\":2,\"program\":\"q\",\"card\":0,\"group\":0,\"args\":[[\"out\",1,\"int64\",0,[]],"
    "[\"no_dep\",0,\"int8\",2047,[1]]],\"scalars\":[]}",
    "{\"dispatch\":3,\"program\":\"p\",\"card\":1,\"group\":0,\"args\":[[\"out_existing\",0,\"fp32\",128,[128]]],"
    "\"scalars\":[]}",
    "{\"end_domain\":0}",
    "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128]],\"src\":[0,\"fp32\",0,[4,128],[0,1]]}",
    "{\"sub\":5,\"name\":\"verify\",\"line\":50,\"args\":[[\"in\",0,\"fp32\",0,[0,128]]],\"scalars\":[1]}",
    "{\"edges\":5,\"preds\":[[4,\"raw\",0]]}",
    "{\"end\":6}",
};

enum { SAMPLE = sizeof sample / sizeof *sample };

/* Feed lines; the first `count` of the sample when `lines` is NULL. Returns 0 and the plan, or -1. */
static int read_lines(const char *const *lines, size_t count, struct plan *out, struct error *err)
{
    struct plan_stream *s = plan_stream_new("origin", err);
    int rc = 0;

    assert_non_null(s);
    *err = (struct error){.what = ""};
    for (size_t i = 0; i < count && rc == 0; i++) {
        char *line = strdup(lines[i]);

        assert_non_null(line);
        rc = plan_stream_line(s, line, strlen(line), err);
        free(line);
    }
    if (rc == 0) {
        rc = plan_stream_finish(s, out, err);
    }
    plan_stream_free(s);
    return rc;
}

static void test_sample(void **state)
{
    struct plan p;
    struct error err;
    double value;

    (void)state;
    if (read_lines(sample, SAMPLE, &p, &err)) {
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
        sample[0],
        sample[2],
        "{\"dispatch\":0,\"program\":\"p\",\"card\":0,\"args\":[[\"in\",0,\"fp32\",0,[128]],"
        "[\"out\",0,\"fp32\",0,[128]],[\"in\",0,\"fp32\",0,[128],[1]],[\"in\",0,\"fp32\",128,[128]]],\"scalars\":[]}",
        "{\"end\":1}",
    };
    struct plan p;
    struct error err;

    (void)state;
    assert_int_equal(read_lines(lines, 4, &p, &err), 0);
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
    assert_int_equal(read_lines(sample, SAMPLE, &p, &err), 0);
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

/* A record of the sample is put in place of another one; the error must name its line and hold `what`. */
static void refused(size_t at, const char *line, const char *what)
{
    const char *lines[SAMPLE];
    char where[32];
    struct plan p;
    struct error err;

    memcpy(lines, sample, sizeof lines);
    lines[at] = line;
    snprintf(where, sizeof where, "origin, line %zu", at + 1);
    if (read_lines(lines, SAMPLE, &p, &err) == 0) {
        fail_msg("accepted: %s", line);
    }
    if (strncmp(err.where, where, strlen(where)) != 0 ||
        (err.where[strlen(where)] && !strchr(" ,", err.where[strlen(where)])) || !strstr(err.what, what)) {
        fail_msg("%s\n  gives: %s\n  in: %s, wanted %s", line, err.what, err.where, where);
    }
}

/* The same, and it is taken. */
static void accepted(size_t at, const char *line)
{
    struct error err;
    struct plan_stream *s = plan_stream_new("origin", &err);

    assert_non_null(s);
    for (size_t i = 0; i <= at; i++) {
        char *copy = strdup(i == at ? line : sample[i]);

        assert_non_null(copy);
        if (plan_stream_line(s, copy, strlen(copy), &err)) {
            fail_msg("%s\n  gives: %s", copy, err.what);
        }
        free(copy);
    }
    plan_stream_free(s);
}

static void test_header_is_checked(void **state)
{
    struct error err;
    struct plan p;
    const char *lines[1] = {"{\"plan\":2,\"world_size\":1}"};

    (void)state;
    refused(0, "{\"plan\":2,\"world_size\":3}", "version 2");
    assert_int_equal(read_lines(lines, 1, &p, &err), -1);
    assert_non_null(strstr(err.hint, "record the plan again"));
    refused(0, "{\"world_size\":3,\"plan\":1}", "header");
    refused(0, "{\"plan\":1}", "world_size");
    refused(0, "{\"plan\":1,\"world_size\":0}", "0 cards");
    refused(0, "{\"plan\":1,\"world_size\":1e9}", "world_size");
    refused(0, "{\"plan\":true,\"world_size\":1}", "an integer is needed, not true");
    refused(1, "{\"plan\":1,\"world_size\":3}", "second header");
    refused(1, sample[SAMPLE - 1], "says that it has 6");
}

static void test_lines_are_checked(void **state)
{
    static const char *const garbage[] = {
        "", "x", "[]", "{}", "{\"note\":\"a\"", "{\"note\":\"a\"} {}", "null", "{\"note\":\"a\"}x"};
    struct error err;
    struct plan_stream *s = plan_stream_new("origin", &err);
    char zero[] = "{\"plan\":1,\0\"world_size\":1}";

    (void)state;
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        refused(2, garbage[i], "line 3");
    }
    refused(2, "{\"surprise\":1}", "\"surprise\" is unknown");
    assert_int_equal(plan_stream_line(s, zero, sizeof zero - 1, &err), -1);
    plan_stream_free(s);
}

static void test_storages_are_checked(void **state)
{
    (void)state;
    refused(2, sample[3], "id 1 where 0 comes next");
    refused(2, "{\"storage\":0,\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4]}", "'name': it is missing");
    refused(2, "{\"storage\":0,\"name\":7,\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4]}",
            "a string is needed, not 7");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"lost\",\"dtype\":\"fp32\",\"shape\":[4]}", "\"lost\"");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp33\",\"shape\":[4]}", "\"fp33\"");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[-4]}", "shape");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4.5]}", "4.5");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[1e300]}", "shape");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":4}",
            "a list is needed, not 4");
    refused(2,
            "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[0,9007199254740991,"
            "9007199254740991]}",
            "2^60");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[4,128]}", "direction");
    refused(2, "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4],\"fill\":1e999}",
            "fill");
    refused(2,
            "{\"storage\":0,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":"
            "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}",
            "more than 16");
}

static void test_domains_are_checked(void **state)
{
    (void)state;
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[],\"window\":8}", "no members");
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[3],\"window\":8}", "card 3");
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[1,1],\"window\":8}", "twice");
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[\"1\"],\"window\":8}", "workers");
    refused(5, "{\"domain\":0,\"name\":\"c\",\"workers\":[1],\"window\":-8}", "window");
    refused(5, "{\"domain\":1,\"name\":\"c\",\"workers\":[1],\"window\":8}", "id 1 where 0");
    refused(5,
            "{\"domain\":0,\"name\":\"c\",\"workers\":[1],\"window\":8,"
            "\"buffers\":[{\"name\":\"b\",\"offset\":4,\"nbytes\":5}]}",
            "outside the window");
    refused(4, "{\"end_domain\":0}", "does not exist");
    refused(11, "{\"end_domain\":0}", "ends twice");
    refused(11, "{\"dispatch\":4,\"program\":\"p\",\"card\":2,\"args\":[],\"scalars\":[[\"ctx\",0,2,0]]}",
            "used after its end");
    refused(11, "{\"copy\":4,\"dst\":[3,\"fp32\",0,[1]],\"fill\":0}", "used after its end");
}

static void test_nodes_are_checked(void **state)
{
    (void)state;
    refused(7, "{\"dispatch\":2,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[]}", "id 2 where 1");
    refused(7, "{\"dispatch\":1,\"program\":\"\",\"card\":0,\"args\":[],\"scalars\":[]}", "empty");
    refused(7, "{\"dispatch\":1,\"card\":0,\"args\":[],\"scalars\":[]}", "'program': it is missing");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":3,\"args\":[],\"scalars\":[]}", "card 3");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"args\":[],\"scalars\":[]}", "'card': it is missing");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"scalars\":[]}", "'args': it is missing");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[]}", "'scalars': it is missing");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[9007199254740992]}", "2^53");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[-1]}", "scalars");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[\"18446744073709551616\"]}",
            "64-bit");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[\" 1\"]}", "64-bit");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[[\"ctx\",0,1,0]]}", "no member");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[[\"ctx\",1,0,0]]}",
            "domain 1 does not exist");
    refused(7, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[],\"scalars\":[[\"ctx\",0,0]]}", "kind");
    refused(9, "{\"dispatch\":3,\"program\":\"p\",\"card\":1,\"args\":[],\"scalars\":[],\"group\":-1}", "group");
    refused(11, "{\"dispatch\":4,\"program\":\"p\",\"card\":1,\"args\":[],\"scalars\":[],\"k\":\"0\"}", "'k'");
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128]],\"src\":[0,\"fp32\",0,[128,4]]}", "different shapes");
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128]]}", "either");
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128]],\"src\":[0,\"fp32\",0,[4,128]],\"fill\":0}", "either");
    refused(12, "{\"sub\":5,\"line\":50,\"args\":[],\"scalars\":[]}", "'name': it is missing");
}

/* A dispatch with this argument. */
static void refused_arg(const char *arg, const char *what)
{
    char line[256];

    snprintf(line, sizeof line, "{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[%s],\"scalars\":[]}", arg);
    refused(7, line, what);
}

static void test_views_are_checked(void **state)
{
    (void)state;
    refused_arg("7", "a list is needed, not 7");
    refused_arg("[]", "not a tagged view");
    refused_arg("[]", "not a tagged view");
    refused_arg("[\"maybe\",0,\"fp32\",0,[1]]", "\"maybe\" is not known");
    refused_arg("[\"in\",5,\"fp32\",0,[1]]", "storage 5");
    refused_arg("[\"in\",0,\"fp32\",0]", "too few");
    refused_arg("[\"in\",0,\"fp32\",0,[0]]", "empty view of x");
    refused_arg("[\"in\",0,\"fp32\",0,[4,0,2]]", "empty view of x");
    refused_arg("[\"in\",0,\"fp32\",0,[1],[1],[1]]", "too many");
    refused_arg("[\"in\",0,\"fp32\",0,[2,2],[1]]", "1 strides");
    refused_arg("[\"in\",0,\"fp32\",512,[1]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"fp32\",511,[2]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"fp32\",0,[4,128],[129,1]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"int64\",0,[257]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"fp32\",9007199254740991,[1]]", "2048 bytes in all");
    refused_arg("[\"in\",0,\"fp32\",0,[9007199254740991,9007199254740991]]", "huge");
    refused_arg("[\"in\",0,\"fp32\",0,[4096],[4503599627370496]]", "huge");
    /* 128^9 elements, though no byte is outside. */
    refused_arg("[\"in\",0,\"fp32\",0,[128,128,128,128,128,128,128,128,128],[0,0,0,0,0,0,0,0,1]]", "huge");
}

/* What a device cannot be given: its tensors have 5 dimensions of 32 bits. */
static void test_views_of_dispatches_fit_a_device(void **state)
{
    static const char five[] = "{\"dispatch\":1,\"program\":\"p\",\"card\":0,"
                               "\"args\":[[\"in\",0,\"fp32\",0,[1,1,1,4,128]]],\"scalars\":[]}";
    static const char longest[] = "{\"dispatch\":0,\"program\":\"p\",\"card\":0,"
                                  "\"args\":[[\"in\",0,\"int8\",0,[4294967295]]],\"scalars\":[]}";
    const char *lines[] = {
        "{\"plan\":1,\"world_size\":1}",
        "{\"storage\":0,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"int8\",\"shape\":[8589934592],\"direction\":"
        "\"In\"}",
        longest,
        "{\"end\":1}",
    };
    struct plan p;
    struct error err;

    (void)state;
    refused_arg("[\"in\",0,\"fp32\",0,[1,1,1,1,4,128]]", "6 dimensions");
    refused_arg("[\"in\",0,\"fp32\",0,[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]", "16 dimensions");
    refused_arg("[\"in\",0,\"fp32\",0,[4,128],[0,1]]", "expanded view of x");
    refused_arg("[\"in\",0,\"fp32\",0,[1,128],[0,1]]", "expanded view of x");
    refused_arg("[\"in\",0,\"fp32\",0,[1,128],[4294967296,1]]", "2^32");
    accepted(7, five);
    assert_int_equal(read_lines(lines, 4, &p, &err), 0);
    assert_int_equal(p.dims[p.views[0].dims], 4294967295);
    plan_free(&p);
    lines[2] = "{\"dispatch\":0,\"program\":\"p\",\"card\":0,"
               "\"args\":[[\"in\",0,\"int8\",0,[4294967296]]],\"scalars\":[]}";
    assert_int_equal(read_lines(lines, 4, &p, &err), -1);
    assert_non_null(strstr(err.what, "2^32"));
}

/* A dispatch of `ntensor` tensors and `nscalar` scalars. */
static char *wide_dispatch(unsigned ntensor, unsigned nscalar)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    fputs("{\"dispatch\":1,\"program\":\"p\",\"card\":0,\"args\":[", f);
    for (unsigned i = 0; i < ntensor; i++) {
        fprintf(f, "%s[\"in\",0,\"fp32\",0,[1]]", i ? "," : "");
    }
    fputs("],\"scalars\":[", f);
    for (unsigned i = 0; i < nscalar; i++) {
        fputs(i ? ",1" : "1", f);
    }
    fputs("]}", f);
    fclose(f);
    return text;
}

static void test_arguments_of_dispatches_are_counted(void **state)
{
    char *most = wide_dispatch(256, 128), *tensors = wide_dispatch(257, 0), *scalars = wide_dispatch(0, 129);

    (void)state;
    accepted(7, most);
    refused(7, tensors, "257 tensors");
    refused(7, scalars, "129 scalars");
    free(most);
    free(tensors);
    free(scalars);
}

/* Only the source of a copy may have one element in several places. */
static void test_only_sources_are_expanded(void **state)
{
    (void)state;
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128],[0,1]],\"src\":[0,\"fp32\",0,[4,128]]}", "expanded");
    refused(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128],[0,1]],\"fill\":0}", "expanded");
    refused(12, "{\"sub\":5,\"name\":\"s\",\"args\":[[\"in\",0,\"fp32\",0,[2],[0]]],\"scalars\":[]}", "expanded");
    accepted(11, "{\"copy\":4,\"dst\":[0,\"fp32\",0,[1,128],[0,1]],\"fill\":0}");
}

static void test_parameters_have_different_names(void **state)
{
    (void)state;
    refused(3,
            "{\"storage\":1,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[4],\"direction\":\"In\"}",
            "two parameters called x");
    accepted(3, "{\"storage\":1,\"name\":\"x\",\"kind\":\"temp\",\"dtype\":\"fp32\",\"shape\":[4]}");
}

/* The line of host_orch.py that a record came from is said too, and not taken for the one of the stream. */
static void test_errors_name_both_lines(void **state)
{
    static const struct {
        const char *line, *where;
    } cases[] = {
        {"{\"dispatch\":0,\"program\":\"p\",\"card\":7,\"line\":37,\"args\":[],\"scalars\":[]}",
         "origin, line 2 (host_orch.py:37)"},
        {"{\"dispatch\":0,\"program\":\"p\",\"card\":7,\"line\":0,\"args\":[],\"scalars\":[]}", "origin, line 2"},
        {"{\"dispatch\":0,\"program\":\"p\",\"card\":7,\"line\":\"9\",\"args\":[],\"scalars\":[]}",
         "origin, line 2, field line"},
        {"{\"dispatch\":0,\"program\":\"p\",\"card\":7,\"line\":1e300,\"args\":[],\"scalars\":[]}",
         "origin, line 2, field line"},
        {"{\"dispatch\":0,\"line\":9", "origin, line 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *lines[] = {sample[0], cases[i].line};
        struct plan p;
        struct error err;

        assert_int_equal(read_lines(lines, 2, &p, &err), -1);
        assert_string_equal(err.where, cases[i].where);
    }
}

static void test_truncation_is_noticed(void **state)
{
    (void)state;
    for (size_t count = 0; count < SAMPLE; count++) {
        struct plan p;
        struct error err;

        assert_int_equal(read_lines(sample, count, &p, &err), -1);
        assert_non_null(strstr(err.what, "no end record"));
    }
}

static void test_nothing_follows_the_end(void **state)
{
    const char *lines[SAMPLE + 1];
    struct plan p;
    struct error err;

    (void)state;
    memcpy(lines, sample, sizeof sample);
    lines[SAMPLE] = "{\"note\":\"late\"}";
    assert_int_equal(read_lines(lines, SAMPLE + 1, &p, &err), -1);
    assert_non_null(strstr(err.what, "after the end"));
}

/* Whatever byte of a plan is changed: a full error, or a plan in which every index holds. */
static void test_damaged_bytes(void **state)
{
    static const char replacements[] = {'0', '9', '-', '"', ',', ']', '}', 'e', '\x01', '\xff'};
    const char *lines[SAMPLE];
    size_t refused_count = 0, accepted = 0;

    (void)state;
    memcpy(lines, sample, sizeof lines);
    for (size_t at = 0; at < SAMPLE; at++) {
        char *line = strdup(sample[at]);

        assert_non_null(line);
        lines[at] = line;
        for (size_t i = 0; line[i]; i++) {
            for (size_t k = 0; k < sizeof replacements; k++) {
                char before = line[i];
                struct error err;
                struct plan p;

                line[i] = replacements[k];
                if (read_lines(lines, SAMPLE, &p, &err) == 0) {
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
        lines[at] = sample[at];
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
        cmocka_unit_test(test_header_is_checked),
        cmocka_unit_test(test_lines_are_checked),
        cmocka_unit_test(test_storages_are_checked),
        cmocka_unit_test(test_domains_are_checked),
        cmocka_unit_test(test_nodes_are_checked),
        cmocka_unit_test(test_views_are_checked),
        cmocka_unit_test(test_views_of_dispatches_fit_a_device),
        cmocka_unit_test(test_arguments_of_dispatches_are_counted),
        cmocka_unit_test(test_only_sources_are_expanded),
        cmocka_unit_test(test_parameters_have_different_names),
        cmocka_unit_test(test_errors_name_both_lines),
        cmocka_unit_test(test_truncation_is_noticed),
        cmocka_unit_test(test_nothing_follows_the_end),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_missing_file),
    };

    log_set_level(LOG_NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
