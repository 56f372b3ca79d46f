"""No URL in the lock hides where it leads.

The URLs of a lock are read by nobody and used by everybody. User information can make one host look like another and
puts a password into version control; a host with letters of another script looks like the one that was meant; plain
http can be answered by anyone on the way; a port or an IP address is not what a public index uses.

Example: `https://files.example.org@evil.example/click-8.5.1-py3-none-any.whl`.

Fix: declare the index or source with a plain https URL, and run `uv lock`; give credentials through the environment.

How to allow: declare the host as `[[tool.uv.index]]` or in `[tool.pinproof] hosts`; user information never.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from ..context import Context
from ..document import Key
from ..hosts import declared_hosts
from ..lock import Lock
from ..model import Check, Finding, Severity, Tally
from ..words import counted

CODE = "LCK022"
# No part of a plain path begins with a dot or an escape, so none of them is `..`.
_PLAIN = re.compile(r"https://([a-z0-9.-]+)(/([A-Za-z0-9_~+!@=:,()-][A-Za-z0-9._~+%!@=:,()-]*)?)*")
_SCHEMES = ("https", "http", "ssh", "file", "git")


def run(context: Context) -> Iterator[Finding | Tally]:
    lock = context.project.lock
    declared = declared_hosts(context)
    seen: set[str] = set()
    for keys, name, url in _urls(lock):
        host = _PLAIN.fullmatch(url)
        if host and not host[1].startswith("xn--") and ".xn--" not in host[1] and not host[1][-1].isdigit():
            seen.add(host[1])
            continue
        for severity, problem in problems(url):
            allowed = severity is Severity.WARNING and (urlsplit(url).hostname or "") in declared
            if not allowed:
                yield Finding(
                    code=CODE,
                    message=f"{name}: {problem}",
                    severity=severity,
                    location=lock.document.locate(*keys),
                    hint="declare a plain https URL and run `uv lock`",
                    package=name,
                )
    yield Tally(detail=f"URLs on {counted(len(seen), 'host')}")


def _urls(lock: Lock) -> Iterator[tuple[tuple[Key, ...], str, str]]:
    """Yield key path, package and URL of every source and file that has one."""
    for package in lock.packages:
        source = package.table.get("source")
        for kind in ("registry", "git", "url"):
            value = source.get(kind) if isinstance(source, dict) else None
            if isinstance(value, str) and "://" in value:
                yield (*package.source_keys, kind), package.name, value
    for file in lock.files:
        value = file.table.get("url")
        if isinstance(value, str):
            yield (*file.keys, "url"), file.package.name, value


@lru_cache(maxsize=4096)
def problems(url: str) -> tuple[tuple[Severity, str], ...]:
    """Return what is wrong with a URL of a lock, as severity and words; credentials are left out of the words."""
    found: list[tuple[Severity, str]] = []
    if any(ord(character) <= 0x20 or character in "\\\x7f" for character in url):
        found.append((Severity.ERROR, "the URL holds blanks, controls or backslashes"))
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return (*found, (Severity.ERROR, "the URL cannot be read"))
    scheme = parts.scheme.removeprefix("git+")
    if scheme not in _SCHEMES:
        found.append((Severity.ERROR, f"the URL has the scheme `{parts.scheme}`, expected https"))
    elif scheme in ("http", "git"):
        found.append((Severity.WARNING, f"the URL on {host} is plain {scheme}, which anyone on the way can answer"))
    if parts.password is not None or (parts.username is not None and scheme != "ssh"):
        found.append((Severity.ERROR, f"the URL holds user information; it leads to {host}"))
    if not host.isascii():
        found.append((Severity.ERROR, f"the host `{host}` has letters that are not ASCII"))
    if any(label.startswith("xn--") for label in host.split(".")):
        found.append((Severity.WARNING, f"the host {host} is an internationalised name, {_decoded(host)}"))
    if port is not None and port != {"https": 443, "http": 80, "ssh": 22}.get(scheme):
        found.append((Severity.WARNING, f"the URL on {host} has the port {port}"))
    if _is_address(host):
        found.append((Severity.WARNING, f"the URL leads to the address {host} instead of a host name"))
    if ".." in map(unquote, parts.path.split("/")):
        found.append((Severity.WARNING, f"the path of the URL on {host} climbs with `..`"))
    return tuple(found)


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


CHECK = Check(
    code=CODE,
    name="urls",
    summary="no URL has user information, a look-alike host, plain http or a port",
    run=run,
)
