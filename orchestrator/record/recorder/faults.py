"""What goes wrong while recording, as one record that a person can act on.

A Fault carries what is wrong and the hint. Each also is the exception that the
real module raises in that place, so that a user's try/except sees what it expects.
"""

import os
import sys

MAX_LINES = 60
HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Fault(Exception):
    """Something the user can correct; `where` is found from the traceback when not given."""

    kind = "infra"
    about_sizes = False  # another size of a dynamic dimension may be the hint

    def __init__(self, what, hint="", where=""):
        Exception.__init__(self, what)
        self.what = what
        self.hint = hint
        self.where = where

    def __str__(self):
        return self.what


class UsageFault(Fault):
    kind = "usage"


class TypeFault(Fault, TypeError):
    pass


class ValueFault(Fault, ValueError):
    pass


class IndexFault(Fault, IndexError):
    pass


class KeyFault(Fault, KeyError):
    __str__ = Fault.__str__


class AttributeFault(Fault, AttributeError):
    pass


class ImportFault(Fault, ImportError):
    pass


class RuntimeFault(Fault, RuntimeError):
    pass


# No size of a dynamic dimension makes these.
WRITTEN_WRONG = (NameError, ImportError, SyntaxError)


class Stopped(BaseException):
    """Raised in whatever runs when a limit of the recording is reached; no `except Exception` holds it.

    `how` says what went on: "went on for 60 s without submitting anything". `timeout` is the limit, when it is one of
    time, in seconds.
    """

    def __init__(self, how, hint, timeout=None):
        BaseException.__init__(self, how)
        self.how = how
        self.hint = "look for an endless loop there; if it really " + hint
        self.timeout = timeout


def silent(timeout):
    return Stopped("went on for %g s without submitting anything" % timeout,
                   "takes longer, set L3REPLAY_RECORD_TIMEOUT or --timeout to more seconds", timeout)


def too_long(limit):
    return Stopped("was still submitting after %g s" % limit,
                   "takes longer, set L3REPLAY_RECORD_TIMEOUT to more seconds", limit)


def too_many(limit):
    return Stopped("submitted more than %d dispatches, copies and calls" % limit,
                   "submits so much, raise --max-nodes")


def is_user_file(name):
    return not name.startswith(HERE) and not name.startswith("<frozen")


def user_line(depth=1):
    """Line of host_orch.py that is running, or of the nearest file that is not ours; 0 when there is none."""
    frame = sys._getframe(depth)
    nearest = 0
    while frame is not None:
        name = frame.f_code.co_filename
        if name.endswith("host_orch.py"):
            return frame.f_lineno
        if not nearest and is_user_file(name):
            nearest = frame.f_lineno
        frame = frame.f_back
    return nearest


def _innermost_user_frame(error, path=None):
    """File and line of the innermost frame of file `path`, or (None) of any file that is not ours."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name == path if path else is_user_file(name):
            place = "%s:%d" % (name, trace.tb_lineno)
        trace = trace.tb_next
    return place


def _trim(report, traceback, seen):
    """Drop our own frames from a TracebackException and from those it was raised in."""
    while report is not None and id(report) not in seen:
        seen.add(id(report))
        report.stack = traceback.StackSummary.from_list([f for f in report.stack if is_user_file(f.filename)])
        _trim(report.__cause__, traceback, seen)
        report = report.__context__


def traceback_lines(error):
    """The traceback as Python prints it, with the user's frames only."""
    import traceback

    report = traceback.TracebackException(type(error), error, error.__traceback__)
    _trim(report, traceback, set())
    lines = []
    for part in report.format():
        lines.extend(part.rstrip("\n").split("\n"))
    if len(lines) > MAX_LINES:
        half = MAX_LINES // 2
        lines[half:-half] = ["  ... %d lines left out ..." % (len(lines) - 2 * half)]
    return lines


def describe(error, doing, path):
    """The error record of an exception that ended `doing` ("host_orch.py"), which is the file at `path`."""
    where = _innermost_user_frame(error) or path
    if isinstance(error, Fault):
        where = error.where or where
        return {"kind": error.kind, "what": error.what, "where": where, "hint": error.hint, "traceback": []}
    if isinstance(error, Stopped):
        where = _innermost_user_frame(error, path) or where
        what = "%s %s and was stopped in line %s" % (doing, error.how, where.rpartition(":")[2])
        lines = traceback_lines(error)[:-1]  # without our exception
        return {"kind": "infra", "what": what, "where": where, "hint": error.hint, "traceback": lines}
    if isinstance(error, SystemExit):
        what = "%s called sys.exit(%s)" % (doing, "" if error.code is None else repr(error.code))
        hint = "remove the call: %s has to run to its end to be recorded" % doing
        return {"kind": "infra", "what": what, "where": where, "hint": hint, "traceback": []}
    lines = traceback_lines(error)
    if isinstance(error, SyntaxError):
        where = "%s:%d" % (error.filename or path, error.lineno or 0)
        what = "%s cannot be read as Python: %s: %s" % (doing, type(error).__name__, error.msg)
    else:
        last = lines[-1] if lines else type(error).__name__
        what = "%s raised %s" % (doing, last)
    hint = getattr(error, "hint", "")
    if isinstance(error, NameError):
        hint = "%s uses a name that it does not define: compile the program again, or correct the file" % doing
    return {"kind": "infra", "what": what, "where": where, "hint": hint, "traceback": lines}
