#include "tests/support/record_build.h"

void build_put(const char *dir, int cards, const char *params, const char *host_orch)
{
    char *meta, ids[256] = "0";

    for (int i = 1; i < cards; i++) {
        snprintf(ids + strlen(ids), sizeof ids - strlen(ids), ",%d", i);
    }
    assert_true(asprintf(&meta,
                         "{\"schema\":2,\"params\":[%s],\"platform\":\"a2a3sim\","
                         "\"distributed_config\":{\"device_ids\":[%s]}}",
                         params, ids) > 0);
    temp_dir_put_text(dir, "distributed_meta.json", meta);
    free(meta);
    temp_dir_put_text(dir, "next_levels/chip/kernel_config.py", KERNEL_CONFIG);
    temp_dir_put_text(dir, "orchestration/host_orch.py", host_orch);
}

void record_request(struct recording *r, struct record_request request)
{
    log_set_level(LOG_NULL);
    if (build_open(r->dir, &r->build, &r->err) < 0) {
        fail_msg("%s (%s)", r->err.what, r->err.where);
    }
    request.build = &r->build;
    r->rc = record_plan(&request, &r->programs, &r->plan, &r->err);
}

struct recording record_text(int cards, const char *params, const char *host_orch)
{
    struct recording r = {.dir = temp_dir_make()};

    build_put(r.dir, cards, params, host_orch);
    record_request(&r, (struct record_request){0});
    return r;
}

struct recording record_body(const char *body)
{
    char *text;
    struct recording r;

    assert_true(asprintf(&text, HEADER ENTRY "%s" MARK, body) > 0);
    r = record_text(2, XY, text);
    free(text);
    return r;
}

void recording_free(struct recording *r)
{
    program_table_free(&r->programs);
    plan_free(&r->plan);
    build_free(&r->build);
    temp_dir_remove(r->dir);
}

void assert_recorded(const struct recording *r)
{
    if (r->rc != 0) {
        fail_msg("%s (%s)", r->err.what, r->err.where);
    }
}

void assert_says(const char *text, const char *words)
{
    if (!strstr(text, words)) {
        fail_msg("'%s' does not say '%s'", text, words);
    }
}

void expect_fault(const char *body, int line, const char *what)
{
    struct recording r = record_body(body);
    char place[64];

    if (r.rc != -1) {
        fail_msg("recorded, though '%s':\n%s", what, body);
    }
    assert_int_equal(r.err.kind, ERROR_INFRA);
    assert_says(r.err.what, what);
    snprintf(place, sizeof place, "host_orch.py:%d", line);
    if (line) {
        assert_says(r.err.where, place);
    }
    recording_free(&r);
}

const struct plan_view *arg_view(const struct plan *p, uint32_t node, uint32_t arg)
{
    assert_true(node < p->nnode && arg < p->nodes[node].narg);
    return &p->views[p->args[p->nodes[node].first_arg + arg].view];
}

uint32_t arg_tag(const struct plan *p, uint32_t node, uint32_t arg)
{
    return p->args[p->nodes[node].first_arg + arg].tag;
}

const struct plan_scalar *scalar_at(const struct plan *p, uint32_t node, uint32_t at)
{
    assert_true(node < p->nnode && at < p->nodes[node].nscalar);
    return &p->scalars[p->nodes[node].first_scalar + at];
}

void assert_view(const struct plan *p, const struct plan_view *v, const char *expected)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%s+%llu", plan_text(p, p->storages[v->storage].name),
                     (unsigned long long)v->offset);

    for (uint32_t i = 0; i < v->ndim; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, " %lld", (long long)p->dims[v->dims + i]);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, " /");
    for (uint32_t i = 0; i < v->ndim; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, " %lld", (long long)p->dims[v->dims + v->ndim + i]);
    }
    assert_string_equal(text, expected);
}

void assert_arg(const struct plan *p, uint32_t node, uint32_t arg, uint32_t tag, const char *expected)
{
    assert_view(p, arg_view(p, node, arg), expected);
    assert_int_equal(arg_tag(p, node, arg), tag);
}
