/* What a recording refuses: each fault names the thing, and the line of host_orch.py (its body begins in line 6). */
#include "tests/support/record_build.h"

/* A dispatch argument made from the expression. */
#define ARG(expression) "    ta = TaskArgs()\n    ta.add_tensor(make_tensor_arg(orch._worker, " expression "))\n"
#define X "tensors[\"x\"]"

static void elements_are_not_known(void **state)
{
    static const char *const reads[] = {
        "float(" X "[0, 0, 0])",
        "int(" X "[0, 0, 0])",
        X ".item()",
        "bool(" X ")",
        "if " X "[0, 0, 0]: pass",
        X " == tensors[\"y\"]",
        X " < 1",
        X " + 1",
        "1 - " X,
        "-" X,
        X " @ " X,
        X ".tolist()",
        X ".numpy()",
        X ".data_ptr()",
        X ".sum()",
        "3 in " X,
        X ".abs_()",
    };

    (void)state;
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        char body[256];
        snprintf(body, sizeof body, "    pass\n    %s\n", reads[i]);
        expect_fault(body, 7, "tensor 'x'");
    }
    expect_fault("    t = torch.zeros(3)\n    t.max()\n", 7, "the tensor made in line 6");
    expect_fault("    t = torch.randn(3)\n", 6, "torch.randn");
    expect_fault("    " X " += 1\n", 6, "tensor 'x'");
}

static void indices_out_of_range(void **state)
{
    (void)state;
    expect_fault("    " X "[4]\n", 6, "index 4 is out of bounds for dimension 0 with size 4");
    expect_fault("    " X "[0, -9]\n", 6, "index -9 is out of bounds for dimension 1 with size 8");
    expect_fault("    " X "[0, 0, 0, 0]\n", 6, "too many indices");
    expect_fault("    " X "[::-1]\n", 6, "slice step must be positive");
    expect_fault("    " X "[[0, 1]]\n", 6, "copy of chosen elements");
    expect_fault("    " X "[1.5]\n", 6, "float");
    expect_fault("    " X "[0, 1:3] = tensors[\"y\"]\n", 6, "tensor");
    expect_fault("    tensors[\"z\"][0] = 1\n", 6, "tensors['z']");
    expect_fault("    " X "[:, 0:4].reshape(-1)\n", 6, "makes a copy");
    expect_fault("    " X ".transpose(0, 1).contiguous()\n", 6, "makes a copy");
    expect_fault("    " X ".view(3, -1)\n", 6, "shape");
    expect_fault("    torch.zeros(2, 3).expand(2, 3, 4)\n", 6, "expand");
    expect_fault("    t = torch.zeros(1, 3).expand(2, 3)\n    t[...] = 1\n", 7, "single memory location");
}

static void arguments_that_no_dispatch_takes(void **state)
{
    (void)state;
    expect_fault(ARG("torch.zeros(1, 4).expand(3, 4)"), 7, "expanded");
    expect_fault(ARG("torch.zeros(2, dtype=torch.float64)"), 7, "float64");
    expect_fault(ARG("torch.zeros(1, 1, 1, 1, 1, 1)"), 7, "6 dimensions");
    expect_fault(ARG(X "[0, 0, 0]"), 7, "0 dimensions");
    expect_fault(ARG(X "[2:2]"), 7, "empty");
    expect_fault(ARG("[" X "]"), 7, "list of 1");
    expect_fault("    ta = TaskArgs()\n    ta.add_tensor(" X ")\n", 7, "make_tensor_arg");
    expect_fault(ARG(X) "    ta.add_scalar(1)\n    ta.add_tensor(make_tensor_arg(orch._worker, " X "))\n", 9,
                 "every tensor before the first scalar");
    expect_fault("    ta = TaskArgs()\n    ta.add_tensor(make_tensor_arg(orch._worker, " X "), \"INPUT\")\n", 7, "tag");
    expect_fault("    ta = TaskArgs()\n    ta.add_scalar(1 << 64)\n", 7, "64 bits");
    expect_fault("    ta = TaskArgs()\n    ta.add_scalar(-(1 << 63) - 1)\n", 7, "64 bits");
    expect_fault("    ta = TaskArgs()\n    ta.add_scalar(\"3\")\n", 7, "str");
    expect_fault("    ta = TaskArgs()\n    for i in range(257):\n"
                 "        ta.add_tensor(make_tensor_arg(orch._worker, " X "))\n"
                 "    _submit_chip(orch, callables[\"chip\"], ta, config, 0)\n",
                 9, "257 tensors");
    expect_fault("    ta = TaskArgs()\n    for i in range(129):\n        ta.add_scalar(i)\n"
                 "    _submit_chip(orch, callables[\"chip\"], ta, config, 0)\n",
                 9, "129 scalars");
}

