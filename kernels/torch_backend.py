"""Backend `torch`: two collectives of torch.distributed and a rank-major rearrangement, on any device."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
import torch.distributed as dist

from .backend import GatherRequest, Plan

_TIMEOUT_NOTE = "a rank that does not arrive is found by the timeout of the process group, not by timeout_s"


def supports(request: GatherRequest) -> str | None:
    if _group_backend(request) is None:
        return f"the process group has no backend for {request.device.type} tensors"
    return None


def create(request: GatherRequest) -> TorchTransport:
    return TorchTransport(request)


class TorchTransport:
    """Two `all_gather_into_tensor` on bytes, whatever the dtypes."""

    def __init__(self, request: GatherRequest) -> None:
        self._request = request
        self.plan = Plan("torch", notes=(f"collectives of {_group_backend(request)}", _TIMEOUT_NOTE))

    def gather(
        self,
        latent_local: torch.Tensor,
        router_local: torch.Tensor,
        latent_out: torch.Tensor,
        router_out: torch.Tensor,
    ) -> None:
        self._gather(latent_local, latent_out)
        self._gather(router_local, router_out)

    def _gather(self, local: torch.Tensor, out: torch.Tensor) -> None:
        mine, rank_major = local.detach().view(torch.uint8), out.view(torch.uint8)
        rows, row_bytes = mine.shape
        if rows == 1:
            dist.all_gather_into_tensor(rank_major.view(-1), mine.view(-1), group=self._request.group)
            return
        world = self._request.world_size
        staged = torch.empty((world, rows, row_bytes), dtype=torch.uint8, device=mine.device)
        dist.all_gather_into_tensor(staged.view(-1), mine.view(-1), group=self._request.group)
        rank_major.view(rows, world, row_bytes).copy_(staged.transpose(0, 1))

    def capture(self) -> AbstractContextManager[None]:
        used = _group_backend(self._request)
        if self._request.device.type != "cuda" or used != "nccl":
            raise RuntimeError(f"collectives of {used} on {self._request.device} cannot be captured in a CUDA graph")
        return nullcontext()

    def close(self) -> None:
        pass


def _group_backend(request: GatherRequest) -> str | None:
    """Return the name of what moves tensors of the request's device in its group, such as "gloo"."""
    pairs = (entry.partition(":") for entry in dist.get_backend_config(request.group).split(","))
    return {device: name for device, _, name in pairs}.get(request.device.type)
