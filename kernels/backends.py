"""The backends there are, in the order in which `auto` prefers them. A backend's module is loaded when it is asked."""

from __future__ import annotations

import importlib
from typing import Any, Final

from .backend import Backend, GatherRequest, Transport


def _backend(name: str, summary: str, module: str) -> Backend:
    """Return the record of a backend whose `module` has functions `supports` and `create`."""

    def load() -> Any:
        return importlib.import_module(f".{module}", __package__)

    def supports(request: GatherRequest) -> str | None:
        try:
            reason: str | None = load().supports(request)
        except ImportError as error:
            return f"it cannot be imported: {error}"
        return reason

    def create(request: GatherRequest) -> Transport:
        transport: Transport = load().create(request)
        return transport

    return Backend(name, summary, supports, create)


BACKENDS: Final = (
    _backend("triton", "one kernel over symmetric memory, on CUDA devices that reach each other", "triton_backend"),
    _backend("flashinfer", "the pair gather of the FlashInfer that is installed", "flashinfer_backend"),
    _backend("torch", "two collectives of torch.distributed; the reference, anywhere", "torch_backend"),
)
