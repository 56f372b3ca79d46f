"""PRV002 on whole projects: where the sources of the pinned commit come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify.context import Options
from pinproof.verify.model import Outcome, Status
from pinproof.verify.run import check

from . import environments
from .environments import from_git
from .repositories import Repo, make

URL = "https://git.example/o/dep"
OLD = "class Pool:\n    def pair(self, *, plan): ...\n"
NEW = "class Pool:\n    def pair(self, *, row_blocks): ...\n"
Judge = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv-cache"))


@pytest.fixture
def upstream(tmp_path: Path) -> Repo:
    """The older commit has a plan, the newer one row blocks."""
    repo = make(tmp_path / "upstream", {"sub/dep/__init__.py": OLD})
    repo.commit("newer", {"sub/dep/__init__.py": NEW})
    return repo


@pytest.fixture
def judge(write_project: Callable[..., Path]) -> Judge:
    def run(
        rev: str, *clones: Path, api: str = "dep:Pool.pair(row_blocks)", source: str = "", python: Path | None = None
    ) -> Outcome:
        pin = f'[tool.pinproof.pins.dep]\napi = [\n  "{api}",\n]\n'
        source = source or f'git = "{URL}?subdirectory=sub&rev={rev}#{rev}"'
        lock = f'version = 1\n[[package]]\nname = "dep"\nversion = "1"\nsource = {{ {source} }}\n'
        root = write_project({"pyproject.toml": f'[project]\nname = "p"\nversion = "1"\n{pin}', "uv.lock": lock})
        options = Options(clones=clones, python=python, static=True)
        (outcome,) = check(root, options=options, select=["PRV002"]).outcomes
        return outcome

    return run


def install(root: Path, source: str, origin: object, *, version: str = "1") -> Path:
    """Lay out an environment with this package; return its interpreter."""
    python = environments.empty(root)
    environments.install(root, "Dep", version, {"dep/__init__.py": source}, origin=origin)
    return python


@pytest.mark.parametrize("form", ["plain", "mirror", "shallow"])
def test_a_clone(upstream: Repo, tmp_path: Path, judge: Judge, form: str) -> None:
    arguments = {"plain": [], "mirror": ["--mirror"], "shallow": ["--depth=1"]}[form]
    upstream.git("clone", "-q", *arguments, f"file://{upstream.root}", str(tmp_path / "copy"))
    outcome = judge(upstream.head(), tmp_path / "copy")
    assert (outcome.status, outcome.findings) == (Status.PASSED, ())
    assert outcome.tally is not None
    head = upstream.head()[:12]
    assert outcome.tally.detail == (
        f"1 pin: dep:Pool.pair(row_blocks) holds ({head} in the clone {tmp_path / 'copy'}): "
        "pair(self, *, row_blocks) at sub/dep/__init__.py:2"
    )


def test_a_keyword_that_only_a_newer_commit_has(upstream: Repo, judge: Judge) -> None:
    outcome = judge(upstream.head("HEAD~1"), upstream.root)
    assert outcome.status is Status.FAILED
    (finding,) = outcome.findings
    assert finding.message == (
        f"dep: dep:Pool.pair(row_blocks) does not hold ({upstream.head('HEAD~1')[:12]} in the clone {upstream.root}): "
        "pair(self, *, plan) at sub/dep/__init__.py:2 has no parameter `row_blocks`"
    )
    assert str(finding.location) == "pyproject.toml:6:3"


def test_what_cannot_be_told_is_a_warning_and_no_pass(upstream: Repo, judge: Judge) -> None:
    outcome = judge(upstream.head(), upstream.root, api="dep:Pool.pair.x")
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason == "dep: dep:Pool.pair.x cannot be told"
    assert [finding.severity.value for finding in outcome.findings] == ["warning"]


def test_sources_that_are_not_at_hand(upstream: Repo, tmp_path: Path, judge: Judge) -> None:
    outcome = judge("ab" * 20, upstream.root)
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason == (
        "dep: the sources of abababababab are not at hand (the project has no environment here (.venv); name one with "
        "--python); name a clone with --clone"
    )
    upstream.git("config", "uploadpack.allowFilter", "true")
    upstream.git(
        "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{upstream.root}", str(tmp_path / "copy")
    )
    partial = judge(upstream.head(), tmp_path / "copy")
    assert partial.status is Status.NOT_RUN
    assert "cannot be told" in partial.reason


def test_installed_files_of_exactly_this_commit(tmp_path: Path, judge: Judge) -> None:
    python = install(tmp_path / "env", NEW, from_git("ab" * 20))
    outcome = judge("ab" * 20, python=python)
    assert outcome.status is Status.PASSED
    assert outcome.tally is not None
    assert f"(abababababab as installed in {tmp_path / 'env'})" in outcome.tally.detail
    assert judge("cd" * 20, python=python).status is Status.NOT_RUN


def test_what_uv_itself_fetched_and_installed(tmp_path: Path, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real uv: the commit is in its git cache, and in the environment that it made."""
    upstream, env, cache = environments.install_with_uv(tmp_path, NEW)
    monkeypatch.setenv("UV_CACHE_DIR", str(cache))
    source = f'git = "{URL}?rev={upstream.head()}#{upstream.head()}"'
    outcome = judge(upstream.head(), source=source)
    assert outcome.tally is not None
    assert f"({upstream.head()[:12]} in uv's git cache): pair(self, *, row_blocks) at dep.py:2" in outcome.tally.detail
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "empty"))
    outcome = judge(upstream.head(), source=source, python=env / "bin/python")
    assert outcome.tally is not None
    assert f"({upstream.head()[:12]} as installed in {env})" in outcome.tally.detail


def test_an_editable_install_is_not_the_commit(tmp_path: Path, judge: Judge) -> None:
    origin = {**from_git("ab" * 20), "dir_info": {"editable": True}}
    assert judge("ab" * 20, python=install(tmp_path / "env", NEW, origin)).status is Status.NOT_RUN


def test_the_environment_of_the_checkout_is_read_and_not_started(tmp_path: Path, judge: Judge) -> None:
    python = install(tmp_path / "project/.venv", OLD, from_git("ab" * 20))
    python.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    python.chmod(0o755)
    assert judge("ab" * 20).status is Status.FAILED
    assert not (tmp_path / "ran").exists()


def test_an_environment_outside_of_the_checkout_is_read_only_where_the_user_names_it(
    tmp_path: Path, judge: Judge
) -> None:
    python = install(tmp_path / "env", NEW, from_git("ab" * 20))
    (tmp_path / "project").mkdir()
    (tmp_path / "project/.venv").symlink_to(tmp_path / "env")
    outcome = judge("ab" * 20)
    assert outcome.status is Status.NOT_RUN
    assert "leads out of the project" in outcome.reason
    assert judge("ab" * 20, python=python).status is Status.PASSED


def test_a_released_package(tmp_path: Path, judge: Judge) -> None:
    registry = 'registry = "https://files.example.org/simple"'
    python = install(tmp_path / "env", OLD, None)
    assert judge("", source=registry, python=python).status is Status.FAILED
    assert judge("", source=registry, api="dep:Pool.pair(plan)", python=python).status is Status.PASSED
    other = install(tmp_path / "other", OLD, None, version="2")
    assert judge("", source=registry, python=other).status is Status.NOT_RUN


def test_this_project_says_that_the_fork_is_not_at_hand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path))
    (outcome,) = check(Path(__file__).resolve().parents[2], select=["PRV002"]).outcomes
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason.startswith("flashinfer-python: the sources of 7bb37d608657 are not at hand (")
