"""The process that runs a replay's sub-workers: started by the executor of their lane, and by nobody else.

Reads JSON, one line each, from stdin and answers on what was stdout; what a
sub-worker prints goes to stderr. The first line lists the sub-workers to load,
each other one is a call. Contract: rank-worker/executor/sub_workers.h.
"""

import sys

if sys.version_info < (3, 8):
    sys.stdout.write('{"error":"sub-workers need Python 3.8 or later, and %s is older","where":""}\n'
                     % sys.executable.replace("\\", "/").replace('"', "'"))
    sys.exit(0)

import json
import os
import signal

SEGMENT_FD = 3
MAX_MESSAGE = 1000
EXIT_LEFT_BEHIND = 71


def keep_pipes():
    """Move the two pipes where no sub-worker's input or output gets into them; returns (to read, to write)."""
    from recorder import streams

    requests = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return os.fdopen(requests, "rb"), streams.part()


def map_segment():
    """The segment's bytes. Nothing stays open that leads to it: a sub-worker that writes to descriptors at random would
    write into it, and what it starts would inherit it."""
    import mmap

    memory = mmap.mmap(SEGMENT_FD, 0)
    segment = os.fstat(SEGMENT_FD)
    os.close(SEGMENT_FD)
    # The module keeps a duplicate, to which a sub-worker that writes to every descriptor would write: make it another file.
    nothing = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/proc/self/fd"):
        try:
            same = os.path.samestat(os.fstat(int(name)), segment)
        except OSError:  # the descriptor of the listing itself
            continue
        if same:
            os.dup2(nothing, int(name), inheritable=False)
    os.close(nothing)
    return memoryview(memory)


def answer(fd, record):
    from recorder import streams

    streams.flush()
    record = {key: plain(value) if isinstance(value, str) else value for key, value in record.items()}
    data = (json.dumps(record, ensure_ascii=True) + "\n").encode("ascii")
    while data:
        data = data[os.write(fd, data):]


class Undefined(Exception):
    """A file that lacks the function it is named for."""


def load(worker):
    """The function that `worker` names; its module is executed once."""
    from importlib.machinery import SourceFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    name = "_sub_workers.%s" % worker["name"]
    folder = os.path.dirname(worker["file"])
    if folder not in sys.path:
        sys.path.append(folder)
    module = module_from_spec(spec_from_loader(name, SourceFileLoader(name, worker["file"])))
    sys.modules[name] = module
    module.__loader__.exec_module(module)
    function = getattr(module, worker["function"], None)
    if not callable(function):
        raise Undefined("its file defines no function %s(args)" % worker["function"])
    return function


def plain(text):
    """Without lone surrogates (file names that are not UTF-8 have them): they are in no encoding of text."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def message(error):
    if isinstance(error, SystemExit):
        return "sys.exit(%s)" % ("" if error.code is None else repr(error.code))
    text = " ".join(str(error).split()).replace("\0", "?")
    if len(text) > MAX_MESSAGE:
        text = text[:MAX_MESSAGE] + "..."
    if isinstance(error, Undefined):
        return text
    return "%s: %s" % (type(error).__name__, text) if text else type(error).__name__


def place(error, path):
    """Innermost line of the sub-worker's own file, else the file."""
    where = path
    if isinstance(error, SyntaxError) and error.filename:
        return "%s:%d" % (error.filename, error.lineno or 0)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            where = "%s:%d" % (path, trace.tb_lineno)
        trace = trace.tb_next
    return where


def print_traceback(error):
    from recorder import faults, streams

    if not isinstance(error, Undefined):
        streams.write("".join(line[:MAX_MESSAGE] + "\n" for line in faults.traceback_lines(error)))


def load_all(workers):
    """({name: (function, file)}, None), or (None, what to answer)."""
    loaded = {}
    for worker in workers:
        path = worker["file"]
        try:
            loaded[worker["name"]] = (load(worker), path)
        except BaseException as error:
            refusal = {"error": message(error), "where": place(error, path), "name": worker["name"]}
            if isinstance(error, ImportError):
                refusal["missing"] = error.name or ""
            else:
                print_traceback(error)
            return None, refusal
    return loaded, None


def call(loaded, segment, request):
    from recorder import mapped

    function, path = loaded[request["call"]]
    try:
        function(mapped.mapped_args(segment, request))
    except BaseException as error:
        print_traceback(error)
        return {"error": message(error), "where": place(error, path)}
    return {"ok": True}


def left_behind():
    """What Python would wait for before it ends, by name."""
    import threading

    left = ["thread %s" % thread.name for thread in threading.enumerate()
            if thread is not threading.main_thread() and not thread.daemon]
    processes = sys.modules.get("multiprocessing")
    if processes:
        left += ["process %s (%s)" % (child.name, child.pid) for child in processes.active_children()
                 if not child.daemon]
    return left


def end():
    """The run is over: what sub-workers left running must not hold it."""
    from recorder import streams

    left = left_behind()
    if left:
        streams.write("left running by sub-workers: %s\n" % ", ".join(left)[:MAX_MESSAGE])
        os._exit(EXIT_LEFT_BEHIND)


def main():
    import faulthandler

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[0] = os.path.dirname(here)
    from recorder import faults, mapped, streams  # noqa: F401 (the package is found by its own path from here on)

    requests, answers = keep_pipes()
    del sys.path[0]
    faulthandler.enable(sys.stderr)
    sys.meta_path.append(mapped.StandIns())
    segment = map_segment()
    loaded, refusal = load_all(json.loads(requests.readline()))
    answer(answers, refusal or {"ok": True})
    while loaded is not None:
        line = requests.readline()
        if not line:
            break
        answer(answers, call(loaded, segment, json.loads(line)))
    end()


main()
