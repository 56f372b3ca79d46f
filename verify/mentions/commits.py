"""Commits that stand beside the URL of a repository: `URL@COMMIT`, archives, and references in the lines around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

from ..model import Location
from ..source import same_place
from .text import VARIABLE, Named, Text

_URL = re.compile(r"(?:git\+)?(?:https?|ssh|git)://[^\s\"'<>`,;)\]\\|]+|\bgit@[\w.-]+:[\w./@-]+")
_MARK = re.compile(r"://|git@|repository:")
_ACTION = re.compile(r"\brepository:\s*[\"']?([\w.-]+/[\w.-]+)[\"']?\s*$")
_REF = rf"[\"']?({VARIABLE}|[0-9a-fA-F]{{7,64}})(?![\w.-])"
_INLINE = re.compile(
    rf"(?:@|\#|/(?:archive|tarball|zipball)/|[?&](?:rev|ref)=)({VARIABLE}|[0-9a-fA-F]{{7,64}})(?=$|[#&?]|\.zip|\.tar|\.tgz)"
)
_BESIDE = (
    re.compile(rf"\bgit\s+(?:-C\s+\S+\s+)?(?:checkout|reset\s+--hard|switch\s+--detach)\s+(?:-[\w-]+\s+)*{_REF}"),
    re.compile(rf"\bGIT_TAG\s+{_REF}"),
    re.compile(rf"(?:^|[\s{{,\"'-])(?:rev|ref|revision|commit|sha|tag)[\"']?\s*[:=]\s*{_REF}"),
)
_LEADING = r"^\s*(?:export\s+|ARG\s+|ENV\s+|-\s+)*"
_VARIABLE_BESIDE = re.compile(
    rf"{_LEADING}(?P<stem>\w*?)_?(?:GIT_)?(?:REVISION|REV|REF|COMMIT|SHA|HASH|TAG)(?:_SHA|_HASH|_ID)?\s*[:=]\s*{_REF}",
    re.IGNORECASE,
)
_URL_VARIABLE = re.compile(
    rf"{_LEADING}(\w*?)_?(?:GIT_)?(?:REPOSITORY|REPO|URL)(?:_URL)?\s*[:=]",
    re.IGNORECASE,
)
_URLS, _LINE = 2000, 4096
"""URLs of one file that are looked at, and characters of a line; what has more is data."""
_SOURCES = (".py", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".rs", ".go", ".js", ".ts", ".tsx", ".java", ".rb")
"""In source code a URL is a remark, and what stands in the next lines has nothing to do with it."""
_AFTER, _BEFORE = 8, 3
"""Lines around a URL that are looked at, as far as no other repository is named and no line is blank."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A URL in a text, and host and path of the repository that it names."""

    line: int
    start: int
    end: int
    url: str
    key: tuple[str, str]


def repository_key(url: str) -> tuple[str, str]:
    """Return host and path of a repository, equal for every protocol that reaches it."""
    if "://" not in url:
        host, _, path = url.rpartition("@")[2].partition(":")
        url = f"ssh://{host}/{path}"
    place = same_place(url)
    return (place[1], place[3]) if len(place) > 3 else ("", url)


def submodules(text: Text) -> Iterator[tuple[str, str, Location]]:
    """Yield path, URL and place of the URL of each submodule in the text of .gitmodules."""
    path = url = ""
    place = text.at(0, 0)
    for number, line in enumerate([*text.lines, "["]):
        key, _, value = (part.strip() for part in line.partition("="))
        if line.lstrip().startswith("["):
            if path and url:
                yield path, url, place
            path = url = ""
        elif key == "path":
            path = value.strip('"')
        elif key == "url":
            url, place = value.strip('"'), text.at(number, len(line) - len(value))


