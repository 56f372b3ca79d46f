"""Inputs of all bit patterns, poisoned outputs between canaries, and what `torch.cat` makes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import torch

from pinproof.kernels import Emulated

DTYPES: Final = (torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn)
ROWS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 16)
TP16: Final = (448, 224)
"""Bytes of a latent and a router row of one rank."""

SPECIAL: Final = {
    # signed zeros, infinities, quiet and signalling NaNs with payloads of both signs
    torch.float16: (torch.int16, (0x0000, -0x8000, 0x7C00, -0x0400, 0x7E01, 0x7D55, -0x0155)),
    torch.bfloat16: (torch.int16, (0x0000, -0x8000, 0x7F80, -0x0080, 0x7FC1, 0x7F95, -0x0055)),
    torch.float32: (torch.int32, (0, -0x80000000, 0x7F800000, -0x00800000, 0x7FC00001, 0x7F955555, -0x00155555)),
    # e4m3fn has no infinity; its one NaN of each sign, and the largest numbers
    torch.float8_e4m3fn: (torch.uint8, (0x00, 0x80, 0x7F, 0xFF, 0x7E, 0xFE)),
}

GUARD: Final = 256
CANARY: Final = 0xA5
POISON: Final = 0x5A

Gather = Callable[[torch.Tensor, torch.Tensor, tuple[torch.Tensor, torch.Tensor]], object]


def random_rows(world: int, rows: int, row_bytes: int, dtype: torch.dtype) -> torch.Tensor:
    """Return the rows of all ranks: random bits, every second element one of the special values."""
    raw = torch.randint(0, 256, (world, rows, row_bytes), dtype=torch.uint8, device="cuda")
    container, patterns = SPECIAL[dtype]
    bits = raw.view(container)
    chosen = torch.randint(0, len(patterns), bits[..., ::2].shape, device="cuda")
    bits[..., ::2] = torch.tensor(patterns, dtype=container, device="cuda")[chosen]
    return raw.view(dtype)


def as_bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.uint8)


class Pair:
    """The inputs and outputs of all ranks for one number of rows.

    Attributes:
        inputs: latent and router, `[world, rows, width]`.
        outputs: `[world, rows, world * width]`.
    """

    def __init__(
        self,
        world: int,
        rows: int,
        row_bytes: tuple[int, int] = TP16,
        dtypes: tuple[torch.dtype, torch.dtype] = (torch.bfloat16, torch.float32),
    ) -> None:
        sides = list(zip(row_bytes, dtypes, strict=True))
        self._sizes = (world, rows)
        latent, router = (random_rows(world, rows, size, dtype) for size, dtype in sides)
        self.inputs = (latent, router)
        self._whole = [
            torch.full((2 * GUARD + world * rows * world * size,), CANARY, dtype=torch.uint8, device="cuda")
            for size in row_bytes
        ]
        out = [
            whole[GUARD:-GUARD].view(world, rows, world * size).view(dtype)
            for whole, (size, dtype) in zip(self._whole, sides, strict=True)
        ]
        self.outputs = (out[0], out[1])

    def renew(self) -> None:
        """Change the inputs in place and poison the outputs."""
        for local in self.inputs:
            local.copy_(random_rows(*self._sizes, as_bytes(local).shape[-1], local.dtype))
        self.poison()

    def poison(self) -> None:
        for out in self.outputs:
            as_bytes(out).fill_(POISON)

    def right(self) -> torch.Tensor:
        """Return, on the device, whether every rank has every byte, and no canary was touched."""
        found = torch.ones((), dtype=torch.bool, device="cuda")
        for local, out, whole in zip(self.inputs, self.outputs, self._whole, strict=True):
            expected = torch.cat(list(as_bytes(local)), dim=1)
            found &= (as_bytes(out) == expected).all()
            found &= (whole[:GUARD] == CANARY).all() & (whole[-GUARD:] == CANARY).all()
        return found

    def right_for(self, rank: int) -> torch.Tensor:
        """Return, on the device, whether `rank` has every byte, and nothing else was touched."""
        found = torch.ones((), dtype=torch.bool, device="cuda")
        for local, out, whole in zip(self.inputs, self.outputs, self._whole, strict=True):
            expected = torch.full_like(as_bytes(out), POISON)
            expected[rank] = torch.cat(list(as_bytes(local)), dim=1)
            found &= (as_bytes(out) == expected).all()
            found &= (whole[:GUARD] == CANARY).all() & (whole[-GUARD:] == CANARY).all()
        return found

    def gather(self, gather: Gather) -> torch.Tensor:
        """Gather new inputs into poisoned outputs; return whether it was right."""
        self.renew()
        gather(*self.inputs, self.outputs)
        return self.right()


def together(ranks: Emulated, blocks: int | None = None) -> Gather:
    return lambda latent, router, out: ranks(latent, router, out, row_blocks=blocks)


def apart(ranks: Emulated, blocks: int | None = None, before: Callable[[int], None] | None = None) -> Gather:
    return lambda latent, router, out: ranks.apart(latent, router, out, row_blocks=blocks, before=before)


def wrong(results: dict[str, torch.Tensor]) -> list[str]:
    """Return the names of the results that are false; waits for the device once."""
    flags = torch.stack(list(results.values())).tolist()
    return [name for name, flag in zip(results, flags, strict=True) if not flag]
