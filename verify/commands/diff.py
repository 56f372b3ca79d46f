"""`pinproof diff`."""

from __future__ import annotations

from pathlib import Path

import click

from ..base import ci_environment, load_base
from ..cli import emit
from ..config import Config
from ..context import Context, Options
from ..files import InputError
from ..model import Severity
from ..project import Project
from ..review import RENDER
from ..run import run_checks


@click.command("diff")
@click.argument("base", required=False, default="")
@click.argument("path", required=False, default=".", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(list(RENDER)), default="text", help="Output form.")
@click.option("--output", type=click.Path(path_type=Path), help="Write to a file, whole or not at all.")
def diff_command(base: str, path: Path, format_: str, output: Path | None) -> int:
    """Review how uv.lock changed since BASE: what no honest re-lock does first, then what came, went and changed.

    BASE is a revision; without one, the branch that CI or the configuration names, else that of the remote. Compared is
    with the merge base. The project is in the folder PATH.

    Exits with 0 when no error is found, 1 for one, 2 for unusable input or usage.
    """
    project = Project.load(path)
    default = Config.load(project.pyproject).base
    found = load_base(project.root, base, default=default, environment=ci_environment())
    if found.project is None:
        raise InputError(str(path), f"has no uv project at {found.commit[:12]}", hint="name another base")
    context = Context(project=project, config=found.config, options=Options(static=True), base=found)
    report = run_checks(context, select=["LCK04"])
    emit(RENDER[format_](f"{found.revision} ({found.commit[:12]})", context.comparison, list(report.findings)), output)
    return int(any(finding.severity is Severity.ERROR for finding in report.findings))
