"""The simple API of an index: JSON (PEP 691, with sizes as of PEP 700), else HTML (PEP 503)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from .client import Client, NoAnswerError, Response

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_JSON = ("application/vnd.pypi.simple.v1+json", "application/json")


@dataclass(frozen=True, slots=True)
class Offered:
    """One file as an index offers it now.

    Attributes:
        name: the file name.
        url: absolute, without fragment.
        hashes: kind -> hexadecimal digits.
        size: bytes; None where the index does not say.
        yanked: empty, or why it was taken back.
        requires_python: as the index says it.
        metadata: None without separate metadata (PEP 658); else its hashes, possibly none.
    """

    name: str
    url: str
    hashes: Mapping[str, str]
    size: int | None = None
    yanked: str = ""
    requires_python: str = ""
    metadata: Mapping[str, str] | None = None


async def offered(client: Client, index: str, name: str) -> dict[str, Offered] | None:
    """Return the files that `index` offers for the package, by file name; None where it has no such package.

    Raises:
        NoAnswerError: it gave no usable answer.
    """
    response = await client.get(f"{index.rstrip('/')}/{name}/", ACCEPT)
    if response.status == 404:
        return None
    try:
        files = _json(response) if response.kind in _JSON else _html(response)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise NoAnswerError(
            f"{urlsplit(index).hostname} answered with an unusable page: {type(error).__name__}"
        ) from None
    return {file.name: file for file in files}


def _json(response: Response) -> list[Offered]:
    page = json.loads(response.body)
    return [_file(response.url, entry) for entry in page["files"] if isinstance(entry, dict)]


def _file(base: str, entry: Mapping[str, Any]) -> Offered:
    size, yanked = entry.get("size"), entry.get("yanked", False)
    metadata = entry.get("core-metadata", entry.get("dist-info-metadata", False))
    return Offered(
        name=str(entry["filename"]),
        url=urljoin(base, str(entry["url"])).partition("#")[0],
        hashes=_hashes(entry.get("hashes")),
        size=size if isinstance(size, int) and not isinstance(size, bool) else None,
        yanked=(str(yanked) if isinstance(yanked, str) and yanked else "no reason given") if yanked else "",
        requires_python=str(entry.get("requires-python") or ""),
        metadata=_hashes(metadata) if metadata else None,
    )


def _hashes(value: object) -> dict[str, str]:
    return {str(kind): str(digits).lower() for kind, digits in value.items()} if isinstance(value, dict) else {}


def _html(response: Response) -> list[Offered]:
    if response.kind not in ("text/html", "application/vnd.pypi.simple.v1+html"):
        raise ValueError(f"a page of kind {response.kind}")
    page = _Page(response.url)
    page.feed(response.body.decode("utf-8", "replace"))
    return page.files


class _Page(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__()
        self._base = base
        self.files: list[Offered] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        href = given.get("href")
        if tag == "base" and href:
            self._base = urljoin(self._base, href)
        if tag != "a" or not href:
            return
        url, _, fragment = urljoin(self._base, href).partition("#")
        kind, _, digits = fragment.partition("=")
        metadata = given.get("data-core-metadata", given.get("data-dist-info-metadata"))
        about = (metadata or "").partition("=")
        self.files.append(
            Offered(
                name=unquote(urlsplit(url).path.rpartition("/")[2]),
                url=url,
                hashes={kind: digits.lower()} if digits else {},
                yanked=(given["data-yanked"] or "no reason given") if "data-yanked" in given else "",
                requires_python=given.get("data-requires-python") or "",
                metadata=None if metadata is None else ({about[0]: about[2].lower()} if about[2] else {}),
            )
        )
