"""PRV004 on real repositories."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pinproof.verify.context import Options
from pinproof.verify.model import Outcome, Status
from pinproof.verify.run import check

from .repositories import make

A, B = "a1" * 20, "b2" * 20
URL = "https://github.com/o/dep"
PYPROJECT = f"""\
[project]
name = "p"
version = "1"
dependencies = ["dep", "torch"]
[tool.uv.sources]
dep = {{ git = "{URL}", rev = "{A}" }}
"""
LOCK = f"""\
version = 1
[[package]]
name = "dep"
version = "0.7.2"
source = {{ git = "{URL}?rev={A}#{A}" }}
[[package]]
name = "torch"
version = "2.8.0"
source = {{ registry = "https://files.example.org/simple" }}
"""
Judge = Callable[..., Outcome]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """Check a repository of these files; `mention` is the declared path and template of the pin dep."""

    def run(files: Mapping[str, str | bytes], *mentions: tuple[str, str], git: bool = True) -> Outcome:
        root = tmp_path / "project"
        config = f'[tool.pinproof.pins.dep]\ngit = "{URL}"\nrev = "{A}"\n' if mentions else ""
        config += "".join(
            f'[[tool.pinproof.mentions]]\npin = "dep"\npath = "{path}"\ntemplate = "{template}"\n'
            for path, template in mentions
        )
        repo = make(root, {"pyproject.toml": PYPROJECT + config, "uv.lock": LOCK, **files})
        if not git:
            shutil.rmtree(repo.root / ".git")
        (outcome,) = check(root, options=Options(static=True), select=["PRV004"]).outcomes
        return outcome

    return run


def said(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(f.severity.value, str(f.location), f.message) for f in outcome.findings]


def test_a_forgotten_dockerfile(judge: Judge) -> None:
    outcome = judge({"docker/Dockerfile": f"FROM x\nRUN pip install git+{URL}@{B}\n"})
    assert outcome.status is Status.PASSED
    assert said(outcome) == [
        (
            "warning",
            "docker/Dockerfile:2:46",
            f"dep: docker/Dockerfile names the commit {B}, locked is a1a1a1a1a1a1",
        )
    ]
    (related,) = outcome.findings[0].related
    assert (str(related.location), related.message) == ("uv.lock:5:1", f"locked: git {URL}, rev {A}")


def test_two_projects_of_one_repository_pin_two_releases(judge: Judge) -> None:
    outcome = judge({"python/pyproject_cpu.toml": '[project]\ndependencies = ["torch==2.7.1"]\n'})
    assert said(outcome) == [
        (
            "warning",
            "python/pyproject_cpu.toml:2:25",
            "torch: python/pyproject_cpu.toml names the release 2.7.1, locked is 2.8.0",
        )
    ]


def test_what_agrees_or_is_set_aside(judge: Judge) -> None:
    other = f"torch==2.7.1\ndep @ git+{URL}@{B}\n"
    outcome = judge(
        {
            "Dockerfile": f"RUN pip install git+{URL}@{A[:8].upper()} torch==2.8.0\n",
            "docs/requirements.txt": other,
            "tests/requirements.txt": other,
            "README.md": other,
            "CHANGELOG": other,
            "example/uv.lock": "version = 1\n",
            "example/Dockerfile": f"RUN pip install git+{URL}@{B}\n",
            "tool/poetry.lock": "",
            "tool/requirements.txt": other,
            "data.bin": b"\0" + other.encode(),
        }
    )
    assert said(outcome) == []
    assert outcome.tally is not None
    assert outcome.tally.detail == "0 declared mentions; 7 tracked files searched"


def test_many_releases_of_one_file_are_told_together(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(12)]
    lock = "version = 1\n" + "".join(
        f'[[package]]\nname = "{name}"\nversion = "2"\nsource = {{ registry = "https://files.example.org" }}\n'
        for name in names
    )
    files = {"pyproject.toml": '[project]\nname = "p"\nversion = "1"\n', "uv.lock": lock}
    make(tmp_path / "r", {**files, "requirements.txt": "".join(f"{name}==1\n" for name in names)})
    (outcome,) = check(tmp_path / "r", select=["PRV004"]).outcomes
    assert [str(f.location) for f in outcome.findings] == [f"requirements.txt:{line}:5" for line in range(1, 9)]
    assert outcome.findings[-1].message == (
        "p7: requirements.txt names the release 1, locked is 2 and 4 other releases that are not locked"
    )


@pytest.mark.parametrize(
    ("template", "content", "messages"),
    [
        ("REV={commit}", f"ARG REV={A}\n", []),
        ("REV={commit}", f"ARG REV={A.upper()}\nARG REV={A}", []),
        ("REV={commit}", f"ARG REV={B}\n", [f"dep: Dockerfile names {B}, expected the commit {A}"]),
        ("REV={commit}", f"ARG REV={A[:12]}\n", [f"dep: Dockerfile names {A[:12]}, expected the commit {A}"]),
        ("REV={commit}", "ARG REV=main\n", [f"dep: Dockerfile names main, expected the commit {A}"]),
        (
            "REV={commit}",
            f"ARG OTHER_REV={B}\n",
            ["dep: the declared mention in Dockerfile does not hold the text `REV={commit}`"],
        ),
        ("at-{short}-x", f"at-{A[:7]}-x at-{A}-x", []),
        ("at-{short}-x", f"at-{A[:6]}-x", [f"dep: Dockerfile names {A[:6]}, expected the short {A}"]),
        ("at-{short}-x", f"at-{B[:7]}-x", [f"dep: Dockerfile names {B[:7]}, expected the short {A}"]),
        ("dep=={version}", "dep==0.7.2.0\n", []),
        ("dep=={version}", "dep==0.7.3\n", ["dep: Dockerfile names 0.7.3, expected the version 0.7.2"]),
    ],
)
def test_a_declared_mention(judge: Judge, template: str, content: str, messages: list[str]) -> None:
    for git in (True, False):
        outcome = judge({"Dockerfile": content}, ("Dockerfile", template), git=git)
        assert [(f.severity.value, f.message) for f in outcome.findings] == [("error", text) for text in messages]
        assert outcome.status is (Status.FAILED if messages else Status.PASSED)


def test_a_declared_place_is_not_searched_again(judge: Judge) -> None:
    text = f"RUN pip install git+{URL}@{B}\n"
    assert [f[0] for f in said(judge({"Dockerfile": text}, ("Dockerfile", "dep@{commit}")))] == ["error"]


def test_a_declared_file_that_is_not_there_or_leads_out(judge: Judge, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text(f"REV={A}\n")
    outcome = judge({}, ("gone", "REV={commit}"))
    assert [f.message for f in outcome.findings] == ["dep: the declared mention in gone is not there"]
    (tmp_path / "project/link").symlink_to(tmp_path / "outside")
    outcome = judge({}, ("link", "REV={commit}"))
    assert "leads out of the project" in outcome.findings[0].message


def test_without_git_nothing_is_searched(judge: Judge) -> None:
    outcome = judge({"Dockerfile": f"RUN pip install git+{URL}@{B}\n"}, git=False)
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason == (
        "no mentions are declared, and tracked files were not searched, for the project is in no git checkout"
    )


def test_a_hostile_configuration_runs_nothing(judge: Judge, tmp_path: Path) -> None:
    spy = tmp_path / "spy"
    spy.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/ran\nexit 1\n')
    spy.chmod(spy.stat().st_mode | stat.S_IXUSR)
    judge({})
    repo = make(tmp_path / "project", {"Dockerfile": f"RUN pip install git+{URL}@{B}\n", "f": "x"})
    for key in ("core.fsmonitor", "diff.external", "diff.x.textconv", "filter.x.clean", "pager.grep", "alias.grep"):
        repo.git("config", key, f"!{spy}" if key.startswith("alias") else str(spy))
    (repo.root / ".git/info/attributes").write_text("* filter=x diff=x\n")
    (outcome,) = check(repo.root, select=["PRV004"]).outcomes
    assert len(outcome.findings) == 1
    assert not (tmp_path / "ran").exists()


def test_a_worktree_and_a_folder_of_a_repository(tmp_path: Path) -> None:
    files = {"pyproject.toml": PYPROJECT, "uv.lock": LOCK, "Dockerfile": f"RUN pip install git+{URL}@{B}\n"}
    repo = make(tmp_path / "r", {f"sub/{name}": text for name, text in files.items()} | {"Dockerfile": "FROM x\n"})
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "w"))
    for root in (repo.root, tmp_path / "w"):
        (outcome,) = check(root / "sub", select=["PRV004"]).outcomes
        assert [str(f.location) for f in outcome.findings] == ["Dockerfile:1:46"]


def test_a_submodule_of_the_same_repository(judge: Judge, tmp_path: Path) -> None:
    inner = make(tmp_path / "inner", {"x": "x\n"})
    judge({})
    repo = make(tmp_path / "project", {"y": "y\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "3rdparty/dep")
    repo.git("config", "-f", ".gitmodules", "submodule.3rdparty/dep.url", f"{URL}.git")
    repo.commit("add a submodule")
    (outcome,) = check(repo.root, select=["PRV004"]).outcomes
    assert said(outcome) == [
        (
            "warning",
            ".gitmodules:3:8",
            f"dep: .gitmodules names the commit {inner.head()}, locked is a1a1a1a1a1a1",
        )
    ]
    lock = (repo.root / "uv.lock").read_text()
    repo.commit("lock it", {"uv.lock": lock.replace(A, inner.head())})
    (outcome,) = check(repo.root, select=["PRV004"]).outcomes
    assert said(outcome) == []


def test_real_projects_have_no_false_alarm(corpus: Path, tmp_path: Path) -> None:
    found = []
    for original in sorted(corpus.iterdir()):
        folder = shutil.copytree(original, tmp_path / original.name)
        make(folder)
        for lock in sorted(folder.rglob("uv.lock")):
            (outcome,) = check(lock.parent, select=["PRV004"]).outcomes
            assert outcome.status is Status.PASSED
            found += [(folder.name, str(f.location), f.message) for f in outcome.findings]
    assert found == []


def test_this_repository_has_none() -> None:
    (outcome,) = check(Path(__file__).resolve().parents[2], select=["PRV004"]).outcomes
    assert said(outcome) == []
