"""Where the history of a pinned dependency can be read: uv's own git cache, clones that the user named, the remote."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from .config import Pin
from .context import Context
from .git import Repository
from .git_error import GitError
from .gitrun import run_git
from .source import same_place
from .user_folders import user_folder, uv_cache

_FETCH_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class Store:
    """One repository that may hold a pinned commit.

    Attributes:
        repository: where objects are read.
        words: what it is, for reports.
        tips: the prefixes of references that are the branches of the pin's repository; empty where none are known.
    """

    repository: Repository
    words: str
    tips: tuple[str, ...]

    def branch(self, name: str) -> str | None:
        """Return the commit of the branch `name` of the pin's repository, as last fetched; None where unknown."""
        for prefix in self.tips:
            try:
                return self.repository.commit(f"{prefix}{name}")
            except GitError:
                continue
        return None


def stores(pin: Pin, context: Context) -> Iterator[Store]:
    """Yield the places where the history of `pin` may be, the cheap ones first.

    Raises:
        GitError: git is absent, or a clone that the user named cannot be read.
    """
    for clone in context.options.clones:
        yield _clone(clone, pin)
    yield from _uv_cache(pin)
    if context.options.online and pin.git:
        yield _fetched(pin, context)


def _clone(path: Path, pin: Pin) -> Store:
    root = path.absolute()
    if not root.is_dir():
        raise GitError(f"the clone {path} is not a folder")
    repository = Repository(root, git_dir=None if (root / ".git").exists() else root)
    remotes = dict(_remotes(repository))
    same = [name for name, url in remotes.items() if pin.git and same_place(url) == same_place(pin.git)]
    mirror = not remotes or any("refs/*" in _fetch(repository, name) for name in same)
    tips = tuple(f"refs/remotes/{name}/" for name in same) + (("refs/heads/",) if mirror else ())
    return Store(repository, f"the clone {path}", tips)


def _remotes(repository: Repository) -> Iterator[tuple[str, str]]:
    done = repository.run("config", "--local", "--null", "--get-regexp", r"^remote\..*\.url$")
    for entry in done.stdout.decode("utf-8", "replace").split("\0"):
        key, _, url = entry.partition("\n")
        if url:
            yield key.removeprefix("remote.").removesuffix(".url"), url


def _fetch(repository: Repository, remote: str) -> str:
    return repository.run("config", "--local", "--get-all", f"remote.{remote}.fetch").stdout.decode("utf-8", "replace")


def _uv_cache(pin: Pin) -> Iterator[Store]:
    for database in sorted(uv_cache().glob("git-v*/db/*")):
        git_dir = database / ".git" if (database / ".git").is_dir() else database
        if (git_dir / "objects").is_dir():
            same = pin.git is not None and same_place(pin.git) in {same_place(url) for url in _fetched_from(git_dir)}
            repository = Repository(database, git_dir=git_dir)
            yield Store(repository, "uv's git cache", ("refs/remotes/origin/",) if same else ())


def _fetched_from(git_dir: Path) -> set[str]:
    """The URLs that FETCH_HEAD names: `COMMIT TAB TAB branch 'main' of URL`."""
    try:
        text = (git_dir / "FETCH_HEAD").read_text("utf-8", "replace")
    except OSError:
        return set()
    return {line.rpartition(" of ")[2] or line.rpartition("\t")[2] for line in text.splitlines()}


def _fetched(pin: Pin, context: Context) -> Store:
    """Fetch commits only, without trees and files, into a repository of our own; nothing is checked out."""
    assert pin.git is not None  # noqa: S101 - the caller looked
    url = pin.git.strip().removeprefix("git+")
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname:
        raise GitError(f"--online fetches over https only, not from {parts.scheme or 'a path'}")
    if not context.trusts_config:
        raise GitError("--online contacts hosts of trusted configuration only: add --config FILE or --base")
    if "@" in parts.netloc:
        raise GitError("the repository's URL holds credentials, which are not sent")
    folder = user_folder("cache", "pinproof") / "git" / hashlib.sha256(url.encode()).hexdigest()[:32]
    folder.mkdir(parents=True, exist_ok=True)
    object_format = "sha256" if pin.rev and len(pin.rev) == 64 else "sha1"
    made = run_git(folder, ["init", "-q", "--bare", "--template=", f"--object-format={object_format}", str(folder)])
    if made.code != 0:
        raise made.error
    wanted = [f"+refs/heads/{pin.branch}:refs/remotes/origin/{pin.branch}"] if pin.branch else []
    wanted += [commit for commit in (pin.rev, *pin.contains) if commit]
    command = ["fetch", "-q", "--no-tags", "--no-write-fetch-head", "--filter=tree:0", "--", url, *wanted]
    done = run_git(folder, command, git_dir=folder, online=True, timeout=_FETCH_TIMEOUT)
    if done.code != 0:
        raise GitError(f"{parts.hostname} did not answer: {done.error}")
    return Store(Repository(folder, git_dir=folder), f"{parts.hostname}, fetched now", ("refs/remotes/origin/",))
