"""Backend `flashinfer`: `PCIeDCPA2APool.all_gather_pair` of the FlashInfer that is installed.

Three generations are known (`flashinfer_api`). That the third, the pinned fork, prepares and takes its plan as the
second does, and takes `row_blocks` in the query and in the call, is inferred: it was not at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import torch

from pinproof.policy import PINNED_COMMIT

from .backend import GatherRequest, Plan
from .flashinfer_api import PairApi, installed
from .request import shown_policy

WORLDS: Final = (2, 4, 8, 16)
MULTIPROCESSORS: Final = 64
"""What one channel needs, so that its waiting grid is resident."""

THREADS: Final = 512
"""In plan and call alike: the query's own default of 256 would prepare another kernel than the call launches."""

HEAD_DIM: Final = 8
"""The smallest there is. The pair gather sizes its staging by `query_head_dim`, the bytes of a combined row."""

_EAGER: Final = "pinproof.eager"
_SURFACE: Final = "DcpAllToAll.all_gather_pair"


def supports(request: GatherRequest) -> str | None:
    if request.device.type != "cuda":
        return f"it needs a CUDA device, not {request.device}"
    if request.world_size not in WORLDS:
        return f"it gathers between {', '.join(map(str, WORLDS))} ranks, not {request.world_size}"
    return _device_reason(request.device) or _policy_reason(request, installed())


def _device_reason(device: torch.device) -> str | None:
    properties = torch.cuda.get_device_properties(device)
    if properties.major != 12:
        return f"it needs compute capability 12.x, {properties.name} has {properties.major}.{properties.minor}"
    if properties.multi_processor_count < MULTIPROCESSORS:
        return f"it needs {MULTIPROCESSORS} multiprocessors, {properties.name} has {properties.multi_processor_count}"
    return None


def _policy_reason(request: GatherRequest, api: PairApi) -> str | None:
    if api.takes_row_blocks or request.allow_one_block or not _more_than_one_block(request):
        return None
    return (
        f"{api} knows one row block only, but the policy says {shown_policy(request)}; install the pinned commit "
        f"{PINNED_COMMIT}, or pass allow_one_block=True"
    )


def create(request: GatherRequest) -> FlashInferTransport:
    return FlashInferTransport(request, installed())


class FlashInferTransport:
    """One pool; one channel for eager gathers, and one more for every capture."""

    def __init__(self, request: GatherRequest, api: PairApi) -> None:
        self._request = request
        self._api = api
        self._pool: Any = api.pool.from_process_group(
            process_group=request.group,
            device=request.device,
            max_batch_size=request.max_rows,
            total_heads=request.world_size,
            head_dim=HEAD_DIM,
            query_head_dim=request.layout.row_bytes,
        )
        self._session: Any = None
        if api.takes_plan:
            self._session = api.module("preparation").PreparationSession(device=request.device, autotune=False)
        self._pool.prepare_channels((_EAGER,))
        self._calls = self._prepare(_EAGER, self._pool.for_stream(channel_id=_EAGER))
        self._captures = 0
        self.plan = Plan("flashinfer", self._launched(), notes=self._notes())

    def gather(
        self,
        latent_local: torch.Tensor,
        router_local: torch.Tensor,
        latent_out: torch.Tensor,
        router_out: torch.Tensor,
    ) -> None:
        call = self._calls[self._blocks(latent_local.shape[0])]
        self._pool.all_gather_pair(latent_local, router_local, latent_out, router_out, **call)

    @contextmanager
    def capture(self) -> Iterator[None]:
        self._captures += 1
        channel_id = f"pinproof.capture{self._captures}"
        self._pool.prepare_channels((channel_id,))
        with self._pool.capture(channel_id=channel_id) as channel:
            outside, self._calls = self._calls, self._prepare(channel_id, channel)
            try:
                yield
            finally:
                self._calls = outside

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
        self._pool.close()

    def _blocks(self, rows: int) -> int:
        return self._request.row_blocks(rows) if self._api.takes_row_blocks else 1

    def _launched(self) -> tuple[int, ...]:
        return tuple(self._blocks(rows) for rows in range(1, self._request.max_rows + 1))

    def _notes(self) -> tuple[str, ...]:
        notes = [
            str(self._api),
            f"from {self._api.file}",
            "timeout_s has no effect: the kernel waits for ever when a rank is gone",
            "gathers outside a capture belong to the stream that was current when the gather was made",
        ]
        if self._api.takes_row_blocks:
            notes.append("how this generation takes its plan is inferred")
        elif _more_than_one_block(self._request):
            policy = shown_policy(self._request)
            notes.append(f"one row block at every number of rows, as allowed, where the policy says {policy}")
        return tuple(notes)

    def _prepare(self, channel_id: str, channel: Any) -> dict[int, dict[str, Any]]:
        """Return the keywords of the call for each number of row blocks that is launched, with kernels compiled."""
        calls: dict[int, dict[str, Any]] = {}
        for blocks in sorted(set(self._launched())):
            call: dict[str, Any] = {"threads": THREADS}
            if self._api.takes_row_blocks:
                call["row_blocks"] = blocks
            if self._api.takes_plan:
                call["plan"] = self._prepared_plan(f"{channel_id}.{blocks}", channel, dict(call))
            else:
                channel.prepare_graph_all_gather_pair(threads=THREADS)
            calls[blocks] = call | {"channel_id": channel_id}
        return calls

    def _prepared_plan(self, name: str, channel: Any, call: dict[str, Any]) -> Any:
        pcie, preparation = self._api.module("comm.pcie"), self._api.module("preparation")
        rows, device = self._request.max_rows, self._request.device
        latent = torch.empty((rows, self._request.latent_width), dtype=self._request.latent_dtype, device=device)
        router = torch.empty((rows, self._request.router_width), dtype=self._request.router_dtype, device=device)
        query = pcie.query_from_runtime(
            channel, surface=_SURFACE, call=call | {"local_first": latent, "local_second": router}
        )
        plan = pcie.plan(query, runtime=channel)
        # Compiling is enough. A run while preparing would be a gather that the ranks had to start together.
        request = preparation.PreparationRequest(
            name=name, plan=plan, prepare_call=lambda _: preparation.PreparedCall(run=lambda: None)
        )
        self._session.prepare((request,))
        return plan


def _more_than_one_block(request: GatherRequest) -> bool:
    return any(request.row_blocks(rows) > 1 for rows in range(1, request.max_rows + 1))
