from collections.abc import Callable
from pathlib import Path

import pytest

from pinproof.verify import InputError
from pinproof.verify.project import Project

Write = Callable[..., Path]
PROJECT = '[project]\nname = "demo"\nversion = "1"\n'
LOCK = """\
version = 1
[[package]]
name = "demo"
source = { virtual = "." }
[[package]]
name = "below"
source = { editable = "libs/below" }
[[package]]
name = "beside"
source = { directory = "../beside" }
[[package]]
name = "absent"
source = { editable = "absent" }
[[package]]
name = "absolute"
source = { editable = "/etc" }
"""


def test_members_are_read_as_far_as_the_checkout_reaches(write_project: Write) -> None:
    files = {"root/pyproject.toml": PROJECT, "root/uv.lock": LOCK}
    files |= {"root/libs/below/pyproject.toml": PROJECT, "beside/pyproject.toml": PROJECT}
    folder = write_project(files)
    alone = Project.load(folder / "root").members
    assert {name: member.document is not None for name, member in alone.items()} == {
        ".": True,
        "libs/below": True,
        "../beside": False,
        "absent": False,
        "/etc": False,
    }
    (folder / ".git").mkdir()
    assert Project.load(folder / "root").members["../beside"].document is not None


def test_a_member_that_leads_out_of_the_checkout_is_refused(write_project: Write, tmp_path: Path) -> None:
    folder = write_project({"pyproject.toml": PROJECT, "uv.lock": LOCK})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "pyproject.toml").write_text(PROJECT)
    (folder / "absent").symlink_to(tmp_path / "outside")
    with pytest.raises(InputError, match=r"^absent/pyproject.toml: leads out of the project$"):
        _ = Project.load(folder).members


@pytest.mark.parametrize(
    ("name", "place"), [("libs/below/pyproject.toml", "libs/below/pyproject.toml:1"), ("uv.toml", "uv.toml:1")]
)
def test_a_file_beside_the_two_is_as_unusable_as_they_are(write_project: Write, name: str, place: str) -> None:
    folder = write_project({"pyproject.toml": PROJECT, "uv.lock": LOCK, name: "x = ["})
    with pytest.raises(InputError, match=rf"^{place}: is not valid TOML: "):
        Project.load(folder)


def test_the_folder_of_a_member_names_the_workspace(write_project: Write) -> None:
    folder = write_project({"pyproject.toml": PROJECT, "uv.lock": LOCK, "libs/below/pyproject.toml": PROJECT})
    (folder / ".git").mkdir()
    with pytest.raises(InputError, match=r"^uv.lock: is missing$") as caught:
        Project.load(folder / "libs" / "below")
    assert caught.value.hint == f"a workspace has one lock: check {folder}, or create one here with `uv lock`"
    (folder / "uv.lock").unlink()
    with pytest.raises(InputError) as caught:
        Project.load(folder)
    assert caught.value.hint == "create it with `uv lock`, or name the workspace's root"
