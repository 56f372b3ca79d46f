"""Environments as uv and pip lay them out: `.dist-info` folders with RECORD and direct_url.json."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path


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
