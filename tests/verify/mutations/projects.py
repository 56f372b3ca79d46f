"""Real projects to mutate: this repository, a small workspace that uv locks on the spot, and projects of the corpus."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from uv import find_uv_bin

from ..repositories import make
from .index import Release, serve

ROOT = Path(__file__).resolve().parents[3]
INDEX, GIT = "https://index.example.org", "https://git.example.org/demo/kernel"


@dataclass(frozen=True, slots=True)
class Project:
    """A project with its files, by path relative to its root."""

    name: str
    files: Mapping[str, str]

    def write(self, root: Path) -> Path:
        for relative, text in self.files.items():
            path = root / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return root


def this_repository() -> Project:
    return Project("pinproof", {name: (ROOT / name).read_text() for name in ("pyproject.toml", "uv.lock")})


def of_folder(name: str, root: Path) -> Project:
    """Return the project in `root`: its two files and every pyproject.toml below and beside it that the lock names."""
    files = {}
    for path in sorted(root.rglob("pyproject.toml")):
        files[path.relative_to(root).as_posix()] = path.read_bytes().decode("utf-8-sig")
    files["uv.lock"] = (root / "uv.lock").read_bytes().decode("utf-8-sig")
    return Project(name, files)


RELEASES = (
    Release("alpha", "1.0", ["beta>=1"]),
    Release("alpha", "1.1", ["beta>=1", 'winonly>=1 ; sys_platform == "win32"']),
    Release("alpha", "2.0", ["beta>=2"]),
    Release("beta", "1.0"),
    Release("beta", "1.5", ["zeta"]),
    Release("beta", "2.0", ["zeta"]),
    Release("gamma", "2.0", ["eta>=1"]),
    Release("gamma", "2.1", ["eta>=1"]),
    Release("delta", "3.0", ["theta ; extra == 'more'"], ["more"]),
    Release("epsilon", "1.0", ["zeta"]),
    Release("eta", "1.0"),
    Release("theta", "1.0"),
    Release("winonly", "1.0"),
    Release("zeta", "1.0"),
)
PYPROJECT = """\
[project]
name = "demo"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = [
    "alpha>=1.1,<2",
    "demo-lib",
    "kernel",
]

[project.optional-dependencies]
fast = ["gamma>=2; sys_platform == 'linux'"]

[dependency-groups]
dev = ["delta[more]==3.0"]

[tool.uv]
constraint-dependencies = ["beta<2"]

[tool.uv.workspace]
members = ["packages/lib"]

[tool.uv.sources]
demo-lib = { workspace = true }
kernel = { git = "@GIT@", rev = "@COMMIT@" }

[[tool.uv.index]]
name = "main"
url = "@INDEX@/simple"
default = true
"""
MEMBER = """\
[project]
name = "demo-lib"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["epsilon>=1.0"]

[project.optional-dependencies]
tools = ["theta"]
"""
KERNEL = '[project]\nname = "kernel"\nversion = "0.5.0"\nrequires-python = ">=3.11"\n'


def workspace(folder: Path) -> Project:
    """Return a small workspace that uv just locked, with an index on this machine and a repository in `folder`.

    The addresses of both are then replaced by example hosts, in all files alike.
    """
    repository = make(folder / "kernel", {"pyproject.toml": KERNEL})
    root = folder / "workspace"
    with serve(RELEASES) as server:
        local = repository.root.as_uri()
        text = PYPROJECT.replace("@INDEX@", server).replace("@GIT@", local).replace("@COMMIT@", repository.head())
        files = {"pyproject.toml": text, "packages/lib/pyproject.toml": MEMBER}
        Project("workspace", files).write(root)
        uv(root, "lock", cache=folder / "cache")
        files["uv.lock"] = (root / "uv.lock").read_text()
    public = {name: text.replace(server, INDEX).replace(local, GIT) for name, text in files.items()}
    return Project("workspace", public)


def uv(root: Path, *arguments: str, cache: Path) -> None:
    """Run uv in `root`; what it says is the message of the error if it fails."""
    done = run_uv(root, *arguments, cache=cache)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def run_uv(root: Path, *arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run uv in `root` without settings of the user's environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "VIRTUAL_ENV"))}
    command = [find_uv_bin(), *arguments, "--cache-dir", str(cache), "--no-progress", "--color", "never"]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=120)


def uv_exit(root: Path, cache: Path) -> int:
    """Return what `uv lock --check --offline` exits with in `root`."""
    return run_uv(root, "lock", "--check", "--offline", cache=cache).returncode
