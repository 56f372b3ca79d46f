"""The JSON Schema of `[tool.pinproof]`, for editors. Made of the same table that configuration is read by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .settings import SECTIONS, TOP, Section, Setting


def schema() -> dict[str, Any]:
    """Return the schema, in draft 7, of the table `[tool.pinproof]`."""
    properties = {**_properties(TOP), **{name: _section(section) for name, section in SECTIONS.items()}}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "The table [tool.pinproof] of pyproject.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


def _properties(settings: Mapping[str, Setting]) -> dict[str, Any]:
    return {name: {"description": setting.meaning, **setting.kind.schema} for name, setting in settings.items()}


def _section(section: Section) -> dict[str, Any]:
    described = {"description": section.meaning}
    if section.value is not None:
        return {**described, "type": "object", "additionalProperties": section.value.schema}
    table: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": _properties(section.settings),
    }
    if section.required:
        table["required"] = list(section.required)
    if section.shape == "tables":
        return {**described, "type": "array", "items": table}
    if section.shape == "named":
        return {**described, "type": "object", "additionalProperties": table}
    return {**described, **table}
