"""Keyboard, screen readers, languages, narrow windows."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QSlider, QTableView

from explorer.app.pages.tokens_page import EXAMPLE
from explorer.app.shell.window import Window
from explorer.state.intents import SetKnob, SetText
from explorer.views.pictures.river import RiverView
from tests.journeys.conftest import Journey


@pytest.mark.parametrize(
    ("page", "views"), [("overview", ["RiverView"]), ("attention", ["StripsView", "HeadGridView", "HeatmapView"])]
)
def test_tab_goes_round_through_all_parts(journey: Journey, page: str, views: list[str]) -> None:
    """Pressing Tab often enough visits sentence, chips, the river or the maps, and knobs."""

    def script(window: Window) -> None:
        window.go(page)
        journey.settle(window)
        window.sentences.source_edit.setFocus()
        visited = set()
        for _ in range(120):
            focused = QApplication.focusWidget() or window.focusWidget()
            assert focused is not None
            visited.add(type(focused))
            QTest.keyClick(focused, Qt.Key.Key_Tab)
        assert {"SentenceEdit", "TokenRowView", *views} <= {kind.__name__ for kind in visited}
        assert any(issubclass(kind, QSlider) for kind in visited)

    journey.run(script)


def test_a_part_opens_as_its_page(journey: Journey) -> None:
    """Enter opens the block that the river looks at in place, Enter again its page; Escape closes it and stops nothing."""

    def script(window: Window) -> None:
        journey.settle(window)
        (card,) = window.page_stack.page.cards
        view = card.view
        assert isinstance(view, RiverView)
        view.setFocus()
        for key, opened in ((Qt.Key.Key_Return, "attention"), (Qt.Key.Key_Escape, ""), (Qt.Key.Key_Return, "attention")):
            QTest.keyClick(view, key)
            assert opened == window.session.state.look.opened
            assert view.picture is not None and (view.picture.opened is not None) == bool(opened)
        QTest.keyClick(view, Qt.Key.Key_Return)
        assert "attention" == window.page_stack.page.key

    journey.run(script)


def test_all_text_changes_with_the_language(journey: Journey) -> None:
    """After switching to English no Chinese is left but that of sentences, and the button that leads back."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(SetText("hello"))
        journey.settle(window)
        window.actions_.by_name["language"].trigger()
        journey.settle(window)
        for key in window.actions_.pages:
            window.go(key)
            texts = [w.text() for w in window.findChildren(QLabel)] + [w.text() for w in window.findChildren(QAbstractButton)]
            texts += [box.itemText(i) for box in window.findChildren(QComboBox) for i in range(box.count())]
            texts += [w.toolTip() for w in window.findChildren(QSlider)]
            words = {EXAMPLE, *window.session.frame.trace.symbols}  # What a model reads and says is in its own language.
            texts = [text for text in texts if not {text, text.rpartition(" ")[2]} & words]
            chinese = [text for text in texts if any("\u4e00" <= letter <= "\u9fff" for letter in text)]
            assert ["中文"] * len(chinese) == chinese, key

    journey.run(script)


@pytest.mark.parametrize("page", ["position"])
def test_a_note_moves_no_card(journey: Journey, page: str) -> None:
    """Where positions add nothing a card says so, and all cards keep their size."""

    def script(window: Window) -> None:
        window.go(page)
        journey.settle(window)
        before = [card.size() for card in window.page_stack.page.cards]
        window.session.ask(SetKnob("position", "alibi"))
        journey.settle(window)
        assert any(card.note.isVisible() for card in window.page_stack.page.cards)
        assert before == [card.size() for card in window.page_stack.page.cards]

    journey.run(script)


def test_the_inspector_shows_all_its_columns_at_once(journey: Journey) -> None:
    """At 1440 pixels nobody has to scroll for the share of NaN."""

    def script(window: Window) -> None:
        window.resize(1440, 860)
        window.go("inspector")
        journey.settle(window)
        (table,) = window.page_stack.page.findChildren(QTableView)
        assert table.horizontalScrollBar().maximum() == 0

    journey.run(script)
