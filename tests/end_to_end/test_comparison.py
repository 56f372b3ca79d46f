"""The first table of docs/comparison.md: what the real uv and pinproof say to one edit at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from uv import find_uv_bin

A, B = "a" * 40, "b" * 40
PROJECT = f"""\
[project]
name = "p"
version = "1"
requires-python = ">=3.11"
dependencies = ["r"]
[tool.uv.sources]
r = {{ git = "https://example.org/o/r", rev = "{A}" }}
[[tool.uv.dependency-metadata]]
name = "r"
version = "1"
"""
SOURCE = f'source = {{ git = "https://example.org/o/r?rev={A}#{A}" }}'


def uv(root: Path, *arguments: str) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UV_")}
    environment |= {
        "UV_CACHE_DIR": str(root.parent / "cache"),
        "UV_PYTHON": sys.executable,
        "XDG_CONFIG_HOME": str(root.parent),
    }
    command = [find_uv_bin(), *arguments, "--offline", "--quiet", "--project", str(root)]
    return subprocess.run(command, env=environment, capture_output=True, timeout=120, check=False).returncode


def pinproof(root: Path) -> int:
    command = [sys.executable, "-m", "pinproof.verify", "check", "--static", str(root)]
    return subprocess.run(command, capture_output=True, timeout=120, check=False).returncode


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project that uv itself locked."""
    root = tmp_path / "p"
    root.mkdir()
    (root / "pyproject.toml").write_text(PROJECT)
    assert uv(root, "lock") == 0
    assert SOURCE in (root / "uv.lock").read_text()
    return root


@pytest.mark.parametrize(
    ("name", "before", "after", "codes"),
    [
        ("uv.lock", SOURCE, SOURCE, (0, 0)),
        ("uv.lock", SOURCE, SOURCE.replace(A, B), (0, 1)),
        ("uv.lock", SOURCE, SOURCE.replace("example.org", "evil.example"), (0, 1)),
        ("pyproject.toml", f'rev = "{A}"', f'rev = "{B}"', (1, 1)),
    ],
    ids=["unchanged", "commit", "host", "manifest"],
)
def test_one_edit_at_a_time(root: Path, name: str, before: str, after: str, codes: tuple[int, int]) -> None:
    path = root / name
    path.write_text(path.read_text().replace(before, after))
    assert (uv(root, "lock", "--check"), pinproof(root)) == codes
