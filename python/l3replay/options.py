"""Keywords of the Python stack, as options of the program. One table; what is not in it is refused by name."""

import difflib


def _text(value):
    """Enumerations by their names."""
    return str(getattr(value, "name", value))


def _numbers(value):
    return ",".join(str(int(n)) for n in value) if isinstance(value, (list, tuple)) else str(int(value))


def _level(most):
    return lambda value: str(most if value is True else int(value))


def _switch(value):
    return "" if value else None


# Keyword: option, how its value is written (None: a switch that is left out), and the default that says nothing.
_OPTIONS = {
    "platform": ("--platform", _text, None),
    "backend_type": ("--backend-type", _text, None),
    "execution_mode": ("--execution-mode", _text, None),
    "device_id": ("--device-id", _numbers, 0),
    "device_ids": ("--device-ids", _numbers, None),
    "device": ("--device", _text, None),
    "simpler_root": ("--simpler-root", _text, None),
    "runtime": ("--runtime", _text, None),
    "aicpu_thread_num": ("--aicpu-thread-num", _numbers, None),
    "num_sub_workers": ("--num-sub-workers", _numbers, None),
    "rtol": ("--rtol", repr, 1e-5),
    "atol": ("--atol", repr, 1e-5),
    "seed": ("--seed", _numbers, None),
    "timeout": ("--timeout", repr, None),
    "log_level": ("--log-level", _text, None),
    "enable_chip_swimlane": ("--swimlane-level", _level(4), 0),
    "enable_l2_swimlane": ("--swimlane-level", _level(4), 0),
    "enable_pmu": ("--pmu", _level(2), 0),
    "enable_dump_args": ("--dump-args", _level(1), 0),
    "enable_dep_gen": ("--dep-gen", _switch, False),
    "enable_scope_stats": ("--scope-stats", _switch, False),
    "ring_task_window": ("--ring-task-window", _numbers, None),
    "ring_heap": ("--ring-heap", _numbers, None),
    "ring_dep_pool": ("--ring-dep-pool", _numbers, None),
    "processes": ("-n", _numbers, None),
}

# What a RunConfig has besides and a replay has no use for: it compiles nothing from the program's own source.
_OF_THE_COMPILER = {
    "strategy", "dump_passes", "save_kernels", "save_kernels_dir", "codegen_only", "compile_profiling",
    "diagnostic_phase", "disabled_diagnostics", "analyze_auto_scopes_for_deps", "memory_planner", "dump_ptoas_passes",
    "pto_isa_commit", "log_sync_pypto",
}

_ATTACHED = {"--pmu", "--dump-args"}  # whose argument may be left out


def _items(config):
    """Pairs of a dict, or of an object as RunConfig and DistributedConfig are."""
    if config is None:
        return
    if isinstance(config, dict):
        yield from config.items()
        return
    for name in vars(config):
        if not name.startswith("_"):
            yield name, getattr(config, name)


def _known(name, typed):
    if name in _OPTIONS:
        return True
    if name in _OF_THE_COMPILER or not typed:
        return False
    near = difflib.get_close_matches(name, [*_OPTIONS, *_OF_THE_COMPILER], n=1)
    raise TypeError(f"there is no keyword {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))


def arguments(config, **keywords):
    """The options that a config (a dict, or an object with attributes, as RunConfig) and keywords ask for; keywords win.
    Attributes of an object that are unknown or hold their default say nothing; unknown keys and keywords are a TypeError."""
    wanted = {}
    for source, typed in ((config, isinstance(config, dict)), (keywords, True)):
        for name, value in _items(source):
            if name == "distributed_config":
                wanted.update((k, v) for k, v in _items(value) if _known(k, isinstance(value, dict)) and v is not None)
            elif value is None:
                _known(name, typed)
            elif _known(name, typed) and (typed or value != _OPTIONS[name][2]):
                wanted[name] = value
    out = []
    for name, value in wanted.items():
        option, write, _ = _OPTIONS[name]
        text = write(value)
        if text == "":
            out.append(option)
        elif text is not None:
            out += [f"{option}={text}"] if option in _ATTACHED else [option, text]
    return out
