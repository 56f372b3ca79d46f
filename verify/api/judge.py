"""Says whether sources have an interface, or one of its alternatives."""

from __future__ import annotations

from .bindings import steers_imports
from .calls import call
from .contract import Interface
from .modules import CannotTellError, Library
from .resolve import Found, Resolver
from .targets import ModuleTarget, Verdict


def judge(library: Library, alternatives: tuple[Interface, ...]) -> Verdict:
    """Return the best answer of the alternatives: one that holds, else one that is not told, else what is missing."""
    verdicts = [_one(library, interface) for interface in alternatives]
    for wanted in (True, None):
        for verdict in verdicts:
            if verdict.holds is wanted:
                return verdict
    return Verdict(False, "; and ".join(verdict.words for verdict in verdicts))


def _one(library: Library, interface: Interface) -> Verdict:
    verdict = _asked(library, interface)
    if verdict.holds is not True and library.has_stub(interface.module):
        by_stub = _asked(library.stubs, interface)
        if by_stub.holds:
            return Verdict(verdict.holds, f"{verdict.words}; only the stub has it: {by_stub.words}")
    return verdict


def _asked(library: Library, interface: Interface) -> Verdict:
    try:
        return _found(library, interface)
    except CannotTellError as reason:
        return Verdict(None, str(reason))
    except RecursionError:
        return Verdict(None, "the sources are nested too deeply")


def _found(library: Library, interface: Interface) -> Verdict:
    module = library.module(interface.module)
    if module is None:
        return _no_module(library, interface.module)
    resolver = Resolver(library)
    found: list[Found] = [ModuleTarget(module=module)]
    for name in interface.path:
        found = [
            later for one in found for later in ([one] if isinstance(one, Verdict) else resolver.attribute(one, name))
        ]
    stub = " (a stub)" if module.is_stub else ""
    verdicts = []
    for one in found:
        if isinstance(one, Verdict):
            verdicts.append(one)
        elif interface.parameters is None:
            verdicts.append(Verdict(True, f"{one.place}{stub}"))
        else:
            said = call(resolver, one, interface.parameters)
            verdicts.append(Verdict(said.holds, f"{said.words}{stub}"))
    return _combined(verdicts, found)


def _combined(verdicts: list[Verdict], found: list[Found]) -> Verdict:
    """What may be in force in one environment and not in another is not told."""
    if len({verdict.holds for verdict in verdicts}) == 1:
        return verdicts[-1]
    lines = sorted({one.condition for one in found if not isinstance(one, Verdict) and one.condition})
    where = f" (condition at line {', '.join(map(str, lines[:5]))})" if lines else ""
    good = next((v.words for v in verdicts if v.holds), "")
    bad = next(v.words for v in verdicts if v.holds is not True)
    return Verdict(None, f"it depends on the environment{where}: {good + '; or ' if good else ''}{bad}")


def _no_module(library: Library, name: str) -> Verdict:
    """Name the deepest package that is there, and what is in it."""
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        above = ".".join(parts[:count])
        package = library.module(above)
        if package is not None:
            if steers_imports(package.tree):
                return Verdict(None, f"{package.path} changes how modules are found")
            names = ", ".join(library.below(above)[:8]) or "no modules"
            return Verdict(False, f"there is no module {above}.{parts[count]}; {package.path} is there, with {names}")
    raise CannotTellError(f"no package {parts[0]} is found in the sources")
