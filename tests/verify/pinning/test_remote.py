"""What `pin --online` asks is not for the project's own git configuration to choose."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pinproof.verify.config import Config
from pinproof.verify.context import Context, Options
from pinproof.verify.document import Document
from pinproof.verify.files import InputError
from pinproof.verify.pinning.resolve import resolve
from pinproof.verify.project import Project

from ..repositories import make


@contextmanager
def listening() -> Iterator[tuple[int, list[object]]]:
    """A port, and who came to it."""
    came: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    connection, who = server.accept()
                except OSError:
                    return
                came.append(who)
                connection.close()

        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], came


@pytest.mark.parametrize("key", ["url.https://127.0.0.1:{port}/.insteadOf", "http.proxy"])
def test_the_projects_git_configuration_leads_nowhere(tmp_path: Path, key: str) -> None:
    lock = 'version = 1\n[[package]]\nname = "a"\nversion = "1"\nsource = { virtual = "." }\n'
    root = tmp_path / "project"
    repo = make(root, {"pyproject.toml": '[project]\nname = "a"\nversion = "1"\n', "uv.lock": lock})
    trusted = Document("trusted.toml", b'[tool.pinproof.pins.dep]\ngit = "https://git.example.invalid/o/dep"\n')
    config = Config.load(trusted)
    with listening() as (port, came):
        value = f"http://127.0.0.1:{port}" if key == "http.proxy" else "https://git.example.invalid/"
        repo.git("config", key.format(port=port), value)
        context = Context(project=Project.load(root), config=config, options=Options(online=True))
        with pytest.raises(InputError, match="did not answer"):
            resolve("main", config.pins["dep"], context)
    assert came == []
