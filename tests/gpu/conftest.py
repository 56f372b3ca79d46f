"""GPU tests import little: torch, triton, pytest, pinproof.policy and pinproof.kernels. Without CUDA: not run."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from pinproof.kernels.record import Machine
from pinproof.kernels.recording import Recorder, add_options

ROOT = Path(__file__).resolve().parents[2]

# Sixteen ranks on streams of their own wait for each other: each needs a hardware queue, and no kernel may be loaded
# while another one waits.
os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
os.environ.setdefault("CUDA_MODULE_LOADING", "EAGER")


def no_gpu() -> str | None:
    """Return why there is no GPU to test on; quick where there is none."""
    for package in ("torch", "triton"):
        if importlib.util.find_spec(package) is None:
            return f"{package} is not installed"
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "there is no CUDA driver on this machine"
    import torch

    return None if torch.cuda.is_available() else "torch sees no CUDA device"


class NotHere(pytest.Module):
    """A file of tests that need a CUDA device, where there is none."""

    def collect(self) -> Any:
        pytest.skip(f"needs a CUDA device: {no_gpu()}", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    return NotHere.from_parent(parent, path=module_path) if no_gpu() else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(item.path).is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.gpu)


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    Recorder.register(config, root=ROOT, folder="tests/gpu", machine=describe_machine)


def describe_machine() -> Machine:
    """Return where the tests ran: the ranks of worlds above the number of GPUs are emulated or share one."""
    import platform
    import subprocess

    import torch
    import triton

    said = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
        capture_output=True,
        text=True,
        check=False,
    )
    driver = said.stdout.split("\n")[0].strip() or None
    versions = {"python": platform.python_version(), "torch": torch.__version__, "triton": triton.__version__}
    versions |= {"cuda": str(torch.version.cuda)}
    if no_gpu():
        return Machine(versions=versions)
    return Machine(versions, torch.cuda.get_device_name(), driver, world=(2, 4, 8, 16), emulated=True)
