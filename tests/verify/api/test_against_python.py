"""What parsing says of installed packages, held against what Python says once they are imported."""

from __future__ import annotations

import importlib
import inspect
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pinproof.verify.api.contract import Interface
from pinproof.verify.api.files import FolderFiles
from pinproof.verify.api.judge import judge
from pinproof.verify.api.modules import Library

MODULES = {
    "click": 80,
    "httpx": 80,
    "jsonschema": 20,  # made by attrs, and by a function that makes classes
    "packaging.requirements": 80,
    "packaging.specifiers": 80,
    "packaging.version": 80,
    "pytest": 80,
    "tomlkit": 80,
    "tomlkit.items": 60,  # inherits from str, int, dict, ...
}
"""Module -> the share of questions, in per cent, that is answered at least."""


def callables(module: str) -> Iterator[tuple[tuple[str, ...], Callable[..., Any], int]]:
    """Yield the path of everything that a module lets one call, the function behind it, and whether it takes `self`."""
    found = importlib.import_module(module)
    for name, value in vars(found).items():
        if name.startswith("_"):
            continue
        if inspect.isfunction(value):
            yield (name,), value, 0
        elif inspect.isclass(value) and value.__module__.partition(".")[0] == module.partition(".")[0]:
            if inspect.isfunction(value.__init__) and value.__new__ is object.__new__:
                yield (name,), value.__init__, 1
            for key in (key for key in dir(value) if not key.startswith("__")):
                static = inspect.getattr_static(value, key)
                if isinstance(static, classmethod | staticmethod):
                    yield (name, key), static.__func__, int(isinstance(static, classmethod))
                elif inspect.isfunction(static):
                    yield (name, key), static, 1


@pytest.mark.parametrize(("module", "share"), MODULES.items())
def test_parsing_never_contradicts_python(module: str, share: int) -> None:
    library = Library(FolderFiles(Path(sysconfig.get_path("purelib")), [""]))
    wrong, told = [], Counter[bool]()
    for path, function, bound in callables(module):
        try:
            parameters = list(inspect.signature(function).parameters.values())[bound:]
        except ValueError:  # a function of C without a signature
            continue
        keywords = tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
        for names, expected in ((keywords, True), (("no_such_name",), None if takes_any else False)):
            verdict = judge(library, (Interface(module, path, names),))
            told[verdict.holds is not None] += expected is not None
            if verdict.holds not in (expected, None):
                wrong.append((str(Interface(module, path, names)), expected, verdict))
    assert wrong == []
    assert told[True] * 100 >= share * told.total()
