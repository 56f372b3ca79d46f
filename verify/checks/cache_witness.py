"""uv's own cache says of every file that it holds what uv.lock says.

When uv fetches a wheel it notes, in the user's own cache, the URL, the file name and the digest that it computed. Where
the cache holds a file of the lock from the very URL that the lock names, that is a witness without network: what was
fetched from there had this digest. Another digest in the lock is one that was never fetched. A locked commit that is in
uv's git cache is counted. Files that uv did not fetch on this machine, and source distributions, have no witness.

It reads outside of the project, so `--static` leaves it out. The form of the notes is uv's own (0.13.9) and not
documented; what cannot be read in it is no witness.

Example: the cache has `sha256:ae74…` for a wheel, and the lock `sha256:0000…` for the same URL.

Fix: find out which is right, from the index (`--online`); `uv cache clean NAME` if it is the lock.

How to allow: an ignore with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..context import Context
from ..lock import File
from ..model import Finding, NotRun, Tally
from ..source import Source, same_place
from ..user_folders import uv_cache
from ..words import counted

CODE = "LCK050"
_MOST = 64 * 1024
"""Bytes of a note that are read: the digest and the URL stand at its beginning."""
_DIGEST = re.compile(rb"Sha(256|384|512)\xd9[\x40\x60\x80]([0-9a-f]{64,128})")
_URL = re.compile(rb"https?://[!-~]+?\.whl")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")


def run(context: Context) -> Iterator[Finding | Tally]:
    if context.options.static:
        raise NotRun("it reads the user's cache, and --static reads nothing outside of the project")
    cache = uv_cache()
    if not cache.is_dir():
        raise NotRun("there is no uv cache here")
    lock = context.project.lock
    held = 0
    for package in lock.packages:
        if package.source_kind != "registry" or not _NAME.fullmatch(package.name):
            continue
        notes = dict(_notes(cache, package.name))
        for file in package.files if notes else ():
            noted = notes.get(same_place(file.url))
            if noted is not None:
                held += 1
                yield from _compare(context, file, noted)
    commits = sum(_has_commit(cache, p.source) for p in lock.packages if p.source_kind == "git")
    if not held and not commits:
        raise NotRun("uv's cache holds no file and no commit of this lock")
    yield Tally(detail=f"{counted(held, 'file')} and {counted(commits, 'commit')} held by uv's cache")


def _notes(cache: Path, name: str) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
    """Yield place and digests of every wheel of a package that uv fetched."""
    for pattern in (f"wheels-v*/*/{name}/*.http", f"wheels-v*/index/*/{name}/*.http"):
        for path in cache.glob(pattern):
            try:
                with path.open("rb") as file:
                    text = file.read(_MOST)
            except OSError:
                continue
            url = _URL.search(text)
            digests = {f"sha{kind.decode()}": digits.decode() for kind, digits in _DIGEST.findall(text)}
            if url and digests:
                yield same_place(url[0].decode()), digests


def _compare(context: Context, file: File, noted: dict[str, str]) -> Iterator[Finding]:
    kind, _, digits = str(file.table.get("hash") or "").partition(":")
    if digits and noted.get(kind, digits.lower()) != digits.lower():
        yield Finding(
            code=CODE,
            message=f"{file.name} has the digest {kind}:{digits}, and uv fetched {kind}:{noted[kind]} from that URL",
            location=context.project.lock_document.locate(*file.keys),
            hint="ask the index which is right (--online)",
            package=file.package.name,
        )


def _has_commit(cache: Path, source: object) -> bool:
    if not isinstance(source, Source) or not source.commit:
        return False
    from ..git import Repository
    from ..git_error import GitError

    for database in cache.glob("git-v*/db/*"):
        git_dir = database / ".git" if (database / ".git").is_dir() else database
        if (git_dir / "objects").is_dir():
            try:
                if Repository(database, git_dir=git_dir).has_commit(source.commit):
                    return True
            except GitError:
                continue
    return False
