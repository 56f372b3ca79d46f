import os
from pathlib import Path

import pytest

from pinproof.verify.files import InputError, read_regular, write_whole


def test_a_regular_file_and_a_link_inside_the_root_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"data")
    (tmp_path / "b").symlink_to("a")
    assert read_regular(tmp_path, "a") == b"data"
    assert read_regular(tmp_path, "b") == b"data"


def test_what_is_no_regular_file_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside").write_bytes(b"secret")
    (root / "out").symlink_to("../outside")
    (root / "away").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    (root / "device").symlink_to("/dev/zero")
    (root / "folder").mkdir()
    os.mkfifo(root / "fifo")
    expected = {
        "out": "out: leads out of the project",
        "away": "away: is a symbolic link to a file that does not exist",
        "device": "device: leads out of the project",
        "folder": "folder: is a directory, expected a regular file",
        "fifo": "fifo: is a FIFO, expected a regular file",
    }
    for name, message in expected.items():
        with pytest.raises(InputError) as caught:
            read_regular(root, name)
        assert str(caught.value) == message
    with pytest.raises(InputError, match="loop: cannot be read"):
        read_regular(root, "loop")


def test_the_size_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_regular(tmp_path, "a", limit=5) == b"12345"
    with pytest.raises(InputError, match="a: has 5 bytes, more than the limit of 4"):
        read_regular(tmp_path, "a", limit=4)


@pytest.mark.parametrize("name", ["a", "a" * 5000, "file/a", "a\0b"])
def test_a_missing_file_is_told_apart(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path, name)


def test_write_whole_replaces_and_keeps_the_mode(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_write_whole_leaves_the_old_file_when_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x").write_bytes(b"old")
    with pytest.raises(InputError, match="cannot be written"):
        write_whole(tmp_path / "folder", b"new")
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        write_whole(tmp_path / "missing" / "a", b"new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder"]
    assert (tmp_path / "folder" / "x").read_bytes() == b"old"
