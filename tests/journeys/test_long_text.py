"""A long text in the window: every page stands it, heads are looked at one by one, and the program answers on."""

import pytest

from explorer import page_list
from explorer.app.shell.window import Window
from explorer.state.intents import SetKnob, look_at
from tests.journeys.conftest import Journey
from tests.sweeps import exhaustive

TEXT = "".join(chr(0x4E00 + 7 * place % 900) for place in range(700))


def lengthened(journey: Journey, window: Window) -> None:
    """700 characters under the smallest budget."""
    journey.settle(window)
    window.session.ask(SetKnob("tokenizer", "characters"))
    window.session.ask(SetKnob("memory_budget", 16))
    window.sentences.source_edit.setText(TEXT)
    journey.settle(window)
    journey.wait(lambda: not window.session.waiting)


@exhaustive  # The other journeys with a long text see the pages that it changes most.
@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_every_page_stands_a_long_text(journey: Journey, architecture: str) -> None:
    """Each card has its picture or says why not; nothing is asked for over and over."""

    def script(window: Window) -> None:
        lengthened(journey, window)
        window.session.ask(SetKnob("architecture", architecture))
        journey.settle(window)
        frame = window.session.frame
        assert frame is not None and not frame.trace.whole
        for page in page_list.KEYS:
            window.go(page)
            journey.wait(lambda: not window.session.waiting)
            for card in window.page_stack.page.cards:
                assert not card.isVisible() or card.picture is not None or card.note.text()

    journey.run(script)


def test_the_chosen_head_is_there_cell_by_cell(journey: Journey) -> None:
    """Going to another head fetches it, without another pass; so does another step of attention."""

    def script(window: Window) -> None:
        lengthened(journey, window)
        for page, changes in (("overview", {"layer": 1, "head": 2}), ("attention", {"stage": "scaled"})):
            window.go(page)
            window.session.ask(look_at(**changes))
            look = window.session.state.look
            journey.wait(
                lambda look=look: (
                    window.session.frame is not None  # type: ignore[misc]  # bound for the loop
                    and look.head in window.session.frame.trace.map(look.attention_tap()).close_ups
                )
            )
        card = next(
            card
            for card in window.page_stack.page.cards
            if card.picture is not None
            and card.picture.caption.tap.endswith("layers.1.self_attn.scaled")
            and hasattr(card.picture, "levels")
        )
        assert card.wants == ()

    journey.run(script)


def test_a_short_text_afterwards_is_whole_again(journey: Journey) -> None:
    """And everything can be exported as ever."""

    def script(window: Window) -> None:
        lengthened(journey, window)
        window.sentences.source_edit.setText("我爱北京")
        journey.settle(window)
        frame = window.session.frame
        assert frame is not None and frame.trace.whole and not frame.trace.maps

    journey.run(script)
