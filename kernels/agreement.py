"""Ranks tell each other what they are about to do, so that a difference is an error on all of them and never a hang."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar, cast

import torch
import torch.distributed as dist

from .errors import RanksDisagreeError

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

_T = TypeVar("_T")


def exchange(group: ProcessGroup, device: torch.device | None, value: _T) -> list[_T]:
    """Return the values of all ranks in order. Collective.

    `device` is this rank's; NCCL moves the pickled values through it where it is a CUDA device.
    """
    said: list[_T | None] = [None] * dist.get_world_size(group)
    cuda = device is not None and device.type == "cuda"
    with torch.cuda.device(device) if cuda else nullcontext():
        dist.all_gather_object(said, value, group=group)
    return cast("list[_T]", said)


def together(group: ProcessGroup, device: torch.device | None, doing: str, action: Callable[[], _T]) -> _T:
    """Return what `action` returns, once it has succeeded on every rank. Collective.

    Args:
        group: the ranks.
        device: as in `exchange`.
        doing: what `action` does, such as "take part in the gather".
        action: what every rank does.

    Raises:
        RanksDisagreeError: it failed on some ranks, or differently; says how. Raised on every rank.
        Exception: what `action` raised, where it failed alike on all ranks.
    """
    own: Exception | None = None
    try:
        result = action()
    except Exception as error:  # other ranks wait for an answer
        own = error
    errors = exchange(group, device, None if own is None else f"{type(own).__name__}: {own}")
    if own is not None and len(set(errors)) == 1:
        raise own
    if any(errors):
        raise RanksDisagreeError(f"not every rank can {doing}: {by_rank(errors)}") from own
    return result


def require_equal(settings: Sequence[Mapping[str, str]]) -> None:
    """Raise the same error on every rank unless the ranks' settings are equal.

    Raises:
        RanksDisagreeError: names each setting that differs, and which ranks have what.
    """
    differing = []
    for name in settings[0]:
        values = [mine[name] for mine in settings]
        if len(set(values)) > 1:
            differing.append(f"{name} is {by_rank(values)}")
    if differing:
        raise RanksDisagreeError(f"the ranks ask for different gathers: {'; '.join(differing)}")


def by_rank(values: Sequence[str | None]) -> str:
    """Return who has what, such as `8 (ranks 0-2), 16 (rank 3)`; ranks with None are left out."""
    ranks: dict[str, list[int]] = {}
    for rank, value in enumerate(values):
        if value is not None:
            ranks.setdefault(value, []).append(rank)
    return ", ".join(f"{value} ({_ranks(holders)})" for value, holders in ranks.items())


def _ranks(ranks: Sequence[int]) -> str:
    numbered = enumerate(ranks)
    runs = [[rank for _, rank in run] for _, run in groupby(numbered, key=lambda pair: pair[1] - pair[0])]
    shown = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"rank {shown}" if len(ranks) == 1 else f"ranks {shown}"
