"""Real gloo ranks on the CPU: `python gloo_ranks.py SCENARIOS WORLD FOLDER` leaves RANK.json of each rank.

One process imports torch and forks every rank, so that sixteen of them fit two slow cores.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import torch
import torch.distributed as dist

from pinproof.kernels import PairedGather, selection
from pinproof.kernels.backend import Backend, GatherRequest, Transport
from pinproof.kernels.backends import BACKENDS
from pinproof.policy import LaunchPolicy, Provenance

ROWS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16)
DTYPES: Final = (torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn)
ROW_BYTES: Final = ((448, 224), (16, 48), (208, 16))
"""Bytes of a latent and of a router row: the pair of TP16, the smallest row, and odd numbers of 16-byte units."""

SPECIAL: Final = {
    # signed zeros, infinities, quiet and signalling NaNs with payloads of both signs
    torch.float16: (torch.int16, (0x0000, -0x8000, 0x7C00, -0x0400, 0x7E01, 0x7D55, -0x0155)),
    torch.bfloat16: (torch.int16, (0x0000, -0x8000, 0x7F80, -0x0080, 0x7FC1, 0x7F95, -0x0055)),
    torch.float32: (torch.int32, (0, -0x80000000, 0x7F800000, -0x00800000, 0x7FC00001, 0x7F955555, -0x00155555)),
    # e4m3fn has no infinity; its one NaN of each sign, and the largest numbers
    torch.float8_e4m3fn: (torch.uint8, (0x00, 0x80, 0x7F, 0xFF, 0x7E, 0xFE)),
}

TABLE: Final = LaunchPolicy(
    transport="pull",
    default=1,
    table={8: 2},
    provenance=Provenance("a device", "a topology", 4, True, datetime(2026, 12, 1, tzinfo=UTC), 1, {}, "a file", ""),
    digest="one",
)

GUARD: Final = 64
CANARY: Final = 0xA5
POISON: Final = 0x5A


def local_rows(seed: int, rank: int, rows: int, row_bytes: int, dtype: torch.dtype) -> torch.Tensor:
    """Return rank `rank`'s rows: random bits, every second element one of the special values."""
    generator = torch.Generator().manual_seed(seed * 64 + rank)
    raw = torch.randint(0, 256, (rows, row_bytes), dtype=torch.uint8, generator=generator)
    container, patterns = SPECIAL[dtype]
    bits = raw.view(container)
    positions = torch.arange(rows)[:, None] + torch.arange(bits.shape[1])[None, ::2] // 2 + rank
    bits[:, ::2] = torch.tensor(patterns, dtype=container)[positions % len(patterns)]
    return raw.view(dtype)


