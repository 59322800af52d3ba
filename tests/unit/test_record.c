/* What host_orch.py may say (docs/formats.md, "Recording"), and the plan that it means. */
#include "tests/support/record_build.h"

static void dispatches_through_submit_chip(void **state)
{
    struct recording r = record_body("    for r in range(0, world_size, 1):\n"
                                     "        tensors[\"x_r\"] = tensors[\"x\"][r, 2:4]\n"
                                     "        _ta_0 = TaskArgs()\n"
                                     "        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors[\"x_r\"]))\n"
                                     "        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors[\"y\"][-1 - r]), "
                                     "TensorArgType.OUTPUT_EXISTING)\n"
                                     "        _ta_0.add_scalar(((r + 1) % 2))\n"
                                     "        _submit_chip(orch, callables[\"chip\"], _ta_0, config, r)\n"
                                     "    _submit_chip(orch, callables[\"chip\"], _ta_0, config, 1)\n");
    const struct plan *p = &r.plan;

    (void)state;
    assert_recorded(&r);
    assert_int_equal(p->world_size, 2);
    assert_int_equal(p->nstorage, 2);
    assert_int_equal(p->nnode, 3);
    /* Row-major: x[r, 2:4] begins at r * 8 * 16 + 2 * 16. The default tag is INPUT. */
    assert_arg(p, 0, 0, PLAN_TAG_INPUT, "x+32 2 16 / 16 1");
    assert_arg(p, 1, 0, PLAN_TAG_INPUT, "x+160 2 16 / 16 1");
    assert_arg(p, 0, 1, PLAN_TAG_OUTPUT_EXISTING, "y+48 16 / 1");
    assert_arg(p, 1, 1, PLAN_TAG_OUTPUT_EXISTING, "y+32 16 / 1");
    assert_int_equal(scalar_at(p, 0, 0)->bits, 1);
    assert_int_equal(scalar_at(p, 1, 0)->bits, 0);
    assert_int_equal(p->nodes[0].lane, 0);
    assert_int_equal(p->nodes[1].lane, 1);
    assert_int_equal(p->nodes[1].line, 12);
    assert_int_equal(p->nodes[2].line, 13);
    assert_int_equal(p->nodes[0].k, 0);
    assert_int_equal(p->nodes[1].k, 0);
    assert_int_equal(p->nodes[2].k, 1);
    assert_int_equal(p->nodes[0].group, PLAN_NONE);
    recording_free(&r);
}

/* Only the dispatches that name no card are dealt, in turn, whatever stands between; world_size may be rebound. */
static void deals_out_what_names_no_card(void **state)
{
    struct recording r =
        record_body("    world_size = 1\n" SEND("tensors[\"x\"]", "INPUT", "None") SEND("tensors[\"x\"]", "INPUT", "1")
                        SEND("tensors[\"x\"]", "INPUT", "None") SEND("tensors[\"x\"]", "INPUT", "None"));
    static const uint32_t lanes[] = {0, 1, 1, 0}, ks[] = {0, 0, 1, 1};

    (void)state;
    assert_recorded(&r);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(r.plan.nodes[i].lane, lanes[i]);
        assert_int_equal(r.plan.nodes[i].k, ks[i]);
    }
    recording_free(&r);
}

static void collectives_and_groups(void **state)
{
    struct recording r = record_body("    ta = TaskArgs()\n"
                                     "    ta.add_tensor(make_tensor_arg(orch._worker, tensors[\"x\"]))\n"
                                     "    ta_config = CallConfig()\n"
                                     "    ta_config.aicpu_thread_num = config.aicpu_thread_num\n"
                                     "    ta_config.anything = [1, 2]\n"
                                     "    orch.submit_next_level(callables[\"chip\"], ta, ta_config, worker=1)\n"
                                     "    orch.submit_next_level_group(callables[\"chip\"], [ta, ta], ta_config, "
                                     "workers=[1, 0])\n"
                                     "    _submit_chip(orch, callables[\"chip\"], ta, config, 1)\n");
    const struct plan_node *n = r.plan.nodes;

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.plan.nnode, 4);
    assert_int_equal(n[0].k, PLAN_NONE);
    assert_int_equal(n[0].lane, 1);
    assert_int_equal(n[1].lane, 1);
    assert_int_equal(n[2].lane, 0);
    assert_int_equal(n[1].group, n[2].group);
    assert_int_not_equal(n[1].group, PLAN_NONE);
    assert_int_equal(n[2].k, PLAN_NONE);
    /* Those without a k do not shift the k of the others. */
    assert_int_equal(n[3].k, 0);
    assert_int_equal(n[3].group, PLAN_NONE);
    recording_free(&r);
}

