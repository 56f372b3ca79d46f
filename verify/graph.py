"""The packages of a lock as a graph: which entry an edge leads to, and what can be reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from .lock import Edge, Lock, Package
from .markers import Universe
from .scopes import Scope, recorded_scopes, stated_scope


class Graph:
    """Resolves the edges of one lock."""

    def __init__(self, lock: Lock) -> None:
        self.lock = lock
        self._scopes: dict[int, list[Scope] | None] = {}

    def targets(self, edge: Edge) -> list[Package]:
        """Return the entries that fit an edge of the lock: one in a sound lock."""
        found = self.lock.by_name.get(edge.name, [])
        version, source = edge.table.get("version"), edge.table.get("source")
        if version is not None:
            found = [package for package in found if package.table.get("version") == version]
        if source is not None:
            found = [package for package in found if package.table.get("source") == source]
        return found

    @cached_property
    def universe(self) -> Universe:
        """The environments that the lock is for."""
        data = self.lock.document.data
        requires = data.get("requires-python")
        supported = data.get("supported-markers") or data.get("environment-markers")
        texts = [text for text in supported if isinstance(text, str)] if isinstance(supported, list) else []
        return Universe(requires if isinstance(requires, str) else "", texts)

    def scopes(self, package: Package) -> list[Scope] | None:
        """Return what `package` requires and the edges that follow, scope by scope; None where the lock does not say.

        It does for local packages, and for those that `dependency-metadata` speaks of.
        """
        number = id(package)
        if number not in self._scopes:
            stated = stated_scope(self.lock, package)
            if stated is not None:
                self._scopes[number] = [stated]
            elif next(package.recorded(), None) is not None:
                self._scopes[number] = recorded_scopes(package, self.universe)
            else:
                self._scopes[number] = None
        return self._scopes[number]

    def is_stated(self, package: Package) -> bool:
        """Return whether `dependency-metadata` says what a package requires, instead of the package itself."""
        return stated_scope(self.lock, package) is not None

    def reachable(self, roots: Iterable[Package]) -> set[int]:
        """Return the numbers of the entries that can be reached from `roots`, those included."""
        place = {id(package): number for number, package in enumerate(self.lock.packages)}
        seen = {place[id(package)] for package in roots}
        waiting = list(seen)
        while waiting:
            package = self.lock.packages[waiting.pop()]
            for target in self._neighbours(package):
                number = place[id(target)]
                if number not in seen:
                    seen.add(number)
                    waiting.append(number)
        return seen

    def _neighbours(self, package: Package) -> Iterator[Package]:
        for edge in package.edges:
            yield from self.targets(edge)
