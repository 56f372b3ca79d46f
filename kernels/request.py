"""Turn the arguments of `PairedGather` into a `GatherRequest`, or say what is wrong with them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, SupportsIndex

import torch
import torch.distributed as dist

from pinproof.policy import LaunchPolicy
from pinproof.policy import row_blocks as reviewed_row_blocks

from .backend import TRANSPORTS, GatherRequest, TransportName
from .layout import UNIT

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

DTYPES: Final = (torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn)
MAX_ROWS: Final = 1 << 20
"""The policy is asked for every number of rows when a gather is made."""


def resolve_group(group: ProcessGroup | None) -> ProcessGroup:
    """Return `group`, or the default group for None.

    Raises:
        RuntimeError: torch.distributed is not initialised, or this process is not in `group`.
    """
    if not dist.is_initialized():
        raise RuntimeError("torch.distributed is not initialised; call torch.distributed.init_process_group first")
    resolved = dist.group.WORLD if group is None else group
    if not isinstance(resolved, dist.ProcessGroup) or dist.get_rank(resolved) < 0:
        raise RuntimeError("this process is not a member of the group; only its members make a gather for it")
    return resolved


def resolve_device(device: torch.device | str | int | None) -> torch.device:
    """Return `device` with an index where it is a CUDA device; the current CUDA device, else the CPU, for None.

    Raises:
        ValueError: it is neither a CPU nor a CUDA device, or there is no such CUDA device.
    """
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
    found = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    if found.type == "cpu":
        return torch.device("cpu")
    if found.type != "cuda":
        raise ValueError(f"device is {found}, expected a CPU or CUDA device")
    count = torch.cuda.device_count()
    index = found.index if found.index is not None else torch.cuda.current_device() if count else 0
    if index >= count:
        raise ValueError(f"device is cuda:{index}, but {count} CUDA devices are visible")
    return torch.device("cuda", index)


def make_request(
    group: ProcessGroup,
    device: torch.device,
    *,
    latent_width: SupportsIndex,
    router_width: SupportsIndex,
    latent_dtype: torch.dtype,
    router_dtype: torch.dtype,
    max_rows: SupportsIndex,
    row_blocks: Callable[[int], int],
    timeout_s: float | None,
    allow_one_block: bool,
    transport: TransportName,
) -> GatherRequest:
    """Return the checked request; no collective.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument has a value that no gather can have.
    """
    rows = _integer("max_rows", max_rows)
    if not 1 <= rows <= MAX_ROWS:
        raise ValueError(f"max_rows is {rows}, expected 1 to {MAX_ROWS}")
    if timeout_s is not None and not (math.isfinite(timeout_s) and timeout_s > 0):
        raise ValueError(f"timeout_s is {timeout_s}, expected a positive number of seconds, or None to wait for ever")
    if transport not in TRANSPORTS:
        raise ValueError(f"transport is {transport!r}, expected {' or '.join(TRANSPORTS)}")
    return GatherRequest(
        group=group,
        device=device,
        rank=dist.get_rank(group),
        world_size=dist.get_world_size(group),
        latent_width=_width("latent", latent_width, latent_dtype),
        router_width=_width("router", router_width, router_dtype),
        latent_dtype=latent_dtype,
        router_dtype=router_dtype,
        max_rows=rows,
        row_blocks=launch_table(row_blocks, rows).__getitem__,
        timeout_s=timeout_s,
        allow_one_block=allow_one_block,
        transport=transport,
    )


def _width(name: str, width: SupportsIndex, dtype: torch.dtype) -> int:
    if dtype not in DTYPES:
        raise ValueError(f"{name}_dtype is {dtype}, expected one of {', '.join(map(str, DTYPES))}")
    elements = _integer(f"{name}_width", width)
    if elements < 1:
        raise ValueError(f"{name}_width is {elements}, expected at least 1")
    size = elements * dtype.itemsize
    if size % UNIT:
        raise ValueError(
            f"{name}_width is {elements}: a row of {elements} {dtype} has {size} bytes, expected a multiple of {UNIT}"
        )
    return elements


def launch_table(row_blocks: Callable[[int], int], max_rows: int) -> tuple[int, ...]:
    """Return the row blocks for 0, 1, ... `max_rows` rows; the first entry is 0 and stands for nothing.

    Raises:
        TypeError: the policy returned something that is no integer.
        ValueError: the policy returned less than one.
    """
    table = [0]
    for rows in range(1, max_rows + 1):
        blocks = _integer(f"row_blocks({rows})", row_blocks(rows))
        if blocks < 1:
            raise ValueError(f"row_blocks({rows}) is {blocks}, expected at least 1")
        table.append(blocks)
    return tuple(table)


def _integer(name: str, value: SupportsIndex) -> int:
    if not isinstance(value, bool):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name} is {value!r} of type {type(value).__name__}, expected an integer") from None


@dataclass(frozen=True, slots=True)
class PolicySource:
    """Where row blocks come from.

    Attributes:
        name: what a plan says about it.
        row_blocks: rows -> row blocks.
        transport: the one to use where the caller names none.
        digest: of a table; empty for a function.
    """

    name: str
    row_blocks: Callable[[int], int]
    transport: TransportName = "pull"
    digest: str = ""


def source_of(row_blocks: Callable[[int], int] | LaunchPolicy | None) -> PolicySource:
    """Return the source that the argument `row_blocks` stands for."""
    if row_blocks is None:
        return PolicySource("the reviewed policy", reviewed_row_blocks)
    if not isinstance(row_blocks, LaunchPolicy):
        return PolicySource("a function of the caller", row_blocks)
    measured = row_blocks.provenance
    return PolicySource(
        f"a table measured with transport {row_blocks.transport} on {measured.device} ({measured.topology}), "
        f"{measured.date:%Y-%m-%d}, digest {row_blocks.digest}",
        row_blocks.row_blocks,
        "push" if row_blocks.transport == "push" else "pull",
        row_blocks.digest,
    )


def settings(request: GatherRequest, backend: str, source: PolicySource) -> Mapping[str, str]:
    """Return what must be equal on all ranks, by the name of the argument."""
    return {
        "latent_width": str(request.latent_width),
        "router_width": str(request.router_width),
        "latent_dtype": str(request.latent_dtype),
        "router_dtype": str(request.router_dtype),
        "max_rows": str(request.max_rows),
        "row_blocks": shown_policy(request),
        "backend": backend,
        "device": request.device.type,
        "timeout_s": str(request.timeout_s),
        "allow_one_block": str(request.allow_one_block),
        "transport": request.transport,
        "the digest of the policy table": source.digest or "none",
    }


def shown_policy(request: GatherRequest) -> str:
    """Return the whole launch table in words that differ when it does, such as `1 at 1-7 rows, 2 at 8 rows`."""
    runs = [(blocks, list(run)) for blocks, run in groupby(range(1, request.max_rows + 1), key=request.row_blocks)]
    return ", ".join(
        f"{blocks} at {run[0]}-{run[-1]} rows" if len(run) > 1 else f"{blocks} at {run[0]} rows" for blocks, run in runs
    )
