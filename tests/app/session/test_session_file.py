"""The file of a session: read and written beside the window, and nothing of anybody's is written over."""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from pytestqt.qtbot import QtBot

from explorer.app.session import session_file
from explorer.app.session.session_file import SessionFile
from explorer.errors import CannotRead, CannotWrite, ChangedElsewhere
from explorer.state.look import Look
from explorer.state.saved import Saved, read_saved
from explorer.state.state import State
from tests.waiting import until

ONE, TWO = State.from_preset("tiny", "一"), State.from_preset("tiny", "二")


class Heard:
    """What a SessionFile has said."""

    def __init__(self, file: SessionFile, qtbot: QtBot) -> None:
        self.file, self._qtbot = file, qtbot
        self.all: list[object] = []
        for signal in (file.opened, file.written, file.failed, file.broke):
            signal.connect(self.all.append)

    def next(self) -> object:
        until(self._qtbot, lambda: bool(self.all))
        return self.all.pop(0)


@pytest.fixture
def heard(qtbot: QtBot) -> Iterator[Heard]:
    file = SessionFile()
    file.follow(ONE)
    yield Heard(file, qtbot)
    file.close()


def test_without_a_file_there_is_nothing_to_lack(heard: Heard) -> None:
    """All is kept by itself; saving has no file to write."""
    heard.file.follow(TWO)
    heard.file.save()
    assert (heard.file.name, heard.file.kept, heard.file.is_changed) == ("", "", False)


def test_saving_makes_a_file_and_names_the_session(heard: Heard, tmp_path: Path) -> None:
    """What comes after it is lacking, until it is taken back or saved as well."""
    path = tmp_path / "lesson 3.explorer.toml"
    heard.file.save(path)
    assert heard.next() == str(path)
    assert (heard.file.name, heard.file.path, heard.file.is_changed) == ("lesson 3", path, False)
    assert State.load(path) == ONE
    heard.file.follow(TWO)
    assert heard.file.is_changed
    heard.file.follow(ONE)
    assert not heard.file.is_changed
    heard.file.follow(TWO)
    heard.file.save()
    heard.next()
    assert not heard.file.is_changed and State.load(path) == TWO


def test_what_is_typed_while_a_file_is_written_is_lacking(heard: Heard, tmp_path: Path) -> None:
    """The file has what was set up when it was saved."""
    heard.file.save(tmp_path / "a.explorer")
    heard.file.follow(TWO)
    heard.next()
    assert heard.file.is_changed and State.load(tmp_path / "a.explorer") == ONE
    assert heard.file.name == "a"


def test_a_file_is_opened_and_one_that_is_none_changes_nothing(heard: Heard, tmp_path: Path) -> None:
    """The session stays in the file that it was in."""
    path = tmp_path / "a.explorer.toml"
    TWO.save(path)
    heard.file.opened.connect(lambda saved: heard.file.follow(saved.state))
    heard.file.open(path)
    assert heard.next() == Saved(state=TWO)
    assert (heard.file.path, heard.file.is_changed) == (path, False)
    heard.file.open(tmp_path / "none.explorer.toml")
    assert isinstance(heard.next(), CannotRead)
    assert (heard.file.path, heard.file.is_changed) == (path, False)


def test_what_was_changed_elsewhere_is_not_written_over(heard: Heard, tmp_path: Path) -> None:
    """Another window, or an editor, has saved it since; under another name it can be saved."""
    path = tmp_path / "a.explorer.toml"
    heard.file.save(path)
    heard.next()
    path.write_text("somebody else's work")
    heard.file.follow(TWO)
    heard.file.save()
    assert isinstance(heard.next(), ChangedElsewhere)
    assert path.read_text() == "somebody else's work" and heard.file.is_changed
    heard.file.save(tmp_path / "b.explorer.toml")
    heard.next()
    assert State.load(tmp_path / "b.explorer.toml") == TWO


def test_a_file_that_is_gone_is_written_anew(heard: Heard, tmp_path: Path) -> None:
    """There is nothing of anybody's to lose."""
    path = tmp_path / "a.explorer.toml"
    heard.file.save(path)
    heard.next()
    path.unlink()
    heard.file.save()
    assert heard.next() == str(path) and path.exists()


def test_a_folder_that_cannot_be_written_is_said(heard: Heard, tmp_path: Path) -> None:
    """The session is in no file then."""
    heard.file.save(tmp_path / "none" / "a.explorer.toml")
    assert isinstance(heard.next(), CannotWrite)
    assert heard.file.path is None


def test_a_bug_on_the_thread_is_reported(heard: Heard, monkeypatch: pytest.MonkeyPatch) -> None:
    """As everywhere."""
    monkeypatch.setattr(session_file, "read_saved", lambda _path: 1 / 0)
    heard.file.open(Path("a"))
    assert isinstance(heard.next(), ZeroDivisionError)


def test_a_fitted_look_is_no_change(heard: Heard, tmp_path: Path) -> None:
    """An answer may have fewer layers than the Look asks for; a person's own look is a change."""
    heard.file.save(tmp_path / "a.explorer.toml")
    heard.next()
    fitted = attrs.evolve(ONE, look=Look(layer=1))
    heard.file.fitted(fitted)
    assert not heard.file.is_changed
    heard.file.follow(attrs.evolve(ONE, look=Look(layer=2)))
    heard.file.fitted(attrs.evolve(ONE, look=Look(layer=3)))
    assert heard.file.is_changed


@pytest.mark.parametrize("changed", [True, False])
def test_what_comes_back_is_in_its_file_again(changed: bool, heard: Heard, tmp_path: Path) -> None:
    """With the changes that the file lacks, or without; it can be saved there."""
    path = tmp_path / "a.explorer.toml"
    (TWO if changed else ONE).save(path)
    heard.file.resume(Saved(state=ONE, session=str(path), changed=changed))
    assert (heard.file.kept, heard.file.is_changed) == (str(path), changed)
    heard.file.save()
    heard.next()
    assert read_saved(path).state == ONE and not heard.file.is_changed


def test_closing_waits_for_what_is_written(qtbot: QtBot, tmp_path: Path) -> None:
    """And hears of it, so that the next start knows that nothing is lacking."""
    file = SessionFile()
    file.follow(ONE)
    file.save(tmp_path / "a.explorer.toml")
    file.close()
    assert State.load(tmp_path / "a.explorer.toml") == ONE
    assert (file.name, file.is_changed) == ("a", False)


def test_a_file_that_is_known_only_after_the_end_is_not_opened(qtbot: QtBot, tmp_path: Path) -> None:
    """What is dropped is looked at beside the window, which may be closed by then."""
    file = SessionFile()
    heard = Heard(file, qtbot)
    file.close()
    file.open(tmp_path / "dropped.explorer.toml")
    assert heard.all == []
