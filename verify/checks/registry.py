"""The indexes still say of every file what uv.lock says.

Nothing in the two files shows that a digest was replaced together with its URL, or that a locked version breaks what
another package requires. Under `--online` every index of the lock is asked for each of its packages, by the simple API
(PEP 691, PEP 700, else PEP 503): URL, digests and size of each file, whether it was taken back (yanked), and for which
versions of Python it is. Where the index publishes metadata (PEP 658), what each package requires is compared with the
edges of the lock and the versions they lead to; overridden and excluded names are left out.

Only hosts are asked that the user trusts: those of `--host`, and those of the file of `--config` or the configuration
of the base; never those that the checkout names, nor those of a base that only its `[tool.pinproof] base` names. User
information in a URL is not sent. A redirect to another host is not followed. What did not answer, a flat index, a
digest of a kind that the index does not state, and requirements that cannot be read are not run, with the reason, and
never a pass.

Example: the lock has `sha256:0000…` for `click-8.1.7-py3-none-any.whl`, and the index says `sha256:ae74…`.

Fix: find out who is wrong. If it is the lock, `uv lock --upgrade-package NAME`, and review it again.

How to allow: an ignore with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..context import Context
from ..hosts import flat_indexes, without_user
from ..lock import File, Package
from ..markers import ALWAYS, CannotTellError, condition
from ..model import Finding, NotRun, Related, Severity, Tally
from ..requirement import normal_name, specifiers
from ..scopes import marker_of, recorded_scopes
from ..source import same_place
from ..words import counted
from .python_range import versions_around
from .versions import satisfies

if TYPE_CHECKING:
    from ..online.client import Client
    from ..online.simple import Offered

CODE = "LCK060"
_REASONS = 5
"""So many are told."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an index says of one package. `requires` is None where it publishes no metadata that could be read."""

    files: dict[str, Offered] | None
    requires: list[dict[str, object]] | None
    note: str = ""


def run(context: Context) -> Iterator[Finding | Tally]:
    if not context.options.online:
        raise NotRun("it asks indexes, and only --online permits that")
    # Loaded here, so that every other run starts without an event loop and a client.
    from ..online.client import NoAnswerError, ask_all, available
    from ..online.trust import trust

    if not available():
        raise NotRun("httpx is not installed; install pinproof[online]")
    flat = flat_indexes(context)
    listed = [p for p in context.project.lock.packages if p.source_kind == "registry"]
    packages = [p for p in listed if same_place(p.origin) not in flat]
    answers = ask_all(
        packages, _ask, trust(context), timeout=context.options.timeout, progress=context.options.progress
    )
    reasons: Counter[str] = Counter()
    if len(packages) < len(listed):
        reasons["a flat index has no page for each package"] = len(listed) - len(packages)
    compared = files = 0
    for package, answer in zip(packages, answers, strict=True):
        if isinstance(answer, NoAnswerError):
            reasons[str(answer)] += 1
            continue
        compared += 1
        if answer.note:
            reasons[f"of their requirements, {answer.note}"] += 1
        if answer.files is None:
            yield _finding(context, package, "the index has no such package", package.keys)
            continue
        untold = set()
        for file in package.files:
            files += 1
            now = answer.files.get(file.name)
            yield from _file(context, package, file, now)
            if now is not None:
                untold.add(_untold(file, now))
        reasons.update(untold - {""})
        if answer.requires is not None:
            yield from _requirements(context, package, answer.requires)
    yield Tally(detail=f"{counted(compared, 'package')} with {counted(files, 'file')} compared with their indexes")
    if reasons:
        words = [f"{counted(number, 'package')}: {reason}" for reason, number in reasons.most_common(_REASONS)]
        more = len(reasons) - len(words)
        raise NotRun("; ".join([*words, counted(more, "more reason")] if more else words))


async def _ask(client: Client, package: Package) -> Answer:
    from ..online.client import NoAnswerError
    from ..online.metadata import required
    from ..online.simple import offered

    files = await offered(client, package.origin, package.name)
    if not files:
        return Answer(files, None)
    ours = [files[file.name] for file in package.files if file.name in files]
    described = next((file for file in ours if file.metadata is not None), None)
    if described is None:
        return Answer(files, None)
    try:
        return Answer(files, await required(client, described))
    except NoAnswerError as error:
        return Answer(files, None, str(error))


def _untold(file: File, now: Offered) -> str:
    """Return why the digest of a file is not compared; empty where it is, or the lock has none."""
    kind, separator, _ = str(file.table.get("hash") or "").partition(":")
    return f"the index states no {kind} digest" if separator and kind not in now.hashes else ""


