"""Many requests side by side over one pooled client, with retries, limits and a time limit. httpx is loaded here."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

from ..hosts import without_user
from .trust import Trust

PARALLEL = 24
SIZE_LIMIT = 64 * 1024 * 1024
"""Bytes of one response."""
_ATTEMPTS = 4
_BACKOFF = (0.2, 0.6, 1.5)
_LONGEST_WAIT = 5.0
_AGAIN = frozenset((408, 429, 500, 502, 503, 504))
_REDIRECTS = (301, 302, 303, 307, 308)
_HOPS = 3

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class NoAnswerError(Exception):
    """A host gave no usable answer; the message is the reason, without credentials."""


@dataclass(frozen=True, slots=True)
class Response:
    """Attributes: `status` 200 or 404; `kind` the media type without parameters; `url` after redirects."""

    status: int
    kind: str
    body: bytes
    url: str


def available() -> bool:
    try:
        import_module("httpx")
    except ImportError:
        return False
    return True


class Client:
    """Asks trusted hosts only; a redirect to another one is not followed.

    A host that answered nobody yet, and one request as often as it was sent, is given up for the other requests too.
    """

    def __init__(self, http: Any, trust: Trust) -> None:
        self._http = http
        self._trust = trust
        self._gate = asyncio.Semaphore(PARALLEL)
        self._answered: set[str] = set()
        self._given_up: dict[str, str] = {}

    async def get(self, url: str, accept: str = "*/*") -> Response:
        """Return the answer of `url`. Raises `NoAnswerError`."""
        async with self._gate:
            for _ in range(_HOPS):
                url = without_user(url)  # credentials come from the user alone
                if reason := self._trust.refusal(url):
                    raise NoAnswerError(reason)
                answer, target = await self._attempts(url, accept)
                if answer is not None:
                    return answer
                try:
                    url = urljoin(url, target)
                except ValueError:
                    raise NoAnswerError(f"{_host(url)} redirects to what is no URL") from None
            raise NoAnswerError(f"{_host(url)} redirects more than {_HOPS} times")

    async def _attempts(self, url: str, accept: str) -> tuple[Response | None, str]:
        reason, place = "", urlsplit(url).netloc
        for attempt in range(_ATTEMPTS):
            if gone := self._given_up.get(place):
                raise NoAnswerError(gone)
            try:
                response, target, reason, wait = await self._once(url, accept)
            except OSError as error:
                response, target, reason, wait = None, "", f"{_host(url)}: {type(error).__name__}", 0.0
            if response is not None or target:
                return response, target
            if attempt + 1 < _ATTEMPTS:
                await asyncio.sleep(max(wait, _BACKOFF[attempt]))
        if place not in self._answered:
            self._given_up[place] = reason
        raise NoAnswerError(reason)

    async def _once(self, url: str, accept: str) -> tuple[Response | None, str, str, float]:
        httpx: Any = import_module("httpx")
        host = _host(url)
        credentials = self._trust.credentials.get(host)
        auth = {"auth": httpx.BasicAuth(*credentials)} if credentials else {}
        try:
            headers = {"Accept": accept, "Accept-Encoding": "gzip"}
            async with self._http.stream("GET", url, headers=headers, **auth) as answer:
                status = answer.status_code
                self._answered.add(urlsplit(url).netloc)
                if status in _REDIRECTS and answer.headers.get("location"):
                    return None, answer.headers["location"], "", 0.0
                if status in _AGAIN:
                    return None, "", f"{host} answered {status}", _wait(answer.headers.get("retry-after"))
                if status not in (200, 404):
                    raise NoAnswerError(f"{host} answered {status}")
                body = await _body(answer, host)
                kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
                return Response(status, kind, body, url), "", "", 0.0
        except httpx.HTTPError as error:
            return None, "", f"{host} did not answer: {type(error).__name__}", 0.0
        except httpx.InvalidURL:
            raise NoAnswerError(f"{host}: the URL cannot be asked") from None


async def _body(answer: Any, host: str) -> bytes:
    """Unpack here, with a bound: httpx unpacks whole parts, and 2 KB packed twice are a gigabyte."""
    packed = answer.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("identity", "gzip"):
        raise NoAnswerError(f"{host} answered in an encoding that was not asked for")
    unpack = zlib.decompressobj(wbits=31) if packed == "gzip" else None
    body = bytearray()
    try:
        async for part in answer.aiter_raw():
            body += unpack.decompress(part, SIZE_LIMIT + 1 - len(body)) if unpack else part
            if len(body) > SIZE_LIMIT:
                raise NoAnswerError(f"{host} answered with more than {SIZE_LIMIT} bytes")
    except zlib.error:
        raise NoAnswerError(f"{host} answered with what cannot be unpacked") from None
    if unpack is not None and body and not unpack.eof:
        raise NoAnswerError(f"{host} answered with a part only")
    return bytes(body)


def _wait(text: str | None) -> float:
    return min(float(text), _LONGEST_WAIT) if text and text.isdecimal() else 0.0


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "no host"
    except ValueError:
        return "no host"


def ask_all(
    items: Sequence[Item],
    ask: Callable[[Client, Item], Awaitable[Answer]],
    trust: Trust,
    *,
    timeout: float,
    progress: Callable[[int, int], object] | None = None,
) -> list[Answer | NoAnswerError]:
    """Return what `ask` says of every item, in order; a `NoAnswerError` where it raised one or time ran out.

    Args:
        items: what is asked about.
        ask: asks about one.
        trust: which hosts may be asked.
        timeout: seconds for all of them.
        progress: told how many are done, and of how many.
    """

    async def one(client: Client, item: Item, done: list[int]) -> Answer | NoAnswerError:
        try:
            return await ask(client, item)
        except NoAnswerError as error:
            return error
        finally:
            done[0] += 1
            if progress is not None:
                progress(done[0], len(items))

    async def everything() -> list[Answer | NoAnswerError]:
        httpx: Any = import_module("httpx")
        limits = httpx.Limits(max_connections=PARALLEL, max_keepalive_connections=PARALLEL)
        async with httpx.AsyncClient(limits=limits, timeout=httpx.Timeout(20.0), follow_redirects=False) as http:
            client, done = Client(http, trust), [0]
            tasks = [asyncio.ensure_future(one(client, item, done)) for item in items]
            if tasks:
                _, late = await asyncio.wait(tasks, timeout=timeout)
                for task in late:
                    task.cancel()
                await asyncio.gather(*late, return_exceptions=True)
            return [
                NoAnswerError(f"no answer within {timeout:g} s") if task.cancelled() else task.result()
                for task in tasks
            ]

    return asyncio.run(everything())
