"""The panel at the right edge folds to a tab, and remembers it."""

import attrs
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.app.shell.side import Drawer, SidePanel
from explorer.config import UNTRAINED_GROUPS
from explorer.lang import Words
from explorer.state.state import State
from tests.app.shell.opening import Make, Opened


@pytest.fixture
def drawer(qtbot: QtBot) -> Drawer:
    side = SidePanel()
    made = Drawer(side)
    qtbot.addWidget(made)
    made.speak(Words.load("zh"))
    return made


def test_a_narrow_window_begins_with_the_tab(drawer: Drawer) -> None:
    """A wide one with the panel; each keeps what was chosen for it, whichever comes between."""
    assert drawer.is_open and drawer.tab.isHidden()
    drawer.set_narrow(True)
    assert not drawer.is_open and not drawer.tab.isHidden() and drawer.side.isHidden()
    drawer.tab.click()
    assert drawer.is_open and drawer.tab.isHidden()
    drawer.set_narrow(False)
    drawer.side.fold.click()
    assert not drawer.is_open
    drawer.set_narrow(True)
    assert drawer.is_open


@pytest.mark.parametrize("memory", ["open folded", "folded open", "folded folded", "open open"])
def test_what_is_remembered_comes_back(drawer: Drawer, memory: str) -> None:
    """Word for word; a memory that nobody wrote changes nothing."""
    drawer.recall(memory)
    assert drawer.memory == memory
    for unknown in ("", "open", "open ajar", "open folded open"):
        drawer.recall(unknown)
        assert drawer.memory == memory


def test_the_window_folds_the_panel_when_it_becomes_narrow(opened: Opened, qtbot: QtBot) -> None:
    """The menu's tick follows, and its action opens the panel again."""
    window = opened.window
    action = window.actions_.by_name["knobs"]
    window.resize(1300, 700)
    window.show()
    qtbot.waitUntil(lambda: window.side.isVisible())
    assert action.isChecked()
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: not window.side.isVisible())
    assert not action.isChecked() and window.drawer.tab.isVisible()
    action.trigger()
    assert window.side.isVisible() and not window.drawer.tab.isVisible()


@pytest.mark.parametrize("preset", ["translator", "tiny"])
def test_groups_that_replace_trained_weights_say_so(make: Make, preset: str) -> None:
    """Once, in the title, and only where there are trained weights to lose."""
    opened = make(attrs.evolve(State.from_preset(preset), page="masks"))
    for group in opened.window.knobs.groups:
        name = opened.words(f"group.{group.key}")
        replaces = group.key in UNTRAINED_GROUPS and preset == "translator"
        assert group.heading.text() == (opened.words("group.untrained", group=name) if replaces else name)


def test_decoding_comes_first_and_initialization_last(opened: Opened) -> None:
    """In the order of use; the two temperatures have different names in both languages."""
    keys = [group.key for group in opened.window.knobs.groups]
    assert (keys[0], *keys[-2:]) == ("decoding", "shape", "initialization")
    for language in ("zh", "en"):
        words = Words.load(language)
        assert words("sampling.sampling_temperature") != words("knob.temperature.name")


def test_a_knob_away_from_its_default_is_marked(opened: Opened, qtbot: QtBot) -> None:
    """The accent stands for what was changed: slider and box of this knob alone, until it is reset."""
    window = opened.window
    row = window.knobs.rows["temperature"]
    row.slider.setValue(row.slider.maximum())  # type: ignore[union-attr]  # a number's slider
    marked = {name for name, each in window.knobs.rows.items() if each.editor.property("away")}
    assert marked == {"temperature"} and row.slider.property("away") is True  # type: ignore[union-attr]
    row.reset.click()
    assert not row.editor.property("away")


def test_writing_sets_the_look_and_the_beam(make: Make) -> None:
    """No knob of the model; what is set elsewhere is shown here."""
    opened = make(attrs.evolve(State.from_preset("translator"), page="masks"))
    window, writing = opened.window, opened.window.knobs.writing
    writing.sampling[0].box.setValue(0.5)
    writing.beam.box.setValue(3)
    state = opened.session.state
    assert (state.look.sampling_temperature, state.wish.beam) == (0.5, 3)
    assert state.wish.config == State.from_preset("translator").wish.config
    assert writing.sampling[0].slider.property("away") and writing.beam.box.property("away")
    opened.session.undo()
    QApplication.processEvents()
    assert writing.beam.box.value() == 1 and window.knobs.writing is writing
