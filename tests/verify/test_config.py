import datetime

import pytest

from pinproof.verify.config import Config, Ignore, Mention, Pin
from pinproof.verify.document import Document
from pinproof.verify.model import Finding, Location, Related, Severity

REV = "7bb37d608657e18a40de913d2cc3cd0448400336"
COMPLETE = f"""\
[tool.pinproof]
base = "origin/main"
fail-on = "warning"
require = ["policy"]
hosts = ["Wheels.example.org"]
[tool.pinproof.pins.FlashInfer_Python]
git = "https://github.com/local-inference-lab/flashinfer"
rev = "{REV.upper()}"
branch = "main"
contains = ["{"a" * 40}"]
api = ["m:C.f(x)"]
mutable = "reason"
[[tool.pinproof.mentions]]
pin = "flashinfer-python"
path = "Dockerfile"
template = "FLASHINFER_REV={{commit}}"
[tool.pinproof.tests]
policy = ["tests/policy"]
gpu = ["tests/gpu"]
[tool.pinproof.severity]
PIN004 = "warning"
PIN005 = "off"
[[tool.pinproof.ignore]]
code = "LCK007"
path = "uv.lock"
package = "Torch"
reason = "nightly index publishes no digests"
until = 2027-01-31
"""


def load(text: str) -> Config:
    return Config.load(Document("pyproject.toml", text.encode()))


def test_the_complete_configuration() -> None:
    config = load(COMPLETE)
    assert config.problems == ()
    assert (config.base, config.fail_on, config.require) == ("origin/main", Severity.WARNING, ("policy",))
    assert config.hosts == ("wheels.example.org",)
    assert config.pins == {
        "flashinfer-python": Pin(
            name="flashinfer-python",
            keys=("tool", "pinproof", "pins", "FlashInfer_Python"),
            git="https://github.com/local-inference-lab/flashinfer",
            rev=REV,
            branch="main",
            contains=("a" * 40,),
            api=("m:C.f(x)",),
            mutable="reason",
        )
    }
    assert config.mentions == (
        Mention(
            keys=("tool", "pinproof", "mentions", 0),
            pin="flashinfer-python",
            path="Dockerfile",
            template="FLASHINFER_REV={commit}",
        ),
    )
    assert config.tests == {"policy": ("tests/policy",), "gpu": ("tests/gpu",)}
    assert config.severity == {"PIN004": Severity.WARNING, "PIN005": None}
    assert config.ignores == (
        Ignore(
            location=Location("pyproject.toml", 23, 1),
            code="LCK007",
            path="uv.lock",
            package="torch",
            reason="nightly index publishes no digests",
            until=datetime.date(2027, 1, 31),
        ),
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[tool.pinproof]\nfail_on = 'error'", 2, "unknown key `tool.pinproof.fail_on`"),
        ("[tool.pinproof]\nfail-on = 'info'", 2, "`tool.pinproof.fail-on` is 'info', expected one of error, warning"),
        ("[tool.pinproof]\nrequire = 'gpu'", 2, "`tool.pinproof.require` is 'gpu', expected an array of strings"),
        ("[tool]\npinproof = 1", 2, "`tool.pinproof` is 1, expected a table"),
        ("[tool.pinproof]\npins = []", 2, "`tool.pinproof.pins` is an array, expected a table"),
        (
            "[tool.pinproof.pins.x]\nrevision = '1'",
            2,
            "unknown key `tool.pinproof.pins.x.revision`",
        ),
        (
            "[tool.pinproof.pins.x]\nrev = '7bb37d6'",
            2,
            "`tool.pinproof.pins.x.rev` is '7bb37d6', expected a full commit of 40 or 64 hexadecimal digits",
        ),
        (
            "[tool.pinproof.tests]\ngpu = ['../elsewhere']",
            2,
            "`tool.pinproof.tests.gpu` is an array, expected an array of paths inside the project",
        ),
        (
            "[tool.pinproof.tests]\ngpu = ['/etc']",
            2,
            "`tool.pinproof.tests.gpu` is an array, expected an array of paths inside the project",
        ),
        ("[[tool.pinproof.ignore]]\ncode = 'PIN001'", 1, "`ignore` has no `reason`"),
        (
            "[[tool.pinproof.ignore]]\ncode = 'PIN001'\nreason = ' '",
            3,
            "`tool.pinproof.ignore.0.reason` is ' ', expected a non-empty string",
        ),
        (
            "[[tool.pinproof.ignore]]\ncode = 'PIN001'\nreason = 'x'\nuntil = '2027-01-01'",
            4,
            "`tool.pinproof.ignore.0.until` is '2027-01-01', expected a date",
        ),
        (
            "[tool.pinproof.severity]\nPIN001 = 'none'",
            2,
            "`tool.pinproof.severity.PIN001` is 'none', expected one of error, warning, info, off",
        ),
        (
            "[[tool.pinproof.mentions]]\npin = 'x'\npath = 'D'\ntemplate = 'a'",
            4,
            "`tool.pinproof.mentions.0.template` is 'a', expected text around one of {commit}, {short} and {version}",
        ),
        (
            "[[tool.pinproof.mentions]]\npin = 'x'\npath = 'D'\ntemplate = '{commit}'",
            2,
            "no pin `x` is stated",
        ),
    ],
)
def test_every_problem_is_a_finding_at_its_line(text: str, line: int, message: str) -> None:
    problems = load(text).problems
    assert [(p.code, p.message, p.location) for p in problems] == [
        ("CFG001", message, Location("pyproject.toml", line, 1))
    ]


def test_what_cannot_be_used_does_not_hide_the_rest() -> None:
    config = load("[tool.pinproof]\nbase = 1\nrequire = ['gpu']\n[tool.pinproof.pins.x]\nrev = 'z'\ngit = 'u'")
    assert config.require == ("gpu",)
    assert config.base is None
    assert config.pins["x"].git == "u"
    assert config.pins["x"].rev is None
    assert len(config.problems) == 2


def test_an_ignore_matches_by_code_package_and_any_place() -> None:
    finding = Finding(
        code="LCK007",
        message="m",
        location=Location("pyproject.toml", 1, 1),
        related=(Related(Location("uv.lock", 2, 1), "r"),),
        package="torch",
    )
    ignore = load(COMPLETE).ignores[0]
    assert ignore.matches(finding)
    here = Location("pyproject.toml")
    assert not Ignore(location=here, code="LCK008", reason="r").matches(finding)
    assert not Ignore(location=here, code="LCK007", reason="r", package="numpy").matches(finding)
    assert not Ignore(location=here, code="LCK007", reason="r", path="uv.toml").matches(finding)
    assert Ignore(location=here, code="LCK007", reason="r").matches(finding)
