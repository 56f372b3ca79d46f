"""What goes wrong with a paired gather beyond a bad argument, which is a `TypeError` or `ValueError`."""

from __future__ import annotations


class GatherError(RuntimeError):
    """A paired gather cannot be done."""


class BackendUnavailableError(GatherError):
    """The backend asked for cannot run here; the message says why and names the others."""


class RanksDisagreeError(GatherError):
    """Ranks asked for different gathers, or one of them cannot take part; raised alike on every rank."""


class RankMissingError(GatherError):
    """A rank did not arrive within the time limit; the message names it and the row blocks that waited for it.

    The gather is broken for good: outputs of later gathers are NaN.
    """
