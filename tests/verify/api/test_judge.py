"""What sources say about an interface. Every answer is worked out by what Python does with these sources."""

from __future__ import annotations

import os
import sysconfig
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pinproof.verify.api.contract import alternatives
from pinproof.verify.api.files import CommitFiles, FolderFiles
from pinproof.verify.api.judge import judge
from pinproof.verify.api.modules import Library
from pinproof.verify.api.targets import Verdict
from pinproof.verify.git import Repository

from ..repositories import make

Ask = Callable[[Mapping[str, str | bytes], str], Verdict]
POOL = """\
class Pool:
    def pair(self, first, *, plan):
        self.world = 1
    @staticmethod
    def still(a, b): ...
    @classmethod
    def made(cls, size): ...
    @property
    def rows(self): ...
    def only(self, a, /, b): ...
    again = pair
    def taken(self, *rest, **more): ...
"""


@pytest.fixture(params=["commit", "folder"])
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Ask:
    """Judge one contract against sources, in a commit and in a folder."""

    def run(files: Mapping[str, str | bytes], contract: str) -> Verdict:
        repo = make(tmp_path / "r", {"keep": "", **files})
        if request.param == "folder":
            return judge(Library(FolderFiles(tmp_path, ["r"])), alternatives(contract))
        repository = Repository(repo.root)
        return judge(Library(CommitFiles(repository, repository.commit("HEAD"))), alternatives(contract))

    return run


@pytest.mark.parametrize(
    ("contract", "holds", "words"),
    [
        ("m", True, "m.py"),
        ("m:Pool", True, "m.py:1"),
        ("m:Pool.pair", True, "m.py:2"),
        ("m:Pool.pair(plan)", True, "pair(self, first, *, plan) at"),
        ("m:Pool.pair(first, plan)", True, "m.py:2"),
        ("m:Pool.pair(row_blocks)", False, "m.py:2 has no parameter `row_blocks`"),
        ("m:Pool.pair(self)", False, "has no parameter `self`"),
        ("m:Pool.still(a, b)", True, "still(a, b)"),
        ("m:Pool.made(size)", True, "made(cls, size)"),
        ("m:Pool.made(cls)", False, "has no parameter `cls`"),
        ("m:Pool.rows", True, "m.py:9"),
        ("m:Pool.rows()", False, "is a property and cannot be called"),
        ("m:Pool.only(b)", True, "only(self, a, /, b)"),
        ("m:Pool.only(a)", False, "takes `a` by position only"),
        ("m:Pool.again(plan)", True, "m.py:2"),
        ("m:Pool.taken(x)", None, "does not name `x`; **more may take it unseen"),
        ("m:Pool.world", True, "m.py:3"),
        ("m:Pool.pear", False, "the class Pool at r/m.py:1 has no `pear`; it has pair"),
        ("m:Pol", False, "m.py has no `Pol`; it has Pool"),
        ("n", None, "no package n is found in the sources"),
        ("m.sub", False, "there is no module m.sub; "),
        ("m:Pool.pair(row_blocks) | m:Pool.pair(plan)", True, "m.py:2"),
        ("m:Pool.pair(row_blocks) | m:Pool.taken(x)", None, "unseen"),
        ("m:Pool.pair(a) | m:Pool.pair(b)", False, "no parameter `a`; and pair(self, first, *, plan) at"),
    ],
)
def test_a_module(ask: Ask, contract: str, holds: bool | None, words: str) -> None:
    verdict = ask({"m.py": POOL}, contract)
    assert verdict.holds is holds, verdict.words
    assert words.replace("r/m.py", "m.py") in verdict.words.replace("r/m.py", "m.py")


