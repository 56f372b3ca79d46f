from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify.git import GitError, Repository


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *identity, *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def root(write_project: Callable[..., Path]) -> Path:
    folder = write_project({"sub/a.txt": "one\n", "sub/b/odd ü name": "two", "sub/-rf": "dash", "other": "x"})
    (folder / "sub/link").symlink_to("a.txt")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder / "sub"


def test_files_and_contents_relative_to_the_project(root: Path) -> None:
    repository = Repository(root)
    head = repository.commit("HEAD")
    assert head == git(root, "rev-parse", "HEAD").strip()
    found = repository.files(head, ["a.txt", "b", "link", "-rf", "missing", "../other", "../../x", "/etc/passwd"])
    assert {name: entry.mode for name, entry in found.items()} == {
        "-rf": "100644",
        "../other": "100644",
        "a.txt": "100644",
        "b/odd ü name": "100644",
        "link": "120000",
    }
    assert list(repository.blobs([found["a.txt"], found["-rf"], found["b/odd ü name"]])) == [b"one\n", b"dash", b"two"]
    assert repository.read(head, "a.txt") == b"one\n"
    for path in ("link", "b", "nothing"):
        with pytest.raises(FileNotFoundError):
            repository.read(head, path)


def test_ancestors(root: Path) -> None:
    repository = Repository(root)
    first = repository.commit("HEAD")
    git(root, "commit", "-q", "--allow-empty", "-m", "second")
    second = repository.commit("main")
    assert repository.is_ancestor(first, second)
    assert repository.is_ancestor(first, first)
    assert not repository.is_ancestor(second, first)
    assert repository.files(first, ["/etc/passwd"]) == {}
    with pytest.raises(GitError):
        repository.is_ancestor("ab" * 20, first)


@pytest.mark.parametrize("revision", ["nothing", "--upload-pack=x", "-h", "", "HEAD:sub", "a b\n"])
def test_what_is_no_commit(root: Path, revision: str) -> None:
    with pytest.raises(GitError):
        Repository(root).commit(revision)


def test_no_repository_and_no_git(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GitError, match="not a git repository"):
        Repository(tmp_path)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(GitError, match="git is not on this machine"):
        Repository(root)


def test_replaced_and_grafted_objects_do_not_count(root: Path) -> None:
    repository = Repository(root)
    first = repository.commit("HEAD")
    git(root, "checkout", "-q", "--orphan", "unrelated")
    git(root, "commit", "-qm", "unrelated")
    unrelated = repository.commit("HEAD")
    entry = repository.files(first, ["a.txt"])["a.txt"]
    git(root, "replace", entry.object, git(root, "rev-parse", "HEAD:other").strip())
    git(root, "replace", "--graft", unrelated, first)
    assert repository.read(first, "a.txt") == b"one\n"
    assert not repository.is_ancestor(first, unrelated)


def test_nothing_that_the_repository_configures_runs(root: Path, tmp_path: Path) -> None:
    script = tmp_path / "spy"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    script.chmod(0o755)
    for name in (
        "core.fsmonitor",
        "filter.x.smudge",
        "filter.x.process",
        "diff.x.textconv",
        "core.pager",
        "core.editor",
    ):
        git(root, "config", name, str(script))
    git(root, "config", "alias.cat-file", f"!{script}")
    (root.parent / ".git/info/attributes").write_text("* filter=x diff=x\n")
    repository = Repository(root)
    assert repository.read(repository.commit("HEAD"), "a.txt") == b"one\n"
    assert not (tmp_path / "ran").exists()
