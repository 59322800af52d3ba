from simpler_setup.environment import PROJECT_ROOT


class Binaries:
    def __init__(self, folder):
        self.host_path = folder / "libhost_runtime.so"
        self.aicpu_path = folder / "libaicpu_kernel.so"
        self.aicore_path = folder / "libaicore_kernel.so"
        self.sim_context_path = PROJECT_ROOT / "build" / "lib" / "libcpu_sim_context.so"


class RuntimeBuilder:
    def __init__(self, platform):
        self.platform = platform

    def get_binaries(self, name, build=False):
        assert self.platform == "a2a3sim" and not build
        return Binaries(PROJECT_ROOT / "build" / "lib" / "a2a3" / "sim" / name)
