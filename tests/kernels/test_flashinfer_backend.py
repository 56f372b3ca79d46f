"""Backend `flashinfer`: signature and lifecycle against the released package, the other generations against fakes.

Its kernels need several GPUs of compute capability 12.x; they do not run here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from pinproof.kernels import flashinfer_api, flashinfer_backend
from pinproof.kernels.backend import GatherRequest
from pinproof.kernels.flashinfer_api import ROOTS, PairApi, installed
from pinproof.kernels.flashinfer_backend import FlashInferTransport, supports
from pinproof.policy import row_blocks

from .flashinfer_fakes import inferred_fake_of_generation_c, recorded_fake_of_generation_a

PINNED = "7bb37d608657e18a40de913d2cc3cd0448400336"


def request(*, max_rows: int = 8, policy: Callable[[int], int] = row_blocks, world_size: int = 2, **other: Any) -> Any:
    return GatherRequest(
        group=None,  # type: ignore[arg-type]
        device=torch.device("cpu"),
        rank=0,
        world_size=world_size,
        latent_width=224,
        router_width=56,
        latent_dtype=torch.bfloat16,
        router_dtype=torch.float32,
        max_rows=max_rows,
        row_blocks=policy,
        **other,
    )


def tensors(rows: int) -> tuple[torch.Tensor, ...]:
    shapes = [(rows, 224), (rows, 56), (rows, 448), (rows, 112)]
    return tuple(torch.zeros(shape, dtype=(torch.bfloat16, torch.float32)[n % 2]) for n, shape in enumerate(shapes))


@pytest.fixture(scope="session")
def released() -> PairApi:
    pytest.importorskip("flashinfer", reason="flashinfer-python is not installed")
    return installed()


def test_the_released_package_is_of_generation_b(released: PairApi) -> None:
    assert (released.root, released.version) == ("flashinfer.experimental.b12x", "flashinfer-python 0.7.2.post1")
    assert (released.takes_plan, released.takes_row_blocks, released.generation) == (True, False, "B")
    assert Path(released.file).parts[-3:] == ("comm", "pcie", "pcie_dcp_a2a.py")
    assert str(released) == "flashinfer-python 0.7.2.post1 (flashinfer.experimental.b12x, generation B)"


def test_what_this_backend_states_is_what_the_released_package_states(released: PairApi) -> None:
    assert released.module("comm.pcie._tuning").SURFACES["DcpAllToAll.all_gather_pair"] == flashinfer_backend.WORLDS
    assert released.module("comm.pcie.pcie_dcp_a2a").DCP_A2A_REQUIRED_SMS == flashinfer_backend.MULTIPROCESSORS
    layout = released.module("comm.pcie.pcie_dcp_a2a")._staging_layout(
        signal_bytes=266_240, world_size=16, max_batch_size=8, total_heads=16, head_dim=8, query_head_dim=672
    )
    assert layout.slot_bytes == 172_544


@pytest.fixture
def on_cpu(released: PairApi, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Let the released pool run on the CPU up to the launch, and return what it launches.

    Real: pool, channels, capture, query, plan, argument checks, choice of slot and launcher.
    Replaced: CUDA memory between processes, compilation, the preparation session, the launch.
    """
    log: list[tuple[Any, ...]] = []
    pairs = released.module("comm.pcie.pcie_dcp_a2a")
    dcp = released.module("comm.pcie._dcp_preparation")
    native = SimpleNamespace(init_dcp_a2a=lambda *arguments: 1, dispose=lambda pointer: log.append(("dispose",)))

    def from_process_group(*, process_group: Any, **arguments: Any) -> Any:
        log.append(("pool", arguments))

        def channel(stream_key: int | None) -> Any:
            return pairs.PCIeDCPA2A(
                rank=0,
                world_size=arguments["total_heads"],
                signal_ptrs=(1, 2),
                staging0_ptrs=(1000, 2000),
                staging1_ptrs=(1500, 2500),
                output_capacity_elems=1 << 20,
                lse_offset=0,
                lse_capacity=1 << 10,
                ext_module=native,
                **arguments,
            )

        return pairs.PCIeDCPA2APool(rank=0, world_size=2, ext_module=native, channel_factory=channel, **arguments)

    class Session:
        def __init__(self, *, device: Any, autotune: bool) -> None:
            log.append(("session", str(device), autotune))

        def prepare(self, requests: Any) -> None:
            for entry in requests:
                state = entry.plan._materialize(None, SimpleNamespace(ordinal=0))
                assert entry.prepare_call(state).invoke() is None
                prepared[entry.plan] = state
                log.append(("prepared", entry.name, entry.plan.query.call["threads"]))

        def close(self) -> None:
            log.append(("close session",))

    prepared: dict[Any, Any] = {}
    monkeypatch.setattr(pairs.PCIeDCPA2APool, "from_process_group", from_process_group)
    monkeypatch.setattr(pairs, "require_prepared", lambda plan, component, device: prepared[plan])
    monkeypatch.setattr(
        dcp, "compile_dcp_surface", lambda query, ordinal: {False: "eager kernel", True: "graph kernel"}
    )
    monkeypatch.setattr(released.module("preparation"), "PreparationSession", Session)
    monkeypatch.setattr(
        pairs.PCIeDCPA2A,
        "_launch_all_gather_pair",
        lambda self, *pair, slot, threads, device_slot_selection, launcher: log.append(
            ("launch", [tuple(tensor.shape) for tensor in pair], slot, threads, launcher)
        ),
    )
    return log


