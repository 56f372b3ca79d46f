"""The lock is for the versions of Python that the project declares.

`requires-python` of the lock says for which versions it was resolved. uv writes the intersection of what the project
and its members declare. A lock that claims more than that promises versions that nobody declared, and markers that were
left out because of it then hold nowhere; one that claims less is stale.

Example: pyproject.toml has `requires-python = ">=3.11"`, and the lock `requires-python = ">=3.8"`.

Fix: `uv lock`.

How to allow: not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..context import Context
from ..document import Document
from ..model import Finding, NotRun, Related, Tally
from ..project import Project
from ..requirement import specifiers

CODE = "LCK016"


def run(context: Context) -> Iterator[Finding | Tally]:
    project = context.project
    locked = project.lock_document.get("requires-python")
    declared = list(_declared(project))
    if not isinstance(locked, str) or not declared:
        raise NotRun("the lock or the project states no requires-python")
    try:
        ranges = [specifiers(text) for _, text in declared]
        ours = specifiers(locked)
    except ValueError as error:
        raise NotRun(f"a requires-python cannot be read: {error}") from None
    for version in versions_around(locked, *(text for _, text in declared)):
        wanted = all(one.contains(version, prereleases=True) for one in ranges)
        if ours.contains(version, prereleases=True) is not wanted:
            said = "is not for" if wanted else "is for"
            yield Finding(
                code=CODE,
                message=f"the lock has requires-python {locked}: it {said} Python {version}, other than declared",
                location=project.lock_document.locate("requires-python"),
                related=tuple(
                    Related(document.locate("project", "requires-python"), f"declared: {text}")
                    for document, text in declared[:5]
                ),
                hint="run `uv lock`",
            )
            break
    yield Tally(detail=f"for Python {locked}")


def _declared(project: Project) -> Iterator[tuple[Document, str]]:
    """Yield what the project and its members declare; nothing where one of them is not in the checkout."""
    found = []
    for folder, member in project.members.items():
        if folder != "." and member.name not in project.lock.members:
            continue
        if member.document is None:
            return
        text = member.document.get("project", "requires-python")
        if isinstance(text, str):
            found.append((member.document, text))
    yield from found


def versions_around(*texts: str) -> list[str]:
    """Return versions below, at and above every bound that occurs."""
    points = {(3, 99, 0)}
    for text in texts:
        for found in re.findall(r"\d{1,9}(?:\.\d{1,9})*", text):
            major, minor, micro = (*map(int, found.split(".")), 0, 0)[:3]
            points |= {(major, minor, micro), (major, minor, micro + 1), (major, minor + 1, 0)}
            points.add((major, minor, micro - 1) if micro else (major, max(minor - 1, 0), 99))
    return [".".join(map(str, point)) for point in sorted(points)]
