"""The sheet and the beats as marks: all within their area, a pure function of the numbers and the time."""

from collections.abc import Iterator

import attrs
import numpy as np
import pytest

from explorer.picture.figure.marks import measured
from explorer.picture.followed import BEATS, Followed
from explorer.picture.kinds import Axis
from explorer.picture.layout.follow_scene import pooled, ticks
from explorer.picture.layout.follow_sheet import beat_at, panels, sheet, taps_of
from explorer.picture.layout.follow_time import timetable
from explorer.picture.layout.sketch import Sketch, pieces
from explorer.picture.marks import Box, Cells, Dots, Hatch, Label, Line, Mark, Rect
from explorer.picture.theme import DARK, LIGHT
from explorer.trace.tap_names import Cell
from tests.picture.examples import LANGUAGES, by_hand, words
from tests.picture.test_follow_text import SAID
from tests.picture.test_followed import wide
from tests.sweeps import sweep

SIZES = ((2200, 1150), (1140, 600), (760, 430), (560, 700), (340, 1400))
CASES: dict[str, Followed] = {case: said[0] for case, said in SAID.items()} | {
    "wide": wide(),
    "all products zero": by_hand((0.0,), (1.0,)),
    "long labels": by_hand(keys=attrs.evolve(by_hand().keys, labels=tuple(letter * 60 for letter in "我abc"))),
}


def many(n: int) -> Followed:
    """A row of `n` keys, half of them closed."""
    numbers = np.random.default_rng(5)
    scores = numbers.normal(size=n) * 4
    closed = np.arange(n) > n // 2
    masked = np.where(closed, -np.inf, scores / 2)
    weights = np.exp(masked) / np.exp(masked).sum()
    value = numbers.normal(size=(n, 2))
    labels = tuple(f"t{place}" for place in range(n))
    axis = attrs.evolve(by_hand().keys, labels=labels)
    made = by_hand(keys=axis, queries=axis, cell=Cell("encoder.self_attn", 0, 0, 0, 0))
    arrays = {"scores": scores, "scaled": scores / 2, "masked": masked, "weights": weights, "passed": weights, "value": value}
    typed = {name: np.asarray(each, np.float32) for name, each in arrays.items()}
    return attrs.evolve(made, **typed, mixed=np.asarray(weights @ value, np.float32), closed=closed)


