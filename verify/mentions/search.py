"""Searches the tracked files of a project for what a pin update forgot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..context import Context
from ..files import InputError
from ..git import Repository
from ..project import PYPROJECT
from ..source import Source
from ..words import counted
from .commits import named_commits, repository_key, submodules
from .paths import may_name_commits, may_name_releases, of_this_project
from .releases import other_releases
from .text import Named, Text

_TEXT_LIMIT = 1024 * 1024
"""Bytes of a searched file; a longer one is data."""
_FILES, _SHOWN = 2000, 8
"""Files that are read for releases, and releases of one file that are told one by one."""
_GREP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Drift:
    """A file that names another commit or release of a package than the lock.

    `more` counts further releases of the same file, which are not told one by one.
    """

    package: str
    named: Named
    is_commit: bool
    locked: tuple[str, ...]
    more: int = 0


@dataclass(slots=True)
class _Taken:
    """What the lock takes from one repository."""

    packages: list[str]
    commits: set[str]


class Search:
    """One search. `words` says what was searched."""

    def __init__(self, context: Context, repository: Repository) -> None:
        """List the tracked files. Raises `GitError`."""
        self.context = context
        self.repository = repository
        own = {f"{folder}/{PYPROJECT}".removeprefix("./") for folder in context.project.members}
        self.tracked = of_this_project(repository.tracked(), own)
        self.stated = {(mention.path, mention.pin) for mention in context.config.mentions}
        self.words = f"{counted(len(self.tracked), 'tracked file')} searched"

    def drifts(self) -> Iterator[Drift]:
        """Yield what differs, without the places that configuration declares. Raises `GitError`."""
        yield from self._commits()
        yield from self._releases()

    def _commits(self) -> Iterator[Drift]:
        taken = self._repositories()
        yield from self._submodules(taken)
        holding = self._holding([path for _, path in taken]) & set(self.tracked)
        for path in sorted(filter(may_name_commits, holding)):
            text = self._text(path)
            for key, one in taken.items() if text else ():
                if text and not any((path, name) in self.stated for name in one.packages):
                    yield from self._others(one, dict.fromkeys(named_commits(text, key)))

    def _submodules(self, taken: Mapping[tuple[str, str], _Taken]) -> Iterator[Drift]:
        """A submodule of a repository that a package is locked from: the index names its commit."""
        commits = self.repository.submodules()
        text = self._text(self.repository.relative(".gitmodules")) if commits else None
        for path, url, place in submodules(text) if text else ():
            one = taken.get(repository_key(url))
            commit = commits.get(self.repository.relative(path))
            if one and commit:
                yield from self._others(one, [Named(commit, place)])

    def _others(self, one: _Taken, found: Iterable[Named]) -> Iterator[Drift]:
        for named in found:
            if not any(commit.startswith(named.value.lower()) for commit in one.commits):
                yield Drift(one.packages[0], named, True, tuple(sorted(commit[:12] for commit in one.commits)))

    def _releases(self) -> Iterator[Drift]:
        locked: dict[str, list[str]] = {}
        for package in self.context.project.lock.packages:
            if package.version:
                locked.setdefault(package.name, []).append(package.version)
        installing = [path for path in self.tracked if may_name_releases(path)]
        if len(installing) > _FILES:
            self.words += f", {len(installing) - _FILES} of them not for releases"
        for path in installing[:_FILES]:
            text = self._text(path)
            if text is None:
                continue
            versions = {name: found for name, found in locked.items() if (path, name) not in self.stated}
            found = [
                Drift(release.name, release.named, False, tuple(sorted(set(locked[release.name]))))
                for release in other_releases(text, versions)
            ]
            if len(found) > _SHOWN:
                found[_SHOWN - 1 :] = [replace(found[_SHOWN - 1], more=len(found) - _SHOWN)]
            yield from found

    def _repositories(self) -> dict[tuple[str, str], _Taken]:
        found: dict[tuple[str, str], _Taken] = {}
        for package in self.context.project.lock.packages:
            source = package.source
            if isinstance(source, Source) and source.kind == "git":
                one = found.setdefault(repository_key(source.location), _Taken([], set()))
                one.packages.append(package.name)
                one.commits.add(source.commit.lower())
        for pin in self.context.config.pins.values():
            if pin.git and pin.rev:
                one = found.setdefault(repository_key(pin.git), _Taken([], set()))
                one.packages.append(pin.name)
                one.commits.add(pin.rev)
        return found

    def _holding(self, needles: list[str]) -> set[str]:
        """Return the tracked files, relative to the project, that hold one of these texts in any case."""
        patterns = [part for needle in needles if needle.strip("/") for part in ("-e", needle.strip("/"))]
        if not patterns:
            return set()
        command = ("grep", "-l", "-z", "-I", "-i", "-F", "--no-textconv", *patterns)
        done = self.repository.run(*command, timeout=_GREP_SECONDS)
        if done.code not in (0, 1):
            raise done.error
        return {path for path in done.stdout.decode("utf-8", "surrogateescape").split("\0") if path}

    def _text(self, path: str) -> Text | None:
        """Return a tracked file of text, None for data, for a file that is not there and for one that leads out."""
        try:
            data = self.context.project.tree.read(path)
        except (FileNotFoundError, InputError):
            return None
        return None if len(data) > _TEXT_LIMIT or b"\0" in data else Text(path, data)
