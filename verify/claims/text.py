"""Markdown taken apart into sentences, one character for one character, so that a place stays a place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BREAK = re.compile(r"^\s*(?:$|```|~~~|[-=]{3,}\s*$)")
_STARTS = re.compile(r"^\s*(?:[-*+]\s|\d+[.)]\s|>|\|)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*)$")
_RULE = re.compile(r"^[\s|:-]+$")
_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bapprox)(?<!\bca)(?<!\bcf)(?<!\bno)[.!?;](?=\s)|\n{2,}")
_SEPARATORS = "\u00a0\u2009\u202f"
_CHARACTERS = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    **dict.fromkeys("\u2018\u2019", "'"),
    **dict.fromkeys("*`", " "),
    "\u00b5": "u",
    "\u03bc": "u",
    "\u00d7": "x",
    "\u2192": "\u2192",
    "\u21d2": "\u2192",
    "\u2264": "<",
    "\u2265": ">",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence or table row.

    Attributes:
        text: normalised, in lower case.
        line: 1-based, where it begins.
        around: the normalised paragraph, with the heading above it.
    """

    text: str
    line: int
    around: str


def normalised(text: str) -> str:
    """Return `text` in lower case with one spelling for dashes, spaces, micro, times and emphasis; same length."""
    grouped = re.sub(rf"(?<=\d)[{_SEPARATORS}](?=\d{{3}}(?!\d))", "'", text)
    return "".join(_normal(character) for character in grouped)


def _normal(character: str) -> str:
    if character in _CHARACTERS:
        return _CHARACTERS[character]
    if unicodedata.category(character) in ("Cf", "Cc") and character != "\n":
        return " "
    compatible = unicodedata.normalize("NFKC", character).lower()
    return compatible if len(compatible) == 1 else character


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a Markdown text. What a reader does not see, HTML comments, is left out."""
    visible = _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    heading, header = "", ""
    for line, block in _blocks(normalised(visible)):
        if found := _HEADING.match(block):
            heading, header = found[1], ""
            yield Sentence(text=heading, line=line, around=heading)
        elif block.lstrip().startswith("|"):
            if not header:
                header = block
            elif not _RULE.match(block):
                row = _row(header, block)
                yield Sentence(text=row, line=line, around=f"{heading} {row}")
        else:
            header = ""
            yield from _split(block, line, f"{heading} {block}")


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs, list items, headings and table rows with the line where each begins."""
    block: list[str] = []
    start = 1
    for number, line in enumerate(text.split("\n"), start=1):
        alone = _BREAK.match(line) or _STARTS.match(line) or _HEADING.match(line)
        if block and (alone or _HEADING.match(block[0]) or block[0].lstrip().startswith("|")):
            yield start, "\n".join(block)
            block = []
        if not _BREAK.match(line):
            start = start if block else number
            block.append(line)
    if block:
        yield start, "\n".join(block)


def _split(block: str, line: int, around: str) -> Iterator[Sentence]:
    start = 0
    for end in [*(match.end() for match in _END.finditer(block)), len(block)]:
        text = block[start:end]
        if text.strip():
            begins = start + len(text) - len(text.lstrip())
            yield Sentence(text=text.strip(), line=line + block.count("\n", 0, begins), around=around)
        start = end


def _row(header: str, row: str) -> str:
    """Return a table row as words: each cell after its column's title, with the unit that the title gives."""
    titles, cells = _cells(header), _cells(row)
    words = []
    for title, cell in zip(titles, cells, strict=False):
        unit = re.search(r"\(?\b(ns|us|ms|s|%|microseconds|milliseconds|seconds)\)?\s*$", title)
        bare = re.fullmatch(r"[-+~]?[\d.,']+", cell)
        words.append(f"{title} {cell} {unit[1]}" if unit and bare else f"{title} {cell}")
    return ", ".join(words)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
