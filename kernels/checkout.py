"""The commit that was tested, and whether the files differed from it. Standard library only."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SAFE: Final = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "protocol.allow=never",
    "status.showUntrackedFiles=normal",
)
_OWN_RECORDS: Final = (":(exclude,glob)evidence/*.json", ":(exclude,glob)evidence/*.json.sig")
"""Records that were written a moment ago say nothing about what is tested next."""

_STATUS: Final = ("status", "--porcelain", "-z", "--ignore-submodules=dirty", "--")

FULL_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Checkout:
    """What was checked out.

    Attributes:
        commit: the full commit, lower case; None where it is not known.
        dirty: whether a tracked file differed or an untracked one lay about; None where that is not known.
        reason: why one of the two is not known; empty when both are.
    """

    commit: str | None = None
    dirty: bool | None = None
    reason: str = ""


def checkout(root: Path, *, stated: str | None = None) -> Checkout:
    """Return the state of the git checkout around `root`.

    Records in `evidence/` do not make it dirty. No hook, monitor, filter or helper that the checkout configures runs.

    Args:
        root: the project's root.
        stated: the commit as whoever runs the tests states it, for a copy of the files without `.git`.

    Raises:
        ValueError: `stated` is no full commit, or contradicts the checkout.
    """
    if stated is not None and not FULL_COMMIT.fullmatch(stated):
        raise ValueError(f"the commit {stated!r} is not 40 or 64 hexadecimal digits in lower case")
    try:
        # A project in an ignored folder of another repository has no commit of its own.
        _git(root, "ls-files", "--error-unmatch", "--", "pyproject.toml")
        commit = _git(root, "rev-parse", "--verify", "--end-of-options", "HEAD^{commit}").strip()
        filters = _filters(root)
        # The whole repository counts, also when the project is a folder of it.
        changes = [_git(root, *_STATUS, *paths, off=filters) for paths in ((".", *_OWN_RECORDS), (":/", ":!."))]
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError) as error:
        if stated is not None:
            return Checkout(stated, None, f"the commit was stated by hand; git said: {_why(error)}")
        return Checkout(None, None, _why(error))
    if stated not in (None, commit):
        raise ValueError(f"the commit {stated} was stated, but the checkout is at {commit}")
    return Checkout(commit, any(changes))


def _filters(root: Path) -> list[str]:
    """Return the configured filter programs, so that they can be switched off for one call."""
    try:
        names = _git(root, "config", "--null", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process|smudge)$")
    except subprocess.CalledProcessError:
        return []
    return [name for name in names.split("\0") if name]


def _git(root: Path, *arguments: str, off: list[str] | None = None) -> str:
    """Run git; the settings named in `off` are emptied, through the environment since a name may hold `=`."""
    settings = [part for entry in _SAFE for part in ("-c", entry)]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment = kept | {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
    for number, name in enumerate(off or ()):
        environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": ""}
    done = subprocess.run(
        ["git", *settings, *arguments],
        cwd=root,
        env=environment | {"GIT_CONFIG_COUNT": str(len(off or ()))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=60,
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def _why(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "git is not on this machine"
    if isinstance(error, subprocess.CalledProcessError):
        lines = error.stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[0] if lines else f"git ended with {error.returncode}"
    return str(error)