@pytest.mark.parametrize(
    ("files", "contract", "holds", "words"),
    [
        # Re-exports.
        ({"p/__init__.py": "from .x import f as g\n", "p/x.py": "def f(a): ..."}, "p:g(a)", True, "p/x.py:1"),
        ({"p/__init__.py": "from .x import f as g\n", "p/x.py": "def f(a): ..."}, "p:f", False, "has no `f`"),
        ({"p/__init__.py": "from . import x\n", "p/x.py": "def f(a): ..."}, "p:x.f(a)", True, "p/x.py:1"),
        ({"p/__init__.py": "import p.x\n", "p/x.py": "def f(a): ..."}, "p:p.x.f(a)", True, "p/x.py:1"),
        ({"p/__init__.py": "", "p/x.py": "def f(a): ..."}, "p:x.f(b)", False, "no parameter `b`"),
        ({"p/__init__.py": "from .x import f\n"}, "p:f", None, "from p.x, which is not in the sources"),
        ({"p/__init__.py": "from torch import f\n"}, "p:f", None, "from torch, whose sources are not at hand"),
        ({"p/__init__.py": "from ..x import f\n"}, "p:f", None, "imports from above its package"),
        ({"p/__init__.py": "from .x import *\n", "p/x.py": "def f(a): ..."}, "p:f(a)", True, "p/x.py:1"),
        ({"p/__init__.py": "from .x import *\n", "p/x.py": "def _f(a): ..."}, "p:_f", False, "has no `_f`"),
        (
            {"p/__init__.py": "from .x import *\n", "p/x.py": "__all__ = ['_f']\ndef _f(a): ...\ndef g(): ..."},
            "p:_f(a)",
            True,
            "p/x.py:2",
        ),
        (
            {"p/__init__.py": "from .x import *\n", "p/x.py": "__all__ = ['f']\n__all__ += ('h',)\ndef g(): ..."},
            "p:g",
            False,
            "has no `g`",
        ),
        ({"p/__init__.py": "from .x import *\n", "p/x.py": "__all__ = []\ndef g(): ..."}, "p:g", False, "has no `g`"),
        ({"p/__init__.py": "from torch import *\n"}, "p:f", None, "may come from the star import at"),
        (
            {"p/__init__.py": "from .x import f\n", "p/x.py": "from .y import f\n", "p/y.py": "from .x import f\n"},
            "p:f",
            False,
            "imported in a circle",
        ),
        (
            {"p/__init__.py": "from .x import *\n", "p/x.py": "from .y import *\n", "p/y.py": "from .x import *\n"},
            "p:f",
            False,
            "has no `f`",
        ),
        ({"p/__init__.py": "def __getattr__(name): ...\n"}, "p:f", None, "has a `__getattr__`"),
        ({"p/__init__.py": "import sys\nsys.modules['p.x'] = 1\n"}, "p.x:f", None, "changes how modules are found"),
        # Assignments.
        ({"m.py": "def f(a): ...\ng = f\n"}, "m:g(a)", True, "m.py:1"),
        ({"m.py": "g = lambda a: a\n"}, "m:g(a)", True, "lambda(a)"),
        ({"m.py": "def f(a): ...\ng = wrap(f)\n"}, "m:g", True, "m.py:2"),
        ({"m.py": "def f(a): ...\ng = wrap(f)\n"}, "m:g(a)", None, "assigns a value"),
        ({"m.py": "def f(a): ...\ng = wrap(f)\n"}, "m:g.h", None, "its attribute `h` cannot be read"),
        ({"m.py": "a, (b, *c) = 1, (2, 3)\n"}, "m:c", True, "m.py:1"),
        # Inheritance.
        ({"m.py": "class A:\n def f(self, a): ...\nclass B(A): ...\n"}, "m:B.f(a)", True, "m.py:2"),
        (
            {
                "p/__init__.py": "",
                "p/a.py": "class A:\n def f(self, a): ...\n",
                "p/b.py": "from p import a\nclass B(a.A): ...",
            },
            "p.b:B.f(a)",
            True,
            "p/a.py:2",
        ),
        (
            {
                "m.py": "class A:\n def f(s, a): ...\nclass B(A): ...\n"
                "class C(A):\n def f(s, c): ...\nclass D(B, C): ...\n"
            },
            "m:D.f(c)",
            True,
            "m.py:5",
        ),
        (
            {"m.py": "import torch\nclass A(torch.nn.Module): ...\n"},
            "m:A.to",
            None,
            "may be inherited from torch.nn.Module",
        ),
        (
            {"m.py": "import torch\nclass A(torch.nn.Module):\n def f(self): ...\n"},
            "m:A.f(x)",
            False,
            "no parameter `x`",
        ),
        ({"m.py": "class A(Generic[T], Protocol): ...\n"}, "m:A.f", False, "has no `f`"),
        ({"m.py": "class A(make()): ...\n"}, "m:A.f", None, "may be inherited from make"),
        ({"m.py": "class A(A): ...\n"}, "m:A.f", None, "is its own base"),
        ({"m.py": "class A:\n def __getattr__(self, name): ...\n"}, "m:A.f", None, "has a `__getattr__`"),
        # Attributes that are assigned to a class later.
        ({"m.py": "class A: ...\ndef g(self, a): ...\nA.f = g\n"}, "m:A.f(a)", True, "m.py:2"),
        ({"m.py": "class A:\n def f(self): ...\nA.f = wrap(A.f)\n"}, "m:A.f(a)", None, "assigns a value"),
        ({"m.py": "class A:\n def f(self, a): ...\nif x:\n A.f = lambda self: 1\n"}, "m:A.f(a)", None, "line 3"),
        # Classes that are called.
        ({"m.py": "class A:\n def __init__(self, a): ...\nclass B(A): ...\n"}, "m:B(a)", True, "m.py:2"),
        ({"m.py": "class A: ...\n"}, "m:A(a)", False, "takes no parameters"),
        ({"m.py": "class A: ...\n"}, "m:A()", True, "m.py:1"),
        ({"m.py": "class A:\n def __new__(cls, a): ...\n"}, "m:A(a)", True, "m.py:2"),
        (
            {
                "m.py": "@dataclass(frozen=True)\nclass A:\n a: int\n"
                " b: int = field(init=False)\n c: ClassVar[int] = 1\n"
            },
            "m:A(a)",
            True,
            "A(a) at",
        ),
        ({"m.py": "@dataclass\nclass A:\n a: int\n b: int = field(init=False)\n"}, "m:A(b)", False, "no field `b`"),
        (
            {"m.py": "@dataclass\nclass A:\n a: int\n@dataclass\nclass B(A):\n b: int\n"},
            "m:B(a, b)",
            True,
            "B(a, b) at",
        ),
        ({"m.py": "class A(NamedTuple):\n a: int\n"}, "m:A(a)", True, "A(a) at"),
        ({"m.py": "class A(NamedTuple):\n a: int\n"}, "m:A(b)", False, "has no field `b`"),
        ({"m.py": "class A(NamedTuple):\n a: int\n"}, "m:A._replace", None, "inherited from NamedTuple"),
        ({"m.py": "class A(torch.Size): ...\n"}, "m:A(a)", None, "how A at"),
        (
            {"m.py": "class A:\n def __new__(cls, a, b): ...\n def __init__(self, a, _): ...\n"},
            "m:A(a, b)",
            False,
            "__init__(self, a, _) at",
        ),
        ({"m.py": "@attrs.define\nclass A:\n a: int\n"}, "m:A(a)", None, "@attrs.define may say how A at"),
        ({"m.py": "class A(metaclass=M):\n a: int\n"}, "m:A(a)", None, "the metaclass M may say how A at"),
        ({"m.py": "class A: ...\n"}, "m:A.__eq__", None, "is that of `object`"),
        # Branches.
        ({"m.py": "if x:\n def f(a): ...\nelse:\n def f(a, b): ...\n"}, "m:f(a)", True, ""),
        ({"m.py": "if x:\n def f(a): ...\nelse:\n def f(a, b): ...\n"}, "m:f(b)", None, "depends on the environment"),
        ({"m.py": "if x:\n def f(a): ...\nelse:\n def f(a, b): ...\n"}, "m:f(c)", False, "no parameter `c`"),
        ({"m.py": "if x:\n def f(a): ...\n"}, "m:f(a)", None, "only under the condition at line 1"),
        ({"m.py": "def f(a): ...\nif x:\n def f(b): ...\n"}, "m:f(a)", None, "(condition at line 2)"),
        ({"m.py": "if x:\n def f(b): ...\ndef f(a): ...\n"}, "m:f(a)", True, "m.py:3"),
        ({"m.py": "try:\n from torch import f\nexcept ImportError:\n def f(a): ...\n"}, "m:f(a)", None, "depends"),
        ({"m.py": "try:\n def f(a): ...\nexcept ImportError:\n raise\n"}, "m:f(a)", True, "m.py:2"),
        ({"m.py": "with x:\n def f(a): ...\n"}, "m:f(a)", True, "m.py:2"),
        ({"m.py": "if TYPE_CHECKING:\n from y import f\n"}, "m:f", False, "has no `f`"),
        ({"m.py": "import typing\nif not typing.TYPE_CHECKING:\n def f(a): ...\n"}, "m:f(a)", True, "m.py:3"),
        # Decorators.
        ({"m.py": "@cache\ndef f(a): ...\n"}, "m:f(a)", True, "f(a) at"),
        ({"m.py": "@x.api(1)\ndef f(a): ...\n"}, "m:f(a)", True, "under @x.api, which may change the signature"),
        ({"m.py": "@x.api(1)\ndef f(a): ...\n"}, "m:f(b)", None, "@x.api may change the signature"),
        ({"m.py": "def api(f):\n return f\n@api\ndef f(a): ...\n"}, "m:f(b)", False, "no parameter `b`"),
        ({"m.py": "def api(f):\n return lambda a, b=0: f(a)\n@api\ndef f(a): ...\n"}, "m:f(b)", None, "may change"),
        # Overloads and stubs.
        (
            {"m.py": "@overload\ndef f(a): ...\n@overload\ndef f(b): ...\ndef f(**k): ...\n"},
            "m:f(b)",
            True,
            "by an overload",
        ),
        ({"m.py": "@overload\ndef f(a): ...\ndef f(**k): ...\n"}, "m:f(b)", None, "may take it unseen"),
        ({"m.pyi": "def f(a) -> int: ...\n"}, "m:f(a)", True, "(a stub)"),
        ({"m.pyi": "x: int\n"}, "m:x", True, "(a stub)"),
        ({"m.pyi": "@overload\ndef f(a): ...\n@overload\ndef f(b): ...\n"}, "m:f(a)", True, "by an overload"),
        ({"m.py": "def f(a): ...\n", "m.pyi": "def f(a, b): ...\n"}, "m:f(b)", False, "only the stub has it"),
        ({"m.cpython-311-x86_64-linux-gnu.so": b"\x7fELF"}, "m:f", None, "m is compiled and has no stub"),
        ({"p/__init__.py": "", "p/x.pyx": "def f(a): ..."}, "p.x:f", None, "p.x is compiled and has no stub"),
    ],
)
def test_sources(ask: Ask, files: Mapping[str, str | bytes], contract: str, holds: bool | None, words: str) -> None:
    verdict = ask(files, contract)
    assert verdict.holds is holds, verdict.words
    assert words in verdict.words


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        (b"\xef\xbb\xbfdef f(a): ...\n", True),
        ("# coding: latin-1\n# \xe4\ndef f(a): ...\n".encode("latin-1"), True),
        (b"def f(a, \xe4): ...\n", None),
        (b"# coding: no-such\ndef f(a): ...\n", None),
        (b"def f(a): ...\n\0", None),
        (b"\xff\xfe\0", None),
        (b"def f(a) ...\n", None),
        (b"x = " + b"(" * 100_000, None),
        (b"x = " + b"-" * 100_000 + b"1\n", None),
        (b"x = a" + b".b" * 100_000, None),
        (b"if a:\n pass\n" + b"elif a:\n pass\n" * 100_000, None),
        (b"def f(a): ...\n" + b"#" * 2_100_000, None),
        (b"x = 1\n" * 50_000 + b"def f(a): ...\n", True),
        (b"@a\n" * 5_000 + b"def f(a): ...\n", True),
    ],
    ids=range(14),
)
def test_hostile_sources(ask: Ask, source: bytes, holds: bool | None) -> None:
    assert ask({"m.py": source}, "m:f(a)").holds is holds


