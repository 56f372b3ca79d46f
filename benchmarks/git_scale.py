"""Does everything that reads history answer in under two seconds on a repository of 100,000 commits?

The repository is made by `git fast-import`: 2,000 files, a merge every 50 commits, topic branches that were merged,
picked, squashed, left behind, and stacked. Each answer is one whole process of the command. Arguments: a file for the
result as JSON, and a number of commits.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

BOUND = 2.0
FILES, FOLDERS = 2000, 50
URL = "https://git.example/o/dep"
PROJECT = '[project]\nname = "p"\nversion = "1"\n'
POOL = "class Pool:\n    def pair(self, *, plan): ...\n"


class Stream:
    """Commits for `git fast-import`; marks are numbers."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.count = 0

    def commit(self, branch: str, parents: list[int], files: dict[str, str], message: str = "change") -> int:
        self.count += 1
        who = f"A <a@example.org> {1_600_000_000 + self.count} +0000"
        lines = [f"commit refs/remotes/origin/{branch}", f"mark :{self.count}", f"committer {who}"]
        lines += [f"data {len(message)}", message]
        lines += [f"{'from' if number == 0 else 'merge'} :{parent}" for number, parent in enumerate(parents)]
        for path, text in files.items():
            lines += [f"M 100644 inline {path}", f"data {len(text.encode())}", text]
        self.parts.append("\n".join(lines).encode() + b"\n\n")
        return self.count


def topic(name: str, *changed: int) -> dict[str, str]:
    """Return a file of its own with 60 lines, some of them changed."""
    return {f"topics/{name}.py": "".join(f"{name} {n}{' changed' if n in changed else ''}\n" for n in range(60))}


def history(commits: int) -> tuple[Stream, dict[str, int]]:
    """Build main with that many commits, and the branches beside it; return the marks of what is asked about."""
    stream, names = Stream(), {"picked": 0, "squashed": 0, "left": 0, "ancient": 0}
    first = {"pyproject.toml": PROJECT, "uv.lock": "version = 1\n", "dep/__init__.py": POOL}
    for name in names:
        first |= topic(name)
    tip = stream.commit("main", [], first)
    marks = {"first": tip}
    landing = {commits - 100: topic("picked", 5), commits - 50: topic("squashed", 5, 25, 45)}
    for number in range(2, commits + 1):
        path = f"d{number % FOLDERS}/f{number % FILES}.txt"
        files = landing.get(number, {path: f"{number}\n" * 20})
        if number % 50 == 0 and number not in landing:
            side = stream.commit("side", [tip], files)
            tip = stream.commit("main", [tip, side], files)
        else:
            tip = stream.commit("main", [tip], files)
        if number == max(2, commits - 5000):
            marks["picked"] = stream.commit("picked", [tip], topic("picked", 5), "picked later")
            below = stream.commit("squashed", [tip], topic("squashed", 5))
            below = stream.commit("squashed", [below], topic("squashed", 5, 25))
            marks["squashed"] = stream.commit("squashed", [below], topic("squashed", 5, 25, 45))
            marks["left"] = stream.commit("left", [tip], topic("left", 5))
        if number == 10:
            marks["ancient"] = stream.commit("ancient", [tip], topic("ancient", 5))
    marks["main"] = tip
    parent = stream.commit("parent", [tip], {"parent.txt": "one\n"})
    marks["child"] = stream.commit("child", [parent], {"child.txt": "two\n"})
    return stream, marks


def git(root: Path, *arguments: str, given: bytes = b"") -> str:
    done = subprocess.run(["git", *arguments], cwd=root, input=given, capture_output=True, check=True)
    return done.stdout.decode()


def questions(root: Path, commits: dict[str, str], pinned: Path) -> Iterator[tuple[str, list[str], Path]]:
    """Yield what is asked, the command, and the folder it is asked in."""
    for name in ("first", "picked", "squashed", "left", "ancient"):
        yield f"landed: {name}", ["landed", commits[name]], root
    yield "landed: a range of 3", ["landed", f"{commits['squashed']}~3..{commits['squashed']}"], root
    yield (
        "landed: all of them",
        ["landed", *(commits[n] for n in ("first", "picked", "squashed", "left", "ancient"))],
        root,
    )
    for code in ("PRV004", "PRV005"):
        yield f"check {code}", ["check", "--static", "--select", code], root
    for code in ("PRV001", "PRV002"):
        yield f"check {code}", ["check", "--static", "--select", code, "--clone", str(root)], pinned
    yield "check PRV001, not on it", ["check", "--static", "--select", "PRV001", "--clone", str(root)], pinned / "left"
    yield "check PRV005, old branch", ["check", "--static", "--select", "PRV005"], root.with_name("ancient")
    yield "check, all static", ["check", "--static"], root
    yield "check --base, all static", ["check", "--static", "--base", "origin/main"], root


def main() -> int:
    commits = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        root, pinned = Path(folder) / "big", Path(folder) / "pinned"
        started = time.perf_counter()
        names = _make(root, commits)
        _pin(pinned, names["main"], names)
        _pin(pinned / "left", names["left"], names)
        print(f"{commits} commits made in {time.perf_counter() - started:.1f} s")
        rows = [_ask(*question) for question in questions(root, names, pinned)]
    result = {
        "question": "seconds of one process that reads the history of a large repository",
        "commits": commits,
        "files": FILES,
        "bound_s": BOUND,
        "answers": rows,
        "git": git(Path(), "--version").split()[2],
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return int(any(row["seconds"] >= BOUND and "skipped" not in row["said"] for row in rows))


def _make(root: Path, commits: int) -> dict[str, str]:
    root.mkdir()
    git(root, "init", "-q", "-b", "trunk")
    stream, marks = history(commits)
    exported = root / ".git/marks"
    git(root, "fast-import", "--quiet", f"--export-marks={exported}", given=b"".join(stream.parts))
    hashes = dict(line.split() for line in exported.read_text().splitlines())
    git(root, "config", "remote.origin.url", URL)
    git(root, "checkout", "-q", "-b", "child", "origin/child")
    git(root, "worktree", "add", "-q", "--detach", "../ancient", "origin/ancient")
    return {name: hashes[f":{mark}"] for name, mark in marks.items()}


def _pin(folder: Path, rev: str, commits: dict[str, str]) -> None:
    folder.mkdir()
    pin = f'[tool.pinproof.pins.dep]\ngit = "{URL}"\nrev = "{rev}"\nbranch = "main"\n'
    pin += f'contains = ["{commits["first"]}"]\napi = ["dep:Pool.pair(plan)"]\n'
    (folder / "pyproject.toml").write_text(PROJECT + pin)
    (folder / "uv.lock").write_text("version = 1\n")


def _ask(what: str, arguments: list[str], folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "pinproof.verify", *arguments]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    said = (done.stdout or done.stderr).strip().splitlines()
    shown = next((line for line in said if "skipped" in line or "not compared" in line), said[0] if said else "")
    print(f"{seconds:5.2f} s  {what:<26} {shown.strip()[:120]}")
    return {"asked": what, "seconds": round(seconds, 2), "exit_code": done.returncode, "said": shown.strip()}


if __name__ == "__main__":
    sys.exit(main())