#define DOMAIN(name, workers, window, buffers)                                                                         \
    "(_domain_provider or orch.allocate_domain)(name=\"" name "\", workers=" workers ", window_size=" window           \
    ", buffers=[" buffers "])"
#define BUFFER(name, nbytes) "CommBufferSpec(name=\"" name "\", dtype=\"opaque\", count=4, nbytes=" nbytes ")"

static void nested_domains(void **state)
{
    struct recording r = record_body("    with " DOMAIN(
        "d0", "[*range(world_size)]", "512",
        BUFFER("a", "128") ", " BUFFER(
            "b",
            "256")) " as d0:\n"
                    "        with " DOMAIN(
                        "d1", "[1]", "64",
                        BUFFER(
                            "c",
                            "64")) " as d1:\n"
                                   "            assert d0.name == \"d0\" and d0.workers == (0, 1) and "
                                   "d0[1].domain_size == 2\n"
                                   "            assert d1[1].domain_rank == 0 and d0[1].domain_rank == 1 and "
                                   "d1[1].actual_window_size == 64\n"
                                   "            assert d0.contexts[1] is d0[1] and d0[1].buffers[\"b\"].nbytes == 256\n"
                                   "            ta = TaskArgs()\n"
                                   "            ta.add_tensor(d0[1].buffers[\"b\"].tensor(shapes=(8, 8), "
                                   "dtype=DataType.FLOAT32), "
                                   "TensorArgType.INOUT)\n"
                                   "            ta.add_tensor(d1[1].buffers[\"c\"].tensor((4,), DataType.INT8, "
                                   "strides=(16,), byte_offset=3))\n"
                                   "            ta.add_scalar(d0[1].domain_size)\n"
                                   "            ta.add_scalar(d0[1].device_ctx)\n"
                                   "            ta.add_scalar(d0[0].local_window_base + 8)\n"
                                   "            ta.add_scalar(d0[0].device_ctx - 8)\n"
                                   "            _submit_chip(orch, callables[\"chip\"], ta, config, 1)\n"
                                   "    ta = TaskArgs()\n"
                                   "    _submit_chip(orch, callables[\"chip\"], ta, config, 1)\n");
    const struct plan *p = &r.plan;

    (void)state;
    assert_recorded(&r);
    assert_int_equal(p->ndomain, 2);
    assert_int_equal(p->domains[0].nworkers, 2);
    assert_int_equal(p->domains[0].window_nbytes, 512);
    assert_int_equal(p->domains[1].end_node, 1);
    assert_int_equal(p->domains[0].end_node, 1);
    /* b begins where a ends, byte 128; windows of card 1. */
    assert_view(p, arg_view(p, 0, 0), "d0[1]+32 8 8 / 8 1");
    assert_view(p, arg_view(p, 0, 1), "d1[1]+3 4 / 16");
    assert_int_equal(scalar_at(p, 0, 0)->bits, 2);
    assert_int_equal(scalar_at(p, 0, 1)->kind, PLAN_DEVICE_CTX);
    assert_int_equal(scalar_at(p, 0, 1)->card, 1);
    assert_int_equal(scalar_at(p, 0, 1)->bits, 0);
    assert_int_equal(scalar_at(p, 0, 2)->kind, PLAN_WINDOW_BASE);
    assert_int_equal(scalar_at(p, 0, 2)->card, 0);
    assert_int_equal(scalar_at(p, 0, 2)->bits, 8);
    assert_true(scalar_at(p, 0, 3)->bits == (uint64_t)-8);
    recording_free(&r);
}

