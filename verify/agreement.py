"""Whether two sources of one package are the same, and in what they differ."""

from __future__ import annotations

import posixpath
import re

from .source import FULL_COMMIT, Reference, Source, same_place

_LOCAL = ("path", "directory", "workspace")
_MIXED = re.compile(r"(?=.*[0-9])(?=.*[a-fA-F])[0-9a-fA-F]{7,39}")


def difference(wanted: Source, found: Source) -> str | None:
    """Return the first thing in which `found` differs from what `wanted` asks for, None when they agree.

    `found` may say more than `wanted`: a locked source names the commit that a branch, a tag or no reference at all
    was resolved to, and that is not a difference.
    """
    if wanted.kind in _LOCAL and found.kind in _LOCAL:
        return None if _same_folder(wanted, found) else "path"
    if wanted.kind != found.kind:
        return "kind of source"
    if same_place(wanted.location) != same_place(found.location):
        return "repository" if wanted.kind == "git" else "URL"
    if wanted.subdirectory.strip("/") != found.subdirectory.strip("/"):
        return "subdirectory"
    if wanted.kind == "git":
        return _git_difference(wanted, found)
    return None


def _git_difference(wanted: Source, found: Source) -> str | None:
    if not _same_reference(wanted.reference, found.reference):
        commits = wanted.reference.is_full_commit or wanted.reference.is_short_commit
        return "commit" if commits else "reference"
    if wanted.reference.is_full_commit and found.commit and found.commit.lower() != wanted.reference.value.lower():
        return "commit"
    # A hexadecimal tag with both letters and digits is not known from any project; a short commit is common.
    value = wanted.reference.value
    short = wanted.reference.kind == "rev" and _MIXED.fullmatch(value)
    if short and found.commit and not found.commit.lower().startswith(value.lower()):
        return "commit"
    return "large file storage" if wanted.lfs != found.lfs else None


def _same_reference(one: Reference, other: Reference) -> bool:
    if one.kind != other.kind:
        return False
    if FULL_COMMIT.fullmatch(one.value) or one.is_short_commit:
        return one.value.lower() == other.value.lower()
    return one.value == other.value


def _same_folder(wanted: Source, found: Source) -> bool:
    if "workspace" in (wanted.kind, found.kind):
        return True
    one, other = posixpath.normpath(wanted.location), posixpath.normpath(found.location)
    if one.startswith(("/", "~")) != other.startswith(("/", "~")):
        # One is relative to the project, whose own place is not known here.
        return posixpath.basename(one) == posixpath.basename(other)
    return one == other
