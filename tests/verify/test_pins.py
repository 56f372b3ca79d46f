"""The places that name a source agree: on published projects, on this one, and on small ones written for one trap."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from uv import find_uv_bin

from pinproof.verify import Finding, Options, Report, Status, check
from pinproof.verify.project import Project

ROOT = Path(__file__).resolve().parents[2]
A = "7bb37d608657e18a40de913d2cc3cd0448400336"
B = "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef"
REPO = "https://github.com/o/r"
Write = Callable[..., Path]


def pins(root: Path) -> Report:
    return check(root, options=Options(static=True), select=["PIN001"])


def places(finding: Finding) -> set[str]:
    found = {str(related.location) for related in finding.related}
    return found | ({str(finding.location)} if finding.location else set())


# ---- published projects ----

PUBLISHED = {
    "NVIDIA-NeMo__Export-Deploy@cf601c6851": {
        "megatron-core": {"pyproject.toml:92:70", "uv.lock:3128:12", "uv.lock:3629:5"}
    },
    "PrimeIntellect-ai__prime-rl@390206faf0": {
        "verifiers": {"pyproject.toml:57:62", "uv.lock:3230:12", "uv.lock:2150:5"}
    },
    "OpenPipe__ART@9bbb3260d3": {
        "unsloth": {"pyproject.toml:57:13", "uv.lock:5848:12", "uv.lock:3371:5"},
        "unsloth-zoo": {"pyproject.toml:58:17", "uv.lock:5882:12", "uv.lock:3372:5"},
    },
    "rllm-org__rllm@e3cb8137fa": {"tinker-cookbook": {"pyproject.toml:91:5"}},
}


def test_every_published_disagreement_is_found_and_no_other(corpus: Path) -> None:
    found = {}
    locks = sorted(corpus.rglob("uv.lock"))
    assert len(locks) == 30
    for lock in locks:
        report = pins(lock.parent)
        if report.findings:
            name = lock.relative_to(corpus).parts[0]
            found[name] = {finding.package: places(finding) for finding in report.findings}
    assert found == PUBLISHED


# ---- this project ----

EDGES = rf'(name = "flashinfer-python", version = "0.7.2", source = \{{ git = "[^"]*\?rev=){A}#{A}'
ENTRY = r'(?m)(^source = \{ git = "https://github.com/local-inference-lab/flashinfer\?rev=)[0-9a-f]{40}#[0-9a-f]{40}'
RECORDED = rf'(name = "flashinfer-python", marker = "extra == \'gpu\'", git = "[^"]*rev=){A}'


def edited(tmp_path: Path, *, project: tuple[str, str] | None = None, lock: list[tuple[str, str]]) -> Path:
    root = tmp_path / "edited"
    root.mkdir()
    text = (ROOT / "pyproject.toml").read_text()
    if project:
        text, count = re.subn(*project, text)
        assert count == 1
    (root / "pyproject.toml").write_text(text)
    locked = (ROOT / "uv.lock").read_text()
    for pattern, replacement in lock:
        locked, count = re.subn(pattern, replacement, locked)
        assert count >= 1, pattern
    (root / "uv.lock").write_text(locked)
    return root


def lines_with(root: Path, pattern: str) -> set[str]:
    """`file:line` of every line of the two files that matches."""
    return {
        f"{name}:{number}"
        for name in ("pyproject.toml", "uv.lock")
        for number, line in enumerate((root / name).read_text().splitlines(), 1)
        if re.search(pattern, line)
    }


def named_lines(report: Report) -> set[str]:
    return {place.rpartition(":")[0] for finding in report.findings for place in places(finding)}


def test_this_project_agrees(tmp_path: Path) -> None:
    report = pins(edited(tmp_path, lock=[]))
    assert report.findings == ()
    assert report.outcomes[0].status is Status.PASSED


@pytest.mark.parametrize(
    ("project", "lock", "changed"),
    [
        ((rf'(flashinfer", rev = "){A}', rf"\g<1>{B}"), [], rf'flashinfer", rev = "{B}'),
        (None, [(ENTRY, rf"\g<1>{B}#{B}")], f"^source = .*{B}"),
        (
            None,
            [(r'(?m)(^source = \{ git = ")https://github.com/local-inf', r"\1https://evil.example/local-inf")],
            "evil.example",
        ),
        (None, [(ENTRY, rf"\g<1>{B}#{B}"), (EDGES, rf"\g<1>{B}#{B}")], f"#{B}"),
        (None, [(RECORDED, rf"\g<1>{B}")], f"git = .*{B}"),
        (
            None,
            [
                (r'(?m)^source = \{ git = "[^"]*" \}', 'source = { registry = "https://registry.example/simple" }'),
                (
                    r'(name = "flashinfer-python", version = "0.7.2", source = )\{ git = "[^"]*" \}',
                    r'\1{ registry = "https://registry.example/simple" }',
                ),
            ],
            "registry.example",
        ),
    ],
    ids=["pyproject", "entry", "host", "entry and edges", "recorded", "registry"],
)
def test_each_edit_of_this_project_is_named_with_every_line(
    tmp_path: Path, project: tuple[str, str] | None, lock: list[tuple[str, str]], changed: str
) -> None:
    root = edited(tmp_path, project=project, lock=lock)
    before = (root / "uv.lock").read_bytes()
    report = pins(root)
    assert report.exit_code == 1
    assert {finding.package for finding in report.findings} == {"flashinfer-python"}
    assert lines_with(root, changed)
    assert lines_with(root, changed) <= named_lines(report)
    assert lines_with(root, r'^    \{ git = .*rev = .*extra = "gpu"') <= named_lines(report)
    assert lines_with(root, r"^source = .*(flashinfer|registry.example)") <= named_lines(report)
    assert (root / "uv.lock").read_bytes() == before


# ---- the same on a small project that real uv locked, and that uv still accepts ----

SMALL = f"""\
[project]
name = "demo"
version = "1"
requires-python = ">=3.11"
dependencies = ["flashinfer-python"]
[tool.uv.sources]
flashinfer-python = {{ git = "{REPO}", rev = "{A}" }}
[[tool.uv.dependency-metadata]]
name = "flashinfer-python"
version = "1"
"""


def uv_accepts(root: Path, cache: Path) -> bool:
    command = [find_uv_bin(), "lock", "--check", "--offline", "--cache-dir", str(cache)]
    return subprocess.run(command, cwd=root, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small")
    (root / "pyproject.toml").write_text(SMALL)
    command = [find_uv_bin(), "lock", "--offline", "--cache-dir", str(root / ".cache")]
    subprocess.run(command, cwd=root, capture_output=True, check=True)
    return root


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (f"?rev={A}#{A}", f"?rev={B}#{B}", "source = "),
        ('source = { git = "https://github.com', 'source = { git = "https://evil.example', "source = "),
        (f'{{ git = "{REPO}?rev={A}#{A}" }}', '{ registry = "https://registry.example/simple" }', "source = "),
    ],
    ids=["commit", "host", "registry"],
)
def test_edits_that_uv_accepts_are_found(tmp_path: Path, small: Path, old: str, new: str, line: str) -> None:
    root = tmp_path / "copy"
    shutil.copytree(small, root, ignore=shutil.ignore_patterns(".cache"))
    text = (root / "uv.lock").read_text()
    assert text.count(old) == 1
    (root / "uv.lock").write_text(text.replace(old, new))
    assert uv_accepts(root, tmp_path / "cache")
    report = pins(root)
    assert report.exit_code == 1
    number = next(
        n for n, t in enumerate((root / "uv.lock").read_text().splitlines(), 1) if line in t and "vir" not in t
    )
    assert {"pyproject.toml:7", f"uv.lock:{number}"} <= named_lines(report)


# ---- traps: none of these is a disagreement ----


def lock_text(locked: str, recorded: str = "", *, name: str = "r", more: str = "") -> str:
    metadata = f"[package.metadata]\nrequires-dist = [{recorded}]\n" if recorded else ""
    return (
        'version = 1\nrevision = 3\nrequires-python = ">=3.11"\n\n[[package]]\nname = "demo"\nversion = "1"\n'
        f'source = {{ virtual = "." }}\ndependencies = [{{ name = "{name}" }}]\n{metadata}\n'
        f'[[package]]\nname = "{name}"\nversion = "1"\nsource = {{ {locked} }}\n{more}'
    )


def project_text(sources: str, *, dependencies: str = '"r"', more: str = "") -> str:
    return (
        '[project]\nname = "demo"\nversion = "1"\nrequires-python = ">=3.11"\n'
        f"dependencies = [{dependencies}]\n{more}\n"
        f"[tool.uv.sources]\n{sources}\n"
    )


def git(query: str, commit: str = "", *, url: str = REPO) -> str:
    return f'git = "{url}{query}{"#" + commit if commit else ""}"'


R_A = f'r = {{ git = "{REPO}", rev = "{A}" }}'
RECORDED_A = f'{{ name = "r", {git(f"?rev={A}")} }}'
TRAPS = {
    "a tag in rev": (
        project_text(f'r = {{ git = "{REPO}", rev = "v1" }}'),
        lock_text(git("?rev=v1", A), f'{{ name = "r", {git("?rev=v1")} }}'),
    ),
    "a tag": (
        project_text(f'r = {{ git = "{REPO}", tag = "v1" }}'),
        lock_text(git("?tag=v1", A), f'{{ name = "r", {git("?tag=v1")} }}'),
    ),
    "a short commit": (
        project_text(f'r = {{ git = "{REPO}", rev = "7bb37d6" }}'),
        lock_text(git("?rev=7bb37d6", A), f'{{ name = "r", {git("?rev=7bb37d6")} }}'),
    ),
    "PEP 508 @v1": (
        project_text("", dependencies=f'"r @ git+{REPO}@v1"'),
        lock_text(git("?rev=v1", A), f'{{ name = "r", {git("?rev=v1")} }}'),
    ),
    "PEP 508 without a space before the marker": (
        project_text("", dependencies=f"\"r @ git+{REPO}@v1; sys_platform == 'linux'\""),
        lock_text(git("?rev=v1", A), f'{{ name = "r", {git("?rev=v1")} }}'),
    ),
    "no reference": (
        project_text(f'r = {{ git = "{REPO}" }}'),
        lock_text(git("", A), f'{{ name = "r", {git("")} }}'),
    ),
    "percent-encoding and order": (
        project_text(f'r = {{ git = "{REPO}", branch = "leo/v4", subdirectory = "a/b" }}'),
        lock_text(
            git("?subdirectory=a%2Fb&branch=leo%2Fv4", A),
            f'{{ name = "r", {git("?subdirectory=a%2Fb&branch=leo%2Fv4")} }}',
        ),
    ),
    "git+ and a leading space": (
        project_text(f'r = {{ git = " git+{REPO}", rev = "{A}" }}'),
        lock_text(git(f"?rev={A}", A), f'{{ name = "r", {git(f"?rev={A}")} }}'),
    ),
    ".git, a slash, the case of the owner, an upper-case commit": (
        project_text(f'r = {{ git = "https://GitHub.com/O/R.git/", rev = "{A.upper()}" }}'),
        lock_text(git(f"?rev={A}", A), f'{{ name = "r", {git(f"?rev={A}")} }}'),
    ),
    "a source beats a PEP 508 URL": (
        project_text(f'r = {{ git = "{REPO}", rev = "{A}" }}', dependencies='"r @ git+https://github.com/fork/r@main"'),
        lock_text(git(f"?rev={A}", A), f'{{ name = "r", {git(f"?rev={A}")} }}'),
    ),
    "an override beats a dependency": (
        project_text(
            "",
            dependencies=f'"r @ git+{REPO}@v1"',
            more=f'[tool.uv]\noverride-dependencies = ["r @ git+{REPO}@v2"]',
        ),
        lock_text(git("?rev=v2", A), f'{{ name = "r", {git("?rev=v1")} }}').replace(
            "\n[[package]]", f'\n[manifest]\noverrides = [{{ name = "r", {git("?rev=v2")} }}]\n\n[[package]]', 1
        ),
    ),
    "an unused source": (
        project_text(f'r = {{ git = "{REPO}", rev = "{A}" }}\nunused = {{ git = "{REPO}2" }}'),
        lock_text(git(f"?rev={A}", A), f'{{ name = "r", {git(f"?rev={A}")} }}'),
    ),
    "names are normalised": (
        project_text(f'Deep_EP = {{ git = "{REPO}", rev = "{A}" }}', dependencies='"deep.ep"'),
        lock_text(git(f"?rev={A}", A), f'{{ name = "deep-ep", {git(f"?rev={A}")} }}', name="deep-ep"),
    ),
    "two commits by marker": (
        project_text(
            f'r = [{{ git = "{REPO}", rev = "{A}", marker = "sys_platform == \'linux\'" }},'
            f'{{ git = "{REPO}", rev = "{B}", marker = "sys_platform != \'linux\'" }}]'
        ),
        lock_text(
            git(f"?rev={A}", A),
            f'{{ name = "r", {git(f"?rev={A}")} }}, {{ name = "r", {git(f"?rev={B}")} }}',
            more=f'[[package]]\nname = "r"\nversion = "1"\nsource = {{ {git(f"?rev={B}", B)} }}\n',
        ),
    ),
    "git and registry by marker": (
        project_text(f'r = [{{ git = "{REPO}", rev = "{A}", marker = "sys_platform == \'linux\'" }}]'),
        lock_text(
            git(f"?rev={A}", A),
            f'{{ name = "r", {git(f"?rev={A}")} }}, {{ name = "r" }}',
            more='[[package]]\nname = "r"\nversion = "1"\nsource = { registry = "https://registry.example/simple" }\n',
        ),
    ),
    "a local version that names another commit": (
        project_text(f'r = {{ git = "{REPO}", rev = "{A}" }}'),
        lock_text(git(f"?rev={A}", A), f'{{ name = "r", {git(f"?rev={A}")} }}').replace(
            'name = "r"\nversion = "1"', 'name = "r"\nversion = "1+9edee0c"'
        ),
    ),
    "no metadata, as revision 4 writes": (
        project_text(f'r = {{ git = "{REPO}", rev = "{A}" }}'),
        lock_text(git(f"?rev={A}", A)),
    ),
    "distribution tables of 2024": (
        project_text(f'r = {{ git = "{REPO}", rev = "{A}" }}'),
        lock_text(git(f"?rev={A}", A)).replace("[[package]]", "[[distribution]]").replace("revision = 3\n", ""),
    ),
    "dynamic dependencies": (
        (
            '[project]\nname = "demo"\ndynamic = ["version", "dependencies"]\n'
            f'[tool.uv.sources]\nr = {{ git = "{REPO}", rev = "{A}" }}\n'
        ),
        lock_text(git(f"?rev={A}", A), f'{{ name = "r", {git(f"?rev={A}")} }}'),
    ),
    "an absent member": (
        project_text("r = { workspace = true }", more='[tool.uv.workspace]\nmembers = ["r"]'),
        lock_text('editable = "r"', '{ name = "r", editable = "r" }'),
    ),
    "a path above the project": (
        project_text('r = { path = "../r", editable = true }'),
        lock_text('editable = "../r"', '{ name = "r", editable = "../r" }'),
    ),
    "a virtual root without [project]": (
        f'[dependency-groups]\ndev = ["r"]\n[tool.uv.sources]\nr = {{ git = "{REPO}", rev = "{A}" }}\n',
        (
            'version = 1\n[manifest.dependency-groups]\ndev = [{ name = "r", '
            f'{git(f"?rev={A}")} }}]\n[[package]]\nname = "r"\nversion = "1"\nsource = {{ {git(f"?rev={A}", A)} }}\n'
        ),
    ),
    "CRLF and a byte order mark": (
        project_text(f'r = {{ git = "{REPO}", rev = "{A}" }}').replace("\n", "\r\n"),
        "\ufeff" + lock_text(git(f"?rev={A}", A), f'{{ name = "r", {git(f"?rev={A}")} }}').replace("\n", "\r\n"),
    ),
    "an included group": (
        (
            '[project]\nname = "demo"\nversion = "1"\n[dependency-groups]\na = ["r"]\n'
            'b = [{ include-group = "a" }]\n'
            f'[tool.uv.sources]\nr = {{ git = "{REPO}", rev = "{A}", group = "b" }}\n'
        ),
        lock_text(git(f"?rev={A}", A)),
    ),
    "legacy dev-dependencies": (
        (
            f'[project]\nname = "demo"\nversion = "1"\n[tool.uv]\ndev-dependencies = ["r"]\n'
            f'[tool.uv.sources]\nr = {{ git = "{REPO}", rev = "{A}" }}\n'
        ),
        lock_text(git(f"?rev={A}", A)).replace(
            '\n\n[[package]]\nname = "r"',
            f'\n[package.metadata.requires-dev]\ndev = [{RECORDED_A}]\n\n[[package]]\nname = "r"',
        ),
    ),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_traps_raise_no_alarm(write_project: Write, trap: str) -> None:
    project, lock = TRAPS[trap]
    report = pins(write_project({"pyproject.toml": project, "uv.lock": lock}))
    assert [finding.message for finding in report.findings] == []
    assert report.outcomes[0].status is Status.PASSED


# ---- and these are ----

DAMAGE = {
    "another fragment": (
        project_text(R_A),
        lock_text(git(f"?rev={A}", B), RECORDED_A),
        "r: another commit is locked than declared",
    ),
    "a short commit and another fragment": (
        project_text(f'r = {{ git = "{REPO}", rev = "7bb37d6" }}'),
        lock_text(git("?rev=7bb37d6", B), f'{{ name = "r", {git("?rev=7bb37d6")} }}'),
        "r: another commit is locked than declared",
    ),
    "an owner": (
        project_text(R_A),
        lock_text(git(f"?rev={A}", A, url="https://github.com/evil/r"), RECORDED_A),
        "r: another repository is locked than declared",
    ),
    "plain http": (
        project_text(R_A),
        lock_text(git(f"?rev={A}", A, url="http://github.com/o/r"), RECORDED_A),
        "r: another repository is locked than declared",
    ),
    "a subdirectory": (
        project_text(R_A),
        lock_text(git(f"?subdirectory=evil&rev={A}", A), RECORDED_A),
        "r: another subdirectory is locked than declared",
    ),
    "large file storage": (
        project_text(R_A),
        lock_text(git(f"?lfs=true&rev={A}", A), RECORDED_A),
        "r: another large file storage is locked than declared",
    ),
    "a branch instead of a commit": (
        project_text(R_A),
        lock_text(git("?branch=main", B), RECORDED_A),
        "r: another commit is locked than declared",
    ),
    "a URL instead of git": (
        project_text(R_A),
        lock_text('url = "https://evil.example/r-1-py3-none-any.whl"', RECORDED_A),
        "r: another kind of source is locked than declared",
    ),
    "another archive": (
        project_text('r = { url = "https://example.org/r-1-py3-none-any.whl" }'),
        lock_text(
            'url = "https://evil.example/r-1-py3-none-any.whl"',
            '{ name = "r", url = "https://example.org/r-1-py3-none-any.whl" }',
        ),
        "r: another URL is locked than declared",
    ),
    "another folder": (
        project_text('r = { path = "r" }'),
        lock_text('directory = "../evil"', '{ name = "r", directory = "r" }'),
        "r: another path is locked than declared",
    ),
    "recorded only": (
        project_text(R_A),
        lock_text(git(f"?rev={A}", A), f'{{ name = "r", {git(f"?rev={B}")} }}'),
        "r: another commit is recorded than declared",
    ),
    "a source taken away": (
        project_text(""),
        lock_text(git(f"?rev={A}", A), RECORDED_A),
        "r: uv.lock records a source that pyproject.toml does not declare",
    ),
    "an edge of its own": (
        project_text(R_A),
        lock_text(git(f"?rev={A}", A), RECORDED_A).replace(
            '[{ name = "r" }]', f'[{{ name = "r", version = "1", source = {{ {git(f"?rev={B}", B)} }} }}]'
        ),
        "r: a dependency edge names a source that no entry has",
    ),
    "a stated commit that all places contradict": (
        project_text(f'r = {{ git = "{REPO}", rev = "{B}" }}\n[tool.pinproof.pins.r]\nrev = "{A}"'),
        lock_text(git(f"?rev={B}", B), f'{{ name = "r", {git(f"?rev={B}")} }}'),
        "r: another commit than the reviewed one",
    ),
    "a stated repository that all places contradict": (
        project_text(f'{R_A}\n[tool.pinproof.pins.r]\ngit = "https://github.com/p/r"'),
        lock_text(git(f"?rev={A}", A), RECORDED_A),
        "r: another repository than the reviewed one",
    ),
    "a stated pin that is a release": (
        project_text(f'\n[tool.pinproof.pins.r]\nrev = "{A}"'),
        lock_text('registry = "https://registry.example/simple"', '{ name = "r" }'),
        "r is stated as a git pin, and not declared as one",
    ),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_each_disagreement_is_named(write_project: Write, case: str) -> None:
    project, lock, message = DAMAGE[case]
    report = pins(write_project({"pyproject.toml": project, "uv.lock": lock}))
    assert message in [finding.message for finding in report.findings]
    assert report.exit_code == 1


def test_members_and_their_inherited_sources_are_compared(write_project: Write) -> None:
    member = '[project]\nname = "m"\nversion = "1"\ndependencies = ["r"]\n'
    lock = (
        'version = 1\n[manifest]\nmembers = ["demo", "m"]\n[[package]]\nname = "demo"\nversion = "1"\n'
        'source = { virtual = "." }\n[[package]]\nname = "m"\nversion = "1"\nsource = { editable = "m" }\n'
        f'dependencies = [{{ name = "r" }}]\n[package.metadata]\nrequires-dist = [{RECORDED_A}]\n'
        f'[[package]]\nname = "r"\nversion = "1"\nsource = {{ {git(f"?rev={A}", A)} }}\n'
    )
    project = project_text(R_A, dependencies="", more='[tool.uv.workspace]\nmembers = ["m"]')
    files = {"pyproject.toml": project, "m/pyproject.toml": member, "uv.lock": lock}
    assert pins(write_project(files)).findings == ()
    broken = files | {"uv.lock": lock.replace(f"{A}#{A}", f"{B}#{B}")}
    (finding,) = pins(write_project(broken)).findings
    assert finding.message == "r: another commit is locked than declared"
    assert places(finding) == {"pyproject.toml:9:39", "uv.lock:14:18", "uv.lock:18:12"}


def test_a_member_beside_the_project_names_it_by_its_folder(write_project: Write) -> None:
    """In a checkout the folder beside is read: from there `../app` is the project itself."""
    root = write_project(
        {
            "app/pyproject.toml": '[project]\nname = "app"\nversion = "1"\ndependencies = ["lib"]\n'
            '[tool.uv.sources]\nlib = { path = "../lib", editable = true }\n',
            "lib/pyproject.toml": '[project]\nname = "lib"\nversion = "1"\n[dependency-groups]\ndev = ["app"]\n'
            '[tool.uv.sources]\napp = { path = "../app", editable = true }\n',
            "app/uv.lock": """\
version = 1
[[package]]
name = "app"
version = "1"
source = { editable = "." }
dependencies = [{ name = "lib" }]
[package.metadata]
requires-dist = [{ name = "lib", editable = "../lib" }]
[[package]]
name = "lib"
version = "1"
source = { editable = "../lib" }
[package.metadata.requires-dev]
dev = [{ name = "app", editable = "." }]
""",
        }
    )
    (root / ".git").mkdir()
    report = pins(root / "app")
    assert report.findings == ()
    assert "app" in {member.name for member in Project.load(root / "app").members.values()}
    lock = root / "app/uv.lock"
    lock.write_text(lock.read_text().replace('editable = "."', 'editable = "elsewhere"'))
    assert "app" in {finding.package for finding in pins(root / "app").findings}
