"""The branch under check leads to the target, not only to another branch.

A pull request that is stacked on another one reaches the target only if its parent still does. Merged into a parent
that had landed before, it shows as merged and is lost. Read are the references of this clone: the target is
`[tool.pinproof] base`, else the default branch of the remote; other branches are those of the same remote. A warning
says when commits of another branch stand between the target and the commit checked out, when the parent was squashed
into the target and this branch still holds its commits, when this branch was merged into another one and not into the
target, and, in continuous integration, when the change is proposed for a branch that the target has already taken in.

Example: the change was merged into `origin/parent`; `origin/main` took `parent` in a day earlier, and lacks the change.

Fix: rebase onto the target (`git rebase --onto`), propose it there, and look with `pinproof landed` whether it arrived.

How to allow: state the branch that you mean as `[tool.pinproof] base`, or ignore the code with a reason.

What it cannot tell: what is open on the hosting site, and what was pushed since the last fetch. Without a target, or
outside of a git checkout, it is not run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..base import ci_environment
from ..context import Context
from ..git import Repository
from ..git_error import GitError, GitTimeoutError
from ..landed.goal import Goal, goal
from ..model import Finding, NotRun, Severity, Tally
from ..words import counted

CODE = "PRV005"
_SOURCES = ("GITHUB_HEAD_REF", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CHANGE_BRANCH", "BITBUCKET_BRANCH")
"""Where CI systems name the branch of the change itself."""
_SECONDS = 1.0
_TRUNK = re.compile(r"refs/remotes/[^/]+/(main|master)")
_COMMITS = 10_000
"""Commits between the target and the one checked out that are looked at."""
_HINT = "rebase it onto {0} and propose it there; `pinproof landed` tells whether it arrived"


class _State(NamedTuple):
    """The commit under check, what is not on the target yet, and the other branches of the same place."""

    repository: Repository
    goal: Goal
    head: str
    start: str | None
    own: frozenset[str]
    added: tuple[str, ...]
    branches: dict[str, str]


def run(context: Context) -> Iterator[Finding | Tally]:
    try:
        state = _state(context)
        if not state.added:
            where = state.goal.name if state.start == state.head else "the main branch of another remote"
            yield Tally(detail=f"{state.head[:12]} is on {where}")
            return
        skipped: list[str] = []
        yield from _proposed(state)
        yield from _between(state)
        yield from _squashed(state)
        yield from _merged_elsewhere(state, skipped)
    except GitError as error:
        raise NotRun(f"it cannot be told where this branch leads: {error}") from None
    detail = f"{counted(len(state.added), 'commit')} beside {state.goal.name}"
    yield Tally(detail="; ".join([detail, *skipped]))


def _state(context: Context) -> _State:
    repository = Repository(context.project.root)
    head = repository.commit("HEAD")
    target = goal(repository, None, context.config.base)
    head = _proposed_commit(repository, head, target.commit)
    start = repository.merge_base(head, target.commit)
    if start is None and repository.is_shallow:
        raise GitError(f"the history here is cut off (shallow) before it meets {target.name}")
    name = repository.run("symbolic-ref", "-q", "--short", "HEAD").stdout.decode("utf-8", "replace").strip()
    own = {name, *(os.environ[variable] for variable in _SOURCES if os.environ.get(variable))} - {""}
    refs = _refs(repository)
    # A clone of a fork has more than one main branch, and that of the fork itself is seldom the newest.
    trunks = {commit for ref, commit in refs.items() if _TRUNK.fullmatch(ref)}
    since = [f"^{commit}" for commit in ({start, target.commit} | trunks)] if start else []
    added = repository.text("rev-list", f"--max-count={_COMMITS}", head, *since).split() if start != head else []
    branches = _beside(refs, target)
    return _State(repository, target, head, start, frozenset(own), tuple(added), branches)


def _proposed_commit(repository: Repository, head: str, target: str) -> str:
    """A trial merge into the target, as CI systems check it out, stands for the commit that it merges."""
    parents = repository.text("rev-list", "--parents", "--max-count=1", head).split()[1:]
    if len(parents) != 2 or head == target:
        return head
    beside = [parent for parent in parents if not repository.is_ancestor(parent, target)]
    return beside[0] if len(beside) == 1 else head


def _refs(repository: Repository) -> dict[str, str]:
    """Return the commits of the local and remote branches, by full reference."""
    command = ("for-each-ref", "--format=%(refname) %(objectname) %(symref)", "refs/heads/", "refs/remotes/")
    listed = [line.split() for line in repository.text(*command).splitlines()]
    return {words[0]: words[1] for words in listed if len(words) == 2}


def _beside(refs: Mapping[str, str], target: Goal) -> dict[str, str]:
    """Return name and commit of the branches beside the target: those of its remote, else the local ones."""
    parts = target.ref.split("/")
    prefix = f"refs/remotes/{parts[2]}/" if target.ref.startswith("refs/remotes/") else "refs/heads/"
    named = {ref.removeprefix(prefix): commit for ref, commit in refs.items() if ref.startswith(prefix)}
    return {name: commit for name, commit in named.items() if f"{prefix}{name}" != target.ref}


def _proposed(state: _State) -> Iterator[Finding]:
    name = next(iter(ci_environment().values()), "")
    tip = state.branches.get(name)
    if tip and state.repository.is_ancestor(tip, state.goal.commit):
        yield _warning(f"the change is proposed for {name}, which {state.goal.name} has already taken in", state)


def _between(state: _State) -> Iterator[Finding]:
    added = set(state.added) - {state.head}
    for name, tip in state.branches.items():
        if tip in added and name not in state.own:
            count = state.repository.text("rev-list", "--count", f"{state.goal.commit}..{tip}")
            commits = counted(int(count), "commit is", "commits are")
            yield _warning(f"it is stacked on {name}, of which {commits} not on {state.goal.name}", state)


def _squashed(state: _State) -> Iterator[Finding]:
    from ..landed.search import squashed_below  # only in a checkout with a target

    found = squashed_below(state.repository, state.start, state.head, state.goal.commit) if state.start else None
    if found is not None:
        below, by = found
        message = f"it still holds {below[:12]}, which {state.goal.name} has taken in as {by[:12]}"
        yield _warning(message, state)


def _merged_elsewhere(state: _State, skipped: list[str]) -> Iterator[Finding]:
    """Another branch has this one, was taken in before, and has not been since."""
    repository, target = state.repository, state.goal
    command = ("for-each-ref", f"--contains={state.head}", "--format=%(objectname)", "refs/heads/", "refs/remotes/")
    try:
        holding = set(repository.run(*command, timeout=_SECONDS).stdout.decode().split())
    except GitTimeoutError:
        skipped.append("which branches have it was not found out in time")
        return
    names = [n for n, tip in state.branches.items() if tip in holding and tip != state.head and n not in state.own]
    if names and state.start and not _is_first_parent(repository, state.start, target.commit):
        for name in names:
            message = f"it was merged into {name} after {target.name} had taken that in, and is not on {target.name}"
            yield _warning(message, state)


def _is_first_parent(repository: Repository, commit: str, target: str) -> bool:
    """Whether a commit was one of the branch itself, not one of a branch that was merged into it."""
    if commit == target:
        return True
    listed = repository.text("rev-list", "--first-parent", "--parents", f"{commit}..{target}").splitlines()
    return bool(listed) and listed[-1].split()[1:2] == [commit]


def _warning(message: str, state: _State) -> Finding:
    hint = _HINT.format(state.goal.name)
    return Finding(code=CODE, message=f"{state.head[:12]}: {message}", severity=Severity.WARNING, hint=hint)
