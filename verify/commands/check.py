"""`pinproof check`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from ..cli import emit
from ..config import Config
from ..context import Options
from ..document import Document
from ..files import InputError
from ..formats import FORMATS, render
from ..model import Severity
from ..run import UnknownCheckError, check

_SELECTOR = "CODE"


def _split(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(","))


@click.command("check")
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="Output form.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file, whole or not at all.")
@click.option("--select", multiple=True, callback=_split, metavar=_SELECTOR, help="Run these codes, prefixes or names.")
@click.option("--ignore", multiple=True, callback=_split, metavar=_SELECTOR, help="Leave these out.")
@click.option("--require", multiple=True, callback=_split, metavar="NAME", help="Fail unless this check ran.")
@click.option("--static", is_flag=True, help="Execute nothing: neither code of the project nor uv or pytest.")
@click.option("--allow-build", is_flag=True, help="Let uv run the project's build backends to judge the lock.")
@click.option("--python", type=click.Path(path_type=Path), help="Interpreter of the project's environment.")
@click.option("--fail-on", type=click.Choice(["error", "warning"]), help="Lowest severity that fails.")
@click.option("--config", type=click.Path(path_type=Path), help="Trusted file with [tool.pinproof], used instead.")
@click.option("--timeout", type=click.FloatRange(min=1), default=600.0, show_default=True, help="Seconds a program.")
@click.option("-q", "--quiet", is_flag=True, help="Print only what is wrong.")
@click.option("-v", "--verbose", is_flag=True, help="Print every case, what was ignored, and information.")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Color the text; auto by default."
)
def check_command(
    path: Path,
    format_: str,
    output: Path | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    require: tuple[str, ...],
    static: bool,
    allow_build: bool,
    python: Path | None,
    fail_on: str | None,
    config: Path | None,
    timeout: float,
    quiet: bool,
    verbose: bool,
    color: str,
) -> int:
    """Check the uv project in the folder PATH.

    Exits with 0 when clean, 1 for an error or a required check that did not run, 2 for unusable input or usage.
    """
    options = Options(static=static, allow_build=allow_build, python=python, timeout=timeout)
    try:
        report = check(
            path,
            options=options,
            config=trusted(config),
            select=select,
            ignore=ignore,
            require=require,
            fail_on=Severity(fail_on) if fail_on else None,
        )
    except UnknownCheckError as error:
        raise click.UsageError(str(error)) from None
    colored = color == "always" or (color == "auto" and output is None and _terminal())
    emit(render(format_, report, color=colored, verbosity=int(verbose) - int(quiet)), output)
    return report.exit_code


def trusted(path: Path | None) -> Config | None:
    """Return the configuration in the file `path`, which the user named and therefore trusts."""
    if path is None:
        return None
    try:
        return Config.load(Document(str(path), path.read_bytes()))
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None


def _terminal() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()
