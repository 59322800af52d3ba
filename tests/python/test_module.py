"""The Python module over the program. Arguments: the source tree, a directory to work in. $L3REPLAY is the program."""

import array
import ctypes
import os
import pathlib
import shutil
import struct
import sys
import types
import unittest

SOURCE, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
if len(sys.argv) > 3:  # that of an installation
    sys.path.insert(0, sys.argv[3])
else:
    sys.path.insert(0, str(SOURCE / "python"))
import l3replay  # noqa: E402
from l3replay import arrays, options  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None

ROWS, COLUMNS = 64, 16  # of the example vector-add: out = a + b


def example(name, copy):
    build = WORK / copy
    shutil.copytree(SOURCE / "examples" / name, build, ignore=shutil.ignore_patterns("data", "cache", ".l3replay.*"))
    return build


def floats(values):
    """A writable array of the buffer protocol with two dimensions."""
    flat = (ctypes.c_float * (ROWS * COLUMNS))(*values)
    return memoryview(flat).cast("B").cast("f", (ROWS, COLUMNS))


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.build = example("vector-add", "replay")

    def test_outputs_are_written_in_place(self):
        a, b, out = floats(range(1024)), floats([0.5] * 1024), floats([-1] * 1024)
        result = l3replay.replay(self.build, a, b, out, echo=False)
        self.assertEqual(out.tolist()[3][5], 3 * COLUMNS + 5 + 0.5)
        self.assertEqual(result["result"], "PASS")
        self.assertEqual(result.compared, 0)
        self.assertIn("dispatches on", result.log)

    def test_by_name_and_the_rest_generated(self):
        out = floats([0] * 1024)
        l3replay.replay(self.build, inputs={"out": out}, seed=3, echo=False)
        other = floats([0] * 1024)
        l3replay.replay(self.build, inputs={"out": other}, seed=4, echo=False)
        self.assertNotEqual(out.tolist(), other.tolist())

    def test_from_dir(self):
        run = l3replay.from_dir(self.build, platform="a2a3sim", distributed_config={"device_ids": [0, 1]})
        a, out = floats(range(1024)), floats([0] * 1024)
        result = run(a, a, out, echo=False)
        self.assertEqual(result["devices"], [0, 1])
        self.assertEqual(out.tolist()[0][7], 14.0)
        with self.assertRaises(l3replay.ReplayImpossible):
            l3replay.from_dir(WORK / "nowhere")

    def test_rounds_are_measured(self):
        a, out = floats(range(1024)), floats([0] * 1024)
        result = l3replay.benchmark(self.build, a, a, out, rounds=3, warmup=1, keep_windows=True, echo=False)
        self.assertEqual(out.tolist()[0][7], 14.0)
        self.assertEqual((result.bench["rounds"], result.bench["warmup"]), (3, 1))
        self.assertTrue(result.bench["keep_windows"])
        self.assertEqual(len(result.bench["round"]["effective"]["samples"]), 3)
        with self.assertRaises(l3replay.ReplayImpossible):
            l3replay.benchmark(self.build, rounds=0, echo=False)
        with self.assertRaises(TypeError):
            l3replay.benchmark(self.build, round=3, echo=False)

    def test_wrong_arguments_start_nothing(self):
        a = floats([0] * 1024)
        for args, keywords, words in (
            ((a, a), {}, "3 parameters (a, b, out), and 2 were given"),
            ((a, a, 5), {}, "out is a tensor, not int"),
            ((), {"inputs": {"c": a}}, "no parameter 'c'"),
            ((), {"platfrom": "a2a3sim"}, "did you mean 'platform'?"),
            ((), {"config": {"enable_pum": 2}}, "did you mean 'enable_pmu'?"),
        ):
            with self.assertRaises(TypeError) as raised:
                l3replay.replay(self.build, *args, echo=False, **keywords)
            self.assertIn(words, str(raised.exception))

    def test_a_wrong_shape_is_of_no_verdict(self):
        small = memoryview(array.array("f", [1, 2, 3]))
        with self.assertRaises(l3replay.ReplayImpossible) as raised:
            l3replay.replay(self.build, inputs={"a": small}, echo=False)
        self.assertEqual(raised.exception.verdict, "INFRA")
        self.assertTrue(raised.exception.cause)

    def test_wrong_options_are_usage(self):
        with self.assertRaises(l3replay.ReplayImpossible) as raised:
            l3replay.replay(self.build, config={"ring_heap": 1000}, echo=False)
        self.assertEqual(raised.exception.verdict, "USAGE")
        self.assertIn("--ring-heap wants a power of two", raised.exception.cause)

    def test_nothing_is_left_in_memory(self):
        before = set(os.listdir("/dev/shm"))
        a, out = floats([1] * 1024), floats([0] * 1024)
        l3replay.replay(self.build, a, a, out, echo=False)
        self.assertFalse([n for n in set(os.listdir("/dev/shm")) - before if n.startswith("l3replay-python.")])

    def test_caches_and_sources(self):
        l3replay.invalidate_binary_cache(self.build)
        l3replay.rebuild_kernel_cpp_from_pto(self.build)
        with self.assertRaises(l3replay.ReplayImpossible):
            l3replay.invalidate_binary_cache(WORK / "nowhere")