def reach(mark: Mark) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a mark (px)."""
    match mark:
        case Box(rect=area) | Cells(rect=area) | Hatch(rect=area):
            return area.x, area.y, area.right, area.bottom
        case Line(x0=x, y0=y, x1=to_x, y1=to_y):
            return min(x, to_x), min(y, to_y), max(x, to_x), max(y, to_y)
        case Dots(x=x, y=y, radius=radius):
            return x.min() - radius, y.min() - radius, x.max() + radius, y.max() + radius
        case Label(x=x, y=y, text=content, px=size, align=align, bold=bold):
            wide_ = measured(content, size, bold)
            left = x - {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * wide_
            return left, y - 0.39 * size, left + wide_, y + 0.36 * size


def dot(x: float, y: float) -> Dots:
    return Dots(np.array([x], np.float32), np.array([y], np.float32), 2, "")


def outside(marks: list[Mark], area: Rect, room: float = 3.0) -> Iterator[Mark]:
    """Marks that leave the area by more than `room` px, or stand nowhere."""
    for mark in marks:
        left, top, right, bottom = reach(mark)
        within = left >= area.x - room and top >= area.y - room and right <= area.right + room and bottom <= area.bottom + room
        if not within:  # A place that is no number is within nothing.
            yield mark


def sketched(followed: Followed, area: Rect, language: str = "zh", time: float | None = None) -> list[Mark]:
    sketch = Sketch(LIGHT, "blue-red", measured)
    if time is None:
        sheet(sketch, followed, words(language), area)
    else:
        beat_at(sketch, followed, words(language), area, time)
    return sketch.marks


@pytest.mark.parametrize("language", sweep(LANGUAGES, telling=["en"]))
@pytest.mark.parametrize("size", sweep(SIZES, telling=[SIZES[0], SIZES[-1]]))
@pytest.mark.parametrize("case", CASES)
def test_a_sheet_stays_within_its_area(case: str, size: tuple[int, int], language: str) -> None:
    """Whatever its numbers are, and whatever room there is."""
    area = Rect(0, 0, *size)
    assert list(outside(sketched(CASES[case], area, language), area)) == []


@pytest.mark.parametrize("language", sweep(LANGUAGES, telling=["en"]))
@pytest.mark.parametrize("case", CASES)
def test_every_moment_of_a_beat_stays_within_its_area(case: str, language: str) -> None:
    """In the smallest window as in a large one."""
    table = timetable(CASES[case])
    for size in ((2200, 1100), (1140, 560), (600, 330)):
        area = Rect(0, 0, *size)
        for time in np.linspace(0, table.total, 40):
            assert list(outside(sketched(CASES[case], area, language, float(time)), area)) == []


@pytest.mark.parametrize("n", [1, 8, 30, 200, 4096])
def test_a_row_of_many_keys_shows_those_that_matter(n: int) -> None:
    """As many as have room, and says how many there are."""
    made, area = many(n), Rect(0, 0, 1140, 600)
    for time in (None, *(timetable(made).end(beat) for beat in range(len(BEATS)))):
        marks = sketched(made, area, "en", time)
        assert list(outside(marks, area)) == []
        assert len(marks) < 1500
    shown = [mark.text for mark in sketched(made, area, "en") if isinstance(mark, Label) and "keys are drawn" in mark.text]
    assert bool(shown) == (n > 8)


def test_a_mark_outside_would_be_found() -> None:
    """On each side, and one that stands nowhere."""
    area = Rect(0, 0, 100, 100)
    wrong = [dot(-9, 50), Line(0, 0, 50, 109, ""), Label(99, 50, "wide", 12, ""), Box(Rect(5, -9, 5, 5)), dot(np.nan, 5)]
    assert list(outside([*wrong, dot(50, 50)], area)) == wrong


def test_the_picture_follows_from_numbers_and_time_alone() -> None:
    """Drawn again, or after other moments, the same moment has the same marks."""
    area, made = Rect(0, 0, 900, 500), by_hand()

    def told(time: float) -> str:
        return repr(
            [
                mark if not isinstance(mark, Cells) else (mark.rect, mark.index.tolist())
                for mark in sketched(made, area, "en", time)
            ]
        )

    first = [told(time) for time in (0.3, 2.5, 4.0)]
    assert first == [told(time) for time in (0.3, 2.5, 4.0)]
    assert len(set(first)) == 3


def test_products_grow_one_after_the_other() -> None:
    """What has been added is filled, what is to come outlined, and the number is the sum of the first."""
    made = by_hand()
    table = timetable(made)
    area = Rect(0, 0, 900, 500)
    for term, so_far in enumerate(("3.00", "2.00", "1.50")):
        marks = sketched(made, area, "en", table.after_term(term))
        hollow = [mark for mark in marks if isinstance(mark, Box) and mark.line == LIGHT.closed_line and not mark.fill]
        assert len(hollow) == 3 - term
        assert so_far in [mark.text for mark in marks if isinstance(mark, Label)]


def heights(marks: list[Mark], area: Rect) -> list[float]:
    """The heights of the bands of values, from above."""
    return [mark.rect.high for mark in marks if isinstance(mark, Cells)]


def test_a_band_of_values_is_as_high_as_its_weight() -> None:
    """Of the room that all have together; the sum below has a height of its own."""
    made, area = by_hand(), Rect(0, 0, 900, 700)
    table = timetable(made)
    *bands, _sum = heights(sketched(made, area, "en", table.end(5)), area)
    # Each band leaves a gap of one pixel.
    total = sum(bands) + 3
    shares = [weight for weight in made.weights.tolist() if weight > 0]
    np.testing.assert_allclose([(band + 1) / total for band in bands], shares, atol=0.01)


def test_bars_of_softmax_end_at_the_weights() -> None:
    """They begin at nothing, the largest reaches the top, and all shrink by one factor."""
    made, area = by_hand(), Rect(0, 0, 900, 500)
    table = timetable(made)

    def bars(time: float) -> list[float]:
        marks = [mark for mark in sketched(made, area, "en", time) if isinstance(mark, Box)]
        slot = next(mark.rect.high for mark in marks if mark.fill == LIGHT.pale)
        return [mark.rect.high / slot for mark in marks if mark.fill in (LIGHT.grey, LIGHT.accent)]

    half, end = bars(table.start(4) + table.moves[4] / 2), bars(table.end(4))
    np.testing.assert_allclose(end, made.weights[:3], rtol=1e-5)
    assert max(half) == pytest.approx(1.0)
    np.testing.assert_allclose(np.array(half) / max(half), np.array(end) / max(end), rtol=1e-6)
    assert bars(table.start(4)) == []


def test_six_panels_stand_in_three_columns_two_or_one() -> None:
    """By the width, and they fill their area without touching each other."""
    for wide_, columns in ((1140, 3), (620, 3), (500, 2), (300, 1)):
        made = panels(Rect(10, 20, wide_, 600))
        assert len({panel.x for panel in made}) == columns
        assert sum(panel.wide * panel.high for panel in made) == pytest.approx(wide_ * 600)


def test_taps_are_told_with_their_indices() -> None:
    """Of shared keys and values, the head of the group."""
    made = by_hand(kv_head=1)
    assert [taps_of(made, beat) for beat in BEATS] == [
        "query[2, 2, :] · key[1, 0, :]",
        "scores[2, 2, 0]",
        "scaled[2, 2, 0]",
        "masked[2, 2, 0]",
        "weights[2, 2, 0]",
        "value[1, :, :] · mixed[2, 2, :]",
    ]


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (0, 10, 5, [0, 2, 4, 6, 8, 10]),
        (-0.3, 0.3, 3, [-0.2, 0, 0.2]),
        (0, 0, 3, [0]),
        (1, 1e-9, 3, [0]),
        (-40, 3, 4, [-40, -20, 0]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, most: int, expected: list[float]) -> None:
    """Multiples of 1, 2 or 5."""
    assert ticks(low, high, most) == pytest.approx(expected)


def test_a_row_that_is_too_wide_keeps_its_extremes() -> None:
    """Each cell is the number farthest from zero of those that it stands for."""
    row = np.array([1.0, -5.0, 2.0, 3.0, 0.5], np.float32)
    assert pooled(row, 5) is row
    assert pooled(row, 3).tolist() == [-5.0, 3.0, 0.5]
    assert pooled(row, 2).tolist() == [-5.0, 3.0]


def test_lines_break_where_a_reader_expects_it() -> None:
    """After blanks and beside Chinese characters, never before a full stop nor behind an opening bracket; nothing is lost."""
    sketch = Sketch(DARK, "blue-red", lambda text, size, _bold: size * len(text))
    text = "取指数 e^x，再除以 the sum of all。"
    assert "".join(pieces(text)) == text
    lines = sketch.lines(text, 1, 8)
    assert all(line[0] not in "，。" for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    for n in range(3, 9):
        assert all(line[-1] not in "（“(" for line in sketch.lines("最多差一（北京）。他说“你好”(Beijing)。", 1, n))
    assert sketch.lines("", 1, 8) == [""]
    assert sketch.fitting("abcdef", 1, 4) == "abc…" and sketch.fitting("abc", 1, 4) == "abc"


def test_a_name_without_room_is_marked_and_not_cut() -> None:
    """A query that is about to write is named as on the maps where “ian (next)” has no room, as in a narrow window."""
    axis = Axis("writing", ("→␣She", "→␣gave", "→ian", "→<eos>"), "target", shift=1)
    made = by_hand(queries=axis)
    for width, name in ((2200.0, "ian (next)"), (480.0, "→ian")):
        texts = [mark.text for mark in sketched(made, Rect(0, 0, width, 300), "en") if isinstance(mark, Label)]
        assert name in texts
        assert not any("…" in text and "ian" in text for text in texts)
