"""How do our transports compare with FlashInfer's own pair kernel? Sixteen ranks as sixteen streams on one GPU.

    python -m benchmarks.against_flashinfer compile FOLDER
    python -m benchmarks.against_flashinfer run FOLDER [--prototypes CUDA_SOURCE] [--json FILE]

`compile` needs no GPU: it builds the pair kernel of the installed b12x, which is FlashInfer's, for sm_90a, a cubin a
rank. Tried with torch 2.15, b12x 1.5.1, nvidia-cutlass-dsl 4.8.0 and cuda-bindings 13.0.3 (13.5.0 lacks a name that
it uses). `run` needs torch, triton, cuda-bindings and a Hopper GPU. It launches FlashInfer's kernel with one row
block, all that it knows, our `push` and `pull` with 1 to 8, and, if given, the CUDA prototypes of both transports,
which have no safety. One launch a rank, 64 gathers a CUDA graph, the slowest rank counts, the median of alternating
samples, random inputs, outputs poisoned and compared before and after. No binary is committed.

Emulated on one GPU: it compares kernels, and says nothing about a link between GPUs.
"""

from __future__ import annotations

import argparse
import ctypes
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

WORLD: Final = 16
GATHERS: Final = 64
ROWS: Final = (1, 2, 4, 8)
BLOCKS: Final = (1, 2, 4, 8)
LATENT: Final = 224
ROUTER: Final = 56
_SLOT_BYTES: Final = 172_544
"""Of FlashInfer's staging buffer, `slot_delta` is in units of 256 bytes."""
_SIGNAL_BYTES: Final = 266_240


def compile_cubins(folder: Path) -> None:
    """Write pair_r0.cubin .. pair_r15.cubin."""
    scratch = folder / "dump"
    scratch.mkdir(parents=True, exist_ok=True)
    os.environ |= {"CUTE_DSL_ARCH": "sm_90a", "CUTE_DSL_KEEP_CUBIN": "1", "CUTE_DSL_DUMP_DIR": str(scratch)}
    import cuda.bindings.driver as driver
    import cutlass.cute as cute
    from b12x.comm.pcie import _dcp_a2a_cute as kernel

    pointers = (
        *(kernel._u32_ptr(16, align=4), kernel._u32_ptr(16, align=4), kernel._f32_ptr(16)),
        *(kernel._u32_ptr(16, align=4), kernel._u32_ptr(16, align=4), kernel._i32_ptr(16)),
        *(kernel._u8_ptr(16) for _ in range(WORLD)),
        *(kernel._u32_ptr(16, align=4) for _ in range(WORLD)),
    )
    for rank in range(WORLD):
        launch = kernel._AllGatherPairLaunch(WORLD, rank, 512, True, False)
        compiled = cute.compile(launch, *pointers, 1, 1, 1, 1, driver.CUstream(0))
        (folder / f"pair_r{rank}.cubin").write_bytes(compiled.__cubin__)


def run(folder: Path, prototypes: Path | None, output: Path | None, samples: int, replays: int) -> None:
    """Measure, print the table, and write JSON."""
    import torch
    import triton

    from benchmarks.gather import check
    from benchmarks.timing import machine, median, write_json
    from pinproof.kernels import emulated
    from pinproof.kernels.measure.rank_streams import Graphs, LaunchRank, RankStreams, prepare_environment

    prepare_environment()
    torch.manual_seed(0)
    streams = RankStreams(WORLD)
    kernels = flashinfer_kernels(folder)
    cuda = prototype_kernels(prototypes) if prototypes else {}
    table = []
    for rows in ROWS:
        latent = torch.randn(WORLD, rows, LATENT, device="cuda").bfloat16()
        router = torch.randn(WORLD, rows, ROUTER, device="cuda")
        out = (
            torch.empty(WORLD, rows, WORLD * LATENT, dtype=torch.bfloat16, device="cuda"),
            torch.empty(WORLD, rows, WORLD * ROUTER, device="cuda"),
        )
        variants: dict[str, LaunchRank] = {"flashinfer": flashinfer(kernels, rows, latent, router, out)}
        ours = {}
        for blocks in (number for number in BLOCKS if number <= rows):
            for transport in ("push", "pull"):
                ranks = ours[f"{transport} {blocks}"] = emulated(WORLD, max_rows=rows, transport=transport)
                variants[f"{transport} {blocks}"] = our_launch(ranks, latent, router, out, blocks)
            for name, kernel in cuda.items():
                variants[f"CUDA {name} {blocks}"] = prototype(name, kernel, rows, latent, router, out, blocks)

        graphs: dict[str, Graphs] = {}
        for name, launch in variants.items():
            check(name, partial(streams.launch, launch), (latent, router), out)
            graphs[name] = streams.capture(launch, GATHERS)
        taken = streams.alternate(graphs, samples=samples, replays=replays, gathers=GATHERS)
        for name in graphs:
            check(name, partial(streams.replay_us, graphs[name], 1), (latent, router), out)
        for ranks in ours.values():
            ranks.check()
        medians = {name: median(found) for name, found in taken.items()}
        table.append({"rows": rows, "us": medians, "ratios": ratios(medians), "samples": taken})
        print(f"{rows} rows", medians, table[-1]["ratios"], sep="\n  ", flush=True)
    if output:
        scope = "component, sixteen ranks emulated as sixteen streams on one GPU"
        versions = {"triton": triton.__version__, "flashinfer": "pair kernel of b12x, compiled for sm_90a"}
        write_json(output, {"machine": machine(), **versions, "scope": scope, "table": table})


