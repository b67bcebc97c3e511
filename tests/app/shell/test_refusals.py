"""The line of refusals by itself: one rule for all of them, and nothing that tells one for some seconds."""

import ast
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from explorer import app
from explorer.app.session import told
from explorer.app.shell.notices import NOT_KEPT, Refusals
from explorer.errors import DiskFull, EmptyText, FolderIsGone
from explorer.lang import Words
from explorer.state.intents import Intent, OpenFolder, OpenPage, SetPreset, SetText
from explorer.state.state import State

EN = Words.load("en")
GONE, FULL, EMPTY = FolderIsGone(path="/a"), DiskFull(path="/b"), EmptyText()
STATE, OTHER = State.from_preset("tiny"), State.from_preset("tiny", "另一句")


@pytest.fixture
def line(qtbot: QtBot) -> Refusals:
    made = Refusals()
    qtbot.addWidget(made)
    made.speak(EN)
    return made


def test_the_newest_stands_in_front_and_is_not_told_twice(line: Refusals) -> None:
    """Closing it brings the one below."""
    for error in (FULL, GONE, FolderIsGone(path="/a"), EMPTY):
        line.tell(error)
    for error in (EMPTY, GONE, FULL):
        assert not line.isHidden() and line.text.text() == EN.error(error)
        line.dismiss.click()
    assert line.isHidden()


@pytest.mark.parametrize(
    ("by", "left"),
    [
        (None, [GONE, EMPTY, FULL]),
        (SetText("好"), [GONE, FULL]),
        (OpenPage("why"), [GONE, FULL]),
        (OpenFolder("/c"), [FULL]),
        (SetPreset("tiny"), [FULL]),
    ],
)
def test_what_a_step_takes_away(line: Refusals, by: Intent | None, left: list[Exception]) -> None:
    """The refusal of a change goes with the next step, that of a folder when another one is opened; what is not kept stays."""
    line.tell(FULL, NOT_KEPT)
    line.tell(EMPTY, of_edit=True)
    line.tell(GONE)
    line.follow(told.Set(OTHER, STATE, by))
    if isinstance(by, OpenFolder | SetPreset):
        line.answered()
    said = {GONE: EN.error(GONE), EMPTY: EN.error(EMPTY), FULL: EN(NOT_KEPT, reason=EN.error(FULL))}
    for error in left:
        assert line.text.text() == said[error]
        line.dismiss.click()
    assert line.isHidden()


@pytest.mark.parametrize("by", [OpenFolder("/c"), SetPreset("tiny")])
def test_an_attempt_takes_nothing_away(line: Refusals, by: Intent) -> None:
    """What was refused stays when the next thing cannot be opened either, also when the model before answers again then."""
    line.tell(GONE)
    line.follow(told.Set(OTHER, STATE, by))
    assert line.text.text() == EN.error(GONE) and not line.isHidden()
    line.follow(told.Set(STATE, OTHER, None))
    line.tell(FULL)
    line.answered()
    for error in (FULL, GONE):
        assert line.text.text() == EN.error(error)
        line.dismiss.click()
    assert line.isHidden()


def test_what_is_there_already_is_not_waited_for(line: Refusals) -> None:
    """A step of a lesson that asks for nothing new gets no answer of its own."""
    line.tell(GONE)
    line.follow(told.Set(STATE, STATE, SetPreset("tiny")))
    assert line.isHidden()


def test_another_language_says_the_same(line: Refusals) -> None:
    line.tell(GONE)
    line.speak(Words.load("zh"))
    assert line.text.text() == Words.load("zh").error(GONE)


def test_no_refusal_is_told_for_some_seconds() -> None:
    """Nothing hands an error's sentence to a message that goes by itself."""
    found = []
    for path in Path(app.__path__[0]).rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                continue
            inside = [each for given in (*call.args, *(word.value for word in call.keywords)) for each in ast.walk(given)]
            told_of = any(isinstance(each, ast.Attribute) and each.attr == "error" for each in inside)
            if told_of and call.func.attr in ("notice", "inform", "refuse"):
                found.append(f"{path.name}:{call.lineno}")
    assert found == []
