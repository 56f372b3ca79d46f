"""PRV003 on environments of every kind."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify.context import Options
from pinproof.verify.model import Outcome, Status
from pinproof.verify.run import check

from .environments import editable, empty, from_git, install, install_with_uv

A, B = "a1" * 20, "b2" * 20
URL = "https://git.example/o/dep"
GIT = f'[[package]]\nname = "dep"\nversion = "1"\nsource = {{ git = "{URL}?rev={A}#{A}" }}\n'
INDEX = 'source = { registry = "https://files.example.org/simple" }\n'
RELEASE = f'[[package]]\nname = "tool"\nversion = "2.0"\n{INDEX}'
PIN = f'[tool.pinproof.pins.dep]\nrev = "{A}"\n'
Judge = Callable[..., Outcome]


@pytest.fixture
def judge(write_project: Callable[..., Path]) -> Judge:
    def run(python: Path | None = None, *, lock: str = GIT + RELEASE, pin: str = PIN) -> Outcome:
        root = write_project(
            {"pyproject.toml": f'[project]\nname = "p"\nversion = "1"\n{pin}', "uv.lock": f"version = 1\n{lock}"}
        )
        (outcome,) = check(root, options=Options(static=True, python=python), select=["PRV003"]).outcomes
        return outcome

    return run


@pytest.fixture
def env(tmp_path: Path) -> Path:
    empty(tmp_path / "env")
    return tmp_path / "env"


def said(outcome: Outcome) -> list[tuple[str, str]]:
    return [(finding.severity.value, finding.message) for finding in outcome.findings]


def python(env: Path) -> Path:
    return env / "bin/python"


def test_the_reviewed_commit_is_installed(env: Path, judge: Judge) -> None:
    install(env, "Dep", origin=from_git(A.upper()))
    install(env, "tool", "2.0.0")
    install(env, "not-locked", "7")
    outcome = judge(python(env))
    assert (outcome.status, said(outcome)) == (Status.PASSED, [])
    assert outcome.tally is not None
    assert outcome.tally.detail == f"2 distributions in {env} as locked"


@pytest.mark.parametrize(
    ("origin", "version", "message"),
    [
        (from_git(B), "1", f"dep is installed at commit {B} of {URL}, expected {A}"),
        (None, "1", f"dep is installed as version 1 of an index, expected git {URL}, rev {A}"),
        (editable("file:///me/dep"), "1", f"dep is an editable install of file:///me/dep, expected git {URL}, rev {A}"),
        (
            {"url": "https://x/dep.whl", "archive_info": {}},
            "1",
            f"dep is version 1 from https://x/dep.whl, expected git {URL}, rev {A}",
        ),
        ([], "1", f"dep is version 1 from a direct_url.json that is no object, expected git {URL}, rev {A}"),
    ],
)
def test_something_else_is_installed(env: Path, judge: Judge, origin: object, version: str, message: str) -> None:
    install(env, "dep", version, origin=origin)
    outcome = judge(python(env))
    assert (outcome.status, said(outcome)) == (Status.FAILED, [("error", message)])
    assert str(outcome.findings[0].location) == "uv.lock:5:1"
    # Without a pin in the configuration it is a warning.
    assert said(judge(python(env), pin="")) == [("warning", message)]


def test_the_lock_is_not_what_was_reviewed(env: Path, judge: Judge) -> None:
    install(env, "dep", origin=from_git(B))
    outcome = judge(python(env), lock=GIT.replace(A, B))
    assert said(outcome) == [("error", f"dep is installed at commit {B} of {URL}, expected {A}")]


def test_other_versions_are_told_together(env: Path, judge: Judge) -> None:
    install(env, "tool", "1.9")
    install(env, "dep", origin=from_git(A))
    outcome = judge(python(env))
    assert said(outcome) == [("warning", "installed in other versions than locked: tool 1.9 (locked 2.0)")]
    assert outcome.status is Status.PASSED


def test_a_release_where_the_lock_has_both_proves_nothing_about_the_pin(env: Path, judge: Judge) -> None:
    install(env, "dep", "3")
    both = f'{GIT}[[package]]\nname = "dep"\nversion = "3"\n{INDEX}'
    outcome = judge(python(env), lock=both)
    assert (outcome.status, said(outcome)) == (Status.NOT_RUN, [])
    assert outcome.reason == f"{env} holds dep 3, another entry of the lock than the pin"


def test_a_pin_that_is_not_installed(env: Path, judge: Judge) -> None:
    outcome = judge(python(env))
    assert (outcome.status, outcome.reason) == (Status.NOT_RUN, f"dep is not installed in {env}")


def test_members_of_the_workspace_are_editable(env: Path, judge: Judge) -> None:
    install(env, "p", "0.0.dev1", origin=editable("file:///x"))
    lock = '[[package]]\nname = "p"\nversion = "1"\nsource = { editable = "." }\n'
    assert said(judge(python(env), lock=lock, pin="")) == []


def test_two_owners_of_one_import_path(env: Path, judge: Judge) -> None:
    """As flashinfer-python and b12x, which both ship a top-level b12x."""
    install(env, "dep", files={"b/__init__.py": "mine\n", "b/same.py": "", "dep.py": "x\n"}, origin=from_git(A))
    install(env, "other", "5", {"b/__init__.py": "theirs\n", "b/same.py": "", "b/more.py": ""})
    outcome = judge(python(env))
    path = "lib/python3.11/site-packages/b/__init__.py"
    assert said(outcome) == [
        ("error", f"dep shares 1 file with other, such as {path}; on disk are those of other, which wins")
    ]
    (env / path).write_text("mine\n")
    assert said(judge(python(env))) == [
        ("warning", f"dep shares 1 file with other, such as {path}; on disk are those of dep, which wins")
    ]
    (env / path).write_text("nobody's\n")
    assert said(judge(python(env)))[0][1].endswith("on disk are those of neither")


def test_a_package_hides_a_module(env: Path, judge: Judge) -> None:
    install(env, "dep", files={"mod.py": "x\n"}, origin=from_git(A))
    install(env, "other", "5", {"mod/__init__.py": "y\n"})
    assert said(judge(python(env))) == [
        ("error", "dep has a module mod that is never imported: the package mod of other wins")
    ]


def test_shared_folders_are_no_conflict(env: Path, judge: Judge) -> None:
    install(env, "dep", files={"space/dep/__init__.py": "x\n"}, origin=from_git(A))
    install(env, "other", "5", {"space/other/__init__.py": "y\n", "space/LICENSE": "a\n"})
    install(env, "third", "5", {"space/LICENSE": "b\n"})
    assert said(judge(python(env))) == []


def test_an_installation_that_left_an_older_one_behind(env: Path, judge: Judge) -> None:
    install(env, "dep", "1", origin=from_git(A))
    install(env, "dep", "0.9", origin=from_git(A))
    assert said(judge(python(env))) == [("error", "dep is installed more than once, as 0.9 and 1")]


def test_the_environment_of_the_project_is_read_and_nothing_is_started(tmp_path: Path, judge: Judge) -> None:
    interpreter = empty(tmp_path / "project/.venv")
    interpreter.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    interpreter.chmod(0o755)
    install(tmp_path / "project/.venv", "dep", origin=from_git(B))
    assert said(judge()) == [("error", f"dep is installed at commit {B} of {URL}, expected {A}")]
    assert not (tmp_path / "ran").exists()


def test_hostile_environments_of_the_checkout(tmp_path: Path, judge: Judge) -> None:
    assert judge().reason == "the project has no environment here (.venv); name one with --python"
    outside = empty(tmp_path / "outside").parent.parent
    install(outside, "dep", origin=from_git(A))
    venv = tmp_path / "project/.venv"
    venv.symlink_to(outside)
    assert "leads out of the project" in judge().reason
    venv.unlink()
    empty(venv)
    site = venv / "lib/python3.11/site-packages"
    (site / "dep-1.dist-info").symlink_to(outside / "lib/python3.11/site-packages/dep-1.dist-info")
    assert "a direct_url.json that cannot be read" in judge().findings[0].message
    (site / "dep-1.dist-info").unlink()
    (site / "dep-1.dist-info").mkdir()
    os.mkfifo(site / "dep-1.dist-info/direct_url.json")
    os.mkfifo(site / "dep-1.dist-info/RECORD")
    assert "a direct_url.json that cannot be read" in judge().findings[0].message
    (site / "dep-1.dist-info/direct_url.json").unlink()
    (site / "dep-1.dist-info/direct_url.json").write_text("[" * 100_000)
    assert "a direct_url.json that cannot be read" in judge().findings[0].message
    site.rename(venv / "moved")
    site.symlink_to(outside / "lib/python3.11/site-packages")
    assert judge().reason == "no site-packages folder is found inside of the project's .venv"


def test_an_environment_that_uv_made(tmp_path: Path, judge: Judge) -> None:
    """A real build from a real commit, offline: uv writes direct_url.json and RECORD itself."""
    upstream, env, _ = install_with_uv(tmp_path, "x = 1\n")
    lock = f'[[package]]\nname = "dep"\nversion = "1"\nsource = {{ git = "{URL}?rev={A}#{A}" }}\n'
    outcome = judge(env / "bin/python", lock=lock.replace(A, upstream.head()), pin="")
    assert (outcome.status, said(outcome)) == (Status.PASSED, [])
    (finding,) = judge(env / "bin/python", lock=lock).findings
    assert finding.message.startswith(f"dep is installed at commit {upstream.head()} of ")