class Failures(unittest.TestCase):
    def test_a_crash_is_a_failure_with_its_cause(self):
        build = example("vector-add", "crash")
        kernel = next((build / "next_levels").glob("*/kernels/aiv/*.cpp"))
        kernel.write_text("#include <cstdlib>\n" + kernel.read_text().replace(
            "vector_add(a, b, out", "abort();\n    vector_add(a, b, out", 2))
        with self.assertRaises(l3replay.ReplayFailed) as raised:
            l3replay.replay(build, echo=False)
        self.assertEqual(raised.exception.verdict, "FAIL")
        self.assertIn("abort", str(raised.exception).lower())
        self.assertEqual(raised.exception.result["result"], "FAIL")

    def test_a_mismatch_leaves_the_outputs(self):
        build = example("vector-add", "mismatch")
        reference = floats([7] * 1024)
        (build / "data" / "out").mkdir(parents=True)
        arrays.save(build / "data" / "out" / "out.npy", arrays.wrap(reference))
        a, out = floats([1] * 1024), floats([0] * 1024)
        with self.assertRaises(l3replay.ReplayFailed):
            l3replay.replay(build, a, a, out, validate=True, echo=False)
        self.assertEqual(out.tolist()[0][0], 2.0)

    def test_the_program_is_missing(self):
        kept = os.environ["L3REPLAY"]
        os.environ["L3REPLAY"] = str(WORK / "no-program")
        try:
            with self.assertRaises(FileNotFoundError):
                l3replay.replay(WORK, echo=False)
        finally:
            os.environ["L3REPLAY"] = kept


class Options(unittest.TestCase):
    def test_keywords_are_options(self):
        self.assertEqual(options.arguments({"enable_chip_swimlane": True, "enable_pmu": 4, "enable_dep_gen": True}),
                         ["--swimlane-level", "4", "--pmu=4", "--dep-gen"])
        self.assertEqual(options.arguments(None, ring_heap=[4096, 0, 0, 2048], device_ids=[2, 3]),
                         ["--ring-heap", "4096,0,0,2048", "--device-ids", "2,3"])
        self.assertEqual(options.arguments({"rtol": 1e-3, "enable_scope_stats": False}, rtol=0.5), ["--rtol", "0.5"])

    def test_an_object_says_what_is_not_its_default(self):
        backend = types.SimpleNamespace(name="Ascend950")
        config = types.SimpleNamespace(platform=None, backend_type=backend, device_id=0, rtol=1e-5, atol=1e-2,
                                       strategy=object(), whatever_comes=3, enable_pmu=0,
                                       distributed_config=types.SimpleNamespace(device_ids=[0], runtime=None))
        self.assertEqual(options.arguments(config), ["--backend-type", "Ascend950", "--atol", "0.01", "--device-ids", "0"])


class Arrays(unittest.TestCase):
    def round_trip(self, value, changed):
        path = WORK / "array.npy"
        arrays.save(path, arrays.wrap(changed))
        arrays.load_into(path, arrays.wrap(value))

    def test_scalars(self):
        self.assertEqual(arrays.scalar_of(ctypes.c_int(-3)), "-3")
        self.assertEqual(arrays.scalar_of(True), "true")
        self.assertEqual(arrays.scalar_of(0.1), "0.1")
        with self.assertRaises(TypeError):
            arrays.scalar_of("3")

    def test_the_header_is_numpys(self):
        path = WORK / "header.npy"
        arrays.save(path, arrays.wrap(array.array("h", [1, 2, 3])))
        data = path.read_bytes()
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        size, = struct.unpack_from("<H", data, 8)
        self.assertEqual((10 + size) % 64, 0)
        self.assertEqual(data[10 + size:], struct.pack("<3h", 1, 2, 3))

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy(self):
        for dtype in ("float64", "float32", "float16", "int64", "int8", "uint16", "bool"):
            value = numpy.arange(6).reshape(2, 3).astype(dtype)
            path = WORK / "numpy.npy"
            arrays.save(path, arrays.wrap(value))
            self.assertTrue((numpy.load(path) == value).all(), dtype)
            self.assertEqual(numpy.load(path).dtype, value.dtype)
        column = numpy.zeros((4, 3), dtype="int32")[:, 1]  # not contiguous
        self.round_trip(column, numpy.array([1, 2, 3, 4], dtype="int32"))
        self.assertEqual(column.tolist(), [1, 2, 3, 4])
        self.assertEqual(arrays.scalar_of(numpy.int16(-7)), "-7")
        with self.assertRaises(TypeError):
            arrays.wrap(numpy.zeros(2, dtype=">f4"))
        with self.assertRaises(TypeError):
            arrays.wrap(numpy.zeros(2, dtype="complex64"))

    @unittest.skipIf(torch is None, "torch is not installed")
    def test_torch(self):
        for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool):
            value, changed = torch.zeros(2, 3).to(dtype), torch.ones(2, 3).to(dtype)
            self.round_trip(value, changed)
            self.assertTrue(torch.equal(value, changed), str(dtype))
        column = torch.zeros(4, 3, dtype=torch.int32)[:, 1]
        self.round_trip(column, torch.tensor([1, 2, 3, 4], dtype=torch.int32))
        self.assertEqual(column.tolist(), [1, 2, 3, 4])
        leaf = torch.zeros(3, requires_grad=True)
        self.round_trip(leaf, torch.ones(3))
        self.assertEqual(leaf.tolist(), [1, 1, 1])
        with self.assertRaises(TypeError):
            arrays.wrap(torch.zeros(2, dtype=torch.complex64))

    def test_bytes_that_do_not_fit_are_refused(self):
        path = WORK / "short.npy"
        arrays.save(path, arrays.wrap(array.array("f", [1])))
        with self.assertRaises(ValueError):
            arrays.load_into(path, arrays.wrap(array.array("f", [1, 2])))
        arrays.save(path, arrays.wrap(array.array("f", [1])))
        with self.assertRaises(ValueError):
            arrays.load_into(path, arrays.wrap(memoryview(struct.pack("f", 2)).cast("f")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
