"""A card in all the page's room, and a hall that sees one card after the other."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontInfo
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from explorer.app.shell.notices import NoticeLine
from explorer.app.shell.window import Window
from explorer.errors import DiskFull, EmptyText
from explorer.views.painting.style import Restyling
from explorer.views.painting.surface import Surface
from explorer.views.pictures.account import AccountView
from explorer.views.pictures.river import RiverView
from tests.journeys.conftest import Journey
from tests.pointing import hover
from tests.sweeps import sweep


def test_a_card_is_enlarged_and_put_back(journey: Journey) -> None:
    """By its button; it follows what is typed, is the one that is exported, and Esc's action puts it back where it was."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("attention")
        journey.settle(window)
        page = window.page_stack.page
        card = page.cards[1]
        before = card.geometry(), card.parentWidget()
        QTest.mouseClick(card.larger, Qt.MouseButton.LeftButton)
        journey.wait(lambda: card.width() > 0.9 * page.width())
        assert card.height() > 0.9 * page.height() and card.larger.text() == "×"
        assert window.page_stack.main_card() is card
        picture = card.picture
        QTest.keyClicks(window.sentences.source_edit, "ok")
        journey.settle(window)
        assert card.picture is not picture
        other = page.cards[0]
        page.enlarge(other)
        assert page.enlarged.card is other and card.parentWidget() is before[1]
        journey.settle(window)
        window.actions_.by_name["stop"].trigger()  # What Esc does.
        journey.wait(lambda: page.enlarged.card is None and card.geometry() == before[0])
        assert window.session.state.page == "attention"

    journey.run(script)


