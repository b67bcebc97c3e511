"""Files are replaced whole or not at all."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.errors import CannotCreate, CannotRead, CannotWrite, DiskFull, NotAFile
from explorer.files import cannot_write, make_folder, opened, read_whole, replacing, sweep
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


def test_the_umask_is_never_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the whole process's: a thread that writes meanwhile would get it."""
    monkeypatch.setattr(os, "umask", lambda _mask: pytest.fail("the umask was changed"))
    with replacing(tmp_path / "x") as unfinished:
        unfinished.write_text("x")


def test_what_a_killed_export_left_is_swept(tmp_path: Path) -> None:
    """When its owner is gone; what a living one writes, another machine's, and other hidden files stay."""
    left = (
        "import os, sys; from pathlib import Path; from explorer.files import replacing\n"
        "with replacing(Path(sys.argv[1])) as unfinished: print(unfinished.name, flush=True); os.kill(os.getpid(), 9)"
    )
    killed = subprocess.run([sys.executable, "-c", left, str(tmp_path / "a.npz")], capture_output=True, text=True, check=False)
    name = killed.stdout.strip()
    assert killed.returncode == -signal.SIGKILL and [path.name for path in tmp_path.iterdir()] == [name]
    machine = name.split(".")[-3].partition("-")[0]
    elsewhere = name.replace(machine, "00000000")
    others = {elsewhere, ".bashrc", ".a.npz.unfinished", "a.npz"}
    for other in others - {"a.npz"}:
        (tmp_path / other).write_text("mine")
    sweep.cache_clear()
    with replacing(tmp_path / "b.npz") as living:
        sweep.cache_clear()
        with replacing(tmp_path / "a.npz") as unfinished:
            unfinished.write_text("new")
        assert living.exists()
        assert {path.name for path in tmp_path.iterdir()} == others | {living.name}


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "link to a device", "missing", "nul\0", "a" * 5000])
def test_only_a_regular_file_is_opened(kind: str, tmp_path: Path) -> None:
    """A pipe would be waited for, and a device may have no end."""
    path = tmp_path / kind if kind in ("pipe", "folder", "link to a device", "missing") else Path(kind)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path = Path("/dev/zero")
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    with pytest.raises(CannotRead) as caught:
        opened(path)

    said = {"pipe": "a named pipe", "folder": "a folder", "device": "a device", "link to a device": "a device"}.get(kind)
    assert isinstance(caught.value, NotAFile) == (said is not None)
    sentence = Words.load("en").error(caught.value)
    assert sentence.isprintable()
    assert said is None or f"it is {said}" in sentence


@pytest.mark.skipif(sys.platform != "linux", reason="the file that fails is one of Linux")
@pytest.mark.parametrize("read", ["read", "readline", "readlines", "some", "into"])
def test_a_file_that_fails_while_it_is_read_is_the_users_error(read: str) -> None:
    """As on a broken disk, however it is read."""
    with opened(Path("/proc/self/mem")) as file, pytest.raises(CannotRead, match="/proc/self/mem"):
        if read == "some":
            file.read(2)
        elif read == "into":
            file.readinto(bytearray(2))
        else:
            getattr(file, read)()


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """One byte more than allowed is too much."""
    (tmp_path / "x").write_bytes(b"12345")
    assert read_whole(tmp_path / "x", 5) == b"12345"
    with pytest.raises(CannotRead):
        read_whole(tmp_path / "x", 4)


class _HeldError(OSError):
    """What Windows answers while another program has the file open."""

    def __init__(self, winerror: int) -> None:
        super().__init__(errno.EACCES, "in use")
        self.winerror = winerror


@pytest.mark.parametrize("winerror", [5, 32, 33])
def test_a_target_that_is_held_for_a_moment_is_tried_again(
    winerror: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An indexer or a virus scanner opens every new file on Windows."""
    answers, really, waited = iter((_HeldError(winerror), _HeldError(winerror), None)), Path.replace, []

    def held(self: Path, target: Path) -> Path:
        error = next(answers)
        if error is not None:
            raise error
        return really(self, target)

    monkeypatch.setattr(Path, "replace", held)
    monkeypatch.setattr("explorer.files.time.sleep", waited.append)
    with replacing(tmp_path / "x.txt") as unfinished:
        unfinished.write_text("new")

    assert (tmp_path / "x.txt").read_text() == "new" and len(waited) == 2


@pytest.mark.parametrize(("error", "n_tries"), [(_HeldError(32), 7), (OSError(errno.EACCES, "not yours"), 1)])
def test_a_target_that_stays_held_is_told_and_one_that_is_not_ours_at_once(
    error: OSError, n_tries: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After half a second; the old file is there as before."""
    (tmp_path / "x.txt").write_text("old")
    tries, waited = [], []

    def refused(self: Path, target: Path) -> Path:
        tries.append(target)
        raise error

    monkeypatch.setattr(Path, "replace", refused)
    monkeypatch.setattr("explorer.files.time.sleep", waited.append)
    with pytest.raises(CannotWrite), replacing(tmp_path / "x.txt") as unfinished:
        unfinished.write_text("new")

    assert (len(tries), (tmp_path / "x.txt").read_text()) == (n_tries, "old")
    assert sum(waited) == (pytest.approx(0.5) if n_tries > 1 else 0)


def test_only_what_may_be_written_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows refuses to sync a file that was opened for reading."""
    fcntl = pytest.importorskip("fcntl")
    flags, really = [], os.fsync

    def synced(number: int) -> None:
        flags.append(fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE)
        really(number)

    monkeypatch.setattr(os, "fsync", synced)
    with replacing(tmp_path / "x.txt") as unfinished:
        unfinished.write_text("new")

    assert flags == [os.O_RDWR]
