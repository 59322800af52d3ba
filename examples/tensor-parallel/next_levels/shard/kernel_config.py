# Kernel and Orchestration Configuration

from pathlib import Path

from simpler.task_interface import ArgDirection as _D

_ROOT_DIR = Path(__file__).parent

# Runtime configuration; 0 AICPU threads is the default of the architecture.
RUNTIME_CONFIG = {
	"runtime": "tensormap_and_ringbuffer",
	"aicpu_thread_num": 0,
}

ORCHESTRATION = {
	"source": str(_ROOT_DIR / "orchestration" / "shard.cpp"),
	"function_name": "aicpu_orchestration_entry",
	"signature": [_D.IN, _D.IN, _D.IN, _D.OUT],
}

KERNELS = [
	{"func_id": 0, "name": "up_matmul", "source": str(_ROOT_DIR / "kernels" / "aic" / "up_matmul.cpp"), "core_type": "aic", "signature": [_D.IN, _D.IN, _D.OUT]},
	{"func_id": 1, "name": "up_relu", "source": str(_ROOT_DIR / "kernels" / "aiv" / "up_relu.cpp"), "core_type": "aiv", "signature": [_D.IN, _D.IN, _D.OUT]},
	{"func_id": 2, "name": "down_matmul", "source": str(_ROOT_DIR / "kernels" / "aic" / "down_matmul.cpp"), "core_type": "aic", "signature": [_D.IN, _D.IN, _D.OUT]},
]
