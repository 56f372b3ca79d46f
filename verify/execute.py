"""Starting programs: uv and pytest, with a cleaned environment, a time limit, and bounded output."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

from .escape import clean

OUTPUT_LIMIT = 1024 * 1024
"""Bytes of each output stream that are kept, from its end."""
_KEPT = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TERM", "TMPDIR", "USER", "LD_LIBRARY_PATH")
_KEPT_PREFIXES = ("CUDA_", "NVIDIA_", "NCCL_", "TORCH_", "TRITON_")


class Completed(NamedTuple):
    """What a program did: its exit code (negative for a signal), the ends of its outputs, and whether time ran out."""

    code: int
    stdout: str
    stderr: str
    timed_out: bool = False

    def last_lines(self, count: int = 5) -> str:
        """Return the last lines that are not blank, escaped, on one line."""
        lines = [line.strip() for line in f"{self.stdout}\n{self.stderr}".splitlines() if line.strip()]
        return clean(" / ".join(lines[-count:]))


def execute(command: Sequence[str | Path], *, cwd: Path, environment: Mapping[str, str], timeout: float) -> Completed:
    """Run `command` without a shell and return what it did. At the time limit its whole process group is killed.

    Raises:
        OSError: the program cannot be started.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        timed_out = False
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            # Children that a program leaves behind go with it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return Completed(process.returncode, _tail(out), _tail(err), timed_out)


def clean_environment(project: Path, **extra: str) -> dict[str, str]:
    """Return an environment that holds what programs need and nothing that steers uv, pytest or Python.

    Of PATH only absolute folders outside the project stay.
    """
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_KEPT_PREFIXES)}
    return {**kept, "PATH": _outside(kept.get("PATH", os.defpath), project.absolute()), **extra}


@lru_cache(maxsize=64)
def _outside(search_path: str, project: Path) -> str:
    folders = [Path(folder) for folder in search_path.split(os.pathsep)]
    outside = [str(f) for f in folders if f.is_absolute() and not f.resolve().is_relative_to(project.resolve())]
    return os.pathsep.join(outside)


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - OUTPUT_LIMIT))
    return file.read().decode("utf-8", "replace")
