"""Every dependency edge of uv.lock leads to exactly one entry.

An edge names a package, and repeats version and source where the lock has several entries of that name. One that leads
nowhere, to another version or source than the entry has, or to several entries at once, was edited, or came out of a
merge. The same entry twice is what a bot writes that merges locks as text. uv notices some of these and stops with an
internal error; others it repairs in silence when it next locks.

Example: `{ name = "tabulate" }` stands among the dependencies of a package, and there is no `[[package]]` of that name.

Fix: `uv lock`, and look at what changes.

How to allow: not at all; uv never writes such a lock.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..lock import Edge, Lock, Package
from ..model import Finding, Related, Tally
from ..words import counted

CODE = "LCK010"
_HINT = "run `uv lock`, and look at what changes"


def run(context: Context) -> Iterator[Finding | Tally]:
    lock = context.project.lock
    graph = lock.graph
    yield from _twice(lock)
    edges = 0
    for package in lock.packages:
        for edge in package.edges:
            edges += 1
            targets = graph.targets(edge)
            if len(targets) != 1:
                yield _wrong(lock, package, edge, targets)
    yield Tally(detail=f"{counted(edges, 'edge')} between {counted(len(lock.packages), 'entry', 'entries')}")


def _twice(lock: Lock) -> Iterator[Finding]:
    for name, packages in lock.by_name.items():
        seen: dict[tuple[str, str], Package] = {}
        for package in packages if len(packages) > 1 else ():
            first = seen.setdefault((package.version, repr(package.table.get("source"))), package)
            if first is not package:
                yield Finding(
                    code=CODE,
                    message=f"{name} {package.version} stands in the lock twice, from the same source",
                    location=lock.document.locate(*package.keys),
                    related=(Related(lock.document.locate(*first.keys), "the other one"),),
                    hint=_HINT,
                    package=name,
                )


def _wrong(lock: Lock, package: Package, edge: Edge, targets: list[Package]) -> Finding:
    entries = lock.by_name.get(edge.name, [])
    wanted = " ".join(str(edge.table[key]) for key in ("version", "source") if key in edge.table)
    if targets:
        what = f"fits {len(targets)} entries, expected version and source that fit one"
    elif entries:
        what = f"asks for {wanted}, and no entry has that"
    else:
        what = "leads nowhere: the lock has no entry of that name"
    return Finding(
        code=CODE,
        message=f"the edge from {package.name} to {edge.name} {what}",
        location=lock.document.locate(*edge.keys),
        related=tuple(
            Related(lock.document.locate(*entry.keys), f"entry: {entry.name} {entry.version} from {entry.source}")
            for entry in (targets or entries)[:5]
        ),
        hint=_HINT,
        package=edge.name,
    )
