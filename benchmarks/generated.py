"""Locks of any size, of the shape that uv writes: for benchmarks of growth, and for tests of limits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

DIRECT = 40
INDEX = "https://index.example.org"


def write_project(root: Path, packages: int) -> None:
    """Write pyproject.toml and uv.lock with `packages` entries beside the project's own into the folder `root`.

    The project needs the first 40; every package needs the two after twice its own number, as far as they are there.
    """
    root.mkdir(parents=True, exist_ok=True)
    direct = [_name(number) for number in range(min(DIRECT, packages))]
    requirements = "".join(f'    "{name}>=1",\n' for name in direct)
    head = '[project]\nname = "generated"\nversion = "0.1.0"\nrequires-python = ">=3.11"\n'
    index = f'[[tool.uv.index]]\nname = "main"\nurl = "{INDEX}/simple"\ndefault = true\n'
    pyproject = f"{head}dependencies = [\n{requirements}]\n\n{index}"
    (root / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    with (root / "uv.lock").open("w", encoding="utf-8") as file:
        file.write('version = 1\nrevision = 3\nrequires-python = ">=3.11"\n\n')
        file.write(_own(direct))
        file.writelines(_entries(packages))


def _name(number: int) -> str:
    return f"pack-{number:06d}"


def _own(direct: list[str]) -> str:
    edges = "".join(f'    {{ name = "{name}" }},\n' for name in direct)
    recorded = "".join(f'    {{ name = "{name}", specifier = ">=1" }},\n' for name in direct)
    return (
        '[[package]]\nname = "generated"\nversion = "0.1.0"\nsource = { virtual = "." }\n'
        f"dependencies = [\n{edges}]\n\n[package.metadata]\nrequires-dist = [\n{recorded}]\n"
    )


def _entries(packages: int) -> Iterator[str]:
    for number in range(packages):
        name, version = _name(number), f"1.{number % 90}.{number % 7}"
        needed = [other for other in _needed(number) if other < packages]
        edges = "".join(f'    {{ name = "{_name(other)}" }},\n' for other in needed)
        stem = f"{name.replace('-', '_')}-{version}"
        wheels = "".join(
            f"    {_file(f'{stem}-{tag}.whl')},\n"
            for tag in ("cp311-cp311-manylinux_2_28_x86_64", "cp312-cp312-manylinux_2_28_x86_64", "py3-none-any")
        )
        yield (
            f'\n[[package]]\nname = "{name}"\nversion = "{version}"\nsource = {{ registry = "{INDEX}/simple" }}\n'
            + (f"dependencies = [\n{edges}]\n" if edges else "")
            + f"sdist = {_file(f'{stem}.tar.gz')}\nwheels = [\n{wheels}]\n"
        )


def _needed(number: int) -> tuple[int, int]:
    """Every package from the 40th on is needed by exactly one before it."""
    first = DIRECT + 2 * number
    return first, first + 1


def _file(name: str) -> str:
    digest = hashlib.sha256(name.encode()).hexdigest()
    url = f"{INDEX}/files/{digest[:2]}/{digest[2:4]}/{digest[4:]}/{name}"
    rest = f'hash = "sha256:{digest}", size = {1000 + len(name)}, upload-time = "2026-01-02T03:04:05.678Z"'
    return f'{{ url = "{url}", {rest} }}'
