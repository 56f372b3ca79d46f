from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from pinproof.verify import InputError, UnknownCheckError, check_projects, find_projects
from pinproof.verify.cli import pinproof

PYPROJECT = '[project]\nname = "a"\nversion = "1"\n'
LOCK = 'version = 1\nrevision = 3\nrequires-python = ">=3.11"\n\n[[package]]\nname = "a"\nsource = { virtual = "." }\n'


def _fleet(write_project: Callable[..., Path]) -> Path:
    return write_project(
        {
            "b/pyproject.toml": PYPROJECT,
            "b/uv.lock": LOCK,
            "a/pyproject.toml": PYPROJECT,
            "a/uv.lock": LOCK,
            "a/nested/pyproject.toml": PYPROJECT,
            "a/nested/uv.lock": LOCK,
            "broken/pyproject.toml": "= 1\n",
            "broken/uv.lock": LOCK,
            ".hidden/uv.lock": LOCK,
            "env/pyvenv.cfg": "",
            "env/uv.lock": LOCK,
            "node_modules/x/uv.lock": LOCK,
        }
    )


def test_every_lock_below_a_folder_without_project_is_found(write_project: Callable[..., Path]) -> None:
    root = _fleet(write_project)
    assert find_projects(root) == [root / "a", root / "a/nested", root / "b", root / "broken"]


def test_a_project_is_one_unless_asked_to_look_below(write_project: Callable[..., Path]) -> None:
    root = _fleet(write_project)
    assert find_projects(root / "a") == [root / "a"]
    assert find_projects(root / "a", recursive=True) == [root / "a", root / "a/nested"]


def test_a_folder_without_any_lock_is_unusable_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no uv\.lock, nor does a folder below it"):
        find_projects(tmp_path)


@pytest.mark.parametrize("jobs", [1, 3])
def test_reports_come_in_order_and_a_broken_project_stops_no_other(
    write_project: Callable[..., Path], jobs: int
) -> None:
    root = _fleet(write_project)
    reports = check_projects([root / "broken", root / "b", root / "a"], jobs=jobs, select=["CFG001"])
    assert [(Path(report.root).name, report.exit_code) for report in reports] == [("broken", 2), ("b", 0), ("a", 0)]
    assert (reports[0].error or "").startswith("pyproject.toml:1: is not valid TOML")


def test_a_thread_may_ask_for_many(write_project: Callable[..., Path]) -> None:
    root = _fleet(write_project)
    with ThreadPoolExecutor(1) as pool:
        reports = pool.submit(check_projects, [root / "b", root / "a"], jobs=2, select=["CFG001"]).result()
    assert [report.exit_code for report in reports] == [0, 0]


def test_a_selection_that_names_nothing_is_refused_in_processes_too(write_project: Callable[..., Path]) -> None:
    root = _fleet(write_project)
    with pytest.raises(UnknownCheckError, match="no check, code or prefix is called 'XYZ'"):
        check_projects([root / "b", root / "a"], jobs=2, select=["XYZ"])


def test_one_report_holds_all_projects(write_project: Callable[..., Path]) -> None:
    root = _fleet(write_project)
    result = CliRunner().invoke(pinproof, ["check", str(root), "--format", "json", "--select", "CFG001"])
    data = json.loads(result.stdout)
    assert [Path(project["project"]).relative_to(root).as_posix() for project in data["projects"]] == [
        "a",
        "a/nested",
        "b",
        "broken",
    ]
    assert data["exit_code"] == 2


def test_text_names_each_project_and_sums_up(write_project: Callable[..., Path]) -> None:
    root = _fleet(write_project)
    result = CliRunner().invoke(pinproof, ["check", str(root / "a"), str(root / "broken"), "--select", "CFG001"])
    lines = result.stdout.splitlines()
    assert lines[0] == f"project {root}/a"
    assert lines[4] == f"project {root}/broken"
    assert lines[-1] == "2 projects: 1 clean, 1 could not be checked; exit code 2"
