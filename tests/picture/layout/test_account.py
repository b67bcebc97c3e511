"""Where an account and a lens stand: inside their area, with bars as long as their numbers, and a place for every part."""

import attrs
import pytest

from explorer.picture.figure.marks import measured
from explorer.picture.layout.account import account
from explorer.picture.layout.lens_map import first_shown, grid, lens_map
from explorer.picture.layout.sketch import Sketch
from explorer.picture.marks import Box, Label, Rect
from explorer.picture.sums import Group, SumRow, Sums, SumTerm
from explorer.picture.theme import LIGHT
from tests.picture.examples import lens_by_hand, sums, words

AREA = Rect(0, 0, 700, 480)


def sketch() -> Sketch:
    return Sketch(LIGHT, "blue-red", measured)


def texts(made: Sketch) -> list[str]:
    return [mark.text for mark in made.marks if isinstance(mark, Label)]


def deep(n_layers: int) -> Sums:
    """As many layers with a row of two heads and one of a network each."""
    layers = tuple(
        Group(
            f"Layer {n}",
            (
                SumRow("self", (SumTerm(f"H0 {n}", 0.5, "x"), SumTerm(f"H1 {n}", -0.25, "x"))),
                SumRow("ff", (SumTerm("f", -0.25, "x"),)),
            ),
        )
        for n in range(n_layers)
    )
    return attrs.evolve(sums(), groups=layers)


@pytest.mark.parametrize("made", [sums(), sums(opened=True), deep(3), deep(30)], ids=["layers", "opened", "three", "thirty"])
@pytest.mark.parametrize("size", [(700, 480), (430, 300), (1500, 1000)], ids=str)
def test_places_and_letters_stay_inside(made: Sums, size: tuple[int, int]) -> None:
    """In every size, and of a deep model too."""
    drawn, area = sketch(), Rect(0, 0, *size)
    places = account(drawn, made, words("en"), area)
    assert places
    for place in places:
        assert -1 <= place.area.x and place.area.right <= area.right + 1 and place.area.bottom <= area.bottom + 1
    for mark in drawn.marks:
        if isinstance(mark, Label):
            wide = measured(mark.text, mark.px, mark.bold)
            left = mark.x - {"left": 0, "middle": wide / 2, "right": wide}[mark.align]
            assert left >= -2 and left + wide <= area.right + 3 and 0 <= mark.y <= area.bottom + 1, mark


def test_every_part_of_the_waterfall_has_a_place_as_long_as_its_share() -> None:
    """In one scale; toward the word and toward the rival in two colours."""
    drawn = sketch()
    places = account(drawn, sums(), words("en"), AREA)
    assert [place.about for place in places] == ["the token", "head 0", "head 1", "the network", "the bias"]
    lengths = [place.area.wide for place in places]
    assert lengths == pytest.approx([share * lengths[1] / 1.5 for share in (0.25, 1.5, 0.5, 0.75, 0.5)], abs=0.01)
    fills = [mark.fill for mark in drawn.marks if isinstance(mark, Box)]
    assert fills.count(drawn.sign(1.0)) >= 3 and fills.count(drawn.sign(-1.0)) >= 2
    # The network takes away from where head 1 has left the sum.
    assert places[3].area.right == pytest.approx(places[2].area.x, abs=0.01)


def rising(*steps: float) -> Sums:
    """Each layer adds one of these."""
    layers = tuple(Group(f"Layer {n}", (SumRow("ff", (SumTerm("f", each, f"layer {n}"),)),)) for n, each in enumerate(steps))
    return attrs.evolve(sums(), groups=layers, difference=sum(steps), total=sum(steps))


