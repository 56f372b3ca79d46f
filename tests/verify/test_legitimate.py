"""No false alarm: fifty changes that are legitimate raise nothing but information."""

from __future__ import annotations

from pathlib import Path

import pytest

from .mutations.legitimate import CHANGES
from .mutations.projects import Project, of_folder, this_repository, workspace
from .mutations.verdicts import pinproof


def alarms(project: Project, root: Path) -> tuple[int, dict[str, list[str]]]:
    """Return how many changes alter the project, and what is said of them that was not said before."""
    known = {finding.code for finding in pinproof(project.write(root)).findings}
    altered, found = 0, {}
    for change in CHANGES:
        files = change.of(project)
        altered += files != project.files
        verdict = pinproof(Project(project.name, files).write(root))
        said = [f"{f.code} {f.message} {f.location}" for f in verdict.findings if f.code not in known]
        if said or verdict.refused:
            found[change.name] = [*said[:2], verdict.refused]
    return altered, found


def test_there_are_fifty_of_them() -> None:
    assert len({change.name for change in CHANGES}) == len(CHANGES) >= 50


def test_in_this_repository(tmp_path: Path) -> None:
    altered, found = alarms(this_repository(), tmp_path / "project")
    assert found == {}
    assert altered >= 50


def test_in_a_workspace_that_uv_just_locked(tmp_path: Path) -> None:
    altered, found = alarms(workspace(tmp_path), tmp_path / "project")
    assert found == {}
    assert altered >= 50


@pytest.mark.parametrize("name", ["mujocolab__mjlab"])
def test_in_a_published_project(corpus: Path, tmp_path: Path, name: str) -> None:
    altered, found = alarms(of_folder(name, corpus / name), tmp_path / "project")
    assert found == {}
    assert altered >= 48
