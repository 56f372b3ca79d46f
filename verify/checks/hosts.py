"""Packages and files come from where the others come from, or from where the project says.

An edit that moves one wheel to another host, or one package to another index, leaves a lock that uv accepts and
installs from. Nobody declares the hosts of files, and some indexes do serve from several, so this is a warning: for an
index that the project does not declare, and for a host that serves only a few of the files of an index. The index that
most packages come from needs no declaration.

Example: 120 packages come from one index, and one from `https://evil.example/simple`, which pyproject.toml does not
name.

Fix: declare the index (`[[tool.uv.index]]`), or run `uv lock` and see whether the host comes back.

How to allow: name the host in `[tool.pinproof] hosts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..context import Context
from ..hosts import declared_hosts, declared_indexes, host_of
from ..lock import File, Package
from ..model import Finding, Related, Severity, Tally
from ..words import counted

CODE = "LCK023"
_FEW = 0.25
"""Share of an index's files below which a second host is worth a look. Published locks have 48 % and 52 %, or one."""
_NAMED = 5


def run(context: Context) -> Iterator[Finding | Tally]:
    packages: dict[str, list[Package]] = {}
    for package in context.project.lock.packages:
        if package.source_kind == "registry":
            packages.setdefault(package.origin, []).append(package)
    yield from _indexes(context, packages)
    yield from _file_hosts(context)
    yield Tally(detail=counted(len(packages), "index", "indexes"))


def _indexes(context: Context, packages: dict[str, list[Package]]) -> Iterator[Finding]:
    lock = context.project.lock
    declared = {url.rstrip("/") for url in declared_indexes(context)}
    hosts = declared_hosts(context)
    main = max(packages, key=lambda origin: len(packages[origin]), default="")
    for origin, entries in packages.items():
        if origin == main or origin.rstrip("/") in declared or "://" not in origin or host_of(origin) in hosts:
            continue
        places = tuple(Related(lock.document.locate(*p.source_keys), p.name) for p in entries[1:_NAMED])
        yield Finding(
            code=CODE,
            message=f"{_listed(p.name for p in entries)} from the index {origin}, which the project does not declare",
            severity=Severity.WARNING,
            location=lock.document.locate(*entries[0].source_keys, "registry"),
            related=places,
            hint="declare it as [[tool.uv.index]], allow the host in [tool.pinproof] hosts, or run `uv lock`",
            package=entries[0].name if len(entries) == 1 else None,
        )


def _file_hosts(context: Context) -> Iterator[Finding]:
    lock = context.project.lock
    allowed = declared_hosts(context)
    served: dict[str, dict[str, list[File]]] = {}
    for file in lock.files:
        if file.package.source_kind == "registry" and "://" in file.url:
            host = file.plain_host or host_of(file.url)
            served.setdefault(file.package.origin, {}).setdefault(host, []).append(file)
    for origin, hosts in served.items():
        total = sum(len(files) for files in hosts.values())
        usual = max(hosts, key=lambda host: len(hosts[host]))
        for host, files in hosts.items():
            if host == usual or host in allowed or host == host_of(origin) or len(files) > _FEW * total:
                continue
            names = Counter(file.package.name for file in files)
            yield Finding(
                code=CODE,
                message=(
                    f"{counted(len(files), 'file')} of {_listed(names)} on {host}; "
                    f"the other {total - len(files)} from {origin} are on {usual}"
                ),
                severity=Severity.WARNING,
                location=lock.document.locate(*files[0].keys, "url"),
                related=tuple(Related(lock.document.locate(*f.keys, "url"), f.name) for f in files[1:_NAMED]),
                hint="run `uv lock` and see whether the host comes back; allow it in [tool.pinproof] hosts if it does",
                package=next(iter(names)) if len(names) == 1 else None,
            )


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    shown = ", ".join(every[:_NAMED])
    return shown if len(every) <= _NAMED else f"{shown} and {len(every) - _NAMED} more"