def test_a_long_way(ask: Ask) -> None:
    chain = {f"p/m{number}.py": f"from .m{number + 1} import f\n" for number in range(400)}
    verdict = ask({"p/__init__.py": "", **chain, "p/m400.py": "def f(a): ...\n"}, "p.m0:f(a)")
    assert (verdict.holds, verdict.words) == (None, "more than 200 modules would have to be read")


@pytest.mark.parametrize(
    "source",
    [
        "".join(f"{' ' * depth}if x:\n" for depth in range(90)) + " " * 90 + "f = 1\n",
        "".join(f"f{number} = f{number + 1}\n" for number in range(20_000)) + "f = f0\n",
        "@overload\ndef f(a): ...\n" * 20_000 + "f = 1\n",
        "".join(f"class C{n}(C{n - 1}): ...\n" for n in range(1, 3000)) + "f = C2999.x\n",
        "class C0: ...\nclass D0: ...\n"
        + "".join(f"class C{n}(C{n - 1}, D{n - 1}): ...\nclass D{n}(C{n - 1}, D{n - 1}): ...\n" for n in range(1, 40))
        + "f = C39.x\n",
        "from m import *\n" * 500,
    ],
    ids=["nested", "aliases", "overloads", "bases", "diamonds", "stars"],
)
def test_hostile_sources_take_no_time(ask: Ask, source: str) -> None:
    started = time.process_time()
    assert ask({"m.py": source}, "m:f(a)").holds is not True
    assert time.process_time() - started < 5


