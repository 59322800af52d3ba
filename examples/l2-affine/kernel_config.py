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
	"source": str(_ROOT_DIR / "orchestration" / "affine.cpp"),
	"function_name": "aicpu_orchestration_entry",
	"signature": [_D.IN, _D.IN, _D.INOUT, _D.OUT],
}

KERNELS = [
	{"func_id": 0, "name": "scale_shift", "source": str(_ROOT_DIR / "kernels" / "aiv" / "scale_shift.cpp"), "core_type": "aiv", "signature": [_D.IN, _D.IN, _D.OUT]},
	{"func_id": 1, "name": "add_row_sums", "source": str(_ROOT_DIR / "kernels" / "aiv" / "add_row_sums.cpp"), "core_type": "aiv", "signature": [_D.IN, _D.INOUT]},
]
