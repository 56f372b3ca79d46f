"""Damage to TOML text: what a bad merge, a bad editor or an attacker leaves. Used by properties and by fuzzing."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|\[\[|\]\]|[A-Za-z0-9_.+:-]+|\s+|.', re.DOTALL)
VALUES: tuple[bytes, ...] = (
    b'""',
    b'"x"',
    b"0",
    b"-1",
    b"99999999999999999999",
    b"1.5",
    b"nan",
    b"true",
    b"[]",
    b"{}",
    b"[[]]",
    b'[{ name = "x" }]',
    b'{ name = "x" }',
    b"[1, 2]",
    b"1979-05-27",
    b"1979-05-27T07:32:00Z",
    b'"\\u0000"',
    b'"\\u202e\\u001b[31m"',
    b'"https://[::1"',
    b'"https://u:p@h:99999/a/../b#c?d"',
    b'"git+https://h/r@v#subdirectory=%ff"',
    b"'a; python_version < \"3\" and extra == \"x\"'",
    b'"1!2.0.post1+local"',
    b'"../../.."',
    b'"/"',
    b"[" * 200 + b"]" * 200,
    b'"' + b"a" * 5000 + b'"',
    "\"ünïcödé\"".encode(),
    b"[[package]]",
    b"[package.metadata]",
    b"name",
    b"=",
    b"\n",
    b"\xff",
    b"\x00",
    b"\r",
)  # fmt: skip
OPERATIONS = ("drop", "double", "swap", "value", "flip", "cut", "line", "lines")


@dataclass(frozen=True, slots=True)
class Edit:
    """One damage. `place` and `other` choose where, from 0 to 1; `value` chooses from `VALUES`."""

    operation: str
    place: float
    other: float
    value: int


def mangle(data: bytes, edits: list[Edit]) -> bytes:
    """Return `data` with every edit done, one after the other."""
    for edit in edits:
        if data:
            data = _OPERATIONS[edit.operation](data, edit)
    return data


def _tokens(data: bytes, edit: Edit) -> tuple[list[bytes], int, int]:
    """Return the tokens of a window around the place, and two positions in it; a whole lock has 200,000 tokens."""
    tokens = _TOKEN.findall(data)
    return tokens, int(edit.place * (len(tokens) - 1)), int(edit.other * min(40, len(tokens) - 1))


def _drop(data: bytes, edit: Edit) -> bytes:
    tokens, at, count = _tokens(data, edit)
    return b"".join(tokens[:at] + tokens[at + 1 + count // 8 :])


def _double(data: bytes, edit: Edit) -> bytes:
    tokens, at, count = _tokens(data, edit)
    return b"".join(tokens[: at + 1 + count] + tokens[at:])


def _swap(data: bytes, edit: Edit) -> bytes:
    tokens, at, distance = _tokens(data, edit)
    other = (at + 1 + distance) % len(tokens)
    tokens[at], tokens[other] = tokens[other], tokens[at]
    return b"".join(tokens)


def _value(data: bytes, edit: Edit) -> bytes:
    """Put another value where one stands: after an equals sign."""
    signs = [match.end() for match in re.finditer(rb"= ", data)]
    if not signs:
        return data + VALUES[edit.value]
    start = signs[int(edit.place * (len(signs) - 1))]
    match = _TOKEN.match(data, start)
    end = match.end() if match else start
    return data[:start] + VALUES[edit.value] + data[end:]


def _flip(data: bytes, edit: Edit) -> bytes:
    at = int(edit.place * (len(data) - 1))
    return data[:at] + bytes([data[at] ^ 1 << int(edit.other * 7)]) + data[at + 1 :]


def _cut(data: bytes, edit: Edit) -> bytes:
    return data[: int(edit.place * len(data))]


def _line(data: bytes, edit: Edit) -> bytes:
    """Move a line to another place."""
    lines = data.split(b"\n")
    line = lines.pop(int(edit.place * (len(lines) - 1)))
    lines.insert(int(edit.other * len(lines)), line)
    return b"\n".join(lines)


def _lines(data: bytes, edit: Edit) -> bytes:
    """Repeat some lines somewhere else."""
    lines = data.split(b"\n")
    at = int(edit.place * (len(lines) - 1))
    return b"\n".join([*lines[: int(edit.other * len(lines))], *lines[at : at + 12], *lines[at:]])


_OPERATIONS = dict(zip(OPERATIONS, (_drop, _double, _swap, _value, _flip, _cut, _line, _lines), strict=True))
