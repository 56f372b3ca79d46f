"""Whole processes in turn: seconds and peak memory of each, shared by the benchmarks of commands."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

PINPROOF = str(Path(sys.executable).with_name("pinproof"))


@dataclass(frozen=True, slots=True)
class Run:
    """One process: wall clock seconds, peak resident memory in MB (10^6 bytes), exit code."""

    seconds: float
    megabytes: float
    code: int


@dataclass
class Runs:
    """Several runs of one command."""

    all: list[Run] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return round(statistics.median(run.seconds for run in self.all), 4)

    @property
    def megabytes(self) -> float:
        return round(max(run.megabytes for run in self.all), 1)


def run(command: Sequence[str | Path], cwd: Path) -> Run:
    """Run `command` in `cwd`, its output thrown away."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=cwd,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return Run(seconds, used.ru_maxrss * 1024 / 1e6, process.returncode)


def alternate(commands: Mapping[str, Sequence[str | Path]], cwd: Path, samples: int) -> dict[str, Runs]:
    """Run the commands in turn, A B A B, after one run of each that does not count."""
    found = {name: Runs() for name in commands}
    for number in range(samples + 1):
        for name, command in commands.items():
            done = run(command, cwd)
            if number:
                found[name].all.append(done)
    return found


def conditions() -> dict[str, Any]:
    """Return what a result depends on."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "python": platform.python_version(),
        "uv": version("uv"),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
    }


def _environment() -> dict[str, str]:
    """Return an environment in which Python keeps its bytecode, and nothing steers uv."""
    dropped = ("UV_", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
