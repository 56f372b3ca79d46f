"""Fakes of the FlashInfer generations that are not installed here. They note every call and gather nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from pinproof.kernels.flashinfer_api import ROOTS

Log = list[tuple[Any, ...]]


class _Pool:
    """What both generations have in common."""

    log: Log

    def __init__(self, **arguments: Any) -> None:
        self.log.append(("pool", arguments))

    @classmethod
    def from_process_group(
        cls,
        *,
        process_group: Any,
        device: Any,
        max_batch_size: int,
        total_heads: int,
        head_dim: int,
        query_head_dim: int | None = None,
        ext_module: Any = None,
        single_channel: bool = False,
        max_concurrent_channels: int = 1,
    ) -> _Pool:
        return cls(
            device=device,
            max_batch_size=max_batch_size,
            total_heads=total_heads,
            head_dim=head_dim,
            query_head_dim=query_head_dim,
        )

    def prepare_channels(self, channel_ids: Sequence[str]) -> None:
        self.log.append(("prepare_channels", channel_ids))

    def for_stream(self, stream: object = None, *, channel_id: str | None = None) -> Any:
        self.log.append(("for_stream", channel_id))
        return self._channel(channel_id)

    @contextmanager
    def capture(self, stream: object = None, *, channel_id: str | None = None) -> Iterator[Any]:
        self.log.append(("enter capture", channel_id))
        yield self._channel(channel_id)
        self.log.append(("leave capture", channel_id))

    def close(self) -> None:
        self.log.append(("close pool",))

    def _channel(self, channel_id: str | None) -> Any:
        return SimpleNamespace(name=channel_id)


def recorded_fake_of_generation_a(patch: pytest.MonkeyPatch) -> Log:
    """Install a package `b12x` with the signatures of b12x 1.3.0, as read from its source."""
    noted: Log = []

    class PCIeDCPA2APool(_Pool):
        log = noted

        def all_gather_pair(
            self,
            local_first: Any,
            local_second: Any,
            out_first: Any = None,
            out_second: Any = None,
            *,
            threads: int = 512,
            stream: object = None,
            channel_id: str | None = None,
        ) -> Any:
            noted.append(("gather", threads, channel_id))

        def prepare_graph_all_gather_pair(
            self, *, threads: int = 512, stream: object = None, channel_id: str | None = None
        ) -> None:
            raise AssertionError("the channel is prepared, not the pool")

        def _channel(self, channel_id: str | None) -> Any:
            def prepare_graph_all_gather_pair(*, threads: int = 512) -> None:
                noted.append(("prepare_graph", channel_id, threads))

            return SimpleNamespace(prepare_graph_all_gather_pair=prepare_graph_all_gather_pair)

    _install(patch, "b12x", {"comm.pcie.pcie_dcp_a2a": {"PCIeDCPA2APool": PCIeDCPA2APool}})
    return noted


def inferred_fake_of_generation_c(patch: pytest.MonkeyPatch) -> Log:
    """Install a package `flashinfer.b12x` as the pinned fork is inferred to be: generation B and `row_blocks`."""
    noted: Log = []

    class PCIeDCPA2APool(_Pool):
        log = noted

        def all_gather_pair(
            self,
            local_first: Any,
            local_second: Any,
            out_first: Any = None,
            out_second: Any = None,
            *,
            plan: Any,
            threads: int = 512,
            row_blocks: int = 1,
            stream: object = None,
            channel_id: str | None = None,
        ) -> Any:
            noted.append(("gather", plan, threads, row_blocks, channel_id))

    class PreparationSession:
        def __init__(self, *, device: Any = None, autotune: bool = True) -> None:
            noted.append(("session", device, autotune))

        def prepare(self, requests: Sequence[Any]) -> None:
            noted.extend(("prepare", request.name, request.plan) for request in requests)

        def close(self) -> None:
            noted.append(("close session",))

    def query_from_runtime(runtime: Any, *, surface: str, call: dict[str, Any]) -> Any:
        shapes = [tuple(call[name].shape) for name in ("local_first", "local_second")]
        return (surface, runtime.name, call["threads"], call["row_blocks"], *shapes)

    def plan(query: Any, *, runtime: Any = None) -> str:
        noted.append(("plan", *query))
        return f"plan of {runtime.name} with {query[3]}"

    preparation = {
        "PreparationSession": PreparationSession,
        "PreparationRequest": SimpleNamespace,
        "PreparedCall": SimpleNamespace,
    }
    modules: dict[str, dict[str, Any]] = {
        "comm.pcie.pcie_dcp_a2a": {"PCIeDCPA2APool": PCIeDCPA2APool},
        "comm.pcie": {"query_from_runtime": query_from_runtime, "plan": plan},
        "preparation": preparation,
    }
    _install(patch, "flashinfer.b12x", modules)
    return noted


def _install(patch: pytest.MonkeyPatch, root: str, modules: dict[str, dict[str, Any]]) -> None:
    """Put `modules` in the place of `root`, and nothing in the places of the other roots."""
    for other in ROOTS:
        patch.setitem(sys.modules, f"{other}.comm.pcie.pcie_dcp_a2a", None)
    for name, members in modules.items():
        module = ModuleType(f"{root}.{name}")
        module.__file__ = f"/site/{root.replace('.', '/')}/{name.replace('.', '/')}.py"
        module.__dict__.update(members)
        patch.setitem(sys.modules, module.__name__, module)
