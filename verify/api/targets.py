"""What a dotted path may lead to, and what can be said about it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .bindings import Function
from .modules import Module


@dataclass(frozen=True, slots=True)
class Verdict:
    """`holds` is None where the sources do not say; `words` are the reason, with what is there instead."""

    holds: bool | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleTarget:
    module: Module
    condition: int = 0

    @property
    def place(self) -> str:
        return self.module.path


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTarget:
    """A function, with its `@overload` declarations; `owner` is the class that defines it."""

    module: Module
    node: Function | ast.Lambda
    overloads: tuple[Function, ...] = ()
    owner: ast.ClassDef | None = None
    condition: int = 0

    @property
    def place(self) -> str:
        return self.module.place(self.node)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassTarget:
    module: Module
    node: ast.ClassDef
    condition: int = 0

    @property
    def place(self) -> str:
        return self.module.place(self.node)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueTarget:
    """Something that exists, of which parsing does not tell what it is."""

    module: Module
    node: ast.AST
    condition: int = 0

    @property
    def place(self) -> str:
        return self.module.place(self.node)


Target = ModuleTarget | FunctionTarget | ClassTarget | ValueTarget
"""Each with `condition`: the line of the branch that it depends on, 0 for none."""
