"""Is `pinproof check --static` as fast as `uv lock --check --offline`, and does it grow linearly?

Whole processes in turn, on this repository and on the largest locks of the corpus that uv accepts, then on generated
locks of 500, 5,000 and 50,000 packages. The bounds: a ratio of 1 on the largest lock, 1.5 on the next four, and 150 MB
plus 20 times the input.

uv has to find an interpreter first. Where one on PATH is a script in front of the interpreter (pyenv), it starts that
each time; where it finds an interpreter, it remembers what it said. So each lock is timed with the interpreter named
(`--python`), too: what uv then takes is less than Python needs to start and to read the libraries, and is no bound.

Start it from the root of the checkout: `python -m benchmarks.check_speed [RESULT.json]`. The corpus is found by
PINPROOF_CORPUS, the folder of `projects.tar.xz`; without it those rows are absent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from uv import find_uv_bin

from .generated import write_project
from .processes import PINPROOF, Runs, alternate, conditions, run

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = {
    "pinproof": [PINPROOF, "check", "--static"],
    "uv": [find_uv_bin(), "lock", "--check", "--offline"],
}
LOCKS, SAMPLES, RATIO_OF_LARGEST, RATIO = 5, 7, 1.0, 1.5
SIZES = (500, 5_000, 50_000)
FIXED_MB, TIMES_INPUT = 150, 20


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="pinproof-speed-") as scratch:
        folder = Path(scratch)
        real = [_compared("this repository", ROOT)]
        real += [_compared(name, root) for name, root in _corpus(folder)]
        grown = [_grown(folder, size) for size in SIZES]
    ratios = [row["ratio"] for row in real[1:]]
    result = {
        "question": " ".join((__doc__ or "").split("\n\n")[0].split()),
        "real_locks": real,
        "generated_locks": grown,
        "largest_corpus_ratio": ratios[0] if ratios else None,
        "samples": SAMPLES,
        "conditions": conditions(),
    }
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    slow = any(ratio > (RATIO if number else RATIO_OF_LARGEST) for number, ratio in enumerate(ratios))
    return int(slow or not all(row["memory_within_bound"] for row in grown))


def corpus_archive(name: str) -> Path:
    return Path(os.environ.get("PINPROOF_CORPUS", ROOT.parent / "shared/corpus")) / name


def _corpus(folder: Path) -> list[tuple[str, Path]]:
    """Return name and folder of the largest corpus locks that uv accepts, the largest first."""
    archive = corpus_archive("projects.tar.xz")
    if not archive.is_file():
        print(f"no corpus at {archive}: these rows are absent")
        return []
    with tarfile.open(archive) as file:
        file.extractall(folder / "corpus", filter="data")
    locks = sorted((folder / "corpus").rglob("uv.lock"), key=lambda path: -path.stat().st_size)
    accepted = (path.parent for path in locks if run(COMMANDS["uv"], path.parent).code == 0)
    return [
        (root.relative_to(folder / "corpus").as_posix(), root) for root, _ in zip(accepted, range(LOCKS), strict=False)
    ]


def _compared(name: str, root: Path) -> dict[str, Any]:
    named = [*COMMANDS["uv"], "--python", _interpreter(root)]
    runs = alternate({**COMMANDS, "uv, interpreter named": named}, root, SAMPLES)
    size = (root / "uv.lock").stat().st_size
    ratio = round(runs["pinproof"].seconds / runs["uv"].seconds, 2)
    named_s = runs["uv, interpreter named"].seconds
    words = (
        f"{_words(runs['pinproof'])}; uv {_words(runs['uv'])}; ratio {ratio}; uv, interpreter named, {named_s:.3f} s"
    )
    print(f"{name}, {size / 1e6:.2f} MB: {words}")
    return {
        "lock": name,
        "bytes": size,
        "pinproof_s": runs["pinproof"].seconds,
        "uv_s": runs["uv"].seconds,
        "ratio": ratio,
        "uv_interpreter_named_s": named_s,
        "pinproof_mb": runs["pinproof"].megabytes,
        "uv_mb": runs["uv"].megabytes,
    }


def _interpreter(root: Path) -> str:
    """Return the interpreter that uv finds for a project, itself, not a script in front of it."""
    found = _output([find_uv_bin(), "python", "find", "--system", "--offline"], root)
    return _output([found, "-c", "import sys; print(sys.executable)"], root)


def _output(command: list[str], root: Path) -> str:
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.strip()


def _grown(folder: Path, packages: int) -> dict[str, Any]:
    root = folder / str(packages)
    write_project(root, packages)
    size = sum((root / name).stat().st_size for name in ("pyproject.toml", "uv.lock"))
    runs = alternate(COMMANDS, root, 3)
    bound = round(FIXED_MB + TIMES_INPUT * size / 1e6, 1)
    codes = {name: sorted({one.code for one in found.all}) for name, found in runs.items()}
    mine = runs["pinproof"]
    print(f"{packages} packages, {size / 1e6:.1f} MB: {_words(mine)}, of {bound} MB allowed; uv {_words(runs['uv'])}")
    return {
        "packages": packages,
        "bytes": size,
        "pinproof_s": mine.seconds,
        "pinproof_us_a_package": round(mine.seconds * 1e6 / packages, 1),
        "pinproof_mb": mine.megabytes,
        "bound_mb": bound,
        "memory_within_bound": mine.megabytes <= bound,
        "uv_s": runs["uv"].seconds,
        "uv_mb": runs["uv"].megabytes,
        "exit_codes": codes,
    }


def _words(runs: Runs) -> str:
    return f"{runs.seconds:.3f} s, {runs.megabytes:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
