"""An index on the loopback interface, and a project that real uv locked against it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pinproof.verify.scratch import uv_binary

from .index import Index, serving


@pytest.fixture
def index() -> Iterator[Index]:
    """`one` requires `two`; there are two versions of it."""
    with serving(Index()) as made:
        made.add("two", "2.0")
        made.add("two", "2.1")
        made.add("one", "1.0", ("two>=2", "absent>=1; python_version < '3.0'"))
        yield made


@pytest.fixture
def project(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    uv = uv_binary()
    if uv is None:
        pytest.skip("the program uv is not installed beside pinproof")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text(
        '[project]\nname = "app"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ["one"]\n'
        f'[tool.uv]\npackage = false\n[[tool.uv.index]]\nname = "own"\nurl = "{index.url}"\ndefault = true\n'
    )
    subprocess.run([uv, "lock", "-q", "--no-progress"], cwd=root, check=True, timeout=120)
    index.asked.clear()
    return root
