"""Fixtures for all tests: real projects of the corpus, and small projects written on the spot."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CORPUS = Path(os.environ.get("PINPROOF_CORPUS", ROOT.parent / "shared" / "corpus"))


def _unpacked(archive: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = CORPUS / archive
    if not source.is_file():
        pytest.skip(f"the corpus archive {archive} is not on this machine (PINPROOF_CORPUS names its folder)")
    folder = tmp_path_factory.mktemp(archive.partition(".")[0])
    with tarfile.open(source) as file:
        file.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of real projects, one folder each with pyproject.toml, uv.lock and ORIGIN.json."""
    return _unpacked("projects.tar.xz", tmp_path_factory)


@pytest.fixture(scope="session")
def edited_locks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of single edits of one small pair of files, one folder an edit."""
    return _unpacked("edited-locks.tar.xz", tmp_path_factory)


@pytest.fixture
def write_project(tmp_path: Path) -> Callable[..., Path]:
    """Write files, given as `{relative path: text}`, into a fresh project folder and return the folder."""

    def write(files: dict[str, str], *, folder: str = "project") -> Path:
        root = tmp_path / folder
        for relative, text in files.items():
            path = root / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        return root

    return write


@pytest.fixture
def tampered(write_project: Callable[..., Path]) -> Path:
    """A project below a git checkout's root whose lock names another commit than pyproject.toml declares.

    The declared commit stands at line 6, column 67 in code points; it would be 68 in UTF-16 units, 71 in bytes.
    """
    declared, locked = "a" * 40, "b" * 40
    url = "https://example.org/f"
    root = write_project(
        {
            ".git/HEAD": "ref: refs/heads/main\n",
            "pkg/pyproject.toml": (
                '[project]\nname = "a"\nversion = "1"\ndependencies = ["f"]\n[tool]\n'
                f'uv = {{ x = "é😀", sources = {{ f = {{ git = "{url}", rev = "{declared}" }} }} }}\n'
            ),
            "pkg/uv.lock": (
                'version = 1\nrevision = 3\nrequires-python = ">=3.11"\n\n'
                '[[package]]\nname = "a"\nversion = "1"\nsource = { virtual = "." }\n'
                'dependencies = [{ name = "f" }]\n\n'
                "[package.metadata]\n"
                f'requires-dist = [{{ name = "f", git = "{url}?rev={declared}" }}]\n\n'
                f'[[package]]\nname = "f"\nversion = "1"\nsource = {{ git = "{url}?rev={locked}#{locked}" }}\n'
            ),
        }
    )
    return root / "pkg"
