"""Tampering with the graph: edges, entries, recorded requirements, versions, manifest."""

from __future__ import annotations

import re
from collections.abc import Callable

from .kinds import DIRECT, LOCAL, PIN, RELEASED, REQUIRED, TRANSITIVE, Kind, Target
from .text import drop_table, edge_names, edit_table

_ORPHAN = (
    '[[package]]\nname = "zzz-orphan"\nversion = "1"\nsource = { registry = "https://index.example.org/simple" }\n'
    f'sdist = {{ url = "https://index.example.org/files/zzz_orphan-1.tar.gz", hash = "sha256:{"7" * 64}", size = 9 }}\n'
)
_SPECIFIER = re.compile(r', specifier = "[^"]*"')
_NAME_AND_VERSION = re.compile(r'(name = "[^"]*")(, version = "[^"]*")?')
_EXTRAS = re.compile(r"(?m)^provides-extras = \[.*\]")
_REQUIRES = ("LCK014",)


def _named(target: Target) -> str:
    return f'name = "{target.name}"'


def _edge(edit: Callable[[str], str]) -> Callable[[Target], str | None]:
    return lambda target: target.with_edges(edit_table(target.edges, target.name, edit))


def _recorded(edit: Callable[[str], str]) -> Callable[[Target], str | None]:
    return lambda target: target.with_recorded(edit_table(target.recorded, target.name, edit))


def _marked(table: str) -> str:
    plain = re.sub(r', marker = "[^"]*"', "", table)
    return f"{plain.removesuffix(' }')}, marker = \"sys_platform == '{_other_platform(table)}'\" }}"


def _other_platform(table: str) -> str:
    """A platform that the table's marker does not name, and that projects support."""
    return "darwin" if "linux" in table else "linux"


def _never(table: str) -> str:
    plain = re.sub(r', marker = "[^"]*"', "", table)
    return plain.removesuffix(" }") + ", marker = \"sys_platform == 'linux' and sys_platform == 'darwin'\" }"


def _extra(table: str) -> str:
    plain = re.sub(r", extra = \[[^\]]*\]", "", table)
    return plain.removesuffix(" }") + ', extra = ["evil"] }'


def _add_edge(target: Target) -> str | None:
    """Let the owner depend on the last entry of the lock that it does not yet depend on."""
    for package in reversed(target.lock.packages):
        if f'name = "{package["name"]}"' not in target.edges and "registry" in package["source"]:
            added = f'dependencies = [\n    {{ name = "{package["name"]}" }},'
            return target.with_edges(re.sub(r"(?m)^dependencies = \[", added, target.edges, count=1))
    return None


def _version(target: Target) -> str | None:
    """Lock another version, with files that fit, wherever the lock repeats it."""
    if target.lock.text.count(f'name = "{target.name}", version') or not target.version:
        return None
    entry = target.entry.replace(f'version = "{target.version}"', 'version = "0.0.1"', 1)
    return target.with_entry(re.sub(rf"-{re.escape(target.version)}(?=-|\.tar\.gz)", "-0.0.1", entry))


def _outside(target: Target) -> str | None:
    """The same, where what the lock records asks for more than that."""
    asked = re.search(rf'name = "{re.escape(target.name)}"[^\n]*specifier = "[^"]*(?:>=|==|~=|>)', target.recorded)
    return _version(target) if asked else None


def _add_recorded(target: Target) -> str | None:
    added = 'requires-dist = [\n    { name = "evil", specifier = ">=1" },'
    return target.with_recorded(re.sub(r"(?m)^requires-dist = \[", added, target.recorded, count=1))


def _specifier(table: str) -> str:
    return _SPECIFIER.sub(', specifier = ">=0.0.2"', table)


def _head(pattern: str, replacement: str) -> Callable[[Target], str | None]:
    return lambda target: target.lock.replaced({}, head=re.sub(pattern, replacement, target.lock.head, count=1))


