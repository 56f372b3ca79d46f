"""Releases that a file installs: `name==version`, the version written out or in a variable of the same file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet

from ..requirement import normal_name
from .paths import is_requirements, is_workflow
from .text import VARIABLE, Named, Text

_RELEASE = (
    r"(?<![\w./@$%{}}-])([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]\n]*\])?GAP==GAP"
    rf"({VARIABLE}|[0-9][\w.!+*-]*)"
    r"(?P<marker>[ \t]*;[ \t(]*(?:python_|platform_|sys_|os_|implementation_|extra\b))?"
)
_CLOSE = re.compile(_RELEASE.replace("GAP", ""))
_SPACED = re.compile(_RELEASE.replace("GAP", "[ \\t]*"))
_GENERATED = re.compile(r"^#.*(pip-compile|uv pip compile|pip freeze|pip-tools|poetry export|pdm export)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Release:
    """A release of the package `name` that a file names."""

    name: str
    named: Named


def other_releases(text: Text, locked: Mapping[str, Collection[str]]) -> Iterator[Release]:
    """Yield the releases that differ from every version that is locked for their package.

    Left out: requirements with a marker, files that another tool wrote as a lock of its own, and in a workflow a
    package of which it names the locked version, too (a matrix).
    """
    if _GENERATED.search("\n".join(text.lines[:10])):
        return
    found = [release for line in range(len(text.lines)) for release in _releases(text, line) if release.name in locked]
    other = [release for release in found if not _matches(release.named.value, locked[release.name])]
    agreeing = {release.name for release in found if release not in other}
    for release in other:
        if not (is_workflow(text.path) and release.name in agreeing):
            yield release


def _releases(text: Text, line: int) -> Iterator[Release]:
    if text.is_comment(line):
        return
    pattern = _SPACED if is_requirements(text.path) else _CLOSE
    for match in pattern.finditer(text.lines[line]):
        values = text.values(match[2])
        if values and match["marker"] is None:
            yield Release(normal_name(match[1]), Named(" or ".join(values), text.at(line, match.start(2))))


def _matches(written: str, locked: Collection[str]) -> bool:
    """Whether one of the written versions admits a locked one (`==2.8.0` admits `2.8.0+cu128`).

    What is no version (a placeholder, a word) is not judged.
    """
    for value in written.split(" or "):
        try:
            specifier = SpecifierSet(f"=={value}")
        except ValueError:
            return True
        if any(specifier.contains(version, prereleases=True) for version in locked):
            return True
    return False
