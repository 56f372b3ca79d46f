"""What a backend of the paired gather is: what is asked of it, what it hands back, and the record that registers it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, get_args

from .layout import RowLayout

if TYPE_CHECKING:
    import torch
    from torch.distributed import ProcessGroup


TransportName = Literal["pull", "push"]
TRANSPORTS: Final[tuple[TransportName, ...]] = get_args(TransportName)


@dataclass(frozen=True, slots=True)
class GatherRequest:
    """One paired gather, as every rank of the group asks for it. Only `device` and `rank` differ between ranks.

    Attributes:
        group: the ranks that gather.
        device: where inputs and outputs of this rank live; with an index where it is a CUDA device.
        rank: of this process within `group`.
        world_size: ranks in `group`.
        latent_width: elements of one latent row of one rank.
        router_width: elements of one router row of one rank.
        latent_dtype: of the latent input and output.
        router_dtype: of the router input and output.
        max_rows: the largest number of physical rows that will be gathered.
        row_blocks: rows -> thread blocks that share the gather, for 1 to `max_rows` rows. A table read before the
            ranks compared it, so it cannot change afterwards and costs no call of the policy.
        timeout_s: seconds until a rank that did not arrive is an error; None waits for ever.
        allow_one_block: whether a backend that knows one row block only may gather rows for which the policy says more.
        transport: how the triton backend moves rows, "pull" or "push"; the others have one way.
    """

    group: ProcessGroup
    device: torch.device
    rank: int
    world_size: int
    latent_width: int
    router_width: int
    latent_dtype: torch.dtype
    router_dtype: torch.dtype
    max_rows: int
    row_blocks: Callable[[int], int]
    timeout_s: float | None = 60.0
    allow_one_block: bool = False
    transport: TransportName = "pull"

    @property
    def layout(self) -> RowLayout:
        """Bytes of one row of one rank."""
        return RowLayout(
            latent_bytes=self.latent_width * self.latent_dtype.itemsize,
            router_bytes=self.router_width * self.router_dtype.itemsize,
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """What a `PairedGather` does, and why.

    Attributes:
        backend: name of the backend that gathers.
        row_blocks: thread blocks for 1, 2, ... `max_rows` rows, as launched; empty where the backend has none.
        reason: why this backend.
        policy: where the row blocks come from.
        notes: what else was decided: versions, deviations from the policy that the caller allowed.
    """

    backend: str
    row_blocks: tuple[int, ...] = ()
    reason: str = "asked for by name"
    policy: str = "the reviewed policy"
    notes: tuple[str, ...] = ()


class Transport(Protocol):
    """A backend at work for one group. The caller has checked every tensor."""

    @property
    def plan(self) -> Plan: ...

    def gather(
        self,
        latent_local: torch.Tensor,
        router_local: torch.Tensor,
        latent_out: torch.Tensor,
        router_out: torch.Tensor,
    ) -> None:
        """Gather into `latent_out` and `router_out` on the current stream. Every rank calls it with equal rows.

        `latent_local` is `[rows, latent_width]`, `latent_out` `[rows, world_size * latent_width]`, the router's
        likewise; all contiguous, 16-byte aligned, on `device`, and free of overlap.
        """

    def capture(self) -> AbstractContextManager[None]:
        """Return what surrounds `torch.cuda.graph` while gathers are captured. Collective.

        Raises:
            RuntimeError: gathers of this backend cannot be captured here.
        """

    def close(self) -> None:
        """Free what was taken. Collective; called once."""


@dataclass(frozen=True, slots=True)
class Backend:
    """One way to gather.

    Attributes:
        name: as `PairedGather(backend=...)` takes it.
        summary: one line.
        supports: why it cannot run a request on this rank, or None where it can. Says so without a collective and
            without taking anything that has to be freed.
        create: starts it. Collective; called only where `supports` returned None on every rank.
    """

    name: str
    summary: str
    supports: Callable[[GatherRequest], str | None]
    create: Callable[[GatherRequest], Transport]
