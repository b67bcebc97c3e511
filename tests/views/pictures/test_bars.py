"""Bars on screen: what is cut, what is chosen, and what the mouse and the keys do."""

import math
from html import escape

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.kinds import Bars, Caption
from explorer.picture.scales import LEVELS, Scale, table
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.views.pictures.bars import BarsView
from tests.pointing import hover

_DATA = tuple(int(channel) for channel in table("cividis")[LEVELS // 3])


def bars(n: int = 6, **changes: object) -> Bars:
    values = np.linspace(0.6, 0.1, n).astype(np.float32)
    made = Bars(
        values=values,
        labels=tuple(f"symbol {i}" for i in range(n)),
        ids=tuple(range(100, 100 + n)),
        scale=Scale(0, 0.6, "cividis"),
        caption=Caption(title="t", tap="a.tap", shape="[vocab 6]"),
        cut=np.arange(n) >= n - 2,
        chosen=1,
    )
    return attrs.evolve(made, **changes)


def shown(qtbot: QtBot, words: Words, picture: Bars, theme: Theme = LIGHT, size: tuple[int, int] = (420, 300)) -> BarsView:
    view = BarsView()
    qtbot.addWidget(view)
    view.set_theme(theme)
    view.draw(picture, words)
    view.resize(*size)
    with qtbot.waitExposed(view):
        view.show()
    return view


def colours(image: QImage, place: QPointF, reach: int = 4) -> set[str]:
    """All colours near a pixel: hatching has two."""
    x, y = place.toPoint().toTuple()
    return {image.pixelColor(a, b).name() for a in range(x - reach, x + reach + 1) for b in range(y - reach, y + reach + 1)}


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_what_is_cut_is_hatched_and_never_has_a_data_colour(qtbot: QtBot, words: Words, theme: Theme) -> None:
    """Kept bars in the one data colour, cut ones in the two greys of what is closed."""
    view = shown(qtbot, words, bars(), theme)
    image = view.grab().toImage()
    for index in range(6):
        seen = colours(image, view.bar_rect(index).center())
        greys = {QColor(theme.closed).name(), QColor(theme.closed_line).name()}
        assert seen == ({QColor(*_DATA).name()} if index < 4 else greys), index


def test_without_a_cut_all_bars_are_data(qtbot: QtBot, words: Words) -> None:
    """The test above could not tell otherwise."""
    view = shown(qtbot, words, bars(cut=None))
    image = view.grab().toImage()
    assert all(colours(image, view.bar_rect(index).center()) == {QColor(*_DATA).name()} for index in range(6))


@pytest.mark.parametrize("chosen", [None, 0, 5])
def test_the_chosen_bar_alone_is_outlined(qtbot: QtBot, words: Words, chosen: int | None) -> None:
    """In the accent, cut or not."""
    view = shown(qtbot, words, bars(chosen=chosen))
    image = view.grab().toImage()
    accent = QColor(LIGHT.accent).name()
    outlined = [
        index
        for index in range(6)
        if accent in colours(image, QPointF(view.bar_rect(index).center().x(), view.bar_rect(index).top() - 1), 1)
    ]
    assert outlined == ([] if chosen is None else [chosen])


def test_a_click_chooses_the_id_of_the_bar(qtbot: QtBot, words: Words) -> None:
    """The label and the figure belong to the bar; a press that is let go elsewhere chooses nothing."""
    view = shown(qtbot, words, bars())
    for index, x in ((3, 20), (5, 400), (0, 150)):
        with qtbot.waitSignal(view.chose) as chose:
            QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(x, int(view.row_rect(index).center().y())))
        assert chose.args == [100 + index]
    with qtbot.assertNotEmitted(view.chose):
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=view.row_rect(1).center().toPoint())
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=view.row_rect(4).center().toPoint())
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(100, 290))  # below the last bar
        QTest.mouseClick(view, Qt.MouseButton.RightButton, pos=view.row_rect(1).center().toPoint())


def test_keys_walk_and_enter_chooses(qtbot: QtBot, words: Words) -> None:
    """Down, down, up, the ends, and no further than the ends."""
    view = shown(qtbot, words, bars())
    keys = Qt.Key
    for walk, index in (
        ((keys.Key_Down, keys.Key_Down, keys.Key_Up), 1),
        ((keys.Key_End, keys.Key_Down), 5),
        ((keys.Key_Home, keys.Key_Up), 0),
    ):
        for key in walk:
            QTest.keyClick(view, key)
        with qtbot.waitSignal(view.chose) as chose:
            QTest.keyClick(view, keys.Key_Return)
        assert chose.args == [100 + index]


