"""`pinproof bench` and `pinproof tune`: torch is loaded when they run."""

from __future__ import annotations

import click

_PASSED_ON = {"ignore_unknown_options": True, "help_option_names": []}


@click.command("bench", context_settings=_PASSED_ON, options_metavar="gather [OPTIONS]")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="")
def bench_command(arguments: tuple[str, ...]) -> int:
    """Measure the paired gather: emulated on one GPU, or under torchrun with a process a rank.

    `pinproof bench gather --help` lists the options. Exits with 1 where a variant gathered wrong
    bytes, with 2 where nothing can be measured.
    """
    return _measure("bench", arguments)


@click.command("tune", context_settings=_PASSED_ON, options_metavar="gather --json FILE --table FILE [OPTIONS]")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="")
def tune_command(arguments: tuple[str, ...]) -> int:
    """Measure the paired gather and write a launch policy: what is faster beyond its interval, and where that is from.

    `pinproof tune gather --help` lists the options. The reviewed default stays the default.
    """
    return _measure("tune", arguments)


def _measure(command: str, arguments: tuple[str, ...]) -> int:
    from pinproof.kernels.measure.main import main

    return main([command, *arguments], program="pinproof")
