"""The button that chooses what the thumbnails of heads say."""

import pytest
from pytestqt.qtbot import QtBot

from explorer.app.pages.wall_card import MeasureMenu
from explorer.lang import Words
from explorer.picture.makers.head_measures import offered_measures
from explorer.state.look import Look
from explorer.trace.choices import HEAD_MEASURES
from tests.picture.examples import LANGUAGES

WORDS = Words.load("zh")


def a_menu(qtbot: QtBot, words: Words = WORDS, **looked: str) -> MeasureMenu:
    menu, look = MeasureMenu(), Look(**looked)  # type: ignore[arg-type]  # all of these fields are texts
    qtbot.addWidget(menu)
    menu.offer(offered_measures(look), look.measure, look.head_order, words)
    return menu


def test_a_measure_is_chosen_in_the_menu(qtbot: QtBot) -> None:
    """And taken back; the order can only be chosen with a measure."""
    menu = a_menu(qtbot)
    assert not menu.order.isEnabled()
    for key in ("induction", ""):
        with qtbot.waitSignal(menu.chose) as chose:
            menu.actions_[key].trigger()
        assert chose.args == [key]
    menu = a_menu(qtbot, measure="entropy")
    for order in ("measure", "layers"):
        with qtbot.waitSignal(menu.sorted) as sorted_:
            menu.order.trigger()
        assert sorted_.args == [order]


def test_what_the_program_shows_is_not_told_back(qtbot: QtBot) -> None:
    """Another measure and order come from the Look; no signal goes out."""
    menu = a_menu(qtbot)
    with qtbot.assertNotEmitted(menu.chose), qtbot.assertNotEmitted(menu.sorted):
        look = Look(measure="first", head_order="measure")
        menu.offer(offered_measures(look), look.measure, look.head_order, WORDS)
    assert menu.actions_["first"].isChecked() and menu.order.isChecked()
    assert menu.text().startswith(WORDS("heads.measure.first"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_measure_tells_its_formula_and_its_source_on_hover(qtbot: QtBot, language: str) -> None:
    """In the menu, and for the chosen one on the button; one that means nothing across two texts cannot be chosen there."""
    words = Words.load(language)
    for key in HEAD_MEASURES:
        menu = a_menu(qtbot, words, measure=key)
        assert all(part in menu.actions_[key].toolTip() for part in ("A<sub>", words(f"heads.measure.{key}")))
        assert menu.toolTip() == menu.actions_[key].toolTip()
    across = a_menu(qtbot, words, attention="decoder.cross_attn")
    enabled = {key for key in HEAD_MEASURES if across.actions_[key].isEnabled()}
    assert enabled == {"entropy", "first", "diagonal"}
    assert words("heads.none.across", measure=words("heads.measure.induction")) in across.actions_[
        "induction"
    ].toolTip().replace("&quot;", '"')
