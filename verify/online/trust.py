"""Which hosts may be contacted, and with which credentials: never by the word of the checkout under check."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from netrc import NetrcParseError, netrc
from pathlib import Path
from urllib.parse import urlsplit

from ..context import Context
from ..hosts import host_of
from ..model import NotRun

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Trust:
    """Attributes: `hosts` in lower case; `credentials` host -> user name and password."""

    hosts: frozenset[str]
    credentials: dict[str, tuple[str, str]]

    def refusal(self, url: str) -> str | None:
        """Return why `url` is not asked; None where it may be."""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").lower()
        except ValueError:
            return "it is no URL"
        if not host:
            return "it is a path"
        if host not in self.hosts:
            return f"the host {host} is not in trusted configuration"
        if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
            return f"{host} would be asked over {parts.scheme}"
        return None


def trust(context: Context) -> Trust:
    """Return the hosts of `--host`, and those of a configuration that the checkout does not choose.

    That is `[tool.pinproof] hosts` and `[[tool.uv.index]]` of the file of `--config`, or of the base. Credentials of
    such an index are taken from the environment as uv does: `UV_INDEX_NAME_USERNAME` and `UV_INDEX_NAME_PASSWORD`.
    Without them the user's netrc file is asked, the one that `NETRC` names or `~/.netrc`, where it names the host: its
    entry `default` is nobody's.

    Raises:
        NotRun: there is a netrc file, and it cannot be read.
    """
    hosts = set(context.options.hosts)
    credentials = _netrc()
    document = context.config.document
    if context.trusts_config:
        hosts |= set(context.config.hosts)
        entries = document.get("tool", "uv", "index")
        for entry in entries if isinstance(entries, list) else ():
            url, name = (entry.get("url"), entry.get("name")) if isinstance(entry, dict) else (None, None)
            host = host_of(url) if isinstance(url, str) else ""
            hosts.add(host)
            if host and isinstance(name, str) and (found := _credentials(name)):
                credentials[host] = found
    return Trust(frozenset(hosts - {""}), credentials)


def _netrc() -> dict[str, tuple[str, str]]:
    named = os.environ.get("NETRC")
    file = Path(named) if named else Path.home() / ".netrc"
    if not named and not file.exists():
        return {}
    try:
        entries = netrc(file).hosts.items()
    except NetrcParseError as error:  # its message quotes the file, which holds passwords
        raise NotRun(f"{file}: no netrc file, around line {error.lineno}; mend it, or name another in NETRC") from None
    except (OSError, ValueError) as error:
        raise NotRun(f"{file}: not readable ({type(error).__name__}); mend it, or name another in NETRC") from None
    return {host.lower(): (user, password) for host, (user, _, password) in entries if host != "default"}


def _credentials(index: str) -> tuple[str, str] | None:
    name = re.sub(r"[^A-Z0-9]", "_", index.upper())
    user, password = (os.environ.get(f"UV_INDEX_{name}_{part}") for part in ("USERNAME", "PASSWORD"))
    return (user or "", password or "") if user or password else None
