"""Replay builds of the PyPTO stack from Python, with the program l3replay.

A module of the standard library over the program: each call starts a process, tensors pass through files in memory, and
verdict, cause and hint come back as an exception or a Result. numpy and torch are not imported; their arrays are taken by
the buffer protocol, or by their own methods.

    import l3replay
    l3replay.replay("build_output/my_build", a, b, out)          # out is written in place
    run = l3replay.from_dir("build_output/my_build", platform="a2a3sim")
    run(a, b, out)
    l3replay.benchmark("build_output/my_build", rounds=300).bench["round"]["effective"]["median"]  # microseconds

The manual (docs/manual.md, "From Python") has the keywords.
"""

from .errors import ReplayError, ReplayFailed, ReplayImpossible
from .program import find_program, invalidate_binary_cache, rebuild_kernel_cpp_from_pto
from .run import Result, benchmark, from_dir, replay

__all__ = [
    "ReplayError",
    "ReplayFailed",
    "ReplayImpossible",
    "Result",
    "benchmark",
    "find_program",
    "from_dir",
    "invalidate_binary_cache",
    "rebuild_kernel_cpp_from_pto",
    "replay",
]
