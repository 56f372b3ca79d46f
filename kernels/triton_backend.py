"""Backend `triton`: one kernel of our own over `torch.distributed._symmetric_memory`. docs/kernels.md explains it."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import Final

import torch
import torch.distributed._symmetric_memory as symmetric_memory

from .agreement import exchange
from .backend import GatherRequest, Plan
from .triton_launch import Launcher, warm
from .triton_memory import MAX_OUTPUT_BYTES, MAX_ROW_BLOCKS, WORLDS, Geometry

_CAPABILITY: Final = (8, 0)


def supports(request: GatherRequest) -> str | None:
    if request.device.type != "cuda":
        return f"it needs a CUDA device, not {request.device}"
    capability = torch.cuda.get_device_capability(request.device)
    if capability < _CAPABILITY:
        return f"it needs compute capability {_shown(_CAPABILITY)}, {request.device} has {_shown(capability)}"
    here = int(os.environ.get("LOCAL_WORLD_SIZE", request.world_size))
    if here < request.world_size:
        return f"it reaches ranks of one host only, and this host has {here} of {request.world_size} (LOCAL_WORLD_SIZE)"
    return _unsupported_size(request)


def _unsupported_size(request: GatherRequest) -> str | None:
    if request.world_size not in WORLDS:
        return f"it gathers from {', '.join(map(str, WORLDS))} ranks, not from {request.world_size}"
    output = request.max_rows * request.world_size * request.layout.row_bytes
    if output > MAX_OUTPUT_BYTES:
        return f"{request.max_rows} rows of {request.world_size} ranks are {output} bytes, more than {MAX_OUTPUT_BYTES}"
    for rows in range(1, request.max_rows + 1):
        if request.row_blocks(rows) > MAX_ROW_BLOCKS:
            return f"the policy says {request.row_blocks(rows)} row blocks at {rows} rows, more than {MAX_ROW_BLOCKS}"
    return None


def _shown(capability: tuple[int, int]) -> str:
    return ".".join(map(str, capability))


def create(request: GatherRequest) -> TritonTransport:
    return TritonTransport(request)


class TritonTransport:
    """The kernels `pull` and `push` of `pinproof.kernels.triton_kernels`, one process a rank.

    Gathers of one object must not overlap: launch them on one stream, or order the streams by events.
    """

    def __init__(self, request: GatherRequest) -> None:
        table = tuple(request.row_blocks(rows) for rows in range(1, request.max_rows + 1))
        geometry = Geometry(request.transport, request.world_size, request.layout, request.max_rows)
        self._request = request
        self._row_blocks = (0, *table)
        with torch.cuda.device(request.device):
            warm(geometry, enumerate(table, start=1), request.rank, request.device)
            words = geometry.buffer_bytes // 4
            self._buffer = symmetric_memory.empty(words, dtype=torch.int32, device=request.device)
            self._handle = symmetric_memory.rendezvous(self._buffer, request.group)
            ranks = range(request.rank, request.rank + 1)
            self._launcher = Launcher(geometry, self._addresses(), ranks, request.device, request.timeout_s)
            self._buffer.zero_()
            torch.cuda.synchronize(request.device)
        exchange(request.group, request.device, None)  # nobody writes into a buffer that is not zeroed yet
        limit = "for ever" if request.timeout_s is None else f"up to {request.timeout_s:g} s"
        self.plan = Plan("triton", table, notes=(f"transport {request.transport}", f"waits {limit} on the device"))

    def _addresses(self) -> list[int]:
        offset = self._handle.offset if hasattr(self._handle, "offset") else 0
        found = [pointer + offset for pointer in self._handle.buffer_ptrs]
        if found[self._request.rank] != self._buffer.data_ptr():
            raise RuntimeError(
                f"symmetric memory lies at {found[self._request.rank]:#x}, expected {self._buffer.data_ptr():#x}"
            )
        return found

    def gather(
        self,
        latent_local: torch.Tensor,
        router_local: torch.Tensor,
        latent_out: torch.Tensor,
        router_out: torch.Tensor,
    ) -> None:
        """Gather as `Transport.gather` says.

        Raises:
            RankMissingError: in an earlier gather a rank did not arrive in time.
        """
        self.check()
        rows = latent_local.shape[0]
        with torch.cuda.device(self._request.device):
            self._launcher(
                latent_local, router_local, latent_out, router_out, rows=rows, row_blocks=self._row_blocks[rows]
            )

    def check(self) -> None:
        """Raise `RankMissingError` if a rank did not arrive in time in a gather that has run."""
        self._launcher.check()

    def capture(self) -> AbstractContextManager[None]:
        self.check()
        return nullcontext()

    def close(self) -> None:
        torch.cuda.synchronize(self._request.device)
        if not self._launcher.broken:
            # A peer may still read this rank's rows. One that gave up will not come here.
            exchange(self._request.group, self._request.device, None)
        del self._launcher, self._handle, self._buffer