static void submissions_that_cannot_be(void **state)
{
    (void)state;
    expect_fault(SEND(X, "INPUT", "2"), 6, "card 2, but this replay has 2 cards");
    expect_fault(SEND(X, "INPUT", "-1"), 6, "card -1, which meant any free one");
    expect_fault(SEND(X, "INPUT", "-2"), 6, "card -2, but this replay has 2 cards");
    expect_fault(SEND(X, "INPUT", "True"), 6, "card is an integer");
    expect_fault("    orch.submit_next_level(callables[\"chap\"], TaskArgs(), config, worker=0)\n", 6,
                 "program 'chap', which does not exist; there are: chip");
    expect_fault("    orch.submit_next_level(callables[\"chip\"], TaskArgs(), config)\n", 6, "worker");
    expect_fault("    orch.submit_next_level(\"chip\", TaskArgs(), config, worker=0)\n", 6, "callables[...]");
    expect_fault("    orch.submit_next_level(callables[\"chip\"], [], config, worker=0)\n", 6, "TaskArgs");
    expect_fault("    orch.submit_next_level_group(callables[\"chip\"], [TaskArgs()], config, workers=[0, 1])\n", 6,
                 "2 workers for 1 TaskArgs");
    expect_fault("    orch.submit_next_level_group(callables[\"chip\"], [TaskArgs()] * 2, config, workers=[1, 1])\n", 6,
                 "twice");
    expect_fault("    orch.submit_sub(sub_ids[\"verify\"], TaskArgs())\n", 6, "'verify', which does not exist");
    expect_fault("    orch.submit_sub(callables[\"chip\"], TaskArgs())\n", 6, "sub_ids[...]");
    expect_fault("    orch.copy_to(None, None)\n", 6, "orch.copy_to");
    expect_fault("    orch._worker.run()\n", 6, "orch._worker.run");
}

#define OPEN(workers, window, buffers)                                                                                 \
    "    d = orch.allocate_domain(name=\"d\", workers=" workers ", window_size=" window ", buffers=[" buffers "])\n"
#define BUF(name, nbytes) "CommBufferSpec(\"" name "\", \"opaque\", 1, " nbytes ")"
#define ON(card, what)                                                                                                 \
    "    ta = TaskArgs()\n    ta." what "\n    _submit_chip(orch, callables[\"chip\"], ta, config, " card ")\n"

static void domains_that_cannot_be(void **state)
{
    (void)state;
    expect_fault(OPEN("[]", "64", ""), 6, "no workers");
    expect_fault(OPEN("[0, 2]", "64", ""), 6, "card 2");
    expect_fault(OPEN("[0, -1]", "64", ""), 6, "card -1");
    expect_fault(OPEN("[0, 0]", "64", ""), 6, "twice");
    expect_fault(OPEN("range(65)", "64", ""), 6, "65 members");
    expect_fault(OPEN("[0]", "0", ""), 6, "window");
    expect_fault(OPEN("[0]", "64", BUF("a", "32") ", " BUF("b", "33")), 6, "65 bytes");
    expect_fault(OPEN("[0]", "64", BUF("a", "8") ", " BUF("a", "8")), 6, "two buffers named 'a'");
    expect_fault(OPEN("[0]", "64", "") OPEN("[0]", "64", ""), 7, "again");
    expect_fault(OPEN("[0]", "64", "") "    d[1]\n", 7, "card 1 is not in domain 'd'");
    expect_fault(OPEN("[0]", "64", BUF("a", "8")) "    d[0].buffers[\"b\"]\n", 7, "'b'");
    expect_fault(OPEN("[0]", "64", BUF("a", "8")) "    d[0].buffers[\"a\"].tensor((3,), DataType.FLOAT32)\n", 7,
                 "takes 12 bytes");
    expect_fault(
        OPEN("[0]", "64", BUF("a", "2") ", " BUF("b", "8")) "    d[0].buffers[\"b\"].tensor((1,), DataType.FLOAT32)\n",
        7, "multiple of 4");
    expect_fault(OPEN("[0]", "64", BUF("a", "8")) "    d[0].buffers[\"a\"].tensor((2,), torch.float32)\n", 7,
                 "DataType");
    expect_fault(OPEN("[0]", "64", "") "    d.release()\n    d[0]\n", 8, "after its with-block ended");
    expect_fault(OPEN("[0]", "64", "") "    ctx = d[0].device_ctx\n    d.release()\n" ON("0", "add_scalar(ctx)"), 11,
                 "after its with-block ended");
    expect_fault(OPEN("[0, 1]", "64", BUF("a", "8"))
                     ON("1", "add_tensor(d[0].buffers[\"a\"].tensor((2,), DataType.INT8))"),
                 9, "window of card 0");
    expect_fault(OPEN("[0]", "64", "") "    d[0].device_ctx * 2\n", 7, "address");
    expect_fault(OPEN("[0]", "64", "") "    range(d[0].device_ctx)\n", 7, "address");
}

