"""Files are replaced whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from explorer.errors import CannotCreate, CannotWrite, DiskFull
from explorer.files import cannot_write, make_folder, replacing
from explorer.lang import Words


def test_a_block_that_ends_well_replaces_the_file(tmp_path: Path) -> None:
    """The temporary file lies beside it, with the same ending, and is gone afterwards."""
    path = tmp_path / "名字.txt"
    path.write_text("old")
    with replacing(path) as unfinished:
        assert (unfinished.parent, unfinished.suffix) == (tmp_path, ".txt")
        unfinished.write_text("new")
        assert path.read_text() == "old"

    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError("a bug"), KeyboardInterrupt()])
def test_a_block_that_fails_leaves_the_old_file(tmp_path: Path, error: BaseException) -> None:
    """What it raised goes on as it is; nothing is left beside."""
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(type(error)), replacing(path) as unfinished:
        unfinished.write_text("half")
        raise error

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_a_full_disk_is_told_as_such(tmp_path: Path) -> None:
    """The system's own error, from the device that is always full."""
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(DiskFull) as caught, replacing(path):
        Path("/dev/full").write_text("more")

    assert str(path) in Words.load("zh").error(caught.value)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_vanished_in_the_block_is_told(tmp_path: Path) -> None:
    """Somebody cleaned up while it was written."""
    with pytest.raises(CannotWrite), replacing(tmp_path / "x.txt") as unfinished:
        unfinished.unlink()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["missing/x", "file/x", "folder", "a" * 300, "nul\0"])
def test_where_nothing_can_be_written_the_block_is_not_entered(tmp_path: Path, name: str) -> None:
    """The reason is the system's, in words."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CannotWrite) as caught, replacing(tmp_path / name) as unfinished:
        unfinished.write_text("x" * 10)

    assert caught.value.values["reason"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    """Root may put a plain file in the place of /dev/null; a pipe stands for it here."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(CannotWrite), replacing(pipe):
        pytest.fail("the block must not be entered")

    assert pipe.is_fifo()


def test_the_file_has_the_users_own_rights(tmp_path: Path) -> None:
    """Those of any new file, not the narrow ones of a temporary file."""
    before = os.umask(0o027)
    try:
        with replacing(tmp_path / "x") as unfinished:
            unfinished.write_text("x")
    finally:
        os.umask(before)

    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640


def test_folders_are_made(tmp_path: Path) -> None:
    """With those above them; one that is there stays."""
    assert make_folder(tmp_path / "a" / "b") == make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    """The sentence names it and the reason."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(CannotCreate) as caught:
        make_folder(tmp_path / "file" / "sub")

    sentence = Words.load("en").error(caught.value)
    assert str(tmp_path / "file" / "sub") in sentence
    assert os.strerror(errno.ENOTDIR) in sentence


def test_an_error_without_words_gives_its_own() -> None:
    """Not every OSError has a number."""
    assert cannot_write(Path("x"), OSError("odd")).values["reason"] == "odd"
    assert type(cannot_write(Path("x"), OSError(errno.ENOSPC, "full"))) is DiskFull