static void host_copies_and_fills(void **state)
{
    struct recording r = record_body("    tensors[\"y\"][1:1 + 2, 4:4 + 8] = tensors[\"x\"][0, 0:2, 0:8]\n"
                                     "    tensors[\"y\"][0] = tensors[\"x\"][1, 2, 3]\n"
                                     "    tensors[\"y\"][:, ::2] = 0\n"
                                     "    t = torch.full((2, 3), 7, dtype=torch.float64)\n"
                                     "    t[...] = tensors[\"x\"][0:1, 0:1, 0:3]\n"
                                     "    t.zero_().fill_(-1.5)\n"
                                     "    tensors[\"y\"][3].copy_(tensors[\"y\"][2])\n");
    const struct plan *p = &r.plan;

    (void)state;
    assert_recorded(&r);
    assert_int_equal(p->nnode, 7);
    for (uint32_t i = 0; i < p->nnode; i++) {
        assert_int_equal(p->nodes[i].kind, PLAN_COPY);
        assert_int_equal(p->nodes[i].lane, plan_host_lane(p));
    }
    assert_view(p, arg_view(p, 0, 0), "y+20 2 8 / 16 1");
    assert_view(p, arg_view(p, 0, 1), "x+0 2 8 / 16 1");
    /* One element for all of a row: stride 0. */
    assert_view(p, arg_view(p, 1, 0), "y+0 16 / 1");
    assert_view(p, arg_view(p, 1, 1), "x+163 16 / 0");
    assert_view(p, arg_view(p, 2, 0), "y+0 4 8 / 16 2");
    assert_int_equal(p->nodes[2].narg, 1);
    assert_view(p, arg_view(p, 3, 1), "x+0 2 3 / 0 1");
    assert_int_equal(p->storages[arg_view(p, 3, 0)->storage].dtype, DTYPE_FLOAT64);
    assert_true(p->storages[arg_view(p, 3, 0)->storage].fill == 7.0);
    assert_int_equal(p->nodes[6].line, 12);
    recording_free(&r);
}

/* The Python runtime refuses these two; here they are reported. */
static void what_only_this_replay_takes(void **state)
{
    struct recording r = record_body("    t = torch.zeros(3)\n" SEND("tensors[\"x\"][:, 0:2]", "INPUT", "0")
                                         SEND("t", "OUTPUT", "0") SEND("t", "OUTPUT", "0"));
    const struct plan *p = &r.plan;

    (void)state;
    assert_recorded(&r);
    assert_view(p, arg_view(p, 0, 0), "x+0 4 2 16 / 128 16 1");
    assert_int_equal(p->nnote, 3);
    assert_says(plan_text(p, p->notes[0]), "host_orch.py:7: a dispatch is given a view of tensor 'x'");
    assert_says(plan_text(p, p->notes[1]), "host_orch.py:8: the tensor made in line 6 is written by a task but is not");
    assert_says(plan_text(p, p->notes[2]), "host_orch.py:9:");
    recording_free(&r);
}

