"""Which FlashInfer is installed, and which generation of the pair gather it has, told by signature."""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

ROOTS: Final = {
    "flashinfer.b12x": ("flashinfer-python",),
    "flashinfer.experimental.b12x": ("flashinfer-python",),
    "b12x": ("b12x", "flashinfer-python"),
}
"""Where the pair gather may be, the pinned fork's place first -> the distributions that may have put it there."""

_POOL_MODULE: Final = "comm.pcie.pcie_dcp_a2a"


@dataclass(frozen=True, slots=True)
class PairApi:
    """The pair gather that is installed.

    Attributes:
        root: the package, a key of `ROOTS`.
        version: distribution and version, such as "flashinfer-python 0.7.2.post1".
        file: where the module of the pool lies; several distributions claim the name `b12x`.
        pool: the class `PCIeDCPA2APool`.
        takes_plan: whether its `all_gather_pair` wants a prepared plan.
        takes_row_blocks: whether it can share a gather between row blocks.
    """

    root: str
    version: str
    file: str
    pool: Any
    takes_plan: bool
    takes_row_blocks: bool

    @property
    def generation(self) -> str:
        """A: neither plan nor row blocks; B: a plan; C, the pinned fork: row blocks."""
        return "C" if self.takes_row_blocks else "B" if self.takes_plan else "A"

    def __str__(self) -> str:
        return f"{self.version} ({self.root}, generation {self.generation})"

    def module(self, name: str) -> Any:
        """Return the module `name` of the same package."""
        return importlib.import_module(f"{self.root}.{name}")


def installed() -> PairApi:
    """Return the pair gather of the first package in `ROOTS` that has one. The first import takes seconds.

    Raises:
        ImportError: no package has one, or one is there but lacks something that it needs.
    """
    for root, distributions in ROOTS.items():
        module = _module(f"{root}.{_POOL_MODULE}")
        if module is not None:
            parameters = inspect.signature(module.PCIeDCPA2APool.all_gather_pair).parameters
            return PairApi(
                root=root,
                version=_version(distributions),
                file=str(module.__file__),
                pool=module.PCIeDCPA2APool,
                takes_plan="plan" in parameters,
                takes_row_blocks="row_blocks" in parameters,
            )
    raise ImportError(f"none of {', '.join(ROOTS)} has {_POOL_MODULE}; install flashinfer-python")


def _module(name: str) -> ModuleType | None:
    """Return the module; None where it, or a package around it, does not exist."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            return None
        raise


def _version(distributions: tuple[str, ...]) -> str:
    for name in distributions:
        try:
            return f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            continue
    return f"{distributions[0]} of unknown version"
