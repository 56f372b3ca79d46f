"""The name of every file fits its package.

A wheel's or source distribution's file name states the package, the version and, for wheels, what it runs on. An
entry whose files say something else was put together by hand or by a bad merge: uv installs the file, whatever the
entry calls it. In one lock a file name also has one content: the same name with two digests, or two names with one
digest, is something to look at.

Example: `[[package]] name = "packaging" version = "23.0"` lists `packaging-26.4-py3-none-any.whl`.

Fix: `uv lock`; if the entry comes back as it is, look at the index that serves the file.

How to allow: `[[tool.pinproof.ignore]]` with `code = "LCK020"`, the `package` and a `reason`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

from ..context import Context
from ..lock import File, Lock, Package
from ..model import Finding, Related, Severity, Tally
from ..requirement import normal_name
from ..words import counted

CODE = "LCK020"
_HINT = "run `uv lock` and look at what it changes; do not edit uv.lock by hand"
_TAGS = re.compile(r"[A-Za-z0-9_.]+-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+\.whl")
_SDIST_ENDINGS = (".tar.gz", ".zip", ".tar.bz2", ".tar.xz", ".tgz", ".tar.zst", ".tar")


def run(context: Context) -> Iterator[Finding | Tally]:
    lock = context.project.lock
    for package in lock.packages:
        start = _usual_start(package)
        for file in package.files:
            usual = file.name.startswith(start) and _TAGS.fullmatch(file.name, len(start))
            if not (usual and file.kind == "wheel") and (problem := _problem(file)):
                yield _finding(lock, file, problem)
    yield from _contents(lock)
    yield Tally(detail=counted(len(lock.files), "file"))


def _usual_start(package: Package) -> str:
    """Return what the names of the wheels of a sound entry begin with.

    It tells the common case without parsing: reading 10,000 names with `packaging` takes longer than all checks.
    """
    written = next((file.name.partition("-")[0] for file in package.files if file.kind == "wheel"), "")
    name = written if normal_name(written) == package.name else package.name
    return f"{name}-{package.version}-"


def _problem(file: File) -> str | None:
    name = file.name
    if not name:
        return "has no URL, path or file name"
    return _wheel_problem(file, name) if file.kind == "wheel" else _sdist_problem(file, name)


def _wheel_problem(file: File, name: str) -> str | None:
    try:
        found, version, _, _ = parse_wheel_filename(name)
    except InvalidWheelFilename:
        return f"`{name}` is no name of a wheel"
    return _disagreement(file, found, version)


def _sdist_problem(file: File, name: str) -> str | None:
    if not name.endswith(_SDIST_ENDINGS):
        return f"`{name}` is no name of a source distribution"
    if file.package.source_kind != "registry":
        # An archive at a direct URL may be called anything, such as `main.tar.gz`.
        return None
    stem = next(name.removesuffix(ending) for ending in _SDIST_ENDINGS if name.endswith(ending))
    if stem == f"{file.package.name}-{file.package.version}":
        return None
    try:
        found, version = parse_sdist_filename(f"{stem}.tar.gz")
    except InvalidSdistFilename:
        return f"`{name}` is no name of a source distribution"
    return _disagreement(file, found, version)


def _disagreement(file: File, name: str, version: Version) -> str | None:
    package = file.package
    if normal_name(name) != package.name:
        return f"`{file.name}` is a file of {name}, expected {package.name}"
    if "version" not in package.table:
        return None
    try:
        wanted = Version(package.version)
    except ValueError:
        return f"the version `{package.version}` cannot be read"
    return None if wanted == version else f"`{file.name}` has version {version}, expected {package.version}"


def _contents(lock: Lock) -> Iterator[Finding]:
    """Report one file name with two contents, and one content under two names."""
    by_name: dict[str, File] = {}
    by_digest: dict[str, File] = {}
    for file in lock.files:
        digest = file.table.get("hash")
        if not isinstance(digest, str):
            continue
        first = by_name.setdefault(file.name, file)
        if first.table["hash"] != digest and _kind(first) == _kind(file):
            same = first.package.table.get("source") == file.package.table.get("source")
            severity = Severity.ERROR if same else Severity.WARNING
            yield _finding(lock, file, f"`{file.name}` has two digests in one lock", severity, first)
        other = by_digest.setdefault(digest, file)
        if other.name != file.name:
            problem = f"`{file.name}` has the digest of `{other.name}`"
            yield _finding(lock, file, problem, Severity.WARNING, other)


def _kind(file: File) -> str:
    return str(file.table["hash"]).partition(":")[0]


def _finding(
    lock: Lock,
    file: File,
    problem: str,
    severity: Severity = Severity.ERROR,
    other: File | None = None,
) -> Finding:
    package = file.package
    related = [Related(lock.document.locate(*package.keys, "name"), f"entry {package.name}")]
    if "version" in package.table:
        related.append(Related(lock.document.locate(*package.keys, "version"), f"version {package.version}"))
    if other is not None:
        related = [Related(lock.document.locate(*other.keys), f"the other file, of {other.package.name}")]
    return Finding(
        code=CODE,
        message=f"{package.name}: {problem}",
        severity=severity,
        location=lock.document.locate(*file.keys),
        related=tuple(related),
        hint=_HINT,
        package=package.name,
    )
