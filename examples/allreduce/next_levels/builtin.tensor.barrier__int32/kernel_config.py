# Kernel and Orchestration Configuration
from pathlib import Path

from simpler.task_interface import ArgDirection as _D

_ROOT_DIR = Path(__file__).parent

RUNTIME_CONFIG = {
    "runtime": "tensormap_and_ringbuffer",
    "aicpu_thread_num": 0,
}

ORCHESTRATION = {
    "source": str(_ROOT_DIR / "orchestration" / "builtin_tensor_barrier__int32.cpp"),
    "function_name": "aicpu_orchestration_entry",
    "signature": [_D.INOUT],
}

KERNELS = [
    {
        "func_id": 0,
        "name": "builtin_tensor_barrier__int32_kernel",
        "source": str(_ROOT_DIR / "kernels" / "aiv" / "builtin_tensor_barrier__int32_kernel.cpp"),
        "core_type": "aiv",
        "signature": [_D.INOUT],
    },
]
