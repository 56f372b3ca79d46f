"""The paired gather: two row tensors from all ranks, behind one synchronisation. torch is loaded when it is used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from .errors import BackendUnavailableError, GatherError, RanksDisagreeError

if TYPE_CHECKING:
    from .backend import Plan
    from .gather import PairedGather

__all__ = ["BackendUnavailableError", "GatherError", "PairedGather", "Plan", "RanksDisagreeError"]

_MODULES: Final = {"PairedGather": "gather", "Plan": "backend"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