def test_the_lifecycle_of_the_released_package(released: PairApi, on_cpu: list[tuple[Any, ...]]) -> None:
    transport = FlashInferTransport(request(max_rows=4), released)
    transport.gather(*tensors(1))
    transport.gather(*tensors(4))
    with transport.capture():
        transport.gather(*tensors(2))
    transport.gather(*tensors(3))
    transport.close()
    arguments = {
        "device": torch.device("cpu"),
        "max_batch_size": 4,
        "total_heads": 2,
        "head_dim": 8,
        "query_head_dim": 672,
    }
    assert on_cpu == [
        ("pool", arguments),
        ("session", "cpu", False),
        ("prepared", "pinproof.eager.1", 512),
        ("launch", [(1, 224), (1, 56), (1, 448), (1, 112)], 0, 512, "eager kernel"),
        ("launch", [(4, 224), (4, 56), (4, 448), (4, 112)], 1, 512, "eager kernel"),
        ("prepared", "pinproof.capture1.1", 512),
        ("launch", [(2, 224), (2, 56), (2, 448), (2, 112)], 0, 512, "eager kernel"),
        ("launch", [(3, 224), (3, 56), (3, 448), (3, 112)], 0, 512, "eager kernel"),
        ("close session",),
        *[("dispose",)] * 4,  # without peers the pool makes a channel more for each of the two
    ]


def test_the_plan_of_the_released_package(released: PairApi, on_cpu: list[tuple[Any, ...]]) -> None:
    plan = FlashInferTransport(request(max_rows=8, allow_one_block=True), released).plan
    assert (plan.backend, plan.row_blocks) == ("flashinfer", (1, 1, 1, 1, 1, 1, 1, 1))
    assert plan.notes[0] == "flashinfer-python 0.7.2.post1 (flashinfer.experimental.b12x, generation B)"
    assert plan.notes[2:] == (
        "timeout_s has no effect: the kernel waits for ever when a rank is gone",
        "gathers outside a capture belong to the stream that was current when the gather was made",
        "one row block at every number of rows, as allowed, where the policy says 1 at 1-7 rows, 2 at 8 rows",
    )


def test_recorded_fake_of_generation_a(monkeypatch: pytest.MonkeyPatch) -> None:
    log = recorded_fake_of_generation_a(monkeypatch)
    api = installed()
    assert (api.root, api.generation, api.file) == ("b12x", "A", "/site/b12x/comm/pcie/pcie_dcp_a2a.py")
    transport = FlashInferTransport(request(max_rows=4), api)
    transport.gather(*tensors(4))
    with transport.capture():
        transport.gather(*tensors(2))
    transport.gather(*tensors(1))
    transport.close()
    assert log[1:] == [
        ("prepare_channels", ("pinproof.eager",)),
        ("for_stream", "pinproof.eager"),
        ("prepare_graph", "pinproof.eager", 512),
        ("gather", 512, "pinproof.eager"),
        ("prepare_channels", ("pinproof.capture1",)),
        ("enter capture", "pinproof.capture1"),
        ("prepare_graph", "pinproof.capture1", 512),
        ("gather", 512, "pinproof.capture1"),
        ("leave capture", "pinproof.capture1"),
        ("gather", 512, "pinproof.eager"),
        ("close pool",),
    ]


