"""What a name may be bound to after a sequence of statements has run, branch by branch."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

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
    overloads: tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...] = ()


@dataclass(slots=True)
class Bound:
    """Every binding that may be in force at the end; `always`: one of them is, whatever branch runs."""

    possible: list[Binding] = field(default_factory=list)
    always: bool = False

    def then(self, later: Bound) -> Bound:
        if later.always:
            return later
        return Bound([*self.possible, *later.possible], self.always)


def bound(body: Iterable[ast.stmt], name: str) -> Bound:
    """Return what `name`, or the attribute `Class.name`, is bound to after `body`.

    What stands under `if TYPE_CHECKING` never runs.
    """
    state = Bound()
    overloads: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name == name:
            overloads += [statement] if is_overload(statement) else []
            state = Bound([Binding(statement, overloads=tuple(overloads))], True)
        else:
            state = state.then(_one(statement, name))
    return state


def is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
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


def _one(statement: ast.stmt, name: str) -> Bound:
    match statement:
        case ast.ClassDef(name=found) if found == name:
            return Bound([Binding(statement)], True)
        case ast.Import(names=names):
            return _imported(statement, names, name)
        case ast.ImportFrom(names=names):
            aliases = [Binding(statement, alias.name) for alias in names if (alias.asname or alias.name) == name]
            return Bound(aliases[-1:], bool(aliases))
        case ast.Assign(targets=targets, value=value) if any(_assigns(target, name) for target in targets):
            return Bound([Binding(value if _is_name(targets, name) else statement)], True)
        case ast.AnnAssign(target=ast.Name(id=found), value=value) if found == name:
            # A bare annotation binds nothing, but in a stub or a class body it declares the attribute.
            return Bound([Binding(value or statement)], True)
        case ast.If():
            return _if(statement, name)
        case ast.Try() | ast.TryStar():
            return _try(statement, name)
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return bound(body, name)
        case ast.For(body=body, orelse=orelse) | ast.AsyncFor(body=body, orelse=orelse):
            return _maybe([*body, *orelse], name, statement.lineno)
        case ast.While(body=body, orelse=orelse):
            return _maybe([*body, *orelse], name, statement.lineno)
        case ast.Match(cases=cases):
            return Bound([b for case in cases for b in _maybe(case.body, name, statement.lineno).possible])
    return Bound()


def _imported(statement: ast.Import, names: Sequence[ast.alias], name: str) -> Bound:
    for alias in reversed(names):
        if (alias.asname or alias.name.partition(".")[0]) == name:
            return Bound([Binding(ast.Import([alias], lineno=statement.lineno))], True)
    return Bound()


def _if(statement: ast.If, name: str) -> Bound:
    negated = isinstance(statement.test, ast.UnaryOp) and isinstance(statement.test.op, ast.Not)
    test = statement.test.operand if isinstance(statement.test, ast.UnaryOp) else statement.test
    if dotted(test).rpartition(".")[2] == "TYPE_CHECKING":
        return bound(statement.body if negated else statement.orelse, name)
    return _branches([statement.body, statement.orelse], name, statement.lineno)


def _try(statement: ast.Try | ast.TryStar, name: str) -> Bound:
    handlers = [handler.body for handler in statement.handlers]
    body = [*statement.body, *statement.orelse]
    if handlers:
        return _branches([body, *handlers], name, statement.lineno).then(bound(statement.finalbody, name))
    return bound([*body, *statement.finalbody], name)


def _branches(branches: Sequence[Sequence[ast.stmt]], name: str, line: int) -> Bound:
    """One of the branches runs; one that leaves the scope ends it, and is none."""
    running = [branch for branch in branches if not (branch and isinstance(branch[-1], _LEAVES))]
    found = [_maybe(branch, name, line) for branch in running]
    ways = [bound(branch, name).always for branch in running]
    return Bound([binding for one in found for binding in one.possible], bool(ways) and all(ways))


def _maybe(body: Sequence[ast.stmt], name: str, line: int) -> Bound:
    return Bound([replace(one, condition=one.condition or line) for one in bound(body, name).possible])


def _assigns(target: ast.expr, name: str) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return any(_assigns(item, name) for item in target.elts)
    if isinstance(target, ast.Starred):
        return _assigns(target.value, name)
    return _is_name([target], name)


def _is_name(targets: Sequence[ast.expr], name: str) -> bool:
    """Whether one of these is the name, or the attribute `Class.name` where the name is dotted."""
    return any(isinstance(target, ast.Name | ast.Attribute) and dotted(target) == name for target in targets)
