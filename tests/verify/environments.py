"""Environments as uv and pip lay them out: `.dist-info` folders with RECORD and direct_url.json."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from uv import find_uv_bin

from .repositories import Repo, make

_BACKEND = """\
import zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "dep-1-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as file:
        file.write("dep.py")
        file.writestr("dep-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: dep\\nVersion: 1\\n")
        wheel = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        file.writestr("dep-1.dist-info/WHEEL", wheel)
        file.writestr("dep-1.dist-info/RECORD", "dep.py,,\\n")
    return name
"""
_PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "dep"
version = "1"
"""


def empty(root: Path) -> Path:
    """Make an environment of Python 3.11 and return its interpreter, which fails when it is started."""
    (root / "lib/python3.11/site-packages").mkdir(parents=True)
    (root / "pyvenv.cfg").write_text("home = /usr/bin\nversion_info = 3.11.7\n")
    (root / "bin").mkdir()
    (root / "bin/python").write_text("#!/bin/sh\nexit 1\n")
    return root / "bin/python"


def install(
    root: Path, name: str, version: str = "1", files: Mapping[str, str] | None = None, *, origin: object = None
) -> None:
    """Write the files of one distribution over what is there, and its RECORD."""
    site = root / "lib/python3.11/site-packages"
    rows = []
    for path, text in (files or {}).items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        rows.append(f"{path},sha256={digest},{len(text)}\n")
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    rows += [f"{info.name}/RECORD,,\n", f"../../../bin/{name},,\n"]
    (info / "RECORD").write_text("".join(rows))
    if origin is not None:
        (info / "direct_url.json").write_text(json.dumps(origin))


def from_git(commit: str, url: str = "https://git.example/o/dep") -> dict[str, object]:
    """Return the direct_url.json of a build from a commit (PEP 610)."""
    return {"url": url, "vcs_info": {"vcs": "git", "commit_id": commit}}


def editable(url: str) -> dict[str, object]:
    return {"url": url, "dir_info": {"editable": True}}


def install_with_uv(folder: Path, source: str) -> tuple[Repo, Path, Path]:
    """Let the real uv build and install the module dep of `source` from a commit, offline.

    Returns the repository, the environment, and uv's cache.
    """
    upstream = make(folder / "upstream", {"pyproject.toml": _PROJECT, "backend.py": _BACKEND, "dep.py": source})
    env, cache = folder / "real", folder / "uv-cache"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UV_")}
    environment |= {"UV_CACHE_DIR": str(cache), "UV_OFFLINE": "1"}
    requirement = f"dep @ git+file://{upstream.root}@{upstream.head()}"
    for command in (
        ["venv", "-q", "--python", sys.executable, str(env)],
        ["pip", "install", "-q", "--python", str(env), requirement],
    ):
        subprocess.run([find_uv_bin(), *command], env=environment, check=True, timeout=120)
    return upstream, env, cache