def named_commits(text: Text, repository: tuple[str, str]) -> Iterator[Named]:
    """Yield every commit, full or of at least seven digits, that the text names beside this repository.

    A variable stands for every value that the same text gives it. Branches, tags and comments name no commit. In source
    code only a commit in the URL itself counts.
    """
    candidates = (line for line, content in enumerate(text.lines) if len(content) < _LINE and _MARK.search(content))
    lines = (line for line in candidates if not text.is_comment(line))
    places = list(islice((place for line in lines for place in _urls(text, line)), _URLS))
    for number, place in enumerate(places):
        if place.key != repository:
            continue
        inline = _INLINE.search(place.url)
        if inline:
            yield from _named(text, place.line, place.start + inline.start(1), unquote(inline[1]))
            continue
        others = [other.line for other in places if other.key != repository]
        before = max((line for line in others if line < place.line), default=-1)
        after = min((line for line in others if line > place.line), default=len(text.lines))
        again = next((other.line for other in places[number + 1 :] if other.line > place.line), after)
        if not text.path.endswith(_SOURCES):
            yield from _beside(text, place, before, min(after, again))


def _urls(text: Text, line: int) -> Iterator[_Place]:
    content = text.lines[line]
    for match in _URL.finditer(content):
        url = match.group().rstrip(".")
        yield _Place(line, match.start(), match.end(), url, _key(url))
    if action := _ACTION.search(content):
        url = f"https://github.com/{action[1]}"
        yield _Place(line, action.start(1), action.end(1), url, _key(url))


def _key(url: str) -> tuple[str, str]:
    scheme, mark, rest = url.rpartition("://")
    host, slash, path = rest.partition("/")
    plain = f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"
    return repository_key(re.split(r"[@#?]|/(?:archive|tarball|zipball)/", plain)[0])


def _beside(text: Text, place: _Place, before: int, after: int) -> Iterator[Named]:
    stem = _URL_VARIABLE.match(text.lines[place.line])
    whole = [(line, 0, len(text.lines[line])) for line in _forward(text, place.line, after)]
    keys = [(line, 0, len(text.lines[line])) for line in _backward(text, place.line, before)]
    for line, start, end in [*_same_line(text.lines[place.line], place), *whole, *keys]:
        content = text.lines[line]
        found = [match for pattern in _BESIDE for match in pattern.finditer(content, start, end)]
        variable = _VARIABLE_BESIDE.match(content, start, end)
        if variable and (stem is None or stem[1].lower() == variable["stem"].lower()):
            found.append(variable)
        for match in found[:1]:
            yield from _named(text, line, match.start(match.lastindex or 1), match[match.lastindex or 1])
            return


def _same_line(content: str, place: _Place) -> Iterator[tuple[int, int, int]]:
    """Yield what belongs to a URL on its own line: up to the next URL or closing brace, and from its opening brace."""
    following = _URL.search(content, place.end)
    end = following.start() if following else len(content)
    brace = content.find("}", place.end)
    yield place.line, place.end, end if brace < 0 or content.startswith("${", place.end) else min(end, brace)
    opening = content.rfind("{", 0, place.start)
    if opening > content.rfind("}", 0, place.start):
        yield place.line, opening, place.start


def _forward(text: Text, line: int, end: int) -> Iterator[int]:
    indent = _indent(text.lines[line])
    for following in range(line + 1, min(end, line + 1 + _AFTER, len(text.lines))):
        content = text.lines[following]
        if not content.strip() or (content.lstrip().startswith("- ") and _indent(content) <= indent):
            return
        if content.lstrip().startswith("[") or _closes(text.lines[following - 1]):
            return
        if not text.is_comment(following):
            yield following


def _backward(text: Text, line: int, end: int) -> Iterator[int]:
    """Only keys beside the URL's own: a `ref:` above `repository:`, a `rev =` above `git =`."""
    indent = _indent(text.lines[line])
    for earlier in range(line - 1, max(end, line - 1 - _BEFORE, -1), -1):
        content = text.lines[earlier]
        if _indent(content) != indent or not re.match(r"\s*[\w-]+\s*[:=]", content):
            return
        yield earlier


def _closes(line: str) -> bool:
    """A CMake call ends here."""
    return line.rstrip().endswith(")") and "(" not in line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _named(text: Text, line: int, column: int, written: str) -> Iterator[Named]:
    for value in text.values(written):
        if _is_commit(value):
            yield Named(value, text.at(line, column))


def _is_commit(value: str) -> bool:
    """A short commit has a letter and a digit; a word or a date is none."""
    if not re.fullmatch(r"[0-9a-fA-F]{7,64}", value):
        return False
    return len(value) in (40, 64) or (not value.isdigit() and not value.isalpha())
