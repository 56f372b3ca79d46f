"""uv itself says that the lock is up to date, offline.

`uv lock --check --offline` compares what is declared with what the lock records. It is a second opinion and never
"verified": it does not look at locked sources, digests or hosts; the static checks do. It runs on a scratch copy that
holds pyproject.toml, uv.lock, uv.toml and the members' pyproject.toml only, without the project's `.venv` and
`.python-version`, with `UV_*` variables and user configuration left out, and without building anything; uv's version
and the state of its cache are reported beside its verdict.

Where uv cannot decide offline (another Python is wanted, a build would be needed, a changed requirement is not in the
cache), the check is not run, with uv's own last lines as the reason. It never counts as passed or failed then.

Example: a dependency was added to pyproject.toml, and uv.lock was not written anew.

Fix: run `uv lock` and commit uv.lock; for a lock that uv cannot parse, restore it first.

How to allow: leave it out with `--ignore lock`, or use `--static`. `--allow-build` lets uv run build backends on a
copy of the whole project: that executes code of the project.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..context import Context
from ..model import Finding, NotRun, Tally
from ..project import LOCK, Project
from ..user_folders import uv_cache

if TYPE_CHECKING:
    from ..execute import Completed

CODE = "LCK001"
_BECAUSE = (
    ("another Python is wanted", ("No interpreter found", "Python requirement", "python3", "Python download")),
    ("a build would be needed", ("pinproof-permits-no-build", "--no-build", "Failed to build")),
    ("the project wants another uv", ("Required uv version",)),
    ("a changed requirement is not in the cache", ("not found in the cache", "network", "Network", "Git operation")),
)


def run(context: Context) -> Iterator[Finding | Tally]:
    from ..execute import execute
    from ..scratch import copy_all, copy_static, needs_build, python_fits, uv_binary, uv_environment

    project = context.project
    root = project.root
    build = needs_build(project)
    if build and not context.options.allow_build:
        raise NotRun(f"uv would have to build {build} to know its dependencies; --allow-build permits that")
    binary = uv_binary()
    if binary is None:
        raise NotRun("the program uv is not installed beside pinproof")
    cache = uv_cache()
    state = "warm cache" if (cache / "CACHEDIR.TAG").exists() else "cold cache"
    with tempfile.TemporaryDirectory(prefix="pinproof-") as scratch:
        copy = copy_all(root, Path(scratch)) if build else copy_static(project, Path(scratch))
        command: list[str | Path] = [binary, "lock", "--check", "--offline", "--cache-dir", cache]
        command += ["--no-progress", "--color", "never"]
        command += [] if context.options.allow_build else ["--no-build"]
        if context.options.python is not None:
            command += ["--python", context.options.python.absolute()]
        elif python_fits(project):
            command += ["--python", sys.executable]
        environment = uv_environment(root, Path(scratch))
        version = execute([binary, "--version"], cwd=copy, environment=environment, timeout=60)
        done = execute(command, cwd=copy, environment=environment, timeout=context.options.timeout)
    beside = f"{version.stdout.strip() or 'uv'}, offline, {state}"
    yield from _verdict(project, done, beside, context.options.timeout)


def _verdict(project: Project, done: Completed, beside: str, timeout: float) -> Iterator[Finding | Tally]:
    if done.timed_out:
        raise NotRun(f"uv did not answer within {timeout:g} s ({beside})")
    said = done.last_lines()
    if done.code == 0:
        yield Tally(detail=f"up to date with pyproject.toml ({beside})")
    elif done.code == 1 and "needs to be updated" in done.stderr:
        message = f"uv says that the lock is stale: it does not fit pyproject.toml ({beside})"
        yield _finding(project, message, "run `uv lock` and commit uv.lock")
    elif f"Failed to parse `{LOCK}`" in done.stderr:
        yield _finding(project, f"uv cannot use the lock: {said} ({beside})", "restore uv.lock, then run `uv lock`")
    else:
        why = next((words for words, signs in _BECAUSE if any(sign in done.stderr for sign in signs)), "of its error")
        raise NotRun(f"uv could not decide offline ({beside}), because {why}; it said: {said}")


def _finding(project: Project, message: str, hint: str) -> Finding:
    return Finding(code=CODE, message=message, location=project.lock_document.locate(), hint=hint)
