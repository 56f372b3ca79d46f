from pathlib import Path

import pytest

from pinproof.verify.document import Document
from pinproof.verify.files import InputError
from pinproof.verify.model import Location

TEXT = """\
title = "ü"
[project]
name = "demo"
dependencies = [
    "a>=1",  # first
    "b",
]
[tool.uv.sources]
x = [{ git = "https://example.org/x", rev = "1" }, { index = "ü", marker = "m" }]
"quoted.key" = { path = "p" }
dotted.git = "https://example.org/d"
[[package]]
name = "one"
[[package]]
name = "two"
source = { git = "https://example.org/two#1" }
[package.metadata]
requires-dist = [{ name = "a" }, { name = "b", git = "https://example.org/b" }]
"""


@pytest.mark.parametrize(
    ("keys", "line", "column"),
    [
        (("title",), 1, 1),
        (("project",), 2, 1),
        (("project", "dependencies"), 4, 1),
        (("project", "dependencies", 0), 5, 5),
        (("project", "dependencies", 1), 6, 5),
        (("tool", "uv", "sources", "x", 0, "rev"), 9, 39),
        (("tool", "uv", "sources", "x", 1, "marker"), 9, 67),
        (("tool", "uv", "sources", "quoted.key"), 10, 1),
        (("tool", "uv", "sources", "quoted.key", "path"), 10, 18),
        (("tool", "uv", "sources", "dotted", "git"), 11, 1),
        (("package", 0), 12, 1),
        (("package", 1, "source", "git"), 16, 12),
        (("package", 1, "metadata"), 17, 1),
        (("package", 1, "metadata", "requires-dist", 1, "git"), 18, 48),
        # what is not there leads to the closest place that is
        (("package", 1, "source", "rev"), 16, 1),
        (("package", 1, "nothing"), 14, 1),
        (("nothing",), 1, 1),
    ],
)
def test_positions(keys: tuple[str | int, ...], line: int, column: int) -> None:
    assert Document("x.toml", TEXT.encode()).locate(*keys) == Location("x.toml", line, column)


def test_columns_count_characters_not_bytes() -> None:
    document = Document("x.toml", 'a = { "ü" = 1, b = 2 }\n'.encode())
    assert document.locate("a", "b") == Location("x.toml", 1, 16)


def test_byte_order_mark_and_crlf_are_accepted() -> None:
    document = Document("x.toml", b'\xef\xbb\xbfa = 1\r\n[b]\r\nc = "d"\r\n')
    assert document.data == {"a": 1, "b": {"c": "d"}}
    assert document.locate("b", "c") == Location("x.toml", 3, 1)


def test_toml_1_1_is_accepted() -> None:
    document = Document("x.toml", b'a = {\n  b = 1,\n  c = "\\e[0m",\n}\n')
    assert document.data == {"a": {"b": 1, "c": "\x1b[0m"}}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "uv.lock: is empty"),
        (b" \n\n", "uv.lock: is empty"),
        (b"a = 1\nb = \xff\n", "uv.lock:2: is not UTF-8: byte 0xff at offset 10"),
        ('a = "x"'.encode("utf-16"), "uv.lock:1: is not UTF-8: byte 0xff at offset 0"),
        (b"a = 1\na = 2\n", "uv.lock:2: is not valid TOML: duplicate key"),
        (b"a = 1\n<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> x\n", "uv.lock:2: holds merge conflict markers"),
        (b"a = 1\n\x00", "uv.lock:2: is not valid TOML: "),
        (b"x = " + b"[" * 20000, "uv.lock:1: is not valid TOML: cannot recurse further"),
    ],
)
def test_what_cannot_be_read(raw: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Document("uv.lock", raw)
    assert str(caught.value).startswith(message)


def test_a_value_in_place_of_a_table_is_an_error_at_its_line() -> None:
    document = Document("pyproject.toml", b"a = 1\n[tool]\nuv = [1]\n")
    with pytest.raises(InputError, match=r"^pyproject.toml:3: `tool.uv` is an array, expected a table$"):
        document.table("tool", "uv")


def test_positions_of_every_package_of_a_real_lock(corpus: Path) -> None:
    raw = (corpus / "NovaSky-AI__SkyRL" / "uv.lock").read_bytes()
    document = Document("uv.lock", raw)
    lines = raw.decode().split("\n")
    for number, package in enumerate(document.data["package"]):
        line = lines[document.locate("package", number, "name").line - 1]
        assert line == f'name = "{package["name"]}"'
