"""What `from module import *` brings along."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def stars(body: Iterable[ast.stmt]) -> Iterator[ast.ImportFrom]:
    """Yield the star imports of a module that run when it is imported, the last one first."""
    found: list[ast.ImportFrom] = []
    pending = list(body)
    while pending:
        statement = pending.pop(0)
        if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names):
            found.append(statement)
        elif isinstance(statement, ast.If):
            pending += [*statement.body, *statement.orelse]
        elif isinstance(statement, ast.Try | ast.TryStar):
            pending += [
                *statement.body,
                *(s for handler in statement.handlers for s in handler.body),
                *statement.orelse,
            ]
    return reversed(found)


def exports(body: Iterable[ast.stmt], name: str) -> bool:
    """Whether a star import brings `name` along, if it is there: by `__all__`, else by having no underscore.

    An `__all__` that is not written out may name it.
    """
    listed: set[str] | None = None
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                listed = set()
            case ast.AnnAssign(target=ast.Name(id="__all__"), value=ast.expr() as value):
                listed = set()
            case ast.AugAssign(target=ast.Name(id="__all__"), value=value):
                listed = listed or set()
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="__all__")), args=[value])):
                listed = listed or set()
            case _:
                continue
        items = _strings(value)
        if items is None:
            return True
        listed |= items
    return not name.startswith("_") if listed is None else name in listed


def _strings(node: ast.expr) -> set[str] | None:
    """Return the strings of a list, a tuple or one constant; None for anything else."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else None
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    found = {item.value for item in node.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)}
    return found if len(found) == len({ast.dump(item) for item in node.elts}) else None
