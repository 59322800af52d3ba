"""Standard streams of a process that runs the build's Python.

Its answers have a descriptor of their own. What the Python prints, on stdout
and stderr, goes to stderr, in two streams: code that closes one keeps the other.
"""

import os
import sys


def part():
    """Make descriptor 1 another stderr; returns a descriptor of what it was."""
    answers = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = open(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    return answers


def flush():
    """What was printed comes before what follows. There may be nothing left to flush, or nobody who reads it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass


def write(text):
    """Print on stderr, also when the build's Python has closed the stream."""
    flush()
    try:
        os.write(2, text.encode("utf-8", "backslashreplace"))
    except OSError:
        pass