def test_inferred_fake_of_generation_c(monkeypatch: pytest.MonkeyPatch) -> None:
    log = inferred_fake_of_generation_c(monkeypatch)
    api = installed()
    assert (api.root, api.generation, api.takes_plan) == ("flashinfer.b12x", "C", True)
    transport = FlashInferTransport(request(max_rows=9), api)
    for rows in (7, 8, 9):
        transport.gather(*tensors(rows))
    with transport.capture():
        transport.gather(*tensors(8))
    transport.close()
    shapes = ((9, 224), (9, 56))
    surface = "DcpAllToAll.all_gather_pair"
    one, two = "plan of pinproof.eager with 1", "plan of pinproof.eager with 2"
    assert log[1:] == [
        ("session", torch.device("cpu"), False),
        ("prepare_channels", ("pinproof.eager",)),
        ("for_stream", "pinproof.eager"),
        ("plan", surface, "pinproof.eager", 512, 1, *shapes),
        ("prepare", "pinproof.eager.1", one),
        ("plan", surface, "pinproof.eager", 512, 2, *shapes),
        ("prepare", "pinproof.eager.2", two),
        ("gather", one, 512, 1, "pinproof.eager"),
        ("gather", two, 512, 2, "pinproof.eager"),
        ("gather", one, 512, 1, "pinproof.eager"),
        ("prepare_channels", ("pinproof.capture1",)),
        ("enter capture", "pinproof.capture1"),
        ("plan", surface, "pinproof.capture1", 512, 1, *shapes),
        ("prepare", "pinproof.capture1.1", "plan of pinproof.capture1 with 1"),
        ("plan", surface, "pinproof.capture1", 512, 2, *shapes),
        ("prepare", "pinproof.capture1.2", "plan of pinproof.capture1 with 2"),
        ("gather", "plan of pinproof.capture1 with 2", 512, 2, "pinproof.capture1"),
        ("leave capture", "pinproof.capture1"),
        ("close session",),
        ("close pool",),
    ]
    assert transport.plan.row_blocks == (1, 1, 1, 1, 1, 1, 1, 2, 1)
    assert transport.plan.notes[-1] == "how this generation takes its plan is inferred"


@pytest.fixture
def blackwell(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A CUDA device that the backend could run on, as torch describes it."""
    device = SimpleNamespace(name="Fake GPU", major=12, minor=0, multi_processor_count=188)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: device)
    return device


def on_cuda(**other: Any) -> Any:
    return replace(request(**other), device=torch.device("cuda", 0))


def test_the_released_package_refuses_more_than_one_block(released: PairApi, blackwell: SimpleNamespace) -> None:
    assert supports(on_cuda()) == (
        "flashinfer-python 0.7.2.post1 (flashinfer.experimental.b12x, generation B) knows one row block only, but the "
        f"policy says 1 at 1-7 rows, 2 at 8 rows; install the pinned commit {PINNED}, or pass allow_one_block=True"
    )
    assert supports(on_cuda(allow_one_block=True)) is None
    assert supports(on_cuda(max_rows=7)) is None


def test_generation_c_takes_every_policy(monkeypatch: pytest.MonkeyPatch, blackwell: SimpleNamespace) -> None:
    inferred_fake_of_generation_c(monkeypatch)
    assert supports(on_cuda(policy=lambda rows: rows)) is None


def test_devices_and_worlds_that_are_refused(blackwell: SimpleNamespace) -> None:
    assert supports(request()) == "it needs a CUDA device, not cpu"
    assert supports(on_cuda(world_size=9)) == "it gathers between 2, 4, 8, 16 ranks, not 9"
    blackwell.multi_processor_count = 48
    assert supports(on_cuda()) == "it needs 64 multiprocessors, Fake GPU has 48"
    blackwell.major, blackwell.minor = 9, 0
    assert supports(on_cuda()) == "it needs compute capability 12.x, Fake GPU has 9.0"


def test_nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for root in ROOTS:
        monkeypatch.setitem(sys.modules, f"{root}.comm.pcie.pcie_dcp_a2a", None)
    with pytest.raises(ImportError, match=r"^none of flashinfer\.b12x, .* has comm\.pcie\.pcie_dcp_a2a; install"):
        installed()


def test_a_package_that_lacks_what_it_needs_is_not_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "halfway" / "comm" / "pcie"
    folder.mkdir(parents=True)
    (folder / "pcie_dcp_a2a.py").write_text("import cutlass_that_is_missing\n")
    monkeypatch.setattr(flashinfer_api, "ROOTS", {"halfway": ("halfway",)})
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'cutlass_that_is_missing'"):
        installed()
