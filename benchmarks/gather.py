"""What does a paired gather cost, sixteen ranks emulated in one launch on one GPU?

    python -m benchmarks.gather [--prototype ONE_LAUNCH.PY] [--json FILE]

Prints microseconds a gather by rows and row blocks: `pull`, `push`, a barrier alone, and, if given, the Triton
prototype of the staged pull without any safety; the ratios of `pull` to barrier and prototype; and that of `pull` and
`push` to themselves with the time limit cut out of their waiting loops, over the same buffers. 64 gathers a CUDA graph,
the median of samples in random order, random inputs. Emulated on one GPU: it says nothing about a link between GPUs.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"
from __future__ import annotations

import argparse
import importlib.util
import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import torch
import triton
import triton.language as tl

from benchmarks.timing import alternate, graph_of, machine, median, write_json
from pinproof.kernels import Emulated, emulated, triton_kernels
from pinproof.kernels.backend import TransportName
from pinproof.kernels.triton_kernels import _signal_and_wait
from pinproof.kernels.triton_memory import FLAG_BYTES, LIMIT, STATE_WORDS

WORLD: Final = 16
GATHERS: Final = 64
TRANSPORTS: Final[tuple[TransportName, ...]] = ("pull", "push")
Launch = Callable[[], object]

_FLAG_BYTES = tl.constexpr(FLAG_BYTES)
_LIMIT = tl.constexpr(LIMIT)
_STATE_WORDS = tl.constexpr(STATE_WORDS)


@triton.jit(do_not_specialize=["peers", "state"])
def _barrier(peers: tl.int64, state: tl.int64, world: tl.constexpr, threads: tl.constexpr):
    """The flag barrier of `pull` alone."""
    block = tl.program_id(0)
    me = tl.program_id(1)
    words = tl.pointer_type(tl.int64)
    peers = peers.to(words)
    state = state.to(words) + me * _STATE_WORDS
    generation = tl.load(state + block) + 1
    own = tl.load(peers + me)
    lane = tl.arange(0, threads)
    other = (lane < world) & (lane != me)
    buffer = tl.load(peers + lane, mask=other, other=0)
    tl.debug_barrier()
    peer_flag = tl.where(other, buffer + (block * world + me) * _FLAG_BYTES, 0)
    own_flag = own + (block * world + lane) * _FLAG_BYTES
    _signal_and_wait(peer_flag, own_flag, generation, state + _LIMIT, state)
    tl.debug_barrier()
    tl.store(state + block, generation)


def barrier(ranks: Emulated, blocks: int) -> Launch:
    addresses = torch.tensor([buffer.data_ptr() for buffer in ranks.buffers], dtype=torch.int64, device="cuda")

    def launch() -> object:
        state = ranks.launcher.state
        return _barrier[(blocks, WORLD)](
            addresses.data_ptr(), state.data_ptr(), world=WORLD, threads=256, num_warps=8, launch_cooperative_grid=True
        )

    return launch


def load_prototype(path: Path, folder: Path) -> Any:
    """Return the Triton kernels of the prototype's script as a module, without running the script."""
    text = path.read_text(encoding="utf-8")
    kernels = text[text.index("@triton.jit") : text.index("\nW, D1, D2")]
    return load_source(folder / "prototype_kernels.py", f"import triton\nimport triton.language as tl\n{kernels}\n")


def prototype(module: Any, inputs: tuple[torch.Tensor, ...], outputs: tuple[torch.Tensor, ...], blocks: int) -> Launch:
    rows = inputs[0].shape[1]
    columns, columns2 = 112, 56
    second = rows * columns
    slot = second + rows * columns2
    buffers = torch.zeros((WORLD, 2 * slot), dtype=torch.int32, device="cuda")
    signals = torch.zeros((WORLD, 4096), dtype=torch.int32, device="cuda")
    epochs = torch.zeros(WORLD * 64, dtype=torch.int32, device="cuda")
    tables = [
        torch.tensor([one.data_ptr() for one in tensor], dtype=torch.int64, device="cuda")
        for tensor in (*inputs, buffers, signals, *outputs)
    ]
    sizes = {"ROWS": rows, "SO": second, "W": WORLD, "C": columns, "C2": columns2, "CP": 128, "CP2": 64, "RB": blocks}

    def launch() -> object:
        keep = (buffers, signals)
        assert keep
        return module.pull_triton[(blocks, WORLD)](*tables, epochs, slot, **sizes, num_warps=8)

    return launch


