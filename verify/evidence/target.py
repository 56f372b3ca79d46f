"""What records are held against: one commit of the checkout, and the digests of its subjects."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pinproof.kernels.subjects import LEFT_OUT, SubjectError, dir_hash, subject_paths

from ..files import InputError
from ..git import GitError, Repository


@dataclass(frozen=True, slots=True)
class Target:
    """A commit, and what a record of a test of it must name."""

    repository: Repository
    commit: str
    subjects: Mapping[str, Mapping[str, str]]


def target(root: Path, revision: str | None = None) -> Target:
    """Return the commit that `revision` names in the checkout around `root`; HEAD by default.

    Only objects of git are read: the files in the working tree may have been changed since.

    Raises:
        InputError: there is no checkout, no such revision, or a subject that no digest covers.
    """
    if not root.is_dir():
        raise InputError(str(root), "is not a directory")
    try:
        repository = Repository(root)
        commit = repository.commit(revision or "HEAD")
        return Target(repository, commit, commit_subjects(repository, commit))
    except GitError as error:
        what = f"revision {revision!r}: {error}" if revision else str(error)
        hint = "records are held against a commit: name the project's checkout, and a revision that it has"
        raise InputError(str(root), what, hint=hint) from None
    except SubjectError as error:
        raise InputError(str(root), f"at {(revision or 'HEAD')}: {error}") from None


def commit_subjects(repository: Repository, commit: str) -> dict[str, dict[str, str]]:
    """Return the digests that `pinproof.kernels.subjects.subjects` would give for a clean checkout of `commit`.

    Raises:
        GitError: an object is missing.
        SubjectError: a subject is a symbolic link or a submodule, or lies in a folder that no digest covers.
    """
    try:
        paths = subject_paths(repository.read(commit, "pyproject.toml"))
    except FileNotFoundError:
        raise SubjectError("there is no pyproject.toml") from None
    entries = repository.files(commit, paths)
    for name, entry in entries.items():
        if not entry.is_file:
            raise SubjectError(f"{name!r} is a symbolic link or a submodule; no digest covers it")
        if LEFT_OUT & set(name.split("/")):
            raise SubjectError(f"{name!r} is committed, but no digest covers what running and checking leave behind")
    digests = {
        name: hashlib.sha256(data).hexdigest()
        for name, data in zip(entries, repository.blobs(entries.values()), strict=True)
    }
    return {path: found for path in paths if (found := _digest(path, digests))}


def _digest(path: str, digests: Mapping[str, str]) -> dict[str, str]:
    if path in digests:
        return {"sha256": digests[path]}
    inside = {posixpath.relpath(name, path): sum_ for name, sum_ in digests.items() if name.startswith(f"{path}/")}
    return {"dirHash": dir_hash(inside)} if inside else {}
