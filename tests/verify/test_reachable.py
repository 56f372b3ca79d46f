from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify.context import Options
from pinproof.verify.model import Outcome, Status
from pinproof.verify.run import check

from .repositories import Repo, make

URL = "https://git.example/o/dep"


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv-cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def upstream(tmp_path: Path) -> Repo:
    """main: first, merge of `topic`, last. `open` was never merged; `squash` holds what main has squashed."""
    repo = make(tmp_path / "upstream", {"a": "1\n"})
    repo.git("checkout", "-qb", "topic")
    repo.commit("topic", {"b": "2\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic")
    repo.git("checkout", "-qb", "open")
    repo.commit("open", {"c": "3\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("last", {"d": "4\n"})
    return repo


@pytest.fixture
def judge(write_project: Callable[..., Path]) -> Callable[..., Outcome]:
    def run(
        rev: str, *clones: Path, branch: str = "main", contains: tuple[str, ...] = (), online: bool = False
    ) -> Outcome:
        listed = ", ".join(f'"{commit}"' for commit in contains)
        pin = f'[tool.pinproof.pins.dep]\ngit = "{URL}"\nrev = "{rev}"\nbranch = "{branch}"\ncontains = [{listed}]\n'
        root = write_project(
            {"pyproject.toml": f'[project]\nname = "p"\nversion = "1"\n{pin}', "uv.lock": "version = 1\n"}
        )
        (outcome,) = check(root, options=Options(clones=clones, online=online), select=["PRV001"]).outcomes
        return outcome

    return run


def clone(upstream: Repo, folder: Path, *arguments: str) -> Path:
    upstream.git("clone", "-q", *arguments, f"file://{upstream.root}", str(folder))
    Repo(folder).git("config", "remote.origin.url", URL)
    return folder


@pytest.mark.parametrize("form", ["plain", "bare", "mirror", "treeless", "worktree"])
def test_a_commit_on_the_branch(upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome], form: str) -> None:
    arguments = {"bare": ["--mirror"], "mirror": ["--mirror"], "treeless": ["--filter=tree:0", "--no-checkout"]}
    upstream.git("config", "uploadpack.allowFilter", "true")
    copy = clone(upstream, tmp_path / "copy", *arguments.get(form, []))
    if form == "worktree":
        Repo(copy).git("worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
        copy = tmp_path / "tree"
    outcome = judge(upstream.head("topic"), copy, contains=(upstream.head("main~2"),))
    assert (outcome.status, outcome.findings) == (Status.PASSED, ())
    assert outcome.tally is not None
    assert f"{upstream.head('topic')[:12]} is on main" in outcome.tally.detail


def test_a_commit_beside_the_branch_and_where_it_is(
    upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome]
) -> None:
    outcome = judge(upstream.head("open"), clone(upstream, tmp_path / "copy"))
    (finding,) = outcome.findings
    assert finding.location is not None
    assert (finding.location.line, finding.location.path) == (7, "pyproject.toml")
    start = f"dep: {upstream.head('open')[:12]} is not on the branch main: main is at {upstream.head('main')[:12]}"
    assert finding.message.startswith(start)
    assert "the commit is on origin/open" in finding.message


def test_the_local_branch_of_a_clone_is_not_the_remotes(
    upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome]
) -> None:
    copy = Repo(clone(upstream, tmp_path / "copy"))
    copy.git("checkout", "-q", "-B", "main", "origin/open")
    assert judge(upstream.head("open"), copy.root).status is Status.FAILED


def test_the_branch_of_another_fork_does_not_count(
    upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome]
) -> None:
    copy = Repo(clone(upstream, tmp_path / "copy"))
    copy.git("config", "remote.origin.url", "https://git.example/another/dep")
    outcome = judge(upstream.head("main"), copy.root)
    assert outcome.status is Status.NOT_RUN
    assert "do not have its branch main" in outcome.reason


def test_a_renamed_branch(upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome]) -> None:
    upstream.git("branch", "-m", "main", "trunk")
    copy = clone(upstream, tmp_path / "copy")
    assert judge(upstream.head("trunk"), copy).status is Status.NOT_RUN
    assert judge(upstream.head("trunk"), copy, branch="trunk").status is Status.PASSED


