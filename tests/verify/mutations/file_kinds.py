"""Tampering with the files of an entry: digests, sizes, names, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable

from .kinds import Kind, Target

_FILE = re.compile(r'\{ url = "[^\n]*?" ?\}')
_HASH = re.compile(r', hash = "([^"]*)"')
EVIL = "evil.example"


def _each(pattern: str | re.Pattern[str], replacement: str, *, count: int = 0) -> Callable[[Target], str | None]:
    """Return an edit that replaces a pattern in the entry, in as many places as `count` says; everywhere for 0."""
    return lambda target: target.with_entry(re.sub(pattern, replacement, target.entry, count=count))


def _wheel(pattern: str, replacement: str) -> Callable[[Target], str | None]:
    """Return an edit of the first wheel's line."""

    def edit(target: Target) -> str | None:
        start = target.entry.find("\nwheels = [")
        if start < 0:
            return None
        before, wheels = target.entry[:start], target.entry[start:]
        return target.with_entry(before + re.sub(pattern, replacement, wheels, count=1))

    return edit


def _flip(target: Target) -> str | None:
    match = _HASH.search(target.entry)
    if match is None:
        return None
    last = "0" if match[1][-1] != "0" else "1"
    return target.with_entry(target.entry[: match.end() - 2] + last + target.entry[match.end() - 1 :])


def _swap(target: Target) -> str | None:
    """Exchange the digests of the first two files."""
    found = [match[1] for match in _HASH.finditer(target.entry)]
    if len(found) < 2:
        return None
    one, other = found[:2]
    marked = target.entry.replace(one, "\0").replace(other, one).replace("\0", other)
    return target.with_entry(marked)


def _twice(target: Target) -> str | None:
    """List the first wheel a second time with another digest."""
    match = re.search(r"\n(    \{ url = [^\n]*\.whl[^\n]*\},)\n", target.entry)
    if match is None or not _HASH.search(match[1]):
        return None
    other = _HASH.sub(f', hash = "sha256:{"0" * 64}"', match[1])
    return target.with_entry(target.entry.replace(match[1], f"{match[1]}\n{other}", 1))


def _same_digest(target: Target) -> str | None:
    found = [match[1] for match in _HASH.finditer(target.entry)]
    return target.with_entry(target.entry.replace(found[1], found[0])) if len(found) > 1 else None


def _other_package(target: Target) -> str | None:
    """Replace the first wheel by one of another package of the lock."""
    for package in target.lock.packages:
        if package["name"] != target.name and package.get("wheels") and "url" in package["wheels"][0]:
            other = package["wheels"][0]["url"].rpartition("/")[2]
            return _wheel(r'/[^/"]*\.whl', f"/{other}")(target)
    return None


def _all_digests(target: Target) -> str | None:
    return _HASH.sub("", target.lock.text)


FILE_KINDS = (
    Kind(name="one digit of a digest changed", edit=_flip, only="base"),
    Kind(name="two digests exchanged", edit=_swap, only="base"),
    Kind(name="the digest of one file removed", edit=_each(_HASH, "", count=1), codes=("LCK021",)),
    Kind(name="all digests of a package removed", edit=_each(_HASH, ""), codes=("LCK021",)),
    Kind(name="all digests of the lock removed", edit=_all_digests, only="base", places=("direct",)),
    Kind(
        name="a digest cut short", edit=_each(r'hash = "(sha256:.{40})[^"]*', r'hash = "\1', count=1), codes=("LCK021",)
    ),
    Kind(
        name="a digest of the weak kind md5",
        edit=_each(_HASH, f', hash = "md5:{"0" * 32}"', count=1),
        codes=("LCK021",),
    ),
    Kind(
        name="a digest of the weak kind sha1",
        edit=_each(_HASH, f', hash = "sha1:{"0" * 40}"', count=1),
        codes=("LCK021",),
    ),
    Kind(name="a digest of no known kind", edit=_each(r'hash = "sha256:', 'hash = "crc:', count=1), codes=("LCK021",)),
    Kind(name="a size of zero", edit=_each(r", size = \d+", ", size = 0", count=1), codes=("LCK021",)),
    Kind(name="a negative size", edit=_each(r", size = (\d+)", r", size = -\1", count=1), codes=("LCK021",)),
    Kind(name="another size", edit=_each(r", size = (\d+)", r", size = 1\1", count=1), only="base"),
    Kind(name="one file listed with two digests", edit=_twice, codes=("LCK020",)),
    Kind(name="two files with one digest", edit=_same_digest, codes=("LCK020",)),
    Kind(name="a wheel of another package", edit=_other_package, codes=("LCK020",)),
    Kind(name="a wheel of another version", edit=_wheel(r'(/[^/"-]+)-[^/"-]+-', r"\1-99.9-"), codes=("LCK020",)),
    Kind(name="a wheel that is no wheel", edit=_wheel(r'(/[^/"]+)\.whl', r"\1.exe"), codes=("LCK020",)),
    Kind(
        name="sources of another package",
        edit=_each(r'/[^/"]+?(-[^/"-]+\.tar\.gz)', r"/evil\1", count=1),
        codes=("LCK020",),
    ),
    Kind(
        name="sources of another version",
        edit=_each(r'(/[^/"]+)-[^/"-]+\.tar\.gz', r"\1-99.9.tar.gz", count=1),
        codes=("LCK020",),
    ),
    Kind(
        name="the version of the entry alone",
        edit=_each(r'\nversion = "[^"]*"', '\nversion = "99.9"'),
        codes=("LCK020",),
    ),
    Kind(
        name="one file on another host",
        edit=_each(r'url = "https://[^/"]+', f'url = "https://{EVIL}', count=1),
        codes=("LCK023",),
    ),
    Kind(
        name="all files of a package on another host",
        edit=_each(r'url = "https://[^/"]+', f'url = "https://{EVIL}'),
        codes=("LCK023",),
    ),
    Kind(
        name="a host that is the user of another one",
        edit=_each(r'url = "https://([^/"]+)', rf'url = "https://\1@{EVIL}', count=1),
        codes=("LCK022",),
    ),
    Kind(
        name="user and password in a URL",
        edit=_each(r'url = "https://', 'url = "https://me:secret@', count=1),
        codes=("LCK022",),
    ),
    Kind(
        name="a look-alike letter in a host",
        edit=_each(r'url = "https://([^/"a]*)a', 'url = "https://\\1а', count=1),
        codes=("LCK022",),
    ),
    Kind(
        name="an internationalised host",
        edit=_each(r'url = "https://', 'url = "https://xn--80ak6aa92e.', count=1),
        codes=("LCK022",),
    ),
    Kind(name="plain http", edit=_each(r'url = "https:', 'url = "http:', count=1), codes=("LCK022",)),
    Kind(
        name="another port",
        edit=_each(r'url = "https://([^/"]+)', r'url = "https://\1:8443', count=1),
        codes=("LCK022",),
    ),
    Kind(
        name="an address in place of a host",
        edit=_each(r'url = "https://[^/"]+', 'url = "https://192.0.2.7', count=1),
        codes=("LCK022", "LCK023"),
    ),
    Kind(
        name="a path that climbs",
        edit=_each(r'url = "(https://[^/"]+)', r'url = "\1/../..', count=1),
        codes=("LCK022",),
    ),
    Kind(
        name="a backslash in a URL",
        edit=_each(r'url = "https://([^/"]+)', rf'url = "https://{EVIL}\\\\\\\\@\1', count=1),
        codes=("LCK022",),
    ),
    Kind(name="a file removed", edit=_wheel(r"\n    \{ url = [^\n]*", ""), only="base"),
)
