"""The environment that would run holds what is locked, and the reviewed commit of every pin.

A lock that is right helps nobody while the environment is older, holds an editable install of somebody's checkout, or
a release where a commit is pinned. Read are the `.dist-info` folders of the interpreter named by `--python`, else of
the project's `.venv`: PEP 610 `direct_url.json` tells the commit, the metadata the version, RECORD the files. Where two
distributions own the same import path with different files, it is said which one wins: the one whose digests match what
is on disk. The interpreter is not started; outside of the checkout nothing is read unless `--python` names it. A pin
that is installed from elsewhere, or overwritten, is an error; what differs otherwise is a warning.

Example: `flashinfer-python` is installed as version 0.7.2.post1 of an index, and the lock pins a commit.

Fix: `uv sync --locked`; uninstall the distribution that overwrites the other one.

How to allow: `[[tool.pinproof.ignore]]` with the code and the package.

What it cannot tell: whether the files are the commit's. An environment says of itself what it holds, and that of a
hostile checkout may lie. A pin that is not installed, or installed as another entry of the lock, is not told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from packaging.version import Version

from ..context import Context
from ..lock import Package
from ..model import Finding, Location, NotRun, Related, Severity, Tally
from ..source import Source
from ..words import counted

if TYPE_CHECKING:
    from ..environment import Distribution, Environment
    from ..owners import Shared

CODE = "PRV003"
_SHOWN = 8
_HINT = "run `uv sync --locked`, or install the locked commit by other means"


def run(context: Context) -> Iterator[Finding | Tally]:
    from ..environment import Environment

    environment = Environment.find(context)
    lock = context.project.lock
    pinned = {name for name, pin in context.config.pins.items() if pin.rev or _commits(lock.by_name.get(name, []))}
    untold: list[str] = []
    older: list[tuple[Distribution, Package]] = []
    agreeing = 0
    for name in sorted({one.name for one in environment.distributions} & lock.by_name.keys()):
        installed = environment.of(name)
        if len(installed) > 1:
            versions = " and ".join(one.version for one in installed)
            yield _finding(name, f"is installed more than once, as {versions}", pinned, context)
        for one in installed:
            reason = _difference(one, lock.by_name[name], context)
            if reason is None:
                agreeing += 1
            elif reason:
                yield _finding(name, reason, pinned, context)
            else:
                older.append((one, lock.by_name[name][0]))
    yield from _older(older, context)
    yield from _owners(environment, pinned, context)
    untold += _untold(sorted(pinned), environment, context)
    if untold:
        raise NotRun("; ".join(untold))
    yield Tally(detail=f"{counted(agreeing, 'distribution')} in {environment.words} as locked")


def _difference(one: Distribution, packages: list[Package], context: Context) -> str | None:
    """Return how an installed distribution differs from the lock: None not at all, empty by its version alone."""
    pin = context.config.pins.get(one.name)
    kinds = {package.source_kind for package in packages}
    if kinds <= {"directory", "path", "url", ""}:
        return None
    if one.commit and not one.is_editable:
        wanted = {pin.rev} if pin and pin.rev else _commits(packages)
        if one.commit in wanted:
            return None
        return f"is installed at {one.words}, expected {' or '.join(sorted(wanted)) or 'a release of an index'}"
    if one.origin:
        return None if kinds & {"directory", "path", "url"} else f"is {one.words}, expected {_locked_words(packages)}"
    released = [package for package in packages if package.source_kind == "registry"]
    if not released:
        return f"is installed as {one.words}, expected {_locked_words(packages)}"
    return None if any(_same(one.version, package.version) for package in released) else ""


def _untold(pinned: list[str], environment: Environment, context: Context) -> Iterator[str]:
    """Say of which pins the environment tells nothing."""
    for name in pinned:
        installed = environment.of(name)
        if not installed:
            yield f"{name} is not installed in {environment.words}"
        elif not any(one.origin for one in installed) and len(context.project.lock.by_name.get(name, ())) > 1:
            yield f"{environment.words} holds {name} {installed[0].version}, another entry of the lock than the pin"


def _older(found: list[tuple[Distribution, Package]], context: Context) -> Iterator[Finding]:
    if found:
        named = ", ".join(f"{one.name} {one.version} (locked {package.version})" for one, package in found[:_SHOWN])
        rest = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        single = found[0][0].name if len(found) == 1 else None
        yield Finding(
            code=CODE,
            message=f"installed in other versions than locked: {named}{rest}",
            severity=Severity.WARNING,
            location=_place(found[0][1], context),
            related=tuple(
                Related(_place(package, context), f"locked: {package.name}") for _, package in found[:_SHOWN]
            ),
            hint="run `uv sync --locked`",
            package=single,
        )


def _owners(environment: Environment, pinned: set[str], context: Context) -> Iterator[Finding]:
    from ..owners import hidden_modules, shared_files

    for shared in shared_files(environment):
        names = [owner.name for owner in shared.owners]
        about = next((name for name in names if name in pinned), names[0])
        lost = about in pinned and shared.winners.get(about, 0) < sum(shared.winners.values())
        files = counted(len(shared.paths), "file")
        message = f"shares {files} with {_others(names, about)}, such as {shared.paths[0]}; {_wins(shared)}"
        yield _finding(about, message, pinned if lost else set(), context)
    for module, package, name in hidden_modules(environment):
        message = f"has a module {name} that is never imported: the package {name} of {package.name} wins"
        yield _finding(module.name, message, pinned, context)


def _others(names: list[str], about: str) -> str:
    return " and ".join(name for name in names if name != about) or about


def _wins(shared: Shared) -> str:
    said = [f"{count} of {name}" if name else f"{count} of neither" for name, count in sorted(shared.winners.items())]
    if len(shared.winners) == 1:
        (name,) = shared.winners
        return f"on disk are those of {name}, which wins" if name else "on disk are those of neither"
    return f"on disk are {', '.join(said)}"


def _finding(name: str, message: str, pinned: set[str], context: Context) -> Finding:
    packages = context.project.lock.by_name.get(name, [])
    return Finding(
        code=CODE,
        message=f"{name} {message}",
        severity=Severity.ERROR if name in pinned else Severity.WARNING,
        location=_place(packages[0], context) if packages else None,
        hint=_HINT,
        package=name,
    )


def _place(package: Package, context: Context) -> Location:
    return context.project.lock.document.locate(*package.source_keys)


def _commits(packages: list[Package]) -> set[str]:
    return {p.source.commit.lower() for p in packages if isinstance(p.source, Source) and p.source.commit}


def _locked_words(packages: list[Package]) -> str:
    said = [str(p.source) if p.source_kind == "git" else f"version {p.version}" for p in packages]
    return " or ".join(dict.fromkeys(said))


def _same(one: str, other: str) -> bool:
    try:
        return Version(one) == Version(other)
    except ValueError:
        return one == other
