from __future__ import annotations

import pytest

from pinproof.verify.api.contract import Interface, alternatives
from pinproof.verify.config import Config
from pinproof.verify.document import Document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", (Interface("a"),)),
        ("a.b:C", (Interface("a.b", ("C",)),)),
        ("a:C.f()", (Interface("a", ("C", "f"), ()),)),
        ("a:f( x , y )", (Interface("a", ("f",), ("x", "y")),)),
        ("a:f(x) | b", (Interface("a", ("f",), ("x",)), Interface("b"))),
    ],
)
def test_what_is_read(text: str, expected: tuple[Interface, ...]) -> None:
    assert alternatives(text) == expected


@pytest.mark.parametrize(
    "text", ["", ":f", "a:", "a:f(", "a:f(x,)", "a.b.", "a:f(*x)", "a:f(x=1)", "a(x)", "a |", "a\n"]
)
def test_what_is_refused_and_reported(text: str) -> None:
    with pytest.raises(ValueError, match="is not of the form"):
        alternatives(text)
    written = text.replace("\n", "\\n")
    (problem,) = Config.load(Document("p", f'[tool.pinproof.pins.x]\napi = ["{written}"]'.encode())).problems
    assert problem.message == (
        "`tool.pinproof.pins.x.api` is an array, expected an array of interfaces such as module:Class.method(parameter)"
    )
    assert problem.location is not None
    assert problem.location.line == 2
