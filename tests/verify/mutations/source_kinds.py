"""Tampering with where an entry comes from."""

from __future__ import annotations

import re
from collections.abc import Callable

from .kinds import PIN, RELEASED, Kind, Target

EVIL = "https://evil.example"
OTHER = "deadbeef" * 5
_SOURCE = re.compile(r"(?m)^source = \{[^}]*\}")
_GIT = re.compile(r'git = "([^"?#]*)\??([^"#]*)#([0-9a-f]*)"')


def _source(text: str) -> Callable[[Target], str | None]:
    """Return an edit that gives the entry, and every edge that repeats its source, another source."""
    return lambda target: _everywhere(target, lambda _: text)


def _everywhere(target: Target, change: Callable[[str], str]) -> str | None:
    """Change the entry's source wherever the lock repeats it."""
    match = re.search(r"(?m)^source = (\{[^}]*\})", target.entry)
    if match is None:
        return None
    changed = target.lock.text.replace(
        f'name = "{target.name}", version = "{target.version}", source = {match[1]}', "\0"
    )
    entry = target.entry.replace(match[0], f"source = {change(match[1])}")
    repeated = f'name = "{target.name}", version = "{target.version}", source = {change(match[1])}'
    return changed.replace(target.entry, entry).replace("\0", repeated)


def _git(location: str = r"\1", query: str = r"\2", commit: str = r"\3") -> Callable[[Target], str | None]:
    template = f'git = "{location}?{query}#{commit}"'
    return lambda target: _everywhere(target, lambda source: _GIT.sub(template, source))


def _entry_alone(target: Target) -> str | None:
    return target.with_entry(_SOURCE.sub(f'source = {{ git = "{EVIL}/r?rev={OTHER}#{OTHER}" }}', target.entry))


def _recorded(target: Target) -> str | None:
    return target.with_recorded(
        re.sub(rf'(name = "{re.escape(target.name)}"[^\n]*\brev=)[0-9a-f]{{40}}', rf"\g<1>{OTHER}", target.recorded)
    )


def _recorded_and_locked(target: Target) -> str | None:
    commit = re.search(r"#([0-9a-f]{40})", target.entry)
    return target.lock.text.replace(commit[1], OTHER) if commit else None


SOURCE_KINDS = (
    Kind(
        name="the index of one package",
        edit=_source(f'{{ registry = "{EVIL}/simple" }}'),
        codes=("LCK023",),
    ),
    Kind(
        name="git in place of the index",
        edit=_source(f'{{ git = "{EVIL}/r?rev={OTHER}#{OTHER}" }}'),
        codes=("LCK024", "PIN001"),
    ),
    Kind(
        name="a URL in place of the index",
        edit=_source(f'{{ url = "{EVIL}/x-1-py3-none-any.whl" }}'),
        codes=("LCK024", "PIN001"),
    ),
    Kind(
        name="a file in place of the index",
        edit=_source('{ path = "wheels/x-1-py3-none-any.whl" }'),
        codes=("LCK024", "PIN001"),
    ),
    Kind(name="a folder in place of the index", edit=_source('{ directory = "vendored" }'), codes=("LCK024", "PIN001")),
    Kind(
        name="an editable folder in place of the index",
        edit=_source('{ editable = "vendored" }'),
        codes=("LCK024", "PIN001"),
    ),
    Kind(
        name="a look-alike index", edit=_source('{ registry = "https://index.exаmple.org/simple" }'), codes=("LCK022",)
    ),
    Kind(
        name="two kinds of source in one entry",
        edit=_source(f'{{ registry = "{EVIL}/simple", url = "{EVIL}/x.whl" }}'),
        codes=("PIN001",),
    ),
    Kind(name="another commit", edit=_git(query=f"rev={OTHER}", commit=OTHER), places=(PIN,), codes=("PIN001",)),
    Kind(name="another commit in the entry alone", edit=_entry_alone, places=(PIN,), codes=("PIN001",)),
    Kind(name="another commit after `#`", edit=_git(commit=OTHER), places=(PIN,), codes=("PIN001",)),
    Kind(name="another rev before `#`", edit=_git(query=f"rev={OTHER}"), places=(PIN,), codes=("PIN001",)),
    Kind(name="a commit cut short", edit=_git(commit="deadbee"), places=(PIN,), codes=("PIN001",)),
    Kind(name="no commit", edit=_git(commit=""), places=(PIN,), codes=("PIN001",)),
    Kind(name="a branch in place of the rev", edit=_git(query="branch=main"), places=(PIN,), codes=("PIN001",)),
    Kind(name="rev given twice", edit=_git(query=rf"\2&rev={OTHER}", commit=OTHER), places=(PIN,), codes=("PIN001",)),
    Kind(name="rev and branch together", edit=_git(query=r"\2&branch=main"), places=(PIN,), codes=("PIN001",)),
    Kind(name="another host of the repository", edit=_git(location=f"{EVIL}/o/r"), places=(PIN,), codes=("PIN001",)),
    Kind(name="another owner of the repository", edit=_git(location=r"\1-fork"), places=(PIN,), codes=("PIN001",)),
    Kind(
        name="user information in the repository",
        edit=_git(location=r"https://me:secret@git.example.org/o/r"),
        places=(PIN,),
        codes=("LCK022",),
    ),
    Kind(
        name="a subdirectory of the repository",
        edit=_git(query=r"subdirectory=evil&\2"),
        places=(PIN,),
        codes=("PIN001",),
    ),
    Kind(name="large file storage switched on", edit=_git(query=r"lfs=true&\2"), places=(PIN,), codes=("PIN001",)),
    Kind(
        name="the index in place of git",
        edit=_source('{ registry = "https://index.example.org/simple" }'),
        places=(PIN,),
        codes=("PIN001",),
    ),
    Kind(
        name="a URL in place of git", edit=_source(f'{{ url = "{EVIL}/r.tar.gz" }}'), places=(PIN,), codes=("PIN001",)
    ),
    Kind(name="a folder in place of git", edit=_source('{ directory = "vendored" }'), places=(PIN,), codes=("PIN001",)),
    Kind(name="another commit recorded", edit=_recorded, places=(PIN,), codes=("PIN001",)),
    Kind(name="another commit recorded and locked", edit=_recorded_and_locked, places=(PIN,), codes=("PIN001",)),
    Kind(
        name="no source",
        edit=lambda target: target.with_entry(_SOURCE.sub("source = {}", target.entry)),
        places=(*RELEASED, PIN),
        codes=("PIN001",),
    ),
)
