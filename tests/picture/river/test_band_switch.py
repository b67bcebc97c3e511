"""The row of buttons above a river, and the captions: none lies over anything else, in any window and in both languages."""

import itertools

import pytest

from explorer.picture.makers.river import river
from explorer.picture.marks import Box, Label, Rect
from explorer.picture.river.accent import draw_accent
from explorer.picture.river.grid import NARROW_PX, lay_out
from explorer.picture.river.ground import Colours, draw_ground
from explorer.picture.river.kept import KeptMarks
from explorer.picture.river.place import Place
from explorer.picture.river.pointing import usual
from explorer.picture.river.scene import Hot, about_width
from explorer.state.look import Look
from tests.picture.examples import example, words
from tests.sweeps import sweep

SIZES = [(624, 420), (720, 450), (1000, 450), (NARROW_PX, 560), (1172, 716), (1700, 900)]
TEXT = "我爱北京天安门"


def rect_of(label: Label) -> Rect:
    """About where a label lies."""
    wide = about_width(label.text, label.px)
    x = label.x - {"left": 0.0, "middle": wide / 2, "right": wide}[label.align]
    return Rect(x, label.y - label.px / 2, wide, label.px)


def overlap(one: Rect, other: Rect) -> bool:
    return one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom


@pytest.mark.parametrize("language", sweep(["zh", "en"], telling=["en"]))
@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only", "encoder-only"])
@pytest.mark.parametrize("size", SIZES)
def test_buttons_and_captions_have_rows_of_their_own(size: tuple[int, int], architecture: str, language: str) -> None:
    """Texts and buttons above the lanes lie beside each other and beside the layers' boxes; chips stay below them."""
    trace = example(architecture, text=TEXT)
    picture = river(trace, Look(attention="decoder.cross_attn", layer=1).fitted(trace), words(language))
    grid = lay_out(picture, *size)
    ground = draw_ground(picture, grid, words(language), Colours("cividis", "blue-red"), KeptMarks())
    buttons = [hot.rect for hot in ground.hot if isinstance(hot, Hot) and hot.what.kind in ("bands", "words")]
    names = {words(language)(key) for key in ("river.bands.weights", "river.bands.contributions", "heads.unit_words")}
    top = grid.halves[0].top
    texts = [rect_of(item) for item in ground.scene if isinstance(item, Label) and item.text and item.text not in names]
    above = [rect for rect in texts if rect.bottom <= top + 2]
    layers = [item.rect for item in ground.scene if isinstance(item, Box) and item.fill == "card" and item.rect.y == top - 10]
    accent = draw_accent(picture, grid, words(language), usual(picture), KeptMarks())
    chips = [item.rect for item in accent.scene if isinstance(item, Box) and item.rect.high == 17]

    assert len(above) >= 6 and layers and chips
    assert len(buttons) in (0, 2, 3) and (buttons or size[0] < NARROW_PX)
    assert all(rect.x >= grid.halves[0].slabs[0].x and rect.right <= grid.out.x for rect in buttons)
    for one, other in itertools.combinations((*above, *buttons), 2):
        assert not overlap(one, other), (one, other)
    for one, other in itertools.product(buttons, (*layers, *chips)):
        assert not overlap(one, other), (one, other)


def test_every_button_has_room_beside_a_lesson() -> None:
    """In the room that a lesson leaves in a small window the button of words stands in a row of its own."""
    trace = example("encoder-decoder", text=TEXT)
    picture = river(trace, Look().fitted(trace), words("en"))

    def kinds(width: int) -> list[Place]:
        ground = draw_ground(picture, lay_out(picture, width, 450), words("en"), Colours("cividis", "blue-red"), KeptMarks())
        return [hot.what.kind for hot in ground.hot if hot.what.kind in ("bands", "words")]

    assert kinds(1200) == ["words", "bands", "bands"]
    assert kinds(718) == ["words", "bands", "bands"]
    assert kinds(660) == []
