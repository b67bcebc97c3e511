"""What a person typed or turned is not told to the box that said it: of all parts, as few as need it hear of a change."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from explorer.app.session import told
from explorer.config import KNOBS
from tests.app.shell.opening import Opened, spied_rows, spy


@pytest.mark.parametrize(("field", "box"), [("text", "source_edit"), ("target", "target_edit")])
def test_what_was_typed_is_not_sent_back_into_its_box(
    field: str, box: str, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An input method may be composing there. Every knob is left alone as well."""
    edit = getattr(opened.window.sentences, box)
    edit.clear()
    put, set_text = (spy(monkeypatch, edit, name) for name in ("put", "setText"))
    rows = spied_rows(monkeypatch)
    edit.insert("你好")

    assert getattr(opened.session.state.wish, field) == "你好"
    assert (put, set_text, rows) == ([], [], {})
    opened.session.undo()
    assert len(put) == len(set_text) == 1, "undo was not said in this box"


def test_of_all_knobs_the_one_that_was_turned_is_told(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once: its slider and its box have to agree. No sentence is touched."""
    rows = spied_rows(monkeypatch)
    sentences = opened.window.sentences
    texts = [spy(monkeypatch, edit, "setText") for edit in (sentences.source_edit, sentences.target_edit)]
    slider = opened.window.knobs.rows["temperature"].slider
    assert slider is not None
    QTest.keyClick(slider, Qt.Key.Key_Right)

    assert opened.session.state.wish.config.temperature != 1.0
    assert rows == {"temperature": 1}
    assert texts == [[], []]


def test_each_knob_tells_its_row_alone(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever it is; only where heads were settled, every row is shown again."""
    rows = spied_rows(monkeypatch)
    settled: list[str] = []
    turned: list[str] = []
    opened.session.told.connect(lambda value: settled.append(turned[-1]) if isinstance(value, told.Settled) else None)
    for knob in KNOBS:
        row = opened.window.knobs.rows[knob.name]
        rows.clear()
        turned.append(knob.name)
        if isinstance(row.editor, QComboBox):
            row.editor.setCurrentIndex((row.editor.currentIndex() + 1) % row.editor.count())
        elif row.slider is not None:
            row.slider.setValue(row.slider.value() + (1 if row.slider.value() < row.slider.maximum() else -1))
        else:
            row.editor.toggle()  # type: ignore[union-attr]  # a check box
        assert rows == (dict.fromkeys(opened.window.knobs.rows, 1) if knob.name in settled else {knob.name: 1}), knob.name
        opened.session.undo()
    assert settled == ["n_heads"]


def test_a_knob_that_was_settled_shows_what_it_was_settled_to(opened: Opened) -> None:
    """The number that was typed does not stay in its box."""
    box = opened.window.knobs.rows["n_heads"].editor
    box.setFocus()
    box.selectAll()  # type: ignore[union-attr]  # a number's editor
    QTest.keyClicks(box, "7")
    QTest.keyClick(box, Qt.Key.Key_Return)

    n_heads = opened.session.state.wish.config.n_heads
    assert (n_heads, box.value()) == (8, 8.0)  # type: ignore[union-attr]  # a number's editor
    assert opened.window.status.message.text() == opened.words("status.heads_settled", d_model=64, n_heads=n_heads)


def test_undo_puts_everything_back(opened: Opened) -> None:
    """Into the boxes that said it as well."""
    window = opened.window
    first = window.sentences.source_edit.text()
    window.sentences.source_edit.setText("你好")
    slider = window.knobs.rows["temperature"].slider
    assert slider is not None
    QTest.keyClick(slider, Qt.Key.Key_Right)
    for _ in range(2):
        window.actions_.by_name["undo"].trigger()

    assert (window.sentences.source_edit.text(), opened.session.state.wish.text) == (first, first)
    assert window.knobs.rows["temperature"].editor.value() == 1.0  # type: ignore[union-attr]  # a number's editor
    assert not window.actions_.by_name["undo"].isEnabled()
    for _ in range(2):
        window.actions_.by_name["redo"].trigger()
    assert window.sentences.source_edit.text() == "你好"
    assert opened.session.state.wish.config.temperature == window.knobs.rows["temperature"].editor.value() != 1.0  # type: ignore[union-attr]
