"""What a check is given: the project, its configuration, and what the user allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from .config import Config
from .model import NotRun
from .project import Project

if TYPE_CHECKING:
    from .base import Base
    from .compare import Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the command line allows.

    Attributes:
        static: nothing is executed, neither code of the project nor uv or pytest.
        allow_build: `uv lock --check` may run build backends of the project.
        online: hosts of trusted configuration may be contacted.
        python: the interpreter of the project's environment, for its tests and what is installed there.
        base: the revision that the project is compared with; empty for the one that CI or configuration names.
        clones: clones and mirrors of dependencies that the user named; history is read from them.
        hosts: hosts that the user named, which `online` may contact beside those of trusted configuration.
        progress: told how much of the online work is done, and of how much.
        timeout: seconds that one executed program may take, or all that one check asks online.
    """

    static: bool = False
    allow_build: bool = False
    online: bool = False
    python: Path | None = None
    base: str | None = None
    clones: tuple[Path, ...] = ()
    hosts: tuple[str, ...] = ()
    progress: Callable[[int, int], object] | None = None
    timeout: float = 600.0


@dataclass(frozen=True, kw_only=True)
class Context:
    """Attributes: `base` is set where the command line asks to compare (`--base`)."""

    project: Project
    config: Config
    options: Options = field(default_factory=Options)
    base: Base | None = None

    @property
    def trusts_config(self) -> bool:
        """Whether the configuration comes from the user (`--config`) or a base that the checkout did not choose."""
        if self.base is not None and self.config.document is self.base.document:
            return not self.base.named_by_project
        return self.config.document is not self.project.pyproject

    @cached_property
    def comparison(self) -> Comparison:
        """What changed in the lock since the base. Raises `NotRun` where there is nothing to compare with."""
        from .compare import compare

        if self.base is None:
            raise NotRun("there is no base to compare with; name one with --base")
        if self.base.project is None:
            raise NotRun(f"there is no uv project at {self.base.commit[:12]}")
        return compare(self.base.project, self.project)
