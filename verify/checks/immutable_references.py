"""What is locked by a branch, a tag or a short commit can move.

uv.lock holds the commit that such a reference meant when the lock was written; the next `uv lock --upgrade` may take
another one without a line of pyproject.toml changing, and a tampered fragment beside an unchanged branch name is
accepted by uv even with network. A full commit cannot move. It is a warning, an error for a name that
`[tool.pinproof.pins]` lists. References that disagree are another check's business (PIN001).

Example: `flashinfer-python = { git = "https://…/flashinfer", branch = "main" }`.

Fix: write `rev = "<full commit>"`; the lock names the commit that is in use.

How to allow: `[tool.pinproof.pins.NAME] mutable = "reason"`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..model import Finding, Related, Severity, Tally
from ..source import Reference, Source
from ..words import counted

CODE = "PIN002"


def run(context: Context) -> Iterator[Finding | Tally]:
    declared = context.project.declared
    lock = context.project.lock
    seen = 0
    for name, declarations in sorted(declared.by_name.items()):
        pin = context.config.pins.get(name)
        origins = dict.fromkeys(o for d in declarations for o in d.direct if d.kind != "dependency-metadata")
        for origin in origins:
            source = origin.source
            if source is None or source.kind != "git":
                continue
            seen += 1
            if source.reference.is_full_commit or (pin is not None and pin.mutable):
                continue
            locked = [p for p in lock.by_name.get(name, []) if isinstance(p.source, Source) and p.source.commit]
            commits = {p.source.commit for p in locked if isinstance(p.source, Source)}
            yield Finding(
                code=CODE,
                message=f"{name} is declared by {_words(source.reference)}, which can move",
                severity=Severity.WARNING if pin is None else Severity.ERROR,
                location=origin.document.locate(*origin.keys),
                related=tuple(
                    Related(lock.document.locate(*p.source_keys, "git"), f"locked: {p.source}") for p in locked
                ),
                hint=f'write rev = "{commits.pop()}"' if len(commits) == 1 else "write a full commit as `rev`",
                package=name,
            )
    yield Tally(detail=counted(seen, "declared git source"))


def _words(reference: Reference) -> str:
    if not reference.kind:
        return "no reference at all"
    return f"the short commit or name {reference.value}" if reference.kind == "rev" else f"the {reference}"
