"""The client, against a host that takes every connection and says nothing."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from pinproof.verify.online.client import PARALLEL, Client, NoAnswerError, ask_all
from pinproof.verify.online.trust import Trust

from .index import Index

pytest.importorskip("httpx")

ATTEMPTS = 4
LOOPBACK = Trust(frozenset(["127.0.0.1"]), {})


class Mute:
    """Attributes: `connections` how many it took; each is closed without an answer."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.connections = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.fixture
def mute() -> Iterator[Mute]:
    with closing(Mute()) as host:
        yield host


async def status(client: Client, url: str) -> int:
    return (await client.get(url)).status


def test_a_host_that_never_answers_is_not_asked_for_every_package(mute: Mute) -> None:
    """Only those that were on their way when it was given up have asked it, four times each."""
    urls = [f"{mute.url}/simple/{number}/" for number in range(10 * PARALLEL)]
    answers = ask_all(urls, status, LOOPBACK, timeout=60)
    assert {str(answer) for answer in answers if isinstance(answer, NoAnswerError)} <= {
        "127.0.0.1 did not answer: RemoteProtocolError",
        "127.0.0.1 did not answer: ReadError",
    }
    assert all(isinstance(answer, NoAnswerError) for answer in answers)
    assert ATTEMPTS <= mute.connections <= ATTEMPTS * PARALLEL


def test_another_host_is_asked_all_the_same(mute: Mute, index: Index) -> None:
    """Both are 127.0.0.1: what does not answer is the host with its port."""
    urls = [f"{place}/{number}" for number in range(2 * PARALLEL) for place in (mute.url, f"{index.url}one")]
    answers = ask_all(urls, status, LOOPBACK, timeout=60)
    assert [isinstance(answer, NoAnswerError) for answer in answers[::2]] == [True] * 2 * PARALLEL
    assert answers[1::2] == [404] * 2 * PARALLEL
