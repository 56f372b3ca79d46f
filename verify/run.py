"""Runs checks over one project. It never prints and never exits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from graphlib import TopologicalSorter
from pathlib import Path

from .accepted import apply_config, graded
from .checks import CHECKS
from .config import Config
from .context import Context, Options
from .files import InputError
from .model import Check, Finding, NotRun, Outcome, Report, Severity, Status, Tally
from .project import Project


class UnknownCheckError(ValueError):
    """A name, code or prefix that no check has."""


def check(
    path: str | Path = ".",
    *,
    options: Options | None = None,
    config: Config | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    require: Sequence[str] = (),
    fail_on: Severity | None = None,
) -> Report:
    """Check the uv project in the directory `path` and return the report.

    Args:
        path: the folder that holds pyproject.toml and uv.lock.
        options: what is allowed; by default programs are executed and no network is used.
        config: trusted configuration instead of the project's own `[tool.pinproof]`; with a base it is the base's.
        select: codes, prefixes of codes, or names of the checks to run; all when empty.
        ignore: codes, prefixes of codes, or names of the checks to leave out.
        require: names of checks that must have run, beside those that the configuration requires.
        fail_on: the lowest severity that makes the report fail, instead of the configured one.

    Raises:
        InputError: the project or its base cannot be read.
        UnknownCheckError: `select`, `ignore` or `require` names no check.
    """
    project = Project.load(Path(path))
    options = options or Options()
    base = None
    if options.base is not None:
        from .base import ci_environment, load_base

        default = Config.load(project.pyproject).base
        base = load_base(project.root, options.base, default=default, environment=ci_environment())
    config = config or (base.config if base else Config.load(project.pyproject))
    context = Context(project=project, config=config, options=options, base=base)
    return run_checks(context, select=select, ignore=ignore, require=require, fail_on=fail_on)


def run_checks(
    context: Context,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    require: Sequence[str] = (),
    fail_on: Severity | None = None,
) -> Report:
    """Run the selected checks in the order of their prerequisites. See `check`."""
    required = frozenset(require) | frozenset(context.config.require)
    given = {"base"} if context.base else set()
    given |= {"online"} if context.options.online else set()
    chosen = [
        check
        for check in choose(select, ignore)
        if not check.opt_in or check.opt_in in given or select or check.name in required
    ]
    for name in sorted(required):
        if name not in {check.name for check in CHECKS}:
            raise UnknownCheckError(_unknown(name, "check"))
    outcomes: dict[str, Outcome] = {}
    for check in _ordered(chosen):
        outcomes[check.name] = _judged(check, context, outcomes)
    known = {check.code for check in CHECKS}
    applied = apply_config([outcomes[check.name] for check in chosen], context, known)
    return Report(
        root=context.project.name,
        folder=context.project.folder,
        outcomes=tuple(applied),
        fail_on=fail_on or context.config.fail_on,
        required=required & {check.name for check in chosen},
    )


def choose(select: Iterable[str], ignore: Iterable[str]) -> list[Check]:
    """Return the checks that `select` names, without those that `ignore` names, in their listed order.

    Raises:
        UnknownCheckError: a selector names no check.
    """
    chosen = {check.code for name in select for check in _named(name)} or {check.code for check in CHECKS}
    chosen -= {check.code for name in ignore for check in _named(name)}
    return [check for check in CHECKS if check.code in chosen]


def _named(selector: str) -> list[Check]:
    found = [check for check in CHECKS if check.name == selector or check.code.startswith(selector.upper())]
    if not selector or not found:
        raise UnknownCheckError(_unknown(selector, "check, code or prefix"))
    return found


def _unknown(name: str, kind: str) -> str:
    return f"no {kind} is called {name!r}; there are {', '.join(f'{c.code} {c.name}' for c in CHECKS)}"


def _ordered(checks: Sequence[Check]) -> list[Check]:
    by_name = {check.name: check for check in checks}
    graph = {check.name: [name for name in check.requires if name in by_name] for check in checks}
    return [by_name[name] for name in TopologicalSorter(graph).static_order()]


def _judged(check: Check, context: Context, earlier: dict[str, Outcome]) -> Outcome:
    if check.executes and context.options.static:
        return Outcome(check=check, status=Status.NOT_RUN, reason="it executes programs, and --static forbids that")
    if check.in_git and context.project.checkout is None:
        return Outcome(check=check, status=Status.NOT_RUN, reason="the project is in no git checkout")
    for name in check.requires:
        if name in earlier and earlier[name].status is not Status.PASSED:
            reason = f"it needs {name}, which is {earlier[name].status.words}"
            return Outcome(check=check, status=Status.NOT_RUN, reason=reason)
    findings: list[Finding] = []
    tally: Tally | None = None
    try:
        for said in check.run(context):
            if isinstance(said, Tally):
                tally = said
            else:
                findings.append(said)
    except NotRun as answer:
        partial = Tally(detail="", cases=answer.cases) if answer.cases else tally
        return graded(
            Outcome(check=check, status=Status.NOT_RUN, reason=str(answer), findings=tuple(findings), tally=partial)
        )
    except InputError as error:
        return Outcome(check=check, status=Status.ERRORED, reason=str(error), findings=tuple(findings), tally=tally)
    except RecursionError:
        return Outcome(check=check, status=Status.ERRORED, reason="the input is nested too deeply for this check")
    except Exception as error:
        reason = f"{type(error).__name__}: {error}; this is a bug in pinproof, please report it"
        return Outcome(check=check, status=Status.ERRORED, reason=reason, findings=tuple(findings), tally=tally)
    return graded(Outcome(check=check, status=Status.PASSED, findings=tuple(findings), tally=tally))
