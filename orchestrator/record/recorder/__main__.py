"""Start of the recorder.

Reads one request (JSON) from stdin and prints records, one a line, to what was
stdout; whatever the build's Python prints goes to stderr. The last record is
{"done":1} or {"error":{...}}. Contract: orchestrator/record/helper.h.
"""

import sys

if sys.version_info < (3, 8):
    sys.stdout.write('{"error":{"kind":"infra","what":"the recorder needs Python 3.8 or later, and %s is %s",'
                     '"where":"","hint":"name a newer interpreter in L3REPLAY_PYTHON","traceback":[]}}\n'
                     % (sys.executable.replace("\\", "/").replace('"', "'"), sys.version.split()[0]))
    sys.exit(0)

import os
import signal


def send(fd, record):
    import json

    data = (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "replace")
    while data:
        data = data[os.write(fd, data):]


def leave_to_parent(fd):
    """In a child that host_orch.py forks: the recording is its parent's, and it ends with it."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, fd, inheritable=False)
    os.close(null)
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG
    except (ImportError, OSError, AttributeError):
        pass  # the process group is killed at the end in any case


def answer_signals(timeout, limit):
    """What helper.c sends when nothing was printed for `timeout` seconds, or the recording took `limit` seconds."""
    import faulthandler
    from recorder import faults

    def stop(number, frame):
        raise faults.too_long(limit) if number == signal.SIGXCPU else faults.silent(timeout)

    signal.signal(signal.SIGUSR1, stop)
    signal.signal(signal.SIGXCPU, stop)
    faulthandler.register(signal.SIGUSR2, file=2)


def serve(request, fd):
    if request["op"] == "runtime":
        from recorder import runtime

        send(fd, {"runtime": runtime.describe(request)})
        return
    from recorder import loaded, programs, standins

    files = loaded.Loaded(request["dir"])
    files.watch()
    sys.meta_path.append(standins.Finder())
    sys.path.append(os.path.join(request["dir"], "orchestration"))
    if request["configs"]:
        standins.install_directions()
        programs.evaluate([(c["name"], c["dir"]) for c in request["configs"]], lambda record: send(fd, record),
                          files.note)
    if request["op"] == "plan":
        from recorder import session

        session.Session(request, fd, files.note).record()
    for record in files.records():
        send(fd, record)


def main():
    import json

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[0] = os.path.dirname(here)
    from recorder import faults, streams

    fd = streams.part()
    del sys.path[0]  # the package is found by its own path from here on
    with open(0, "rb", closefd=False) as file:
        request = json.loads(file.read())
    last = {"done": 1}
    os.register_at_fork(after_in_child=lambda: leave_to_parent(fd))
    try:
        answer_signals(request["timeout"], request["limit"])
        send(fd, {"alive": 1})
        serve(request, fd)
    except BaseException as error:
        path = os.path.join(request["dir"], "orchestration", "host_orch.py")
        doing = "the simpler runtime's package" if request["op"] == "runtime" else "host_orch.py"
        last = {"error": faults.describe(error, doing, path)}
        if isinstance(error, faults.Stopped):  # perhaps in the middle of a line
            os.write(fd, b"\n")
    streams.flush()
    send(fd, last)
    os._exit(0)


main()
