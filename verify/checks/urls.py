"""No URL in the lock hides where it leads.

The URLs of a lock are read by nobody and used by everybody. User information can make one host look like another and
puts a password into version control; a host with letters of another script looks like the one that was meant; plain
http can be answered by anyone on the way; a port or an IP address is not what a public index uses.

Example: `https://files.example.org@evil.example/click-8.5.1-py3-none-any.whl`.

Fix: declare the index or source with a plain https URL, and run `uv lock`; give credentials through the environment.

How to allow: declare the index with that scheme, host and port as `[[tool.uv.index]]`, or name the host in
`[tool.pinproof] hosts`; user information never.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ..context import Context
from ..document import Key
from ..hosts import declared_indexes, host_of
from ..lock import Lock
from ..model import Finding, Severity, Tally
from ..words import counted

CODE = "LCK022"
_SCHEMES = ("https", "http", "ssh", "file", "git")


def run(context: Context) -> Iterator[Finding | Tally]:
    lock = context.project.lock
    allowed = _allowed(context)
    seen = {file.plain_host for file in lock.files}
    for keys, name, url in _urls(lock):
        seen.add(host_of(url))
        for problem in problems(url):
            if not problem.grounds & allowed:
                yield Finding(
                    code=CODE,
                    message=f"{name}: {problem.words}",
                    severity=problem.severity,
                    location=lock.document.locate(*keys),
                    hint="declare a plain https URL and run `uv lock`",
                    package=name,
                )
    seen.discard("")
    yield Tally(detail=f"URLs on {counted(len(seen), 'host')}")


def _urls(lock: Lock) -> Iterator[tuple[tuple[Key, ...], str, str]]:
    """Yield key path, package and URL of every source that has one, and of every file whose URL is not plain."""
    for package in lock.packages:
        source = package.table.get("source")
        for kind in ("registry", "git", "url"):
            value = source.get(kind) if isinstance(source, dict) else None
            if isinstance(value, str) and "://" in value:
                yield (*package.source_keys, kind), package.name, value
    for file in lock.files:
        value = file.table.get("url")
        if isinstance(value, str) and not (file.plain_host and value == file.url):
            yield (*file.keys, "url"), file.package.name, value


class Problem(NamedTuple):
    """What is wrong with a URL. `grounds`: what would allow it: a host, a scheme and host, a host and port."""

    severity: Severity
    words: str
    grounds: frozenset[str] = frozenset()


def _allowed(context: Context) -> frozenset[str]:
    """Return the grounds that the declared indexes give, and the hosts that `[tool.pinproof] hosts` allows."""
    hosts = context.config.hosts
    found = {ground for host in hosts for ground in (host, f"http://{host}", f"git://{host}", f"{host}:*")}
    for url in declared_indexes(context):
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
            found |= {host, f"{parts.scheme}://{host}", f"{host}:{parts.port}"}
        except ValueError:
            continue
    return frozenset(found)


@lru_cache(maxsize=4096)
def problems(url: str) -> tuple[Problem, ...]:
    """Return what is wrong with a URL of a lock; credentials are left out of the words."""
    found: list[Problem] = []
    if any(ord(character) <= 0x20 or character in "\\\x7f" for character in url):
        found.append(Problem(Severity.ERROR, "the URL holds blanks, controls or backslashes"))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return (*found, Problem(Severity.ERROR, "the URL cannot be read"))
    scheme = parts.scheme.removeprefix("git+")
    if scheme not in _SCHEMES:
        found.append(Problem(Severity.ERROR, f"the URL has the scheme `{parts.scheme}`, expected https"))
    if parts.password is not None or (parts.username is not None and scheme != "ssh"):
        found.append(Problem(Severity.ERROR, f"the URL holds user information; it leads to {host}"))
    if not host.isascii():
        found.append(Problem(Severity.ERROR, f"the host `{host}` has letters that are not ASCII"))
    return (*found, *_unusual(host, scheme, port, parts.path))


def _unusual(host: str, scheme: str, port: int | None, path: str) -> Iterator[Problem]:
    """Yield what is worth a look, and is right where the project says so."""

    def problem(words: str, *grounds: str) -> Problem:
        return Problem(Severity.WARNING, words, frozenset(grounds))

    if scheme in ("http", "git"):
        words = f"the URL on {host} is plain {scheme}, which anyone on the way can answer"
        yield problem(words, f"{scheme}://{host}")
    if any(label.startswith("xn--") for label in host.split(".")):
        yield problem(f"the host {host} is an internationalised name, {_decoded(host)}", host)
    if port is not None and port != {"https": 443, "http": 80, "ssh": 22}.get(scheme):
        yield problem(f"the URL on {host} has the port {port}", f"{host}:{port}", f"{host}:*")
    if _is_address(host):
        yield problem(f"the URL leads to the address {host} instead of a host name", host)
    if ".." in map(unquote, path.split("/")):
        yield problem(f"the path of the URL on {host} climbs with `..`")


def _decoded(host: str) -> str:
    try:
        return host.encode("ascii").decode("idna")
    except UnicodeError:
        return "which cannot be decoded"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
