"""Reading what may be hostile, and writing whole files or none."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from .escape import clean, excerpt

SIZE_LIMIT = 512 * 1024 * 1024
"""Bytes. The largest published lock in the corpus has 2.9 MB; a larger file than this is not read."""


class InputError(Exception):
    """Input that cannot be used: the command line answers with exit code 2.

    The message names the file, and the line where there is one; `hint` says what to do.
    """

    def __init__(self, path: str, message: str, *, hint: str | None = None, line: int | None = None) -> None:
        self.path = clean(path)
        self.line = line
        self.hint = hint
        place = self.path if line is None else f"{self.path}:{line}"
        super().__init__(f"{place}: {clean(message)}")


def read_regular(root: Path, relative: str, *, limit: int = SIZE_LIMIT) -> bytes:
    """Return the bytes of the regular file `relative` below `root`.

    Raises:
        FileNotFoundError: there is no such file.
        InputError: it is not a regular file, leaves the root through a symlink, is too large or cannot be read.
    """
    path = root / relative
    try:
        real = path.resolve(strict=True)
    except FileNotFoundError:
        if path.is_symlink():
            raise InputError(relative, "is a symbolic link to a file that does not exist") from None
        raise
    except (NotADirectoryError, ValueError):  # below a file, or with a null byte: no file can be there
        raise FileNotFoundError(relative) from None
    except (OSError, RuntimeError) as error:
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            raise FileNotFoundError(relative) from None
        raise InputError(relative, f"cannot be read: {_reason(error)}") from None
    if not real.is_relative_to(root.resolve()):
        raise InputError(
            relative, "leads out of the project", hint="only files inside the project are read; replace it by a copy"
        )
    try:
        # O_NONBLOCK: opening a FIFO must not wait for a writer; O_NOFOLLOW: the last component was just resolved.
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise InputError(relative, f"cannot be read: {_reason(error)}") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise InputError(relative, f"is {_kind(found.st_mode)}, expected a regular file")
    with os.fdopen(descriptor, "rb") as file:
        if found.st_size > limit:
            raise InputError(relative, f"has {found.st_size} bytes, more than the limit of {limit}")
        try:
            data = file.read(limit + 1)
        except OSError as error:
            raise InputError(relative, f"cannot be read: {_reason(error)}") from None
    if len(data) > limit:
        raise InputError(relative, f"has more bytes than the limit of {limit}")
    return data


def write_whole(path: Path, data: bytes) -> None:
    """Replace `path` by `data`: another process sees the old file or the new one, never a part.

    Raises:
        InputError: the file cannot be written; the old one is then still there.
    """
    import tempfile  # reading does not need it

    temporary = ""
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
            os.fchmod(descriptor, _mode_for(path))
        Path(temporary).replace(path)
    except BaseException as error:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(str(path), f"cannot be written: {_reason(error)}") from None
        raise


def _mode_for(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a directory"), (stat.S_ISFIFO, "a FIFO"), (stat.S_ISSOCK, "a socket"))
    return next((words for test, words in kinds if test(mode)), "a device")


def _reason(error: Exception) -> str:
    return excerpt(error.strerror) if isinstance(error, OSError) and error.strerror else excerpt(str(error))
