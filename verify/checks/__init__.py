"""Every check, in the order of the report. Adding one: a module beside this file, a line here, a test.

A module has the name of its check, with underscores.
"""

from __future__ import annotations

from ..model import Check, Severity

CHECKS: tuple[Check, ...] = (
    Check("CFG001", "configuration", "[tool.pinproof] has no unknown, wrong or stale entry"),
    Check(
        "PIN001",
        "pins",
        "declared, recorded, locked and stated sources agree on repository, commit, subdirectory and kind",
    ),
    Check("PIN002", "immutable-references", "git sources are declared by full commit", severity=Severity.WARNING),
    Check(
        "PIN003",
        "effective-declarations",
        "every declared source has an effect and can be locked",
        severity=Severity.WARNING,
    ),
    Check("PRV001", "reachable", "the pinned commit is on the stated branch and contains the stated commits"),
    Check("PRV002", "api", "the pinned commit has the interface that this project calls"),
    Check("PRV003", "installed", "the environment holds what is locked, and the reviewed commit of every pin"),
    Check("PRV004", "mentions", "every place that names a pin or a locked release names the one that is locked"),
    Check(
        "PRV005",
        "stacked",
        "the branch under check leads to the target, not only to another branch",
        severity=Severity.WARNING,
        in_git=True,
    ),
    Check("LCK010", "edges", "every dependency edge leads to exactly one entry"),
    Check(
        "LCK011",
        "members",
        "the edges of local packages are those that their requirements ask for",
        requires=("edges",),
    ),
    Check("LCK012", "versions", "every locked version satisfies the specifiers that apply to it", requires=("edges",)),
    Check(
        "LCK013",
        "orphans",
        "every entry can be reached from the project",
        severity=Severity.WARNING,
        requires=("edges",),
    ),
    Check("LCK014", "requirements", "the recorded requirements are those that pyproject.toml declares"),
    Check("LCK015", "manifest", "the lock's manifest and options are what pyproject.toml sets"),
    Check("LCK016", "python-range", "the lock is for the versions of Python that the project declares"),
    Check("LCK017", "revision", "the lock's revision fits what is in it"),
    Check("LCK018", "forks", "every marker of the lock can be true"),
    Check("LCK020", "file-names", "the name of every file fits the package, version and kind of its entry"),
    Check("LCK021", "digests", "every file has a strong digest and a sane size, as its neighbours have"),
    Check("LCK022", "urls", "no URL has user information, a look-alike host, plain http or a port"),
    Check(
        "LCK023",
        "hosts",
        "packages and files come from where the others come from, or from where the project says",
        severity=Severity.WARNING,
    ),
    Check("LCK024", "source-kinds", "no package comes from a kind of source that nobody declared"),
    Check("LCK050", "cache-witness", "uv's own cache says of its files what the lock says"),
    Check("LCK040", "changed-files", "no file changed under its name since the base", opt_in="base"),
    Check("LCK041", "moved-packages", "no package moved since the base without a declared change", opt_in="base"),
    Check(
        "LCK042",
        "downgrades",
        "no version went down since the base while nothing asked for it",
        severity=Severity.WARNING,
        opt_in="base",
    ),
    Check(
        "LCK043",
        "new-hosts",
        "no file comes from a host that the base did not know and nobody declares",
        severity=Severity.WARNING,
        opt_in="base",
    ),
    Check("LCK060", "registry", "the indexes still say of every file what the lock says", opt_in="online"),
    Check("CHG001", "whitespace", "the change adds no whitespace errors and no conflict markers", opt_in="base"),
    Check("CHG002", "unicode", "the change adds no text that reads otherwise than it is", opt_in="base"),
    Check(
        "CHG003", "sign-off", "every commit of the change is signed off by its author, where asked for", opt_in="base"
    ),
    Check("CHG004", "policy-rows", "a changed row of the launch policy has a measurement behind it", opt_in="base"),
    Check(
        "LCK001",
        "lock",
        "`uv lock --check --offline` finds uv.lock up to date; not run where uv cannot decide offline",
        executes=True,
    ),
    Check("POL001", "policy", "the five reviewed cases of the launch policy hold"),
    Check("POL003", "policy-tables", "every measured policy table is valid, and says what its evidence says"),
    Check("POL002", "policy-tests", "the project's own policy tests pass, counted one by one", executes=True),
    Check("GPU001", "gpu", "the tests marked gpu ran on a CUDA device and passed", executes=True),
)
