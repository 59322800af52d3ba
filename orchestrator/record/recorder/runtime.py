"""What an installed simpler runtime is made of: its libraries, and the commands that compile for it.

Nothing is compiled here: the package's own compiler classes are asked to, with the function that would run a command
replaced by one that notes it. Answer: docs/formats.md, "The runtime's answer".
"""

import os
import sys
import tempfile

from recorder.faults import Fault

PACKAGE = "simpler_setup"
INSTALL = "install the simpler runtime, or name a checkout that was built with --simpler-root or SIMPLER_ROOT"


def find(root):
    """Make the package importable; returns the directory that holds src/ and build/lib."""
    if root:
        places = [root, os.path.join(root, "python")]
        if os.path.basename(root) == "_assets":  # of an installed package: its own directory's parent
            places = [os.path.dirname(os.path.dirname(root))]
        sys.path[:0] = places
    else:
        import site

        site.main()
    try:
        environment = __import__(PACKAGE + ".environment", fromlist=["PROJECT_ROOT"])
    except ImportError as error:
        if root:
            raise Fault("there is no simpler runtime at %s: %s" % (root, error), INSTALL, root) from None
        raise Fault("no simpler runtime is installed: Python finds no %s (%s)" % (PACKAGE, error), INSTALL) from None
    return str(environment.PROJECT_ROOT)


def build_commit():
    """The commit that an installed package was made from; "" where it does not say."""
    try:
        commit = getattr(__import__("_task_interface"), "__build_commit__", "")
    except ImportError:
        return ""
    return commit.strip() if isinstance(commit, str) else ""


def first_line(path):
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


def libraries(platform, runtime):
    """Paths of what a process loads; raises what the package does when something is missing."""
    builder = __import__(PACKAGE + ".runtime_builder", fromlist=["RuntimeBuilder"]).RuntimeBuilder(platform)
    found = builder.get_binaries(runtime, build=False)
    paths = {"host": found.host_path, "aicpu": found.aicpu_path, "aicore": found.aicore_path,
             "sim_context": getattr(found, "sim_context_path", None),
             "dispatcher": getattr(found, "dispatcher_path", None)}
    return {name: str(path) if path else "" for name, path in paths.items()}


class Noted:
    """Stands for the module `subprocess` where commands are only noted."""

    def __init__(self):
        self.commands = []

    def run(self, command, **_):
        import subprocess

        self.commands.append([str(word) for word in command])
        return subprocess.CompletedProcess(command, 0, "", "")


def split(command, source):
    """The command without its output and its source; other sources in it apart."""
    words, sources, skip = [], [], False
    for index, word in enumerate(command):
        if skip or word == source:
            skip = False
        elif word == "-o":
            skip = True
        elif index and not word.startswith("-") and word.endswith((".cpp", ".c")):
            sources.append(word)
        else:
            words.append(word)
    return words, sources


def kernel_includes(root, arch, runtime):
    """Include directories of kernels beside those of the package's compiler, in the stack's order."""
    base = os.path.join(root, "src", arch, "runtime", runtime)
    config = {}
    try:
        with open(os.path.join(base, "build_config.py"), "rb") as file:
            exec(compile(file.read(), file.name, "exec", dont_inherit=True), config)
        dirs = config.get("BUILD_CONFIG", {}).get("aicore", {}).get("include_dirs", [])
    except FileNotFoundError:
        dirs = ["runtime"]
    common = os.path.join(root, "src", "common")
    return [os.path.join(base, path) for path in dirs] + [common, os.path.join(common, "task_interface")]


def commands(root, platform, runtime, pto):
    module = __import__(PACKAGE + ".kernel_compiler", fromlist=["KernelCompiler"])
    compiler = module.KernelCompiler(platform=platform)
    arch = platform[:-3] if platform.endswith("sim") else platform
    answer, noted = {}, Noted()
    module.subprocess = noted
    with tempfile.TemporaryDirectory(prefix="l3replay-") as folder:
        source = os.path.join(folder, "source.cpp")
        open(source, "w").close()
        for core in ("aic", "aiv"):
            del noted.commands[:]
            compiler.compile_incore(source, core_type=core, pto_isa_root=pto or None, build_dir=folder,
                                    extra_include_dirs=kernel_includes(root, arch, runtime))
            if len(noted.commands) != 1:
                raise Fault("a kernel for %s takes %d commands (a compiler and a linker), which this version does not "
                            "run" % (platform, len(noted.commands)), "replay it on a simulator platform", platform)
            answer[core] = split(noted.commands[0], source)[0]
        del noted.commands[:]
        compiler.compile_orchestration(runtime, source, build_dir=folder)
        answer["orchestration"], answer["shared"] = split(noted.commands[0], source)
    answer["directory"] = str(getattr(compiler, "project_root", root))
    answer["includes"] = compiler.get_orchestration_include_dirs(runtime)
    return answer


def built(root):
    """What has been built: ["a2a3sim/tensormap_and_ringbuffer", ...]."""
    lib, found = os.path.join(root, "build", "lib"), []
    for arch in sorted(os.listdir(lib) if os.path.isdir(lib) else []):
        for variant, suffix in (("sim", "sim"), ("onboard", "")):
            folder = os.path.join(lib, arch, variant)
            for runtime in sorted(os.listdir(folder) if os.path.isdir(folder) else []):
                if os.path.exists(os.path.join(folder, runtime, "libhost_runtime.so")):
                    found.append("%s%s/%s" % (arch, suffix, runtime))
    return found


def watched(root, platform, runtime, paths):
    """[[path, size, time of change in ns], ...] of what the answer depends on: while these stay, so does the answer."""
    package = os.path.dirname(os.path.abspath(sys.modules[PACKAGE].__file__))
    files = [os.path.join(package, name) for name in sorted(os.listdir(package)) if name.endswith(".py")]
    arch = platform[:-3] if platform.endswith("sim") else platform
    files.append(os.path.join(root, "src", arch, "runtime", runtime, "build_config.py"))
    files.extend(path for path in paths if path)
    listed = []
    for path in files:
        try:
            status = os.stat(path)
        except OSError:
            continue
        listed.append([path, str(status.st_size), str(status.st_mtime_ns)])
    return listed


def describe(request):
    root = find(request["root"])
    answer = {"root": root, "commit": build_commit(), "pto_isa": first_line(os.path.join(root, "pto_isa.pin")),
              "built": built(root)}
    platform, runtime = request["platform"], request["runtime"]
    if platform:
        wanted = "%s/%s" % (platform, runtime)
        if wanted not in answer["built"]:
            raise Fault("the simpler runtime at %s was not built for %s with the runtime %s; it has: %s"
                        % (root, platform, runtime, ", ".join(answer["built"]) or "nothing"),
                        "build it for this platform, or choose another --platform", root)
        try:
            answer["libraries"] = libraries(platform, runtime)
            answer["commands"] = commands(root, platform, runtime, request["pto_isa"])
            answer["watched"] = watched(root, platform, runtime, answer["libraries"].values())
        except Fault:
            raise
        except Exception as error:
            raise Fault("the simpler runtime at %s does not answer as known versions do: %s: %s"
                        % (root, type(error).__name__, error),
                        "docs/devices.md lists the versions that were tried", root) from None
    return answer
