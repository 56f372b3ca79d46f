"""PRV005 on clones, as developers and CI systems have them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify.context import Options
from pinproof.verify.model import Outcome, Status
from pinproof.verify.run import check

from .repositories import Repo, make

FILES = {"pyproject.toml": '[project]\nname = "p"\nversion = "1"\n', "uv.lock": "version = 1\n"}
Judge = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "GITHUB_BASE_REF", "GITHUB_HEAD_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CHANGE_TARGET", "CHANGE_BRANCH",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "BITBUCKET_PR_DESTINATION_BRANCH", "BITBUCKET_BRANCH",
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def upstream(tmp_path: Path) -> Repo:
    """main; `parent` with two commits beside it; `child` with one more on top of `parent`."""
    repo = make(tmp_path / "upstream", FILES)
    repo.git("checkout", "-qb", "parent")
    repo.commit("parent 1", {"a": "1\n"})
    repo.commit("parent 2", {"b": "2\n"})
    repo.git("checkout", "-qb", "child")
    repo.commit("child", {"policy": "two at eight\n"})
    repo.git("checkout", "-q", "main")
    return repo


@pytest.fixture
def judge(upstream: Repo, tmp_path: Path) -> Judge:
    """Clone, check a branch out, and run PRV005."""
    count = iter(range(100))

    def run(branch: str, *arguments: str, detach: bool = False, clone: Path | None = None) -> Outcome:
        folder = clone or tmp_path / f"clone{next(count)}"
        if clone is None:
            upstream.git("clone", "-q", *arguments, f"file://{upstream.root}", str(folder))
        copy = Repo(folder)
        copy.git("checkout", "-q", *(["--detach"] if detach else []), branch)
        (outcome,) = check(folder, options=Options(static=True), select=["PRV005"]).outcomes
        return outcome

    return run


def said(outcome: Outcome) -> list[str]:
    assert {finding.severity.value for finding in outcome.findings} <= {"warning"}
    return [finding.message.partition(": ")[2] for finding in outcome.findings]


def test_a_branch_of_its_own(judge: Judge) -> None:
    for outcome in (judge("parent"), judge("origin/parent", detach=True), judge("main")):
        assert (outcome.status, said(outcome)) == (Status.PASSED, [])
    tally = judge("parent").tally
    assert tally is not None
    assert tally.detail == "2 commits beside origin/main"


def test_stacked_on_another(judge: Judge) -> None:
    expected = ["it is stacked on parent, of which 2 commits are not on origin/main"]
    assert said(judge("child")) == expected
    assert said(judge("origin/child", detach=True)) == expected


def test_in_a_worktree_and_in_a_submodule(upstream: Repo, judge: Judge, tmp_path: Path) -> None:
    judge("main")
    expected = ["it is stacked on parent, of which 2 commits are not on origin/main"]
    copy = Repo(tmp_path / "clone0")
    copy.git("worktree", "add", "-q", str(tmp_path / "tree"), "child")
    outer = make(tmp_path / "outer", {"x": "x\n"})
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(upstream.root), "dep")
    Repo(outer.root / "dep").git("checkout", "-q", "child")
    for folder in (tmp_path / "tree", outer.root / "dep"):
        (outcome,) = check(folder, select=["PRV005"]).outcomes
        assert said(outcome) == expected


def test_sha256_and_a_hostile_configuration(tmp_path: Path) -> None:
    repo = make(tmp_path / "r", FILES, object_format="sha256")
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 1\n")
    spy.chmod(0o755)
    repo.git("checkout", "-qb", "parent")
    repo.commit("parent", {"a": "1\n"})
    repo.git("checkout", "-qb", "child")
    repo.commit("child", {"b": "1\n"})
    for key in ("core.fsmonitor", "diff.external", "filter.x.clean", "diff.x.textconv", "core.pager", "gpg.program"):
        repo.git("config", key, str(spy))
    (repo.root / ".git/info/attributes").write_text("* filter=x diff=x\n")
    (outcome,) = check(repo.root, select=["PRV005"]).outcomes
    assert said(outcome) == ["it is stacked on parent, of which 1 commit is not on main"]
    assert not (tmp_path / "ran").exists()


def test_the_stale_main_branch_of_a_fork(upstream: Repo, judge: Judge, tmp_path: Path) -> None:
    judge("main")
    copy = Repo(tmp_path / "clone0")
    upstream.git("merge", "-q", "--no-ff", "-m", "merge parent", "parent")
    copy.git("remote", "add", "upstream", f"file://{upstream.root}")
    copy.git("fetch", "-q", "upstream")
    copy.git("checkout", "-q", "-b", "mine", "upstream/main")
    copy.commit("mine", {"m": "m\n"})
    outcome = judge("mine", clone=copy.root)
    assert said(outcome) == []
    assert outcome.tally is not None
    assert outcome.tally.detail == "1 commit beside origin/main"


def test_an_older_push_of_the_same_branch_is_no_other_branch(upstream: Repo, judge: Judge, tmp_path: Path) -> None:
    judge("parent")
    copy = Repo(tmp_path / "clone0")
    copy.commit("one more", {"c": "3\n"})
    assert said(judge("parent", clone=copy.root)) == []


def test_the_parent_was_merged_and_the_child_was_rebased(upstream: Repo, judge: Judge) -> None:
    upstream.git("merge", "-q", "--no-ff", "-m", "merge parent", "parent")
    upstream.commit("later", {"z": "z\n"})
    assert said(judge("child")) == []


def test_the_parent_was_squashed_and_the_child_still_holds_it(upstream: Repo, judge: Judge) -> None:
    upstream.git("merge", "-q", "--ff", "--squash", "parent")
    squash = upstream.commit("parent (#1)")
    upstream.commit("later", {"z": "z\n"})
    assert said(judge("child")) == [
        "it is stacked on parent, of which 2 commits are not on origin/main",
        f"it still holds {upstream.head('parent')[:12]}, which origin/main has taken in as {squash[:12]}",
    ]


def test_merged_into_a_parent_that_had_landed_before(upstream: Repo, judge: Judge) -> None:
    """The child's pull request shows as merged, and its change never reached main."""
    upstream.git("merge", "-q", "--no-ff", "-m", "merge parent", "parent")
    upstream.git("checkout", "-q", "parent")
    upstream.git("merge", "-q", "--no-ff", "-m", "merge child", "child")
    upstream.git("checkout", "-q", "main")
    assert said(judge("child")) == [
        "it was merged into parent after origin/main had taken that in, and is not on origin/main"
    ]