static void intermediates_are_named_and_made_once(void **state)
{
    struct recording r = record_text(
        2, XY,
        HEADER "def _alloc_intermediates(tensors, world_size=1):\n"
               "    tensors[\"d_ord\"] = [torch.zeros((1,), dtype=torch.int32).share_memory_()\n"
               "                        for _ in range(max(world_size, 1))]\n"
               "    tensors[\"tmp\"] = torch.ones(4, 16).share_memory_()\n"
               "    tensors[\"unused\"] = torch.zeros((1 << 20, 1 << 20))\n" ENTRY
               "    tensors[\"alias\"] = tensors[\"tmp\"]\n"
               "    if \"t\" not in tensors:\n"
               "        tensors[\"t\"] = torch.empty_like(tensors[\"y\"], dtype=torch.bfloat16).share_memory_()\n"
               "    for r in range(world_size):\n"
               "        ta = TaskArgs()\n"
               "        ta.add_tensor(make_tensor_arg(orch._worker, tensors[\"alias\"]), TensorArgType.NO_DEP)\n"
               "        ta.add_tensor(make_tensor_arg(orch._worker, tensors[\"t\"]), TensorArgType.OUTPUT)\n"
               "        ta.add_tensor(make_tensor_arg(orch._worker, tensors[\"d_ord\"][r]), TensorArgType.INOUT)\n"
               "        _submit_chip(orch, callables[\"chip\"], ta, config, r)\n" MARK);
    const struct plan *p = &r.plan;

    (void)state;
    assert_recorded(&r);
    assert_int_equal(p->nstorage, 6);
    assert_arg(p, 1, 0, PLAN_TAG_NO_DEP, "tmp+0 4 16 / 16 1");
    assert_arg(p, 1, 1, PLAN_TAG_OUTPUT, "t+0 4 16 / 16 1");
    assert_arg(p, 1, 2, PLAN_TAG_INOUT, "d_ord[1]+0 1 / 1");
    assert_true(p->storages[arg_view(p, 0, 0)->storage].fill == 1.0);
    assert_int_equal(p->storages[arg_view(p, 0, 1)->storage].dtype, DTYPE_BFLOAT16);
    assert_int_equal(p->storages[arg_view(p, 0, 1)->storage].nbytes, 4 * 16 * 2);
    assert_int_equal(arg_view(p, 0, 0)->storage, arg_view(p, 1, 0)->storage);
    recording_free(&r);
}

/* _alloc_intermediates of older builds takes the tensors alone; any may take **kwargs. */
static void alloc_intermediates_signatures(void **state)
{
    static const char *const heads[] = {"(tensors):\n    world_size = 2\n", "(tensors, world_size):\n",
                                        "(tensors, *, world_size=7):\n",
                                        "(tensors, **kw):\n    world_size = kw[\"world_size\"]\n"};

    (void)state;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct recording r;
        char *text;
        assert_true(asprintf(&text,
                             HEADER
                             "def _alloc_intermediates%s    tensors[\"t\"] = torch.zeros(world_size, 3)\n" ENTRY SEND(
                                 "tensors[\"t\"]", "INPUT", "0") MARK,
                             heads[i]) > 0);
        r = record_text(2, XY, text);
        assert_recorded(&r);
        assert_view(&r.plan, arg_view(&r.plan, 0, 0), "t+0 2 3 / 3 1");
        free(text);
        recording_free(&r);
    }
}

static void sub_workers(void **state)
{
    struct recording r = {.dir = temp_dir_make()};

    (void)state;
    build_put(r.dir, 2, XY,
              HEADER ENTRY "    ta = TaskArgs()\n"
                           "    ta.add_tensor(make_tensor_arg(orch._worker, tensors[\"y\"]), TensorArgType.INOUT)\n"
                           "    ta.add_scalar(-2)\n"
                           "    orch.submit_sub(sub_ids[\"verify\"], ta)\n"
                           "    orch.submit_sub(sub_ids[\"bound_later\"])\n" MARK);
    temp_dir_put_text(r.dir, "sub_workers/verify.py", "def verify(args):\n    pass\n");
    temp_dir_put_text(r.dir, "sub_workers/__required__.json", "[\"bound_later\"]");
    record_request(&r, (struct record_request){0});
    assert_recorded(&r);
    assert_int_equal(r.plan.nodes[0].kind, PLAN_SUB);
    assert_string_equal(plan_text(&r.plan, r.plan.subs[r.plan.nodes[0].program]), "verify");
    assert_string_equal(plan_text(&r.plan, r.plan.subs[r.plan.nodes[1].program]), "bound_later");
    assert_arg(&r.plan, 0, 0, PLAN_TAG_INOUT, "y+0 4 16 / 16 1");
    assert_true(scalar_at(&r.plan, 0, 0)->bits == (uint64_t)-2);
    assert_int_equal(r.plan.nodes[1].narg, 0);
    recording_free(&r);
}

