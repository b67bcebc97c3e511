"""Everything of a river has a place of its own, in every size and for every model."""

import itertools

import attrs
import pytest

from explorer.picture.makers.river import river
from explorer.picture.marks import Rect
from explorer.picture.river.grid import RiverGrid, lay_out
from explorer.picture.river.inside_grid import lay_out_inside
from explorer.picture.river.kept import KeptMarks
from explorer.picture.river.river import River
from explorer.picture.river.slab_widths import slab_widths
from explorer.picture.river.slabs import lanes
from explorer.state.look import Look
from tests.picture.examples import example, words
from tests.sweeps import sweep

SIZES = [(624, 420), (804, 520), (980, 530), (1172, 716), (1700, 900), (2272, 1240), (3500, 1900)]
MODELS: list[dict[str, object]] = [
    {},
    {"architecture": "encoder-only"},
    {"architecture": "decoder-only"},
    {"n_layers": 12, "n_heads": 4},
    {"n_layers": 64, "d_model": 16, "d_ff": 16, "n_heads": 2},
]
TEXTS = ["好", "我爱北京天安门", "他昨天在图书馆借了一本关于中国历史的书。" * 3, "我爱北京天安门。" * 60]


def made(text: str = TEXTS[1], **knobs: object) -> River:
    architecture = str(knobs.pop("architecture", "encoder-decoder"))
    trace = example(architecture, text=text, **knobs)
    return river(trace, Look(attention="decoder.cross_attn", layer=2).fitted(trace), words())


@pytest.mark.parametrize("size", sweep(SIZES, telling=[SIZES[0], SIZES[-1]]))
@pytest.mark.parametrize("knobs", MODELS, ids=str)
def test_everything_lies_inside_and_beside_each_other(size: tuple[int, int], knobs: dict[str, object]) -> None:
    """Columns go from left to right, lanes lie in their half, nothing is negative."""
    for text in TEXTS if not knobs.get("n_layers") else TEXTS[:2]:
        picture = made(text, **knobs)
        _check(lay_out(picture, *size), picture, size)


def _check(grid: RiverGrid, picture: River, size: tuple[int, int]) -> None:
    for half, place in zip(picture.halves, grid.halves, strict=True):
        assert place.n == half.n and place.pitch > 0
        assert place.top >= 30 and place.bottom <= place.slab_bottom + 1 <= grid.explanation.y + 1
        slabs = place.slabs
        if half is picture.halves[-1]:  # The lanes end before the words that come out.
            assert lanes(picture, half, place, KeptMarks()).x.max() <= grid.out.x
        assert [slab.layer for slab in slabs] == list(range(len(half.layers)))
        for first, last in itertools.pairwise(slabs):
            assert first.x + first.wide == pytest.approx(last.x)
        assert slabs[-1].x + slabs[-1].wide <= grid.out.x
        assert place.label.right <= place.strips[0] and place.strips[2] + place.strip_w <= slabs[0].x + 1
        for slab in slabs:
            assert slab.folded or [zone.part for zone in slab.zones] == [block.part for block in half.layers[slab.layer]]
            for _attention, rect in slab.heads:
                assert rect.bottom <= place.slab_bottom + 1 and rect.y >= place.bottom
    if len(grid.halves) == 2:
        assert grid.halves[0].slab_bottom <= grid.halves[1].top - 8
        assert grid.halves[0].bottom < grid.halves[1].top
    for rect in (grid.out, grid.candidates, grid.map, grid.heads, grid.legend, grid.explanation):
        assert rect.x >= 0 and rect.right <= size[0] + 1 and rect.bottom <= size[1] + 1, rect


def test_the_layer_that_is_looked_at_is_wider_and_open() -> None:
    """Of many layers the first, the last and the neighbours stay open, the others become pillars."""
    picture = made(n_layers=12)
    grid = lay_out(picture, 1172, 716)
    slabs = grid.half("decoder").slabs
    assert not slabs[2].folded and slabs[2].wide == max(slab.wide for slab in slabs)
    assert any(slab.folded for slab in slabs)


def test_sixty_four_layers_are_a_ribbon() -> None:
    """Each is seen, if only as a line."""
    picture = made(n_layers=64, d_model=16, d_ff=16, n_heads=2)
    slabs = lay_out(picture, 1172, 716).half("encoder").slabs
    assert len(slabs) == 64 and min(slab.wide for slab in slabs) >= 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("opened", ["attention", "feed_forward"])
def test_an_opened_block_has_all_its_columns(size: tuple[int, int], opened: str) -> None:
    """In order, without overlap, inside the box."""
    trace = example()
    for attention in ("encoder.self_attn", "decoder.cross_attn"):
        look = attrs.evolve(Look(), attention=attention, layer=1, opened=opened, side=attention.partition(".")[0])
        place = lay_out_inside(river(trace, look, words()), *size)
        spans = list(place.steps.values())
        for (x, w), (after, _w) in itertools.pairwise(spans):
            assert w > 0 and x + w <= after + 1
        assert spans[-1][0] + spans[-1][1] <= place.box.right
        assert place.top + place.n * place.pitch <= place.box.bottom


def test_a_rectangle_knows_what_it_holds() -> None:
    """The right and the lower edge belong to the neighbour."""
    rect = Rect(10, 20, 5, 5)
    assert rect.holds(10, 20) and not rect.holds(15, 20) and not rect.holds(10, 25)


@pytest.mark.parametrize("focus", range(3))
@pytest.mark.parametrize("width", range(100, 400, 30))
def test_no_layer_of_three_is_a_sliver(width: int, focus: int) -> None:
    """In a narrow window the others are pillars in which bands can be seen, and the layer that is looked at is the widest."""
    widths = slab_widths(3, width, focus, 58.0)
    assert sum(widths) == pytest.approx(width)
    assert min(widths) >= 12 and widths[focus] == max(widths)