def test_the_kinds_stand_in_the_corner_that_a_rising_sum_leaves_free() -> None:
    """Clear of every bar and its figure; where bars reach into it, below the sum. Each total is there once."""
    for made, is_free in ((rising(*[1.0] * 12), True), (rising(10.0, *[0.1] * 11), False)):
        drawn = sketch()
        places = account(drawn, made, words("en"), AREA)
        (title,) = (mark for mark in drawn.marks if isinstance(mark, Label) and mark.text == words("en")("why.by_kind"))
        corner = Rect(title.x, 0, AREA.right - title.x, AREA.y + 130)
        reach = [place.about for place in places if place.area.right > corner.x and place.area.y < corner.bottom]
        assert (title.y < AREA.y + 60) == is_free
        assert not (is_free and reach), reach
        for name, _value in made.kinds:
            assert texts(drawn).count(name) == 1


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_last_line_has_the_recorded_difference_and_the_sum(language: str) -> None:
    """Side by side, with four decimals."""
    drawn = sketch()
    account(drawn, sums(), words(language), AREA)
    assert sum(text.count("1.0000") for text in texts(drawn)) == 2


def test_sums_that_differ_are_told_and_nothing_else_is_drawn() -> None:
    """No bar, no place."""
    drawn = sketch()
    assert account(drawn, sums(exact=False), words("en"), AREA) == []
    assert not [mark for mark in drawn.marks if isinstance(mark, Box)]
    assert "1.5000" in "".join(texts(drawn))


def test_what_has_no_room_is_one_last_term() -> None:
    """Its value is the sum of the others."""
    many = tuple(SumTerm(f"unit {n}", 1.0 / (n + 1), f"unit {n}") for n in range(200))
    drawn = sketch()
    places = account(drawn, attrs.evolve(sums(opened=True), terms=many, chain=()), words("en"), AREA)
    named = [place for place in places if place.about.startswith("unit")]
    others = next(text for text in texts(drawn) if text.endswith("others"))
    assert others == f"{200 - len(named)} others"
    rest = sum(term.value for term in many[len(named) :])
    assert f"+{rest:.2f}" in texts(drawn)


def test_the_lens_colours_the_written_words_alone() -> None:
    """Elsewhere a cell is pale."""
    drawn, picture = sketch(), lens_by_hand()
    made = lens_map(drawn, picture, words("en"), AREA, 0, (2, 1))
    pale = {
        (row, position)
        for row in range(3)
        for position in range(3)
        for mark in drawn.marks
        if isinstance(mark, Box) and mark.fill == LIGHT.pale and _within(mark.rect, made.cell(row, position))
    }
    assert pale == {(row, position) for row in range(3) for position in range(3) if not picture.lens.agrees()[row, position]}
    assert "L0 feed-forward" in texts(drawn) and any("0.900" in text for text in texts(drawn))


def _within(inner: Rect, outer: Rect) -> bool:
    return outer.x <= inner.x and inner.right <= outer.right and outer.y <= inner.y and inner.bottom <= outer.bottom


def test_positions_without_room_are_counted_at_both_ends() -> None:
    """The chosen one is always shown."""
    picture = attrs.evolve(lens_by_hand(40), chosen=30)
    drawn, area = sketch(), Rect(0, 0, 420, 300)
    first = first_shown(drawn, picture, area, 0)
    made = lens_map(drawn, picture, words("en"), area, first, (2, 30))
    assert made.first <= 30 < made.first + made.n_columns < 40
    assert f"‹ {made.first}" in texts(drawn) and f"{40 - made.first - made.n_columns} ›" in texts(drawn)
    cell = made.cell(1, 30)
    assert made.at(cell.x + 1, cell.y + 1) == (1, 30) and made.at(2, 2) is None


def test_of_many_layers_the_rows_after_whole_ones_are_shown() -> None:
    """And the last row always: it is the output."""
    picture = lens_by_hand()
    lens = picture.lens
    taps = ("decoder.embedding.output", *(f"decoder.layers.{n}.residual{k}" for n in range(20) for k in (1, 2)))
    grown = {name: getattr(lens, name)[[0] + [1, 2] * 20] for name in ("ids", "probabilities", "written_p", "ranks")}
    many = attrs.evolve(picture, lens=attrs.evolve(lens, taps=taps, **grown), rows=tuple(map(str, range(41))))
    rows = grid(sketch(), many, AREA, 0).rows
    assert rows[0] == 0 and rows[-1] == 40 and all(row % 2 == 0 for row in rows) and len(rows) < 41
    assert grid(sketch(), many, Rect(0, 0, 700, 1600), 0).rows == tuple(range(41))
