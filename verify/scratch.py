"""A scratch copy of a project for uv to work on, and what uv may see beside it."""

from __future__ import annotations

import os
import posixpath
import shutil
import sys
from pathlib import Path

import rtoml
from packaging.specifiers import SpecifierSet

from .document import Document
from .execute import clean_environment
from .project import PYPROJECT, Project

NO_BACKEND = "pinproof-permits-no-build"
"""The requirement that stands in place of a build backend."""
_NEEDS_BUILD = ("dependencies", "optional-dependencies", "requires-python")


def uv_binary() -> str | None:
    """Return the uv that is installed beside pinproof; None where there is none."""
    try:
        from uv import find_uv_bin

        return str(find_uv_bin())
    except (ImportError, FileNotFoundError):
        return None


def needs_build(project: Project) -> str:
    """Return the folder of a project whose dependencies only its build backend knows, or an empty string."""
    for member in project.members.values():
        if member.document is None:
            continue
        dynamic = member.document.get("project", "dynamic")
        unknown = [name for name in (dynamic if isinstance(dynamic, list) else ()) if name in _NEEDS_BUILD]
        if unknown:
            return f"`{posixpath.join(member.folder, PYPROJECT)}` (dynamic {', '.join(map(str, unknown))})"
    return ""


def python_fits(project: Project) -> bool:
    """Whether our own interpreter is one that the project accepts; else uv looks for another on the machine."""
    wanted = project.pyproject.get("project", "requires-python") or project.lock_document.data.get("requires-python")
    try:
        return sys.version.split()[0] in SpecifierSet(str(wanted or ""))
    except ValueError:
        return True


def copy_static(project: Project, scratch: Path) -> Path:
    """Write the files that uv reads into `scratch`, in the project's layout, and return the project's folder there."""
    depth = max((folder.count("../") + folder.endswith("..") for folder in project.members), default=0)
    root = scratch.joinpath("project", *["x"] * depth)
    documents = [project.pyproject, project.lock_document, *([project.uv_toml] if project.uv_toml else [])]
    documents += [m.document for f, m in project.members.items() if f != "." and m.document is not None]
    for document in documents:
        path = Path(os.path.normpath(root / document.path))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_without_backend(document) if path.name == PYPROJECT else document.raw)
    return root


def _without_backend(document: Document) -> bytes:
    """Return the same data with a build backend that does not exist: uv builds its own members even under --no-build.

    What a project is built with is not part of its lock, so the verdict stays the same.
    """
    if "build-system" not in document.data and "project" in document.data:
        return document.raw
    backend = {"requires": [NO_BACKEND], "build-backend": "none"}
    return rtoml.dumps({**document.data, "build-system": backend}).encode()


def copy_all(root: Path, scratch: Path) -> Path:
    """Copy the whole project, without environments and version control data. Links stay links."""
    left_out = shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__", ".python-version")
    return Path(shutil.copytree(root, scratch / "project", symlinks=True, ignore=left_out))


def uv_environment(root: Path, scratch: Path) -> dict[str, str]:
    """Return an environment in which no configuration of user or system reaches uv, but its Pythons are found."""
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    empty = scratch / "configuration"
    empty.mkdir()
    return clean_environment(
        root,
        XDG_CONFIG_HOME=str(empty),
        XDG_CONFIG_DIRS=str(empty),
        XDG_DATA_HOME=data,
        UV_PYTHON_DOWNLOADS="never",
        UV_PYTHON_PREFERENCE="system",
    )
