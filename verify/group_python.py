"""The versions of Python that a dependency group is for: `[tool.uv.dependency-groups]`."""

from __future__ import annotations

from .document import Document
from .markers import Condition, condition
from .requirement import normal_name, specifiers


def group_python(document: Document, group: str) -> Condition:
    """Return the condition that uv adds to every requirement of `group`: its range and those of included groups."""
    settings = document.get("tool", "uv", "dependency-groups")
    if not isinstance(settings, dict):
        return ()
    groups = document.get("dependency-groups")
    names = _with_included(groups if isinstance(groups, dict) else {}, group)
    found: list[tuple[str, str]] = []
    for name, setting in settings.items():
        text = setting.get("requires-python") if isinstance(setting, dict) else None
        if normal_name(name) in names and isinstance(text, str):
            try:
                found += [part for one in specifiers(text) for part in _part(one.operator, one.version)]
            except ValueError:
                continue
    return tuple(found)


def _part(operator: str, version: str) -> Condition:
    return condition(f"python_full_version {operator} '{version}'")


def _with_included(groups: dict[str, object], group: str) -> set[str]:
    entries: dict[str, object] = {normal_name(name): value for name, value in groups.items()}
    seen, waiting = {group}, [group]
    while waiting:
        value = entries.get(waiting.pop())
        for entry in value if isinstance(value, list) else ():
            included = entry.get("include-group") if isinstance(entry, dict) else None
            if isinstance(included, str) and (name := normal_name(included)) not in seen:
                seen.add(name)
                waiting.append(name)
    return seen
