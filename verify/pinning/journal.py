"""Writing several files as one: all of them, or none, also when the process is killed in the middle.

The old files and the new ones are written into one folder first, which takes its name in one step. Then each new file
replaces its old one, and the folder goes. Whoever finds the folder at the next start puts the old files back: the
change was not finished.

A checkout can bring such a folder along. So what to put back, with its digests, is written outside of it, into the
user's own state folder; a folder that this does not vouch for is refused, and nothing of it is used.

What somebody else wrote in the meantime is never replaced, neither by the new files nor by the old ones.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ..files import InputError
from ..user_folders import user_folder

FOLDER = ".pinproof-pin"


@contextmanager
def alone(root: Path) -> Iterator[None]:
    """Be the only one that changes the project in `root`, until left or killed.

    Raises:
        InputError: another process is.
    """
    path = _state(root, "lock")
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            fcntl.flock(stack.enter_context(path.open("wb")), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            hint = "wait until it ends, start again"
            raise InputError(str(root), "another pinproof pin is at work", hint=hint) from None
        except OSError as error:
            raise InputError(str(path), f"cannot be written: {error.strerror or error}") from None
        yield


def write_all(root: Path, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> None:
    """Replace the files, given by path from `root`, all or none.

    Args:
        root: the project's folder.
        old: what each file held when the new ones were made of it.
        new: what it is to hold.

    Raises:
        InputError: one cannot be written, or is not the old one any more; nothing was changed.
    """
    recover(root)
    try:
        _prepare(root, old, new)
        for number, path in enumerate(sorted(new)):
            (root / FOLDER / f"{number}.new").replace(_target(root, path))
    except BaseException as error:
        recover(root)
        if isinstance(error, OSError):
            raise InputError(str(root), f"cannot be written: {error.strerror or error}; nothing was changed") from None
        raise
    _finish(root)


def pending(root: Path) -> bool:
    """Tell whether a change was not finished, or the checkout brings what looks like one."""
    return os.path.lexists(root / FOLDER)


def recover(root: Path) -> bool:
    """Put back the files of a change that was not finished; return whether there was one.

    Raises:
        InputError: the folder of the change is damaged, or was not left by pinproof. Nothing was changed.
    """
    for stray in root.glob(f"{FOLDER}.*"):
        shutil.rmtree(stray, ignore_errors=True)
    if not pending(root):
        return False
    folder, record = root / FOLDER, _state(root, "json")
    if not os.path.lexists(record):
        raise InputError(str(folder), "was not left by pinproof here", hint="look where it comes from, remove it")
    try:
        vouched = json.loads(record.read_text(encoding="utf-8"))
        kept = [folder / f"{number}.old" for number in range(len(vouched))]
        targets = [_target(root, path) for path in sorted(vouched)]
        for old, target, path in zip(kept, targets, sorted(vouched), strict=True):
            before, after = vouched[path]
            if os.path.lexists(old) and _digest(old) != before:
                raise ValueError(f"{old.name} is not the file that was kept")
            if _digest(target) not in (before, after):
                said = f"{path} was changed since; before the change it was as {old.name} is"
                raise InputError(str(folder), said, hint="put right what has to be, and remove the folder")
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            str(folder), f"is damaged: {error}", hint="restore the files from git, and remove it"
        ) from None
    try:
        for old, target in zip(kept, targets, strict=True):
            if os.path.lexists(old):
                shutil.copymode(target, old)
                old.replace(target)
    except OSError as error:
        raise InputError(
            str(folder), f"cannot be put back: {error}", hint="make the files writable, start again"
        ) from None
    _finish(root)
    return True


def _prepare(root: Path, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> None:
    scratch = Path(tempfile.mkdtemp(prefix=f"{FOLDER}.", dir=root))
    vouched = {}
    for number, path in enumerate(sorted(new)):
        target = _target(root, path)
        if target.read_bytes() != old[path]:
            raise InputError(
                path, "was changed while its new version was made; nothing was changed", hint="start again"
            )
        vouched[path] = [hashlib.sha256(data).hexdigest() for data in (old[path], new[path])]
        _write(scratch / f"{number}.old", old[path])
        _write(scratch / f"{number}.new", new[path])
        shutil.copymode(target, scratch / f"{number}.new")
    state = _state(root, "json")
    state.parent.mkdir(parents=True, exist_ok=True)
    _write(state, json.dumps(vouched).encode())
    scratch.rename(root / FOLDER)


def _state(root: Path, kind: str) -> Path:
    """Return a file of the checkout's own outside of it.

    Args:
        root: the project's folder.
        kind: `json` says what an unfinished change has to put back; `lock` is locked by who is changing the project.
    """
    return user_folder("state", "pinproof") / f"{hashlib.sha256(os.fsencode(root.resolve())).hexdigest()}.{kind}"


def _digest(path: Path) -> str:
    """Return the SHA-256 of a regular file. Raises `ValueError` for anything else."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError(f"{path.name} is no regular file")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _finish(root: Path) -> None:
    """Take the folder away: it loses its name in one step."""
    done = Path(tempfile.mkdtemp(prefix=f"{FOLDER}.", dir=root))
    (root / FOLDER).rename(done / "done")
    _state(root, "json").unlink(missing_ok=True)
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
    if any(part.lower() == ".git" for part in target.relative_to(boundary).parts):
        raise InputError(path, "belongs to git", hint="only files of the project are written")
    return target
