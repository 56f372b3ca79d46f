"""Real ranks, a process each: `python -m tests.gpu.ranks SCENARIOS TRANSPORT RANK WORLD FOLDER` leaves RANK.json.

Every rank has a GPU of its own where there are enough, else they share one and take turns: right, but slow.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
import torch.distributed as dist

from pinproof.kernels import PairedGather, RankMissingError
from pinproof.kernels.backend import TransportName

from .pairs import ROWS, Pair

LIMIT_S: Final = 3.0
"""Seconds that a rank waits for one that was killed."""


class Rank:
    """One rank of a scenario."""

    def __init__(self, transport: TransportName, rank: int, world: int) -> None:
        self.transport = transport
        self.rank = rank
        self.world = world

    def make(self, **other: Any) -> PairedGather:
        usual: dict[str, Any] = {"backend": "triton", "transport": self.transport, "max_rows": 16}
        return PairedGather(latent_width=224, router_width=56, **usual | other)

    def local(self, pair: Pair) -> tuple[torch.Tensor, torch.Tensor]:
        return pair.inputs[0][self.rank], pair.inputs[1][self.rank]

    def out(self, pair: Pair) -> tuple[torch.Tensor, torch.Tensor]:
        return pair.outputs[0][self.rank], pair.outputs[1][self.rank]

    def gather(self, gather: PairedGather, pair: Pair) -> bool:
        """Gather inputs that all ranks draw from one seed into poisoned outputs; return whether it was right."""
        pair.renew()
        gather(*self.local(pair), out=self.out(pair))
        return bool(pair.right_for(self.rank))


def eager(me: Rank) -> dict[str, Any]:
    """Rows 1 to 9 and 16 with the reviewed row blocks, then with three; ranks late in turn."""
    failures, row_blocks = [], {}
    for blocks in (None, 3):
        with me.make(row_blocks=None if blocks is None else lambda rows: 3) as gather:
            for turn, rows in enumerate(ROWS):
                if turn % me.world == me.rank:
                    time.sleep(0.01)
                if not me.gather(gather, Pair(me.world, rows)):
                    failures.append(f"{rows} rows, row blocks {blocks}")
            plan = gather.plan
            row_blocks[str(blocks)] = list(plan.row_blocks)
    return {"failures": failures, "backend": plan.backend, "row_blocks": row_blocks, "notes": plan.notes}


def graphs(me: Rank) -> dict[str, Any]:
    """Two graphs, of one gather and of three, replayed in turn with changed inputs, eager gathers between them."""
    pairs = [Pair(me.world, 8), Pair(me.world, 3)]
    between = Pair(me.world, 1)
    failures = []
    with me.make() as gather:
        captured = []
        for pair, gathers in zip(pairs, (1, 3), strict=True):
            graph = torch.cuda.CUDAGraph()
            with gather.capture(), torch.cuda.graph(graph):
                for _ in range(gathers):
                    gather(*me.local(pair), out=me.out(pair))
            captured.append(graph)
        for turn in range(40):
            pair = pairs[turn % 2]
            pair.renew()
            captured[turn % 2].replay()
            if not bool(pair.right_for(me.rank)):
                failures.append(f"replay {turn}")
            if turn % 7 == 0 and not me.gather(gather, between):
                failures.append(f"eager gather after replay {turn}")
        torch.cuda.synchronize()
        del captured
    return {"failures": failures}


def killed(me: Rank) -> dict[str, Any]:
    """The last rank dies between two gathers: the others end with an error that names it, within the limit."""
    gather = me.make(timeout_s=LIMIT_S)
    pair = Pair(me.world, 8)
    right = me.gather(gather, pair)
    dist.barrier()
    if me.rank == me.world - 1:
        os._exit(9)
    pair.renew()
    started = time.monotonic()
    gather(*me.local(pair), out=me.out(pair))
    torch.cuda.synchronize()
    waited = time.monotonic() - started
    nan = all(bool(out.isnan().all()) for out in me.out(pair))
    try:
        gather(*me.local(pair), out=me.out(pair))
        said = "no error"
    except RankMissingError as error:
        said = str(error)
    return {"right": right, "waited": waited, "nan": nan, "said": said}


def refusals(me: Rank) -> dict[str, Any]:
    """What a call refuses, and that the gather still works afterwards."""
    pair = Pair(me.world, 4)
    latent, router = me.local(pair)
    spare = torch.empty(16 * me.world * 224 * 2, dtype=torch.uint8, device="cuda")
    inside = spare[: 4 * 448].view(4, 448).view(torch.bfloat16)
    around = spare[: 4 * me.world * 448].view(4, -1).view(torch.bfloat16)
    wide = Pair(me.world, 8)
    said = {}
    gather = me.make(max_rows=4)
    for name, arguments in {
        "dtype": (latent.half(), router, None),
        "width": (latent[:, :216].contiguous(), router, None),
        "rows": (*me.local(wide), None),
        "rows differ": (latent, router[:3], None),
        "contiguous": (torch.stack([latent, latent], dim=1)[:, 0], router, None),
        "aligned": (spare[8 : 8 + 4 * 448].view(4, 448).view(torch.bfloat16), router, None),
        "overlap": (inside, router, (around, me.out(pair)[1])),
        "device": (latent.cpu(), router, None),
        "output": (latent, router, (me.out(pair)[0][:, 1:], me.out(pair)[1])),
    }.items():
        try:
            gather(arguments[0], arguments[1], out=arguments[2])
            said[name] = "no error"
        except (TypeError, ValueError) as error:
            said[name] = f"{type(error).__name__}: {error}"
    right = me.gather(gather, pair)
    gather.close()
    try:
        gather(latent, router)
    except RuntimeError as error:
        said["closed"] = str(error)
    return {"said": said, "right": right}


def nccl(me: Rank) -> dict[str, Any]:
    """The torch backend over NCCL, and `auto`, byte for byte."""
    failures = []
    for backend in ("torch", "auto"):
        with me.make(backend=backend) as gather:
            failures += [f"{backend}, {rows} rows" for rows in ROWS if not me.gather(gather, Pair(me.world, rows))]
            chosen = gather.plan
    return {"failures": failures, "backend": chosen.backend, "reason": chosen.reason}


SCENARIOS: Final[dict[str, Callable[[Rank], dict[str, Any]]]] = {
    "eager": eager,
    "graphs": graphs,
    "killed": killed,
    "refusals": refusals,
    "nccl": nccl,
}


def main(names: str, transport: TransportName, rank: int, world: int, folder: Path) -> None:
    """Play the scenarios `names`, separated by commas; `killed` comes last."""
    torch.cuda.set_device(rank % torch.cuda.device_count())
    kind = "nccl" if names == "nccl" else "gloo"
    dist.init_process_group(kind, init_method=f"file://{folder}/store", rank=rank, world_size=world)
    torch.manual_seed(world)
    me = Rank(transport, rank, world)
    results = {name: SCENARIOS[name](me) for name in names.split(",")}
    (folder / f"{rank}.json").write_text(json.dumps(results), encoding="utf-8")
    if "killed" in results:
        sys.stderr.flush()
        os._exit(0)  # a collective shutdown would wait for the dead rank
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]))  # type: ignore[arg-type]
