"""All ranks of the triton backend in one process on one GPU: the sixteen-rank protocol checked by a single card.

The kernels are those of the real backend, the buffers are local instead of peers'. Nothing here says anything about
the speed or the memory ordering of a link between GPUs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import SupportsIndex

import torch

from pinproof.policy import row_blocks as reviewed_row_blocks

from .backend import TRANSPORTS, TransportName
from .layout import RowLayout
from .triton_launch import Launcher
from .triton_memory import MAX_ROW_BLOCKS, WORLDS, Geometry

_DEFAULT_CONNECTIONS = 8


class Emulated:
    """Ranks 0 to `world_size - 1` of one paired gather, see `emulated`.

    Tensors have the ranks in front: inputs are `[world_size, rows, width]`, outputs
    `[world_size, rows, world_size * width]`.

    Attributes:
        launcher: the state of all ranks.
        buffers: int32 `[world_size, words]`, what would be symmetric memory.
    """

    def __init__(
        self,
        geometry: Geometry,
        dtypes: tuple[torch.dtype, torch.dtype],
        row_blocks: Callable[[int], int],
        timeout_s: float | None,
        device: torch.device,
    ) -> None:
        self.geometry = geometry
        self._dtypes = dtypes
        self._row_blocks = row_blocks
        self._device = device
        world = geometry.world_size
        self.buffers = torch.zeros((world, geometry.buffer_bytes // 4), dtype=torch.int32, device=device)
        peers = [buffer.data_ptr() for buffer in self.buffers]
        self.launcher = Launcher(geometry, peers, range(world), device, timeout_s)
        self._streams: list[torch.cuda.Stream] = []
        torch.cuda.synchronize(device)

    def __call__(
        self,
        latent: torch.Tensor,
        router: torch.Tensor,
        out: tuple[torch.Tensor, torch.Tensor] | None = None,
        *,
        row_blocks: int | None = None,
        ranks: range | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Gather for all ranks in one cooperative launch on the current stream: it fits on the GPU or fails at once.

        Args:
            latent: of all ranks.
            router: of all ranks.
            out: where to gather; None for new tensors.
            row_blocks: thread blocks a rank; None for what the policy says.
            ranks: consecutive ranks that take part, the others stay away; None for all.

        Raises:
            ValueError: a tensor has another dtype, device, shape, stride or alignment.
            RankMissingError: in an earlier gather a rank did not arrive in time.
        """
        rows, outputs = self._checked(latent, router, out)
        blocks = self._blocks(rows, row_blocks)
        part = ranks or range(self.geometry.world_size)
        some = (t[part.start : part.stop] for t in (latent, router, *outputs))
        self.launcher(*some, rows=rows, row_blocks=blocks, only=part, cooperative=True)
        return outputs

    def apart(
        self,
        latent: torch.Tensor,
        router: torch.Tensor,
        out: tuple[torch.Tensor, torch.Tensor] | None = None,
        *,
        row_blocks: int | None = None,
        gathers: int = 1,
        before: Callable[[int], None] | None = None,
        order: Sequence[int] | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Gather with a launch a rank, each rank on a stream of its own, as separate processes would.

        Args:
            latent: of all ranks.
            router: of all ranks.
            out: where to gather; None for new tensors.
            row_blocks: thread blocks a rank; None for what the policy says.
            gathers: so many in a row, a rank free to run ahead of the others as far as the protocol lets it.
            before: called with the rank before each launch, on its stream: to skew ranks in time.
            order: in which the ranks are launched.

        Raises:
            ValueError: as in a call; or the process has too few hardware queues for all ranks to run at once.
            RankMissingError: as in a call.
        """
        rows, outputs = self._checked(latent, router, out)
        blocks = self._blocks(rows, row_blocks)
        streams = self._own_streams()
        main = torch.cuda.current_stream(self._device)
        for rank in order or range(len(streams)):
            streams[rank].wait_stream(main)
            with torch.cuda.stream(streams[rank]):
                for _ in range(gathers):
                    if before is not None:
                        before(rank)
                    self._launch_one(rank, (latent, router, *outputs), rows, blocks)
        for stream in streams:
            main.wait_stream(stream)
        return outputs

    def one(
        self,
        rank: int,
        latent: torch.Tensor,
        router: torch.Tensor,
        out: tuple[torch.Tensor, torch.Tensor],
        *,
        row_blocks: int | None = None,
    ) -> None:
        """Launch one rank's part of a gather on the current stream. It waits there for every other rank's.

        Args:
            rank: which one.
            latent: of all ranks; so are `router` and `out`.
            router: see there.
            out: see there.
            row_blocks: thread blocks; None for what the policy says.

        Raises:
            ValueError: as in a call.
            RankMissingError: as in a call.
        """
        rows, outputs = self._checked(latent, router, out)
        self._launch_one(rank, (latent, router, *outputs), rows, self._blocks(rows, row_blocks))

    def graphs_apart(
        self,
        latent: torch.Tensor,
        router: torch.Tensor,
        out: tuple[torch.Tensor, torch.Tensor],
        *,
        row_blocks: int | None = None,
        gathers: int = 1,
        before: Callable[[int], None] | None = None,
    ) -> Callable[[], None]:
        """Capture a CUDA graph a rank, as separate processes would; return what replays each on its rank's stream.

        One graph with a branch a rank would not do: the driver spreads its branches over hardware queues as it likes,
        and a rank queued behind one that waits for it never starts.

        Args:
            latent: of all ranks; so are `router` and `out`.
            router: see there.
            out: see there.
            row_blocks: thread blocks a rank; None for what the policy says.
            gathers: so many in each graph.
            before: called with the rank before each launch, on its stream: to skew ranks in time.

        Raises:
            ValueError: as in `apart`.
        """
        rows, outputs = self._checked(latent, router, out)
        blocks = self._blocks(rows, row_blocks)
        streams = self._own_streams()
        graphs = []
        for rank, stream in enumerate(streams):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                for _ in range(gathers):
                    if before is not None:
                        before(rank)
                    self._launch_one(rank, (latent, router, *outputs), rows, blocks)
            graphs.append(graph)

        def replay() -> None:
            main = torch.cuda.current_stream(self._device)
            for stream, graph in zip(streams, graphs, strict=True):
                stream.wait_stream(main)
                with torch.cuda.stream(stream):
                    graph.replay()
            for stream in streams:
                main.wait_stream(stream)

        return replay

    def check(self) -> None:
        """Raise `RankMissingError` if a rank did not arrive in time in a gather that has run."""
        self.launcher.check()

    def forward(self, gathers: int) -> None:
        """Put every rank into the state that `gathers` gathers of `max_rows` rows would leave, without making them."""
        self.launcher.state[:, :MAX_ROW_BLOCKS] = gathers
        if self.geometry.transport == "push":
            low = gathers & 0xFFFFFFFF
            self.buffers[:, 1::2] = low - (1 << 32) if low >= 1 << 31 else low
        torch.cuda.synchronize(self._device)

    def _launch_one(self, rank: int, tensors: tuple[torch.Tensor, ...], rows: int, blocks: int) -> None:
        self.launcher(*(t[rank] for t in tensors), rows=rows, row_blocks=blocks, only=range(rank, rank + 1))

    def _own_streams(self) -> list[torch.cuda.Stream]:
        world = self.geometry.world_size
        queues = int(os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS", _DEFAULT_CONNECTIONS))
        if queues < world:
            raise ValueError(
                f"{world} ranks on streams of their own need as many hardware queues, this process has {queues}: "
                "set CUDA_DEVICE_MAX_CONNECTIONS=32 before CUDA starts"
            )
        if not self._streams:
            self._streams = [_stream(self._device) for _ in range(world)]
        return self._streams

    def _blocks(self, rows: int, row_blocks: int | None) -> int:
        blocks = self._row_blocks(rows) if row_blocks is None else row_blocks
        if not 1 <= blocks <= MAX_ROW_BLOCKS:
            raise ValueError(f"row_blocks is {blocks}, expected 1 to {MAX_ROW_BLOCKS}")
        return blocks

    def _checked(
        self,
        latent: torch.Tensor,
        router: torch.Tensor,
        out: tuple[torch.Tensor, torch.Tensor] | None,
    ) -> tuple[int, tuple[torch.Tensor, torch.Tensor]]:
        self.check()
        world, layout = self.geometry.world_size, self.geometry.layout
        rows = latent.shape[1] if latent.ndim == 3 else 0
        if not 1 <= rows <= self.geometry.max_rows:
            raise ValueError(f"latent has {rows} rows, expected 1 to {self.geometry.max_rows} (max_rows)")
        shapes = [
            (world, rows, row_bytes // dtype.itemsize)
            for row_bytes, dtype in zip((layout.latent_bytes, layout.router_bytes), self._dtypes, strict=True)
        ]
        wide = [(ranks, rows, ranks * width) for ranks, rows, width in shapes]
        made = (self._new(wide[0], 0), self._new(wide[1], 1)) if out is None else out
        for name, tensor, shape, dtype in zip(
            ("latent", "router", "latent output", "router output"),
            (latent, router, *made),
            (*shapes, *wide),
            self._dtypes * 2,
            strict=True,
        ):
            self._check(name, tensor, shape, dtype)
        return rows, made

    def _new(self, shape: tuple[int, int, int], which: int) -> torch.Tensor:
        return torch.empty(shape, dtype=self._dtypes[which], device=self._device)

    def _check(self, name: str, tensor: torch.Tensor, shape: tuple[int, int, int], dtype: torch.dtype) -> None:
        if tensor.dtype is not dtype or tensor.device != self._device or tuple(tensor.shape) != shape:
            raise ValueError(
                f"{name} is {tensor.dtype} {list(tensor.shape)} on {tensor.device}, "
                f"expected {dtype} {list(shape)} on {self._device}"
            )
        if not tensor.is_contiguous() or tensor.data_ptr() % 16:
            raise ValueError(f"{name} must be contiguous and begin at a multiple of 16 bytes")


def _stream(device: torch.device) -> torch.cuda.Stream:
    return torch.cuda.Stream(device)


def emulated(
    world_size: SupportsIndex,
    *,
    latent_width: int = 224,
    router_width: int = 56,
    max_rows: int = 16,
    latent_dtype: torch.dtype = torch.bfloat16,
    router_dtype: torch.dtype = torch.float32,
    transport: TransportName = "pull",
    row_blocks: Callable[[int], int] = reviewed_row_blocks,
    timeout_s: float | None = 60.0,
    device: torch.device | str = "cuda",
) -> Emulated:
    """Return `world_size` emulated ranks of the triton backend on one GPU.

    Args:
        world_size: 2, 4, 8 or 16.
        latent_width: elements of one latent row of one rank; the default is TP16's.
        router_width: elements of one router row of one rank.
        max_rows: the largest number of rows.
        latent_dtype: float16, bfloat16, float32 or float8_e4m3fn.
        router_dtype: likewise.
        transport: "pull" or "push".
        row_blocks: rows -> thread blocks a rank; the reviewed policy by default.
        timeout_s: seconds until a rank that did not arrive is an error; None waits for ever.
        device: a CUDA device.

    Raises:
        ValueError: the world or the transport does not exist, or a row is no multiple of 16 bytes.
        RuntimeError: there is no CUDA device.
    """
    world = int(world_size)
    if world not in WORLDS:
        raise ValueError(f"world_size is {world}, expected one of {', '.join(map(str, WORLDS))}")
    if transport not in TRANSPORTS:
        raise ValueError(f"transport is {transport!r}, expected {' or '.join(TRANSPORTS)}")
    if not torch.cuda.is_available():
        raise RuntimeError("emulated ranks need a CUDA device, and torch sees none")
    layout = RowLayout(latent_width * latent_dtype.itemsize, router_width * router_dtype.itemsize)
    place = torch.device(device)
    place = torch.device("cuda", place.index if place.index is not None else torch.cuda.current_device())
    geometry = Geometry(transport, world, layout, max_rows)
    with torch.cuda.device(place):
        return Emulated(geometry, (latent_dtype, router_dtype), row_blocks, timeout_s, place)
