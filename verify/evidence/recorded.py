"""What records of earlier runs say about a check that cannot run here: words for its reason, never a pass."""

from __future__ import annotations

from pathlib import Path

from pinproof.kernels.subjects import SubjectError, subjects

from ..escape import clean
from ..files import InputError
from .gate import on
from .record import Record, read_record
from .shape import ShapeError
from .signature import SUFFIX

FOLDER = "evidence"
_LIMIT = 50
"""Records that are read, newest names first: this is a side remark of a check."""


def recorded(root: Path, part: str) -> str | None:
    """Return words about the newest record in `evidence/` where `part` passed for exactly these files, else None.

    For example "recorded: 214 cases on NVIDIA H200, 2026-12-03, digests match, unsigned". Digests are those of the
    files in the working tree. A signature is mentioned, not verified.
    """
    found = [record for record in records(root) if (check := record.check(part)) and check.status == "passed"]
    if not found:
        return None
    try:
        here = subjects(root)
    except (SubjectError, OSError):
        return None
    matching = [record for record in found if record.subjects == here and not record.dirty]
    if not matching:
        return f"{len(found)} earlier record{'s' * (len(found) > 1)} about other files"
    newest = max(matching, key=lambda record: record.created)
    return clean(f"recorded: {_said(newest, part)}{on(newest)}, digests match, {_signature(newest)}")


def records(root: Path) -> list[Record]:
    """Return the readable records in the folder `evidence/` of `root`, those with the last names first."""
    folder = root / FOLDER
    if not folder.resolve().is_relative_to(root.resolve()):
        return []
    found = []
    for path in sorted(folder.glob("*.json"), reverse=True)[:_LIMIT]:
        try:
            found.append(read_record(path))
        except (ShapeError, InputError):
            continue
    return found


def _said(record: Record, part: str) -> str:
    check = record.check(part)
    if check is None or not check.passed:
        return part
    return f"{check.passed} cases" + (f", {check.not_run} not run" if check.not_run else "")


def _signature(record: Record) -> str:
    return "signed, not verified" if Path(record.path + SUFFIX).exists() else "unsigned"
