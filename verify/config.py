"""`[tool.pinproof]`: read strictly, with every problem a finding at its line."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .document import Document, Key, describe
from .escape import clean
from .inline import comments
from .model import Finding, Location, Severity
from .requirement import normal_name
from .settings import SECTIONS, SEVERITY, TOP, Setting

ROOT = ("tool", "pinproof")
CODE = "CFG001"


class Pin(NamedTuple):
    """The reviewed commit of one dependency, as `[tool.pinproof.pins.NAME]` states it."""

    name: str
    keys: tuple[Key, ...]
    git: str | None = None
    rev: str | None = None
    branch: str | None = None
    contains: tuple[str, ...] = ()
    api: tuple[str, ...] = ()
    mutable: str | None = None


class Mention(NamedTuple):
    """A place outside pyproject.toml that names a pin: literal text around one placeholder in a file."""

    keys: tuple[Key, ...]
    pin: str
    path: str
    template: str


class Ignore(NamedTuple):
    """A finding that is accepted, with the reason.

    `line` is the text of the line that a comment stands on; such an ignore accepts what is found at that line.
    """

    location: Location
    code: str
    reason: str
    path: str | None = None
    package: str | None = None
    until: datetime.date | None = None
    line: str | None = None

    def matches(self, finding: Finding) -> bool:
        if self.code != finding.code:
            return False
        if self.package is not None and self.package != finding.package:
            return False
        places = [finding.location, *(related.location for related in finding.related)]
        return self.path is None or any(place is not None and place.path == self.path for place in places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The whole configuration. `problems` are findings about the configuration itself."""

    document: Document
    base: str | None = None
    fail_on: Severity = Severity.ERROR
    require: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    sign_off: bool = False
    tables: tuple[str, ...] = ()
    pins: Mapping[str, Pin] = field(default_factory=dict)
    mentions: tuple[Mention, ...] = ()
    tests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    severity: Mapping[str, Severity | None] = field(default_factory=dict)
    ignores: tuple[Ignore, ...] = ()
    problems: tuple[Finding, ...] = ()

    @classmethod
    def load(cls, document: Document) -> Config:
        """Read `[tool.pinproof]` of `document`; what cannot be used is left out and reported in `problems`."""
        return _Reader(document).config()


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Finding] = []

    def config(self) -> Config:
        root = self._table(ROOT)
        for key in root:
            if key not in TOP and key not in SECTIONS:
                self._unknown((*ROOT, key), (*TOP, *SECTIONS))
        top = self._values(ROOT, {key: value for key, value in root.items() if key in TOP}, TOP)
        return Config(
            document=self.document,
            base=top.get("base"),
            fail_on=Severity(top.get("fail-on", "error")),
            require=tuple(top.get("require", ())),
            hosts=tuple(host.lower() for host in top.get("hosts", ())),
            sign_off=top.get("sign-off", False),
            tables=tuple(top.get("tables", ())),
            pins={pin.name: pin for pin in self._pins()},
            mentions=tuple(self._mentions()),
            tests={name: tuple(paths) for name, paths in self._section("tests").items()},
            severity=self._severities(),
            ignores=(*self._ignores(), *self._comments()),
            problems=tuple(self.problems),
        )

    def _pins(self) -> list[Pin]:
        pins = []
        for name in self._table((*ROOT, "pins")):
            keys = (*ROOT, "pins", name)
            values = self._values(keys, self._table(keys), SECTIONS["pins"].settings)
            pins.append(
                Pin(
                    name=normal_name(name),
                    keys=keys,
                    git=values.get("git"),
                    rev=values["rev"].lower() if "rev" in values else None,
                    branch=values.get("branch"),
                    contains=tuple(commit.lower() for commit in values.get("contains", ())),
                    api=tuple(values.get("api", ())),
                    mutable=values.get("mutable"),
                )
            )
        return pins

    def _mentions(self) -> list[Mention]:
        found = []
        for keys, values in self._array("mentions"):
            pin = normal_name(values["pin"])
            if pin not in {normal_name(name) for name in self._table((*ROOT, "pins"))}:
                self._problem((*keys, "pin"), f"no pin `{pin}` is stated", "add [tool.pinproof.pins] for it")
                continue
            found.append(Mention(keys=keys, pin=pin, path=values["path"], template=values["template"]))
        return found

    def _ignores(self) -> list[Ignore]:
        found = []
        for keys, values in self._array("ignore"):
            package = values.get("package")
            found.append(
                Ignore(
                    location=self.document.locate(*keys),
                    code=values["code"],
                    reason=values["reason"],
                    path=values.get("path"),
                    package=normal_name(package) if package else None,
                    until=values.get("until"),
                )
            )
        return found

    def _comments(self) -> list[Ignore]:
        found = []
        for comment in comments(self.document):
            if comment.problem is None:
                place, code, reason = comment.location, comment.code, comment.reason
                found.append(Ignore(location=place, code=code, reason=reason, line=comment.line))
            else:
                hint = "write `# pinproof: ignore[CODE] reason`"
                self.problems.append(Finding(code=CODE, message=comment.problem, location=comment.location, hint=hint))
        return found

    def _severities(self) -> dict[str, Severity | None]:
        found: dict[str, Severity | None] = {}
        for code, value in self._table((*ROOT, "severity")).items():
            if not SEVERITY.accepts(value):
                self._wrong((*ROOT, "severity", code), value, SEVERITY.expected)
            else:
                found[code] = None if value == "off" else Severity(value)
        return found

    def _section(self, name: str) -> dict[str, Any]:
        return self._values((*ROOT, name), self._table((*ROOT, name)), SECTIONS[name].settings)

    def _array(self, name: str) -> list[tuple[tuple[Key, ...], dict[str, Any]]]:
        allowed, required = SECTIONS[name].settings, SECTIONS[name].required
        entries = self.document.get(*ROOT, name) if isinstance(self.document.get(*ROOT), dict) else None
        if entries is not None and not isinstance(entries, list):
            self._wrong((*ROOT, name), entries, f"an array of tables, [[tool.pinproof.{name}]]")
            return []
        found = []
        for number, entry in enumerate(entries or ()):
            keys: tuple[Key, ...] = (*ROOT, name, number)
            if not isinstance(entry, dict):
                self._wrong(keys, entry, "a table")
                continue
            values = self._values(keys, entry, allowed)
            missing = [key for key in required if key not in entry]
            if missing:
                self._problem(keys, f"`{name}` has no `{missing[0]}`", f"add `{missing[0]} = ...`")
            if all(key in values for key in required):
                found.append((keys, values))
        return found

    def _table(self, keys: tuple[str, ...]) -> dict[str, Any]:
        value = self.document.get(*keys)
        if value is not None and not isinstance(value, dict):
            self._wrong(keys, value, "a table")
        return value if isinstance(value, dict) else {}

    def _values(
        self, keys: tuple[Key, ...], table: Mapping[str, Any], allowed: Mapping[str, Setting]
    ) -> dict[str, Any]:
        found = {}
        for key, value in table.items():
            if key not in allowed:
                self._unknown((*keys, key), tuple(allowed))
            elif not allowed[key].kind.accepts(value):
                self._wrong((*keys, key), value, allowed[key].kind.expected)
            else:
                found[key] = value
        return found

    def _unknown(self, keys: tuple[Key, ...], allowed: tuple[str, ...]) -> None:
        self._problem(keys, f"unknown key `{_dotted(keys)}`", f"expected one of {', '.join(allowed)}")

    def _wrong(self, keys: tuple[Key, ...], value: object, expected: str) -> None:
        shown = f"{value!r}" if isinstance(value, str | int | float) else describe(value)
        self._problem(keys, f"`{_dotted(keys)}` is {shown}, expected {expected}", f"write {expected}")

    def _problem(self, keys: tuple[Key, ...], message: str, hint: str) -> None:
        place = self.document.locate(*keys)
        problem = Finding(code=CODE, message=message, location=place, hint=clean(hint))
        if problem not in self.problems:
            self.problems.append(problem)


def _dotted(keys: tuple[Key, ...]) -> str:
    return ".".join(str(key) for key in keys)
