"""The paired gather: two row tensors from all ranks, behind one synchronisation. torch is loaded when it is used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

from .errors import BackendUnavailableError, GatherError, RankMissingError, RanksDisagreeError

if TYPE_CHECKING:
    from .backend import Plan
    from .emulation import Emulated, emulated
    from .gather import PairedGather

__all__ = [
    "BackendUnavailableError",
    "Emulated",
    "GatherError",
    "PairedGather",
    "Plan",
    "RankMissingError",
    "RanksDisagreeError",
    "emulated",
]

_MODULES: Final = {"Emulated": "emulation", "PairedGather": "gather", "Plan": "backend", "emulated": "emulation"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