def guarded(rows: int, row_bytes: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a poisoned output between canaries, and the bytes of all of it."""
    whole = torch.full((2 * GUARD + rows * row_bytes,), CANARY, dtype=torch.uint8)
    whole[GUARD:-GUARD] = POISON
    return whole[GUARD:-GUARD].view(rows, row_bytes).view(dtype), whole


def intact(whole: torch.Tensor, expected: torch.Tensor) -> bool:
    """Return whether the bytes are those of `expected` between untouched canaries."""
    canaries = torch.full((GUARD,), CANARY, dtype=torch.uint8)
    return torch.equal(whole, torch.cat([canaries, expected.contiguous().view(torch.uint8).view(-1), canaries]))


def gathered(gather: PairedGather, seed: int, rank: int, world: int, rows: int) -> bool:
    """Gather once, and return whether every byte is as `torch.cat` puts it."""
    rules = (gather._latent, gather._router)
    sizes = [rule.width * rule.dtype.itemsize for rule in rules]
    inputs = [
        [local_rows(seed + side, peer, rows, sizes[side], rules[side].dtype) for peer in range(world)]
        for side in (0, 1)
    ]
    outputs = [guarded(rows, world * sizes[side], rules[side].dtype) for side in (0, 1)]
    mine = [inputs[side][rank].clone() for side in (0, 1)]
    returned = gather(mine[0], mine[1], out=(outputs[0][0], outputs[1][0]))
    expected = [torch.cat([rows_of.view(torch.uint8) for rows_of in inputs[side]], dim=1) for side in (0, 1)]
    return all(
        intact(outputs[side][1], expected[side])
        and returned[side] is outputs[side][0]
        and torch.equal(mine[side].view(torch.uint8), inputs[side][rank].view(torch.uint8))
        for side in (0, 1)
    )


def make(latent_bytes: int, router_bytes: int, dtypes: tuple[torch.dtype, torch.dtype], **other: Any) -> PairedGather:
    return PairedGather(
        latent_width=latent_bytes // dtypes[0].itemsize,
        router_width=router_bytes // dtypes[1].itemsize,
        latent_dtype=dtypes[0],
        router_dtype=dtypes[1],
        max_rows=16,
        device="cpu",
        backend="torch",
        **other,
    )


def matrix(rank: int, world: int) -> dict[str, Any]:
    """Every number of rows with every pair of dtypes; above four ranks one pair of widths each."""
    cases, failures, seed = 0, [], 0
    for number, dtypes in enumerate((first, second) for first in DTYPES for second in DTYPES):
        for latent_bytes, router_bytes in ROW_BYTES if world <= 4 else ROW_BYTES[number % 3 :][:1]:
            with make(latent_bytes, router_bytes, dtypes) as gather:
                for rows in ROWS:
                    seed += 2
                    cases += 1
                    if not gathered(gather, seed, rank, world, rows):
                        failures.append(f"{latent_bytes}+{router_bytes} bytes, {dtypes}, {rows} rows")
    return {"cases": cases, "failures": failures}


def literal(rank: int, world: int) -> dict[str, Any]:
    """Small numbers whose place can be read off, into new outputs."""
    with make(16, 32, (torch.float32, torch.float16)) as gather:
        latent = torch.arange(8, dtype=torch.float32).view(2, 4) + 100 * rank
        router = torch.arange(32, dtype=torch.float16).view(2, 16) - 50 * rank
        outputs = gather(latent, router)
    return {"latent": outputs[0].tolist(), "router": outputs[1].tolist(), "dtypes": [str(out.dtype) for out in outputs]}


def in_turn(rank: int, world: int) -> dict[str, Any]:
    """Two objects in turn, numbers of rows that change, ranks that arrive late."""
    right = []
    pairs = ((torch.bfloat16, torch.float32), (torch.float8_e4m3fn, torch.float16))
    with make(448, 224, pairs[0]) as first, make(16, 48, pairs[1]) as second:
        for turn, rows in enumerate((8, 1, 16, 3, 8, 2, 1, 9)):
            if turn % world == rank:
                time.sleep(0.02)
            right.append(gathered((first, second)[turn % 2], 1000 + 2 * turn, rank, world, rows))
    return {"right": right}


def subgroups(rank: int, world: int) -> dict[str, Any]:
    """The even ranks gather among themselves while the odd ones do; a rank's place is that in its group."""
    groups = [dist.new_group([0, 2]), dist.new_group([1, 3])]
    gather = make(16, 16, (torch.float32, torch.float32), group=groups[rank % 2])
    outputs = gather(torch.full((1, 4), float(rank)), torch.full((1, 4), rank + 0.5))
    gather.close()
    try:
        make(16, 16, (torch.float32, torch.float32), group=groups[1 - rank % 2])
    except RuntimeError as error:
        return {"latent": outputs[0].tolist(), "router": outputs[1].tolist(), "stranger": str(error)}
    return {}


def disagree(rank: int, world: int) -> dict[str, Any]:
    """Rank 2 asks for something else each time; then it cannot take part, cannot run a backend, cannot start one."""
    usual: dict[str, Any] = {
        "latent_width": 224,
        "router_width": 56,
        "max_rows": 8,
        "device": "cpu",
        "backend": "torch",
    }
    other: dict[str, dict[str, Any]] = {
        "latent_width": {"latent_width": 232},
        "router_width": {"router_width": 60},
        "latent_dtype": {"latent_dtype": torch.float16},
        "router_dtype": {"router_dtype": torch.bfloat16},
        "max_rows": {"max_rows": 16},
        "row_blocks": {"row_blocks": lambda rows: 1},
        "backend": {"backend": "auto"},
        "timeout_s": {"timeout_s": None},
        "allow_one_block": {"allow_one_block": True},
        "transport": {"transport": "push"},
        "table": {"row_blocks": replace(TABLE, digest="another")},
        "bad argument": {"latent_width": 3},
        "bad policy": {"row_blocks": lambda rows: 1 // (8 - rows)},
        "two at once": {"max_rows": 4, "router_width": 60},
    }
    everywhere: dict[str, dict[str, Any]] = {"table": {"row_blocks": TABLE}}
    said = {
        name: _error(usual | (changed if rank == 2 else everywhere.get(name, {}))) for name, changed in other.items()
    }
    said["bad argument everywhere"] = _error(usual | {"latent_width": 3})
    said |= _with_backends(usual, rank)
    with make(16, 16, (torch.float32, torch.float32)) as gather:
        said["and afterwards"] = str(gathered(gather, 1, rank, world, 3))
    return said


def _with_backends(usual: dict[str, Any], rank: int) -> dict[str, str]:
    """Three backends of which rank 2 cannot run one, cannot say so of another, and cannot start the third."""

    def refuses(request: GatherRequest) -> str | None:
        return "its device is too old" if request.rank == 2 else None

    def breaks(request: GatherRequest) -> str | None:
        1 // (2 - request.rank)
        return None

    def fails(request: GatherRequest) -> Transport:
        if request.rank == 2:
            raise OSError("no memory left")
        return torch_backend.create(request)

    torch_backend = BACKENDS[-1]
    refusing = Backend("refusing", "", refuses, fails)
    breaking = Backend("breaking", "", breaks, fails)
    failing = Backend("failing", "", lambda request: None, fails)
    with patch.object(selection, "BACKENDS", (refusing, breaking, failing, torch_backend)):
        said = {name: _error(usual | {"backend": name}) for name in ("refusing", "breaking", "failing")}
    with (
        patch.object(selection, "BACKENDS", (refusing, breaking, torch_backend)),
        PairedGather(**usual | {"backend": "auto"}) as gather,
    ):
        said["auto"] = f"{gather.plan.backend}: {gather.plan.reason}"
    return said


def _error(arguments: dict[str, Any]) -> str:
    try:
        PairedGather(**arguments).close()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


SCENARIOS: Final[dict[str, Callable[[int, int], dict[str, Any]]]] = {
    "matrix": matrix,
    "literal": literal,
    "in_turn": in_turn,
    "subgroups": subgroups,
    "disagree": disagree,
}


def be_rank(rank: int, world: int, names: list[str], folder: Path) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world)
    results = {name: SCENARIOS[name](rank, world) for name in names}
    dist.destroy_process_group()
    (folder / f"{rank}.json").write_text(json.dumps(results))


def forked(world: int, names: list[str], folder: Path) -> Iterator[int]:
    for rank in range(world):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                be_rank(rank, world, names, folder)
                status = 0
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(status)
        yield child


def main(names: str, world: str, folder: str) -> int:
    children = list(forked(int(world), names.split(","), Path(folder)))
    return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
