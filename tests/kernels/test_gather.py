"""What `PairedGather` refuses, with a group of one rank in this process."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch._C._distributed_c10d import HashStore

from pinproof.kernels import BackendUnavailableError, GatherError, PairedGather, Plan, selection
from pinproof.kernels.backend import Backend
from pinproof.kernels.backends import BACKENDS
from pinproof.policy import loads

TABLE = b"""
schema = 1
transport = "push"
default = 1
row-blocks = { 8 = 4 }
[provenance]
device = "NVIDIA H200"
topology = "16 ranks emulated on one GPU"
world = 16
emulated = true
date = 2026-12-01T08:00:00Z
samples = 25
versions = { torch = "2.11.0" }
evidence = "evidence/tune.json"
evidence-sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
"""

WIDTHS: dict[str, Any] = {"latent_width": 16, "router_width": 8, "max_rows": 4, "device": "cpu", "backend": "torch"}


@pytest.fixture(scope="module", autouse=True)
def group() -> Iterator[None]:
    dist.init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.fixture
def gather() -> Iterator[PairedGather]:
    with PairedGather(**WIDTHS) as made:
        yield made


def latent(rows: int = 2, width: int = 16) -> torch.Tensor:
    return torch.arange(rows * width, dtype=torch.bfloat16).view(rows, width)


def router(rows: int = 2, width: int = 8) -> torch.Tensor:
    return torch.arange(rows * width, dtype=torch.float32).view(rows, width)


def test_one_rank_gathers_its_own_rows(gather: PairedGather) -> None:
    outputs = gather(latent(), router())
    assert outputs[0].tolist() == [[float(n) for n in range(16)], [float(n) for n in range(16, 32)]]
    assert outputs[1].tolist() == [[float(n) for n in range(8)], [float(n) for n in range(8, 16)]]


def test_the_plan_says_what_was_decided(gather: PairedGather) -> None:
    timeout = "a rank that does not arrive is found by the timeout of the process group, not by timeout_s"
    assert gather.plan == Plan(
        "torch", (), "asked for by name", "the reviewed policy", ("collectives of gloo", timeout)
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (latent().float(), "latent_local has dtype torch.float32, expected torch.bfloat16"),
        (latent().to("meta"), "latent_local is on meta, expected cpu"),
        (latent(2, 24), "latent_local has shape [2, 24], expected [rows, 16]"),
        (latent().view(-1), "latent_local has shape [32], expected [rows, 16]"),
        (latent().view(2, 16, 1), "latent_local has shape [2, 16, 1], expected [rows, 16]"),
        (latent(5), "latent_local has 5 rows, expected 1 to 4 (max_rows)"),
        (latent(0), "latent_local has 0 rows, expected 1 to 4 (max_rows)"),
        (latent(2, 32)[:, ::2], "latent_local has strides [32, 2], expected contiguous rows; call .contiguous()"),
        (latent(2, 32)[:, :16], "latent_local has strides [32, 1], expected contiguous rows; call .contiguous()"),
        (latent(1), "router_local has 2 rows, expected 1 as in latent_local"),
        (latent().requires_grad_(), "latent_local requires grad, but no gradient flows through the gather; detach it"),
    ],
)
def test_latent_inputs_that_are_refused(gather: PairedGather, wrong: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        gather(wrong, router())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (router().half(), "router_local has dtype torch.float16, expected torch.float32"),
        (router(2, 12), "router_local has shape [2, 12], expected [rows, 8]"),
        (router(3), "router_local has 3 rows, expected 2 as in latent_local"),
    ],
)
def test_router_inputs_that_are_refused(gather: PairedGather, wrong: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        gather(latent(), wrong)


def test_inputs_that_are_no_tensors(gather: PairedGather) -> None:
    with pytest.raises(TypeError, match=r"^latent_local is of type list, expected a tensor$"):
        gather([[1.0] * 16], router())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^router_local is of type NoneType, expected a tensor$"):
        gather(latent(), None)  # type: ignore[arg-type]


@pytest.mark.parametrize("shift", [2, 4, 8, 14])
def test_a_misaligned_input(gather: PairedGather, shift: int) -> None:
    whole = torch.zeros(80, dtype=torch.uint8)
    assert whole.data_ptr() % 16 == 0
    wrong = whole[shift : shift + 64].view(torch.uint8)
    aligned = torch.frombuffer(wrong.numpy(), dtype=torch.bfloat16).view(2, 16)
    with pytest.raises(
        ValueError, match=rf"^latent_local begins at 0x[0-9a-f]*{shift:x}, expected a multiple of 16 bytes$"
    ):
        gather(aligned, router())


def test_requires_grad_is_fine_where_gradients_are_off(gather: PairedGather) -> None:
    with torch.no_grad():
        outputs = gather(latent().requires_grad_(), router())
    assert torch.equal(outputs[0], latent())


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        ((latent(3), router(2)), ValueError, "latent output has 3 rows, expected 2 as in the inputs"),
        ((latent(2), router(1)), ValueError, "router output has 1 rows, expected 2 as in the inputs"),
        ((latent(2, 32), router()), ValueError, "latent output has shape [2, 32], expected [rows, 16]"),
        ((latent(), router().half()), ValueError, "router output has dtype torch.float16, expected torch.float32"),
        ((latent(), router(2, 16)[:, ::2]), ValueError, "router output has strides [16, 2], expected contiguous rows"),
        ((latent(), router().requires_grad_()), ValueError, "router output requires grad"),
        ((latent(), None), TypeError, "router output is of type NoneType, expected a tensor"),
        (latent(), TypeError, "out is of type Tensor, expected a pair of tensors (latent, router)"),
        ((latent(),), TypeError, "out is of type tuple, expected a pair of tensors (latent, router)"),
    ],
)
def test_outputs_that_are_refused(gather: PairedGather, out: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        gather(latent(), router(), out=out)


def pieces(*spans: tuple[int, int]) -> list[torch.Tensor]:
    """Return views of one memory, given as first byte and last byte."""
    whole = torch.zeros(512, dtype=torch.uint8)
    return [whole[begin:end] for begin, end in spans]


@pytest.mark.parametrize(
    ("spans", "names"),
    [
        # latent_local, router_local, latent output, router output: 64 bytes each
        ([(0, 64), (64, 128), (0, 64), (128, 192)], "the latent output .* overlaps latent_local"),
        ([(0, 64), (64, 128), (48, 112), (128, 192)], "the latent output .* overlaps latent_local"),
        ([(0, 64), (64, 128), (112, 176), (192, 256)], "the latent output .* overlaps router_local"),
        ([(0, 64), (64, 128), (128, 192), (16, 80)], "the router output .* overlaps latent_local"),
        ([(0, 64), (64, 128), (128, 192), (112, 176)], "the latent output .* overlaps the router output"),
        ([(0, 64), (64, 128), (128, 192), (64, 128)], "the router output .* overlaps router_local"),
    ],
)
def test_overlap(gather: PairedGather, spans: list[tuple[int, int]], names: str) -> None:
    first, second, first_out, second_out = pieces(*spans)
    pair = (first.view(torch.bfloat16).view(2, 16), second.view(torch.float32).view(2, 8))
    out = (first_out.view(torch.bfloat16).view(2, 16), second_out.view(torch.float32).view(2, 8))
    with pytest.raises(ValueError, match=f"^{names} .*use separate memory$"):
        gather(*pair, out=out)


def test_neighbours_do_not_overlap_and_inputs_may(gather: PairedGather) -> None:
    first, second, first_out, second_out = pieces((0, 64), (0, 64), (64, 128), (128, 192))
    first.fill_(7)
    out = (first_out.view(torch.bfloat16).view(2, 16), second_out.view(torch.float32).view(2, 8))
    gather(first.view(torch.bfloat16).view(2, 16), second.view(torch.float32).view(2, 8), out=out)
    assert first_out.tolist() == second_out.tolist() == [7] * 64


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"latent_width": 0}, ValueError, "latent_width is 0, expected at least 1"),
        ({"latent_width": 12}, ValueError, "latent_width is 12: a row of 12 torch.bfloat16 has 24 bytes, expected a"),
        ({"router_width": True}, TypeError, "router_width is True of type bool, expected an integer"),
        ({"router_width": 8.0}, TypeError, "router_width is 8.0 of type float, expected an integer"),
        (
            {"latent_dtype": torch.int32},
            ValueError,
            "latent_dtype is torch.int32, expected one of torch.float16, torch.b",
        ),
        ({"max_rows": 0}, ValueError, "max_rows is 0, expected 1 to 1048576"),
        ({"max_rows": 1 << 21}, ValueError, "max_rows is 2097152, expected 1 to 1048576"),
        ({"max_rows": "8"}, TypeError, "max_rows is '8' of type str, expected an integer"),
        (
            {"timeout_s": 0},
            ValueError,
            "timeout_s is 0, expected a positive number of seconds, or None to wait for ever",
        ),
        ({"timeout_s": float("nan")}, ValueError, "timeout_s is nan, expected a positive number"),
        ({"row_blocks": lambda rows: 0}, ValueError, "row_blocks(1) is 0, expected at least 1"),
        ({"row_blocks": lambda rows: rows / 2}, TypeError, "row_blocks(1) is 0.5 of type float, expected an integer"),
        (
            {"backend": "nccl"},
            ValueError,
            "there is no backend 'nccl', expected auto or one of triton, flashinfer, torch",
        ),
        ({"transport": "nvlink"}, ValueError, "transport is 'nvlink', expected pull or push"),
        ({"device": "meta"}, ValueError, "device is meta, expected a CPU or CUDA device"),
    ],
)
def test_arguments_that_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        PairedGather(**WIDTHS | arguments)


@pytest.mark.parametrize("name", ["triton", "flashinfer"])
def test_a_backend_that_cannot_run_names_the_others(name: str) -> None:
    others = {"triton": "flashinfer, torch", "flashinfer": "triton, torch"}[name]
    with pytest.raises(
        BackendUnavailableError, match=rf"^{name} cannot run: .* \(rank 0\)\. The others: {others}; or auto$"
    ):
        PairedGather(**WIDTHS | {"backend": name})


def test_auto_says_why_it_fell_back() -> None:
    with PairedGather(**WIDTHS | {"backend": "auto"}) as gather:
        assert gather.plan.backend == "torch"
        assert re.fullmatch(
            r"auto chose torch, the first that can run on every rank; triton cannot run: .+ \(rank 0\); "
            r"flashinfer cannot run: .+ \(rank 0\)",
            gather.plan.reason,
        )


def test_the_policy_is_asked_once_for_each_number_of_rows() -> None:
    asked = []

    def policy(rows: int) -> int:
        asked.append(rows)
        return 1

    with PairedGather(**WIDTHS | {"row_blocks": policy}) as gather:
        gather(latent(), router())
    assert asked == [1, 2, 3, 4]


def test_a_table_says_on_the_plan_where_it_comes_from() -> None:
    table = loads(TABLE)
    with PairedGather(**WIDTHS | {"row_blocks": table}) as gather:
        assert gather.plan.policy == (
            "a table measured with transport push on NVIDIA H200 (16 ranks emulated on one GPU), 2026-12-01, "
            f"digest {table.digest}"
        )
    with PairedGather(**WIDTHS | {"row_blocks": table.row_blocks}) as gather:
        assert gather.plan.policy == "a function of the caller"


@pytest.mark.parametrize(("named", "used"), [(None, "push"), ("pull", "pull"), ("push", "push")])
def test_a_table_brings_its_transport_unless_one_is_named(
    monkeypatch: pytest.MonkeyPatch, named: Any, used: str
) -> None:
    asked = []
    backend = Backend("torch", "", lambda request: asked.append(request.transport), BACKENDS[-1].create)
    monkeypatch.setattr(selection, "BACKENDS", (backend,))
    PairedGather(**WIDTHS | {"row_blocks": loads(TABLE), "transport": named}).close()
    PairedGather(**WIDTHS | {"transport": named}).close()
    assert asked == [used, named or "pull"]


def test_the_cpu_has_no_graphs(gather: PairedGather) -> None:
    with pytest.raises(RuntimeError, match=r"^collectives of gloo on cpu cannot be captured in a CUDA graph$"):
        gather.capture()


def test_a_closed_gather_refuses_and_closes_again() -> None:
    gather = PairedGather(**WIDTHS)
    gather.close()
    gather.close()
    for use in (lambda: gather(latent(), router()), gather.capture, gather.__enter__):
        with pytest.raises(GatherError, match=r"^the gather is closed$"):
            use()


def test_an_exception_in_the_block_does_not_wait_for_peers() -> None:
    gather = PairedGather(**WIDTHS)
    closed = []
    gather._transport.close = lambda: closed.append(True)  # type: ignore[method-assign]
    with pytest.raises(KeyError), gather:
        raise KeyError
    assert closed == []
    with pytest.raises(GatherError, match=r"^the gather is closed$"):
        gather(latent(), router())


def test_without_a_process_group() -> None:
    code = "from pinproof.kernels import PairedGather; PairedGather(latent_width=8, router_width=4, max_rows=1)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == (
        "RuntimeError: torch.distributed is not initialised; call torch.distributed.init_process_group first"
    )


def test_importing_the_package_loads_no_torch() -> None:
    code = "import sys, pinproof.kernels, pinproof.kernels.backends; print([n for n in sys.modules if n == 'torch'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
