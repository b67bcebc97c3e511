"""A row of tokens that goes on says so."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QImage, QPaintEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.kinds import Caption, TokenRow
from explorer.tokens.token import Token
from explorer.views.pictures.token_row import TokenRowView

LEFT, RIGHT, TOP, BOTTOM = Qt.Edge.LeftEdge, Qt.Edge.RightEdge, Qt.Edge.TopEdge, Qt.Edge.BottomEdge


def row(n: int) -> TokenRow:
    chips = tuple(Token(text=f"词{i}", id=i, start=i, end=i + 1, known=True) for i in range(n))
    return TokenRow(chips=chips, side="source", text="词" * n, caption=Caption(title="t", tap="", shape=""))


def shown(qtbot: QtBot, words: Words, n: int, *, wrap: bool = False) -> TokenRowView:
    view = TokenRowView(wrap=wrap)
    qtbot.addWidget(view)
    view.resize(300, 60)
    view.draw(row(n), words)
    with qtbot.waitExposed(view):
        view.show()
    return view


@pytest.mark.parametrize(("wrap", "before", "behind"), [(False, LEFT, RIGHT), (True, TOP, BOTTOM)])
def test_the_edge_says_that_there_is_more(qtbot: QtBot, words: Words, wrap: bool, before: Qt.Edge, behind: Qt.Edge) -> None:
    """Behind at first, on both sides in the middle, before at the end; a row that fits has no such edge."""
    view = shown(qtbot, words, 200, wrap=wrap)
    assert view.edges() == (behind,)
    plain = view.grab().toImage()
    view.scroll_by(100)
    assert view.edges() == (before, behind) and view.grab().toImage() != plain
    view.scroll_by(10**6)
    assert view.edges() == (before,)
    view.scroll_by(-(10**6))
    assert view.edges() == (behind,)
    assert shown(qtbot, words, 2, wrap=wrap).edges() == ()


def test_a_click_on_the_edge_scrolls(qtbot: QtBot, words: Words) -> None:
    """Most of a row on, and back; it selects no token."""
    view = shown(qtbot, words, 40)
    view.selected = 1
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(295, 30))
    assert view.edges() == (LEFT, RIGHT) and view.selected == 1
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(4, 30))
    assert view.edges() == (RIGHT,) and view.selected == 1
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(20, 30))
    assert view.selected == 0, "where there is no edge, a token is chosen"


def test_the_wheel_scrolls_to_the_last_token(qtbot: QtBot, words: Words) -> None:
    """And no further."""
    view = shown(qtbot, words, 60)
    for _ in range(200):
        event = QWheelEvent(
            QPointF(50, 30), QPointF(50, 30), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view, event)
    assert view.edges() == (LEFT,)
    assert view.chip_at(QPoint(290, 30)) == 59


def test_the_same_tokens_are_not_painted_again(qtbot: QtBot, words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slider of the model changes no word of the source; another word, another language and fading are painted."""
    painted: list[bool] = []
    paint = TokenRowView.paintEvent

    def paint_and_note(self: TokenRowView, event: QPaintEvent) -> None:
        painted.append(True)
        paint(self, event)

    monkeypatch.setattr(TokenRowView, "paintEvent", paint_and_note)
    view = shown(qtbot, words, 5)

    def paints(act: Callable[[], object]) -> bool:
        painted.clear()
        act()
        QApplication.processEvents()
        return bool(painted)

    QApplication.processEvents()
    assert not paints(lambda: view.draw(row(5), words))
    assert not paints(lambda: view.light(frozenset()))
    assert not paints(lambda: view.set_stale(False))
    larger = QFont(view.font())
    larger.setPointSizeF(2 * larger.pointSizeF())
    assert paints(lambda: view.setFont(larger))
    assert not paints(lambda: view.draw(row(5), words))
    assert paints(lambda: view.draw(row(6), words))
    assert paints(lambda: view.draw(row(6), Words.load("en")))
    assert paints(lambda: view.light(frozenset({("source", 1)})))
    assert paints(lambda: view.set_stale(True))


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("larger", [1.0, 1.5, 2.0])
def test_no_text_strikes_the_figures_below_it(qtbot: QtBot, words: Words, wrap: bool, larger: float) -> None:
    """In letters of any size a line without ink parts them, also below descenders and the mark of a space."""
    view = TokenRowView(wrap=wrap)
    qtbot.addWidget(view)
    font = view.font()
    font.setPointSizeF(larger * font.pointSizeF())
    view.setFont(font)
    chip = Token(text="␣gj", id=82, start=2, end=6, known=True)
    view.resize(400, 200)
    view.draw(TokenRow(chips=(chip,), side="source", text="␣gj", caption=Caption(title="t", tap="", shape="")), words)
    with qtbot.waitExposed(view):
        view.show()
    inside = view.chip_rect(0).toRect().adjusted(4, 4, -4, -4)
    image = view.grab(inside).toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    grey = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)[:, : image.width()]  # [y, x]
    inked = (grey < grey.max() - 40).any(axis=1)
    begins = int((np.diff(np.concatenate([[0], inked.astype(int)])) == 1).sum())
    assert begins == 3, "the dots of i and j, the word, the figures"
