"""Cards of a page are hidden and put back, and stay so over starts."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.app.shell.window import Window
from explorer.views.controls.tab_group import tab_stops
from tests.journeys.conftest import Journey
from tests.sweeps import exhaustive

PAGES = ("attention", "embedding", "stepper", "layers", "output", "why")


def opened(journey: Journey, window: Window, key: str) -> Page:
    window.go(key)
    journey.settle(window)
    for _ in range(20):  # A title that breaks gives the others another height, one layout after the other.
        QApplication.processEvents()
    return window.page_stack.page


def shown(page: Page) -> list[Card]:
    return [card for card in page.cards if card.isVisible()]


def click(button: QAbstractButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    QApplication.processEvents()


def test_a_hidden_card_gives_its_room_to_the_others_and_comes_back(journey: Journey) -> None:
    """By the − at its head; its title stands in the line below, and a click there brings it back to where it was."""

    def script(window: Window) -> None:
        journey.settle(window)
        page = opened(journey, window, "attention")
        before = {card: card.geometry() for card in shown(page)}
        wall, head = shown(page)[:2]
        click(head.smaller)
        journey.wait(lambda: wall.width() > 1.8 * before[wall].width())
        line = page.hidden_cards
        assert line.isVisible() and head not in shown(page)
        assert [head.title.text()] == [button.text().removeprefix("+ ") for button in line.buttons if button.isVisible()]
        assert line.buttons[0].accessibleName().endswith(head.title.text()) and not line.all.isVisible()
        assert window.page_stack.main_card() is not head
        click(line.buttons[0])
        journey.wait(lambda: {card: card.geometry() for card in shown(page)} == before)
        assert not line.isVisible() and head.picture is not None

    journey.run(script)


def test_a_card_that_comes_back_shows_the_newest_numbers(journey: Journey) -> None:
    """Hidden cards are not drawn, and are drawn again before they are seen."""

    def script(window: Window) -> None:
        journey.settle(window)
        page = opened(journey, window, "attention")
        head = shown(page)[1]
        click(head.smaller)
        QTest.keyClicks(window.sentences.source_edit, "ok")
        journey.settle(window)
        old = head.picture
        click(page.hidden_cards.buttons[0])
        frame = window.session.frame
        assert frame is not None and head.picture is not old
        assert head.picture.values.shape[-1] == len(frame.trace.tokens.source)  # type: ignore[union-attr]  # It is a Heatmap.

    journey.run(script)


def test_no_page_is_ever_empty(journey: Journey) -> None:
    """On each page all cards but one can be hidden, the room is used; the last one stays, and its button says why."""

    def script(window: Window) -> None:
        journey.settle(window)
        for key in PAGES:
            page = opened(journey, window, key)
            n_cards = len(shown(page))
            while len(shown(page)) > 1:
                n_left = len(shown(page))
                window.page_stack.page.hidden_cards.hide_card(shown(page)[0])
                QApplication.processEvents()
                assert n_left - 1 == len(shown(page)), key
            (last,) = shown(page)
            assert not last.smaller.isEnabled(), key
            assert window.appearance.words("hidden.last") == last.smaller.toolTip(), key
            page.hidden_cards.hide_card(last)
            assert [last] == shown(page), key
            assert page.hidden_cards.all.isVisible() == (n_cards > 2)
            window.actions_.by_name["put_cards_back"].trigger()
            assert n_cards == len(shown(page)), key

    journey.run(script)


def test_hidden_cards_are_remembered(journey: Journey) -> None:
    """The next start names them in its own language without having drawn them, and puts them back."""
    titles: list[str] = []

    def first(window: Window) -> None:
        journey.settle(window)
        page = opened(journey, window, "layers")
        for card in shown(page)[:2]:
            card.view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.
            window.actions_.by_name["hide_card"].trigger()
        titles.extend(card.title.text() for card in page.cards[:2])
        focused = window.focusWidget()
        assert focused is not None and page.isAncestorOf(focused), "keys go to a card in sight"

    def second(window: Window) -> None:
        journey.settle(window)
        page = opened(journey, window, "layers")
        line = page.hidden_cards
        assert len(shown(page)) == len(page.cards) - 2
        assert titles == [button.text().removeprefix("+ ") for button in line.buttons]
        click(line.all)
        assert len(shown(page)) == len(page.cards) and not line.isVisible()

    journey.run(first)
    journey.run_as_left(second)


@exhaustive  # The test of the pages above sees the line on some of them.
def test_every_page_with_several_cards_has_the_line(journey: Journey) -> None:
    """Where a card can be hidden, there is a line that puts it back."""

    def script(window: Window) -> None:
        journey.settle(window)
        for key in page_list.KEYS:
            window.go(key)
            page = window.page_stack.page
            assert page.isAncestorOf(page.hidden_cards), key

    journey.run(script)


def test_the_line_is_one_stop_of_the_tab_key(journey: Journey) -> None:
    """After the cards; left and right go among its buttons."""

    def script(window: Window) -> None:
        journey.settle(window)
        page = opened(journey, window, "layers")
        for card in shown(page)[:3]:
            click(card.smaller)
        line = page.hidden_cards
        stops = tab_stops([page])
        assert [stop.group for stop in stops].count(line) == 1 and stops[-1].group is line
        window.activateWindow()  # Keys go to the window in front, and the group watches what has the focus there.
        journey.wait(window.isActiveWindow)
        line.buttons[0].setFocus()
        QTest.keyClick(line.buttons[0], Qt.Key.Key_Right)
        assert window.focusWidget() is line.buttons[1]
        QTest.keyClick(line.buttons[1], Qt.Key.Key_Space)
        journey.wait(lambda: len(page.hidden_cards.numbers) == 2)

    journey.run(script)


def test_a_lesson_shows_the_whole_page(journey: Journey) -> None:
    """As long as a lesson speaks of cards, none is hidden; afterwards they are again."""

    def script(window: Window) -> None:
        journey.settle(window)
        page = opened(journey, window, "attention")
        head = shown(page)[1]
        click(head.smaller)
        window.page_stack.mark(("encoder.layers.0.self_attn.weights",))
        assert head.isVisible() and head.picture is not None and not page.hidden_cards.isVisible()
        window.page_stack.mark(())
        assert not head.isVisible() and page.hidden_cards.isVisible()

    journey.run(script)


def test_a_card_is_enlarged_by_a_key(journey: Journey) -> None:
    """The one that has the focus; the same key puts it back. An enlarged card cannot be hidden by its head."""

    def script(window: Window) -> None:
        journey.settle(window)
        page = opened(journey, window, "layers")
        card = shown(page)[2]
        card.view.setFocus()  # type: ignore[attr-defined]  # A view is a widget too.
        window.actions_.by_name["enlarge_card"].trigger()
        assert card is page.enlarged.card and not card.smaller.isVisible()
        window.actions_.by_name["enlarge_card"].trigger()
        journey.wait(lambda: page.enlarged.card is None and card.smaller.isVisible())

    journey.run(script)