def test_many_branches_end(ask: Ask) -> None:
    doubling = "".join(f"f{n} = f{n + 1} if x else f{n + 1}\n" for n in range(40))
    verdict = ask({"m.py": f"{doubling}f40 = 1\n"}, "m:f0(a)")
    assert verdict.holds is None


@pytest.mark.parametrize(
    ("pyproject", "path"),
    [
        ("", "src/p/__init__.py"),
        ("", "python/p/__init__.py"),
        ("", "somewhere/deep/p/__init__.py"),
        ('[tool.setuptools.package-dir]\n"" = "code"\n', "code/p/__init__.py"),
        ('[tool.setuptools.package-dir]\n"p" = "elsewhere"\n', "elsewhere/__init__.py"),
        ('[tool.setuptools.packages.find]\nwhere = ["code"]\n', "code/p/__init__.py"),
        ('[tool.maturin]\npython-source = "py"\n', "py/p/__init__.py"),
    ],
)
def test_where_packages_lie(tmp_path: Path, pyproject: str, path: str) -> None:
    make(tmp_path / "r", {"pyproject.toml": pyproject, path: "def f(a): ...\n"})
    repository = Repository(tmp_path / "r")
    files = CommitFiles(repository, repository.commit("HEAD"))
    assert judge(Library(files), alternatives("p:f(a)")) == Verdict(True, f"f(a) at {path}:1")


