"""Tells whether a change is on a branch, in the order of certainty: ancestry, patch identity, content."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..git import Repository
from ..git_error import GitError, GitTimeoutError
from .content import present
from .patches import Hunk, changes, difference, identities, identity

_DEPTHS = (10_000, 1_000)
"""How many commits of the branch are compared by patch; the second where the first takes too long."""
_SECONDS = 0.8
_BELOW = 12
"""Commits below the one under check that are looked at for a squash."""


class Answer(enum.StrEnum):
    """What is told of a change; `words` is how a report begins."""

    ANCESTOR = "ancestor"
    REWRITTEN = "rewritten"
    SQUASHED = "squashed"
    CONTENT = "content"
    PARTLY = "partly"
    REVERTED = "reverted"
    MISSING = "missing"
    UNKNOWN = "unknown"

    @property
    def is_landed(self) -> bool:
        return self in (Answer.ANCESTOR, Answer.REWRITTEN, Answer.SQUASHED, Answer.CONTENT)

    @property
    def words(self) -> str:
        special = {"partly": "partly landed", "reverted": "reverted", "missing": "not landed", "unknown": "cannot tell"}
        return special.get(self.value, "landed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is looked for: from `older` (None for a first commit) to the commit `newer`."""

    name: str
    older: str | None
    newer: str
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """The answer for one change.

    Attributes:
        by: the commit of the branch that holds it; empty where there is no single one.
        reason: why, in words.
        there: hunks that the branch has, and `missing` those that it has not, where the answer rests on content.
        skipped: what was not looked at.
    """

    change: Change
    answer: Answer
    reason: str
    by: str = ""
    there: tuple[Hunk, ...] = ()
    missing: tuple[Hunk, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass(slots=True)
class _Branch:
    """The commits of the branch since it parted from a change, by the identity of their patches."""

    commits: list[str]
    skipped: list[str] = field(default_factory=list)


def read_change(repository: Repository, name: str) -> Change:
    """Return what `COMMIT` or `OLDER..NEWER` names. Raises `GitError` where it names nothing."""
    older, dots, newer = name.partition("..")
    commit = repository.commit(newer.removeprefix(".") if dots else name)
    if dots:
        # As in a pull request: what `newer` adds since it parted from `older`.
        start = repository.merge_base(repository.commit(older), commit)
        if start is None:
            raise GitError(f"{older} and {newer} have no common history here")
    else:
        start = next(iter(repository.text("rev-list", "--parents", "--max-count=1", commit).split()[1:]), None)
    subject = repository.text("log", "--max-count=1", "--format=%s", "--no-show-signature", commit)
    return Change(name=name, older=start, newer=commit, subject=subject)


def landings(repository: Repository, wanted: Sequence[Change], target: str) -> list[Landing]:
    """Tell of each change whether the commit `target` has it."""
    found = [_told(repository, change, target) for change in wanted]
    squashed = [one for one in found if one.answer is Answer.SQUASHED]
    return [_with(one, squashed, repository) for one in found]


def _with(one: Landing, squashed: Sequence[Landing], repository: Repository) -> Landing:
    """A commit that lies below one whose whole branch was squashed has landed with it."""
    if one.answer in (Answer.CONTENT, Answer.PARTLY, Answer.MISSING):
        for other in squashed:
            if other is not one and repository.is_ancestor(one.change.newer, other.change.newer):
                reason = f"squashed with {other.change.newer[:12]} into {other.by[:12]}"
                return Landing(change=one.change, answer=Answer.SQUASHED, reason=reason, by=other.by)
    return one


def _told(repository: Repository, change: Change, target: str) -> Landing:
    try:
        return _landing(repository, change, target)
    except GitError as error:
        return Landing(change=change, answer=Answer.UNKNOWN, reason=f"objects cannot be read here: {error}")


def _landing(repository: Repository, change: Change, target: str) -> Landing:
    start = repository.merge_base(change.newer, target)
    if start == change.newer:
        landing = Landing(change=change, answer=Answer.ANCESTOR, reason="an ancestor", by=change.newer)
        return _still(repository, landing, target)
    branch = _since(repository, start, target)
    diff = difference(repository, change.older, change.newer)
    if not diff:
        return Landing(change=change, answer=Answer.CONTENT, reason="it changes nothing")
    if by := _same_patch(repository, diff, branch):
        landing = Landing(change=change, answer=Answer.REWRITTEN, reason=f"the same patch is {by[:12]}", by=by)
        return _still(repository, landing, target)
    if ".." in change.name and _one_by_one(repository, change, diff, branch):
        return Landing(change=change, answer=Answer.REWRITTEN, reason="each of its commits is there as the same patch")
    if start not in (None, change.older):
        whole = difference(repository, start, change.newer)
        if by := _same_patch(repository, whole, branch):
            count = repository.text("rev-list", "--count", f"{start}..{change.newer}")
            reason = f"{count} commits since {str(start)[:12]} were squashed into {by[:12]}"
            return _still(repository, Landing(change=change, answer=Answer.SQUASHED, reason=reason, by=by), target)
    return _by_content(repository, change, diff, target, branch)


def squashed_below(repository: Repository, start: str, head: str, target: str) -> tuple[str, str] | None:
    """Return a commit below `head` whose whole branch was squashed into one commit of `target`, and that commit.

    `start` is where the branch parted from `target`. Only the newest commits of the first parents are looked at. Raises
    `GitError`.
    """
    listed = repository.text("rev-list", "--first-parent", f"--max-count={_BELOW + 1}", f"{start}..{head}").split()
    if len(listed) < 2:
        return None
    branch = _since(repository, start, target)
    diffs = {commit: difference(repository, start, commit) for commit in listed[1:]}
    paths = sorted({file.path for diff in diffs.values() for file in changes(diff)})
    there = dict(_patches(repository, branch, paths))
    for commit, diff in diffs.items():
        if diff and (by := there.get(identity(repository, diff))):
            return commit, by
    return None


def _since(repository: Repository, start: str | None, target: str) -> _Branch:
    limit = _DEPTHS[0]
    ends = [target, f"^{start}"] if start else [target]
    listed = repository.text("rev-list", "--no-merges", f"--max-count={limit + 1}", *ends).split()
    skipped = [f"commits older than the newest {limit} were not compared"] if len(listed) > limit else []
    return _Branch(listed[:limit], skipped)


def _same_patch(repository: Repository, diff: bytes, branch: _Branch) -> str:
    """Return the commit of the branch whose changes to the same files are the same patch."""
    wanted = identity(repository, diff)
    for found, commit in _patches(repository, branch, [file.path for file in changes(diff)]):
        if found == wanted:
            return commit
    return ""


def _one_by_one(repository: Repository, change: Change, diff: bytes, branch: _Branch) -> bool:
    """Whether every commit of a range is on the branch, as it was or rewritten."""
    listed = repository.text("rev-list", "--no-merges", f"{change.older}..{change.newer}").split()
    paths = [file.path for file in changes(diff)]
    own = [found for found, _ in identities(repository, listed, paths)]
    there = {found for found, _ in _patches(repository, branch, paths)}
    return len(own) == len(listed) > 1 and there.issuperset(own)


def _patches(repository: Repository, branch: _Branch, paths: Sequence[str]) -> list[tuple[str, str]]:
    for depth in _DEPTHS:
        try:
            return list(identities(repository, branch.commits[:depth], paths, timeout=_SECONDS))
        except GitTimeoutError:
            continue
    branch.skipped = ["the patches of the branch were not compared: git took too long"]
    return []


def _by_content(repository: Repository, change: Change, diff: bytes, target: str, branch: _Branch) -> Landing:
    hunks = list(present(repository, target, changes(diff)))
    there = tuple(hunk for hunk, found in hunks if found)
    missing = tuple(hunk for hunk, found in hunks if not found)
    if not missing:
        answer, reason = Answer.CONTENT, "no commit has this patch, and every hunk is in the files"
    elif repository.is_shallow:
        answer, reason = Answer.UNKNOWN, "the history here is cut off (shallow), and not every hunk is in the files"
    elif there:
        answer, reason = Answer.PARTLY, f"{len(there)} of {len(hunks)} hunks are there"
    else:
        answer, reason = Answer.MISSING, f"none of {len(hunks)} hunks is there"
    skipped = tuple(branch.skipped)
    return Landing(change=change, answer=answer, reason=reason, there=there, missing=missing, skipped=skipped)


def _still(repository: Repository, landing: Landing, target: str) -> Landing:
    """Tell when what had landed is gone again: a commit says that it reverts it."""
    change = landing.change
    hunks = list(present(repository, target, changes(difference(repository, change.older, change.newer))))
    if not hunks or any(found for _, found in hunks):
        return landing
    missing = tuple(hunk for hunk, _ in hunks)
    since = f"{landing.by}..{target}"
    command = ("rev-list", "--max-count=1", "--fixed-strings", f"--grep=This reverts commit {landing.by}", since)
    try:
        done = repository.run(*command, timeout=_SECONDS)
    except GitTimeoutError:
        skipped = ("none of it is there any more; whether a commit reverts it was not found out in time",)
        return Landing(change=change, answer=landing.answer, reason=landing.reason, by=landing.by, skipped=skipped)
    if by := done.stdout.decode().strip():
        reason = f"{landing.reason}, and {by[:12]} reverts it"
        return Landing(change=change, answer=Answer.REVERTED, reason=reason, by=by, missing=missing)
    reason = f"{landing.reason}; the files have changed since, and none of its hunks is there as it was"
    return Landing(change=change, answer=landing.answer, reason=reason, by=landing.by)
