"""The inspector: any tap of any model, head by head."""

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.app.pages.inspector_page import InspectorPage
from explorer.engine.compute import Computer
from explorer.engine.errand import MeasureTaps
from explorer.lang import Words
from explorer.picture.cell_text import number
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.views.pictures.tap_rows import COLUMNS
from tests.picture.examples import example
from tests.trace.foreign import MAP, NAMES, foreign_trace, grouped_trace


def drawn(qtbot: QtBot, trace: Trace, look: Look) -> InspectorPage:
    page, words = InspectorPage(), Words.load("en")
    qtbot.addWidget(page)
    page.speak(words)
    page.resize(1100, 600)
    with qtbot.waitExposed(page):
        page.show()
    page.draw(trace, look.fitted(trace), words)
    assert not page.grab().isNull()
    return page


@pytest.mark.parametrize("name", NAMES)
def test_a_tap_of_an_unknown_name_can_be_looked_at(qtbot: QtBot, name: str) -> None:
    """With a box for its head where it has heads."""
    page = drawn(qtbot, foreign_trace(), Look(tap=name, head=2))

    assert page.head.isVisible() == (name == MAP)
    assert (page.head.maximum(), page.head.value()) == ((3, 2) if name == MAP else (0, 0))


def test_the_box_counts_the_heads_of_the_tap(qtbot: QtBot) -> None:
    """Of two keys that four heads share there are two, whichever head was looked at before."""
    _copied, shared = grouped_trace()
    look = Look(tap="decoder.layers.0.self_attn.key", head=3)
    page = drawn(qtbot, shared, look)
    assert (page.head.maximum(), page.head.value()) == (1, 1)

    page.draw(shared, attrs.evolve(look, tap="decoder.layers.0.self_attn.query").fitted(shared), Words.load("en"))
    assert (page.head.maximum(), page.head.value()) == (3, 3)


def test_the_card_goes_below_a_table_that_has_no_room_beside_it(qtbot: QtBot) -> None:
    """So that no column is out of sight; and comes back beside it."""
    page = drawn(qtbot, foreign_trace(), Look(tap=MAP))
    for wide, beside in ((1300, True), (900, False), (1300, True)):
        page.resize(wide, 600)
        qtbot.waitUntil(lambda beside=beside: (_left(page.table) + page.table.width() <= _left(page.shown)) == beside)
        assert page.table.table.horizontalScrollBar().maximum() == 0


def _left(widget: QWidget) -> int:
    """The left edge of a widget in its window (px)."""
    return widget.mapTo(widget.window(), QPoint(0, 0)).x()


class Desk:
    """An inspector, whose errands wait until the test lets a Computer do them."""

    def __init__(self, qtbot: QtBot, trace: Trace) -> None:
        self.qtbot, self.trace, self.words, self.sent = qtbot, trace, Words.load("en"), list[MeasureTaps]()
        self.page = InspectorPage()
        self.page.sent.connect(self.sent.append)
        self.page.speak(self.words)
        self.page.resize(1300, 600)
        qtbot.addWidget(self.page)
        with qtbot.waitExposed(self.page):
            self.page.show()
        self.draw(trace)

    def draw(self, trace: Trace) -> None:
        self.page.draw(trace, Look(tap=trace.names()[0]).fitted(trace), self.words)

    def asked(self) -> MeasureTaps:
        self.qtbot.waitUntil(lambda: bool(self.sent) and self.sent[-1].n_pieces > 0)
        return self.sent[-1]

    def measure(self) -> None:
        errand = self.asked()
        for piece in range(errand.n_pieces):
            self.page.bring(Computer().piece(errand, piece, lambda: False))

    def row(self, row: int) -> list[str]:
        shown = self.page.table.table.model()
        return [shown.index(row, column).data() for column in range(shown.columnCount())]

    def click(self, column: str) -> None:
        header = self.page.table.table.horizontalHeader()
        place = header.sectionViewportPosition(COLUMNS.index(column)) + header.sectionSize(COLUMNS.index(column)) // 2
        self.qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place, header.height() // 2))


def test_figures_come_beside_the_pass(qtbot: QtBot) -> None:
    """Nothing is measured on the window's thread: dots stand there until they come, and then NumPy's own numbers."""
    desk = Desk(qtbot, example())
    measured = COLUMNS.index("min")
    assert desk.row(0)[measured:] == ["…"] * 7
    asked = [name for group in desk.asked().groups for name in group]
    assert 0 < len(asked) < len(desk.trace.names())  # those that are on screen
    desk.measure()
    first = desk.trace[desk.trace.names()[0]].astype(np.float64)

    assert desk.row(0)[measured:] == [number(float(each)) for each in (first.min(), first.max(), first.mean(), first.std())] + [
        "0%",
        "0%",
        "f32",
    ]
    assert desk.sent[-1] == MeasureTaps()  # The thread keeps no pass that nobody asks about.


def test_the_last_figures_stay_until_the_new_ones_come(qtbot: QtBot) -> None:
    """Faint; and what is brought of the pass before does not count any more."""
    desk = Desk(qtbot, example())
    older = desk.asked()
    desk.measure()
    before, rows = desk.row(0), desk.page.table.table.model().sourceModel()
    assert rows.cells(0) == (before, True)
    desk.draw(example(text="狗爱北京天安门"))
    assert desk.row(0) == before
    assert rows.cells(0) == (before, False)  # `test_tap_table.py` sees that this is faint.
    desk.page.bring(Computer().piece(older, 0, lambda: False))
    assert desk.row(0) == before
    desk.measure()
    assert desk.row(0) != before
    assert rows.cells(0) == (desk.row(0), True)


def test_sorted_by_difference_the_taps_that_part_most_come_first(qtbot: QtBot) -> None:
    """All taps are measured for it; the third click goes back to the order of computation."""
    trace = attrs.evolve(example(), compared_with=example(temperature=0.5))
    desk = Desk(qtbot, trace)
    desk.click("difference")
    desk.qtbot.waitUntil(lambda: sum(map(len, desk.asked().groups)) == len(trace.names()))
    desk.measure()
    other = trace.compared_with
    assert other is not None

    def apart(name: str) -> float:
        with np.errstate(invalid="ignore"):
            return float(np.nanmax(np.abs(trace[name] - other[name])))

    listed = [desk.row(row)[0] for row in range(len(trace.names()))]
    far = [apart(name) for name in listed]
    assert far == sorted(far, reverse=True) and far[0] > 0 and far[-1] == 0
    desk.click("difference")
    desk.click("difference")
    assert [desk.row(row)[0] for row in range(len(trace.names()))] == list(trace.names())


def test_the_difference_stands_below_the_tap_that_both_passes_have(qtbot: QtBot) -> None:
    """Without a second pass, and where shapes differ, neither column nor map is there."""
    desk = Desk(qtbot, attrs.evolve(example(), compared_with=example(temperature=0.5)))
    table = desk.page.table.table
    assert desk.page.difference.isVisible() and not table.isColumnHidden(2)
    desk.click("difference")
    desk.draw(attrs.evolve(example(), compared_with=example(text="我爱")))
    assert not desk.page.difference.isVisible() and not table.isColumnHidden(2)
    desk.measure()
    assert desk.row(0)[2] == "–"
    desk.draw(example())
    assert not desk.page.difference.isVisible() and table.isColumnHidden(2)
    assert [desk.row(row)[0] for row in range(3)] == list(example().names()[:3])
