"""Where a package comes from: sources as declared, recorded and locked, read by one strict grammar."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

FULL_COMMIT = re.compile(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")
SHORT_COMMIT = re.compile(r"[0-9a-fA-F]{7,63}")
_CASELESS_HOSTS = {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com"}
_DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22}
_REFERENCES = ("rev", "tag", "branch")
_OTHER_QUERY = ("subdirectory", "lfs", "path")


class SourceError(ValueError):
    """A source string that no honest tool writes."""


class Reference(NamedTuple):
    """What a git source asks for: `kind` is rev, tag or branch, or empty for the default branch."""

    kind: str = ""
    value: str = ""

    @property
    def is_full_commit(self) -> bool:
        return self.kind == "rev" and FULL_COMMIT.fullmatch(self.value) is not None

    @property
    def is_short_commit(self) -> bool:
        return self.kind == "rev" and not self.is_full_commit and SHORT_COMMIT.fullmatch(self.value) is not None

    def __str__(self) -> str:
        return f"{self.kind} {self.value}" if self.kind else "the default branch"


class Source(NamedTuple):
    """One source of a package.

    Attributes:
        kind: git, registry, url, path, directory (editable and virtual ones too).
        location: the repository, index or file; for git the URL without query and fragment, as written.
        reference: for git, what is asked for.
        commit: for git, the locked commit; empty where the source does not say.
        subdirectory: of the repository or archive, decoded.
        lfs: for git, whether large files are fetched.
    """

    kind: str
    location: str
    reference: Reference = Reference()
    commit: str = ""
    subdirectory: str = ""
    lfs: bool = False

    def __str__(self) -> str:
        if self.kind != "git":
            return f"{self.kind} {self.location}" + (f" ({self.subdirectory})" if self.subdirectory else "")
        parts = [f"git {self.location}", str(self.reference)]
        if self.commit and self.commit != self.reference.value:
            parts.append(f"at {self.commit}")
        if self.subdirectory:
            parts.append(f"in {self.subdirectory}")
        return ", ".join(parts)


def git_source(url: str) -> Source:
    """Read a git source as uv.lock writes it: `URL?rev=R&subdirectory=S#COMMIT`.

    Raises:
        SourceError: a key is repeated, unknown, or contradicts another (rev and branch together).
    """
    base, _, fragment = url.partition("#")
    base, _, query = base.partition("?")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), errors="strict")
    except (ValueError, UnicodeDecodeError):
        raise SourceError(f"the query `{query}` cannot be read") from None
    keys = [key for key, _ in pairs]
    for key in keys:
        if key not in (*_REFERENCES, *_OTHER_QUERY):
            raise SourceError(f"the query names `{key}`, expected rev, tag, branch, subdirectory or lfs")
        if keys.count(key) > 1:
            raise SourceError(f"the query names `{key}` {keys.count(key)} times; only the last one counts for uv")
    given = [key for key in keys if key in _REFERENCES]
    if len(given) > 1:
        raise SourceError(f"the query names {' and '.join(given)}; only the last one counts for uv")
    values = dict(pairs)
    reference = Reference(given[0], values[given[0]]) if given else Reference()
    if not fragment:
        raise SourceError("no commit after `#`, expected 40 or 64 hexadecimal digits")
    if not FULL_COMMIT.fullmatch(fragment):
        raise SourceError(f"the commit `{fragment}` after `#` is not 40 or 64 hexadecimal digits")
    return Source(
        "git",
        base,
        reference,
        fragment,
        values.get("subdirectory", ""),
        values.get("lfs", "").lower() == "true",
    )


def locked_source(table: dict[str, Any]) -> Source:
    """Read the `source` table of a `[[package]]`, or of a dependency edge.

    Raises:
        SourceError: the table is not one that uv writes.
    """
    known = [key for key in ("git", "registry", "url", "path", "directory", "editable", "virtual") if key in table]
    if len(known) != 1 or not isinstance(table[known[0]], str):
        raise SourceError(f"the source names {', '.join(sorted(map(str, table))) or 'nothing'}, expected one kind")
    kind, value = known[0], str(table[known[0]])
    extra = set(table) - {kind, "subdirectory"}
    if extra:
        raise SourceError(f"the source has the unknown key `{min(extra)}`")
    if kind == "git":
        return git_source(value)
    return _plain(kind, value, str(table.get("subdirectory", "")))


def recorded_source(entry: dict[str, Any]) -> Source | None:
    """Read the source of an entry of `requires-dist`, `requires-dev` or the manifest; None for a bare specifier.

    Raises:
        SourceError: a git entry whose query cannot be read.
    """
    if "git" in entry:
        url = str(entry["git"])
        # Recorded requirements carry the reference only; a commit is appended so that one grammar reads both.
        return git_source(url if "#" in url else f"{url}#{'0' * 40}")._replace(commit="")
    for kind in ("url", "path", "directory", "editable", "virtual"):
        if kind in entry:
            return _plain(kind, str(entry[kind]), str(entry.get("subdirectory", "")))
    if "index" in entry:
        return Source("registry", str(entry["index"]))
    return None


def declared_source(table: dict[str, Any]) -> Source | None:
    """Read one entry of `[tool.uv.sources]`; None for an index, which names no location by itself.

    Raises:
        SourceError: more than one kind of source, or more than one git reference.
    """
    if "git" in table:
        given = [key for key in _REFERENCES if key in table]
        if len(given) > 1:
            raise SourceError(f"the source names {' and '.join(given)}, expected one of them")
        reference = Reference(given[0], str(table[given[0]])) if given else Reference()
        return Source(
            "git",
            str(table["git"]).strip().removeprefix("git+"),
            reference,
            subdirectory=_folder(str(table.get("subdirectory", ""))),
            lfs=bool(table.get("lfs", False)),
        )
    if "url" in table:
        return direct_url(str(table["url"]), subdirectory=str(table.get("subdirectory", "")))
    if "path" in table:
        return Source("path", str(table["path"]), subdirectory=str(table.get("subdirectory", "")))
    if table.get("workspace") is True:
        return Source("workspace", "")
    return None


def direct_url(url: str, *, subdirectory: str = "") -> Source:
    """Read the URL of a PEP 508 direct reference (`name @ URL`): git, an archive, or a local path."""
    url = url.strip()
    base, _, fragment = url.partition("#")
    options = dict(part.split("=", 1) for part in fragment.split("&") if "=" in part)
    subdirectory = subdirectory or unquote(options.get("subdirectory", ""))
    if base.startswith("git+"):
        repository, at, wanted = base.removeprefix("git+").rpartition("@")
        # An `@` before the path belongs to user information (ssh://git@host/...), not to a revision.
        if not at or "/" not in repository.partition("://")[2]:
            repository, wanted = base.removeprefix("git+"), ""
        reference = Reference("rev", unquote(wanted)) if wanted else Reference()
        return Source("git", repository, reference, subdirectory=_folder(subdirectory))
    if base.startswith("file:"):
        return Source("path", unquote(urlsplit(base).path), subdirectory=subdirectory)
    return Source("url", base, subdirectory=subdirectory)


def _plain(kind: str, value: str, subdirectory: str) -> Source:
    if kind in ("editable", "virtual"):
        kind = "directory"
    if kind == "url" and "#" in value:
        return direct_url(value, subdirectory=subdirectory)
    return Source(kind, value, subdirectory=subdirectory)


def _folder(path: str) -> str:
    return path.strip("/")


@lru_cache(maxsize=4096)
def same_place(url: str) -> tuple[str, ...]:
    """Return what identifies a repository or file: equal for URLs that differ harmlessly.

    Harmless are `git+`, user information, the default port, the case of scheme and host, a trailing slash, `.git`,
    percent-encoding, and on the common hosting services the case of owner and repository.
    """
    text = url.strip().removeprefix("git+")
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return (text,)
    if not parts.scheme:
        return (text.rstrip("/"),)
    scheme = parts.scheme.lower()
    port = None if port == _DEFAULT_PORTS.get(scheme) else port
    path = unquote(parts.path).rstrip("/").removesuffix(".git").rstrip("/")
    if host in _CASELESS_HOSTS:
        path = path.lower()
    return (scheme, host, str(port or ""), path, parts.query)
