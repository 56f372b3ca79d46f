"""The lock's revision fits what is in it.

`revision` counts what uv has added to the form of a lock. It also tells uv what to expect: with `revision = 0`, or
without one, uv does not compare `provides-extras` with pyproject.toml. A lock that holds what only a later revision
writes, and claims an earlier one, was edited to switch that off. One that claims a revision that pinproof does not
know may hold what it does not check.

Example: `revision = 0`, and `provides-extras` stands in the lock all the same.

Fix: `uv lock`.

How to allow: an ignore with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..model import Finding, Related, Severity, Tally
from ..project import Project

CODE = "LCK017"
_SHOWN = 5
KNOWN_REVISION = 5
"""The latest revision that uv 0.13.9 writes."""
_PROVIDES_EXTRAS = 1
_UPLOAD_TIME = 2
_KEYS = frozenset(
    (
        *("version", "revision", "requires-python", "resolution-markers", "supported-markers", "required-markers"),
        *("environment-markers", "conflicts", "options", "manifest", "package", "distribution"),
    )
)


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    document = project.lock_document
    found = document.data.get("revision", 0)
    revision = found if isinstance(found, int) and not isinstance(found, bool) else -1
    if not 0 <= revision <= KNOWN_REVISION:
        yield Finding(
            code=CODE,
            message=f"the lock has revision {found!r}, expected 0 to {KNOWN_REVISION}: what it adds is not checked",
            severity=Severity.WARNING,
            location=document.locate("revision"),
            hint="re-lock with the uv that the project uses, or update pinproof",
        )
    else:
        yield from _too_low(project, revision)
    unknown = [key for key in document.data if key not in _KEYS]
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        yield Finding(
            code=CODE,
            message=f"the lock has the unknown key `{unknown[0]}`{more}",
            severity=Severity.WARNING,
            location=document.locate(unknown[0]),
            related=tuple(Related(document.locate(key), "unknown") for key in unknown[1:_SHOWN]),
            hint="run `uv lock`, which drops what it does not know; or update pinproof",
        )
    yield Tally(detail=f"revision {revision}")


def _too_low(project: Project, revision: int) -> Iterator[Finding]:
    document = project.lock_document
    for needed, key in ((_PROVIDES_EXTRAS, "provides-extras"), (_UPLOAD_TIME, "upload-time")):
        place = _first(project, key) if revision < needed else None
        if place is not None:
            yield Finding(
                code=CODE,
                message=f"the lock has revision {revision}, and `{key}`, which uv writes from revision {needed} on",
                location=document.locate("revision" if "revision" in document.data else "version"),
                related=(Related(document.locate(*place), key),),
                hint="run `uv lock`; uv compares less where the revision is lower",
            )
            return


def _first(project: Project, key: str) -> tuple[str | int, ...] | None:
    for package in project.lock.packages:
        metadata = package.table.get("metadata")
        if isinstance(metadata, dict) and key in metadata:
            return (*package.keys, "metadata", key)
        for file in package.files:
            if key in file.table:
                return file.keys
    return None
