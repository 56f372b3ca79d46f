"""Every file has a digest that can be trusted, as its neighbours have.

`uv sync` compares what it downloads with the digest in the lock, where there is one. A lock whose digests were taken
out, shortened or replaced by a weak kind still passes `uv lock --check` and still installs. An index that publishes no
digests (flat and nightly indexes) has none for any of its files; a file without one beside files with one was edited.
Sizes are held to the same rule: a number above zero, or absent.

Example: `{ url = "…/click-8.5.1-py3-none-any.whl" }` in a lock where every other file of that index has `hash`.

Fix: `uv lock` in a clean environment writes the digests again; compare the diff with the index.

How to allow: `[[tool.pinproof.ignore]]` with `code = "LCK021"`, the `package` and a `reason`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ..context import Context
from ..lock import File, Lock
from ..model import Finding, Related, Severity, Tally
from ..words import counted

CODE = "LCK021"
_LENGTHS = {"sha256": 64, "sha384": 96, "sha512": 128, "blake2b": 128}
_WEAK = {"md5": 32, "sha1": 40, "sha224": 56}
_PLAIN = re.compile(r"sha256:[0-9a-f]{64}")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")
_MOST = 0.9
"""Share of an index's files with a digest from which a file without one is damage, not a habit of the index."""


def run(context: Context) -> Iterator[Finding | Tally]:
    lock = context.project.lock
    bare: list[File] = []
    with_digest: Counter[str] = Counter()
    for package in lock.packages:
        for file in package.files:
            table = file.table
            if "hash" in table:
                with_digest[package.origin] += 1
                if problem := _problem(table["hash"]):
                    yield _finding(lock, file, problem)
            elif package.source_kind in ("registry", "url"):
                bare.append(file)
            if "size" in table and (problem := _size_problem(table["size"])):
                yield _finding(lock, file, problem, key="size")
    without = Counter(file.package.origin for file in bare)
    for file in bare:
        yield from _missing(lock, file, with_digest[file.package.origin], without[file.package.origin])
    excused = f", {len(bare)} without a digest" if bare else ""
    yield Tally(detail=counted(len(lock.files), "file") + excused)


def _problem(digest: object) -> str | None:
    if isinstance(digest, str) and _PLAIN.fullmatch(digest):
        return None
    if not isinstance(digest, str) or ":" not in digest:
        return f"the digest `{digest}` is not of the form `sha256:…`"
    kind, _, value = digest.partition(":")
    if kind in _WEAK:
        return f"the digest is of the weak kind {kind}, expected sha256 or better"
    if kind not in _LENGTHS:
        return f"the digest is of the unknown kind {kind}, expected one of {', '.join(_LENGTHS)}"
    if len(value) != _LENGTHS[kind] or not _HEXADECIMAL.fullmatch(value):
        return f"the {kind} digest has {len(value)} characters, expected {_LENGTHS[kind]} hexadecimal digits"
    return None


def _size_problem(size: object) -> str | None:
    if isinstance(size, bool) or not isinstance(size, int):
        return f"the size is {size!r}, expected a number of bytes"
    return None if size > 0 else f"the size is {size}, expected more than 0 bytes"


def _missing(lock: Lock, file: File, with_digest: int, without: int) -> Iterator[Finding]:
    sibling = next((other for other in file.package.files if "hash" in other.table), None)
    if sibling is not None:
        related = (Related(lock.document.locate(*sibling.keys), "another file of the package has a digest"),)
        yield _finding(lock, file, "has no digest, and another file of its package has one", related=related)
    elif with_digest:
        share = with_digest / (with_digest + without)
        severity = Severity.ERROR if share >= _MOST else Severity.WARNING
        counts = f"{with_digest} of {with_digest + without} files from {file.package.origin} have one"
        yield _finding(lock, file, f"has no digest, and {counts}", severity=severity)
    elif file.package.source_kind == "url":
        yield _finding(lock, file, "has no digest, and uv writes one for every direct URL", severity=Severity.WARNING)


def _finding(
    lock: Lock,
    file: File,
    problem: str,
    *,
    key: str = "hash",
    severity: Severity = Severity.ERROR,
    related: tuple[Related, ...] = (),
) -> Finding:
    return Finding(
        code=CODE,
        message=f"{file.package.name}: `{file.name}` {problem}",
        severity=severity,
        location=lock.document.locate(*file.keys, key),
        related=related,
        hint="run `uv lock` and compare the digests with those that the index publishes",
        package=file.package.name,
    )
