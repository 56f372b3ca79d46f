"""`pinproof explain` and `pinproof list`."""

from __future__ import annotations

import click

from ..checks import CHECKS
from ..model import Check
from ..run import UnknownCheckError, choose


@click.command("explain")
@click.argument("code")
def explain_command(code: str) -> int:
    """Print why the check CODE exists, with an example and how to fix or allow what it finds."""
    try:
        chosen = choose([code], [])
    except UnknownCheckError as error:
        raise click.UsageError(str(error)) from None
    click.echo("\n\n".join(explanation(check) for check in chosen))
    return 0


def explanation(check: Check) -> str:
    """Return the text for one check: its code and name, then its module's docstring."""
    facts = "It executes programs; --static leaves it out." if check.executes else "It executes nothing."
    return f"{check.code} {check.name}\n\n{check.documentation}\n\n{facts}"


@click.command("list")
def list_command() -> int:
    """List every check: code, name, whether it executes programs, and what it shows."""
    width = max(len(check.name) for check in CHECKS)
    for check in CHECKS:
        mark = "executes" if check.executes else "static"
        click.echo(f"{check.code}  {check.name:<{width}}  {mark:<8}  {check.summary}")
    return 0