def test_a_clicker_goes_from_card_to_card(journey: Journey) -> None:
    """F5 leaves sentence and card, in large letters; Page Down goes on, also to the next page; Esc ends it."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("embedding")
        journey.settle(window)
        points = QApplication.font().pointSizeF()
        window.actions_.by_name["present"].trigger()
        journey.settle(window)
        assert window.isFullScreen() and not window.header.isVisible() and not window.status.isVisible()
        assert window.sentences.isVisible() and QApplication.font().pointSizeF() > points
        seen = [window.page_stack.page.enlarged.card]
        assert seen[0] is not None
        for _ in range(30):
            QTest.keyClick(window, Qt.Key.Key_PageDown)
            journey.settle(window)
            assert not window.page_stack.above.where.isVisible()
            seen.append(window.page_stack.page.enlarged.card)
            if window.page_stack.page.key != "embedding":
                break
        assert window.page_stack.page.key == "position" and seen[-1] is window.page_stack.page.enlarged.card
        assert len({id(card) for card in seen}) == len(seen)
        QTest.keyClick(window, Qt.Key.Key_PageUp)
        journey.settle(window)
        assert window.page_stack.page.key == "embedding"
        QTest.keyClick(window, Qt.Key.Key_Escape)
        journey.wait(window.header.isVisible)
        assert window.status.isVisible() and QApplication.font().pointSizeF() == points
        assert window.page_stack.page.enlarged.card is None and not window.isFullScreen()

    journey.run(script)


def test_the_sentence_is_the_largest_text_of_a_talk(journey: Journey) -> None:
    """Larger than all around it; a text that has no room in such letters is still seen whole; afterwards all is as before."""

    def script(window: Window) -> None:
        journey.settle(window)
        edit, other = window.sentences.source_edit, window.sentences.target_edit
        before = [(each.font().pixelSize(), each.height()) for each in (edit, other)]
        window.actions_.by_name["present"].trigger()
        journey.settle(window)
        here = [each for each in window.findChildren(QWidget) if each.isVisible() and each not in (edit, other)]
        largest = max(QFontInfo(each.font()).pixelSize() for each in here)
        assert edit.font().pixelSize() == other.font().pixelSize() == 34 > 1.5 * largest
        edit.insert("，" + "再来一次" * 9)
        journey.settle(window)
        wide = edit.fontMetrics().horizontalAdvance(edit.text())
        assert 17 < edit.font().pixelSize() < 34 and edit.width() - 140 < wide < edit.width() - 40
        window.actions_.by_name["present"].trigger()
        journey.settle(window)
        assert [(each.font().pixelSize(), each.height()) for each in (edit, other)] == before

    journey.run(script, "--preset", "translator")


def test_letters_of_every_picture_are_larger_in_a_hall(journey: Journey) -> None:
    """Also those with sizes of their own: the river is drawn as in a smaller window, half as large again; the mouse knows."""

    def script(window: Window) -> None:
        journey.settle(window)
        view = window.page_stack.page.cards[0].view
        assert isinstance(view, RiverView) and view.grid is not None
        window.actions_.by_name["present"].trigger()
        journey.settle(window)
        size = view.size()
        journey.wait(lambda: view.grid is not None and abs(view.grid.width - size.width() / 1.5) <= 1)
        for _ in range(20):
            QApplication.processEvents()
        places = [QPoint(x, y) for y in range(0, size.height(), 9) for x in range(0, size.width(), 9)]
        there = next(each for each in places if getattr(view.place_at(QPointF(each) * (1 / 1.5)), "kind", "") == "token")
        hover(view, there)
        assert view.pointing is not None and view.pointing.place == view.place_at(QPointF(there) * (1 / 1.5))
        window.go("why")
        journey.settle(window)
        assert {card.view.letters for card in window.page_stack.page.cards if isinstance(card.view, Surface)} == {1.5}
        assert {card.view.larger for card in window.page_stack.page.cards if isinstance(card.view, AccountView)} == {1.5}
        window.actions_.by_name["present"].trigger()
        window.go("overview")
        journey.settle(window)
        journey.wait(lambda: view.grid is not None and view.grid.width == view.width())

    journey.run(script, "--preset", "translator")


@pytest.mark.parametrize("look", sweep([("en", 1440, 850), ("zh", 1024, 700), ("en", 1024, 700)], telling=[("en", 1024, 700)]))
def test_after_a_talk_all_that_stands_around_is_as_before(journey: Journey, look: tuple[str, int, int]) -> None:
    """The header names the pages that it named, nothing is cut in it, and every line is as high as it was; twice."""

    language, *size = look

    def script(window: Window) -> None:
        window.resize(*size)
        journey.settle(window)
        application = QApplication.instance()
        assert application is not None
        before = _around(window)
        for _talk in range(2):
            window.actions_.by_name["present"].trigger()
            journey.settle(window)
            journey.wait(lambda: not application.findChild(Restyling).busy)
            window.actions_.by_name["present"].trigger()
            journey.settle(window)
            journey.wait(lambda: not application.findChild(Restyling).busy)
            QApplication.processEvents()
            assert _around(window) == before

    journey.run(script, "--language", language)


def test_no_line_stands_above_a_talk(journey: Journey) -> None:
    """Neither what was said before, nor what is said meanwhile; afterwards there stands what still holds."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.refusals.tell(EmptyText())
        window.hanging.tell(12, window.appearance.words)
        window.actions_.by_name["present"].trigger()
        journey.settle(window)
        window.refusals.tell(DiskFull(path="/b"))
        window.hanging.tell(0, window.appearance.words)
        lines = window.findChildren(NoticeLine)
        assert len(lines) > 3 and not [line for line in lines if line.isVisible()]
        window.actions_.by_name["present"].trigger()
        journey.wait(window.refusals.isVisible)
        assert window.appearance.words.error(DiskFull(path="/b")) == window.refusals.text.text()
        assert not window.hanging.isVisible()

    journey.run(script)


def _around(window: Window) -> dict[str, object]:
    """The texts and places of all in the header, and how high the lines are."""
    buttons = [each for each in window.header.findChildren(QToolButton) if each.isVisible()]
    cut = [each.text() for each in buttons if each.width() < each.sizeHint().width()]
    return {
        "texts": [(each.text(), each.geometry().getRect()) for each in buttons],
        "cut": cut,
        "wide": window.width(),
        "high": [each.height() for each in (window, window.header, window.sentences, window.status, window.menuBar())],
    }
