"""Launches of the triton backend's kernels, for one rank or for all of them at once."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Final

import torch

from .errors import RankMissingError
from .layout import row_share
from .triton_kernels import pull, push
from .triton_memory import BROKEN, LIMIT, MAX_ROW_BLOCKS, NO_LIMIT_NS, STATE_WORDS, Geometry, Tiles

_KERNELS: Final = {"pull": pull, "push": push}


class Launcher:
    """What one or several ranks of this process need to gather, beside the buffers that the peers reach.

    Args:
        geometry: sizes.
        peers: address of every rank's buffer as seen from `device`; the buffers are zeroed.
        ranks: the ranks that one launch gathers for, consecutive.
        device: a CUDA device.
        timeout_s: seconds until a wait is given up; None waits for ever.
    """

    def __init__(
        self,
        geometry: Geometry,
        peers: Iterable[int],
        ranks: range,
        device: torch.device,
        timeout_s: float | None,
    ) -> None:
        self.geometry = geometry
        self.ranks = ranks
        self.timeout_s = timeout_s
        self._kernel = _KERNELS[geometry.transport]
        self._tiles: dict[tuple[int, int], Tiles] = {}
        self._peers = torch.tensor(list(peers), dtype=torch.int64, device=device)
        self.state = torch.zeros((len(ranks), STATE_WORDS), dtype=torch.int64, device=device)
        self.state[:, LIMIT] = NO_LIMIT_NS if timeout_s is None else round(timeout_s * 1e9)
        # In host memory, so that the host sees what was given up without waiting for the device.
        shape = (len(ranks), MAX_ROW_BLOCKS, geometry.world_size)
        self._missing = torch.zeros(shape, dtype=torch.int64, pin_memory=True)
        self._bytes = (ctypes.c_char * self._missing.nbytes).from_address(self._missing.data_ptr())
        self._nothing_missing = bytes(self._missing.nbytes)

    def __call__(
        self,
        latent: torch.Tensor,
        router: torch.Tensor,
        latent_out: torch.Tensor,
        router_out: torch.Tensor,
        *,
        rows: int,
        row_blocks: int,
        only: range | None = None,
        cooperative: bool = False,
    ) -> None:
        """Launch one gather on the current stream.

        The tensors hold the ranks of the launch one behind the other, contiguous and 16-byte aligned: `[rows, width]`
        and `[rows, world_size * width]` a rank.

        Args:
            latent: of the launch's ranks.
            router: likewise.
            latent_out: likewise.
            router_out: likewise.
            rows: of every rank.
            row_blocks: thread blocks a rank, at most `MAX_ROW_BLOCKS`.
            only: a part of `ranks`, counted from 0, for which to launch; None for all.
            cooperative: whether the launch fails unless all its blocks run at the same time.
        """
        ranks = range(len(self.ranks)) if only is None else only
        geometry = self.geometry
        tiles = self._tiles.get((rows, row_blocks))
        if tiles is None:
            tiles = self._tiles[rows, row_blocks] = geometry.tiles(rows, row_blocks)
        self._kernel[(row_blocks, len(ranks))](
            latent.data_ptr(),
            router.data_ptr(),
            latent_out.data_ptr(),
            router_out.data_ptr(),
            self._peers.data_ptr(),
            self.state.data_ptr() + ranks.start * STATE_WORDS * 8,
            self._missing.data_ptr() + ranks.start * MAX_ROW_BLOCKS * geometry.world_size * 8,
            self.ranks[ranks.start],
            rows,
            row_share(rows, row_blocks),
            geometry.max_rows,
            world=geometry.world_size,
            latent_words=geometry.layout.latent_bytes // geometry.word_bytes,
            router_words=geometry.layout.router_bytes // geometry.word_bytes,
            row_tile=tiles.rows,
            latent_tile=tiles.latent,
            router_tile=tiles.router,
            column_tiles=tiles.columns,
            one_row_tile=tiles.one_step,
            threads=32 * tiles.warps,
            num_warps=tiles.warps,
            num_stages=1,
            launch_cooperative_grid=cooperative,
        )

    def check(self) -> None:
        """Raise if a wait was given up in a gather that the device has finished, or is in. Costs no synchronisation.

        Raises:
            RankMissingError: names the ranks that did not arrive, and where they were missed.
        """
        if self._bytes.raw == self._nothing_missing:
            return
        where = [(self.ranks[rank], block, peer) for rank, block, peer in self._missing.nonzero().tolist()]
        peers = sorted({peer for _, _, peer in where})
        missed = "; ".join(
            f"rank {rank}, row block {block} waited for rank {peer}" for rank, block, peer in where[:_SHOWN]
        )
        more = f"; and {len(where) - _SHOWN} more" if len(where) > _SHOWN else ""
        noun = "rank" if len(peers) == 1 else "ranks"
        raise RankMissingError(
            f"{noun} {', '.join(map(str, peers))} did not arrive within {self.timeout_s:g} s: {missed}{more}. "
            "The outputs of this gather and of later ones are NaN; make a new PairedGather on every rank"
        )

    @property
    def broken(self) -> bool:
        """Whether the device has given up a wait; waits for the device."""
        return bool(self.state[:, BROKEN].any())


_SHOWN: Final = 8


def warm(geometry: Geometry, blocks: Iterable[tuple[int, int]], rank: int, device: torch.device) -> None:
    """Compile and load the kernel of every `(rows, row blocks)`, alone: nothing waits for a peer.

    A kernel that is compiled, or whose module is loaded, while a peer already waits can hang every rank.
    """
    buffer = _arrived(geometry, device)
    layout, world = geometry.layout, geometry.world_size
    for rows, row_blocks in _one_a_kernel(geometry, blocks):
        launcher = Launcher(geometry, [buffer.data_ptr()] * world, range(rank, rank + 1), device, 0.0)
        sizes = [layout.latent_bytes, layout.router_bytes, world * layout.latent_bytes, world * layout.router_bytes]
        tensors = [torch.zeros((rows, size), dtype=torch.uint8, device=device) for size in sizes]
        launcher(*tensors, rows=rows, row_blocks=row_blocks)
        torch.cuda.synchronize(device)
        launcher.check()


def _arrived(geometry: Geometry, device: torch.device) -> torch.Tensor:
    """Return a buffer in which everything that a first gather waits for is there."""
    words = torch.ones(geometry.buffer_bytes // 4, dtype=torch.int32, device=device)
    if geometry.transport == "pull":
        words[1 : geometry.flags_bytes // 4 : 2] = 0  # 8-byte flags
    return words


def _one_a_kernel(geometry: Geometry, blocks: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    return list({geometry.tiles(rows, row_blocks): (rows, row_blocks) for rows, row_blocks in blocks}.values())
