"""The river by contribution: exact parts of a difference of logits, drawn as wide as they are."""

import attrs
import numpy as np
import pytest

import explorer
from explorer.errors import LacksTap
from explorer.picture.figure.kinds import tables
from explorer.picture.figure.svg import render
from explorer.picture.makers.river import river
from explorer.picture.marks import Bands, Box, Label
from explorer.picture.river.contributions import block_parts, mode_bands, part_chips, signed_colour
from explorer.picture.river.draw import draw_river
from explorer.picture.river.grid import lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.kept import KeptMarks
from explorer.picture.river.place import Place
from explorer.picture.river.river import Contributions, River
from explorer.picture.river.slabs import open_zones
from explorer.picture.river.tell import tell
from explorer.picture.theme import LIGHT
from explorer.state.look import Look
from explorer.trace.found.findings import NotMade
from explorer.trace.found.reading import by_key, by_keys
from explorer.trace.trace import Trace
from tests.picture.examples import words

TEXT = "我爱北京天安门"


def pass_of(**knobs: object) -> Trace:
    return explorer.explore(TEXT, preset="tiny", experiments=("why",), **knobs)


def made(trace: Trace, **fields: object) -> River:
    look = Look(bands="contributions", attention="decoder.self_attn", layer=1, head=2)
    return river(trace, attrs.evolve(look, **fields).fitted(trace), words())


@pytest.fixture(scope="module")
def trace() -> Trace:
    return pass_of()


def found(picture: River) -> Contributions:
    assert picture.contributions is not None
    return picture.contributions


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_the_bands_of_a_head_sum_to_its_part(architecture: str, placement: str) -> None:
    """To a ten-thousandth, for every head of every attention of the decoder; each row is what the account splits it into."""
    trace = pass_of(architecture=architecture, norm_placement=placement)
    picture = made(trace, position=2)
    parts = trace.why(2)
    heads = 0
    for part, value in zip(parts.parts, parts.values, strict=True):
        if part.kind == "head":
            rows = found(picture).values[f"decoder.{part.attention}", part.layer]
            assert rows[part.head].sum() == pytest.approx(value, abs=1e-4)
            np.testing.assert_allclose(rows[part.head], by_key(trace, parts, part).values, atol=1e-9)
            heads += 1
    assert heads == sum(len(rows) for rows in found(picture).values.values()) > 0
    assert found(picture).difference == pytest.approx(parts.difference)


def test_another_heads_row_would_be_found(trace: Trace) -> None:
    """It sums to another part."""
    parts = trace.why(1)
    block = "decoder.layers.1.cross_attn"
    part = next(each for each in parts.parts if each.kind == "head" and each.block == block)
    other = by_keys(trace, parts, block)[part.head - 1]
    assert abs(other.sum() - parts.values[parts.parts.index(part)]) > 1e-4


def test_the_chosen_head_is_drawn_and_all_heads_elsewhere(trace: Trace) -> None:
    """No sum and no head reaches further than the scale; the encoder has no part."""
    picture = made(trace, position=2)
    one = found(picture)
    for block in picture.blocks():
        row = one.drawn(picture, block)
        if not block.attention.startswith("decoder") or block.part == "feed_forward":
            assert row is None
            continue
        assert row is not None and block.drawn is not None and len(row) == block.drawn.shape[1]
        values = one.values[block.attention, block.layer]
        focus = (block.attention, block.layer) == (picture.attention, picture.layer)
        np.testing.assert_array_equal(row, values[2] if focus else values.sum(axis=0))
        assert np.abs(row).max() <= one.reach
    assert one.reach >= 0.5


def test_bands_are_as_wide_as_what_they_add_and_coloured_by_its_sign(trace: Trace) -> None:
    """Red and blue of the account, over pale weights; what is below a fiftieth of the scale, or on the diagonal, is no band."""
    picture = made(trace, position=3)
    grid = lay_out(picture, 1172, 716)
    one = found(picture)
    widest = min(13.0, max(0.5 * min(half.pitch for half in grid.halves), 7.0))
    seen = 0
    for half, place in zip(picture.halves, grid.halves, strict=True):
        for zone, block in open_zones(half, place):
            row = one.drawn(picture, block)
            drawn = list(block_parts(picture, block, zone, grid))
            if row is None:
                assert drawn == []
                continue
            for bands in drawn:
                sign = 1 if bands.colour == signed_colour(picture, 1) else -1
                expected = [
                    key
                    for key in range(len(row))
                    if row[key] * sign >= 0.02 * one.reach and (block.part == "cross_attn" or key != one.lane)
                ]
                wide = np.maximum(0.8, np.abs(row[expected]) / one.reach * widest)
                np.testing.assert_allclose(bands.width, wide, rtol=1e-5)
                assert (bands.y1 == np.float32(grid.half("decoder").y(one.lane))).all()
                seen += len(expected)
    assert seen > 3
    pale = [
        each for each in mode_bands(picture, picture.halves[0], grid.halves[0], grid, KeptMarks()) if each.colour == "water"
    ]
    assert pale and signed_colour(picture, 1) != signed_colour(picture, -1)