def without_limit(folder: Path) -> Any:
    """Return a copy of our kernels' module whose waiting loops never look at the clock."""
    text = Path(triton_kernels.__file__).read_text(encoding="utf-8").replace("from .", "from pinproof.kernels.")
    loop = re.compile(r"sub\.u32 polls, polls, 1;.*?(?=DONE:)", re.DOTALL)
    text, count = loop.subn("bra POLL;\n        ", text)
    assert count == 2, "the waiting loops of pull and push look different now"
    return load_source(folder / "kernels_without_limit.py", text)


def load_source(path: Path, text: str) -> Any:
    """Write `text` to `path` and import it: Triton reads the source of its functions from a file."""
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_kernel(ranks: Emulated, kernel: Any, launch: Launch) -> Launch:
    """Return a launch of another kernel over the buffers of `ranks`: where those lie is part of what a gather takes."""

    def launches() -> object:
        ours, ranks.launcher._kernel = ranks.launcher._kernel, kernel
        try:
            return launch()
        finally:
            ranks.launcher._kernel = ours

    return launches


def repeated(launch: Launch) -> Launch:
    def launches() -> None:
        for _ in range(GATHERS):
            launch()

    return launches


def row(rows: int, blocks: int, module: Any, no_limit: Any, samples: int, replays: int) -> dict[str, Any]:
    """Return one row of the table."""
    inputs = (
        torch.randn(WORLD, rows, 224, device="cuda").bfloat16(),
        torch.randn(WORLD, rows, 56, device="cuda"),
    )
    outputs = (
        torch.empty(WORLD, rows, WORLD * 224, dtype=torch.bfloat16, device="cuda"),
        torch.empty(WORLD, rows, WORLD * 56, device="cuda"),
    )
    ranks: dict[str, Emulated] = {name: emulated(WORLD, max_rows=16, transport=name) for name in TRANSPORTS}
    idle = emulated(WORLD, max_rows=16)
    launches: dict[str, Launch] = {
        name: partial(one, *inputs, out=outputs, row_blocks=blocks) for name, one in ranks.items()
    }
    for transport in TRANSPORTS:
        kernel = getattr(no_limit, transport)
        launches[f"{transport} without limit"] = with_kernel(ranks[transport], kernel, launches[transport])
    launches["barrier"] = barrier(idle, blocks)
    if module is not None:
        launches["prototype"] = prototype(module, inputs, outputs, blocks)
    for name, launch in launches.items():
        check(name, launch, inputs, outputs)
    graphs = {name: graph_of(repeated(launch)) for name, launch in launches.items()}
    taken = alternate(graphs, samples=samples, replays=replays, gathers=GATHERS)
    for name, graph in graphs.items():
        check(name, graph.replay, inputs, outputs)
    for one in ranks.values():
        one.check()
    medians = {name: median(found) for name, found in taken.items()}
    ratios = {
        f"pull / {other}": round(medians["pull"] / medians[other], 3)
        for other in ("barrier", "prototype")
        if other in medians
    }
    for name in TRANSPORTS:
        ratios[f"{name} / without limit"] = round(medians[name] / medians[f"{name} without limit"], 3)
    return {"rows": rows, "row_blocks": blocks, "us": medians, **ratios, "samples": taken}


def check(name: str, launch: Launch, inputs: tuple[torch.Tensor, ...], outputs: tuple[torch.Tensor, ...]) -> None:
    """Launch into poisoned outputs, and compare with `torch.cat`."""
    if name == "barrier":
        launch()
        torch.cuda.synchronize()
        return
    for output in outputs:
        output.fill_(float("nan"))
    launch()
    torch.cuda.synchronize()
    for local, output in zip(inputs, outputs, strict=True):
        expected = torch.cat(list(local), dim=1)
        assert all(torch.equal(one, expected) for one in output), f"{name} gathered wrong bytes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prototype", type=Path, help="the script of the Triton prototype")
    parser.add_argument("--json", type=Path, help="write the result here")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--replays", type=int, default=20)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    table: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        module = load_prototype(arguments.prototype, Path(folder)) if arguments.prototype else None
        no_limit = without_limit(Path(folder))
        for rows in (1, 2, 4, 8):
            for blocks in (1, 2, 4, 8):
                if blocks <= rows:
                    table.append(row(rows, blocks, module, no_limit, arguments.samples, arguments.replays))
                    print({key: value for key, value in table[-1].items() if key != "samples"}, flush=True)
    if arguments.json:
        scope = "component, sixteen ranks emulated in one launch on one GPU"
        write_json(arguments.json, {"machine": machine(), "triton": triton.__version__, "scope": scope, "table": table})


if __name__ == "__main__":
    main()
