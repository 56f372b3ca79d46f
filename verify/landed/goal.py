"""The branch on which a change counts."""

from __future__ import annotations

from typing import NamedTuple

from ..git import Repository
from ..git_error import GitError

_USUAL = ("origin/HEAD", "origin/main", "origin/master", "main", "master")


class Goal(NamedTuple):
    """A branch and its commit. `ref` is the full reference, such as refs/remotes/origin/main; empty for a commit."""

    name: str
    commit: str
    ref: str


def goal(repository: Repository, named: str | None, default: str | None = None) -> Goal:
    """Return the branch that the user named, else that of configuration, else the usual ones.

    A plain branch name means the remote's one where this clone has it: what counts is what others see.

    Raises:
        GitError: there is none of them.
    """
    wanted = [named] if named else [*([default] if default else []), *_USUAL]
    several = [name for one in wanted for name in ([one] if one in _USUAL[:3] else [f"origin/{one}", one])]
    candidates = list(dict.fromkeys(several))
    for name in candidates:
        try:
            commit = repository.commit(name)
        except GitError:
            continue
        said = repository.text("rev-parse", "--symbolic-full-name", "--end-of-options", name)
        # git 2.39 says the separator, too.
        ref = said.removeprefix("--end-of-options").strip()
        return Goal(name if name != "origin/HEAD" else ref.removeprefix("refs/remotes/"), commit, ref)
    raise GitError(f"none of {', '.join(candidates)} is here")
