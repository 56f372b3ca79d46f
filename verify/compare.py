"""What changed from one lock to another: packages added, removed and changed, and their files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from packaging.version import Version

from .hosts import host_of
from .lock import File, Package
from .project import Project
from .source import Source


@dataclass(frozen=True, slots=True)
class Pair:
    """One package in both locks."""

    old: Package
    new: Package

    @property
    def name(self) -> str:
        return self.new.name

    @property
    def same_version(self) -> bool:
        return self.old.version == self.new.version

    @property
    def is_lower(self) -> bool:
        """Whether the version went down."""
        try:
            return Version(self.new.version) < Version(self.old.version)
        except ValueError:
            return False

    @property
    def moved(self) -> bool:
        """Whether it comes from another kind of source, or another repository, index or place."""
        old, new = self.old.source, self.new.source
        if isinstance(old, Source) and isinstance(new, Source):
            return (old.kind, old.location.rstrip("/")) != (new.kind, new.location.rstrip("/"))
        return self.old.table.get("source") != self.new.table.get("source")

    def files(self) -> Iterator[tuple[File, File]]:
        """Yield the files of the same name in both."""
        old = {file.name: file for file in self.old.files}
        for file in self.new.files:
            if file.name in old:
                yield old[file.name], file

    def vanished(self) -> list[File]:
        """Return the files that only the old entry has."""
        new = {file.name for file in self.new.files}
        return [file for file in self.old.files if file.name not in new]


@dataclass(frozen=True)
class Comparison:
    """Attributes: `pairs` are the packages of both locks that are not equal, by name."""

    old: Project
    new: Project
    added: tuple[Package, ...]
    removed: tuple[Package, ...]
    pairs: tuple[Pair, ...]

    @cached_property
    def new_hosts(self) -> dict[str, list[File]]:
        """Hosts from which files come that no file or index of the old lock came from."""
        known = {host_of(file.url) for file in self.old.lock.files}
        known |= {host_of(p.origin) for p in self.old.lock.packages if "://" in p.origin}
        found: dict[str, list[File]] = {}
        for file in self.new.lock.files:
            host = host_of(file.url)
            if host and host not in known:
                found.setdefault(host, []).append(file)
        return found

    def redeclared(self, name: str) -> bool:
        """Return whether what the project asks of `name` changed: its requirements, sources, overrides or indexes."""
        return _asked(self.old, name) != _asked(self.new, name)

    def narrowed(self) -> bool:
        """Return whether the environments that the lock is for changed, so that files may drop out or come back."""
        keys = ("requires-python", "supported-markers", "required-markers", "environment-markers")
        old, new = self.old.lock_document.data, self.new.lock_document.data
        return any(old.get(key) != new.get(key) for key in keys)


def compare(old: Project, new: Project) -> Comparison:
    """Compare two locks. Entries of one name are paired by version and source first, the rest in order of version."""
    added: list[Package] = []
    removed: list[Package] = []
    pairs: list[Pair] = []
    for name in sorted(old.lock.by_name.keys() | new.lock.by_name.keys()):
        before, after = list(old.lock.by_name.get(name, ())), list(new.lock.by_name.get(name, ()))
        for same in (_same_source, _same_version):
            for package in list(after):
                match = next((other for other in before if same(other, package)), None)
                if match is not None:
                    before.remove(match)
                    after.remove(package)
                    if match.table != package.table:
                        pairs.append(Pair(match, package))
        paired = min(len(before), len(after))
        pairs += [Pair(b, a) for b, a in zip(_ordered(before)[:paired], _ordered(after)[:paired], strict=True)]
        removed += _ordered(before)[paired:]
        added += _ordered(after)[paired:]
    return Comparison(old, new, tuple(added), tuple(removed), tuple(pairs))


def _same_source(one: Package, other: Package) -> bool:
    return _same_version(one, other) and one.table.get("source") == other.table.get("source")


def _same_version(one: Package, other: Package) -> bool:
    return one.table.get("version") == other.table.get("version")


def _ordered(packages: list[Package]) -> list[Package]:
    def key(package: Package) -> tuple[int, Version, str]:
        try:
            return 1, Version(package.version), package.version
        except ValueError:
            return 0, Version("0"), package.version

    return sorted(packages, key=key)


def _asked(project: Project, name: str) -> frozenset[str]:
    """Return everything that the project's own files say of `name`, in words that can be compared."""
    found = {
        f"{one.kind} {one.group} {one.requirement} {[str(origin.source) + origin.marker for origin in one.origins]}"
        for one in project.declared.by_name.get(name, ())
    }
    entries = project.pyproject.get("tool", "uv", "index")
    found |= {repr(entry) for entry in entries} if isinstance(entries, list) else set()
    return frozenset(found)