def ratios(medians: dict[str, float]) -> dict[str, float]:
    """Return our best transports over FlashInfer's kernel, and each best one over its CUDA prototype's best."""

    def best(prefix: str) -> float | None:
        return min((us for name, us in medians.items() if name.startswith(f"{prefix} ")), default=None)

    found = {}
    for transport, prototype in (("push", "CUDA ll"), ("pull", "CUDA pull")):
        mine, theirs = best(transport), best(prototype)
        if mine is not None:
            found[f"{transport} / flashinfer"] = round(mine / medians["flashinfer"], 3)
            if theirs is not None:
                found[f"{transport} / CUDA prototype"] = round(mine / theirs, 3)
    return found


def our_launch(ranks: Any, latent: Any, router: Any, out: Any, blocks: int) -> Callable[[int], object]:
    return lambda rank: ranks.one(rank, latent, router, out, row_blocks=blocks)


def flashinfer_kernels(folder: Path) -> list[Any]:
    from cuda.bindings import driver

    kernels = []
    for rank in range(WORLD):
        module = call(driver.cuModuleLoadData((folder / f"pair_r{rank}.cubin").read_bytes()))
        count = call(driver.cuModuleGetFunctionCount(module))
        kernels.append(call(driver.cuModuleEnumerateFunctions(count, module))[0])
    return kernels


def call(result: tuple[Any, ...]) -> Any:
    """Return what a call of the driver returned. Raises `RuntimeError` where it failed."""
    if int(result[0]) != 0:
        raise RuntimeError(f"the CUDA driver says {result[0]}")
    return result[1] if len(result) == 2 else result[1:]


def flashinfer(kernels: list[Any], rows: int, latent: Any, router: Any, out: Any) -> Callable[[int], object]:
    """Return the launch of FlashInfer's kernel: 38 pointers, then rows, 16-byte packs of a row, units of a slot."""
    import torch
    from cuda.bindings import driver

    staging = [torch.zeros(2 * _SLOT_BYTES, dtype=torch.uint8, device="cuda") for _ in range(WORLD)]
    signals = [torch.zeros(_SIGNAL_BYTES, dtype=torch.uint8, device="cuda") for _ in range(WORLD)]
    types = (ctypes.c_void_p,) * 38 + (ctypes.c_int,) * 4

    def launch(rank: int) -> None:
        unused = latent[rank].data_ptr()
        values = (
            *(latent[rank].data_ptr(), router[rank].data_ptr(), unused),
            *(out[0][rank].data_ptr(), out[1][rank].data_ptr(), unused),
            *(buffer.data_ptr() for buffer in (*staging, *signals)),
            *(rows, LATENT * 2 // 16, ROUTER * 4 // 16, _SLOT_BYTES // 256),
        )
        stream = torch.cuda.current_stream().cuda_stream
        call((*driver.cuLaunchKernel(kernels[rank], 1, 1, 1, 512, 1, 1, 0, stream, (values, types), 0), None))

    return launch


def prototype_kernels(source: Path) -> dict[str, Any]:
    """Return the CUDA prototypes `ll` (push) and `pull`, changed to take the rank as an argument."""
    import torch

    text = source.read_text(encoding="utf-8").replace("me=blockIdx.y;", "me=me_arg;")
    for last in ("u64 slot_bytes, u64 src_bytes)", "u64 second_off, u64 slot_bytes)"):
        text = text.replace(last, f"{last[:-1]}, int me_arg)")
    text = text[: text.index('extern "C" __global__ void barrier_only')]
    return {name: torch.cuda._compile_kernel(text, name) for name in ("ll", "pull")}


def prototype(
    name: str, kernel: Any, rows: int, latent: Any, router: Any, out: Any, blocks: int
) -> Callable[[int], object]:
    import torch

    def addresses(tensors: Any) -> Any:
        return torch.tensor([tensor.data_ptr() for tensor in tensors], dtype=torch.int64, device="cuda")

    epochs = torch.zeros(WORLD * 64, dtype=torch.int32, device="cuda")
    unit = 8 if name == "ll" else 16
    sizes = (LATENT * 2 // unit, ROUTER * 4 // unit)
    if name == "ll":
        source = rows * sum(sizes) * 16
        ends = (source * WORLD, source)
        buffers = [[torch.zeros(2 * ends[0], dtype=torch.uint8, device="cuda") for _ in range(WORLD)]]
    else:
        second = rows * sizes[0] * 16
        ends = (second, second + rows * sizes[1] * 16)
        buffers = [
            [torch.zeros(2 * ends[1], dtype=torch.uint8, device="cuda") for _ in range(WORLD)],
            [torch.zeros(64 * 64, dtype=torch.int32, device="cuda") for _ in range(WORLD)],
        ]
    tables = [addresses(tensors) for tensors in (latent, router, *buffers, *out)]

    def launch(rank: int) -> None:
        keep = buffers
        assert keep
        stream = torch.cuda.current_stream()
        kernel((blocks, 1, 1), (512, 1, 1), (*tables, epochs, rows, *sizes, WORLD, *ends, rank), 0, stream)

    return launch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["compile", "run"])
    parser.add_argument("folder", type=Path, help="where the cubins are")
    parser.add_argument("--prototypes", type=Path, help="the CUDA source of the prototypes")
    parser.add_argument("--json", type=Path, help="write the result here")
    parser.add_argument("--samples", type=int, default=11)
    parser.add_argument("--replays", type=int, default=10)
    given = parser.parse_args()
    if given.step == "compile":
        compile_cubins(given.folder)
    else:
        run(given.folder, given.prototypes, given.json, given.samples, given.replays)


if __name__ == "__main__":
    main()