def _file(context: Context, package: Package, file: File, now: Offered | None) -> Iterator[Finding]:
    if now is None:
        yield _finding(context, package, f"the index does not have {file.name}", file.keys)
        return
    kind, _, digits = str(file.table.get("hash") or "").partition(":")
    if digits and now.hashes.get(kind, digits.lower()) != digits.lower():
        said = f"the digest of {file.name} is {kind}:{digits}, the index says {kind}:{now.hashes[kind]}"
        yield _finding(context, package, said, file.keys)
    size = file.table.get("size")
    if size is not None and now.size is not None and size != now.size:
        yield _finding(context, package, f"the size of {file.name} is {size}, the index says {now.size}", file.keys)
    # uv records no query, in which some indexes put a signature.
    url = now.url if "?" in file.url else now.url.partition("?")[0]
    if "://" in file.url and same_place(file.url) != same_place(url):
        said = f"{file.name} comes from {without_user(file.url)}, the index offers it at {without_user(url)}"
        yield _finding(context, package, said, file.keys, Severity.WARNING)
    if now.yanked:
        said = f"{file.name} was taken back by its publisher (yanked): {now.yanked}"
        yield _finding(context, package, said, file.keys, Severity.WARNING)
    if _excluded(context, now.requires_python):
        said = f"{file.name} is for Python {now.requires_python}, for none that the lock is for"
        yield _finding(context, package, said, file.keys, Severity.WARNING)


def _excluded(context: Context, requires: str) -> bool:
    """Whether no version of Python that the lock is for is one that a file is for."""
    locked = context.project.lock_document.get("requires-python")
    if not requires or not isinstance(locked, str):
        return False
    try:
        ours, theirs = specifiers(locked), specifiers(requires)
    except ValueError:
        return False
    versions = versions_around(locked, requires)
    return not any(ours.contains(v, prereleases=True) and theirs.contains(v, prereleases=True) for v in versions)


def _requirements(context: Context, package: Package, requires: list[dict[str, object]]) -> Iterator[Finding]:
    graph = context.project.lock.graph
    lock = context.project.lock
    excluded = context.project.lock_document.get("manifest", "excludes")
    left_out = {entry.name for entry in lock.manifest("overrides")}
    left_out |= {normal_name(str(n)) for n in excluded} if isinstance(excluded, list) else set()
    if graph.is_stated(package):
        return
    described = Package(package.keys, {**package.table, "metadata": {"requires-dist": requires}})
    known = {normal_name(str(entry["name"])) for entry in requires}
    for scope in recorded_scopes(described, graph.universe):
        for name, edges in scope.edges.items():
            if name not in known | left_out:
                said = f"it has an edge to {name} in its {scope}, and requires no such package"
                yield _finding(context, package, said, edges[0].keys)
            for wanted in scope.wanted.get(name, ()) if name not in left_out else ():
                for edge in edges:
                    for target in graph.targets(edge)[:1]:
                        specifier = str(wanted.entry.table.get("specifier", ""))
                        together = (*wanted.when, *condition(marker_of(edge.table)))
                        if satisfies(target.version, specifier) is False and _possible(context, together):
                            said = f"it requires {name} {specifier}, and {name} is locked at {target.version}"
                            yield _finding(context, package, said, edge.keys, other=target)
        if scope.kind == "dependencies":
            for name, several in scope.wanted.items():
                always = any(wanted.when == ALWAYS for wanted in several)
                if always and name not in scope.edges and name not in left_out | {package.name}:
                    yield _finding(context, package, f"it requires {name}, and has no edge to it", package.keys)


def _possible(context: Context, when: tuple[tuple[str, str], ...]) -> bool:
    try:
        return context.project.lock.graph.universe.possible(when)
    except CannotTellError:
        return False


def _finding(
    context: Context,
    package: Package,
    said: str,
    keys: tuple[str | int, ...],
    severity: Severity = Severity.ERROR,
    other: Package | None = None,
) -> Finding:
    locate = context.project.lock_document.locate
    related = (Related(locate(*other.keys), f"{other.name} {other.version}"),) if other else ()
    return Finding(
        code=CODE,
        message=f"{package.name} {package.version}: {said}",
        severity=severity,
        location=locate(*keys),
        related=related,
        hint=f"find out who is wrong; if it is the lock, `uv lock --upgrade-package {package.name}`",
        package=package.name,
    )
