"""Whether a record counts: read, signed, clean, and about exactly what the commit holds."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pinproof.kernels.subjects import SubjectError

from ..escape import clean
from ..files import InputError, read_regular
from ..git import GitError
from .record import Record, read_record
from .shape import ShapeError
from .signature import SIZE_LIMIT, SUFFIX, Fault, SignatureError, verify
from .target import Target, commit_subjects


class Refusal(enum.StrEnum):
    """Why a record does not count."""

    DAMAGED = "damaged"
    UNSIGNED = "unsigned"
    INVALID_SIGNATURE = "invalid signature"
    WRONG_SIGNER = "wrong signer"
    DIRTY = "dirty tree"
    NO_COMMIT = "no commit"
    ANOTHER_COMMIT = "another commit"
    TAMPERED = "tampered"
    STALE = "stale"
    CONTRADICTING = "contradicting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A record and what became of it: `refusal` is None where it counts, else `reason` says more.

    Attributes:
        path: the file.
        record: None where it could not be read.
        signer: the principal whose signature was verified; None where none was.
        signature: in words: signed by whom, unsigned, or signed but not verified.
    """

    path: str
    record: Record | None = None
    refusal: Refusal | None = None
    reason: str = ""
    signer: str | None = None
    signature: str = "unsigned"


class _RefusedError(Exception):
    def __init__(self, refusal: Refusal, reason: str) -> None:
        self.refusal = refusal
        super().__init__(clean(reason))


def judge(path: Path, target: Target | None, *, signers: bytes | None = None, signed: bool = False) -> Judged:
    """Judge the record in the file `path`.

    Args:
        path: the record; its signature lies beside it, with `.sig` appended to its name.
        target: the commit that it must be about; None leaves that open.
        signers: the content of a trusted allowed-signers file. A signature that is there is verified with it.
        signed: refuse a record without a signature of an allowed signer.

    Raises:
        InputError: there is no such file.
    """
    try:
        record = read_record(path)
    except ShapeError as error:
        return Judged(path=clean(str(path)), refusal=Refusal.DAMAGED, reason=clean(str(error)))
    signer, words = None, "unsigned"
    try:
        signer, words = _signature(path, record, signers, signed)
        if target is not None:
            _hold(record, target)
    except _RefusedError as error:
        return Judged(
            path=clean(str(path)),
            record=record,
            refusal=error.refusal,
            reason=str(error),
            signer=signer,
            signature=words,
        )
    return Judged(path=clean(str(path)), record=record, signer=signer, signature=words)


def _signature(path: Path, record: Record, signers: bytes | None, signed: bool) -> tuple[str | None, str]:
    beside = path.with_name(path.name + SUFFIX)
    try:
        signature = read_regular(beside.parent, beside.name, limit=SIZE_LIMIT)
    except FileNotFoundError:
        if signed:
            raise _RefusedError(Refusal.UNSIGNED, f"there is no signature {beside.name} beside it") from None
        return None, "unsigned"
    except InputError as error:
        raise _RefusedError(Refusal.INVALID_SIGNATURE, str(error)) from None
    if signers is None:
        if signed:
            raise _RefusedError(Refusal.WRONG_SIGNER, "no trusted allowed signers are given")
        return None, "signed, not verified"
    try:
        signer = verify(record.raw, signature, signers)
    except SignatureError as error:
        kind = Refusal.WRONG_SIGNER if error.fault is Fault.SIGNER else Refusal.INVALID_SIGNATURE
        raise _RefusedError(kind, str(error)) from None
    return signer, f"signed by {signer}"


def _hold(record: Record, target: Target) -> None:
    """Hold a record against a commit. Raises `_RefusedError`."""
    if record.dirty:
        raise _RefusedError(Refusal.DIRTY, "files differed from the commit when it was made")
    if record.commit is None:
        raise _RefusedError(Refusal.NO_COMMIT, f"it names no commit: {record.commit_reason or 'no reason is given'}")
    if record.commit != target.commit:
        _require_ancestor(record.commit, target)
    own = target.subjects if record.commit == target.commit else _own_subjects(record.commit, target)
    if changes := _differences(record.subjects, own):
        raise _RefusedError(Refusal.TAMPERED, f"it names the commit {record.commit[:12]}, but {changes} there")
    if changes := _differences(record.subjects, target.subjects):
        raise _RefusedError(Refusal.STALE, f"since the commit {record.commit[:12]}, {changes}")


def _require_ancestor(commit: str, target: Target) -> None:
    """A committed record cannot name the commit that contains it: one that leads there is good enough."""
    said = f"it is about the commit {commit[:12]}, which"
    try:
        if target.repository.is_ancestor(commit, target.commit):
            return
    except GitError:
        raise _RefusedError(
            Refusal.ANOTHER_COMMIT, f"{said} this clone does not have; a shallow clone must be deepened"
        ) from None
    raise _RefusedError(Refusal.ANOTHER_COMMIT, f"{said} does not lead to {target.commit[:12]}")


def _own_subjects(commit: str, target: Target) -> Mapping[str, Mapping[str, str]]:
    try:
        return commit_subjects(target.repository, commit)
    except (GitError, SubjectError) as error:
        raise _RefusedError(Refusal.ANOTHER_COMMIT, f"the commit {commit[:12]} cannot be read: {error}") from None


def _differences(recorded: Mapping[str, Mapping[str, str]], found: Mapping[str, Mapping[str, str]]) -> str:
    words = [
        f"{name} {'is not named by it' if name not in recorded else 'is another one'}"
        for name in found
        if recorded.get(name) != found[name]
    ]
    words += [f"{name}, which it names, does not exist" for name in recorded if name not in found]
    return ", ".join(words)
