"""What a check is, and what it can say."""

from __future__ import annotations

import enum
import posixpath
from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from .escape import clean

if TYPE_CHECKING:
    from .context import Context


class Severity(enum.StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for information, 1 for a warning, 2 for an error."""
        return {"info": 0, "warning": 1, "error": 2}[self.value]


class Status(enum.StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not_run"
    ERRORED = "errored"

    @property
    def words(self) -> str:
        return self.value.replace("_", " ")


class Location(NamedTuple):
    """A place in a file. `line` and `column` are 1-based; columns count Unicode code points.

    `path` is relative to the project's root, with forward slashes.
    """

    path: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{clean(self.path)}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that a finding is about, and what stands there."""

    location: Location
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", clean(self.message))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem. A disagreement is two-sided: `location` is one place, `related` holds the others.

    Attributes:
        code: the code of the check that found it.
        message: what was found and what was expected, on one line.
        severity: what the check says; configuration may change it.
        hint: what to do.
        package: the normalised name of the package it is about, for ignores.
    """

    code: str
    message: str
    severity: Severity = Severity.ERROR
    location: Location | None = None
    related: tuple[Related, ...] = ()
    hint: str | None = None
    package: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", clean(self.message))
        if self.hint is not None:
            object.__setattr__(self, "hint", clean(self.hint))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One executed case: a policy case or a test."""

    name: str
    status: Status
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", clean(self.name))
        object.__setattr__(self, "reason", clean(self.reason))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that a check read and a report shows: for a pin, where its commit is named and which one."""

    subject: str
    role: str
    value: str

    def __post_init__(self) -> None:
        for name in ("subject", "role", "value"):
            object.__setattr__(self, name, clean(getattr(self, name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What a check looked at, in words for its line, the cases it executed, and what it read."""

    detail: str
    cases: tuple[Case, ...] = ()
    facts: tuple[Fact, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", clean(self.detail))

    def count(self, status: Status) -> int:
        return sum(case.status is status for case in self.cases)


class NotRun(Exception):  # noqa: N818 - it is an answer, not an error
    """Raised by a check that cannot tell here; the message is the reason. Never a pass, never a failure."""

    def __init__(self, reason: str, *, cases: tuple[Case, ...] = ()) -> None:
        super().__init__(reason)
        self.cases = cases


@dataclass(frozen=True, slots=True)
class Check:
    """One check. Its module is named after it, and is imported when the check runs; `run(context)` in it does the work.

    Attributes:
        code: unique, three letters of its family and three digits.
        name: unique; what `--require` and `pinproof gate --require` take.
        summary: one line for `pinproof list`.
        severity: the highest severity that its findings have unless configured otherwise.
        requires: names of checks that must have passed before; otherwise this one is not run.
        executes: it runs code or programs; left out by `--static`.
        in_git: it reads the git checkout around the project, and is not run outside of one.
        opt_in: the option that it needs, `base` or `online`; without it the check is left out unless it is named.
    """

    code: str
    name: str
    summary: str
    _: KW_ONLY
    severity: Severity = Severity.ERROR
    requires: tuple[str, ...] = ()
    executes: bool = False
    in_git: bool = False
    opt_in: str = ""

    def run(self, context: Context) -> Iterable[Finding | Tally]:
        """Yield findings and at most one `Tally`. Raises `NotRun` where it cannot tell."""
        found: Iterable[Finding | Tally] = self._module.run(context)
        return found

    @property
    def documentation(self) -> str:
        """The docstring of its module: what `pinproof explain CODE` prints."""
        import inspect

        return inspect.cleandoc(self._module.__doc__ or "")

    @property
    def _module(self) -> Any:
        return import_module(f"{__package__}.checks.{self.name.replace('-', '_')}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one check said. `ignored` holds the findings that configuration set aside, with the reasons."""

    check: Check
    status: Status
    findings: tuple[Finding, ...] = ()
    ignored: tuple[tuple[Finding, str], ...] = ()
    reason: str = ""
    tally: Tally | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", clean(self.reason))

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcomes of one run over one project.

    `exit_code` is 0 when clean; 1 for a finding at or above `fail_on`, or a required check that did not run; 2 when a
    check of ours crashed, or the project could not be read.

    Attributes:
        root: the project's folder as the user named it.
        folder: the same folder relative to the root of the git checkout around it, with forward slashes; outside a
            checkout as the user named it.
        outcomes: what each check said.
        fail_on: the lowest severity that fails.
        required: names of the checks that must have run.
        error: why the project could not be read; there are no outcomes then.
        hint: what to do about `error`.
    """

    root: str
    outcomes: tuple[Outcome, ...]
    folder: str = "."
    fail_on: Severity = Severity.ERROR
    required: frozenset[str] = field(default_factory=frozenset)
    error: str | None = None
    hint: str | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for outcome in self.outcomes for finding in outcome.findings)

    @property
    def missing(self) -> tuple[Outcome, ...]:
        """Required checks that did not run."""
        return tuple(o for o in self.outcomes if o.check.name in self.required and o.status is Status.NOT_RUN)

    def path(self, location: Location) -> str:
        """Return the path of `location` relative to the git checkout around the project, not only to the project."""
        return posixpath.normpath(posixpath.join(self.folder, location.path))

    @property
    def exit_code(self) -> int:
        if self.error is not None or any(outcome.status is Status.ERRORED for outcome in self.outcomes):
            return 2
        failed = any(o.status is Status.FAILED for o in self.outcomes)
        return int(failed or bool(self.missing) or any(f.severity.rank >= self.fail_on.rank for f in self.findings))
