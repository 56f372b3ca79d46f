"""Follows a dotted path through modules, re-exports, assignments, classes and their bases."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .bindings import Binding, Function, dotted
from .exports import exports, stars
from .modules import CannotTellError, Library, Module
from .targets import ClassTarget, FunctionTarget, ModuleTarget, Target, ValueTarget, Verdict

Found = Target | Verdict
_STEPS = 2000
"""Steps of one answer, so that hostile sources end."""
_OF_OBJECT = frozenset(dir(object)) - {"__init__", "__new__"}
_EMPTY_BASES = {"object", "ABC", "Protocol", "Generic"}


class Resolver:
    """Answers about one library."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._open: set[tuple[str, str]] = set()
        self._steps = 0

    def attribute(self, target: Target, name: str) -> list[Found]:
        """Return everything that `name` of `target` may be; a verdict stands for what cannot be followed."""
        match target:
            case ModuleTarget():
                return self._of_module(target.module, name)
            case ClassTarget():
                return self._of_class(target, name)
        what = "is a function" if isinstance(target, FunctionTarget) else "is assigned"
        return [Verdict(None, f"{target.place} {what}, and its attribute `{name}` cannot be read")]

    def expression(self, module: Module, node: ast.AST) -> list[Found]:
        """Return what an expression may be, as far as it consists of names and attributes of modules and classes."""
        match node:
            case ast.Name(id=name):
                return self._of_module(module, name)
            case ast.Attribute(value=value, attr=attr):
                return self._below(self.expression(module, value), attr)
            case ast.Subscript(value=value):
                return self.expression(module, value)
            case ast.IfExp(body=one, orelse=other):
                found = [*self.expression(module, one), *self.expression(module, other)]
                return [one if isinstance(one, Verdict) else replace(one, condition=node.lineno) for one in found]
            case ast.Lambda():
                return [FunctionTarget(module=module, node=node)]
        return [ValueTarget(module=module, node=node)]

    def lineage(self, target: ClassTarget) -> tuple[list[ClassTarget], list[str]]:
        """Return the class and its bases in the order in which attributes are looked up, and the bases not at hand."""
        order: list[ClassTarget] = []
        unknown: list[str] = []
        self._line(target, order, unknown, ())
        # A base that several classes share is looked up after all of them.
        last = {(one.module.name, one.node.lineno): number for number, one in enumerate(order)}
        kept = [one for number, one in enumerate(order) if last[(one.module.name, one.node.lineno)] == number]
        return kept, unknown

    def _line(
        self, target: ClassTarget, order: list[ClassTarget], unknown: list[str], above: tuple[ast.ClassDef, ...]
    ) -> None:
        self._step()
        if target.node in above:
            raise CannotTellError(f"{target.place} is its own base")
        order.append(target)
        for base in target.node.bases:
            name = dotted(base)
            if name.rpartition(".")[2] in _EMPTY_BASES:
                continue
            found = self.expression(target.module, base)
            if len(found) == 1 and isinstance(found[0], ClassTarget):
                self._line(found[0], order, unknown, (*above, target.node))
            else:
                unknown.append(name or f"the expression at {target.module.place(base)}")

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _STEPS:
            raise CannotTellError(f"more than {_STEPS} steps would be needed")

    def _below(self, found: Sequence[Found], name: str) -> list[Found]:
        result: list[Found] = []
        for one in found:
            result += [one] if isinstance(one, Verdict) else self.attribute(one, name)
        return result

    def _of_module(self, module: Module, name: str) -> list[Found]:
        self._step()
        key = (module.path, name)
        if key in self._open:
            # `from . import x` in a package: x is no attribute of it yet, and the module x is taken.
            below = self._submodule(module, name)
            return [below or Verdict(False, f"`{name}` of {module.name} is imported in a circle")]
        self._open.add(key)
        try:
            return self._named(module, name)
        finally:
            self._open.discard(key)

    def _named(self, module: Module, name: str) -> list[Found]:
        state = self.library.bound(module.tree.body, name)
        found = [one for binding in state.possible for one in self._target(module, binding, None)]
        if state.always:
            return found
        if rest := list(self._otherwise(module, name)):
            return [*found, *rest]
        if found:
            lines = ", ".join(str(binding.condition) for binding in state.possible[:5])
            return [*found, Verdict(False, f"{module.path} defines `{name}` only under the condition at line {lines}")]
        return [Verdict(False, f"{module.path} has no `{name}`{self._instead(module, name)}")]

    def _otherwise(self, module: Module, name: str) -> Iterator[Found]:
        for star in stars(module.tree.body):
            yield from self._starred(module, star, name)
        if below := self._submodule(module, name):
            yield below
            return
        if name != "__getattr__" and self.library.bound(module.tree.body, "__getattr__").possible:
            yield Verdict(None, f"{module.path} has a `__getattr__`, which may make `{name}` when it is asked for")

    def _submodule(self, module: Module, name: str) -> ModuleTarget | None:
        below = self.library.module(f"{module.name}.{name}") if module.is_package else None
        return None if below is None else ModuleTarget(module=below)

    def _starred(self, module: Module, star: ast.ImportFrom, name: str) -> Iterator[Found]:
        source = self._imported_module(module, star.module, star.level)
        place = module.place(star)
        if isinstance(source, Verdict):
            yield Verdict(None, f"`{name}` may come from the star import at {place}: {source.words}")
            return
        if exports(source.tree.body, name):
            for one in self._of_module(source, name):
                if not (isinstance(one, Verdict) and one.holds is False):
                    yield one

    def _target(self, module: Module, binding: Binding, owner: ast.ClassDef | None) -> list[Found]:
        node, line = binding.node, binding.condition
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                overloads = binding.overloads
                found: list[Found] = [FunctionTarget(module=module, node=node, overloads=overloads, owner=owner)]
            case ast.ClassDef():
                found = [ClassTarget(module=module, node=node)]
            case ast.Import(names=[alias]):
                wanted = alias.name if alias.asname else alias.name.partition(".")[0]
                source = self._imported_module(module, wanted, 0)
                found = [source if isinstance(source, Verdict) else ModuleTarget(module=source)]
            case ast.ImportFrom():
                source = self._imported_module(module, node.module, node.level)
                found = [source] if isinstance(source, Verdict) else self._of_module(source, binding.name)
            case ast.Name() | ast.Attribute() | ast.IfExp() | ast.Lambda():
                found = self._assigned(module, node, owner)
            case _:
                found = [ValueTarget(module=module, node=node)]
        return [one if isinstance(one, Verdict) or not line else replace(one, condition=line) for one in found]

    def _assigned(self, module: Module, node: ast.AST, owner: ast.ClassDef | None) -> list[Found]:
        """An alias. In a class body a name is looked up there first, and a function found so is a method."""
        if owner is not None and isinstance(node, ast.Name):
            key = (f"{module.path}#{owner.lineno}", node.id)
            state = self.library.bound(owner.body, node.id)
            if state.possible and key not in self._open:
                self._open.add(key)
                try:
                    return [one for binding in state.possible for one in self._target(module, binding, owner)]
                finally:
                    self._open.discard(key)
        found = self.expression(module, node)
        # What is no module, class or function of these sources has a value that only running tells.
        opaque = all(isinstance(one, Verdict) for one in found)
        return [ValueTarget(module=module, node=node)] if opaque else found

    def _imported_module(self, module: Module, name: str | None, level: int) -> Module | Verdict:
        wanted = module.absolute(name, level)
        if wanted is None:
            return Verdict(None, f"{module.path} imports from above its package")
        if not self.library.is_own(wanted):
            return Verdict(None, f"{module.path} imports it from {wanted}, whose sources are not at hand")
        found = self.library.module(wanted)
        return found or Verdict(None, f"{module.path} imports it from {wanted}, which is not in the sources")

    def _of_class(self, target: ClassTarget, name: str) -> list[Found]:
        self._step()
        line, unknown = self.lineage(target)
        found: list[Found] = []
        for one in line:
            state = self.library.bound(one.node.body, name)
            assigned = self.library.bound(one.module.tree.body, f"{one.node.name}.{name}")
            bindings = [*([] if assigned.always else state.possible), *assigned.possible]
            found += [t for binding in bindings for t in self._target(one.module, binding, one.node)]
            if state.always or assigned.always:
                return found
        for one in line:
            if node := _instance_attribute(one.node, name):
                return [*found, ValueTarget(module=one.module, node=node)]
        if any(self.library.bound(one.node.body, "__getattr__").possible for one in line):
            return [*found, Verdict(None, f"the class at {target.place} has a `__getattr__`")]
        if unknown:
            bases = ", ".join(unknown)
            return [*found, Verdict(None, f"`{name}` may be inherited from {bases}, whose sources are not at hand")]
        if name in _OF_OBJECT:
            return [*found, Verdict(None, f"`{name}` is that of `object`")]
        if found:
            return [*found, Verdict(False, f"the class at {target.place} defines `{name}` only under a condition")]
        names = [node.name for one in line for node in one.node.body if isinstance(node, Function | ast.ClassDef)]
        return [Verdict(False, f"the class {target.node.name} at {target.place} has no `{name}`{_close(name, names)}")]

    def _instead(self, module: Module, name: str) -> str:
        names = [node.name for node in module.tree.body if isinstance(node, Function | ast.ClassDef)]
        names += [
            alias.asname or alias.name for n in module.tree.body if isinstance(n, ast.ImportFrom) for alias in n.names
        ]
        return _close(name, [*names, *self.library.below(module.name)])


def _instance_attribute(node: ast.ClassDef, name: str) -> ast.AST | None:
    """Return where a method assigns `self.name`."""
    for method in node.body:
        for inner in ast.walk(method) if isinstance(method, Function) else ():
            match inner:
                case ast.Attribute(value=ast.Name(id="self"), attr=attr, ctx=ast.Store()) if attr == name:
                    return inner
    return None


def _close(name: str, names: Sequence[str]) -> str:
    """Return what is there instead: names that look alike, else the first ones."""
    import difflib

    public = [one for one in dict.fromkeys(names) if not one.startswith(("_", "*"))]
    shown = difflib.get_close_matches(name, public, n=3) or public[:5]
    return f"; it has {', '.join(shown)}" if shown else ""
