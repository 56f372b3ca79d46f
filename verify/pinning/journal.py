"""Writing several files as one: all of them, or none, also when the process is killed in the middle.

The old files and the new ones are written into one folder first, which takes its name in one step. Then each new file
replaces its old one, and the folder goes. Whoever finds the folder at the next start puts the old files back: the
change was not finished.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..files import InputError

FOLDER = ".pinproof-pin"
_LIST = "files.json"


def write_all(root: Path, files: Mapping[str, bytes]) -> None:
    """Replace the files, given by path from `root`, all or none.

    Raises:
        InputError: one cannot be written; all are as they were.
    """
    recover(root)
    try:
        _prepare(root, files)
        for number, path in enumerate(sorted(files)):
            (root / FOLDER / f"{number}.new").replace(_target(root, path))
    except BaseException as error:
        recover(root)
        if isinstance(error, OSError):
            raise InputError(str(root), f"cannot be written: {error.strerror or error}; nothing was changed") from None
        raise
    _finish(root)


def recover(root: Path) -> bool:
    """Put back the files of a change that was not finished; return whether there was one.

    Raises:
        InputError: the folder of the change was damaged.
    """
    for stray in root.glob(f"{FOLDER}.*"):
        shutil.rmtree(stray, ignore_errors=True)
    folder = root / FOLDER
    if not folder.is_dir() or folder.is_symlink():
        return False
    try:
        for number, path in enumerate(json.loads((folder / _LIST).read_text(encoding="utf-8"))):
            target = _target(root, path)
            old = folder / f"{number}.old"
            if old.exists():
                shutil.copymode(target, old)
                old.replace(target)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            str(folder), f"is damaged: {error}", hint="restore the files from git, and remove it"
        ) from None
    _finish(root)
    return True


def _prepare(root: Path, files: Mapping[str, bytes]) -> None:
    scratch = Path(tempfile.mkdtemp(prefix=f"{FOLDER}.", dir=root))
    for number, path in enumerate(sorted(files)):
        target = _target(root, path)
        _write(scratch / f"{number}.old", target.read_bytes())
        _write(scratch / f"{number}.new", files[path])
        shutil.copymode(target, scratch / f"{number}.new")
    _write(scratch / _LIST, json.dumps(sorted(files)).encode())
    scratch.rename(root / FOLDER)


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _finish(root: Path) -> None:
    """Take the folder away: it loses its name in one step."""
    done = Path(tempfile.mkdtemp(prefix=f"{FOLDER}.", dir=root))
    (root / FOLDER).rename(done / "done")
    shutil.rmtree(done, ignore_errors=True)


def _target(root: Path, path: str) -> Path:
    """Return the file itself, behind links. Raises `InputError` where it lies outside of the checkout.

    Members may stand beside the project, as far as the enclosing git checkout reaches.
    """
    resolved = root.resolve()
    boundary = next((folder for folder in (resolved, *resolved.parents) if (folder / ".git").exists()), resolved)
    target = (root / path).resolve()
    if not target.is_relative_to(boundary):
        raise InputError(path, "leads out of the project", hint="only files inside the project are written")
    return target
