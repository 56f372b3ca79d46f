"""Locking a changed project anew, in a scratch copy: that one package, by real uv."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..context import Context
from ..execute import execute
from ..files import InputError
from ..project import LOCK, DirectoryTree, Project
from ..scratch import copy_static, needs_build, python_fits, uv_binary, uv_environment
from ..user_folders import uv_cache


def relocked(context: Context, changed: Mapping[str, bytes], name: str, *, online: bool) -> bytes:
    """Return uv.lock as uv writes it for the changed files. Only the package `name` may move.

    It runs uv on a copy of pyproject.toml, uv.lock, uv.toml and the members' pyproject.toml, with our own interpreter
    and a cleaned environment, and builds nothing. Without `online` it runs offline.

    Raises:
        InputError: there is no uv, a build would be needed, or uv failed; with its own last lines.
    """
    project = context.project
    if build := needs_build(project):
        raise InputError(LOCK, f"uv would have to build {build}", hint="run `uv lock` yourself, then `pinproof check`")
    binary = uv_binary()
    if binary is None:
        raise InputError(LOCK, "the program uv is not installed beside pinproof")
    with tempfile.TemporaryDirectory(prefix="pinproof-") as scratch:
        copy = copy_static(_changed(project, changed), Path(scratch))
        command = [binary, "lock", "--upgrade-package", name, "--no-build", "--cache-dir", str(uv_cache())]
        command += ["--no-progress", "--color", "never"]
        command += [] if online else ["--offline"]
        command += ["--python", sys.executable] if python_fits(project) else []
        environment = uv_environment(project.root, Path(scratch))
        done = execute(command, cwd=copy, environment=environment, timeout=context.options.timeout)
        if done.code != 0 or done.timed_out:
            said = "it did not answer in time" if done.timed_out else done.last_lines()
            hint = None if online else "without --online it works from uv's cache and static dependency-metadata alone"
            raise InputError(LOCK, f"uv could not lock the change: {said}", hint=hint)
        return (copy / LOCK).read_bytes()


def _changed(project: Project, files: Mapping[str, bytes]) -> Project:
    return Project(Overlay(project.root, files), name=project.name)


class Overlay(DirectoryTree):
    """The project's directory with some of its files replaced, and nothing written."""

    def __init__(self, root: Path, files: Mapping[str, bytes]) -> None:
        super().__init__(root)
        self._files = {os.path.normpath(path): data for path, data in files.items()}

    def read(self, relative: str) -> bytes:
        found = self._files.get(os.path.normpath(relative))
        return super().read(relative) if found is None else found
