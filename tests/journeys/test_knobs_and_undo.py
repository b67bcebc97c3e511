"""Turning knobs, and going back."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QCheckBox, QComboBox, QDialog
from pytestqt.qtbot import QtBot

from explorer.app.shell.window import Window
from explorer.config import KNOBS
from explorer.presets import load_preset
from explorer.state.intents import ResetKnobs, SetKnob, SetPreset
from tests.journeys.conftest import Journey

pytestmark = pytest.mark.slow


def test_a_slider_changes_the_model_while_it_moves(journey: Journey) -> None:
    """Each step of the temperature slider is a new pass on the same weights; the value box follows."""

    def script(window: Window) -> None:
        journey.settle(window)
        row = window.knobs.rows["temperature"]
        assert row.slider is not None
        first = window.session.frame
        row.slider.setFocus()
        for _ in range(3):
            QTest.keyClick(row.slider, Qt.Key.Key_Right)
        journey.settle(window)

        assert 1.15 == window.session.state.wish.config.temperature
        assert "1.15" == row.editor.text()  # type: ignore[union-attr]  # a number's editor is a spin box
        assert first is not None and window.session.frame is not None
        tap = "encoder.layers.0.self_attn.scores"
        assert (first.trace[tap] == window.session.frame.trace[tap]).all()
        assert (
            first.trace[tap.replace("scores", "weights")] != window.session.frame.trace[tap.replace("scores", "weights")]
        ).any()

    journey.run(script)


def test_a_value_can_be_typed(journey: Journey) -> None:
    """Typing 6 and Enter into the layers box gives six layers on the wall."""

    def script(window: Window) -> None:
        journey.settle(window)
        box = window.knobs.rows["n_layers"].editor
        assert isinstance(box, QAbstractSpinBox)
        box.selectAll()
        QTest.keyClicks(box, "6")
        QTest.keyClick(box, Qt.Key.Key_Return)
        journey.settle(window)

        assert window.session.frame is not None
        assert 6 == window.session.frame.trace.config.n_layers

    journey.run(script)


def test_heads_that_do_not_fit_are_settled_and_said(journey: Journey) -> None:
    """Seven heads do not divide 64: the nearest number that does is taken, and the status line names it."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetKnob("n_heads", 7))

        assert 8 == window.session.state.wish.config.n_heads
        assert "8" in window.status.message.text() and "64" in window.status.message.text()
        journey.settle(window)

    journey.run(script)


def test_every_knob_can_be_turned_and_reset(journey: Journey) -> None:
    """Each editor changes its knob; its reset brings the preset's value back."""

    def script(window: Window) -> None:
        journey.settle(window)
        for knob in KNOBS:
            row = window.knobs.rows[knob.name]
            if isinstance(row.editor, QComboBox):
                row.editor.setCurrentIndex((row.editor.currentIndex() + 1) % row.editor.count())
            elif isinstance(row.editor, QCheckBox):
                row.editor.toggle()
            elif row.slider is not None:
                row.slider.setValue(row.slider.value() + (1 if not knob.logarithmic else -9))
            start = getattr(load_preset("tiny").config, knob.name)
            assert getattr(window.session.state.wish.config, knob.name) != start, knob.name
            row.reset.click()
            assert getattr(window.session.state.wish.config, knob.name) == start, knob.name
            if knob.name == "d_model":  # the heads were settled with it
                window.session.ask(ResetKnobs())
        journey.settle(window)

    journey.run(script)


def test_undo_and_redo_go_through_sentence_and_knobs(journey: Journey, qtbot: QtBot) -> None:
    """Ctrl+Z takes back the knob, then the sentence; Ctrl+Shift+Z brings both again, also while the box has focus."""

    def script(window: Window) -> None:
        journey.settle(window)
        edit = window.sentences.source_edit
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)  # keys go to the active window
        edit.setFocus()
        edit.setText("你好")
        window.session.ask(SetKnob("temperature", 2.0))
        QTest.keySequence(edit, "Ctrl+Z")
        assert (1.0, "你好") == (window.session.state.wish.config.temperature, edit.text())
        QTest.keySequence(edit, "Ctrl+Z")
        assert "我爱北京天安门" == edit.text()
        QTest.keySequence(edit, "Ctrl+Shift+Z")
        QTest.keySequence(edit, "Ctrl+Shift+Z")
        assert (2.0, "你好") == (window.session.state.wish.config.temperature, edit.text())
        journey.settle(window)

    journey.run(script)


