"""The pinned commit is on the branch that the project says, and contains the commits that were reviewed.

`[tool.pinproof.pins.NAME] branch` names the branch from which the commit must be reachable, `contains` the commits
that must be reachable from it. A commit of a pull request that was rebased, force-pushed or never merged can be
fetched for a while and then vanishes; one on the branch stays. Read are uv's own git cache and the clones named by
`--clone` (or the variable PINPROOF_CLONES); with `--online` the remote is asked for the commits alone, over https,
from a host of trusted configuration, and nothing is checked out. No object is fetched otherwise.

Example: the pin is the head of a pull request that was squashed into main: `main` does not contain it.

Fix: pin the commit on the branch that holds the same change, and review that one. It is named where it was rebased,
picked or squashed; `pinproof landed` tells more.

How to allow: take `branch` or the commit out of the pin's table.

What it cannot tell: where no repository at hand holds the commit or the branch, or history is cut off (a shallow
clone), the check is not run. A branch is as old as the last fetch of the repository it is read from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..config import Pin
from ..context import Context
from ..git_error import GitError
from ..model import Finding, NotRun, Tally
from ..source import Source
from ..words import counted

if TYPE_CHECKING:
    from ..stores import Store

CODE = "PRV001"


@dataclass(slots=True)
class _Answer:
    """What the repositories at hand say about one question; `no` is definite, `unknown` is not."""

    yes: str = ""
    no: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def run(context: Context) -> Iterator[Finding | Tally]:
    pins = [pin for pin in context.config.pins.values() if pin.branch or pin.contains]
    if not pins:
        raise NotRun("no pin states a `branch` or commits that it `contains`")
    told: list[str] = []
    untold: list[str] = []
    for pin in pins:
        commit = pin.rev or _locked(pin, context)
        if commit is None:
            untold.append(f"{pin.name} has no single locked commit")
            continue
        at_hand, absent = _holding(pin, commit, context)
        if not at_hand:
            untold.append(f"{pin.name}: {commit[:12]} is in no repository at hand ({absent}); name one with --clone")
            continue
        for key, what, answer in _questions(pin, commit, at_hand):
            if answer.yes:
                told.append(answer.yes)
            elif answer.no:
                place = context.config.document.locate(*pin.keys, key)
                hint = "pin a commit that fulfils this and review it, or correct what is stated"
                message = f"{pin.name}: {what}: {answer.no[0]}"
                yield Finding(code=CODE, message=message, location=place, hint=hint, package=pin.name)
            else:
                untold.append(f"{pin.name}: {what}: {answer.unknown[0]}")
    if untold:
        raise NotRun(f"cannot be told here, because {'; '.join(untold)}")
    yield Tally(detail=f"{counted(len(pins), 'pin')}: {'; '.join(told)}")


def _locked(pin: Pin, context: Context) -> str | None:
    packages = context.project.lock.by_name.get(pin.name, [])
    commits = {p.source.commit.lower() for p in packages if isinstance(p.source, Source) and p.source.commit}
    return commits.pop() if len(commits) == 1 else None


def _holding(pin: Pin, commit: str, context: Context) -> tuple[list[Store], str]:
    """Return the repositories that hold the commit, or why there is none."""
    from ..stores import stores  # only where a pin states a branch or commits

    found = []
    looked = 0
    try:
        for store in stores(pin, context):
            looked += 1
            if store.repository.has_commit(commit):
                found.append(store)
    except GitError as error:
        return found, str(error)
    return found, f"{looked} looked at"


def _questions(pin: Pin, commit: str, at_hand: list[Store]) -> Iterator[tuple[str, str, _Answer]]:
    if pin.branch:
        answer = _Answer(unknown=[f"the repositories at hand do not have its branch {pin.branch}"])
        for store in at_hand:
            _ask_branch(pin.branch, commit, store, answer)
        yield "branch", f"{commit[:12]} is not on the branch {pin.branch}", answer
    for wanted in pin.contains:
        answer = _Answer()
        for store in at_hand:
            _ask_contains(wanted, commit, store, answer)
        yield "contains", f"{commit[:12]} does not contain {wanted[:12]}", answer


def _ask_branch(branch: str, commit: str, store: Store, answer: _Answer) -> None:
    tip = store.branch(branch)
    if tip is None or answer.yes:
        return
    try:
        if store.repository.is_ancestor(commit, tip):
            answer.yes = f"{commit[:12]} is on {branch} ({store.words})"
        elif store.repository.is_shallow:
            answer.unknown.insert(0, f"{store.words} is shallow")
        else:
            _beside(branch, tip, commit, store, answer)
    except GitError as error:
        answer.unknown.insert(0, f"{store.words}: {error}")


def _beside(branch: str, tip: str, commit: str, store: Store, answer: _Answer) -> None:
    branches = _branches(commit, store)
    if not branches and store.repository.committed(tip) < store.repository.committed(commit):
        # uv fetches a commit alone, and leaves the branches of its cache as old as they were.
        answer.unknown.insert(0, f"{store.words} has {branch} as of before this commit")
        return
    where = f"the commit is on {', '.join(branches)}" if branches else "the commit is on no branch or tag there"
    answer.no.append(f"{branch} is at {tip[:12]}; {where}{_rewritten(commit, tip, store)} ({store.words})")


def _ask_contains(wanted: str, commit: str, store: Store, answer: _Answer) -> None:
    if answer.yes:
        return
    try:
        if store.repository.has_commit(wanted) and store.repository.is_ancestor(wanted, commit):
            answer.yes = f"{commit[:12]} contains {wanted[:12]} ({store.words})"
        elif store.repository.is_shallow:
            answer.unknown.append(f"{store.words} is shallow")
        else:
            # All ancestors of a commit are here, so what is absent is none of them.
            answer.no.append(f"it is not among its ancestors{_rewritten(wanted, commit, store)} ({store.words})")
    except GitError as error:
        answer.unknown.append(f"{store.words}: {error}")


def _branches(commit: str, store: Store) -> list[str]:
    """Return some of the branches and tags that have the commit."""
    command = ("for-each-ref", "--count=3", f"--contains={commit}", "--format=%(refname)")
    names = store.repository.text(*command).split("\n")
    return [name.removeprefix("refs/").removeprefix("heads/").removeprefix("remotes/") for name in names if name]


def _rewritten(commit: str, target: str, store: Store) -> str:
    """Return which commit of `target` has the same patch, in words; empty where none has, or it cannot be told."""
    if not store.repository.has_commit(commit):
        return ""
    from ..landed.search import Answer, landings, read_change  # only where a commit is not on its branch

    change = read_change(store.repository, commit)
    (landing,) = landings(store.repository, [change], target)
    return f"; {landing.reason}" if landing.answer in (Answer.REWRITTEN, Answer.SQUASHED) else ""
