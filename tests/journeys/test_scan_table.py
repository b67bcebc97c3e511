"""The table of a scan, as a user meets it."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from explorer.app.shell.scan_window import ScanWindow
from explorer.app.shell.window import Window
from explorer.engine.request import Request
from explorer.picture.theme import DARK
from explorer.scanning.plan import ScanPlan
from explorer.scanning.rows import rows_of
from explorer.scanning.run import scan_file
from explorer.state.held_out import held_out
from explorer.trace.measures.scan_sums import SCAN_MEASURES
from explorer.trace.measures.scan_table import ScanTable
from tests.dragging import entering
from tests.journeys.conftest import Journey
from tests.scanning.fakes import fake

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of two measures of made-up numbers, with a sentence that could not be measured."""
    plan = ScanPlan(wish=Request.from_preset("tiny", "").wish, measures=SCAN_MEASURES, best=5)
    scan_file(plan, rows_of((*held_out(40), "")), tmp_path / "corpus.json", measure=fake)
    return tmp_path / "corpus.json"


def dropped(window: Window, path: Path) -> None:
    what, actions, no_keys = QMimeData(), Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    what.setUrls([QUrl.fromLocalFile(str(path))])
    entered = entering(what, QPoint(9, 9))
    window.dragEnterEvent(entered)
    assert entered.isAccepted()
    window.dropEvent(QDropEvent(QPointF(9, 9), actions, what, LEFT, no_keys))


def opened(journey: Journey, window: Window) -> ScanWindow:
    journey.wait(lambda: window.scans.shown is not None and window.scans.shown.isVisible())
    assert window.scans.shown is not None
    return window.scans.shown


def clicked(shown: ScanWindow, row: int) -> None:
    place = shown.sentences.visualItemRect(shown.sentences.item(row)).center()
    QTest.mouseClick(shown.sentences.viewport(), LEFT, pos=place)


def test_a_click_on_a_sentence_puts_it_into_the_window(journey: Journey, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads stand by their means, the chosen one's sentences beside them; the main window then looks at that head."""
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_given: (str(table), ""))

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["open_file"].trigger()
        shown = opened(journey, window)
        assert isinstance(shown.table, ScanTable) and shown.table.n_measured == 40
        rows = shown.table.rows("entropy")
        means = [row.mean for row in rows]
        assert means == sorted(means, reverse=True) and shown.heads.count() == len(rows) == 6
        assert "40" in shown.about.text() and shown.left_out.isVisible()
        place = next(n for n, row in enumerate(rows) if n and row.layer == 0)
        shown.heads.setCurrentRow(place)
        own = rows[place]
        assert all(each.text in shown.sentences.item(n).toolTip() for n, each in enumerate(own.best))
        clicked(shown, 1)
        journey.settle(window)
        state = window.session.state
        assert state.wish.text == own.best[1].text
        assert (state.look.attention, state.look.layer, state.look.head) == (own.attention, own.layer, own.head)
        assert shown.isVisible()

    journey.run(script)


def test_a_dropped_table_opens_and_follows_language_theme_and_measure(journey: Journey, table: Path) -> None:
    """A measure of the whole sentence has one row, and looks at no head."""

    def script(window: Window) -> None:
        journey.settle(window)
        dropped(window, table)
        shown = opened(journey, window)
        shown.measure.setCurrentIndex(shown.measure.findData("probability"))
        assert shown.heads.count() == 1 and "整句" in shown.heads.item(0).toolTip()
        look = window.session.state.look
        clicked(shown, 0)
        journey.settle(window)
        assert window.session.state.look.layer == look.layer
        window.appearance.switch_language()
        journey.wait(lambda: "whole sentence" in shown.heads.item(0).toolTip())
        assert shown.measure.currentData() == "probability"
        before = shown.heads.grab().toImage()
        window.scans.set_theme(DARK)
        assert shown.heads.grab().toImage() != before
        shown.leave.click()
        assert not shown.isVisible()
        dropped(window, table)
        opened(journey, window)

    journey.run(script)


def test_a_file_that_is_no_table_is_told_and_nothing_opens(journey: Journey, table: Path) -> None:
    """In the line below; a table opens after it all the same."""

    def script(window: Window) -> None:
        journey.settle(window)
        text = table.read_text("utf-8")
        table.write_text(text[:-40], encoding="utf-8")
        dropped(window, table)
        journey.wait(lambda: "corpus.json" in window.refusals.text.text())
        assert window.scans.shown is None
        table.write_text(text, encoding="utf-8")
        dropped(window, table)
        opened(journey, window)

    journey.run(script)