def _override(target: Target) -> str | None:
    entry = '[[manifest.overrides]]\nname = "evil"\nspecifier = "==6.6.6"\n\n'
    return None if "overrides" in target.lock.head else target.lock.replaced({}, head=target.lock.head + entry)


def _fork(target: Target) -> str | None:
    """Add a fork of the resolution that holds nowhere."""
    never = "    \"sys_platform == 'linux' and sys_platform == 'darwin'\",\n"
    if "resolution-markers = [\n" in target.lock.head:
        return _head(r"(?m)^resolution-markers = \[\n", f"resolution-markers = [\n{never}")(target)
    return _head(r'(?m)^(requires-python = "[^"]*"\n)', rf"\1resolution-markers = [\n{never}]\n")(target)


def _single(target: Target) -> bool:
    """Whether nothing but the owner depends on the package."""
    sections = ("dependencies", "optional-dependencies", "dev-dependencies")
    owners = [p for p in target.lock.packages if any(target.name in edge_names(p, section) for section in sections)]
    return len(owners) == 1


def _both_removed(target: Target) -> str | None:
    edges, recorded = drop_table(target.edges, target.name), drop_table(target.recorded, target.name)
    return None if edges is None or recorded is None else target.lock.replaced({target.owner: edges + recorded})


GRAPH_KINDS = (
    Kind(
        name="an edge removed",
        edit=lambda target: target.with_edges(drop_table(target.edges, target.name)),
        places=(*REQUIRED, LOCAL),
        codes=("LCK011",),
        at=_named,
    ),
    Kind(
        name="the only edge to a package removed",
        edit=lambda target: target.with_edges(drop_table(target.edges, target.name)) if _single(target) else None,
        places=(TRANSITIVE,),
        codes=("LCK013",),
        at=lambda _: "[[package]]",
    ),
    Kind(
        name="one edge of several to a package removed",
        edit=lambda target: None if _single(target) else target.with_edges(drop_table(target.edges, target.name)),
        places=(TRANSITIVE,),
        only="online",
    ),
    Kind(name="an edge added to the project", edit=_add_edge, places=(DIRECT, "member"), codes=("LCK011",)),
    Kind(name="an edge added to a released package", edit=_add_edge, places=(TRANSITIVE,), only="online"),
    Kind(
        name="an edge to a package that is not there",
        edit=_edge(lambda table: table.replace('name = "', 'name = "evil-', 1)),
        codes=("LCK010",),
    ),
    Kind(name="another marker of an edge", edit=_edge(_marked), places=REQUIRED, codes=("LCK011",), at=_named),
    Kind(name="another marker of a released package's edge", edit=_edge(_marked), places=(TRANSITIVE,), only="online"),
    Kind(name="a marker that is never true", edit=_edge(_never), codes=("LCK018", "LCK011")),
    Kind(name="an extra added to an edge", edit=_edge(_extra), places=REQUIRED, codes=("LCK011", "LCK010"), at=_named),
    Kind(
        name="an edge with a version that no entry has",
        edit=_edge(
            lambda table: re.sub(r'(name = "[^"]*")(, version = "[^"]*")?', r'\1, version = "99.9"', table, count=1)
        ),
        codes=("LCK010",),
    ),
    Kind(
        name="an edge with a source that no entry has",
        edit=_edge(
            lambda table: re.sub(
                r'(name = "[^"]*")', r'\1, source = { registry = "https://evil.example/simple" }', table, count=1
            )
        ),
        codes=("LCK010", "PIN001"),
    ),
    Kind(
        name="an entry removed",
        edit=lambda target: target.lock.replaced({target.number: ""}),
        places=(*RELEASED, PIN),
        codes=("LCK010", "PIN001"),
        at=_named,
    ),
    Kind(
        name="an entry twice",
        edit=lambda target: target.lock.replaced({target.number: f"{target.entry.rstrip()}\n\n{target.entry}"}),
        places=(*RELEASED, PIN),
        codes=("LCK010",),
        at=lambda _: "[[package]]",
    ),
    Kind(
        name="an orphan added",
        edit=lambda target: target.lock.text.rstrip("\n") + "\n\n" + _ORPHAN,
        places=(DIRECT,),
        codes=("LCK013",),
    ),
    Kind(name="a version outside of the specifier", edit=_outside, places=REQUIRED, codes=("LCK012",), at=_named),
    Kind(name="a version that only released packages could refuse", edit=_version, places=(TRANSITIVE,), only="online"),
    Kind(name="a recorded specifier changed", edit=_recorded(_specifier), places=(*REQUIRED, LOCAL), codes=_REQUIRES),
    Kind(
        name="a recorded specifier removed",
        edit=_recorded(lambda table: _SPECIFIER.sub("", table)),
        places=(*REQUIRED, LOCAL),
        codes=_REQUIRES,
    ),
    Kind(
        name="a recorded requirement removed",
        edit=lambda target: target.with_recorded(drop_table(target.recorded, target.name)),
        places=(*REQUIRED, LOCAL),
        codes=("LCK014", "LCK011"),
        at=_named,
    ),
    Kind(
        name="requirement and edge removed together",
        edit=_both_removed,
        places=(*REQUIRED, LOCAL),
        codes=_REQUIRES,
        at=lambda target: target.name,
    ),
    Kind(
        name="a requirement recorded that nobody declared",
        edit=_add_recorded,
        places=(DIRECT, "member"),
        codes=_REQUIRES,
    ),
    Kind(
        name="another marker recorded",
        edit=_recorded(
            lambda table: (
                table.removesuffix(" }") + ", marker = \"sys_platform == 'aix'\" }"
                if "marker" not in table
                else re.sub(r'marker = "', "marker = \"sys_platform == 'aix' and ", table)
            )
        ),
        places=(*REQUIRED, LOCAL),
        codes=_REQUIRES,
    ),
    Kind(
        name="an extra no longer provided",
        edit=lambda target: target.with_recorded(
            re.sub(r"(?m)^provides-extras = \[.*\]", "provides-extras = []", target.recorded)
        ),
        places=(DIRECT, "member", "extra"),
        codes=_REQUIRES,
    ),
    Kind(
        name="a wider range of Python",
        edit=_head(r'requires-python = "[^"]*"', 'requires-python = ">=3.5"'),
        places=(DIRECT,),
        codes=("LCK016",),
    ),
    Kind(
        name="a narrower range of Python",
        edit=_head(r'requires-python = "[^"]*"', 'requires-python = ">=3.99"'),
        places=(DIRECT,),
        codes=("LCK016",),
    ),
    Kind(name="an override that nobody declared", edit=_override, places=(DIRECT,), codes=("LCK015",)),
    Kind(
        name="a constraint removed",
        edit=_head(r"(?m)^constraints = \[.*\]\n", ""),
        places=(DIRECT,),
        codes=("LCK015",),
        at=lambda _: "constraint-dependencies",
    ),
    Kind(
        name="a member removed from the manifest",
        edit=_head(r'(?m)^(members = \[\n(?:    "[^"]*",\n)+)    "[^"]*",\n', r"\1"),
        places=(DIRECT,),
        codes=("LCK015",),
        at=lambda _: "members",
    ),
    Kind(
        name="revision 0, so that uv does not compare extras",
        edit=_head(r"(?m)^revision = \d+", "revision = 0"),
        places=(DIRECT,),
        codes=("LCK017",),
    ),
    Kind(
        name="a revision from the future",
        edit=_head(r"(?m)^revision = \d+", "revision = 99"),
        places=(DIRECT,),
        codes=("LCK017",),
    ),
    Kind(
        name="a fork that is never true",
        edit=_fork,
        places=(DIRECT,),
        codes=("LCK018",),
    ),
)
