"""Every kind of tampering that the two files show is found, at its line, in locks that uv wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from .mutations import KINDS, mutations
from .mutations.projects import Project, of_folder, this_repository, workspace
from .mutations.verdicts import failure, pinproof

PUBLISHED = ("mujocolab__mjlab", "METR__inspect-action")


def failures(project: Project, root: Path) -> tuple[int, list[str]]:
    """Return how many mutations of `project` there are, and what went wrong with any of them."""
    before = pinproof(project.write(root))
    count, found = 0, []
    for mutation in mutations(project, KINDS):
        count += 1
        (root / "uv.lock").write_text(mutation.lock)
        found.append(failure(mutation, pinproof(root), before))
    return count, [text for text in found if text]


def test_kinds_are_named_once_and_say_what_shows_them() -> None:
    names = [kind.name for kind in KINDS]
    assert sorted(set(names)) == sorted(names)
    assert [kind.name for kind in KINDS if bool(kind.codes) == bool(kind.only)] == []
    assert {kind.only for kind in KINDS} == {"", "base", "online"}


def test_in_this_repository(tmp_path: Path) -> None:
    count, found = failures(this_repository(), tmp_path / "project")
    assert found == []
    assert count >= 150


def test_in_a_workspace_that_uv_just_locked(tmp_path: Path) -> None:
    project = workspace(tmp_path)
    assert pinproof(project.write(tmp_path / "unchanged")).findings == ()
    count, found = failures(project, tmp_path / "project")
    assert found == []
    assert count >= 200


@pytest.mark.parametrize("name", PUBLISHED)
def test_in_a_published_project(corpus: Path, tmp_path: Path, name: str) -> None:
    count, found = failures(of_folder(name, corpus / name), tmp_path / "project")
    assert found == []
    assert count >= 100