def test_proposed_for_a_branch_that_has_landed(upstream: Repo, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream.git("merge", "-q", "--no-ff", "-m", "merge parent", "parent")
    monkeypatch.setenv("GITHUB_BASE_REF", "parent")
    monkeypatch.setenv("GITHUB_HEAD_REF", "child")
    assert said(judge("origin/child", detach=True)) == [
        "the change is proposed for parent, which origin/main has already taken in"
    ]
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    assert said(judge("origin/child", detach=True)) == []


def test_a_trial_merge_stands_for_what_it_merges(upstream: Repo, judge: Judge, tmp_path: Path) -> None:
    upstream.commit("later", {"z": "z\n"})
    judge("origin/main", detach=True)
    copy = Repo(tmp_path / "clone0")
    copy.git("merge", "-q", "--no-ff", "-m", "trial", "origin/parent")
    assert said(judge("HEAD", clone=copy.root, detach=True)) == []
    copy.git("checkout", "-q", "--detach", "origin/main")
    copy.git("merge", "-q", "--no-ff", "-m", "trial", "origin/child")
    assert said(judge("HEAD", clone=copy.root, detach=True)) == [
        "it is stacked on parent, of which 2 commits are not on origin/main"
    ]


def test_the_target_that_configuration_states(upstream: Repo, judge: Judge, tmp_path: Path) -> None:
    judge("child")
    copy = Repo(tmp_path / "clone0")
    copy.commit("base", {"pyproject.toml": FILES["pyproject.toml"] + '[tool.pinproof]\nbase = "origin/parent"\n'})
    outcome = judge("child", clone=copy.root)
    assert said(outcome) == []
    assert outcome.tally is not None
    assert outcome.tally.detail == "2 commits beside origin/parent"


def test_without_a_remote_the_local_branches_count(upstream: Repo) -> None:
    upstream.git("checkout", "-q", "child")
    (outcome,) = check(upstream.root, select=["PRV005"]).outcomes
    assert said(outcome) == ["it is stacked on parent, of which 2 commits are not on main"]


def test_where_it_cannot_be_told(upstream: Repo, judge: Judge, write_project: Callable[..., Path]) -> None:
    (outcome,) = check(write_project(FILES), select=["PRV005"]).outcomes
    assert outcome.status is Status.NOT_RUN
    upstream.git("branch", "-m", "main", "trunk")
    (outcome,) = check(upstream.root, select=["PRV005"]).outcomes
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason == (
        "it cannot be told where this branch leads: "
        "none of origin/HEAD, origin/main, origin/master, main, master is here"
    )


def test_a_shallow_clone_of_one_branch(judge: Judge) -> None:
    outcome = judge("child", "--depth=1", "--branch=child")
    assert outcome.status is Status.NOT_RUN


def test_a_shallow_clone_with_a_target(judge: Judge) -> None:
    outcome = judge("child", "--depth=1", "--no-single-branch")
    assert said(outcome) == []
    assert outcome.status is Status.NOT_RUN
    assert "shallow" in outcome.reason
