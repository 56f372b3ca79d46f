"""What a name may be bound to after a sequence of statements has run, branch by branch."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LEAVES = (ast.Raise, ast.Return, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True)
class Binding:
    """One statement that binds the name.

    Attributes:
        node: a function, class or import statement, or the expression that is assigned.
        name: for an import, the name in the module it comes from; empty for a whole module.
        condition: the line of the branch it stands in; 0 where it always runs.
        overloads: for a function, its `@overload` declarations.
    """

    node: ast.AST
    name: str = ""
    condition: int = 0
    overloads: tuple[Function, ...] = ()


@dataclass(slots=True)
class Bound:
    """Every binding that may be in force at the end; `always`: one of them is, whatever branch runs."""

    possible: list[Binding] = field(default_factory=list)
    always: bool = False


Table = dict[str, Bound]


class Tables:
    """What names are bound to after bodies of statements, each body read once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[list[ast.stmt], Table]] = {}

    def bound(self, body: list[ast.stmt], name: str) -> Bound:
        """Return what `name`, or the attribute `Class.name`, is bound to after `body`, a list of a syntax tree.

        What stands under `if TYPE_CHECKING` never runs.
        """
        if id(body) not in self._known:
            # The list is kept with its table, so that its identity stays its own.
            self._known[id(body)] = (body, _table(body))
        return self._known[id(body)][1].get(name) or Bound()


def _table(body: Iterable[ast.stmt]) -> Table:
    found: Table = {}
    overloads: dict[str, list[Function]] = {}
    for statement in body:
        _follow(found, _one(statement))
        if isinstance(statement, Function) and is_overload(statement):
            overloads.setdefault(statement.name, []).append(statement)
    for name, declared in overloads.items():
        found[name].possible = [replace(one, overloads=tuple(declared)) for one in found[name].possible]
    return found


def _follow(earlier: Table, later: Table) -> None:
    """Let `later` happen after `earlier`, which is changed."""
    for name, state in later.items():
        if state.always or name not in earlier:
            earlier[name] = state
        else:
            earlier[name].possible.extend(state.possible)


def is_overload(node: Function) -> bool:
    return any(dotted(decorator).rpartition(".")[2] == "overload" for decorator in node.decorator_list)


def steers_imports(tree: ast.Module) -> bool:
    """Whether a package changes how its modules are found: `sys.modules`, `sys.meta_path` or its `__path__`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("modules", "meta_path", "path_hooks"):
            return True
        if isinstance(node, ast.Name) and node.id == "__path__":
            return True
    return False


def dotted(node: ast.AST) -> str:
    """Return `a.b.c` for names and attributes, that of the callee for a call, empty for anything else."""
    parts: list[str] = []
    while True:
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        else:
            break
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _one(statement: ast.stmt) -> Table:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name: _bound(statement)}
        case ast.Import(names=names):
            single = [(a.asname or a.name.partition(".")[0], ast.Import([a], lineno=statement.lineno)) for a in names]
            return {name: _bound(node) for name, node in single}
        case ast.ImportFrom(names=names):
            return {alias.asname or alias.name: _bound(statement, alias.name) for alias in names if alias.name != "*"}
        case ast.Assign(targets=targets, value=value):
            return {name: bound for target in targets for name, bound in _assigned(target, value, statement)}
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            # A bare annotation binds nothing, but in a stub or a class body it declares the attribute.
            return {name: _bound(value or statement)}
        case ast.If():
            return _if(statement)
        case ast.Try() | ast.TryStar():
            return _try(statement)
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return _table(body)
        case ast.For(body=body, orelse=orelse) | ast.AsyncFor(body=body, orelse=orelse):
            return _branches([[*body, *orelse], []], statement.lineno)
        case ast.While(body=body, orelse=orelse):
            return _branches([[*body, *orelse], []], statement.lineno)
        case ast.Match(cases=cases):
            return _branches([*(case.body for case in cases), []], statement.lineno)
    return {}


def _bound(node: ast.AST, name: str = "") -> Bound:
    return Bound([Binding(node, name)], True)


def _assigned(target: ast.expr, value: ast.AST, statement: ast.stmt) -> Iterator[tuple[str, Bound]]:
    """Yield the names of a target; what is taken out of a tuple has no expression of its own."""
    if isinstance(target, ast.Name | ast.Attribute):
        yield dotted(target), _bound(value)
    elif isinstance(target, ast.Starred):
        yield from _assigned(target.value, statement, statement)
    elif isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            yield from _assigned(item, statement, statement)


def _if(statement: ast.If) -> Table:
    negated = isinstance(statement.test, ast.UnaryOp) and isinstance(statement.test.op, ast.Not)
    test = statement.test.operand if isinstance(statement.test, ast.UnaryOp) else statement.test
    if dotted(test).rpartition(".")[2] == "TYPE_CHECKING":
        return _table(statement.body if negated else statement.orelse)
    return _branches([statement.body, statement.orelse], statement.lineno)


def _try(statement: ast.Try | ast.TryStar) -> Table:
    handlers = [handler.body for handler in statement.handlers]
    body = [*statement.body, *statement.orelse]
    found = _branches([body, *handlers], statement.lineno) if handlers else _table(body)
    _follow(found, _table(statement.finalbody))
    return found


def _branches(branches: Sequence[Sequence[ast.stmt]], line: int) -> Table:
    """One of the branches runs; one that leaves the scope ends it, and is none."""
    tables = [_table(branch) for branch in branches if not (branch and isinstance(branch[-1], _LEAVES))]
    found: Table = {}
    for table in tables:
        for name, state in table.items():
            kept = found.setdefault(name, Bound())
            kept.possible += [replace(one, condition=one.condition or line) for one in state.possible]
    for name, state in found.items():
        state.always = all(name in table and table[name].always for table in tables)
    return found
