"""The one way to start git: nothing that a repository or the project under check configures is run.

git reads `.git/config` whatever one asks, and that file names programs. What names one is overridden by `-c`, which
wins over every file; protocols are refused through `GIT_ALLOW_PROTOCOL`, because a `protocol.ext.allow` in the file
wins over `-c protocol.allow=never`, and because git before 2.45 ignores `GIT_NO_LAZY_FETCH`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from .escape import clean, excerpt
from .execute import clean_environment
from .files import SIZE_LIMIT
from .git_error import GitError, GitTimeoutError

TIMEOUT = 60.0
"""Seconds that one git process may take."""
_SETTINGS = (
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.commitGraph=false",
    "core.multiPackIndex=false",
    "core.quotePath=false",
    "core.pager=cat",
    "core.askPass=",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "diff.ignoreSubmodules=all",
    "diff.submodule=short",
    "diff.suppressBlankEmpty=false",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "http.followRedirects=false",
    "maintenance.auto=false",
    "log.showSignature=false",
    "grep.fallbackToNoIndex=false",
    "grep.fullName=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_OF_THE_USER = ("GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY")
"""Where certificates and proxies are: kept for `--online` only."""


class Said(NamedTuple):
    """What one git process did."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def error(self) -> GitError:
        lines = self.stderr.decode("utf-8", "replace").strip().splitlines()
        return GitError(excerpt(lines[0]) if lines else f"git ended with {self.code}")


def run_git(
    folder: Path,
    arguments: Sequence[str],
    *,
    given: bytes = b"",
    git_dir: Path | None = None,
    online: bool = False,
    timeout: float = TIMEOUT,
    limit: int = SIZE_LIMIT,
) -> Said:
    """Run git in `folder`.

    Args:
        arguments: the subcommand and its arguments.
        given: standard input.
        git_dir: the repository itself, instead of the one found around `folder`.
        online: https is allowed, with the user's certificates and proxies.
        timeout: seconds.
        limit: bytes of standard output.

    Raises:
        GitError: no git, the time or the output limit was reached, or the repository is another user's.
    """
    environment = clean_environment(folder, **_ENVIRONMENT)
    if online:
        environment |= {name: os.environ[name] for name in _OF_THE_USER if name in os.environ}
        environment["GIT_ALLOW_PROTOCOL"] = "https"
    program = shutil.which("git", path=environment["PATH"])
    if program is None:
        raise GitError("git is not on this machine")
    place = [f"--git-dir={git_dir}"] if git_dir else []

    def start(*safe: str) -> Said:
        command = [program, *_options(), *safe, *place, *arguments]
        return _communicate(arguments[0], command, folder, environment, given, timeout, limit)

    said = start()
    if said.code == 128 and b"dubious ownership" in said.stderr:
        safe = [part for owner in _safe_directories(program) for part in ("-c", f"safe.directory={owner}")]
        said = start(*safe)
        if said.code == 128 and b"dubious ownership" in said.stderr:
            raise GitError("the repository belongs to another user; `git config --global safe.directory` trusts it")
    return said


def _options() -> list[str]:
    return ["--no-pager", *(part for setting in _SETTINGS for part in ("-c", setting))]


@lru_cache(maxsize=1)
def _safe_directories(program: str) -> tuple[str, ...]:
    """The repositories that the user's own configuration trusts."""
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "XDG_CONFIG_HOME", "PATH")}
    found: list[str] = []
    for scope in ("--system", "--global"):
        command = [program, "config", scope, "--null", "--get-all", "safe.directory"]
        done = subprocess.run(command, cwd="/", env=kept, capture_output=True, check=False, timeout=TIMEOUT)
        found += [os.fsdecode(entry) for entry in done.stdout.split(b"\0") if entry]
    return tuple(found)


def _communicate(
    name: str, command: list[str], folder: Path, environment: dict[str, str], given: bytes, timeout: float, limit: int
) -> Said:
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as errors:
        source.write(given)
        source.seek(0)
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise GitError(f"git cannot be started: {excerpt(str(error))}") from None
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            _kill(process)

        timer = threading.Timer(timeout, expire)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdout is not None  # noqa: S101 - it is a pipe
            output = process.stdout.read(limit + 1)
            if len(output) > limit:
                _kill(process)
            process.stdout.close()
            code = process.wait()
        except BaseException:
            _kill(process)
            raise
        finally:
            timer.cancel()
        if expired.is_set():
            raise GitTimeoutError(f"git {clean(name)} did not end within {timeout:g} s")
        if len(output) > limit:
            raise GitError(f"git {clean(name)} wrote more than {limit} bytes")
        errors.seek(0)
        return Said(code, output, errors.read(65536))


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
