"""The pinned commit has the interface that this project calls.

`[tool.pinproof.pins.NAME] api` lists what is called: `module:Class.method(parameter, parameter)`, each parameter one
that a call names as a keyword; `module:NAME` and `module` alone ask less, and `|` separates alternatives of which one
must be there. The sources at exactly the pinned commit are read: from a clone named by `--clone`, uv's own git cache,
or an environment whose `direct_url.json` names this commit (for a released package: whose version is the locked one).
They are parsed, and nothing is imported or executed. Followed are re-exports, star imports and `__all__`, aliases,
inherited methods, overloads, dataclass fields, and the branches of `if` and `try`. A stub beside a module says nothing
about what runs.

Example: a call passes `row_blocks=2`, and the pinned commit is older than that parameter.

Fix: pin a commit that has it, or call what the pinned commit has.

How to allow: list the older interface as an alternative where the code copes with both, or remove the entry.

What it cannot tell: a parameter that only `**kwargs` could take, what a decorator, `__getattr__`, compiled code or the
environment decides, and what is inherited from sources that are not at hand: a warning that says so, and the check
counts as not run. So it does without the sources of that commit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..api.contract import alternatives
from ..config import Pin
from ..context import Context
from ..git_error import GitError
from ..lock import Package
from ..model import Finding, NotRun, Severity, Tally
from ..source import Source
from ..words import counted

if TYPE_CHECKING:
    from ..api.files import Files
    from ..environment import Environment

CODE = "PRV002"


def run(context: Context) -> Iterator[Finding | Tally]:
    pins = [pin for pin in context.config.pins.values() if pin.api]
    if not pins:
        raise NotRun("no pin states an `api`")
    told: list[str] = []
    untold: list[str] = []
    for pin in pins:
        try:
            files, words = _sources(pin, context)
        except NotRun as reason:
            untold.append(str(reason))
            continue
        from ..api.judge import judge
        from ..api.modules import Library

        library = Library(files)
        for number, text in enumerate(pin.api):
            verdict = judge(library, alternatives(text))
            if verdict.holds:
                told.append(f"{text} holds ({words}): {verdict.words}")
                continue
            if verdict.holds is None:
                untold.append(f"{pin.name}: {text} cannot be told")
            what = "cannot be told" if verdict.holds is None else "does not hold"
            yield Finding(
                code=CODE,
                message=f"{pin.name}: {text} {what} ({words}): {verdict.words}",
                severity=Severity.WARNING if verdict.holds is None else Severity.ERROR,
                location=context.config.document.locate(*pin.keys, "api", number),
                hint="pin a commit that has it, or state what the pinned commit has",
                package=pin.name,
            )
    if untold:
        raise NotRun("; ".join(untold))
    yield Tally(detail=f"{counted(len(pins), 'pin')}: {'; '.join(told)}")


def _sources(pin: Pin, context: Context) -> tuple[Files, str]:
    """Return the files at the pinned commit, or of the locked release, and what they are.

    Raises:
        NotRun: they are not at hand.
    """
    from ..environment import Environment
    from ..stores import stores  # only where a pin states an interface

    packages = context.project.lock.by_name.get(pin.name, [])
    sources = [p.source for p in packages if isinstance(p.source, Source) and p.source.commit]
    commits = {source.commit.lower() for source in sources}
    commit = pin.rev or (commits.pop() if len(commits) == 1 else None)
    if commit is None:
        return _released(pin, packages, context)
    folder = next((source.subdirectory for source in sources if source.commit.lower() == commit), "")
    why = []
    try:
        for store in stores(pin, context):
            if store.repository.has_commit(commit):
                from ..api.files import CommitFiles

                try:
                    return CommitFiles(store.repository, commit, folder), f"{commit[:12]} in {store.words}"
                except GitError as error:
                    why.append(f"{store.words}: {error}")
    except GitError as error:
        why.append(str(error))
    try:
        environment = Environment.find(context)
        if any(one.commit == commit and not one.is_editable for one in environment.of(pin.name)):
            return _folders(environment), f"{commit[:12]} as installed in {environment.words}"
        why.append(f"{environment.words} does not hold it")
    except NotRun as reason:
        why.append(str(reason))
    raise NotRun(
        f"{pin.name}: the sources of {commit[:12]} are not at hand ({'; '.join(why)}); name a clone with --clone"
    )


def _released(pin: Pin, packages: list[Package], context: Context) -> tuple[Files, str]:
    from ..environment import Environment

    versions = {package.version for package in packages if package.source_kind == "registry"}
    environment = Environment.find(context)
    for one in environment.of(pin.name):
        if one.version in versions and not one.origin:
            return _folders(environment), f"{one.version} as installed in {environment.words}"
    wanted = " or ".join(sorted(versions)) or "a single commit or release"
    raise NotRun(f"{pin.name}: the sources of {wanted} are not at hand ({environment.words} does not hold them)")


def _folders(environment: Environment) -> Files:
    from ..api.files import FolderFiles

    return FolderFiles(environment.root, environment.sites)
