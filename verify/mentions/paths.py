"""Which tracked files are looked at."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable

_ASIDE = {
    "doc", "docs", "documentation", "test", "tests", "testing", "testdata", "fixtures", "examples", "example",
    "third_party", "thirdparty", "3rdparty", "vendor", "vendored", "node_modules", "changelogs", "evidence",
}  # fmt: skip
"""Folders whose files tell of other times and other projects: documentation, test data, foreign code, records."""
_PROSE = re.compile(
    r"\.(md|rst|adoc|txt|html?|ipynb|lock|patch|diff|log|csv|jsonl?|svg)$|(^|/)(changelog|changes|news|history|readme)\b"
    r"|(^|/)\.git-blame-ignore-revs$|lock\.(ya?ml|json)$",
    re.IGNORECASE,
)
_REQUIREMENTS = re.compile(
    r"(^|/)((.*[-_.])?(requirements|constraints)([-_.].*)?\.(txt|in)|requirements/[^/]+\.(txt|in))$"
)
_INSTALLING = re.compile(
    r"(^|/)([^/]*dockerfile[^/]*|[^/]*containerfile[^/]*|pyproject[^/]*\.toml|[^/]+\.sh|makefile|justfile)$"
    r"|(^|/)\.(github|gitlab|circleci|buildkite)/.*\.ya?ml$|(^|/)(\.gitlab-ci|azure-pipelines|action|cloudbuild)\.ya?ml$",
    re.IGNORECASE,
)
_OLDEST = re.compile(r"(^|[-_./])(min|minimum|minimal|oldest|lowest|legacy|compat)([-_./]|$)", re.IGNORECASE)
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pixi.lock", "Pipfile.lock")


def is_requirements(path: str) -> bool:
    """Whether a path is that of a requirements or constraints file of pip."""
    return _REQUIREMENTS.search(path) is not None


def is_workflow(path: str) -> bool:
    """Whether a path is that of a CI system's YAML, where a matrix names several releases on purpose."""
    return path.endswith((".yml", ".yaml"))


def may_name_commits(path: str) -> bool:
    """Whether a commit in this file has to be kept in step: everything but prose, locks, records and test data."""
    named = is_requirements(path) or path.endswith("CMakeLists.txt")
    return not _aside(path) and (named or _PROSE.search(path) is None)


def may_name_releases(path: str) -> bool:
    """Whether `name==release` in this file is what gets installed: requirements, images, workflows, projects."""
    if _aside(path) or _OLDEST.search(path):
        return False
    return is_requirements(path) or _INSTALLING.search(path) is not None


def of_this_project(tracked: Iterable[str], own: Collection[str]) -> list[str]:
    """Return the tracked files that this lock governs.

    Left out are `own` files, which other checks read, and everything below another project that has a lock itself.
    """
    every = list(tracked)
    others = {posixpath.dirname(path) for path in every if posixpath.basename(path) in _LOCKS} - {""}
    return [path for path in every if path not in own and not any(_below(path, folder) for folder in others)]


def _below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def _aside(path: str) -> bool:
    return not _ASIDE.isdisjoint(part.lower() for part in path.split("/")[:-1])
