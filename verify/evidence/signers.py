"""Which signers count: from what the user trusts, never from the change under review."""

from __future__ import annotations

from pathlib import Path

from ..files import InputError
from ..git import GitError, Repository
from .signature import SIZE_LIMIT

FILE_NAME = "allowed_signers"
COMMITTED = f"evidence/{FILE_NAME}"


def trusted_signers(root: Path, *, file: Path | None, config: Path | None, base: str | None) -> bytes | None:
    """Return the content of the allowed-signers file, in the form of ssh-keygen(1); None where nothing names one.

    The first of these that is given counts: `file` itself; `allowed_signers` beside the trusted configuration
    `config`; `evidence/allowed_signers` as the revision `base` of the project at `root` has it.

    Raises:
        InputError: the file is missing, or lies in the checkout under review.
    """
    if file is not None or config is not None:
        place = file or (config or Path()).with_name(FILE_NAME)
        return _outside(root, place) if file or place.exists() else None
    if base is None:
        return None
    try:
        repository = Repository(root)
        return repository.read(repository.commit(base), COMMITTED)
    except GitError as error:
        raise InputError(str(root), f"revision {base!r}: {error}") from None
    except FileNotFoundError:
        return None


def _outside(root: Path, file: Path) -> bytes:
    try:
        real = file.resolve(strict=True)
        if real.is_relative_to(root.resolve()):
            hint = f"name a file outside the checkout, or use --base: {COMMITTED} of that revision"
            raise InputError(str(file), "lies in the checkout, so the change under review chose the signers", hint=hint)
        with real.open("rb") as opened:
            data = opened.read(SIZE_LIMIT * 16 + 1)
    except OSError as error:
        raise InputError(str(file), f"cannot be read: {error.strerror}") from None
    if len(data) > SIZE_LIMIT * 16:
        raise InputError(str(file), f"has more than {SIZE_LIMIT * 16} bytes, expected a list of allowed signers")
    return data
