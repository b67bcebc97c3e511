"""The chat switch beside the text: there for models with a template, off at first, with the whole prompt on show."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from explorer.app.shell.window import Window
from explorer.state.intents import OpenFolder, SetChat, SetPreset
from explorer.state.state import State
from explorer.trace.trace import Trace
from tests.foreign.models import write_model
from tests.journeys.conftest import Journey

TEMPLATE = "a b {{ messages[0].content }}{% if add_generation_prompt %}{{ '\\n<and>' }}{% endif %}"


@pytest.fixture
def talking(tmp_path: Path) -> Path:
    """A tiny model with a template, between whose letters stands something like a tag."""
    folder = write_model(tmp_path / "talking", "gpt2")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": TEMPLATE}))
    return folder


def texts(window: Window) -> list[str]:
    """The tokens beside the text, as they are drawn."""
    picture = window.sentences.source_row.picture
    assert picture is not None
    return [chip.text for chip in picture.chips]


def trace_of(window: Window) -> Trace:
    assert window.session.frame is not None
    return window.session.frame.trace


def test_a_text_is_written_as_a_message_and_back(journey: Journey, qtbot: QtBot, talking: Path, tmp_path: Path) -> None:
    """The tokens are those of the whole prompt, which the switch tells; undo and a session file have it, too."""

    def script(window: Window) -> None:
        switch, session = window.sentences.chat, window.session
        journey.settle(window)
        assert not switch.isVisible()
        session.ask(OpenFolder(str(talking)))
        window.sentences.source_edit.setText("the fox")
        journey.settle(window)
        assert switch.isVisible() and not switch.isChecked()
        assert texts(window) == ["[CLS]", "the", "fox", "[SEP]"]
        assert "and" not in switch.toolTip() and trace_of(window).prompt == ""

        qtbot.mouseClick(switch, Qt.MouseButton.LeftButton)
        journey.settle(window)
        assert texts(window) == ["a", "b", "the", "fox", "[UNK]", "and", "[UNK]"]
        assert trace_of(window).prompt == "a b the fox\n<and>"
        assert "a b the fox\n&lt;and&gt;" in switch.toolTip()
        assert "a b the fox\n<and>" in switch.accessibleDescription()
        assert window.sentences.source_edit.text() == "the fox"

        session.state.save(tmp_path / "chat.toml")
        assert State.load(tmp_path / "chat.toml").wish.chat
        session.undo()
        journey.settle(window)
        assert not switch.isChecked() and texts(window)[1:3] == ["the", "fox"] and trace_of(window).prompt == ""

        session.redo()
        journey.settle(window)
        assert switch.isChecked()
        session.ask(SetPreset("tiny"))
        journey.settle(window)
        assert not switch.isVisible() and not session.state.wish.chat

    journey.run(script)


def test_the_window_opens_with_the_template(journey: Journey, talking: Path) -> None:
    """As the commands do: the very first answer is that of the whole prompt, and the switch is on."""

    def script(window: Window) -> None:
        journey.settle(window)
        assert window.sentences.chat.isVisible() and window.sentences.chat.isChecked()
        assert trace_of(window).prompt == "a b the fox\n<and>"
        window.sentences.chat.click()
        journey.settle(window)
        assert trace_of(window).prompt == ""

    journey.run(script, "gui", "--preset", str(talking), "--text", "the fox", "--chat")


def test_a_model_without_a_template_has_no_switch(journey: Journey, tmp_path: Path) -> None:
    """Where a template is asked for that is not there, one sentence says so, and the switch is there to switch it off."""
    plain = write_model(tmp_path / "plain", "gpt2")

    def script(window: Window) -> None:
        switch, session = window.sentences.chat, window.session
        journey.settle(window)
        assert not switch.isVisible()
        session.ask(SetChat(True))
        journey.wait(lambda: window.status.message.objectName() == "warning")
        assert str(plain) in window.status.message.text()
        assert switch.isVisible() and switch.isChecked()
        switch.click()
        journey.settle(window)
        assert not switch.isVisible()
        assert not trace_of(window).card.chat

    journey.run(script, "gui", "--preset", str(plain))