def test_bars_without_ids_open_their_page(qtbot: QtBot, words: Words) -> None:
    """There is nothing to choose."""
    view = shown(qtbot, words, bars(ids=(), cut=None, chosen=None))
    with qtbot.waitSignal(view.opened), qtbot.assertNotEmitted(view.chose):
        QTest.keyClick(view, Qt.Key.Key_Return)


def test_the_hover_text_tells_all(qtbot: QtBot, words: Words) -> None:
    """Symbol, id, probability and its logarithm, tap; whether it is cut or chosen."""
    view = shown(qtbot, words, bars())
    said: list[str] = []
    view.pointed.connect(lambda pointed: said.append(pointed.text))
    for index in (1, 5, 2):
        hover(view, view.row_rect(index).center().toPoint())
    chosen, cut, plain = said[-3:]
    value = float(bars().values[5])
    for part in ("symbol 5", "105", f"{value:.4g}", f"{math.log(value):.4g}".replace("-", "−"), "a.tap", words("sampling.cut")):
        assert part in cut
    assert words("sampling.chosen") in chosen and words("sampling.chosen") not in cut + plain
    assert words("sampling.cut") not in plain + chosen


def test_a_probability_of_zero_has_a_logarithm(words: Words) -> None:
    """−∞, and no warning."""
    view = BarsView()
    view.draw(bars(values=np.zeros(6, np.float32)), words)
    assert "−∞" in view.describe(0).text


@pytest.mark.parametrize("height", [70, 110, 200, 600])
def test_where_there_is_no_room_some_are_left_out_and_counted(qtbot: QtBot, words: Words, height: int) -> None:
    """No label lies on another, the chosen one stays, and a click means the bar that is seen there."""
    view = shown(qtbot, words, bars(21, chosen=20), size=(420, height))
    seen = [index for index in range(21) if not view.row_rect(index).isEmpty()]
    assert seen[-1] == 20 and seen[:-1] == list(range(len(seen) - 1))
    rows = [view.row_rect(index) for index in seen]
    lowest = 0.75 * view.letter_px * 1.4  # a line of the smallest letters
    assert all(row.height() >= lowest - 1 and row.bottom() <= height + 0.5 for row in rows)
    assert (len(seen) < 21) == (height < 300)
    with qtbot.waitSignal(view.chose) as chose:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=rows[-1].center().toPoint())
    assert chose.args == [120]


def test_a_list_without_room_scrolls(qtbot: QtBot, words: Words) -> None:
    """By wheel and keys to the last bar and back; the bars in between come by in order, and the chosen one stays."""
    view = shown(qtbot, words, bars(21, chosen=0), size=(420, 150))
    view.setFocus()
    n_lines = len([index for index in range(21) if not view.row_rect(index).isEmpty()])
    assert n_lines < 21 and view.grab().toImage() == view.grab().toImage()
    at_rest = view.grab().toImage()
    event = QWheelEvent(
        QPointF(50, 50), QPointF(50, 50), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)
    seen = [index for index in range(21) if not view.row_rect(index).isEmpty()]
    assert seen == [0, *range(4, 3 + n_lines)] and view.grab().toImage() != at_rest
    QTest.keyClick(view, Qt.Key.Key_End)
    with qtbot.waitSignal(view.chose) as chose:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert chose.args == [120]
    QTest.keyClick(view, Qt.Key.Key_Home)
    for _ in range(n_lines):
        QTest.keyClick(view, Qt.Key.Key_Down)
    with qtbot.waitSignal(view.chose) as chose:
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert chose.args == [100 + n_lines]
    assert not view.scroll_by(-100) or view.scroll_by(100)


def test_figures_are_tabular(qtbot: QtBot, words: Words) -> None:
    """All digits are equally wide in the font that is used."""
    view = shown(qtbot, words, bars())
    metrics = QFontMetricsF(view.font())
    assert len({metrics.horizontalAdvance(digit) for digit in "0123456789"}) == 1


@pytest.mark.parametrize("values", [[math.nan] * 6, [0.0] * 6])
def test_bars_of_nothing_are_drawn(qtbot: QtBot, words: Words, values: list[float]) -> None:
    """Without a length, without a fault."""
    view = shown(qtbot, words, bars(values=np.array(values, np.float32)))
    assert all(view.bar_rect(index).width() == 0 for index in range(6))
    assert not view.grab().isNull()


def test_a_label_with_tags_is_shown_as_it_is(qtbot: QtBot, words: Words) -> None:
    """Labels of a model of others come from its folder: the tooltip writes them, and obeys nothing in them."""
    label = "<img src='file:///etc/passwd'> & <b>bold"
    view = shown(qtbot, words, bars(2, labels=(label, "x"), ids=(), cut=None, chosen=None))
    told = view.describe(0)

    assert label in told.text
    assert escape(label) in told.in_short and "<img" not in told.in_short and "<b>" not in told.in_short
    assert view.describe(1).in_short == view.describe(1).text
