"""What a released package requires, from the metadata that its index publishes beside the file (PEP 658)."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from packaging.metadata import parse_email

from ..files import InputError, write_whole
from ..requirement import parse_requirement
from ..user_folders import user_folder
from .client import Client, NoAnswerError
from .simple import Offered

_SHA256 = re.compile(r"[0-9a-f]{64}")


async def required(client: Client, file: Offered) -> list[dict[str, Any]]:
    """Return what a file requires, in the form of `requires-dist` of a lock.

    Metadata never changes: it is kept in the user's cache under its digest, and compared with it whenever it is read.

    Raises:
        NoAnswerError: it is not there, or is another one than its digest says.
    """
    digest = (file.metadata or {}).get("sha256", "")
    kept = user_folder("cache", "pinproof") / "metadata" / digest if _SHA256.fullmatch(digest) else None
    body = kept.read_bytes() if kept and kept.is_file() else b""
    if kept is None or hashlib.sha256(body).hexdigest() != digest:
        path, mark, query = file.url.partition("?")
        response = await client.get(f"{path}.metadata{mark}{query}")
        if response.status != 200:
            raise NoAnswerError(f"the metadata of {file.name} is not there")
        body = response.body
        if digest and hashlib.sha256(body).hexdigest() != digest:
            raise NoAnswerError(f"the metadata of {file.name} does not have the digest that the index states")
        if kept is not None:
            try:
                kept.parent.mkdir(parents=True, exist_ok=True)
                write_whole(kept, body)
            except (OSError, InputError):
                pass  # a cache that cannot be written is none
    return _requirements(body, file.name)


def _requirements(body: bytes, file: str) -> list[dict[str, Any]]:
    raw, _ = parse_email(body)
    if not raw.get("name"):
        raise NoAnswerError(f"the metadata of {file} cannot be read")
    found = []
    for text in raw.get("requires_dist", []):
        requirement = parse_requirement(text)
        if requirement is None:  # uv mends some of them (`>=2.0.*`)
            raise NoAnswerError(f"the metadata of {file} has a requirement that cannot be read")
        entry: dict[str, Any] = {"name": requirement.name}
        if requirement.extras:
            entry["extras"] = sorted(requirement.extras)
        if requirement.marker:
            entry["marker"] = str(requirement.marker).replace('"', "'")
        if requirement.specifier:
            entry["specifier"] = str(requirement.specifier)
        if requirement.url:
            entry["url"] = requirement.url
        found.append(entry)
    return found
