from __future__ import annotations

import pytest

from .conftest import Said

FILES = "https://files.example.org"
A, B, C = "a" * 64, "b" * 64, "c" * 64
LOCK = f"""\
version = 1
[[package]]
name = "app"
version = "1"
source = {{ virtual = "." }}
dependencies = [{{ name = "click" }}]
[[package]]
name = "click"
version = "8"
source = {{ registry = "https://index.example.org/simple" }}
sdist = {{ url = "{FILES}/click-8.tar.gz", hash = "sha256:{A}", size = 10 }}
wheels = [
    {{ url = "{FILES}/click-8-py3-none-any.whl", hash = "sha256:{B}", size = 20 }},
]
"""
WHEEL = "click: `click-8-py3-none-any.whl`"


def test_files_with_digests(said: Said) -> None:
    assert said("LCK021", LOCK) == []


@pytest.mark.parametrize(
    "digest", [f"sha384:{'a' * 96}", f"sha512:{'a' * 128}", f"blake2b:{'a' * 128}", f"sha256:{'AB' * 32}"]
)
def test_other_strong_digests(said: Said, digest: str) -> None:
    assert said("LCK021", LOCK.replace(f"sha256:{B}", digest)) == []


@pytest.mark.parametrize(
    ("digest", "problem"),
    [
        (f'"md5:{"a" * 32}"', "the digest is of the weak kind md5, expected sha256 or better"),
        (f'"sha1:{"a" * 40}"', "the digest is of the weak kind sha1, expected sha256 or better"),
        (f'"sha224:{"a" * 56}"', "the digest is of the weak kind sha224, expected sha256 or better"),
        (
            f'"crc32:{"a" * 8}"',
            "the digest is of the unknown kind crc32, expected one of sha256, sha384, sha512, blake2b",
        ),
        (f'"sha256:{B[1:]}"', "the sha256 digest has 63 characters, expected 64 hexadecimal digits"),
        (f'"sha256:{B}0"', "the sha256 digest has 65 characters, expected 64 hexadecimal digits"),
        (f'"sha256:{"g" * 64}"', "the sha256 digest has 64 characters, expected 64 hexadecimal digits"),
        (f'"sha512:{"a" * 64}"', "the sha512 digest has 64 characters, expected 128 hexadecimal digits"),
        (f'"{B}"', f"the digest `{B}` is not of the form `sha256:…`"),
        ('""', "the digest `` is not of the form `sha256:…`"),
        ("7", "the digest `7` is not of the form `sha256:…`"),
    ],
)
def test_digests_that_prove_nothing(said: Said, digest: str, problem: str) -> None:
    found = said("LCK021", LOCK.replace(f'"sha256:{B}"', digest))
    assert found == [("error", f"{WHEEL} {problem}", "uv.lock:13:67")]


@pytest.mark.parametrize(
    ("size", "problem"),
    [
        ("0", "the size is 0, expected more than 0 bytes"),
        ("-20", "the size is -20, expected more than 0 bytes"),
        ("true", "the size is True, expected a number of bytes"),
        ('"20"', "the size is '20', expected a number of bytes"),
        ("20.5", "the size is 20.5, expected a number of bytes"),
    ],
)
def test_sizes_that_no_file_has(said: Said, size: str, problem: str) -> None:
    found = said("LCK021", LOCK.replace("size = 20", f"size = {size}"))
    assert found == [("error", f"{WHEEL} {problem}", "uv.lock:13:149")]


def test_a_size_may_be_absent(said: Said) -> None:
    assert said("LCK021", LOCK.replace(", size = 20", "")) == []


def test_a_digest_that_another_file_of_the_package_has(said: Said) -> None:
    problem = "has no digest, and another file of its package has one"
    assert said("LCK021", LOCK.replace(f', hash = "sha256:{B}"', "")) == [
        ("error", f"{WHEEL} {problem}", "uv.lock:13:5")
    ]


def registry(number: int, digest: bool) -> str:
    name = f"dep{number}"
    hash_ = f', hash = "sha256:{number:064x}"' if digest else ""
    return (
        f'[[package]]\nname = "{name}"\nversion = "1"\nsource = {{ registry = "https://index.example.org/simple" }}\n'
        f'sdist = {{ url = "{FILES}/{name}-1.tar.gz"{hash_} }}\n'
    )


@pytest.mark.parametrize(
    ("with_digest", "severity", "counts"),
    [(9, "error", "9 of 10"), (8, "warning", "8 of 9"), (1, "warning", "1 of 2")],
)
def test_a_package_without_digests_among_others_that_have_them(
    said: Said, with_digest: int, severity: str, counts: str
) -> None:
    lock = "version = 1\n" + "".join(registry(number, True) for number in range(with_digest)) + registry(99, False)
    message = (
        f"dep99: `dep99-1.tar.gz` has no digest, and {counts} files from https://index.example.org/simple have one"
    )
    assert said("LCK021", lock) == [(severity, message, f"uv.lock:{2 + 5 * with_digest + 4}:1")]


def test_an_index_that_publishes_no_digests(said: Said) -> None:
    assert said("LCK021", "version = 1\n" + "".join(registry(number, False) for number in range(5))) == []


def test_a_local_wheel_needs_no_digest(said: Said) -> None:
    lock = LOCK.replace('registry = "https://index.example.org/simple"', 'path = "wheels/click-8-py3-none-any.whl"')
    lock = lock.replace(f', hash = "sha256:{A}"', "").replace(f', hash = "sha256:{B}"', "")
    assert said("LCK021", lock) == []


def test_a_direct_url_without_a_digest(said: Said) -> None:
    url = f"{FILES}/click-8-py3-none-any.whl"
    lock = (
        f'version = 1\n[[package]]\nname = "click"\nversion = "8"\nsource = {{ url = "{url}" }}\n'
        f'wheels = [{{ url = "{url}" }}]\n'
    )
    assert said("LCK021", lock) == [
        ("warning", f"{WHEEL} has no digest, and uv writes one for every direct URL", "uv.lock:6:11")
    ]