static void nested_orchestrators_and_imports(void **state)
{
    struct recording r = {.dir = temp_dir_make()};

    (void)state;
    build_put(r.dir, 2, XY,
              HEADER "from helpers import host_orch as other\n"
                     "def inner(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size):\n" SEND(
                         "tensors[\"x\"]", "INPUT", "1") ENTRY
              "    inner(orch, _args, config, tensors=tensors, callables=callables, sub_ids=sub_ids, _keep=_keep, "
              "world_size=world_size)\n"
              "    other(orch, callables[\"chip\"], config)\n" MARK);
    /* Marked too, but of another module: it does not count. */
    temp_dir_put_text(r.dir, "orchestration/helpers.py",
                      "from simpler.task_interface import TaskArgs\n"
                      "def host_orch(orch, program, config):\n"
                      "    orch.submit_next_level(program, TaskArgs(), config, worker=0)\n" MARK);
    record_request(&r, (struct record_request){0});
    assert_recorded(&r);
    assert_int_equal(r.plan.nnode, 2);
    assert_int_equal(r.plan.nodes[0].line, 7);
    /* The line is host_orch.py's, also when another file submits. */
    assert_int_equal(r.plan.nodes[1].line, 10);
    recording_free(&r);
}

static void scalars_of_all_kinds(void **state)
{
    struct recording r = {.dir = temp_dir_make()};
    struct record_scalar given[] = {{"n", 0, "-3"}, {"big", 0, "0xffffffffffffffff"}, {"on", 0, "true"}};

    (void)state;
    build_put(r.dir, 1,
              PARAM("n", "In", "null", "int32") "," PARAM("big", "In", "null", "uint64") "," PARAM(
                  "on", "In", "null", "bool") "," PARAM("left", "In", "null", "int32") "," PARAM("alpha", "In", "null",
                                                                                                 "fp32"),
              HEADER ENTRY
              "    n = tensors[\"n\"]\n    ta = TaskArgs()\n"
              "    for s in (n, tensors[\"big\"], tensors[\"on\"], tensors[\"left\"], (1 << 53) + 1, n % 5,\n"
              "              tensors[\"alpha\"]):\n"
              "        ta.add_scalar(s)\n"
              "    if tensors[\"on\"]:\n"
              "        _submit_chip(orch, callables[\"chip\"], ta, config, 0)\n" MARK);
    record_request(&r, (struct record_request){.scalars = given, .nscalar = 3});
    assert_recorded(&r);
    assert_true(scalar_at(&r.plan, 0, 0)->bits == (uint64_t)-3);
    assert_true(scalar_at(&r.plan, 0, 1)->bits == UINT64_MAX);
    assert_int_equal(scalar_at(&r.plan, 0, 2)->bits, 1);
    assert_int_equal(scalar_at(&r.plan, 0, 3)->bits, 1);
    assert_true(scalar_at(&r.plan, 0, 4)->bits == (1ULL << 53) + 1);
    assert_int_equal(scalar_at(&r.plan, 0, 5)->bits, 2);
    /* A float travels as its single precision bits: 1.0f. The last such scalar is reported. */
    assert_int_equal(scalar_at(&r.plan, 0, 6)->bits, 0x3f800000);
    assert_says(plan_text(&r.plan, r.plan.notes[0]), "scalar 1.0 is passed as the bits of a float32");
    recording_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dispatches_through_submit_chip),
        cmocka_unit_test(deals_out_what_names_no_card),
        cmocka_unit_test(collectives_and_groups),
        cmocka_unit_test(nested_domains),
        cmocka_unit_test(host_copies_and_fills),
        cmocka_unit_test(what_only_this_replay_takes),
        cmocka_unit_test(intermediates_are_named_and_made_once),
        cmocka_unit_test(alloc_intermediates_signatures),
        cmocka_unit_test(sub_workers),
        cmocka_unit_test(nested_orchestrators_and_imports),
        cmocka_unit_test(scalars_of_all_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
