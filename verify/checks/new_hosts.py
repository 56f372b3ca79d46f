"""No file comes from a host that the base did not know and nobody declares.

A look-alike host hides well in a long diff of a lock. A host that serves files now, served none at the base, and is
neither that of a declared index nor allowed by configuration, is worth a look, however many files it serves.

Example: `https://files.examp1e.org/…` stands among the files of one package, and the base has `files.example.org` only.

Fix: `git checkout BASE -- uv.lock && uv lock`, and see whether the host comes back.

How to allow: name the host in `[tool.pinproof] hosts`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..context import Context
from ..hosts import declared_hosts
from ..model import Finding, Related, Severity, Tally
from ..words import counted

CODE = "LCK043"
_NAMED = 5


def run(context: Context) -> Iterator[Finding | Tally]:
    found = context.comparison.new_hosts
    declared = declared_hosts(context)
    for host, files in sorted(found.items()):
        if host in declared or all(file.package.source_kind != "registry" for file in files):
            continue
        names = list(dict.fromkeys(file.package.name for file in files))
        listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        locate = context.project.lock_document.locate
        yield Finding(
            code=CODE,
            message=f"{counted(len(files), 'file')} of {listed} from the host {host}, which the base does not have",
            severity=Severity.WARNING,
            location=locate(*files[0].keys),
            related=tuple(Related(locate(*file.keys), file.name) for file in files[1:_NAMED]),
            hint="name the host in [tool.pinproof] hosts, or take the lock of the base and run `uv lock`",
            package=names[0] if len(names) == 1 else None,
        )
    yield Tally(detail=counted(len(found), "new host"))
