"""Which backend gathers: the one asked for, or with "auto" the first that can run on every rank."""

from __future__ import annotations

import logging
from typing import Final

from .agreement import by_rank, exchange
from .backend import Backend, GatherRequest
from .backends import BACKENDS
from .errors import BackendUnavailableError

AUTO: Final = "auto"

_LOG = logging.getLogger(__name__)


def candidates(name: str) -> tuple[Backend, ...]:
    """Return the backends that `name` stands for.

    Raises:
        ValueError: there is no such backend.
    """
    if name == AUTO:
        return BACKENDS
    found = tuple(backend for backend in BACKENDS if backend.name == name)
    if not found:
        names = ", ".join(backend.name for backend in BACKENDS)
        raise ValueError(f"there is no backend {name!r}, expected auto or one of {names}")
    return found


def choose(request: GatherRequest, name: str) -> tuple[Backend, str]:
    """Return the backend and why it was chosen. Collective: every rank gets the same.

    Raises:
        BackendUnavailableError: none of the candidates can run on every rank.
    """
    refused: list[str] = []
    for backend in candidates(name):
        reasons = exchange(request.group, request.device, _unsupported(backend, request))
        if any(reasons):
            refused.append(f"{backend.name} cannot run: {by_rank(reasons)}")
        elif name != AUTO:
            return backend, "asked for by name"
        else:
            reason = "; ".join((f"auto chose {backend.name}, the first that can run on every rank", *refused))
            _LOG.log(logging.WARNING if refused and request.device.type == "cuda" else logging.INFO, "%s", reason)
            return backend, reason
    others = [backend.name for backend in BACKENDS if backend.name != name]
    hint = "" if name == AUTO else f". The others: {', '.join(others)}; or auto"
    raise BackendUnavailableError(f"{'; '.join(refused)}{hint}")


def _unsupported(backend: Backend, request: GatherRequest) -> str | None:
    try:
        return backend.supports(request)
    except Exception as error:  # other ranks wait for an answer
        return f"asking it failed with {type(error).__name__}: {error}"
