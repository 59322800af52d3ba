"""The program l3replay: where it is, and how it is started."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

from .errors import error_of

USAGE, INFRA = 2, 3
END_LIMIT_S = 10  # how long an interrupted replay may take to end


def find_program():
    """Path of the program: $L3REPLAY, else that of the installation this module is part of, else on PATH."""
    given = os.environ.get("L3REPLAY")
    if given:
        return given
    for above in pathlib.Path(__file__).resolve().parents:
        beside = above / "bin" / "l3replay"
        if os.access(beside, os.X_OK):
            return str(beside)
    found = shutil.which("l3replay")
    if not found:
        raise FileNotFoundError("the program l3replay is not on PATH; install it, or name it in L3REPLAY")
    return found


def _follow(stream, kept, echo):
    """Keep what a stream gives, and pass it on to sys.stderr when `echo`."""
    for line in stream:
        kept.append(line)
        if echo:
            sys.stderr.write(line)
            sys.stderr.flush()
    stream.close()


def _end(process):
    """The replay ends by itself after one signal, and says so; what does not is killed."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(END_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def call(arguments, echo=True):
    """Run the program. Returns its exit status, stdout and stderr as texts. The log goes to sys.stderr as it comes, when
    `echo`. KeyboardInterrupt ends the program before it is raised on."""
    command = [find_program(), *map(str, arguments)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True) as process:
        out, log = [], []
        threads = [threading.Thread(target=_follow, args=(process.stdout, out, False)),
                   threading.Thread(target=_follow, args=(process.stderr, log, echo))]
        for thread in threads:
            thread.start()
        try:
            process.wait()
        except BaseException:
            _end(process)
            raise
        finally:
            for thread in threads:
                thread.join()
    return process.returncode, "".join(out), "".join(log)


def command(arguments):
    """Run a command that has no verdict; an error is raised, stdout returned."""
    status, out, log = call(arguments, echo=False)
    if status != 0:
        raise error_of("USAGE" if status == USAGE else "INFRA", None, log)
    return out


def inspect(build):
    """What the build is, as `l3replay inspect --json` says."""
    return json.loads(command(["inspect", "--json", os.fspath(build)]))


def invalidate_binary_cache(work_dir):
    """Delete the binaries in a build, so that everything is compiled again. Prints how many files were removed."""
    print(command(["invalidate", os.fspath(work_dir)]), end="")


def rebuild_kernel_cpp_from_pto(work_dir):
    """Carry edits of .pto files into the kernels' sources. Prints what was done."""
    print(command(["splice", os.fspath(work_dir)]), end="")
