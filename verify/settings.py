"""Every key of `[tool.pinproof]`: the one table that reading, the JSON Schema and docs/configuration.md go by."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .values import COMMIT, COMMITS, DATE, FLAG, INSIDE, INSIDES, INTERFACES, TEMPLATE, TEXT, TEXTS, Kind, one_of


class Setting(NamedTuple):
    """One key: what its value may be, and what it means."""

    kind: Kind
    meaning: str


class Section(NamedTuple):
    """One table below `[tool.pinproof]`.

    Attributes:
        header: how it is written.
        meaning: what it is for.
        settings: its keys; for a table of names (`pins`, `severity`) the keys of each name's value.
        required: keys that each entry must have.
        shape: `table`, `tables` for an array of tables, `named` for a table a name, `values` for a value a name.
    """

    header: str
    meaning: str
    shape: str
    settings: Mapping[str, Setting] = MappingProxyType({})
    required: tuple[str, ...] = ()
    value: Kind | None = None


TOP: Mapping[str, Setting] = {
    "base": Setting(TEXT, "The revision that `--base` compares with when none is given."),
    "fail-on": Setting(one_of("error", "warning"), 'The lowest severity that fails; `"error"` by default.'),
    "require": Setting(TEXTS, "Names of checks that must have run; one that did not makes the run fail."),
    "hosts": Setting(TEXTS, "File hosts and registries that are allowed beside those of `tool.uv.index`."),
    "sign-off": Setting(FLAG, "Whether every commit of a change must be signed off by its author."),
    "tables": Setting(INSIDES, "Measured policy tables, as `pinproof tune gather` writes them."),
}
SEVERITY = one_of("error", "warning", "info", "off")
SECTIONS: Mapping[str, Section] = {
    "pins": Section(
        "[tool.pinproof.pins.NAME]",
        "The reviewed commit of the dependency NAME. Every place that names its source must agree with it.",
        "named",
        {
            "git": Setting(TEXT, "The reviewed repository."),
            "rev": Setting(COMMIT, "The reviewed commit, in full."),
            "branch": Setting(TEXT, "The branch that the commit must be reachable from."),
            "contains": Setting(COMMITS, "Commits that it must contain."),
            "api": Setting(INTERFACES, "Interfaces that it must have: `module:Class.method(keyword, keyword)`."),
            "mutable": Setting(TEXT, "The reason for which a branch, a tag or a short commit is allowed."),
        },
    ),
    "mentions": Section(
        "[[tool.pinproof.mentions]]",
        "A place outside of pyproject.toml and uv.lock that names a pin and must be kept in step.",
        "tables",
        {
            "pin": Setting(TEXT, "The name of the pin; it must be stated under `pins`."),
            "path": Setting(INSIDE, "The file, relative to the project."),
            "template": Setting(
                TEMPLATE, "Literal text around one `{commit}`, `{short}` or `{version}`; no regular expression."
            ),
        },
        ("pin", "path", "template"),
    ),
    "tests": Section(
        "[tool.pinproof.tests]",
        "The project's own tests. They run in the project's environment, and never under `--static`.",
        "table",
        {
            "policy": Setting(INSIDES, "Files or folders of the policy tests."),
            "gpu": Setting(INSIDES, "Files or folders of the tests marked `gpu`."),
        },
    ),
    "severity": Section(
        "[tool.pinproof.severity]",
        "CODE = severity: what the findings of a check count as, instead of what the check says.",
        "values",
        value=SEVERITY,
    ),
    "ignore": Section(
        "[[tool.pinproof.ignore]]",
        "Findings that are accepted. One that matches nothing, or is past its date, is a finding itself.",
        "tables",
        {
            "code": Setting(TEXT, "The code of the check, in full."),
            "reason": Setting(TEXT, "Why the finding is accepted."),
            "path": Setting(INSIDE, "Only where a place of the finding is in this file."),
            "package": Setting(TEXT, "Only for this package."),
            "until": Setting(DATE, "The last day on which it counts."),
        },
        ("code", "reason"),
    ),
}
