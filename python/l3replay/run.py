"""Replaying a build with live arrays."""

import json
import os
import pathlib
import tempfile

from . import arrays, options
from .errors import error_of
from .program import USAGE, call, inspect


class Result(dict):
    """The result file of a replay that passed (docs/formats.md, "Result file"), and what was printed."""

    def __init__(self, content, log):
        super().__init__(content)
        self.log = log

    @property
    def compared(self):
        """How many of the outputs were compared with a reference: PASS without means that every dispatch ran."""
        return self.get("compared", 0)

    @property
    def bench(self):
        """Of benchmark(): {"rounds", "round": {"effective": {"median", "median_95", "samples", ...}, ...}, "ranks": [...]}."""
        return self["bench"]


def _memory():
    """Where files are in memory; else where temporary files are."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None


def _base(name):
    """A parameter's name without the compiler's suffix."""
    head, mark, number = name.rpartition("__ssa_v")
    return head if mark and number.isdigit() else name


def _pair(build, args, named):
    """Parameters of the build with the values given for them, by position or by name."""
    params = inspect(build)["params"]
    if args and len(args) != len(params):
        names = ", ".join(_base(p["name"]) for p in params)
        raise TypeError(f"the build has {len(params)} parameters ({names}), and {len(args)} were given")
    pairs = list(zip(params, args))
    known = {**{_base(p["name"]): p for p in params}, **{p["name"]: p for p in params}}
    for name, value in named.items():
        if name not in known:
            raise TypeError(f"the build has no parameter {name!r}; it has {', '.join(map(repr, known))}")
        if args:
            raise TypeError(f"{name!r} is given twice: by position and by name")
        pairs.append((known[name], value))
    return pairs


def _pass(pairs, directory):
    """Options for the values, and the arrays that the replay writes: [(name, array)]."""
    given, written = [], []
    for param, value in pairs:
        name, out = param["name"], param.get("direction", "In") != "In"
        if param.get("shape") is None:
            given += ["--scalar", f"{name}={arrays.scalar_of(value)}"]
            continue
        if not arrays.is_array(value):
            raise TypeError(f"parameter {_base(name)} is a tensor, not {type(value).__name__}")
        array = arrays.wrap(value)
        if out:
            written.append((name, array))
        if param.get("direction") != "Out":
            path = directory / f"in-{len(given)}.npy"
            arrays.save(path, array)
            given += ["--input", f"{name}={path}"]
    return given, written


def _verdict(status):
    return {1: "FAIL", USAGE: "USAGE"}.get(status, "INFRA")


def _load_result(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def _saved(directory, name):
    for candidate in (name, _base(name)):
        path = directory / f"{candidate}.npy"
        if path.exists():
            return path
    raise FileNotFoundError(f"the replay left no {name}.npy")


def _call(name, build, args, more, config=None, validate=False, recompile=True, rebuild_from_pto=True, inputs=None,
          options_=(), echo=True, **keywords):
    """Call the command `name` with live arrays and, besides the options that keywords ask for, `more`."""
    asked = options.arguments(config, **keywords)
    with tempfile.TemporaryDirectory(prefix="l3replay-python.", dir=_memory()) as made:
        directory = pathlib.Path(made)
        given, written = _pass(_pair(build, args, inputs or {}), directory)
        command = [name, os.fspath(build), "--result", directory / "result.json", *given, *asked, *more, *options_,
                   "--validate" if validate else "--no-validate"]
        command += [] if recompile else ["--no-recompile"]
        command += [] if rebuild_from_pto else ["--no-rebuild-from-pto"]
        command += ["--save-outputs", directory / "out"] if written else []
        status, _, log = call(command, echo)
        result = _load_result(directory / "result.json")
        if written and (directory / "out").is_dir() and any((directory / "out").iterdir()):
            for param, array in written:
                arrays.load_into(_saved(directory / "out", param), array)
    if status != 0:
        raise error_of(_verdict(status), (result or {}).get("error"), log, result)
    return Result(result or {}, log)


def replay(build, *args, **keywords):
    """Replay `build` with live arrays, and write its outputs into them.

    build      directory of a build
    args       one value for each parameter, in order; or none
    inputs     the same by name, in any order: a dict; parameters that are left out come from data/in, golden.py or the seed
    config     a dict, or an object with attributes as RunConfig; other keywords have the same names, and win
    validate   compare with data/out or golden.py; else nothing is compared
    recompile  False: run the binaries of the build where they are current
    options_   more options of `l3replay run`, as on the command line
    echo       pass the program's log on to sys.stderr as it comes

    Returns a Result when the replay passes. Raises ReplayFailed when a kernel or an output is wrong, and ReplayImpossible
    when nothing is known about the kernels. Arrays of outputs are written when all dispatches ran, also when an output does
    not match its reference."""
    return _call("run", build, args, [], **keywords)


def benchmark(build, *args, rounds=None, warmup=None, keep_state=False, keep_windows=False, **keywords):
    """Measure `build`: replay it in many rounds, loaded once, in the same executors.

    rounds        measured rounds (100, or $PYPTO_BENCH_ROUNDS)
    warmup        rounds before them that do not count (5, or $PYPTO_BENCH_WARMUP)
    keep_state    in-outs stay as a round leaves them
    keep_windows  windows are not zeroed between rounds

    args and other keywords are those of replay(). Returns a Result, whose `bench` has statistics and samples in microseconds;
    arrays of outputs get those of the last round."""
    more = [*([] if rounds is None else ["--rounds", str(int(rounds))]),
            *([] if warmup is None else ["--warmup", str(int(warmup))]), *(["--keep-state"] if keep_state else []),
            *(["--keep-windows"] if keep_windows else [])]
    return _call("bench", build, args, more, **keywords)


def from_dir(build, platform=None, backend_type=None, distributed_config=None, **keywords):
    """A callable that replays `build`: f(*args, config=None, ...) as replay(). What is given here holds for each call."""
    inspect(build)  # an unusable build is found now
    common = {"platform": platform, "backend_type": backend_type, "distributed_config": distributed_config, **keywords}

    def run(*args, **more):
        return replay(build, *args, **{**common, **more})

    return run
