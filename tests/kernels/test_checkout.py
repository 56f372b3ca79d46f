from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.kernels.checkout import Checkout, checkout

Write = Callable[..., Path]


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *identity, *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def root(write_project: Write) -> Path:
    folder = write_project({"pyproject.toml": "", "policy/a.py": "a\n", ".gitignore": "ignored/\n"})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def test_a_clean_checkout(root: Path) -> None:
    assert checkout(root) == Checkout(git(root, "rev-parse", "HEAD"), dirty=False)


@pytest.mark.parametrize("path", ["policy/a.py", "new.txt", "evidence/notes.txt", "policy/evidence/x.json"])
def test_a_changed_or_untracked_file_makes_it_dirty(root: Path, path: str) -> None:
    (root / path).parent.mkdir(exist_ok=True, parents=True)
    (root / path).write_text("changed")
    assert checkout(root).dirty is True


@pytest.mark.parametrize("path", ["evidence/gpu.json", "evidence/gpu.json.sig", "ignored/x"])
def test_records_and_ignored_files_do_not(root: Path, path: str) -> None:
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text("{}")
    assert checkout(root).dirty is False


def test_staged_changes_count(root: Path) -> None:
    (root / "policy/a.py").write_text("b")
    git(root, "add", ".")
    assert checkout(root).dirty is True


def test_the_whole_repository_counts_for_a_project_in_a_folder_of_it(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub/pyproject.toml").write_text("")
    git(root, "add", ".")
    git(root, "commit", "-qm", "second")
    assert checkout(root / "sub") == Checkout(git(root, "rev-parse", "HEAD"), dirty=False)
    (root / "policy/a.py").write_text("b")
    assert checkout(root / "sub").dirty is True


def test_a_project_in_an_ignored_folder_has_no_commit_of_its_own(root: Path) -> None:
    (root / "ignored").mkdir()
    (root / "ignored/pyproject.toml").write_text("")
    found = checkout(root / "ignored")
    assert (found.commit, found.dirty) == (None, None)
    assert "did not match any file" in found.reason


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = checkout(tmp_path)
    assert (found.commit, found.dirty) == (None, None)
    assert "not a git repository" in found.reason


def test_no_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert checkout(root) == Checkout(None, None, "git is not on this machine")


def test_a_repository_of_the_environment_is_not_taken(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(root))
    assert checkout(tmp_path).commit is None


def test_a_stated_commit(root: Path, tmp_path: Path) -> None:
    found = checkout(tmp_path, stated="ab" * 20)
    assert (found.commit, found.dirty) == ("ab" * 20, None)
    assert found.reason.startswith("the commit was stated by hand; git said: ")
    head = git(root, "rev-parse", "HEAD")
    assert checkout(root, stated=head) == Checkout(head, dirty=False)
    with pytest.raises(ValueError, match="was stated, but the checkout is at"):
        checkout(root, stated="ab" * 20)
    with pytest.raises(ValueError, match="is not 40 or 64 hexadecimal digits"):
        checkout(tmp_path, stated="main")


@pytest.mark.parametrize("name", ["lfs", "a=b", "odd name"])
def test_nothing_that_the_checkout_configures_runs(root: Path, tmp_path: Path, name: str) -> None:
    script = tmp_path / "spy"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    script.chmod(0o755)
    git(root, "config", f"filter.{name}.clean", str(script))
    git(root, "config", f"filter.{name}.process", str(script))
    git(root, "config", "core.fsmonitor", str(script))
    (root / ".git/info/attributes").write_text(f"* filter={name}\n")
    (root / ".git/hooks/post-index-change").symlink_to(script)
    (root / "policy/a.py").write_text("a\n\n")
    assert checkout(root).dirty is True
    assert not (tmp_path / "ran").exists()
