"""Many projects in one run: found below a folder, checked side by side in processes, one report each."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from .config import Config
from .context import Options
from .files import InputError
from .model import Report, Severity
from .project import LOCK, PYPROJECT
from .run import check

if TYPE_CHECKING:
    from concurrent.futures import Future


_PASSED_OVER = frozenset({"node_modules", "__pycache__"})


def find_projects(root: Path, *, recursive: bool = False) -> list[Path]:
    """Return the folders to check for the path `root`, in order.

    A folder that holds pyproject.toml or uv.lock is one project. In any other, and with `recursive` in every one, each
    uv.lock below it stands for a project. Hidden folders, virtual environments, `node_modules` and symbolic links are
    passed over.

    Raises:
        InputError: there is no lock below `root`.
    """
    if not root.is_dir() or (not recursive and any(os.path.lexists(root / name) for name in (PYPROJECT, LOCK))):
        return [root]
    found = sorted(_locked(root))
    if not found:
        raise InputError(str(root), f"holds no {LOCK}, nor does a folder below it", hint="create it with `uv lock`")
    return found


def _locked(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _PASSED_OVER]
        if "pyvenv.cfg" in files:
            folders.clear()
        elif LOCK in files:
            yield Path(folder)


class Arguments(TypedDict, total=False):
    """What `check` takes beside the path; see there."""

    options: Options | None
    config: Config | None
    select: Sequence[str]
    ignore: Sequence[str]
    require: Sequence[str]
    fail_on: Severity | None


def check_projects(
    paths: Sequence[Path], *, jobs: int | None = None, **arguments: Unpack[Arguments]
) -> tuple[Report, ...]:
    """Check each project of `paths` and return their reports in the same order.

    Several projects run side by side in `jobs` processes, by default one a usable processor. A project that cannot be
    read has a report with an `error`; the others are checked all the same. A script that calls this needs the usual
    `if __name__ == "__main__":`.

    Args:
        paths: the projects' folders.
        jobs: how many processes run side by side.
        arguments: what `check` takes.

    Raises:
        UnknownCheckError: `select`, `ignore` or `require` names no check.
    """
    workers = min(jobs or os.cpu_count() or 1, len(paths))
    if workers <= 1:
        return tuple(_one(path, arguments) for path in paths)
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Forking is fastest, and sound only while no other thread holds a lock.
    method = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
    with ProcessPoolExecutor(workers, get_context(method), _quiet_interrupt) as pool:
        futures = [pool.submit(_one, path, arguments) for path in paths]
        try:
            return tuple(_result(path, future) for path, future in zip(paths, futures, strict=True))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one(path: Path, arguments: Arguments) -> Report:
    try:
        return check(path, **arguments)
    except InputError as error:
        return Report(root=str(path), folder=str(path), outcomes=(), error=str(error), hint=error.hint)


def _result(path: Path, future: Future[Report]) -> Report:
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except BrokenProcessPool:
        error = "its process was ended from outside, perhaps for want of memory"
        return Report(root=str(path), folder=str(path), outcomes=(), error=error, hint="use fewer --jobs")


def _quiet_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
