"""An opened block in a narrow window: no heading lies over another one, and no line of the cell is cut."""

import itertools

import attrs
import pytest

from explorer.lang import Words
from explorer.picture.makers.river import river
from explorer.picture.marks import Cells, Label, Lanes, Mark, Rect
from explorer.picture.river.ground import Colours
from explorer.picture.river.inside import draw_inside, draw_inside_over
from explorer.picture.river.inside_grid import Inside, lay_out_inside
from explorer.picture.river.pointing import usual
from explorer.picture.river.river import River
from explorer.picture.river.scene import about_width
from explorer.state.look import Look
from tests.picture.examples import LANGUAGES, example, words

COLOURS = Colours("cividis", "blue-red")
SIZES = [(718, 442), (1172, 716)]  # beside lessons in a window of 1024 × 700, and in one of usual size
OPENED = [("attention", "decoder.self_attn"), ("attention", "decoder.cross_attn"), ("feed_forward", "decoder.self_attn")]

READ = [("pre", 0, "torch", "layer"), ("pre", 1, "rms", "rms"), ("post", 0, "torch", "stream"), ("post", 1, "torch", "layer")]


def laid_out(opened: str, attention: str, size: tuple[int, int], said: Words) -> tuple[River, Inside]:
    """A model as large as the translator: three layers of each side, eight heads of 32 numbers."""
    trace = example(target="I love T ian an men in Beijing", n_layers=3, n_heads=8, d_model=256, d_ff=1024)
    made = river(trace, Look(attention=attention, layer=0, opened=opened).fitted(trace), said)
    assert made.opened is not None
    return made, lay_out_inside(made, *size)


def taken(label: Label) -> Rect:
    """What a label takes, with a margin for bold letters, which are wider than about."""
    wide = about_width(label.text, label.px) * (1.1 if label.bold else 1.0)
    return Rect(label.x, label.y - label.px / 2, wide, label.px)


def labels(scene: tuple[Mark, ...]) -> list[Label]:
    return [item for item in scene if isinstance(item, Label) and item.text]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("opened", "attention"), OPENED)
def test_headings_do_not_touch(opened: str, attention: str, size: tuple[int, int], language: str) -> None:
    """Each column's number, title and what is told end before the next column and before the edge of the box."""
    made, place = laid_out(opened, attention, size, words(language))
    drawn = draw_inside(made, place, words(language), COLOURS)
    heads = [label for label in labels(drawn.scene) if label.y in (place.box.y + 14, place.box.y + 31)]
    assert {label.x for label in heads if label.bold} >= {x for x, _w in place.steps.values()}
    for one, other in itertools.combinations(map(taken, heads), 2):
        assert one.y != other.y or one.right <= other.x or other.right <= one.x, (one, other)
    assert all(taken(label).right <= place.box.right for label in heads)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("opened", ["attention", "feed_forward"])
@pytest.mark.parametrize(("placement", "layer", "kind", "told"), READ)
def test_what_a_block_reads_is_called_what_was_recorded(
    placement: str, layer: int, kind: str, told: str, opened: str, language: str
) -> None:
    """A norm's gain and bias are in its output, an RMSNorm subtracts no mean, and a first post-norm layer reads no norm."""
    trace = example(n_layers=2, norm_placement=placement)
    trace = attrs.evolve(trace, card=attrs.evolve(trace.card, norm_kind=kind))
    look = Look(attention="encoder.self_attn", side="encoder", layer=layer, opened=opened).fitted(trace)
    made = river(trace, look, words(language))
    place = lay_out_inside(made, *SIZES[1])
    said = {label.text for label in labels(draw_inside(made, place, words(language), COLOURS).scene)}
    told = "layer" if told == "stream" and opened == "feed_forward" else told  # A norm stands behind the attention.
    title = "input" if told == "stream" else "norm"

    assert {words(language)(f"river.inside.read.{each}") for each in (title, told)} <= said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_every_line_of_a_cell_is_told_whole(size: tuple[int, int], language: str) -> None:
    """Where a line has no room it is told in short, and a head's number does not touch its weight."""
    made, place = laid_out("attention", "decoder.cross_attn", size, words(language))
    drawn = draw_inside_over(made, place, words(language), COLOURS, usual(made))
    below = [label for label in labels(drawn.scene) if place.below.y + 20 < label.y < place.below.bottom]
    figures = [label for label in below if label.px == 12]
    assert len(figures) == 4
    assert all(about_width(label.text, label.px) <= label.room for label in figures if label.room)
    weights = [label for label in below if label.px == 11 and label.align == "right"]
    numbers = [label for label in below if label.px == 11 and label.text.isdigit()]
    assert len(numbers) == len(weights) == 8
    for number, weight in zip(numbers, weights, strict=True):
        assert number.y == weight.y
        assert taken(number).right + 2 <= weight.x - about_width(weight.text, weight.px)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("high", [442, 600, 700, 716, 800, 900, 1100])
def test_how_many_units_are_zero_lies_on_no_strip(high: int, language: str) -> None:
    """Between thin lanes it is told once, of all tokens, above the strips."""
    made, place = laid_out("feed_forward", "decoder.self_attn", (1172, high), words(language))
    drawn = draw_inside(made, place, words(language), COLOURS).scene
    said = words(language)("river.inside.network.zero.relu", share="")
    shares = [label for label in labels(drawn) if said.strip() in label.text and "%" in label.text]
    assert len(shares) in (1, place.n) and (len(shares) == 1 or place.pitch > 60)
    strips = [item.rect for item in drawn if isinstance(item, Cells)]
    for label in shares:
        assert not any(rect.y < label.y + 5 and label.y - 5 < rect.bottom for rect in strips), label


@pytest.mark.parametrize("opened", ["attention", "feed_forward"])
@pytest.mark.parametrize("high", [380, 442, 600, 716, 900])
def test_lanes_lie_between_the_rows(opened: str, high: int) -> None:
    """However low the window is, the thickest lane hides no part of what stands on it."""
    trace = example(n_layers=3, n_heads=8, d_model=256, d_ff=1024)
    look = Look(attention="encoder.self_attn", side="encoder", layer=1, opened=opened).fitted(trace)
    made = attrs.evolve(river(trace, look, words()), longest=1e-3)  # All lanes are as thick as can be.
    place = lay_out_inside(made, 718, high)
    drawn = draw_inside(made, place, words(), COLOURS).scene
    (lanes,) = (item for item in drawn if isinstance(item, Lanes))
    cells = [item.rect for item in drawn if isinstance(item, Cells)]
    assert cells
    for y, wide in zip(lanes.y.tolist(), lanes.width[:, 0].tolist(), strict=True):
        assert not any(rect.y + 1 < y + wide / 2 and y - wide / 2 < rect.bottom - 1 for rect in cells)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_only_relu_is_said_to_give_zeros(activation: str, language: str) -> None:
    """GELU is hardly ever 0, and ReLU never "nearly" 0."""
    trace = example(activation=activation)
    look = Look(attention="encoder.self_attn", side="encoder", layer=0, opened="feed_forward").fitted(trace)
    made = river(trace, look, words(language))
    drawn = draw_inside(made, lay_out_inside(made, *SIZES[1]), words(language), COLOURS).scene
    said = {label.text for label in labels(drawn)}
    key = "river.inside.network.activated.told"
    assert {words(language)(f"{key}.{each}") in said for each in ("relu", "other")} == {True, False}
    assert (words(language)(f"{key}.relu") in said) == (activation == "relu")
    assert words(language)(f"choice.activation.{activation}") in said
