"""`pinproof check`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from ..config import Config
from ..context import Options
from ..document import Document
from ..files import InputError
from ..fleet import Arguments, check_projects, find_projects
from ..formats import FORMATS
from ..model import Report, Severity
from ..publish import publish, report_files
from ..run import UnknownCheckError, check

if TYPE_CHECKING:
    from ..evidence.writer import RunRecord

_SELECTOR = "CODE"


def _split(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(","))


@click.command("check")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="Output form.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file, whole or not at all.")
@click.option(
    "--report", "files", metavar="FORMAT=FILE", multiple=True, callback=report_files, help="Write this file, too."
)
@click.option("--select", multiple=True, callback=_split, metavar=_SELECTOR, help="Run these codes, prefixes or names.")
@click.option("--ignore", multiple=True, callback=_split, metavar=_SELECTOR, help="Leave these out.")
@click.option("--require", multiple=True, callback=_split, metavar="NAME", help="Fail unless this check ran.")
@click.option("--static", is_flag=True, help="Execute nothing: neither code of the project nor uv or pytest.")
@click.option("--allow-build", is_flag=True, help="Let uv run the project's build backends to judge the lock.")
@click.option("--python", type=click.Path(path_type=Path), help="Interpreter of the project's environment.")
@click.option(
    "--base",
    is_flag=False,
    flag_value="",
    metavar="[REVISION]",
    help="Compare with a revision, and trust its configuration.",
)
@click.option("--online", is_flag=True, help="Allow the network, for hosts of trusted configuration.")
@click.option("--host", "hosts", multiple=True, metavar="HOST", help="Host that --online may contact, too.")
@click.option(
    "--clone",
    "clones",
    multiple=True,
    type=click.Path(path_type=Path),
    envvar="PINPROOF_CLONES",
    help="Clone or mirror of a pinned dependency, to read its history from.",
)
@click.option("--fail-on", type=click.Choice(["error", "warning"]), help="Lowest severity that fails.")
@click.option("--evidence", type=click.Path(path_type=Path, dir_okay=False), help="Write the record of this run.")
@click.option("--config", type=click.Path(path_type=Path), help="Trusted file with [tool.pinproof], used instead.")
@click.option("--timeout", type=click.FloatRange(min=1), default=600.0, show_default=True, help="Seconds a program.")
@click.option("-r", "--recursive", is_flag=True, help="Check every uv.lock below each PATH.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Processes side by side; one a processor by default.")
@click.option("-q", "--quiet", is_flag=True, help="Print only what is wrong.")
@click.option("-v", "--verbose", is_flag=True, help="Print every case, what was ignored, and information.")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Color the text; auto by default."
)
def check_command(
    paths: tuple[Path, ...],
    format_: str,
    output: Path | None,
    files: tuple[tuple[str, Path], ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    require: tuple[str, ...],
    static: bool,
    allow_build: bool,
    python: Path | None,
    base: str | None,
    online: bool,
    hosts: tuple[str, ...],
    clones: tuple[Path, ...],
    fail_on: str | None,
    evidence: Path | None,
    config: Path | None,
    timeout: float,
    recursive: bool,
    jobs: int | None,
    quiet: bool,
    verbose: bool,
    color: str,
) -> int:
    """Check the uv project in the folder PATH, or several.

    A folder without pyproject.toml and uv.lock stands for every uv.lock below it.

    Exits with 0 when clean, 1 for an error or a required check that did not run, 2 for unusable input or usage.
    """
    projects = [project for path in paths or (Path(),) for project in find_projects(path, recursive=recursive)]
    run = _check_one if len(projects) == 1 and format_ == "text" and not files else check_projects
    record = _record(projects, python) if evidence else None
    try:
        reports = run(
            projects,
            jobs=jobs,
            options=Options(
                static=static,
                allow_build=allow_build,
                online=online,
                python=python,
                base=base,
                clones=clones,
                hosts=tuple(host.lower() for host in hosts),
                progress=_progress if online and len(projects) == 1 and sys.stderr.isatty() else None,
                timeout=timeout,
            ),
            config=trusted(config),
            select=select,
            ignore=ignore,
            require=require,
            fail_on=Severity(fail_on) if fail_on else None,
        )
    except UnknownCheckError as error:
        raise click.UsageError(str(error)) from None
    if evidence and record:
        record.write(evidence, reports[0])
    publish(reports, format_, output, files=files, color=color, verbosity=int(verbose) - int(quiet))
    return max(report.exit_code for report in reports)


def _check_one(
    projects: Sequence[Path],
    *,
    jobs: int | None,  # noqa: ARG001 - as of check_projects
    **arguments: Unpack[Arguments],
) -> tuple[Report, ...]:
    return (check(projects[0], **arguments),)


def _record(projects: Sequence[Path], python: Path | None) -> RunRecord:
    from ..evidence.writer import RunRecord

    if len(projects) != 1:
        raise click.UsageError(f"--evidence writes the record of one project, but {len(projects)} are checked")
    return RunRecord(projects[0], python=python)


def _progress(done: int, total: int) -> None:
    """Draw a bar on the terminal, and take it away when all is done."""
    width = 30 * done // max(total, 1)
    bar = f"\r{'#' * width:<30} {done} of {total} packages"
    click.echo(bar if done < total else f"\r{' ' * len(bar)}\r", nl=False, err=True)


def trusted(path: Path | None) -> Config | None:
    """Return the configuration in the file `path`, which the user named and therefore trusts."""
    if path is None:
        return None
    try:
        return Config.load(Document(str(path.absolute()), path.read_bytes()))
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
