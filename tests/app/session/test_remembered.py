"""What is set up is on the disk at any moment, and what a killed program left is found, offered once, and never half."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest
from PySide6.QtCore import QLockFile
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.app.session.first_state import First, first_state
from explorer.app.session.preferences import Preferences
from explorer.app.session.remembered import Remembered, open_folder, other_programs, remembered_path
from explorer.errors import BadState
from explorer.state.saved import Saved, read_saved
from explorer.state.state import State
from tests.waiting import until

ONE = Saved(state=State.from_preset("tiny", "一"), session="/a/lesson.explorer.toml", changed=True)
TWO = Saved(state=State.from_preset("tiny", "二"))


def left(saved: Saved, name: str = "1-a") -> Path:
    """A file as a program leaves it that was killed."""
    open_folder().mkdir(parents=True, exist_ok=True)
    path = open_folder() / f"{name}.explorer.toml"
    saved.keep(path)
    return path


def first(**asked: str | None) -> First:
    return first_state(Preferences(), **{"text": None, "preset": None, **asked})


def test_a_long_gesture_puts_nothing_off(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change within the two seconds is written with the first one, and does not begin them anew."""
    remembered = Remembered(after_ms=30)
    for number in range(10_000):
        remembered.keep(attrs.evolve(ONE, session=str(number)))
        qtbot.wait(1)
        if remembered_path().exists():
            break
    assert remembered_path().exists()
    remembered.close()


def test_closing_leaves_the_last_state_and_no_file_of_its_own(qtbot: QtBot) -> None:
    """While it runs, its file has a lock and counts as open; after it is closed, nothing is written."""
    remembered = Remembered(after_ms=0)
    remembered.keep_now(ONE)
    until(qtbot, remembered_path().exists)
    assert other_programs().sessions == {ONE.session} and not other_programs().left
    remembered.close()
    remembered.keep(TWO)
    QApplication.processEvents()
    assert read_saved(remembered_path()) == ONE
    assert list(open_folder().iterdir()) == []


def test_two_programs_have_a_file_each(qtbot: QtBot) -> None:
    """The next start opens what was set up last; neither has erased what the other has."""
    one, two = Remembered(), Remembered()
    one.keep_now(ONE)
    until(qtbot, remembered_path().exists)
    two.keep_now(TWO)
    until(qtbot, lambda: read_saved(remembered_path()) == TWO)
    assert sorted(read_saved(path).state.wish.text for path in open_folder().glob("*.explorer.toml")) == ["一", "二"]
    two.close()
    assert other_programs().sessions == {ONE.session}
    one.close()
    assert read_saved(remembered_path()) == TWO  # The other has written nothing since.


def test_what_was_left_open_is_offered_where_it_is_not_opened(qtbot: QtBot) -> None:
    """The last State is opened without a question, and its file goes; another window's is offered."""
    ONE.keep(remembered_path())
    same, other = left(ONE, "1-a"), left(TWO, "2-b")
    began = first()
    assert (began.state.wish, began.saved) == (ONE.state.wish, ONE)
    assert began.left == {other: TWO} and not same.exists()


def test_whoever_asks_for_something_else_is_offered_the_last_state_too(tmp_path: Path) -> None:
    """A preset, or a file of a session."""
    ONE.keep(remembered_path())
    path = left(ONE)
    TWO.state.save(tmp_path / "a.explorer.toml")
    assert first(preset="tiny").left == {path: ONE}
    began = first(session=str(tmp_path / "a.explorer.toml"), text="三")
    assert (began.left, began.path, began.saved.state) == ({path: ONE}, tmp_path / "a.explorer.toml", TWO.state)
    assert began.state.wish.text == "三"


def test_what_may_have_ended_the_program_is_not_opened_again() -> None:
    """It had not been on screen when the program died: the default is opened, and it is offered."""
    fatal = attrs.evolve(ONE, was_shown=False)
    fatal.keep(remembered_path())
    path = left(fatal)
    began = first()
    assert began.state.wish.preset == "translator" and began.left == {path: fatal}


def test_a_second_window_is_not_in_the_file_of_the_first(qtbot: QtBot) -> None:
    """It begins with the same set up, and its saving does not write over the other's."""
    remembered = Remembered()
    remembered.keep_now(ONE)
    until(qtbot, remembered_path().exists)
    began = first()
    assert (began.state.wish, began.saved.session) == (ONE.state.wish, "")
    remembered.close()


def test_a_file_that_cannot_be_read_is_put_aside() -> None:
    """It is not offered, and not lost."""
    path = left(ONE)
    path.write_text("version = 1")
    assert other_programs().left == {}
    assert path.with_name(f"{path.name}.unreadable").exists()


