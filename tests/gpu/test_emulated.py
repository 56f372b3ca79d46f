"""What emulated ranks refuse."""

from __future__ import annotations

import pytest
import torch

from pinproof.kernels import emulated

from .pairs import Pair


def test_worlds_and_transports() -> None:
    with pytest.raises(ValueError, match="world_size is 3, expected one of 2, 4, 8, 16"):
        emulated(3)
    with pytest.raises(ValueError, match="transport is 'pool', expected pull or push"):
        emulated(2, transport="pool")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a router row has 4 bytes, expected a positive multiple of 16"):
        emulated(2, router_width=1)


def test_tensors() -> None:
    ranks = emulated(2, max_rows=4)
    latent, router = Pair(2, 4).inputs
    with pytest.raises(ValueError, match=r"latent has 5 rows, expected 1 to 4 \(max_rows\)"):
        ranks(torch.zeros(2, 5, 224, dtype=torch.bfloat16, device="cuda"), router)
    with pytest.raises(ValueError, match=r"router is torch.float16 .*, expected torch.float32 \[2, 4, 56\] on cuda:0"):
        ranks(latent, router.half())
    with pytest.raises(ValueError, match=r"router is torch.float32 \[2, 4, 56\] on cpu, expected"):
        ranks(latent, router.cpu())
    with pytest.raises(ValueError, match="latent must be contiguous and begin at a multiple of 16 bytes"):
        ranks(latent.transpose(0, 1).contiguous().transpose(0, 1), router)
    whole = torch.zeros(2 * 4 * 224 + 8, dtype=torch.bfloat16, device="cuda")
    with pytest.raises(ValueError, match="latent must be contiguous and begin at a multiple of 16 bytes"):
        ranks(whole[1 : 1 + 2 * 4 * 224].view(2, 4, 224), router)
    with pytest.raises(ValueError, match="row_blocks is 65, expected 1 to 64"):
        ranks(latent, router, row_blocks=65)
