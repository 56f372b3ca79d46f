"""A hostile `.git/config`: whatever program it names never runs, and nothing is fetched."""

from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify.git import Repository
from pinproof.verify.git_error import GitError
from pinproof.verify.gitrun import run_git

from .repositories import Repo, make


@pytest.fixture
def spy(tmp_path: Path) -> Path:
    script = tmp_path / "spy"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/ran\nexit 1\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def ran(spy: Path) -> bool:
    return (spy.parent / "ran").exists()


def test_the_spy_does_run_when_git_is_started_plainly(tmp_path: Path, spy: Path) -> None:
    repo = make(tmp_path / "r", {"a": "1\n"})
    repo.git("config", "core.fsmonitor", str(spy))
    subprocess.run(["git", "status"], cwd=repo.root, capture_output=True, check=False)
    assert ran(spy)


@pytest.mark.parametrize("protocol", ["ext", "file"])
def test_a_doctored_partial_clone_fetches_nothing(tmp_path: Path, spy: Path, protocol: str) -> None:
    repo = make(tmp_path / "r", {"a": "1\n"})
    blob = repo.git("rev-parse", "HEAD:a").strip()
    repo.git("config", "core.repositoryformatversion", "1")
    repo.git("config", "extensions.partialClone", "evil")
    repo.git("config", "remote.evil.promisor", "true")
    repo.git("config", f"protocol.{protocol}.allow", "always")
    repo.git("config", "remote.evil.url", f"ext::{spy} %S" if protocol == "ext" else str(tmp_path / "other"))
    repo.git("config", "remote.evil.uploadpack", str(spy))
    make(tmp_path / "other", {"b": "2\n"})
    (repo.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    repository = Repository(repo.root)
    with pytest.raises(GitError):
        repository.read(repository.commit("HEAD"), "a")
    assert not ran(spy)
    subprocess.run(
        ["git", "cat-file", "blob", blob], cwd=repo.root, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert ran(spy)


def test_no_program_of_the_configuration_runs(tmp_path: Path, spy: Path) -> None:
    repo = make(tmp_path / "r", {"a": "1\n"})
    for key in (
        "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "diff.external",
        "diff.x.textconv", "diff.x.command", "filter.x.clean", "filter.x.smudge", "filter.x.process",
        "gpg.program", "credential.helper", "core.alternateRefsCommand", "sequence.editor", "pager.rev-list",
    ):  # fmt: skip
        repo.git("config", key, str(spy))
    for alias in ("ls-tree", "cat-file", "rev-parse", "merge-base", "ls-files", "rev-list"):
        repo.git("config", f"alias.{alias}", f"!{spy}")
    hooks = repo.root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
        (hooks / hook).symlink_to(spy)
    (repo.root / ".git/info/attributes").write_text("* filter=x diff=x\n")
    (repo.root / "a").write_text("changed\n")
    repository = Repository(repo.root)
    head = repository.commit("HEAD")
    assert repository.read(head, "a") == b"1\n"
    assert repository.tracked() == ["a"]
    assert repository.merge_base(head, head) == head
    assert repository.is_ancestor(head, head)
    assert not ran(spy)


def test_variables_of_the_caller_do_not_steer_git(tmp_path: Path, spy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo, other = make(tmp_path / "r", {"a": "1\n"}), make(tmp_path / "other", {"b": "2\n"})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(spy))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(spy))
    assert Repository(repo.root).tracked() == ["a"]
    assert not ran(spy)


def test_git_inside_the_project_is_not_started(tmp_path: Path, spy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make(tmp_path / "r", {"a": "1\n"})
    (repo.root / "git").write_text(spy.read_text())
    (repo.root / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{repo.root}:.:{sys.exec_prefix}/bin:/usr/local/bin:/usr/bin:/bin")
    assert Repository(repo.root).tracked() == ["a"]
    assert not ran(spy)


def test_limits(tmp_path: Path) -> None:
    repo = make(tmp_path / "r", {"a": "1\n" * 1000})
    with pytest.raises(GitError, match="wrote more than 100 bytes"):
        run_git(repo.root, ["cat-file", "blob", "HEAD:a"], limit=100)
    # A FIFO where the configuration includes a file: git waits for a writer.
    subprocess.run(["mkfifo", str(tmp_path / "fifo")], check=True)
    repo.git("config", "include.path", str(tmp_path / "fifo"))
    with pytest.raises(GitError, match=r"rev-parse did not end within 0\.2 s"):
        run_git(repo.root, ["rev-parse", "HEAD"], timeout=0.2)


def test_an_embedded_bare_repository_is_not_taken_for_the_projects(tmp_path: Path) -> None:
    repo = make(tmp_path / "r", {"a": "1\n"})
    inner = repo.root / "inner"
    repo.git("init", "-q", "--bare", str(inner))
    with pytest.raises(GitError, match="bare repository"):
        Repository(inner)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_repositories_of_both_digests(tmp_path: Path, object_format: str) -> None:
    repo = make(tmp_path / "r", {"a": "1\n"}, object_format=object_format)
    repository = Repository(repo.root)
    assert len(repository.commit("HEAD")) == {"sha1": 40, "sha256": 64}[object_format]
    assert repository.read(repository.commit("main"), "a") == b"1\n"


def test_worktree_submodule_and_detached_head(tmp_path: Path) -> None:
    repo = make(tmp_path / "r", {"a": "1\n"})
    repo.git("worktree", "add", "-q", str(tmp_path / "w"), "-b", "side")
    assert Repository(tmp_path / "w").commit("HEAD") == repo.head()
    outer = make(tmp_path / "outer", {"b": "2\n"})
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo.root), "dep")
    outer.commit("add a submodule")
    assert Repository(outer.root / "dep").commit("HEAD") == repo.head()
    assert Repository(outer.root).tracked() == [".gitmodules", "b"]
    outer.git("checkout", "-q", "--detach")
    assert Repository(outer.root).commit("HEAD") == outer.head()


@pytest.mark.parametrize("revision", ["--help", "-h", "@{upstream}", "main\0", "\ud800", "main..main", ":/x"])
def test_revisions_are_never_options(repo: Repo, revision: str) -> None:
    with pytest.raises(GitError):
        Repository(repo.root).commit(revision)


@pytest.fixture
def repo(tmp_path: Path, write_project: Callable[..., Path]) -> Repo:
    return make(tmp_path / "repo", {"a": "1\n"})
