"""`PairedGather`: two row tensors from all ranks of a group into rank-major outputs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self, SupportsIndex

import torch

from pinproof.policy import LaunchPolicy

from .agreement import exchange, require_equal, together
from .backend import GatherRequest, Plan, Transport, TransportName
from .errors import GatherError
from .request import make_request, resolve_device, resolve_group, settings, source_of
from .selection import candidates, choose
from .tensors import TensorRule, check_no_overlap

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup


class PairedGather:
    """Gathers a latent and a router tensor from all ranks behind one synchronisation, bytes copied unchanged.

    Every rank makes it, calls it and closes it, in the same order and with the same numbers of rows. Gathers of one
    object belong to one stream.

    Args:
        group: the ranks that gather; None for the default group.
        latent_width: elements of one latent row of one rank; a row is a multiple of 16 bytes.
        router_width: elements of one router row of one rank; likewise.
        max_rows: the largest number of physical rows, padding included.
        latent_dtype: float16, bfloat16, float32 or float8_e4m3fn.
        router_dtype: likewise.
        backend: a name in `pinproof.kernels.backends.BACKENDS`, or "auto" for the first that can run on every rank.
        row_blocks: rows -> thread blocks that share a gather, a function or a table from `pinproof.policy.load`; None
            for the reviewed `pinproof.policy.row_blocks`. Asked once for each number of rows up to `max_rows`, while
            the object is made.
        device: where the tensors live; None for the current CUDA device, or the CPU where there is none.
        timeout_s: seconds until a rank that did not arrive is an error; None waits for ever. What a backend makes of it
            is in `plan.notes`.
        allow_one_block: whether a backend that knows one row block only may run rows for which the policy says more.
        transport: how the triton backend moves rows: "pull" behind a flag barrier, or "push" with flags in the data;
            None for what the table in `row_blocks` was measured with, else "pull".

    Attributes:
        plan: which backend gathers and why, the row blocks it launches, and what else was decided.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument has a value that no gather can have.
        RanksDisagreeError: ranks ask for different gathers, or a rank cannot take part. Raised on every rank.
        BackendUnavailableError: the backend cannot run. Raised on every rank.
    """

    def __init__(
        self,
        group: ProcessGroup | None = None,
        *,
        latent_width: SupportsIndex,
        router_width: SupportsIndex,
        max_rows: SupportsIndex,
        latent_dtype: torch.dtype = torch.bfloat16,
        router_dtype: torch.dtype = torch.float32,
        backend: str = "auto",
        row_blocks: Callable[[int], int] | LaunchPolicy | None = None,
        device: torch.device | str | int | None = None,
        timeout_s: float | None = 60.0,
        allow_one_block: bool = False,
        transport: TransportName | None = None,
    ) -> None:
        self._closed = True
        members = resolve_group(group)
        place = _device_or_none(device)
        source = source_of(row_blocks)

        def request_here() -> GatherRequest:
            candidates(backend)
            return make_request(
                members,
                resolve_device(device),
                latent_width=latent_width,
                router_width=router_width,
                latent_dtype=latent_dtype,
                router_dtype=router_dtype,
                max_rows=max_rows,
                row_blocks=source.row_blocks,
                timeout_s=timeout_s,
                allow_one_block=allow_one_block,
                transport=transport or source.transport,
            )

        request = together(members, place, "take part in the gather", request_here)
        require_equal(exchange(members, place, settings(request, backend, source)))
        self._latent = _rule("latent", request, request.latent_width, request.latent_dtype)
        self._router = _rule("router", request, request.router_width, request.router_dtype)
        chosen, reason = choose(request, backend)
        self._transport: Transport = together(
            members, place, f"start the backend {chosen.name}", lambda: chosen.create(request)
        )
        self.plan: Plan = replace(self._transport.plan, reason=reason, policy=source.name)
        self._closed = False

    def __call__(
        self,
        latent_local: torch.Tensor,
        router_local: torch.Tensor,
        out: tuple[torch.Tensor, torch.Tensor] | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Gather on the current stream and return the outputs.

        Args:
            latent_local: `[rows, latent_width]`, 1 to `max_rows` rows, contiguous, 16-byte aligned.
            router_local: `[rows, router_width]`, likewise.
            out: where to gather, `[rows, world_size * latent_width]` and `[rows, world_size * router_width]`, apart
                from each other and from the inputs; None for new tensors.

        Raises:
            TypeError: an argument is no tensor.
            ValueError: a tensor has another dtype, device, shape, stride or alignment, or overlaps.
            GatherError: the gather is closed.
        """
        self._require_open()
        rows = self._latent.check_input(latent_local)
        if self._router.check_input(router_local) != rows:
            raise ValueError(f"router_local has {router_local.shape[0]} rows, expected {rows} as in latent_local")
        if out is None:
            outputs = (self._latent.new_output(rows), self._router.new_output(rows))
        else:
            outputs = _pair(out)
            self._latent.check_output(outputs[0], rows)
            self._router.check_output(outputs[1], rows)
            check_no_overlap((latent_local, router_local), outputs)
        self._transport.gather(latent_local, router_local, *outputs)
        return outputs

    def capture(self) -> AbstractContextManager[None]:
        """Return the context in which gathers are captured in a CUDA graph; enter it before `torch.cuda.graph`.

        Raises:
            GatherError: the gather is closed.
            RuntimeError: gathers of this backend cannot be captured here.
        """
        self._require_open()
        return self._transport.capture()

    def close(self) -> None:
        """Free what the gather holds. Collective; a second call does nothing. Drop graphs that captured it before."""
        if not self._closed:
            self._closed = True
            self._transport.close()

    def __enter__(self) -> Self:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._closed = True  # peers may never come to a collective close

    def _require_open(self) -> None:
        if self._closed:
            raise GatherError("the gather is closed")


def _device_or_none(device: torch.device | str | int | None) -> torch.device | None:
    try:
        return resolve_device(device)
    except (TypeError, ValueError, RuntimeError):
        return None


def _rule(name: str, request: GatherRequest, width: int, dtype: torch.dtype) -> TensorRule:
    return TensorRule(name, width, request.world_size, dtype, request.device, request.max_rows)


def _pair(out: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    if not isinstance(out, tuple | list) or len(out) != 2:
        raise TypeError(f"out is of type {type(out).__name__}, expected a pair of tensors (latent, router)")
    return out[0], out[1]
