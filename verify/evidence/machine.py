"""What a run depends on beside the files: versions and the GPU, found without starting or importing anything."""

from __future__ import annotations

import platform
import re
from collections import Counter
from importlib.metadata import Distribution, PackageNotFoundError, version
from pathlib import Path

from pinproof.kernels.record import Machine

OURS = ("pinproof", "uv")
THEIRS = ("flashinfer-python", "pytest", "torch", "triton")
"""Packages of the project's environment whose versions are recorded where they are installed."""

_DRIVER = re.compile(r"Kernel Module.*?\s(\d+(?:\.\d+)+)\s")
_MODEL = re.compile(r"^Model:\s*(.*\S)", re.MULTILINE)


def this_machine(environment: Path, *, driver: Path = Path("/proc/driver/nvidia")) -> Machine:
    """Return the versions and the GPU of this machine.

    Args:
        environment: the folder of the project's virtual environment, which need not exist.
        driver: where the kernel shows the NVIDIA driver.
    """
    versions = {"python": platform.python_version()}
    for name in OURS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return Machine(versions=versions | _installed(environment), device=_device(driver), driver=_driver(driver))


def _installed(environment: Path) -> dict[str, str]:
    folders = [str(folder) for folder in environment.glob("lib/python3*/site-packages")]
    found = {}
    for name in THEIRS:
        for distribution in Distribution.discover(name=name, path=folders) if folders else ():
            found[name] = str(distribution.version)
    return found


def _device(driver: Path) -> str | None:
    models = Counter(
        model[1] for file in sorted(driver.glob("gpus/*/information")) if (model := _MODEL.search(_text(file)))
    )
    return ", ".join(f"{count} x {name}" if count > 1 else name for name, count in models.items()) or None


def _driver(driver: Path) -> str | None:
    found = _DRIVER.search(_text(driver / "version"))
    return found[1] if found else None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
