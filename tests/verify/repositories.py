"""Real git repositories, built by the tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


@dataclass(frozen=True, slots=True)
class Repo:
    root: Path

    def git(self, *arguments: str, given: str | None = None, environment: Mapping[str, str] | None = None) -> str:
        options = ["-c", "init.defaultBranch=main", "-c", "merge.ff=false", "-c", "advice.detachedHead=false"]
        done = subprocess.run(
            ["git", *options, *arguments],
            cwd=self.root,
            env=_ENVIRONMENT | dict(environment or {}),
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def head(self, revision: str = "HEAD") -> str:
        return self.git("rev-parse", "--verify", f"{revision}^{{commit}}").strip()

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, message: str = "change", files: Mapping[str, str | bytes] | None = None) -> str:
        """Commit `files` and everything else that changed; return the new commit."""
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()


def make(root: Path, files: Mapping[str, str | bytes] | None = None, *, object_format: str = "sha1") -> Repo:
    """Create a repository whose branch main has one commit of `files`."""
    root.mkdir(parents=True, exist_ok=True)
    repo = Repo(root)
    repo.git("init", "-q", f"--object-format={object_format}", "--template=")
    (root / ".git/info").mkdir(exist_ok=True)
    repo.commit("first", files)
    return repo
