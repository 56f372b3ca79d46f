"""Whether a call may name these parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .bindings import Function, dotted
from .modules import Module
from .resolve import Resolver
from .targets import ClassTarget, FunctionTarget, ModuleTarget, Target, Verdict

_KEEPING = {
    "abstractmethod", "asynccontextmanager", "cache", "classmethod", "contextmanager", "deprecated", "final",
    "inference_mode", "lru_cache", "no_grad", "overload", "override", "staticmethod", "wraps",
}  # fmt: skip
"""Decorators that leave the parameters as they are."""
_KEEPING_CLASSES = {"final", "runtime_checkable", "total_ordering", "deprecated"}
_PROPERTIES = {"property", "cached_property", "setter", "getter", "deleter"}
_SHOWN = 240


def call(resolver: Resolver, target: Target, wanted: tuple[str, ...]) -> Verdict:
    """Say whether `target` can be called with every name of `wanted` as a keyword."""
    match target:
        case FunctionTarget():
            return _function(resolver, target, wanted)
        case ClassTarget():
            return _construction(resolver, target, wanted)
        case ModuleTarget():
            return Verdict(False, f"{target.place} is a module and cannot be called")
    return Verdict(None, f"{target.place} assigns a value; whether it takes {_listed(wanted)} cannot be read")


def _function(resolver: Resolver, target: FunctionTarget, wanted: tuple[str, ...]) -> Verdict:
    node = target.node
    decorators = [] if isinstance(node, ast.Lambda) else list(node.decorator_list)
    names = [dotted(decorator).rpartition(".")[2] for decorator in decorators]
    if target.owner is not None and _PROPERTIES.intersection(names):
        return Verdict(False, f"{target.place} is a property and cannot be called")
    changing = [d for d, name in zip(decorators, names, strict=True) if name not in _KEEPING]
    bound_first = target.owner is not None and "staticmethod" not in names
    taken = _keywords(node.args, bound_first)
    missing = [name for name in wanted if name not in taken]
    shown = _signature(target)
    note = ", ".join(f"@{dotted(decorator) or '…'}" for decorator in changing)
    if not missing:
        return Verdict(True, f"{shown}{f', under {note}, which may change the signature' if changing else ''}")
    positional = [one.arg for one in node.args.posonlyargs if one.arg in missing]
    if positional:
        return Verdict(False, f"{shown} takes {_listed(positional)} by position only")
    if all(any(name in _keywords(o.args, bound_first) for o in target.overloads) for name in missing):
        return Verdict(True, f"{shown}, by an overload at {target.module.place(target.overloads[0])}")
    if node.args.kwarg is not None:
        return Verdict(None, f"{shown} does not name {_listed(missing)}; **{node.args.kwarg.arg} may take it unseen")
    unread = [d for d in changing if _may_add(resolver, target.module, d, missing)]
    if unread:
        return Verdict(None, f"{shown} has no {_listed(missing)}, but {note} may change the signature")
    return Verdict(False, f"{shown} has no parameter {_listed(missing)}")


def _keywords(arguments: ast.arguments, bound_first: bool) -> list[str]:
    """Return the names that a call may use as keywords, without `self`."""
    by_position = arguments.args if not bound_first or arguments.posonlyargs else arguments.args[1:]
    return [one.arg for one in (*by_position, *arguments.kwonlyargs)]


def _may_add(resolver: Resolver, module: Module, decorator: ast.expr, missing: list[str]) -> bool:
    """Whether a decorator may add one of these parameters: one of these sources that does not name it does not."""
    callee = decorator.func if isinstance(decorator, ast.Call) else decorator
    for one in resolver.expression(module, callee):
        if not isinstance(one, FunctionTarget | ClassTarget):
            return True
        for inner in ast.walk(one.node):
            named = getattr(inner, "arg", None) or getattr(inner, "value", None)
            if isinstance(named, str) and named in missing:
                return True
    return False


def _construction(resolver: Resolver, target: ClassTarget, wanted: tuple[str, ...]) -> Verdict:
    line, unknown = resolver.lineage(target)
    generated = any(_is_dataclass(one.node) for one in line)
    if generated and not any(resolver.library.bound(one.node.body, "__init__").possible for one in line):
        fields = [name for one in reversed(line) for name in _fields(one.node)]
        missing = [name for name in wanted if name not in fields]
        shown = f"{target.node.name}({', '.join(dict.fromkeys(fields))[:_SHOWN]}) at {target.place}"
        if not missing:
            return Verdict(True, shown)
        elsewhere = [name for name in unknown if name.rpartition(".")[2] != "NamedTuple"]
        return Verdict(None if elsewhere else False, f"{shown} has no field {_listed(missing)}")
    verdicts = []
    for method in ("__new__", "__init__"):
        found = resolver.attribute(target, method)
        functions = [one for one in found if isinstance(one, FunctionTarget)]
        if functions:
            verdicts.append(_function(resolver, functions[0], wanted))
        elif not all(isinstance(one, Verdict) and one.holds is False for one in found):
            return Verdict(None, f"how {target.node.name} at {target.place} is made cannot be read")
    if verdicts:
        # A class with both is called with the same arguments twice.
        return min(verdicts, key=lambda one: (False, None, True).index(one.holds))
    if made := _maker(line):
        return Verdict(None, f"{made} may say how {target.node.name} at {target.place} is made")
    return Verdict(not wanted, f"{target.node.name} at {target.place} takes no parameters")


def _maker(line: list[ClassTarget]) -> str:
    """Return the decorator or metaclass that may give a class its `__init__`; empty where there is none."""
    for one in line:
        for decorator in one.node.decorator_list:
            if dotted(decorator).rpartition(".")[2] not in _KEEPING_CLASSES:
                return f"@{dotted(decorator) or '…'}"
        for keyword in one.node.keywords:
            if keyword.arg == "metaclass" and dotted(keyword.value).rpartition(".")[2] not in ("ABCMeta", "type"):
                return f"the metaclass {dotted(keyword.value) or '…'}"
    return ""


def _is_dataclass(node: ast.ClassDef) -> bool:
    names = [dotted(one).rpartition(".")[2] for one in node.decorator_list]
    return "dataclass" in names or any(dotted(base).rpartition(".")[2] == "NamedTuple" for base in node.bases)


def _fields(node: ast.ClassDef) -> Iterator[str]:
    for statement in node.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        value = statement.value
        hidden = isinstance(value, ast.Call) and any(
            keyword.arg == "init" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            for keyword in value.keywords
        )
        if not hidden and dotted(statement.annotation).rpartition(".")[2] != "ClassVar":
            yield statement.target.id


def _signature(target: FunctionTarget) -> str:
    node = target.node
    arguments = node.args
    names = [one.arg for one in arguments.posonlyargs] + (["/"] if arguments.posonlyargs else [])
    names += [one.arg for one in arguments.args]
    if arguments.vararg:
        names.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        names.append("*")
    names += [one.arg for one in arguments.kwonlyargs] + ([f"**{arguments.kwarg.arg}"] if arguments.kwarg else [])
    title = node.name if isinstance(node, Function) else "lambda"
    text = ", ".join(names)
    return f"{title}({text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}) at {target.place}"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "no parameters"
