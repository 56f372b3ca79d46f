"""What is installed in an environment, read from its files; its interpreter is not started.

The `.venv` of a checkout is as hostile as the rest of it: regular files inside of it are read, and what they say is
what the environment says of itself.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from .context import Context
from .files import InputError, read_regular
from .model import NotRun
from .requirement import normal_name

_METADATA_LIMIT = 4 * 1024 * 1024
_RECORD_LIMIT = 64 * 1024 * 1024
_VERSION = re.compile(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", re.MULTILINE)
# A literal beginning is searched for several times faster than `^` in many lines.
_TOP = re.compile(r"\n([^/,\r\n]+)")
_SITES = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class Distribution:
    """One installed distribution.

    Attributes:
        name: normalised.
        version: as its `.dist-info` folder says.
        site: the folder it is installed in, relative to the environment's root.
        info: its `.dist-info` folder, relative to the environment's root.
        origin: PEP 610 `direct_url.json`; empty for a release of an index.
    """

    name: str
    version: str
    site: str
    info: str
    root: Path = field(repr=False)
    origin: dict[str, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return str(self.origin.get("url", ""))

    @property
    def commit(self) -> str:
        """The commit it was built from, in lower case; empty where it does not come from version control."""
        found = self.origin.get("vcs_info")
        return str(found.get("commit_id", "")).lower() if isinstance(found, dict) else ""

    @property
    def is_editable(self) -> bool:
        found = self.origin.get("dir_info")
        return isinstance(found, dict) and found.get("editable") is True

    @property
    def words(self) -> str:
        """Where it comes from, for a message."""
        if self.is_editable:
            return f"an editable install of {self.url}"
        if self.commit:
            return f"commit {self.commit} of {self.url}"
        return f"version {self.version} from {self.url}" if self.url else f"version {self.version} of an index"

    @cached_property
    def tops(self) -> frozenset[str]:
        """The first parts of the paths in RECORD: packages, modules, and folders of metadata."""
        return frozenset(_TOP.findall(f"\n{self._record_text}")) - {".."}

    @cached_property
    def record(self) -> dict[str, str]:
        """RECORD: paths relative to the environment's root -> `sha256=…`, empty for a file without a digest."""
        import csv

        found = {}
        with contextlib.suppress(csv.Error):
            for row in csv.reader(self._record_text.split("\n")):
                if row:
                    found[posixpath.normpath(f"{self.site}/{row[0]}")] = row[1] if len(row) > 1 else ""
        return found

    @cached_property
    def _record_text(self) -> str:
        try:
            return read_regular(self.root, f"{self.info}/RECORD", limit=_RECORD_LIMIT).decode("utf-8", "replace")
        except (FileNotFoundError, InputError):
            return ""


class Environment:
    """One environment: `root` is its boundary, `sites` the folders below it that hold packages."""

    def __init__(self, root: Path, sites: tuple[str, ...], words: str) -> None:
        self.root = root
        self.sites = sites
        self.words = words

    @classmethod
    def find(cls, context: Context) -> Environment:
        """Return the environment of `--python`, else the project's `.venv`.

        Raises:
            NotRun: there is none, it leads out of the checkout, or it cannot be told where its packages are.
        """
        if context.options.python is not None:
            return _named(context.options.python)
        root = context.project.root
        try:
            config = read_regular(root, ".venv/pyvenv.cfg", limit=_METADATA_LIMIT).decode("utf-8", "replace")
        except FileNotFoundError:
            raise NotRun("the project has no environment here (.venv); name one with --python") from None
        except InputError as error:
            raise NotRun(f"the project's environment is not read: {error}; name it with --python") from None
        return _with_sites(root, ".venv/", _VERSION.search(config), "the project's .venv")

    def of(self, name: str) -> list[Distribution]:
        """Return what is installed under this normalised name; more than one is damage."""
        return [self._distribution(*place) for place in self._places if place[0] == name]

    @cached_property
    def distributions(self) -> tuple[Distribution, ...]:
        return tuple(self._distribution(*place) for place in self._places)

    @cached_property
    def _places(self) -> list[tuple[str, str, str, str]]:
        """Name, version, folder and `.dist-info` of what is installed, by the names of these folders."""
        found: list[tuple[str, str, str, str]] = []
        for site in self.sites:
            try:
                paths = sorted((self.root / site).iterdir())
            except OSError:
                continue
            for path in paths:
                name, dash, version = path.name.removesuffix(".dist-info").rpartition("-")
                if dash and path.name.endswith(".dist-info"):
                    found.append((normal_name(name), version, site, f"{site}/{path.name}"))
        return found

    def _distribution(self, name: str, version: str, site: str, info: str) -> Distribution:
        import json

        origin: Any = {}
        try:
            origin = json.loads(self._text(f"{info}/direct_url.json"))
        except FileNotFoundError:
            pass
        except (InputError, ValueError, RecursionError):
            origin = {"url": "a direct_url.json that cannot be read"}
        origin = origin if isinstance(origin, dict) else {"url": "a direct_url.json that is no object"}
        return Distribution(name, version, site, info, self.root, origin)

    def _text(self, relative: str) -> str:
        return read_regular(self.root, relative, limit=_METADATA_LIMIT).decode("utf-8", "replace")


def _named(python: Path) -> Environment:
    """Find the packages of an interpreter that the user named, without starting it."""
    path = python.absolute()
    if not path.exists():
        raise NotRun(f"{python} does not exist")
    prefix = path.parent.parent
    if (prefix / "pyvenv.cfg").is_file():
        config = _VERSION.search((prefix / "pyvenv.cfg").read_text("utf-8", "replace"))
        return _with_sites(prefix, "", config, str(prefix))
    real = path.resolve()
    return _with_sites(real.parent.parent, "", re.search(r"(\d+\.\d+)$", real.name), str(real.parent.parent))


def _with_sites(root: Path, folder: str, version: re.Match[str] | None, words: str) -> Environment:
    wanted = f"python{version[1]}" if version else "python3*"
    found: dict[Path, str] = {}
    for library in ("lib", "lib64"):
        for site in _SITES:
            for path in sorted((root / folder).glob(f"{library}/{wanted}/{site}")):
                real = path.resolve()
                if path.is_dir() and real.is_relative_to(root.resolve()):
                    found.setdefault(real, path.relative_to(root).as_posix())
    if not found:
        raise NotRun(f"no site-packages folder is found inside of {words}")
    return Environment(root, tuple(found.values()), words)