def test_undo_goes_through_sampling_as_through_knobs(journey: Journey, qtbot: QtBot) -> None:
    """The slider comes back with the value, and what was done before it is not touched. Typed text is a step before it."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.sentences.source_edit.setText("我")
        journey.settle(window)
        for number, key in ((0, Qt.Key.Key_Right), (1, Qt.Key.Key_Left)):
            slider = window.knobs.writing.sampling[number].slider
            slider.setFocus()
            QTest.keyClick(slider, key)
        temperature, top_k = window.knobs.writing.sampling[:2]
        set_ = temperature.box.value(), top_k.box.value()
        look = window.session.state.look
        assert look.sampling_temperature > 1 and look.top_k > 0
        qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert (window.session.state.look.top_k, window.session.state.look.sampling_temperature) == (0, set_[0])
        assert top_k.box.value() != set_[1] and temperature.box.value() == set_[0]
        qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert window.session.state.look.sampling_temperature == 1 == temperature.box.value()
        assert window.session.state.wish.text == "我"
        qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        journey.settle(window)
        assert window.session.state.wish.text != "我"

    journey.run(script)


def test_a_preset_brings_its_knobs_and_keeps_ones_own_sentence(journey: Journey) -> None:
    """The preset's own sentence goes with it, a sentence that was typed stays."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetPreset("tutorial-e"))
        assert "我和同学一起听和光同尘" == window.sentences.source_edit.text()
        window.sentences.source_edit.setText("你好世界")
        window.session.ask(SetPreset("tutorial-c"))
        journey.settle(window)

        assert "你好世界" == window.sentences.source_edit.text()
        assert 10 == window.session.state.wish.config.d_model

    journey.run(script)


def test_arrow_keys_walk_the_wall(journey: Journey) -> None:
    """Right and down choose the next head and layer, and stop at the border; nothing is computed for it."""

    def script(window: Window) -> None:
        window.go("attention")
        journey.settle(window)
        serial = window.session.serial
        wall = next(c.view for c in window.page_stack.page.cards if hasattr(c.view, "chosen"))
        wall.setFocus()  # type: ignore[attr-defined]
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down):
            QTest.keyClick(wall, key)  # type: ignore[call-overload]

        assert (1, 1) == (window.session.state.look.layer, window.session.state.look.head)
        assert serial == window.session.serial

    journey.run(script)


def test_the_wheel_over_the_knobs_scrolls_and_turns_nothing(journey: Journey) -> None:
    """A slider, a choice or a number that was not chosen first leaves the wheel to the panel."""

    def script(window: Window) -> None:
        journey.settle(window)
        before = window.session.state.wish
        for row in window.knobs.rows.values():
            for widget in (row.editor, row.slider):
                if widget is not None:
                    place = QPointF(widget.rect().center())
                    wheel = QWheelEvent(
                        place,
                        place,
                        QPoint(),
                        QPoint(0, -240),
                        Qt.MouseButton.NoButton,
                        Qt.KeyboardModifier.NoModifier,
                        Qt.ScrollPhase.NoScrollPhase,
                        False,
                    )
                    QApplication.sendEvent(widget, wheel)
        assert before == window.session.state.wish

    journey.run(script)


def test_shortcuts_work_while_the_sentence_has_the_focus(journey: Journey, qtbot: QtBot) -> None:
    """Ctrl+E exports and Ctrl+K hides the knobs, though a line edit would like both keys for itself."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        edit = window.sentences.source_edit
        edit.setFocus()
        QTest.keySequence(edit, "Ctrl+K")
        assert not window.side.isVisible()
        QTest.keySequence(edit, "Ctrl+E")
        assert [w for w in window.findChildren(QDialog) if w.isVisible()]

    journey.run(script)


def test_undo_takes_a_typed_number_back(journey: Journey) -> None:
    """Though the box that it was typed into has the keys, and an undo of its own."""

    def script(window: Window) -> None:
        journey.settle(window)
        box = window.knobs.rows["d_model"].editor
        box.setFocus()
        box.selectAll()
        QTest.keyClicks(box, "128")
        QTest.keyClick(box, Qt.Key.Key_Return)
        assert window.session.state.wish.config.d_model == 128
        # What Qt asks the box before it looks for a shortcut: whoever accepts takes the key for itself.
        asked = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        QApplication.sendEvent(box, asked)
        assert not asked.isAccepted()
        other = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QApplication.sendEvent(box, other)
        assert other.isAccepted()

    journey.run(script)


def test_what_the_program_settled_is_said_and_stays(journey: Journey) -> None:
    """Seven heads do not divide 64: the sentence outlives the frame that comes at once."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetKnob("n_heads", 7))
        journey.settle(window)
        assert window.status.message.text() == window.appearance.words("status.heads_settled", d_model=64, n_heads=8)

    journey.run(script)


def test_a_device_is_offered_only_where_there_is_one(journey: Journey) -> None:
    """With the processor alone there is nothing to choose."""

    def script(window: Window) -> None:
        journey.settle(window)
        row = window.knobs.rows["device"]
        assert row.isHidden() == (window.session.frame.devices == ("cpu",))
        window.knobs.offer("device", ("cpu", "cuda"))
        assert not row.isHidden()
        assert [row.editor.model().item(place).isEnabled() for place in range(3)] == [True, True, False]

    journey.run(script)
