"""What `--base` compares with: the project as it is at the merge base of a revision and the commit checked out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .config import Config
from .document import Document
from .files import InputError
from .git import GitError, GitTree, Repository
from .project import PYPROJECT, Project

_TARGETS = (
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "CHANGE_TARGET",
    "BITBUCKET_PR_DESTINATION_BRANCH",
)
"""Where CI systems (GitHub, GitLab, Jenkins, Bitbucket) name the branch that a change is proposed for."""
_USUAL = ("origin/HEAD", "origin/main", "origin/master")


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A commit to compare with.

    Attributes:
        repository: the repository around the project.
        revision: what was asked for, as written.
        tip: the full commit that it names; trusted configuration comes from there.
        commit: the merge base of `tip` and the commit checked out; what a change adds is measured from there.
        head: the commit checked out.
        project: the project at `commit`; None where it has no pyproject.toml or uv.lock there yet.
        document: pyproject.toml at `tip`; empty where it has none.
        named_by_project: `[tool.pinproof] base` of the checkout chose the revision; nothing there is trusted online.
    """

    repository: Repository
    revision: str
    tip: str
    commit: str
    head: str
    project: Project | None
    document: Document
    named_by_project: bool = False

    @property
    def config(self) -> Config:
        """The configuration that the base trusts."""
        return Config.load(self.document)


def load_base(root: Path, revision: str, *, default: str | None = None, environment: Mapping[str, str]) -> Base:
    """Read the base of the project in `root`.

    Args:
        revision: what the user named; empty for the one that CI, `default` or the remote's default branch names.
        default: `[tool.pinproof] base`.
        environment: where CI systems name the target branch.

    Raises:
        InputError: there is no repository, no such revision, or no common history in this clone.
    """
    try:
        repository = Repository(root)
        head = repository.commit("HEAD")
        named_by_user = bool(revision)
        revision, tip = _named(repository, revision, default, environment)
        commit = repository.merge_base(tip, head)
        shallow = commit is None and repository.is_shallow
    except GitError as error:
        raise InputError("--base", str(error), hint="check inside a git repository, with a revision it has") from None
    if commit is None:
        hint = "fetch the whole history (`git fetch --unshallow`, `fetch-depth: 0`)" if shallow else None
        raise InputError("--base", f"`{revision}` and HEAD have no common ancestor in this clone", hint=hint)
    return Base(
        repository=repository,
        revision=revision,
        tip=tip,
        commit=commit,
        head=head,
        project=_project(GitTree(repository, commit), commit),
        document=_document(GitTree(repository, tip)),
        named_by_project=not named_by_user and revision not in (*_targets(environment), *_USUAL),
    )


def _named(
    repository: Repository, revision: str, default: str | None, environment: Mapping[str, str]
) -> tuple[str, str]:
    if revision:
        try:
            return revision, repository.commit(revision)
        except GitError:
            hint = "fetch it, or name a commit, branch or tag of this clone"
            raise InputError("--base", f"`{revision}` names no commit here", hint=hint) from None
    targets = _targets(environment)
    candidates = [*targets[:1], *([default] if default else []), *_USUAL]
    for candidate in candidates:
        try:
            return candidate, repository.commit(candidate)
        except GitError:
            if candidate in targets:
                break
    raise InputError("--base", f"none of {', '.join(candidates)} is here", hint="name one: --base=REVISION")


def _targets(environment: Mapping[str, str]) -> list[str]:
    return [f"origin/{environment[name]}" for name in _TARGETS if environment.get(name)]


def _project(tree: GitTree, commit: str) -> Project | None:
    for name in (PYPROJECT, "uv.lock"):
        try:
            tree.read(name)
        except FileNotFoundError:
            return None
    return Project(tree, name=commit)


def _document(tree: GitTree) -> Document:
    try:
        return Document(PYPROJECT, tree.read(PYPROJECT))
    except FileNotFoundError:
        return Document(PYPROJECT, b"# absent\n")


def ci_environment() -> Mapping[str, str]:
    return {name: os.environ[name] for name in _TARGETS if name in os.environ}