def test_the_same_change_under_another_commit_is_named(
    upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome]
) -> None:
    opened = upstream.head("open")
    upstream.git("cherry-pick", "open")
    copy = clone(upstream, tmp_path / "copy")
    same = f"the same patch is {upstream.head('main')[:12]}"
    (finding,) = judge(opened, copy).findings
    assert f"the commit is on origin/open; {same}" in finding.message
    (finding,) = judge(upstream.head("main"), copy, contains=(opened,)).findings
    assert finding.message.startswith(
        f"dep: {upstream.head('main')[:12]} does not contain {opened[:12]}: it is not among its ancestors; {same}"
    )


def test_a_branch_that_is_older_than_the_commit_proves_nothing(
    upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome]
) -> None:
    """uv fetches a pinned commit alone; the branches of its cache stay as they were."""
    copy = Repo(clone(upstream, tmp_path / "copy"))
    upstream.git("-c", "user.name=A", "commit", "-q", "--allow-empty", "-m", "new")
    later = upstream.git(
        "commit-tree",
        "-p",
        "main",
        "-m",
        "later",
        "main^{tree}",
        environment={"GIT_COMMITTER_DATE": "@4000000000 +0000"},
    ).strip()
    upstream.git("update-ref", "refs/heads/main", later)
    copy.git("fetch", "-q", f"file://{upstream.root}", later)
    outcome = judge(later, copy.root)
    assert outcome.status is Status.NOT_RUN
    assert "has main as of before this commit" in outcome.reason


def test_what_is_not_contained(upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome]) -> None:
    copy = clone(upstream, tmp_path / "copy")
    for commit in (upstream.head("open"), "ab" * 20):
        (finding,) = judge(upstream.head("main"), copy, contains=(commit,)).findings
        assert f"does not contain {commit[:12]}: it is not among its ancestors" in finding.message


def test_a_shallow_clone_proves_no_absence(upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome]) -> None:
    copy = clone(upstream, tmp_path / "copy", "--depth", "1", "--no-single-branch")
    outcome = judge(upstream.head("open"), copy)
    assert outcome.status is Status.NOT_RUN
    assert "is shallow" in outcome.reason
    assert judge(upstream.head("main"), copy).status is Status.PASSED
    absent = judge(upstream.head("main"), copy, contains=(upstream.head("main~1"),))
    assert absent.status is Status.NOT_RUN


def test_nothing_at_hand(upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome]) -> None:
    outcome = judge(upstream.head("main"))
    assert outcome.status is Status.NOT_RUN
    assert outcome.reason.startswith("cannot be told here, because dep: ")
    assert "is not a folder" in judge(upstream.head("main"), tmp_path / "gone").reason


def test_uvs_own_cache(
    upstream: Repo, tmp_path: Path, judge: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The layout that uv 0.13.9 writes: git-v2/db/HASH/.git with refs/remotes/origin/* and FETCH_HEAD."""
    database = tmp_path / "uv-cache/git-v2/db/0123456789abcdef"
    store = make(database)
    store.git("fetch", "-q", f"file://{upstream.root}", "+refs/heads/main:refs/remotes/origin/main")
    head = upstream.head("main")
    (database / ".git/FETCH_HEAD").write_text(f"{head}\t\tbranch 'main' of {URL}\n")
    assert judge(head).status is Status.PASSED
    (database / ".git/FETCH_HEAD").write_text(f"{head}\t\tbranch 'main' of https://git.example/another/dep\n")
    assert judge(head).status is Status.NOT_RUN


def test_sha256(tmp_path: Path, judge: Callable[..., Outcome]) -> None:
    upstream = make(tmp_path / "upstream", {"a": "1\n"}, object_format="sha256")
    first = upstream.head()
    upstream.commit("second")
    copy = clone(upstream, tmp_path / "copy")
    assert judge(first, copy).status is Status.PASSED
    assert judge(upstream.head(), copy, contains=(first,)).status is Status.PASSED


def test_online_needs_trusted_configuration(upstream: Repo, judge: Callable[..., Outcome]) -> None:
    outcome = judge(upstream.head("main"), online=True)
    assert outcome.status is Status.NOT_RUN
    assert "trusted configuration only" in outcome.reason
