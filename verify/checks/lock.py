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

import os
import posixpath
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import rtoml
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from ..context import Context
from ..document import Document
from ..execute import Completed, clean_environment, execute
from ..model import Check, Finding, NotRun, Tally
from ..project import LOCK, PYPROJECT, Project

CODE = "LCK001"
_NO_BACKEND = "pinproof-permits-no-build"
_BECAUSE = (
    ("another Python is wanted", ("No interpreter found", "Python requirement", "python3", "Python download")),
    ("a build would be needed", (_NO_BACKEND, "--no-build", "Failed to build")),
    ("the project wants another uv", ("Required uv version",)),
    ("a changed requirement is not in the cache", ("not found in the cache", "network", "Network", "Git operation")),
)
_NEEDS_BUILD = ("dependencies", "optional-dependencies", "requires-python")


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    root = project.root
    needs_build = _needs_build(project)
    if needs_build and not context.options.allow_build:
        raise NotRun(f"uv would have to build {needs_build} to know its dependencies; --allow-build permits that")
    try:
        from uv import find_uv_bin

        binary = find_uv_bin()
    except (ImportError, FileNotFoundError):
        raise NotRun("the program uv is not installed beside pinproof") from None
    cache = _cache_folder()
    state = "warm cache" if (cache / "CACHEDIR.TAG").exists() else "cold cache"
    with tempfile.TemporaryDirectory(prefix="pinproof-") as scratch:
        copy = _copy_all(root, Path(scratch)) if needs_build else _copy_static(project, Path(scratch))
        command: list[str | Path] = [binary, "lock", "--check", "--offline", "--cache-dir", cache]
        command += ["--no-progress", "--color", "never"]
        command += [] if context.options.allow_build else ["--no-build"]
        if context.options.python is not None:
            command += ["--python", context.options.python.absolute()]
        elif _python_fits(project):
            command += ["--python", sys.executable]
        environment = _environment(root, Path(scratch))
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


def _needs_build(project: Project) -> str:
    """Return the folder of a project whose dependencies only its build backend knows, or an empty string."""
    for member in project.members.values():
        if member.document is None:
            continue
        dynamic = member.document.get("project", "dynamic")
        unknown = [name for name in (dynamic if isinstance(dynamic, list) else ()) if name in _NEEDS_BUILD]
        if unknown:
            return f"`{posixpath.join(member.folder, PYPROJECT)}` (dynamic {', '.join(map(str, unknown))})"
    return ""


def _python_fits(project: Project) -> bool:
    """Whether our own interpreter is one that the project accepts; else uv looks for another on the machine."""
    wanted = project.pyproject.get("project", "requires-python") or project.lock_document.data.get("requires-python")
    try:
        return sys.version.split()[0] in SpecifierSet(str(wanted or ""))
    except InvalidSpecifier:
        return True


def _copy_static(project: Project, scratch: Path) -> Path:
    """Write the files that uv reads into `scratch`, in the project's layout, and return the project's folder there."""
    depth = max((folder.count("../") + folder.endswith("..") for folder in project.members), default=0)
    root = scratch.joinpath("project", *["x"] * depth)
    documents = [project.pyproject, project.lock_document, *([project.uv_toml] if project.uv_toml else [])]
    documents += [m.document for f, m in project.members.items() if f != "." and m.document is not None]
    for document in documents:
        path = Path(os.path.normpath(root / document.path))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_without_backend(document) if path.name == PYPROJECT else document.raw)
    return root


def _without_backend(document: Document) -> bytes:
    """Return the same data with a build backend that does not exist: uv builds its own members even under --no-build.

    What a project is built with is not part of its lock, so the verdict stays the same.
    """
    if "build-system" not in document.data and "project" in document.data:
        return document.raw
    backend = {"requires": [_NO_BACKEND], "build-backend": "none"}
    return rtoml.dumps({**document.data, "build-system": backend}).encode()


def _copy_all(root: Path, scratch: Path) -> Path:
    """Copy the whole project, without environments and version control data. Links stay links."""
    left_out = shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__", ".python-version")
    return Path(shutil.copytree(root, scratch / "project", symlinks=True, ignore=left_out))


def _cache_folder() -> Path:
    """Return the user's own uv cache, whatever the project's configuration says."""
    if named := os.environ.get("UV_CACHE_DIR"):
        return Path(named).resolve()
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base) / "uv" if base and Path(base).is_absolute() else Path.home() / ".cache" / "uv"


def _environment(root: Path, scratch: Path) -> dict[str, str]:
    """Return an environment in which no configuration of user or system reaches uv, but its Pythons are found."""
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    empty = scratch / "configuration"
    empty.mkdir()
    return clean_environment(
        root,
        XDG_CONFIG_HOME=str(empty),
        XDG_CONFIG_DIRS=str(empty),
        XDG_DATA_HOME=data,
        UV_PYTHON_DOWNLOADS="never",
        UV_PYTHON_PREFERENCE="system",
    )


CHECK = Check(
    code=CODE,
    name="lock",
    summary="`uv lock --check --offline` finds uv.lock up to date; not run where uv cannot decide offline",
    run=run,
    executes=True,
)
