"""What stands above the pages: what is chosen for the whole page, and whose doing an odd mask is."""

import attrs
import pytest

from explorer.app.pages.above_pages import odd_masking
from explorer.presets import load_preset, preset_names
from explorer.state.intents import SetKnob, SetPreset
from explorer.state.state import State
from explorer.state.wish import Wish
from tests.app.shell.conftest import appearance, make
from tests.app.shell.opening import Make

__all__ = ["appearance", "make"]  # fixtures of the windows
ODD = ("tutorial-b", "tutorial-e")


@pytest.mark.parametrize("preset", preset_names())
def test_two_tutorials_write_an_odd_mask(preset: str) -> None:
    """As their files say; with the knob turned, the mask is the user's own."""
    wish = Wish.from_preset(preset)
    reading = load_preset(preset).config.masking

    assert odd_masking(wish) == ((preset, reading) if preset in ODD else None)
    assert odd_masking(Wish.from_preset(preset, masking="usual" if preset in ODD else "inverted")) is None


@pytest.mark.parametrize("preset", ODD)
def test_pages_with_masks_say_whose_doing_it_is(make: Make, preset: str) -> None:
    """In the chosen language, with tutorial, reading and knob by name; other pages and presets say nothing."""
    opened = make(attrs.evolve(State.from_preset("tiny"), page="masks"))
    window = opened.window
    notice = window.page_stack.above.notice
    window.go("masks")
    assert notice.isHidden()
    opened.session.ask(SetPreset(preset))
    told = notice.text()
    assert not notice.isHidden()
    assert all(opened.words(key) in told for key in (f"preset.{preset}.title", "knob.masking.name"))
    window.actions_.by_name["language"].trigger()
    assert notice.text() != told
    for page, says in (("tokens", False), ("stepper", True), ("position", False), ("attention", True)):
        window.go(page)
        assert notice.isHidden() == (not says), page
    opened.session.ask(SetKnob("masking", "usual"))
    assert notice.isHidden()


def test_what_is_chosen_for_a_page_stands_at_the_end_of_its_tabs(make: Make) -> None:
    """Of the page in front alone; in a line of its own where the tabs leave it no room."""
    window = make(attrs.evolve(State.from_preset("tiny"), page="tokens")).window
    window.resize(1200, 800)
    tabs = window.page_stack.above.tabs
    for key in ("compare", "saliency", "tokens", "compare"):
        window.go(key)
        choices = window.page_stack.page.choices_above
        assert (choices is None) == (key == "tokens")
        for each in window.page_stack.pages.values():
            if each.choices_above is not None:
                assert each.choices_above.isVisibleTo(window) == (each.choices_above is choices)
    window.show()
    page, choices = window.page_stack.page, window.page_stack.page.choices_above
    assert choices is not None
    tab = tabs.buttons[page.key]
    assert tab.y() <= choices.geometry().center().y() <= tab.geometry().bottom()
    assert choices.geometry().right() == tabs.contentsRect().right() - tabs.layout().contentsMargins().right()
    tabs.setFixedWidth(tab.geometry().right() + choices.width() // 2)
    tabs.layout().activate()
    assert choices.y() >= tab.geometry().bottom()
