"""A label for tables: as high as Qt's own label, and asked for its layout once."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from explorer.views.controls.fitting_labels import TableLabel

TABLE = "<p>a</p><table>" + "<tr><td>0.25</td><td>0.75</td></tr>" * 7 + "</table>"


@pytest.mark.parametrize("text", ["", "one line", "many words " * 40, TABLE, TABLE * 3])
def test_it_is_as_high_as_qts_label(qtbot: QtBot, text: str) -> None:
    """At any width, and after another text."""
    label, other = TableLabel(), QLabel()
    for each in (label, other):
        qtbot.addWidget(each)
        each.setWordWrap(True)
        each.setTextFormat(Qt.TextFormat.RichText)
        each.setText("before")
        each.heightForWidth(200)
        each.setText(text)

    for width in (90, 200, 330):
        assert other.heightForWidth(width) == label.heightForWidth(width)


def test_a_larger_font_is_a_higher_label(qtbot: QtBot) -> None:
    """What was known of the old font is forgotten."""
    label = TableLabel()
    qtbot.addWidget(label)
    label.setText(TABLE)
    before, font = label.heightForWidth(200), label.font()
    font.setPointSize(2 * font.pointSize())
    label.setFont(font)

    assert label.heightForWidth(200) > 1.5 * before


def test_a_width_is_laid_out_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often Qt asks for it."""
    asked: list[int] = []
    height = QLabel.heightForWidth
    monkeypatch.setattr(QLabel, "heightForWidth", lambda self, width: asked.append(width) or height(self, width))
    label = TableLabel()
    qtbot.addWidget(label)
    label.setText(TABLE)
    label.show()
    for _ in range(5):
        label.sizeHint()
        label.minimumSizeHint()
        label.heightForWidth(123)
        label.setText(TABLE)

    assert len(asked) == len(set(asked))
    assert 123 in asked