def test_chips_have_the_numbers_with_their_sign(trace: Trace) -> None:
    """Of a token that is pointed at in every open block, else of the larger ones."""
    picture = made(trace, position=3, attention="decoder.cross_attn")
    grid = lay_out(picture, 1172, 716)
    half, place = picture.halves[1], grid.halves[1]
    zone, block = next(each for each in open_zones(half, place) if each[1] is picture.focus)
    row = found(picture).drawn(picture, block)
    assert row is not None
    (chip,) = (each for each in part_chips(picture, block, zone, grid, (2,)) if isinstance(each, Label))
    assert float(chip.text.replace("−", "-")) == pytest.approx(row[2], abs=0.006)
    boxes = [each for each in part_chips(picture, block, zone, grid) if isinstance(each, Box)]
    assert len(boxes) <= int((np.abs(row) >= 0.08 * found(picture).reach).sum())


def test_weights_are_drawn_as_ever_and_nothing_is_computed_for_them(trace: Trace) -> None:
    """Without the mode no account is asked for, and no band has a colour of its own."""
    alone = explorer.explore(TEXT, preset="tiny")
    picture = made(alone, bands="weights")
    assert picture.contributions is None and picture.no_contributions == "" and not alone._parts
    scene = draw_river(picture, lay_out(picture, 1172, 716), words(), Colours("cividis", "blue-red")).scene
    assert {each.colour for each in scene if isinstance(each, Bands)} == {"band"}


def test_a_pass_without_an_account_says_why() -> None:
    """An encoder alone, a text too long for whole maps; until the weights have come, pale bands and a word about it."""
    none = made(explorer.explore(TEXT, preset="tiny", architecture="encoder-only"), attention="encoder.self_attn")
    assert none.bands == "weights" and none.no_contributions == words()("river.bands.no_words")
    long = explorer.explore("我爱你" * 100, preset="tiny", architecture="decoder-only", tokenizer="characters", n_heads=1)
    assert made(long).no_contributions == words()("river.bands.too_long")
    own = explorer.explore(TEXT, preset="tiny")
    error = LacksTap(name="why", tap="residual1", why="absent.unknown_family")
    other = attrs.evolve(own, experiments={"why": NotMade(error)})
    told = words().error(error)
    assert (made(other).bands, made(other).no_contributions) == ("weights", told)
    waiting = made(explorer.explore(TEXT, preset="tiny"))
    assert waiting.bands == "contributions" and waiting.contributions is None and not waiting.no_contributions
    said = "".join(piece.text for piece in tell(waiting, words(), None, None, (), ()))
    assert said == words()("river.bands.pending")
    about = tell(none, words(), Place("bands", side="contributions"), None, (), ())
    assert "".join(piece.text for piece in about) == none.no_contributions


def test_a_sum_that_is_not_the_record_is_not_drawn() -> None:
    """Where numbers were set inside the pass that no part knows of, the switch says so, and bands are weights."""
    change = explorer.Change("decoder.norm", "scale", value=0.5)
    picture = made(pass_of(changes=[change]), position=2)
    assert picture.bands == "weights" and picture.contributions is None
    parts = pass_of(changes=[change]).why(2)
    told = {"difference": f"{parts.difference:.4f}", "total": f"{parts.total:.4f}", "count": len(parts.parts)}
    assert picture.no_contributions == words()("why.inexact", **told)


def test_the_sentence_has_the_numbers(trace: Trace) -> None:
    """The head's part and the layer's sum; of a token what is taken from it in all layers; of the encoder that it has none."""
    picture = made(trace, position=3, attention="decoder.cross_attn")
    one = found(picture)
    said = "".join(piece.text for piece in tell(picture, words(), None, None, (), ()))
    part, total = one.values["decoder.cross_attn", 1][2].sum(), one.values["decoder.cross_attn", 1].sum()
    assert f"{abs(part):.2f}" in said and f"{abs(total):.2f}" in said and one.names[0] in said
    token = tell(picture, words(), Place("token", side="source", index=1), None, (1,), ())
    taken = sum(values[:, 1].sum() for (kind, _layer), values in one.values.items() if kind == "decoder.cross_attn")
    assert f"{abs(taken):.2f}" in "".join(piece.text for piece in token)
    above = made(trace, position=3, attention="encoder.self_attn", layer=0)
    assert "".join(piece.text for piece in tell(above, words(), None, None, (), ())) == words()(
        "river.bands.indirect", word=one.names[0]
    )


def test_the_file_shows_and_holds_the_contributions(trace: Trace) -> None:
    """A table for each attention, whose rows are heads; the drawing has both colours, and another title."""
    picture = made(trace, position=3)
    names = [table.name for table in tables(picture)]
    assert "contributions.decoder.cross_attn.0.step3" in names and "contributions.decoder.self_attn.1.step3" in names
    drawn = render(picture, words(), LIGHT)
    assert signed_colour(picture, 1) in drawn and signed_colour(picture, -1) in drawn
    assert picture.caption.title == words()("river.title_contributions") != made(trace, bands="weights").caption.title


def test_an_excerpt_has_the_contributions_of_its_own_tokens(trace: Trace) -> None:
    """Lanes that are not shown have no band, and the others keep their numbers."""
    whole, part = made(trace, position=3), made(trace, position=3, source_first=1, source_end=3, target_first=1)
    key = ("decoder.cross_attn", 0)
    np.testing.assert_array_equal(found(part).values[key], found(whole).values[key][:, 1:3])
    assert found(part).lane == found(whole).lane - 1
