"""`pinproof claims`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..claims import render
from ..claims.judge import rulings
from ..claims.ruling import Verdict
from ..cli import emit
from ..files import InputError, read_regular
from .evidence import Against, held_against

SIZE_LIMIT = 1024 * 1024
"""Bytes of a text; the longest description that a hosting service takes is a tenth of it."""


@click.command("claims")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.argument("more", nargs=-1, metavar="[EVIDENCE]...", type=click.Path(path_type=Path))
@click.option("--evidence", multiple=True, metavar="EVIDENCE", type=click.Path(path_type=Path), help="A record.")
@click.option("--allow-unsupported", is_flag=True, help="Fail for contradicted claims only.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output form.")
@click.option("--output", type=click.Path(path_type=Path), help="Write to a file, whole or not at all.")
@held_against
def claims_command(
    file: Path,
    more: tuple[Path, ...],
    evidence: tuple[Path, ...],
    allow_unsupported: bool,
    format_: str,
    output: Path | None,
    against: Against,
) -> int:
    """Hold the pull request text FILE (- for standard input) against the records EVIDENCE.

    Every count of tests, validation, latency, percentage and speed-up in it is supported, contradicted or unsupported.

    Exits with 0 when every claim is supported, 1 when one is not, 2 for unusable input or usage.
    """
    judged = against.judge((*evidence, *more), target=against.target_if_any())
    found = rulings(_text(file), judged)
    emit((render.as_json if format_ == "json" else render.as_text)(str(file), found), output)
    accepted = {Verdict.SUPPORTED} | ({Verdict.UNSUPPORTED} if allow_unsupported else set())
    return int(any(ruling.verdict not in accepted for ruling in found))


def _text(file: Path) -> str:
    if str(file) == "-":
        data = sys.stdin.buffer.read(SIZE_LIMIT + 1)
        if len(data) > SIZE_LIMIT:
            raise InputError("-", f"has more than {SIZE_LIMIT} bytes")
    else:
        try:
            data = read_regular(file.parent, file.name, limit=SIZE_LIMIT)
        except FileNotFoundError:
            raise InputError(str(file), "does not exist", hint="name the file with the text") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(str(file), f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}") from None