def test_a_folder_that_cannot_be_written_is_no_obstacle(qtbot: QtBot) -> None:
    """Only what would be kept there is lost."""
    open_folder().parent.mkdir(parents=True, exist_ok=True)
    open_folder().write_text("a file where the folder should be")
    remembered = Remembered()
    remembered.keep(ONE)
    remembered.close()
    assert not remembered_path().exists() and not other_programs().left


def test_preferences_of_two_programs_do_not_erase_each_other() -> None:
    """Each writes the keys that it has changed, whoever is last."""
    one, two = Preferences(), Preferences()
    assert one.text("theme") == two.text("theme") == ""
    one.put(theme="dark")
    two.put(language="en")
    assert [Preferences().text(name) for name in ("theme", "language")] == ["dark", "en"]


WRITER = """
import itertools, os, sys
from pathlib import Path
from explorer.app.session.remembered import Remembered, remembered_path
from explorer.errors import BadState
from explorer.state.saved import Saved
from explorer.state.state import State
def tell(*said):
    os.write(1, (" ".join(map(str, said)) + os.linesep).encode())  # At once, or a writer is killed in the middle of a line.
def write():
    remembered = Remembered()
    if sys.argv[1] != "auto":
        path = Path(sys.argv[1])
    tell(os.getpid())
    for number in itertools.count():
        state = State.from_preset("tiny", f"{number} " + "好" * 20_000)
        if sys.argv[1] == "auto":
            remembered._saved = Saved(state=state)
            remembered._write()
        else:
            state.save(path)
        tell(number)

for _asked in sys.stdin:
    writer = os.fork()
    if not writer:
        write()
    _writer, status = os.waitpid(writer, 0)
    tell("ended", -os.waitstatus_to_exitcode(status))
"""


@contextmanager
def writers(where: str) -> Iterator[Callable[[float], int]]:
    """A process that has loaded what a writer needs. Asked, it makes a process that writes until it is killed after so many
    seconds, and answers the number of the last State that was whole by then, -1 for none."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", WRITER, where], stdin=pipe, stdout=pipe, text=True) as running:
        asked, told = running.stdin, running.stdout
        assert asked is not None and told is not None

        def killed(after_s: float) -> int:
            asked.write("\n")
            asked.flush()
            writer = int(told.readline())
            time.sleep(after_s)  # The moment is random: there is no condition to wait for.
            os.kill(writer, signal.SIGKILL)
            number = -1
            while not (line := told.readline()).startswith("ended"):
                number = int(line)
            assert line == f"ended {int(signal.SIGKILL)}\n"
            return number

        yield killed


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("kind", ["auto", "a.explorer.toml", "a.explorer"])
def test_a_kill_at_any_moment_loses_nothing(kind: str, tmp_path: Path) -> None:
    """Of autosave and of both kinds of files: what is on the disk is whole, and the last that was said to be written or the
    next one."""
    moments = random.Random(18)
    where = "auto" if kind == "auto" else str(tmp_path / kind)
    path = remembered_path() if kind == "auto" else tmp_path / kind
    with writers(where) as killed:
        for _each in range(int(os.environ.get("EXPLORER_KILLS", "17"))):
            check_whole(path, killed(moments.uniform(0, 0.12)))
            for each in (path, *(open_folder().glob("*.explorer.toml"))):
                each.unlink(missing_ok=True)


def check_whole(path: Path, number: int) -> None:
    """The file holds the State with this number or the next one; where none was written, a whole one or none at all."""
    found = [read_saved(each).state.wish.text for each in (path, *open_folder().glob("*.explorer.toml")) if each.exists()]
    assert all(text.endswith("好" * 20_000) for text in found)
    assert number < 0 or int(found[0].split()[0]) in (number, number + 1)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGKILL")
def test_a_file_that_is_written_in_place_does_not_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above would see it."""
    torn = WRITER.replace("state.save(path)", "path.open('wb').write(b'version = 1'); import time; time.sleep(1)")
    monkeypatch.setattr(sys.modules[__name__], "WRITER", torn)
    with writers(str(tmp_path / "a.toml")) as killed:
        number = killed(0.3)
    with pytest.raises((AssertionError, BadState)):
        check_whole(tmp_path / "a.toml", number)


def test_a_lock_of_a_program_that_has_ended_counts_for_nothing() -> None:
    """Its process is gone, so what it had open is offered."""
    path = left(ONE)
    ended = subprocess.run(
        [sys.executable, "-c", f"from PySide6.QtCore import QLockFile; l = QLockFile({str(path)[:-14]!r} + '.lock');"
         "l.setStaleLockTime(0); assert l.tryLock(0); import os; os._exit(0)"],
        check=True,
    )  # fmt: skip
    assert ended.returncode == 0 and path.with_name("1-a.lock").exists()
    assert other_programs().left == {path: ONE}
    assert QLockFile(str(path.with_name("1-a.lock"))).tryLock(0)
