"""Many requests side by side over one pooled client, with retries, limits and a time limit. httpx is loaded here."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

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
    """Asks trusted hosts only; a redirect to another one is not followed."""

    def __init__(self, http: Any, trust: Trust) -> None:
        self._http = http
        self._trust = trust
        self._gate = asyncio.Semaphore(PARALLEL)

    async def get(self, url: str, accept: str = "*/*") -> Response:
        """Return the answer of `url`. Raises `NoAnswerError`."""
        async with self._gate:
            for _ in range(_HOPS):
                if reason := self._trust.refusal(url):
                    raise NoAnswerError(reason)
                answer, target = await self._attempts(url, accept)
                if answer is not None:
                    return answer
                url = urljoin(url, target)
            raise NoAnswerError(f"{_host(url)} redirects more than {_HOPS} times")

    async def _attempts(self, url: str, accept: str) -> tuple[Response | None, str]:
        reason = ""
        for attempt in range(_ATTEMPTS):
            try:
                response, target, reason, wait = await self._once(url, accept)
            except OSError as error:
                response, target, reason, wait = None, "", f"{_host(url)}: {type(error).__name__}", 0.0
            if response is not None or target:
                return response, target
            if attempt + 1 < _ATTEMPTS:
                await asyncio.sleep(max(wait, _BACKOFF[attempt]))
        raise NoAnswerError(reason)

    async def _once(self, url: str, accept: str) -> tuple[Response | None, str, str, float]:
        httpx: Any = import_module("httpx")
        host = _host(url)
        credentials = self._trust.credentials.get(host)
        auth = {"auth": httpx.BasicAuth(*credentials)} if credentials else {}
        try:
            async with self._http.stream("GET", url, headers={"Accept": accept}, **auth) as answer:
                status = answer.status_code
                if status in _REDIRECTS and answer.headers.get("location"):
                    return None, answer.headers["location"], "", 0.0
                if status in _AGAIN:
                    return None, "", f"{host} answered {status}", _wait(answer.headers.get("retry-after"))
                if status not in (200, 404):
                    raise NoAnswerError(f"{host} answered {status}")
                body = bytearray()
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > SIZE_LIMIT:
                        raise NoAnswerError(f"{host} answered with more than {SIZE_LIMIT} bytes")
                kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
                return Response(status, kind, bytes(body), url), "", "", 0.0
        except httpx.HTTPError as error:
            return None, "", f"{host} did not answer: {type(error).__name__}", 0.0
        except httpx.InvalidURL:
            raise NoAnswerError(f"{host}: the URL cannot be asked") from None


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
