from __future__ import annotations

import copy
import datetime
import tomllib
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from pinproof.verify.cli import pinproof
from pinproof.verify.config import Config
from pinproof.verify.document import Document
from pinproof.verify.schema import schema

COMPLETE = f"""\
[tool.pinproof]
base = "origin/main"
fail-on = "warning"
require = ["policy"]
hosts = ["wheels.example.org"]
[tool.pinproof.pins.f]
git = "https://example.org/f"
rev = "{"a" * 40}"
branch = "main"
contains = ["{"b" * 64}"]
api = ["m:C.f(x)"]
mutable = "reason"
[[tool.pinproof.mentions]]
pin = "f"
path = "Dockerfile"
template = "F={{commit}}"
[tool.pinproof.tests]
policy = ["tests/policy"]
gpu = ["tests/gpu"]
[tool.pinproof.severity]
PIN004 = "off"
[[tool.pinproof.ignore]]
code = "LCK007"
path = "uv.lock"
package = "torch"
reason = "nightly index"
until = 2027-01-31
"""


def problems(text: str) -> tuple[list[str], list[str]]:
    """Return what the schema and what reading the configuration say about `text`."""
    table = tomllib.loads(text)["tool"]["pinproof"]
    validator = jsonschema.Draft7Validator(schema(), format_checker=jsonschema.FormatChecker())
    by_schema = [error.message for error in validator.iter_errors(_as_json(table))]
    return by_schema, [finding.message for finding in Config.load(Document("pyproject.toml", text.encode())).problems]


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    return value.isoformat() if isinstance(value, datetime.date) else copy.copy(value)


def test_the_schema_is_a_schema_and_accepts_the_whole_configuration() -> None:
    jsonschema.Draft7Validator.check_schema(schema())
    assert problems(COMPLETE) == ([], [])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('base = "origin/main"', "base = 1"),
        ('base = "origin/main"', 'base = " "'),
        ('"warning"', '"info"'),
        ('require = ["policy"]', 'require = "policy"'),
        ('hosts = ["wheels.example.org"]', 'hosts = [""]'),
        (f'rev = "{"a" * 40}"', 'rev = "aaaa"'),
        (f'contains = ["{"b" * 64}"]', 'contains = ["b"]'),
        ('branch = "main"', 'branches = "main"'),
        ('path = "Dockerfile"', 'path = "/etc/passwd"'),
        ('template = "F={commit}"', 'template = "F="'),
        ('policy = ["tests/policy"]', 'policies = ["tests/policy"]'),
        ('PIN004 = "off"', 'PIN004 = "loud"'),
        ('reason = "nightly index"\n', ""),
        ("until = 2027-01-31", 'until = "soon"'),
        ("[tool.pinproof.severity]", "[tool.pinproof.severities]"),
    ],
)
def test_what_reading_refuses_the_schema_refuses(right: str, wrong: str) -> None:
    assert right in COMPLETE
    by_schema, by_reading = problems(COMPLETE.replace(right, wrong))
    assert len(by_schema) == 1
    assert len(by_reading) >= 1


def test_every_key_is_described() -> None:
    listed = schema()["properties"]
    assert [name for name, value in listed.items() if not value.get("description")] == []
    assert listed["pins"]["additionalProperties"]["properties"]["rev"]["description"] == "The reviewed commit, in full."


def test_the_command_prints_it() -> None:
    assert '"title": "The table [tool.pinproof] of pyproject.toml"' in CliRunner().invoke(pinproof, ["schema"]).stdout
