"""The command line: `pinproof check` and its companions. Every other command's module is loaded when it is called."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from .escape import clean, guard_line
from .files import InputError

COMMANDS = {
    "check": ("check", "Check the pins, the lock, the policy and the tests of a project."),
    "pin": ("pin", "Pin a git dependency to another commit, everywhere and locked, or not at all."),
    "diff": ("diff", "Review how the lock changed since a base, dangerous lines first."),
    "landed": ("landed", "Tell whether a change is on a branch, whatever became of its commits."),
    "gate": ("evidence", "Combine records of several machines; fail unless every required check passed."),
    "report": ("evidence", "Write the validation section of a pull request from records."),
    "claims": ("claims", "Hold the text of a pull request against records."),
    "sign": ("evidence", "Sign a record with ssh-keygen."),
    "bench": ("bench", "Measure the paired gather on this machine's GPUs."),
    "tune": ("bench", "Write a launch policy from measurements."),
    "explain": ("explain", "Print why a check exists, with an example and how to fix or allow what it finds."),
    "list": ("explain", "List every check."),
    "init": ("configuration", "Write [tool.pinproof] with the pins and hosts found."),
    "schema": ("configuration", "Print the JSON Schema of [tool.pinproof]."),
}
"""Name of a command -> the module below `commands` that defines it, and its line in `pinproof --help`."""


class Commands(click.Group):
    """Commands that are imported when they are called, so that a check starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f".commands.{COMMANDS[cmd_name][0]}", __package__)
        command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        if not isinstance(command, click.Command):
            raise TypeError(f"{cmd_name} is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="pinproof", message="%(prog)s %(version)s")
def pinproof() -> None:
    """Prove that a pinned dependency is the commit that was reviewed, and that what is built on it still holds."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 clean, 1 a finding, 2 bad usage or unusable input, 130 interrupted.

    Args:
        arguments: those of a program that calls this one; None for the process's own.
    """
    code = guarded(lambda: pinproof.main(arguments, prog_name="pinproof", standalone_mode=False))
    if arguments is None:
        gc.freeze()  # the process ends: its last collections would look at everything again, an eighth of a short check
    sys.exit(code)


def guarded(action: Callable[[], Any]) -> int:
    """Run `action` and return the exit code; what goes wrong is said on standard error."""
    try:
        result = action()
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        complain(error.format_message(), usage=getattr(error, "ctx", None))
        return 2
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        return 130
    except InputError as error:
        complain(str(error), hint=error.hint)
        return 2
    except BrokenPipeError:
        # Nobody reads any more. Python would report the same again while it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return result if isinstance(result, int) else 0


def complain(message: str, *, hint: str | None = None, usage: click.Context | None = None) -> None:
    """Say on standard error what is wrong, and what to do."""
    if usage is not None:
        click.echo(usage.get_usage(), err=True)
    click.echo(guard_line(f"error: {clean(message)}"), err=True)
    if hint:
        click.echo(guard_line(f"  fix: {clean(hint)}"), err=True)


def emit(text: str, output: Path | None) -> None:
    """Print `text`, or replace the file `output` by it."""
    if output is None:
        # The text holds color only where it was asked for; click would take it out of a pipe again.
        click.echo(text, nl=False, color=True)
        return
    from .files import write_whole

    write_whole(output, text.encode())
