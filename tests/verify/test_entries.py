"""Places in a lock are those of the whole text, though only one entry is read."""

from __future__ import annotations

import pytest

from pinproof.verify.document import Document
from pinproof.verify.entries import Entries
from pinproof.verify.model import Location

LOCK = """\
version = 1
resolution-markers = [
    "a",
    "b",
]
[manifest]
members = ["x"]
[[package]]
name = "ö"
source = { registry = "r" }

[package.metadata]
requires-dist = [{ name = "a" }]

[[package]]
name = "two"
[[package.wheels]]
url = "u"
[options]
exclude-newer = "2026"
"""


@pytest.mark.parametrize(
    ("keys", "line", "column"),
    [
        (("version",), 1, 1),
        (("resolution-markers", 1), 4, 5),
        (("manifest", "members", 0), 7, 12),
        (("package", 0), 8, 1),
        (("package", 0, "source", "registry"), 10, 12),
        (("package", 0, "metadata", "requires-dist", 0, "name"), 13, 20),
        (("package", 1), 15, 1),
        (("package", 1, "name"), 16, 1),
        (("package", 1, "wheels", 0, "url"), 18, 1),
        (("package", 1, "wheels", 7), 15, 1),
        (("options", "exclude-newer"), 20, 1),
        (("manifest", "overrides"), 6, 1),
        (("package", 2), 1, 1),
        ((), 1, 1),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_places(keys: tuple[str | int, ...], line: int, column: int, newline: str) -> None:
    assert Document("uv.lock", LOCK.replace("\n", newline).encode()).locate(*keys) == Location("uv.lock", line, column)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # a header in a string, and a real one that is written otherwise: the numbers of lines and entries agree
        ('x = """\n[[package]]\n"""\n[[package]]\nname = "a"\n[[ package ]]\nname = "b"\n', 7),
        ("x = '''\n[[package]]\n'''\n[[package]]\nname = \"a\"\n[['package']]\nname = \"b\"\n", 7),
        ('[[package]]\nname = "a"\n[["package"]]\nname = "b"\n', 4),
        ('[[package]]\nname = "a"\n  [[package]]\nname = "b"\n', 4),
        ('# [[package]]\n[[package]]\nname = "a"\n[[package]]\nname = "b"\n', 5),
        ('package = [\n  { name = "a" },\n  { name = "b" },\n]\n', 3),
        ('[[distribution]]\nname = "a"\n[[distribution]]\nname = "b"\n', 4),
        ('[package.x]\n[[distribution]]\nname = "a"\n[[distribution]]\nname = "b"\n', 5),
    ],
)
def test_entries_that_are_written_otherwise(text: str, line: int) -> None:
    document = Document("uv.lock", text.encode())
    array = "distribution" if "distribution" in text else "package"
    assert document.locate(array, 1, "name").line == line


def test_only_the_entry_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    document = Document("uv.lock", LOCK.encode())
    monkeypatch.delattr(Entries, "whole")
    assert document.locate("package", 1, "name").line == 16
