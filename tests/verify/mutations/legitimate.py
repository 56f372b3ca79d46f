"""Changes of a lock that are legitimate: nothing but information may be said of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .projects import Project
from .text import LockText

Edit = Callable[[str], str]
_WHEELS = re.compile(r"(?m)^wheels = \[\n((?:    \{[^\n]*\},\n)+)\]")


@dataclass(frozen=True, slots=True)
class Change:
    """One legitimate change: of the lock, of pyproject.toml, or of both."""

    name: str
    lock: Edit = str
    pyproject: Edit = str

    def of(self, project: Project) -> Mapping[str, str]:
        lock, text = self.lock(project.files["uv.lock"]), self.pyproject(project.files["pyproject.toml"])
        return {**project.files, "uv.lock": lock, "pyproject.toml": text}


def _sub(pattern: str, replacement: str, *, count: int = 0) -> Edit:
    return lambda text: re.sub(pattern, replacement, text, count=count)


def _entries(change: Callable[[list[str]], list[str]]) -> Edit:
    def edit(text: str) -> str:
        lock = LockText(text)
        return lock.head + "\n".join(entry.rstrip("\n") + "\n" for entry in change(lock.entries))

    return edit


def _reversed_wheels(text: str) -> str:
    def turned(match: re.Match[str]) -> str:
        return "wheels = [\n" + "\n".join(reversed(match[1].rstrip("\n").split("\n"))) + "\n]"

    return _WHEELS.sub(turned, text)


def _reversed_keys(text: str) -> str:
    """Turn the keys of every file round: `{ size, hash, url }`."""
    return re.sub(r'\{ (url = "[^"]*"), (hash = "[^"]*"), (size = \d+)', r"{ \3, \2, \1", text)


def _sources_first(text: str) -> str:
    return re.sub(r'(?m)^(name = "[^"]*")\n(version = "[^"]*")\n(source = [^\n]*)$', r"\3\n\2\n\1", text)


def _single_quotes(text: str) -> str:
    return re.sub(r'(url|hash|name|version) = "([^"\'\\\n]*)"', r"\1 = '\2'", text)


def _multiline_strings(text: str) -> str:
    return re.sub(r'(?m)^version = "([^"]*)"$', r'version = """\1"""', text)


def _added_wheel(text: str) -> str:
    """Add a wheel for another platform to the first package that has some."""

    def more(match: re.Match[str]) -> str:
        line = match[1].split("\n", 1)[0]
        other = re.sub(r"-[^-/]+-[^-/]+-[^-/]+\.whl", "-cp399-cp399-win_arm64.whl", line)
        other = re.sub(r"sha256:[0-9a-f]{64}", f"sha256:{'3' * 64}", other)
        return f"wheels = [\n{match[1]}{other}\n]"

    return _WHEELS.sub(more, text, count=1)


def _own_mirror(host: str) -> tuple[Edit, Edit]:
    """Serve all files from another host, which is declared."""
    lock = _sub(r'url = "https://[^/"]+/', f'url = "https://{host}/')
    return lock, lambda text: f'{text.rstrip()}\n\n[[tool.uv.index]]\nname = "m"\nurl = "https://{host}/simple"\n'


def _one_file(url: str) -> Edit:
    """Write the address of the first file otherwise: `url` has the parts `{host}` and `{path}`."""

    def edit(text: str) -> str:
        match = re.search(r'\{ url = "https://([^/"]+)(/[^"]*)"', text)
        if match is None:
            return text
        new = url.format(host=match[1], HOST=match[1].upper(), path=match[2])
        return text.replace(match[0], f'{{ url = "{new}"', 1)

    return edit


def _normalised(change: Callable[[str], str]) -> Edit:
    """Write the names that the project depends on otherwise."""

    def edit(text: str) -> str:
        name = re.compile(r'(?m)^(    "|.*= \[")([A-Za-z][A-Za-z0-9-]*)(?=[\[<>=!~; "])')
        return name.sub(lambda match: match[1] + change(match[2]), text)

    return edit


def _capital_digest(text: str) -> str:
    return re.sub(_DIGEST, lambda match: f'hash = "sha256:{match[1].upper()}"', text, count=1)


def _allowed(text: str) -> str:
    if "[tool.pinproof]\n" in text:
        return text.replace("[tool.pinproof]\n", '[tool.pinproof]\nhosts = ["files.allowed.example"]\n', 1)
    return f'{text.rstrip()}\n\n[tool.pinproof]\nhosts = ["files.allowed.example"]\n'


_MIRROR_LOCK, _MIRROR_PROJECT = _own_mirror("files.mirror.example")
_DIGEST = r"hash = \"sha256:([0-9a-f]{64})\""

CHANGES: tuple[Change, ...] = (
    # form
    Change("line ends of Windows in the lock", _sub("\n", "\r\n")),
    Change("line ends of Windows in pyproject.toml", pyproject=_sub("\n", "\r\n")),
    Change("line ends of Windows in both", _sub("\n", "\r\n"), _sub("\n", "\r\n")),
    Change("a byte order mark in the lock", lambda text: f"\ufeff{text}"),
    Change("a byte order mark in pyproject.toml", pyproject=lambda text: f"\ufeff{text}"),
    Change("no newline at the end", lambda text: text.rstrip("\n"), lambda text: text.rstrip("\n")),
    Change("blank lines at the end", lambda text: text + "\n\n\n", lambda text: text + "\n\n\n"),
    Change("blank lines at the start", lambda text: "\n\n" + text),
    Change("blank lines between all lines", _sub(r"\n", "\n\n")),
    Change("trailing blanks", _sub(r"\n", "  \n")),
    Change("trailing tabs in pyproject.toml", pyproject=_sub(r"\n", "\t\n")),
    Change("a comment at the top", lambda text: "# made by uv\n" + text, lambda text: "# hand-made\n" + text),
    Change("a comment before every entry", _sub(r"(?m)^\[\[package\]\]", "# next\n[[package]]")),
    Change("a comment after every header", _sub(r"(?m)^\[\[package\]\]", "[[package]]  # an entry")),
    Change("blanks in every header", _sub(r"(?m)^\[\[package\]\]", "[[ package ]]")),
    Change("quoted headers", _sub(r"(?m)^\[\[package\]\]", '[["package"]]')),
    Change("indented headers", _sub(r"(?m)^\[\[package\]\]", "    [[package]]")),
    Change("tabs in place of four blanks", _sub(r"(?m)^    ", "\t")),
    Change("no blanks around equals signs", _sub(r"(?m)^(\w[\w-]*) = ", r"\1=")),
    Change("blanks left out in files", _sub(r"\{ (url = [^\n]*) \},", r"{\1},")),
    Change("single quotes", _single_quotes),
    Change("quoted keys", _sub(r"(?m)^(name|version|source) = ", r'"\1" = ')),
    Change("strings of several lines", _multiline_strings),
    Change("escaped letters", _sub(r'hash = "sha256:', 'hash = "\\\\u0073ha256:')),
    Change("no comma after the last file", _sub(r"\},\n\]", "}\n]")),
    # order
    Change("entries in reverse", _entries(lambda entries: entries[::-1])),
    Change("the first entry last", _entries(lambda entries: [*entries[1:], entries[0]])),
    Change("files in reverse", _reversed_wheels),
    Change("keys of files in another order", _reversed_keys),
    Change("source before name", _sources_first),
    Change("revision before version", _sub(r"\Aversion = 1\nrevision = (\d+)\n", r"revision = \1\nversion = 1\n")),
    # what other versions of uv write
    Change(
        "revision 2, without upload times",
        lambda text: _sub(r"revision = \d+", "revision = 2", count=1)(_sub(r', upload-time = "[^"]*"', "")(text)),
    ),
    Change("revision 3", _sub(r"revision = \d+", "revision = 3", count=1)),
    Change("no upload times", _sub(r', upload-time = "[^"]*"', "")),
    Change("no sizes", _sub(r", size = \d+", "")),
    Change("no size of one file", _sub(r", size = \d+", "", count=1)),
    Change("neither sizes nor upload times", _sub(r', (?:size = \d+|upload-time = "[^"]*")', "")),
    Change("upload times with fractions", _sub(r'upload-time = "([^".Z]*)(?:\.\d+)?Z"', r'upload-time = "\1.123456Z"')),
    Change("a wheel added", _added_wheel),
    Change("sources removed where there are wheels", _sub(r"(?m)^sdist = [^\n]*\n(?=wheels)", "")),
    # addresses and digests
    Change("all files on a declared host", _MIRROR_LOCK, _MIRROR_PROJECT),
    Change("one file on a declared host", _one_file("https://files.mirror.example{path}"), _MIRROR_PROJECT),
    Change("one file on an allowed host", _one_file("https://files.allowed.example{path}"), _allowed),
    Change("the default port", _one_file("https://{host}:443{path}")),
    Change("a host in capitals", _one_file("https://{HOST}{path}")),
    Change("a fragment", _one_file("https://{host}{path}#part")),
    Change("a stronger digest", _sub(_DIGEST, r'hash = "sha512:\1\1"', count=1)),
    Change("a digest in capitals", _capital_digest),
    # pyproject.toml
    Change("names in capitals", pyproject=_normalised(str.upper)),
    Change("names with underscores", pyproject=_normalised(lambda name: name.replace("-", "_"))),
    Change("names with dots", pyproject=_normalised(lambda name: name.replace("-", "."))),
    Change("blanks in requirements", pyproject=_sub(r'(?m)^(    "[a-z-]+)(>=)([\d.]+)', r"\1 \2 \3")),
    Change("markers with other quotes", pyproject=_sub(r"sys_platform == 'linux'\"", "'linux'  ==  sys_platform\"")),
    Change("settings of another tool", pyproject=_sub(r"\Z", "\n[tool.black]\nline-length = 88\n")),
)
