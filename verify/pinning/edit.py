"""The files of a project with another commit in every place of a pin. tomlkit keeps comments, order and style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ..config import ROOT, Config
from ..document import Document
from ..files import InputError
from ..mentions.templates import placeholder
from ..project import Project
from ..requirement import normal_name, parse_requirement
from ..values import PLACEHOLDER

_BOM = b"\xef\xbb\xbf"


def edited(project: Project, config: Config, name: str, commit: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return every file that changes, by path from the project's root: as it was read, and with `commit` in each place.

    uv.lock is not among them. Nothing is written.

    Raises:
        InputError: a file cannot be read or edited.
    """
    documents = {member.document.path: member.document for member in project.members.values() if member.document}
    documents[project.pyproject.path] = project.pyproject
    old: dict[str, bytes] = {}
    new: dict[str, bytes] = {}
    for path, document in documents.items():
        raw = _document(document, name, commit)
        if raw != document.raw:
            old[path], new[path] = document.raw, raw
    for mention in config.mentions:
        if mention.pin == name:
            raw = new.get(mention.path) or _read(project, mention.path)
            changed = _mentioned(raw, mention.template, commit)
            if changed != raw:
                old.setdefault(mention.path, raw)
                new[mention.path] = changed
    return old, new


def _document(document: Document, name: str, commit: str) -> bytes:
    body = document.raw.removeprefix(_BOM)
    try:
        parsed = tomlkit.parse(body.decode())
    except TOMLKitError as error:
        raise InputError(document.path, f"cannot be edited: {error}") from None
    if not _edit(parsed, name, commit, root=document.path == "pyproject.toml"):
        return document.raw
    text = tomlkit.dumps(parsed).encode()
    return document.raw[: len(document.raw) - len(body)] + text


def _edit(data: Any, name: str, commit: str, *, root: bool) -> bool:
    changed = [_source(entry, commit) for entry in _sources(data, name)]
    for requirements in _requirements(data, root=root):
        for number, text in enumerate(requirements):
            parsed = parse_requirement(str(text)) if isinstance(text, str) else None
            if parsed and normal_name(parsed.name) == name and (parsed.url or "").startswith("git+"):
                new = _referring(str(text), commit)
                changed.append(new != text)
                if new != text:
                    requirements[number] = new
    for pin, table in (_get(data, *ROOT, "pins") or {}).items() if root else ():
        if normal_name(str(pin)) == name and table.get("rev") not in (None, commit):
            table["rev"] = commit
            changed.append(True)
    return any(changed)


def _referring(text: str, commit: str) -> str:
    """Return a PEP 508 reference to git with another commit: `name @ git+URL@REV#subdirectory=...`."""
    start = text.index("git+")
    end = next((at for at in range(start, len(text)) if text[at] in " \t;"), len(text))
    base, mark, fragment = text[start:end].partition("#")
    repository, at, _ = base.rpartition("@")
    # An `@` before the path belongs to user information (ssh://git@host/...), not to a revision.
    if not at or "/" not in repository.partition("://")[2]:
        repository = base
    return f"{text[:start]}{repository}@{commit}{mark}{fragment}{text[end:]}"


def _source(entry: Any, commit: str) -> bool:
    """Set the commit of one git source; a tag or branch gives way to it."""
    if entry.get("rev") == commit and not {"tag", "branch"} & set(entry):
        return False
    given = next((key for key in ("tag", "branch") if key in entry), None)
    if given and "rev" not in entry:
        # Nothing public renames a key where it stands; taking it out and adding another leaves stray blanks behind.
        entry.value._replace(given, "rev", tomlkit.item(commit))
    else:
        entry["rev"] = commit
    return True


def _sources(data: Any, name: str) -> Iterator[Any]:
    for key, value in (_get(data, "tool", "uv", "sources") or {}).items():
        if normal_name(str(key)) == name:
            for entry in value if isinstance(value, list) else [value]:
                if isinstance(entry, dict) and "git" in entry:
                    yield entry


def _requirements(data: Any, *, root: bool) -> Iterator[Any]:
    yield _get(data, "project", "dependencies") or []
    for keys in (("project", "optional-dependencies"), ("dependency-groups",)):
        yield from (value for value in (_get(data, *keys) or {}).values() if isinstance(value, list))
    yield _get(data, "tool", "uv", "dev-dependencies") or []
    if root:
        for kind in ("override", "constraint", "build-constraint"):
            yield _get(data, "tool", "uv", f"{kind}-dependencies") or []


def _get(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _read(project: Project, path: str) -> bytes:
    try:
        return project.tree.read(path)
    except FileNotFoundError:
        raise InputError(path, "does not exist, and [[tool.pinproof.mentions]] names it") from None


def _mentioned(raw: bytes, template: str, commit: str) -> bytes:
    """Return a file with the commit in place of what its template's placeholder stands for; a version is left alone."""
    kind = placeholder(template)
    if kind == "version":
        return raw
    before, _, after = PLACEHOLDER.split(template, maxsplit=1)
    pattern = re.compile(re.escape(before.encode()) + rb"([0-9a-fA-F]{7,64})" + re.escape(after.encode()))

    def put(match: re.Match[bytes]) -> bytes:
        new = commit if kind == "commit" else commit[: len(match[1])]
        return before.encode() + new.encode() + after.encode()

    return pattern.sub(put, raw)
