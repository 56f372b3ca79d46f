"""Several files are written as one, also when the process is killed at any step."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from pinproof.verify.files import InputError
from pinproof.verify.pinning.journal import alone, recover, write_all

OLD = {"pyproject.toml": b"old 1\n", "sub/pyproject.toml": b"old 2\r\n", "uv.lock": b"old 3\n"}
NEW = {name: data.replace(b"old", b"new") for name, data in OLD.items()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, OLD)
    (tmp_path / "uv.lock").chmod(0o640)
    return tmp_path


def put(root: Path, content: dict[str, bytes]) -> None:
    for name, data in content.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_all_are_written_with_their_modes(root: Path) -> None:
    write_all(root, OLD, NEW)
    assert files(root) == NEW
    assert (root / "uv.lock").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in root.iterdir()) == ["pyproject.toml", "sub", "uv.lock"]
    assert recover(root) is False


def killed_at(root: Path, step: int) -> bool:
    """Write in a child process that is killed before its step number `step`; return whether it was."""
    child = os.fork()
    if child == 0:
        count = 0

        def kills(real: Any) -> Any:
            def stepped(*arguments: Any, **keywords: Any) -> Any:
                nonlocal count
                count += 1
                if count == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*arguments, **keywords)

            return stepped

        steps = [
            (Path, "replace"),
            (Path, "rename"),
            (Path, "open"),
            (os, "fsync"),
            (tempfile, "mkdtemp"),
            (os, "rmdir"),
        ]
        for owner, name in steps:
            patch.object(owner, name, kills(getattr(owner, name))).start()
        write_all(root, OLD, NEW)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def test_killed_at_every_step_the_next_start_finds_all_old_or_all_new(root: Path) -> None:
    outcomes = []
    for step in range(1, 100):
        put(root, OLD)
        if not killed_at(root, step):
            assert files(root) == NEW
            break
        recover(root)
        found = files(root)
        assert found in (OLD, NEW), f"step {step}"
        assert sorted(path.name for path in root.iterdir()) == ["pyproject.toml", "sub", "uv.lock"]
        outcomes.append(found == NEW)
    assert len(outcomes) > 15
    assert outcomes[0] is False
    assert outcomes[-1] is True
    assert outcomes == sorted(outcomes)


def test_an_error_in_the_middle_leaves_all_as_they_were(root: Path) -> None:
    real = Path.replace
    done = []

    def fails(path: Path, target: Path) -> Path:
        done.append(path)
        if len(done) == 2:
            raise OSError(28, "No space left on device")
        return real(path, target)

    with (
        patch.object(Path, "replace", fails),
        pytest.raises(InputError, match="No space left on device; nothing was changed"),
    ):
        write_all(root, OLD, NEW)
    assert files(root) == OLD


def test_a_file_outside_of_the_project_is_not_written(root: Path) -> None:
    (root / "project").mkdir()
    outside = root / "outside.txt"
    outside.write_bytes(b"outside\n")
    with pytest.raises(InputError, match="leads out of the project"):
        write_all(root / "project", {"../outside.txt": b"outside\n"}, {"../outside.txt": b"changed\n"})
    (root / "project/link.txt").symlink_to(outside)
    with pytest.raises(InputError, match="leads out of the project"):
        write_all(root / "project", {"link.txt": b"outside\n"}, {"link.txt": b"changed\n"})
    assert outside.read_bytes() == b"outside\n"


def half_written(root: Path) -> None:
    """Leave a change as it is when the process is killed after the first file."""
    for step in range(1, 100):
        assert killed_at(root, step)
        if (root / "pyproject.toml").read_bytes() == NEW["pyproject.toml"]:
            return
        recover(root)


@pytest.mark.parametrize("listed", ["[", "[1]", '{"a": 1}', '{"a": ["", ""]}', '{"../../../etc/hostname": ["", ""]}'])
def test_a_damaged_journal_is_said(root: Path, state: Path, listed: str) -> None:
    half_written(root)
    before = files(root)
    (record,) = state.rglob("*.json")
    record.write_text(listed)
    with pytest.raises(InputError, match=r"is damaged|leads out of the project"):
        recover(root)
    assert files(root) == before


@pytest.mark.parametrize("kind", ["changed", "link"])
def test_an_old_file_that_is_not_the_one_kept_is_not_put_back(root: Path, kind: str) -> None:
    half_written(root)
    old = root / ".pinproof-pin/1.old"
    content = old.read_bytes()
    old.unlink()
    if kind == "link":
        (root / "elsewhere").write_bytes(content)
        old.symlink_to(root / "elsewhere")
    else:
        old.write_bytes(b"other\n")
    with pytest.raises(InputError, match="is damaged"):
        recover(root)
    assert (root / "pyproject.toml").read_bytes() == NEW["pyproject.toml"]


def test_a_journal_that_the_checkout_brings_along_is_refused(root: Path) -> None:
    """A clone with one would have its .git/config replaced, and with that run any program."""
    (root / ".git").mkdir()
    (root / ".git/config").write_text("[core]\n")
    (root / ".pinproof-pin").mkdir()
    (root / ".pinproof-pin/files.json").write_text('[".git/config"]')
    (root / ".pinproof-pin/0.old").write_text("[core]\n\tfsmonitor = false\n")
    for act in (recover, lambda root: write_all(root, OLD, NEW)):
        with pytest.raises(InputError, match="was not left by pinproof here"):
            act(root)
    assert (root / ".git/config").read_text() == "[core]\n"
    assert (root / "uv.lock").read_bytes() == OLD["uv.lock"]


def test_files_of_git_are_not_written(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git/config").write_text("[core]\n")
    with pytest.raises(InputError, match="belongs to git"):
        write_all(root, {".git/config": b"[core]\n"}, {".git/config": b"changed\n"})
    assert (root / ".git/config").read_text() == "[core]\n"


def test_what_was_edited_in_between_is_kept(root: Path) -> None:
    (root / "uv.lock").write_bytes(b"edited\n")
    with pytest.raises(InputError, match=r"uv.lock: was changed while .* nothing was changed"):
        write_all(root, OLD, NEW)
    assert files(root) == OLD | {"uv.lock": b"edited\n"}


@pytest.mark.parametrize("name", ["pyproject.toml", "uv.lock"])
def test_what_was_edited_after_an_interrupted_change_is_kept(root: Path, name: str) -> None:
    """One file is the new one by then, the other still the old one."""
    half_written(root)
    (root / name).write_bytes(b"edited\n")
    before = files(root)
    with pytest.raises(InputError, match=f"{name} was changed since"):
        recover(root)
    assert files(root) == before


def test_what_was_removed_after_an_interrupted_change_is_said(root: Path) -> None:
    """It is no sign that somebody else left the folder here."""
    half_written(root)
    (root / "uv.lock").unlink()
    before = files(root)
    with pytest.raises(InputError, match=r"is damaged: .*uv\.lock"):
        recover(root)
    assert files(root) == before


def test_one_change_at_a_time(root: Path) -> None:
    with alone(root):
        with pytest.raises(InputError, match="another pinproof pin is at work"), alone(root):
            pass
        with alone(root / "sub"):
            pass
    with alone(root):
        pass


def test_who_was_killed_holds_nothing(root: Path) -> None:
    child = os.fork()
    if child == 0:
        with alone(root):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    with alone(root):
        pass