def test_a_subdirectory_a_link_and_sha256(tmp_path: Path) -> None:
    repo = make(tmp_path / "r", {"real/p/__init__.py": "def f(a): ...\n", "keep": ""}, object_format="sha256")
    (repo.root / "sub").mkdir()
    (repo.root / "sub/p").symlink_to("../real/p")
    (repo.root / "sub/out").symlink_to("/etc")
    repo.commit()
    repository = Repository(repo.root)
    files = CommitFiles(repository, repository.commit("HEAD"), "sub")
    assert judge(Library(files), alternatives("p:f(a)")).holds is True
    assert judge(Library(files), alternatives("out.passwd")).holds is None


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "outside.py").write_text("def f(a): ...\n")
    (tmp_path / "site/m.py").symlink_to(tmp_path / "outside.py")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack/__init__.py").write_text("def f(a): ...\n")
    (tmp_path / "site/pack").symlink_to(tmp_path / "pack")
    os.mkfifo(tmp_path / "site/fifo.py")
    files = FolderFiles(tmp_path / "site", [""])
    for contract in ("m:f(a)", "pack:f(a)", "fifo:f(a)"):
        assert judge(Library(files), alternatives(contract)).holds is None


POOL_MODULE = "flashinfer.experimental.b12x.comm.pcie.pcie_dcp_a2a"
SITE = Path(sysconfig.get_path("purelib"))


@pytest.mark.skipif(
    not (SITE / f"{POOL_MODULE.replace('.', '/')}.py").is_file(), reason="no FlashInfer with a pair gather is installed"
)
def test_the_released_flashinfer_has_a_plan_and_no_row_blocks() -> None:
    files = FolderFiles(SITE, [""])
    taken = judge(Library(files), alternatives(f"{POOL_MODULE}:PCIeDCPA2APool.all_gather_pair(plan)"))
    assert (taken.holds, taken.words.startswith("all_gather_pair(self, ")) == (True, True)
    missing = judge(Library(files), alternatives(f"{POOL_MODULE}:PCIeDCPA2APool.all_gather_pair(row_blocks)"))
    assert (missing.holds, missing.words.endswith(" has no parameter `row_blocks`")) == (False, True)
    assert judge(Library(files), alternatives("flashinfer.b12x.comm.pcie.pcie_dcp_a2a:PCIeDCPA2APool")).holds is False
    assert judge(Library(files), alternatives("b12x.comm.pcie.pcie_dcp_a2a:PCIeDCPA2APool")).holds is None
