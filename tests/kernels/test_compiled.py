"""The device code is compiled here for the cards that the project speaks of. Nothing of it runs: see tests/gpu."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from pinproof.kernels.backend import TransportName
from pinproof.kernels.layout import RowLayout
from pinproof.kernels.triton_memory import Geometry

triton: Any = pytest.importorskip("triton", reason="Triton is not installed")

ADDRESSES: Final = {"latent", "router", "latent_out", "router_out", "peers", "state", "missing"}
CARDS: Final = {"H200": 90, "RTX PRO 6000": 120}
"""Compute capabilities: the device of the GPU record, and that of the policy's measurement."""
KIMI: Final = RowLayout(latent_bytes=448, router_bytes=224)
"""Of a rank at TP16: 224 BF16 and 56 FP32."""
TRANSPORTS: Final[tuple[TransportName, ...]] = ("pull", "push")


@pytest.fixture(autouse=True)
def _nothing_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile anew, so that what is asserted is of this code. Triton 3.9 warns where fusion is not named."""
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")


def compiled(geometry: Geometry, rows: int, row_blocks: int, capability: int) -> str:
    """Compile the kernel that one gather of `rows` rows launches; return its PTX, from which a cubin was made."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from pinproof.kernels import triton_kernels

    kernel = getattr(triton_kernels, geometry.transport)
    tiles = geometry.tiles(rows, row_blocks)
    constants = {
        "world": geometry.world_size,
        "latent_words": geometry.layout.latent_bytes // geometry.word_bytes,
        "router_words": geometry.layout.router_bytes // geometry.word_bytes,
        "row_tile": tiles.rows,
        "latent_tile": tiles.latent,
        "router_tile": tiles.router,
        "column_tiles": tiles.columns,
        "one_row_tile": tiles.one_step,
        "threads": 32 * tiles.warps,
    }
    names = kernel.arg_names
    types = {name: "constexpr" if name in constants else "i64" if name in ADDRESSES else "i32" for name in names}
    source = ASTSource(kernel, types, {(names.index(name),): value for name, value in constants.items()})
    target = GPUTarget("cuda", capability, 32)
    kernel = triton.compile(source, target=target, options={"num_warps": tiles.warps, "num_stages": 1})
    assert kernel.asm["cubin"].startswith(b"\x7fELF")
    return str(kernel.asm["ptx"])


@pytest.mark.parametrize("capability", CARDS.values(), ids=CARDS)
@pytest.mark.parametrize(("rows", "row_blocks"), [(1, 1), (2, 1), (4, 1), (8, 2), (16, 1)])
def test_pull_waits_at_one_place_only(rows: int, row_blocks: int, capability: int) -> None:
    """The flags are set once, polled at one place, and the clock is read at one place."""
    ptx = compiled(Geometry("pull", 16, KIMI, 16), rows, row_blocks, capability)
    assert ptx.count("st.release.sys") == 1
    assert ptx.count("ld.acquire.sys") == 1
    assert ptx.count("%globaltimer") == 1


# 448 and 224 bytes are 56 and 28 lines of 8 bytes: tiles of 64 and 32. A step of r rows from 16 ranks takes 16 * r * 96
# lines; 256 threads take 6 * r each. A step has at most four rows.
@pytest.mark.parametrize("capability", CARDS.values(), ids=CARDS)
@pytest.mark.parametrize(("rows", "row_blocks", "lines"), [(1, 1, 6), (2, 1, 12), (4, 1, 24), (8, 2, 24), (16, 1, 24)])
def test_push_waits_once_for_every_line_that_a_thread_takes(
    rows: int, row_blocks: int, lines: int, capability: int
) -> None:
    ptx = compiled(Geometry("push", 16, KIMI, 16), rows, row_blocks, capability)
    assert ptx.count("%globaltimer") == lines + 1, "at one place a line, and once for the deadline"
    assert ptx.count("ld.relaxed.sys.global.v2") == 2 * lines, "a peek and a poll a line"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_no_number_of_a_call_specialises_a_kernel(transport: TransportName) -> None:
    """An argument that is 1, or divisible by 16, would compile another kernel behind a peer that already waits."""
    from pinproof.kernels import triton_kernels

    kernel = getattr(triton_kernels, transport)
    runtime = [one for one in kernel.params if not one.is_constexpr]
    assert {one.name for one in runtime} > ADDRESSES
    assert [one.name for one in runtime if not one.do_not_specialize] == []
