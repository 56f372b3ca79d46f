"""Which commit a branch, a tag, a short commit or `latest` means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from ..config import Pin
from ..context import Context
from ..files import InputError
from ..git_error import GitError
from ..gitrun import run_git
from ..source import FULL_COMMIT, SHORT_COMMIT
from ..stores import Store, stores

LATEST = "latest"
_LISTED = re.compile(r"([0-9a-f]{40,64})\t(\S+)")


def resolve(wanted: str, pin: Pin, context: Context) -> tuple[str, str]:
    """Return the full commit that `wanted` means for `pin`, and who said so, in words.

    A full commit is taken as it is. Everything else is looked up in clones that the user named and in uv's git cache,
    and with `--online` at the remote.

    Raises:
        InputError: nobody here knows, with what to do.
    """
    if FULL_COMMIT.fullmatch(wanted):
        return wanted.lower(), "a full commit"
    if not wanted or wanted.startswith("-"):
        raise InputError("--rev", f"`{wanted}` is no commit, branch or tag")
    try:
        if context.options.online:
            return _remote(wanted, pin, context), "the remote, asked now"
        for store in stores(pin, context):
            for found in _known(wanted, pin, store):
                return found, store.words
    except GitError as error:
        raise InputError("--rev", f"`{wanted}` cannot be looked up: {error}") from None
    raise InputError(
        "--rev",
        f"`{wanted}` is in no clone here and not in uv's git cache",
        hint="give the full commit, name a clone with --clone, or ask the remote with --online",
    )


def _known(wanted: str, pin: Pin, store: Store) -> Iterator[str]:
    names = [pin.branch, "HEAD", "main", "master"] if wanted == LATEST else [wanted]
    for name in names:
        found = store.branch(name) if name else None
        if found:
            yield found
    if wanted == LATEST:
        return
    kinds = [f"refs/tags/{wanted}"] if store.tips else []
    kinds += [wanted] if SHORT_COMMIT.fullmatch(wanted) else []
    for name in kinds:
        try:
            yield store.repository.commit(name)
        except GitError:
            continue


def _remote(wanted: str, pin: Pin, context: Context) -> str:
    """Ask the remote. Raises `GitError` or `InputError`."""
    url = (pin.git or "").strip().removeprefix("git+")
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc:
        raise GitError(f"--online asks over https and without credentials, not {parts.scheme or 'a path'}")
    if not context.trusts_config:
        raise GitError("--online contacts hosts of trusted configuration only: add --config FILE")
    names = [pin.branch or "HEAD"] if wanted == LATEST else [wanted]
    patterns = [pattern for name in names for pattern in (name, f"refs/heads/{name}", f"refs/tags/{name}^{{}}")]
    with TemporaryDirectory() as folder:  # the project's own .git/config could lead elsewhere (insteadOf, a proxy)
        done = run_git(Path(folder), ["ls-remote", "--", url, *patterns], online=True)
    if done.code != 0:
        raise GitError(f"{parts.hostname} did not answer: {done.error}")
    found = {ref: commit for commit, ref in _LISTED.findall(done.stdout.decode("utf-8", "replace"))}
    for name in names:
        for ref in (
            "HEAD" if name == "HEAD" else "",
            f"refs/heads/{name}",
            f"refs/tags/{name}^{{}}",
            f"refs/tags/{name}",
        ):
            if ref in found:
                return str(found[ref])
    raise InputError("--rev", f"{parts.hostname} has no branch or tag `{wanted}`", hint="give the full commit")
