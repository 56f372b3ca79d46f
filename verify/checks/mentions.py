"""Every place that names a pin or a locked release names the one that is locked.

A pin is repeated in Dockerfiles, workflows, requirements files and further pyproject.toml files, and the next update
forgets one of them. `[[tool.pinproof.mentions]]` declares such a place by literal text around `{commit}`, `{short}`
or `{version}`; every occurrence must agree with the reviewed commit, else the locked one, and there must be one: an
error otherwise. Beside these, all tracked files of the project are searched: a full or short commit beside the URL of
a repository that the lock takes a package from (`git+URL@COMMIT`, an archive, `git checkout`, `GIT_TAG`, `rev`,
`ref`, or a variable of the same file), the commit of a submodule of such a repository, and `name==release` of a
locked package in requirements files, container files, workflows, shell scripts and other pyproject.toml files. What
differs there is a warning.

Example: `Dockerfile` clones the repository of the pin and checks out the commit of last month.

Fix: bring the place in step, and declare it as `[[tool.pinproof.mentions]]`, so that the next drift is an error.

How to allow: `[[tool.pinproof.ignore]]` with code, path and reason.

What it cannot tell: documentation, changelogs, other locks, test data, records and vendored code are not searched, nor
is what stands below another project that has a lock of its own. Branches and tags are not compared. Files that git does
not track are searched for declared mentions only; without git nothing else is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..config import Mention
from ..context import Context
from ..files import InputError
from ..model import Finding, NotRun, Related, Severity, Tally
from ..source import Source
from ..words import counted

if TYPE_CHECKING:
    from ..mentions.search import Drift

CODE = "PRV004"
_SHOWN = 8
"""Lock entries of one package that are pointed at."""
_HINT = "bring it in step; declare it as [[tool.pinproof.mentions]] so that the next drift is an error"


def run(context: Context) -> Iterator[Finding | Tally]:
    for mention in context.config.mentions:
        yield from _declared(mention, context)
    declared = counted(len(context.config.mentions), "declared mention")
    if context.project.checkout is None:
        searched = "tracked files were not searched, for the project is in no git checkout"
        if not context.config.mentions:
            raise NotRun(f"no mentions are declared, and {searched}")
        yield Tally(detail=f"{declared}; {searched}")
        return
    from ..git import GitError, Repository
    from ..mentions.search import Search

    try:
        search = Search(context, Repository(context.project.root))
        for drift in search.drifts():
            yield _drift(drift, context)
        yield Tally(detail=f"{declared}; {search.words}")
    except GitError as error:
        if not context.config.mentions:
            raise NotRun(f"no mentions are declared, and tracked files were not searched: {error}") from None
        yield Tally(detail=f"{declared}; tracked files were not searched: {error}")


def _declared(mention: Mention, context: Context) -> Iterator[Finding]:
    from ..mentions.templates import agrees, occurrences, placeholder
    from ..mentions.text import Text

    kind = placeholder(mention.template)
    commit, version = _expected(mention.pin, context)
    wanted = version if kind == "version" else commit
    place = context.config.document.locate(*mention.keys)
    try:
        text = Text(mention.path, context.project.tree.read(mention.path))
        found = list(occurrences(mention.template, text))
        problem = None if found else f"does not hold the text `{mention.template}`"
    except FileNotFoundError:
        found, problem = [], "is not there"
    except InputError as error:
        found, problem = [], str(error)
    if problem is None and wanted is None:
        problem = f"cannot be compared: no single {kind} of {mention.pin} is stated or locked"
    if problem is not None:
        message = f"{mention.pin}: the declared mention in {mention.path} {problem}"
        hint = "correct the path or the template, or remove the mention"
        yield Finding(code=CODE, message=message, location=place, hint=hint, package=mention.pin)
        return
    for named in found:
        if not agrees(kind, named.value, commit=commit, version=version):
            yield Finding(
                code=CODE,
                message=f"{mention.pin}: {mention.path} names {named.value}, expected the {kind} {wanted}",
                location=named.location,
                related=(Related(place, "declared here"), *_locked(mention.pin, context)),
                hint="bring it in step",
                package=mention.pin,
            )


def _expected(pin: str, context: Context) -> tuple[str | None, str | None]:
    """Return the reviewed commit, else the locked one, and the locked version, where there is a single one."""
    packages = context.project.lock.by_name.get(pin, [])
    commits = {p.source.commit.lower() for p in packages if isinstance(p.source, Source) and p.source.commit}
    reviewed = context.config.pins[pin].rev
    versions = {p.version for p in packages if p.version and (not reviewed or p.source_kind == "git")}
    single = commits.pop() if len(commits) == 1 else None
    return reviewed or single, versions.pop() if len(versions) == 1 else None


def _locked(name: str, context: Context) -> tuple[Related, ...]:
    lock = context.project.lock
    return tuple(
        Related(lock.document.locate(*p.source_keys), f"locked: {p.source}" if p.source_kind == "git" else p.version)
        for p in lock.by_name.get(name, [])[:_SHOWN]
    )


def _drift(drift: Drift, context: Context) -> Finding:
    what, name = ("commit" if drift.is_commit else "release"), drift.package
    rest = f" and {counted(drift.more, 'other release')} that are not locked" if drift.more else ""
    return Finding(
        code=CODE,
        message=(
            f"{name}: {drift.named.location.path} names the {what} {drift.named.value}, "
            f"locked is {', '.join(drift.locked)}{rest}"
        ),
        severity=Severity.WARNING,
        location=drift.named.location,
        related=_locked(name, context),
        hint=_HINT,
        package=name,
    )
