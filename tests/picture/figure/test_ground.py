"""Files have the signed colours of their own theme, whatever the window's theme is."""

import attrs
import pytest

from explorer.export.web.figures import answering_figure
from explorer.picture.figure.ground import on_ground
from explorer.picture.figure.svg import render
from explorer.picture.kinds import Heatmap
from explorer.picture.theme import DARK, LIGHT
from tests.golden.test_figures import PICTURES
from tests.picture.examples import words
from tests.sweeps import every_nth, sweep


@pytest.mark.parametrize("name", sweep(sorted(PICTURES), telling=every_nth(sorted(PICTURES), 3)))
def test_a_light_file_of_a_dark_window_is_that_of_a_light_one(name: str) -> None:
    """As an SVG and on a page of HTML."""
    light = on_ground(PICTURES[name], LIGHT)
    dark = on_ground(light, DARK)
    assert render(dark, words()) == render(light, words())
    assert render(dark, words(), DARK) == render(light, words(), DARK)
    assert answering_figure(dark, words()) == answering_figure(light, words())


def test_colours_of_the_users_choice_stay() -> None:
    """And those of a theme do not, so that the test above can fail: some figures differ without it."""
    shown = next(each for each in PICTURES.values() if isinstance(each, Heatmap))
    chosen = attrs.evolve(shown, scale=attrs.evolve(shown.scale, colours="purple-orange"))
    assert on_ground(chosen, DARK).scale.colours == "purple-orange"
    signed = attrs.evolve(shown, scale=attrs.evolve(shown.scale, colours=LIGHT.signed_colours))
    assert on_ground(signed, DARK).scale.colours == DARK.signed_colours != LIGHT.signed_colours