static void entries(void **state)
{
    static const struct {
        const char *text, *what;
    } cases[] = {
        {HEADER ENTRY "    pass\n", "marked: none"},
        {HEADER ENTRY "    pass\n" MARK "def second():\n    pass\nsecond._pypto_distributed_entry = True\n",
         "host_orch, second"},
        {HEADER "from other import f\n", "No module named 'other'"},
        {HEADER "import torch.nn\n", "torch.nn"},
        {HEADER "from pypto.runtime import runner\n", "runner"},
        {HEADER ENTRY "pass\n", "cannot be read as Python"},
        {"\x00", "cannot be read as Python"},
        {HEADER "import sys\nsys.exit(3)\n", "sys.exit(3)"},
        {HEADER ENTRY "    1 / 0\n" MARK, "ZeroDivisionError: division by zero"},
        {HEADER "def host_orch(orch):\n    pass\n" MARK, "unexpected keyword argument"},
        {HEADER "def f(n):\n    return f(n)\n" ENTRY "    f(1)\n" MARK, "RecursionError"},
        {HEADER ENTRY "    class E(BaseException): pass\n    raise E(\"so\")\n" MARK, "so"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recording r = {.dir = temp_dir_make()};
        build_put(r.dir, 2, XY, "");
        temp_dir_put(r.dir, "orchestration/host_orch.py", cases[i].text, strlen(cases[i].text) + !*cases[i].text);
        record_request(&r, (struct record_request){0});
        assert_int_equal(r.rc, -1);
        assert_says(r.err.what, cases[i].what);
        assert_says(r.err.where, "host_orch.py");
        recording_free(&r);
    }
}

/* What the plan refuses and the recorder does not: the line of its output is not taken for one of host_orch.py. */
static void a_fault_of_the_plan_names_the_line_that_submitted(void **state)
{
    struct recording r = record_text(1, PARAM("x", "In", "[4294967296]", "int8"),
                                     HEADER ENTRY "\n" SEND("tensors[\"x\"]", "INPUT", "0") MARK);

    (void)state;
    assert_int_equal(r.rc, -1);
    assert_says(r.err.what, "2^32");
    /* Header, parameter, dispatch; the blank line is line 6. */
    assert_string_equal(r.err.where, "the recorder's output, line 3 (host_orch.py:7)");
    recording_free(&r);
}

/* What the user's own try/except catches goes on as it would in the real thing. */
static void faults_are_the_exceptions_that_they_stand_for(void **state)
{
    struct recording r = record_body(
        "    for action, kind in ((lambda: tensors[\"nope\"], KeyError), (lambda: " X "[99], IndexError),\n"
        "                         (lambda: float(" X "), TypeError), (lambda: " X ".nope, AttributeError),\n"
        "                         (lambda: " X "[::-1], ValueError), (lambda: " X ".view(3), RuntimeError),\n"
        "                         (lambda: __import__(\"torch.nn\"), ImportError)):\n"
        "        try:\n"
        "            action()\n"
        "        except kind:\n"
        "            "
        "_submit_chip(orch, callables[\"chip\"], TaskArgs(), config, 0)\n"
        "    assert not hasattr(" X ", \"nope\") and tensors.get(\"nope\") is None\n");

    (void)state;
    assert_recorded(&r);
    assert_int_equal(r.plan.nnode, 7);
    recording_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_not_known),
        cmocka_unit_test(indices_out_of_range),
        cmocka_unit_test(arguments_that_no_dispatch_takes),
        cmocka_unit_test(submissions_that_cannot_be),
        cmocka_unit_test(domains_that_cannot_be),
        cmocka_unit_test(entries),
        cmocka_unit_test(a_fault_of_the_plan_names_the_line_that_submitted),
        cmocka_unit_test(faults_are_the_exceptions_that_they_stand_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
