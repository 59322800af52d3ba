import subprocess

from simpler_setup.environment import PROJECT_ROOT


class KernelCompiler:
    def __init__(self, platform):
        self.project_root = PROJECT_ROOT
        self.common = PROJECT_ROOT / "src" / "common"

    def get_orchestration_include_dirs(self, runtime):
        base = PROJECT_ROOT / "src" / "a2a3" / "runtime" / runtime
        return [str(base / "common"), str(self.common / "task_interface"), str(self.common)]

    def compile_incore(self, source, core_type, pto_isa_root, build_dir, extra_include_dirs):
        command = ["g++", "-shared", "-fPIC", "-O1", "-std=c++17", "-DCORE_" + core_type.upper(), "-Isrc/common"]
        command += ["-I" + path for path in extra_include_dirs] + ["-o", build_dir + "/k.so", source]
        subprocess.run(command, check=True, cwd=self.project_root)

    def compile_orchestration(self, runtime, source, build_dir):
        command = ["g++", "-shared", "-fPIC", "-O1", "-g", "-std=c++17", "source/shared.cpp"]
        command += ["-I" + path for path in self.get_orchestration_include_dirs(runtime)]
        subprocess.run(command + ["-o", build_dir + "/o.so", source], check=True, cwd=self.project_root)
