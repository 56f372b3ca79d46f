"""An index on the loopback interface, whose answers a test may change."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def wheel(name: str, version: str, requires: tuple[str, ...] = ()) -> tuple[bytes, bytes]:
    """Return a wheel without code, and its metadata."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version}",
        *(f"Requires-Dist: {r}" for r in requires),
    ]
    metadata = ("\n".join(lines) + "\n\n").encode()
    buffer = io.BytesIO()
    folder = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in {
            "METADATA": metadata,
            "WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "RECORD": b"",
        }.items():
            archive.writestr(zipfile.ZipInfo(f"{folder}/{path}", (2026, 1, 1, 0, 0, 0)), data)
    return buffer.getvalue(), metadata


@dataclass
class Index:
    """Attributes: `files` package -> entries of its page; `bodies` path -> content; `faults` path -> what goes wrong.

    A fault is a status to answer with, `slow`, `unusable`, or where to redirect to; a list of them wears off one a
    request. `encoding` is that of all bodies: `gzip`, as often as it is named.
    """

    port: int = 0
    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    bodies: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, Any] = field(default_factory=dict)
    html: bool = False
    encoding: str = ""
    password: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/simple/"

    def add(self, name: str, version: str, requires: tuple[str, ...] = ()) -> dict[str, Any]:
        data, metadata = wheel(name, version, requires)
        file = f"{name}-{version}-py3-none-any.whl"
        self.bodies[f"/files/{file}"] = data
        self.bodies[f"/files/{file}.metadata"] = metadata
        entry = {
            "filename": file,
            "url": f"/files/{file}",
            "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
            "size": len(data),
            "core-metadata": {"sha256": hashlib.sha256(metadata).hexdigest()},
        }
        self.files.setdefault(name, []).append(entry)
        return entry

    def describe(self, entry: dict[str, Any], requires: tuple[str, ...]) -> None:
        """Publish other metadata for a file."""
        name, version = entry["filename"].split("-")[:2]
        _, metadata = wheel(name, version, requires)
        self.bodies[f"{entry['url']}.metadata"] = metadata
        entry["core-metadata"] = {"sha256": hashlib.sha256(metadata).hexdigest()}


@contextmanager
def serving(index: Index) -> Iterator[Index]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            index.asked.append(self.path)
            path = self.path.partition("?")[0]
            fault = index.faults.get(path)
            if isinstance(fault, list):
                fault = fault.pop(0) if fault else None
            wanted = base64.b64encode(f"me:{index.password}".encode()).decode()
            if index.password and self.headers.get("Authorization") != f"Basic {wanted}":
                fault = 401
            if fault == "slow":
                time.sleep(3)
            if isinstance(fault, int):
                self._answer(fault, b"", "text/plain")
            elif isinstance(fault, str) and fault.startswith(("http", "/")):
                self._answer(302, b"", "text/plain", location=fault)
            elif re.fullmatch(r"/simple/[^/]+/", path):
                self._page(path.split("/")[2], unusable=fault == "unusable")
            elif path in index.bodies:
                self._answer(200, index.bodies[path], "application/octet-stream")
            else:
                self._answer(404, b"", "text/plain")

        def _page(self, name: str, *, unusable: bool) -> None:
            if name not in index.files:
                self._answer(404, b"", "text/plain")
            elif index.html:
                links = "".join(
                    f'<a href="{e["url"]}#sha256={e["hashes"]["sha256"]}" data-core-metadata="sha256='
                    f'{e["core-metadata"]["sha256"]}"{" data-yanked" if e.get("yanked") else ""}>x</a>'
                    for e in index.files[name]
                )
                self._answer(200, f"<html><body>{links}</body></html>".encode(), "text/html; charset=utf-8")
            else:
                page = {"meta": {"api-version": "1.1"}, "name": name, "files": index.files[name]}
                body = b"[1]" if unusable else json.dumps(page).encode()
                self._answer(200, body, "application/vnd.pypi.simple.v1+json")

        def _answer(self, status: int, body: bytes, kind: str, location: str = "") -> None:
            for _ in index.encoding.split(","):
                body = gzip.compress(body) if index.encoding else body
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if index.encoding:
                self.send_header("Content-Encoding", index.encoding)
            if location:
                self.send_header("Location", location)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    index.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield index
    finally:
        server.shutdown()
        server.server_close()
