"""Does damaged input ever end in a traceback, an endless run, or too much memory? Runs for ten minutes.

Real files (this repository's, a workspace that uv just locked, and the edited locks of the corpus) are damaged token by
token. The runs are guided by coverage: an input that reaches lines of the checks that no earlier one reached is kept
and damaged further. Every run has a time limit; what fails is written to a folder. Memory is of the whole process.

Start it from the root of the checkout: `python -m benchmarks.fuzz [--seconds 600] [--seed 0] [--failures FOLDER]`.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import resource
import signal
import sys
import tarfile
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from pinproof.verify import InputError, Options, Status, check
from pinproof.verify.formats import render
from tests.verify.mangling import OPERATIONS, VALUES, Edit, mangle
from tests.verify.mutations.projects import this_repository, workspace

from .check_speed import corpus_archive

NAMES = ("pyproject.toml", "uv.lock")
TIME_LIMIT = 20
"""Seconds for one input; the slowest honest one takes less than one."""
KEPT = 3_000
Files = dict[str, bytes]


class TooSlowError(Exception):
    """One input took longer than the limit."""


class Coverage:
    """Lines of the package that were reached. A line that is known is not traced again in its function."""

    def __init__(self) -> None:
        self.seen: set[tuple[CodeType, int]] = set()
        self.news = 0

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        self.news = 0
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(None)

    def _call(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        if "pinproof" not in frame.f_code.co_filename:
            return None
        return self._line

    def _line(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        key = (frame.f_code, frame.f_lineno)
        if key not in self.seen:
            self.seen.add(key)
            self.news += 1
        return self._line


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"))
    options = parser.parse_args()
    chance = random.Random(options.seed)  # noqa: S311 - nothing secret
    coverage = Coverage()
    signal.signal(signal.SIGALRM, _too_slow)
    runs, slowest, failures = 0, 0.0, set[str]()
    with tempfile.TemporaryDirectory(prefix="pinproof-fuzz-") as scratch:
        pool = list(_seeds(Path(scratch)))
        root = Path(scratch) / "damaged"
        root.mkdir()
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            files = _damaged(chance.choice(pool), chance)
            started = time.monotonic()
            problem = _run(root, files, coverage)
            runs, slowest = runs + 1, max(slowest, time.monotonic() - started)
            if problem and problem.splitlines()[-1] not in failures:
                failures.add(problem.splitlines()[-1])
                _keep(options.failures / str(len(failures)), files, problem)
            elif coverage.news and len(pool) < KEPT:
                pool.append(files)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(
        f"{runs} inputs in {options.seconds:g} s, {len(pool)} kept, {len(coverage.seen)} lines reached; "
        f"slowest {slowest:.1f} s, peak memory {peak:.0f} MB; {len(failures)} failures"
    )
    return int(bool(failures))


def _seeds(scratch: Path) -> Iterator[Files]:
    for project in (this_repository(), workspace(scratch)):
        yield {name: project.files[name].encode() for name in NAMES}
    archive = corpus_archive("edited-locks.tar.xz")
    if archive.is_file():
        with tarfile.open(archive) as file:
            file.extractall(scratch / "edited", filter="data")
        for lock in sorted((scratch / "edited").rglob("uv.lock")):
            yield {name: (lock.parent / name).read_bytes() for name in NAMES if (lock.parent / name).is_file()}


def _damaged(files: Files, chance: random.Random) -> Files:
    name = chance.choice(sorted(files))
    edits = [
        Edit(chance.choice(OPERATIONS), chance.random(), chance.random(), chance.randrange(len(VALUES)))
        for _ in range(chance.choice((1, 1, 1, 2, 4)))
    ]
    return {**files, name: mangle(files[name], edits)}


def _run(root: Path, files: Files, coverage: Coverage) -> str:
    """Check the files and render the report; return the traceback of what must not happen, else an empty string."""
    for name in NAMES:
        (root / name).write_bytes(files.get(name, b""))
    signal.alarm(TIME_LIMIT)
    try:
        with coverage.watching():
            report = check(root, options=Options(static=True))
            for format_ in ("text", "json"):
                render(format_, [report])
        crashed = [f"{o.check.code} {o.reason}" for o in report.outcomes if o.status is Status.ERRORED]
        return "\n".join(crashed)
    except InputError:
        return ""
    except Exception:
        return traceback.format_exc()
    finally:
        signal.alarm(0)


def _keep(folder: Path, files: Files, problem: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "problem.txt").write_text(problem, encoding="utf-8")
    print(f"{folder}: {problem.splitlines()[-1]}")


def _too_slow(*_: object) -> None:
    raise TooSlowError(f"more than {TIME_LIMIT} s")


if __name__ == "__main__":
    sys.exit(main())
