"""The command as a user starts it: real processes, real exit codes, and input that tries to break or forge it."""

import gc
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from uv import find_uv_bin

from pinproof.verify.cli import main

ROOT = Path(__file__).resolve().parents[2]
A = "7bb37d608657e18a40de913d2cc3cd0448400336"
B = "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef"
PROJECT = f"""\
[project]
name = "demo"
version = "1"
requires-python = ">=3.11"
dependencies = ["r"]
[tool.uv.sources]
r = {{ git = "https://github.com/o/r", rev = "{A}" }}
"""
LOCK = f"""\
version = 1
revision = 3
requires-python = ">=3.11"

[[package]]
name = "demo"
version = "1"
source = {{ virtual = "." }}
dependencies = [{{ name = "r" }}]

[package.metadata]
requires-dist = [{{ name = "r", git = "https://github.com/o/r?rev={A}" }}]

[[package]]
name = "r"
version = "1"
source = {{ git = "https://github.com/o/r?rev={A}#{A}" }}
"""
Write = Callable[..., Path]


def pinproof(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pinproof.verify", *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def root(write_project: Write) -> Path:
    return write_project({"pyproject.toml": PROJECT, "uv.lock": LOCK})


def test_a_clean_project(root: Path) -> None:
    done = pinproof("check", "--static", root)
    assert done.returncode == 0, done.stdout
    assert done.stderr == ""
    assert "passed   PIN001 pins: 1 package with git, url or local sources\n" in done.stdout
    assert "not run  LCK001 lock: it executes programs, and --static forbids that\n" in done.stdout
    assert "passed   POL001 policy: 5 of 5 reviewed cases\n" in done.stdout


def test_a_disagreement_names_both_places_what_was_found_and_what_to_do(root: Path) -> None:
    lock = root / "uv.lock"
    lock.write_text(LOCK.replace(f"{A}#{A}", f"{B}#{B}"))
    before = lock.read_bytes()
    done = pinproof("check", "--static", "--select", "pins", cwd=root)
    assert done.returncode == 1
    assert (
        done.stdout
        == f"""\
failed   PIN001 pins: 1 package with git, url or local sources (1 error)
    error: r: another commit is locked than declared
      --> pyproject.toml:7:39  declared: git https://github.com/o/r, rev {A}
      --> uv.lock:17:12  locked: git https://github.com/o/r, rev {B}
      --> uv.lock:12:18  recorded: git https://github.com/o/r, rev {A}
      fix: find out which place is right; then `uv lock` writes the lock anew, and the commit has to be reviewed again
1 failed; exit code 1
"""
    )
    assert lock.read_bytes() == before


def test_json_and_output_files(root: Path, tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    done = pinproof("check", "--static", "--format", "json", "--output", output, root)
    assert (done.returncode, done.stdout) == (0, "")
    data = json.loads(output.read_text())
    assert data["schema"] == 1
    assert data["exit_code"] == 0
    (project,) = data["projects"]
    assert {check["code"]: check["status"] for check in project["checks"]}["PIN001"] == "passed"
    refused = pinproof("check", "--static", "--output", tmp_path / "missing" / "x", root)
    assert refused.returncode == 2
    assert "cannot be written: No such file or directory" in refused.stderr


def test_quiet_verbose_and_color(root: Path) -> None:
    assert pinproof("check", "--static", "-q", root).stdout == ""
    assert "    passed: 8 rows -> 2 row blocks (found 2)\n" in pinproof("check", "--static", "-v", root).stdout
    assert "\x1b[32mpassed" in pinproof("check", "--static", "--color", "always", root).stdout
    for extra in (["--color", "never"], []):
        assert "\x1b" not in pinproof("check", "--static", *extra, root).stdout


def test_require_static_and_fail_on(root: Path) -> None:
    assert pinproof("check", "--static", "--require", "policy", root).returncode == 0
    done = pinproof("check", "--static", "--require", "gpu", root)
    assert done.returncode == 1
    assert "GPU001 gpu: it executes programs, and --static forbids that (required)" in done.stdout
    (root / "pyproject.toml").write_text(PROJECT.replace(f'rev = "{A}"', 'branch = "main"'))
    (root / "uv.lock").write_text(LOCK.replace(f"rev={A}", "branch=main"))
    assert pinproof("check", "--static", root).returncode == 0
    assert pinproof("check", "--static", "--fail-on", "warning", root).returncode == 1


def test_trusted_configuration_replaces_that_of_the_project(root: Path, tmp_path: Path) -> None:
    trusted = tmp_path / "trusted.toml"
    trusted.write_text(f'[tool.pinproof.pins.r]\nrev = "{B}"\n')
    done = pinproof("check", "--static", "--select", "pins", "--config", trusted, root)
    assert done.returncode == 1
    assert "r: another commit than the reviewed one" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [["check", "--select", "ZZZ"], ["check", "--format", "yaml"], ["explain", "ZZZ999"], ["nonsense"], ["check", "-x"]],
)
def test_bad_usage_exits_with_2(root: Path, arguments: list[str]) -> None:
    done = pinproof(*arguments, cwd=root)
    assert done.returncode == 2
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_called_from_another_program_it_leaves_that_one_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    frozen = gc.get_freeze_count()
    with pytest.raises(SystemExit):
        main(["list"])
    assert capsys.readouterr().out
    assert gc.get_freeze_count() == frozen


def test_explain_list_and_version() -> None:
    explained = pinproof("explain", "PIN001").stdout
    assert explained.startswith("PIN001 pins\n\nEvery place that says where a package comes from agrees.\n")
    assert explained.rstrip().endswith("It executes nothing.")
    listed = pinproof("list").stdout.splitlines()
    assert any(re.match(r"LCK001 +lock +executes ", line) for line in listed)
    assert re.fullmatch(r"pinproof \d+\.\d+\.\d+\n", pinproof("--version").stdout)


# ---- unusable input: a clear message and exit code 2, never a traceback ----


def broken(root: Path, kind: str) -> str:
    """Break the project in the way `kind` and return the beginning of the expected message."""
    lock, project = root / "uv.lock", root / "pyproject.toml"
    if kind in ("directory", "fifo", "link"):
        lock.unlink()
    match kind:
        case "no pyproject":
            project.unlink()
            return "pyproject.toml: is missing"
        case "no lock":
            lock.unlink()
            return "uv.lock: is missing"
        case "invalid TOML":
            lock.write_text("version = \n")
            return "uv.lock:1: is not valid TOML: "
        case "duplicate keys":
            lock.write_text("version = 1\nversion = 1\n")
            return "uv.lock:2: is not valid TOML: duplicate key"
        case "conflict markers":
            lock.write_text(f"<<<<<<< ours\n{LOCK}=======\n{LOCK}>>>>>>> theirs\n")
            return "uv.lock:1: holds merge conflict markers"
        case "directory":
            lock.mkdir()
            return "uv.lock: is a directory, expected a regular file"
        case "fifo":
            os.mkfifo(lock)
            return "uv.lock: is a FIFO, expected a regular file"
        case "not UTF-8":
            project.write_bytes(PROJECT.encode("utf-16"))
            return "pyproject.toml:1: is not UTF-8"
        case "empty":
            lock.write_text("")
            return "uv.lock: is empty"
        case "100 MB":
            lock.write_bytes(b"x" * 100_000_000)
            return "uv.lock:1: is not valid TOML: "
        case "deep nesting":
            lock.write_text("x = " + "[" * 200_000)
            return "uv.lock:1: is not valid TOML: "
        case "unknown version":
            lock.write_text(LOCK.replace("version = 1", "version = 2", 1))
            return "uv.lock:1: has schema version 2, expected 1"
        case "no version":
            lock.write_text("revision = 3\n")
            return "uv.lock:1: has no `version`, expected 1"
        case "link":
            (root.parent / "outside.lock").write_text(LOCK)
            lock.symlink_to("../outside.lock")
            return "uv.lock: leads out of the project"
        case "wrong type":
            lock.write_text('version = 1\npackage = "x"\n')
            return "uv.lock: `package` is a string, expected an array of tables"
    raise AssertionError(kind)


KINDS = [
    "no pyproject", "no lock", "invalid TOML", "duplicate keys", "conflict markers", "directory", "fifo", "not UTF-8",
    "empty", "100 MB", "deep nesting", "unknown version", "no version", "link", "wrong type",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_unusable_input(root: Path, kind: str) -> None:
    message = broken(root, kind)
    done = pinproof("check", "--static", cwd=root)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {message}"), done.stderr[:500]
    assert len(done.stderr) < 1000
    assert "Traceback" not in done.stderr


def test_a_path_that_is_no_project(tmp_path: Path) -> None:
    done = pinproof("check", tmp_path / "missing")
    assert done.returncode == 2
    assert "missing: does not exist" in done.stderr


# ---- text that tries to forge output ----

FORGED = "evil\\n::error file=x::forged\\r\\u001b[2K\\u202e##[error]forged"


def test_no_text_of_a_lock_can_forge_a_line(root: Path) -> None:
    lock = LOCK.replace(f"{A}#{A}", f"{B}#{B}").replace('name = "r"', f'name = "{FORGED}"')
    lock = lock.replace("https://github.com/o/r?rev=deadbeef", f"https://x/{FORGED}?rev=deadbeef")
    (root / "uv.lock").write_text(
        lock + f'\n[[package]]\nname = "{FORGED}"\nversion = "{FORGED}"\nsource = {{ git = "{FORGED}" }}\n'
    )
    for format_ in ("text", "json", "sarif", "gitlab", "junit", "markdown"):
        done = pinproof("check", "--static", "-v", "--format", format_, root)
        assert done.returncode == 1, format_
        for text in (done.stdout, done.stderr):
            for line in text.split("\n"):
                assert not line.lstrip().startswith(("::", "##[")), (format_, line)
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", text), format_
    lines = pinproof("check", "--static", "--format", "github", root).stdout.splitlines()
    commands = [line for line in lines if line.lstrip().startswith(("::", "##["))]
    assert all(re.match(r"::(error|warning|notice) ", line) for line in commands)
    assert not any(line.startswith("::error file=x::") for line in commands)


def test_no_file_name_can_forge_a_line(tmp_path: Path) -> None:
    folder = tmp_path / "x\n::error::forged"
    folder.mkdir()
    done = pinproof("check", folder)
    assert done.returncode == 2
    assert not any(line.startswith("::") for line in done.stderr.splitlines())


# ---- as installed ----


def test_the_policy_works_after_an_install_without_dependencies(tmp_path: Path) -> None:
    for folder in ("policy", "kernels", "verify"):
        shutil.copytree(ROOT / folder, tmp_path / "source" / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path / "source" / name)
    target = tmp_path / "site"
    install = [find_uv_bin(), "pip", "install", "--no-deps", "--target", str(target), str(tmp_path / "source")]
    subprocess.run([*install, "--python", sys.executable], check=True, capture_output=True)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules)\n"
        "from pinproof.policy import row_blocks; import pinproof.policy\n"
        "print(row_blocks(8), pinproof.policy.__file__.startswith(sys.argv[1]))\n"
        "print({n.partition('.')[0] for n in set(sys.modules) - before} - sys.stdlib_module_names)"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "2 True\n{'pinproof'}\n"
    assert {path.name for path in (target / "pinproof").iterdir()} == {"policy", "kernels", "verify"}
