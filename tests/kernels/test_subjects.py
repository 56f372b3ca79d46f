from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.kernels.subjects import SubjectError, dir_hash, subject_paths, subjects

FILES = {
    "pyproject.toml": "[project]\nname = 'p'\n",
    "uv.lock": "version = 1\n",
    "policy/__init__.py": "x = 1\n",
    "policy/B.py": "",
    "policy/a/b.py": "b\n",
    "policy/a.py": "a\n",
    "tests/gpu/test_one.py": "def test(): ...\n",
}


def test_files_and_folders(write_project: Callable[..., Path]) -> None:
    root = write_project(FILES)
    found = subjects(root)
    assert list(found) == ["pyproject.toml", "uv.lock", "policy", "tests/gpu"]
    assert found["uv.lock"] == {"sha256": hashlib.sha256(b"version = 1\n").hexdigest()}
    one = hashlib.sha256(FILES["tests/gpu/test_one.py"].encode()).hexdigest()
    assert found["tests/gpu"] == {"dirHash": hashlib.sha256(f"{one}  test_one.py\n".encode()).hexdigest()}


def test_a_folder_is_hashed_as_the_in_toto_command_does(write_project: Callable[..., Path]) -> None:
    root = write_project(FILES)
    command = "find . -type f | cut -c3- | LC_ALL=C sort | xargs -r sha256sum | sha256sum | cut -f1 -d' '"
    said = subprocess.run(["bash", "-c", command], cwd=root / "policy", capture_output=True, text=True, check=True)
    assert subjects(root)["policy"] == {"dirHash": said.stdout.strip()}


def test_an_empty_folder_has_the_hash_of_nothing() -> None:
    assert dir_hash({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize("left", ["__pycache__/x.pyc", ".pytest_cache/v", "a/__pycache__/y.pyc", ".mypy_cache/c.json"])
def test_what_running_leaves_behind_is_left_out(write_project: Callable[..., Path], left: str) -> None:
    root = write_project(FILES)
    before = subjects(root)
    (root / "policy" / left).parent.mkdir(parents=True)
    (root / "policy" / left).write_text("left")
    assert subjects(root) == before


@pytest.mark.parametrize("added", ["policy/evil.pyc", "policy/.hidden", "policy/a/new.py"])
def test_every_other_file_counts(write_project: Callable[..., Path], added: str) -> None:
    root = write_project(FILES)
    before = subjects(root)
    (root / added).write_text("new")
    after = subjects(root)
    assert after["policy"] != before["policy"]
    assert {**after, "policy": None} == {**before, "policy": None}


def test_a_moved_line_between_two_files_changes_the_hash() -> None:
    assert dir_hash({"a": "1" * 64, "b": "2" * 64}) != dir_hash({"a": "2" * 64, "b": "1" * 64})


@pytest.mark.parametrize("name", ["policy/link.py", "policy/a", "policy", "uv.lock", "pyproject.toml", "tests"])
def test_a_symbolic_link_is_refused(write_project: Callable[..., Path], tmp_path: Path, name: str) -> None:
    root = write_project(FILES)
    place = root / name
    if place.exists():
        place.rename(tmp_path / "elsewhere")
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.symlink_to("a.py")
    with pytest.raises(SubjectError, match="is a symbolic link"):
        subjects(root)


def test_a_fifo_is_refused(write_project: Callable[..., Path]) -> None:
    root = write_project(FILES)
    os.mkfifo(root / "policy" / "pipe")
    with pytest.raises(SubjectError, match="'policy/pipe' is not a regular file"):
        subjects(root)


@pytest.mark.parametrize("name", ["a\nb", "a\\b"])
def test_a_name_that_sha256sum_would_escape_is_refused(name: str) -> None:
    with pytest.raises(SubjectError, match="newline or a backslash"):
        dir_hash({name: "0" * 64})


def test_no_project(tmp_path: Path) -> None:
    with pytest.raises(SubjectError, match=r"has no pyproject\.toml, expected the root of a project"):
        subjects(tmp_path)


def test_configured_tests_are_subjects() -> None:
    text = b"[tool.pinproof.tests]\npolicy = ['tests/policy/', 'policy/check.py']\ngpu = ['tests/gpu', 'tests/cuda.py']"
    five = ("pyproject.toml", "uv.lock", "policy", "kernels", "tests/gpu")
    assert subject_paths(text) == (*five, "tests/policy", "tests/cuda.py")


@pytest.mark.parametrize(
    "text", [b"", b"\xff", b"[tool]\npinproof = 1", b"tool = []", b"[tool.pinproof.tests]\ngpu=[1]"]
)
def test_a_configuration_that_cannot_be_read_names_nothing_more(text: bytes) -> None:
    assert subject_paths(text) == ("pyproject.toml", "uv.lock", "policy", "kernels", "tests/gpu")


@pytest.mark.parametrize("path", ["../other", "/etc", ".", "a/../.."])
def test_a_configured_path_outside_the_project_is_refused(path: str) -> None:
    with pytest.raises(SubjectError, match="expected a path inside the project"):
        subject_paths(f"[tool.pinproof.tests]\ngpu = ['{path}']".encode())


def test_a_folder_without_files_is_no_subject(write_project: Callable[..., Path]) -> None:
    root = write_project({**FILES, "kernels/__pycache__/x.pyc": ""})
    assert list(subjects(root)) == ["pyproject.toml", "uv.lock", "policy", "tests/gpu"]
