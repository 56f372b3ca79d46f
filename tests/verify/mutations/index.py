"""A package index on a loopback port, with real wheels: what uv needs to lock a small project."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_JSON = "application/vnd.pypi.simple.v1+json"
_EPOCH = (2026, 1, 2, 3, 4, 4)


@dataclass(frozen=True, slots=True)
class Release:
    """One version of a package, with what it requires."""

    name: str
    version: str
    requires: Sequence[str] = ()
    extras: Sequence[str] = ()

    @property
    def metadata(self) -> bytes:
        lines = ["Metadata-Version: 2.1", f"Name: {self.name}", f"Version: {self.version}"]
        lines += [f"Provides-Extra: {extra}" for extra in self.extras]
        lines += [f"Requires-Dist: {text}" for text in self.requires]
        return "\n".join([*lines, ""]).encode()

    def files(self) -> dict[str, bytes]:
        """The content of every file, by name: a wheel for all platforms, one for Linux, and the sources."""
        stem = f"{self.name}-{self.version}"
        return {
            f"{stem}-py3-none-any.whl": self._wheel("py3-none-any"),
            f"{stem}-cp311-cp311-linux_x86_64.whl": self._wheel("cp311-cp311-linux_x86_64"),
            f"{stem}.tar.gz": self._sources(),
        }

    def _wheel(self, tag: str) -> bytes:
        info = f"{self.name}-{self.version}.dist-info"
        entries = {
            f"{self.name}.py": b"",
            f"{info}/METADATA": self.metadata,
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
        }
        entries[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*entries, f"{info}/RECORD"]).encode()
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for path, data in entries.items():
                archive.writestr(zipfile.ZipInfo(path, _EPOCH), data)
        return made.getvalue()

    def _sources(self) -> bytes:
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w:gz") as archive:
            member = tarfile.TarInfo(f"{self.name}-{self.version}/PKG-INFO")
            member.size = len(self.metadata)
            archive.addfile(member, io.BytesIO(self.metadata))
        return made.getvalue()


@contextmanager
def serve(releases: Sequence[Release]) -> Iterator[str]:
    """Serve the releases by the simple API (PEP 691, 700, 658) below `/simple`, and yield the server's URL."""
    files = {name: data for release in releases for name, data in release.files().items()}
    metadata = {f"{name}.metadata": release.metadata for release in releases for name in release.files()}
    by_project: dict[str, list[str]] = {}
    versions: dict[str, list[str]] = {}
    for release in releases:
        by_project.setdefault(release.name, []).extend(release.files())
        versions.setdefault(release.name, []).append(release.version)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            part = self.path.strip("/").split("/")[-1]
            if self.path.startswith("/files/") and part in files | metadata:
                self._answer((files | metadata)[part], "application/octet-stream")
            elif part in by_project:
                entries = [
                    {
                        "filename": name,
                        "url": f"/files/{name}",
                        "hashes": {"sha256": hashlib.sha256(files[name]).hexdigest()},
                        "size": len(files[name]),
                        "core-metadata": name.endswith(".whl"),
                        "upload-time": "2026-01-02T03:04:05Z",
                    }
                    for name in by_project[part]
                ]
                page = {"meta": {"api-version": "1.1"}, "name": part, "versions": versions[part], "files": entries}
                self._answer(json.dumps(page).encode(), _JSON)
            else:
                self.send_error(404)

        def _answer(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
