"""Arcs and overlaid heads on screen: what is painted, and what the mouse brings up."""

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.kinds import Alignment, Axis, Caption, HeadLines
from explorer.picture.layout.strands import asides
from explorer.picture.scales import unit_scale
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.views.painting import strands
from explorer.views.painting.pointed import NOTHING
from explorer.views.pictures.alignment import AlignmentView
from tests.pointing import hover
from tests.views.pictures.test_alignment import centre, distance, grabbed, heard, shown

TOKENS = ("我", "爱", "北京", "天安门")


def arcs(values: object, labels: tuple[str, ...] = TOKENS) -> Alignment:
    return Alignment(
        values=np.array(values, np.float32),
        rows=Axis("query", labels, "source"),
        columns=Axis("key", labels, "source"),
        scale=unit_scale("cividis"),
        caption=Caption(title="Attention", tap="a.tap", shape="[query, key]"),
        arcs=True,
    )


def one_arc(query: int, key: int, *, causal: bool = False) -> Alignment:
    values = np.zeros((4, 4))
    values[query, key] = 1
    if causal:
        values[np.triu_indices(4, 1)] = np.nan
    return arcs(values)


def top_of(view: AlignmentView, query: int, key: int, aside: float = 0.0) -> QPointF:
    """The middle of an arc."""
    first, one, two, last = view._placed().strands.curve(query, key, aside)
    x, y = ((first[i] + 3 * one[i] + 3 * two[i] + last[i]) / 8 for i in (0, 1))
    return QPointF(view._left + x, y)


def pixel(view: AlignmentView, at: QPointF) -> QColor:
    return grabbed(view).pixelColor(at.toPoint())


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_an_arc_back_is_above_and_one_ahead_below(qtbot: QtBot, words: Words, theme: Theme) -> None:
    """Painted in the accent's colour where it was laid out, and nowhere on the other side."""
    back, ahead = (shown(qtbot, one_arc(*pair), words, theme=theme) for pair in ((3, 1), (1, 3)))
    above, below = top_of(back, 3, 1), top_of(back, 1, 3)
    assert above.y() < back.height() / 2 < below.y()
    for view, seen, gone in ((back, above, below), (ahead, below, above)):
        assert distance(pixel(view, seen), QColor(theme.accent)) <= 12
        assert distance(pixel(view, gone), QColor(theme.card)) == 0


def test_behind_a_causal_mask_all_room_is_above(qtbot: QtBot, words: Words) -> None:
    """No token looks ahead, so that the row of tokens stands at the bottom."""
    view, free = shown(qtbot, one_arc(3, 0, causal=True), words), shown(qtbot, one_arc(3, 0), words)
    assert view.token_rect((view.picture.rows.side, 0)).bottom() > view.height() - 8
    assert free.token_rect((free.picture.rows.side, 0)).bottom() < 0.6 * free.height()


def test_pointing_at_a_token_of_the_row_shows_where_it_looks(qtbot: QtBot, words: Words) -> None:
    """By mouse; the key up shows who looks at it, and other views are told of the token."""
    view = shown(qtbot, arcs(np.eye(4)[::-1]), words)
    told = heard(view)
    hover(view, centre(view, view.picture.rows.side, 1))
    assert ("source", 1) in told[-1].tokens and told[-1].text.split("\n")[:2] == ["query 1 爱", "→ 北京  1"]
    assert distance(pixel(view, top_of(view, 1, 2)), QColor(LIGHT.accent)) <= 12
    assert distance(pixel(view, top_of(view, 0, 3)), QColor(LIGHT.card)) == 0
    view.selected = (view.picture.rows.side, 1)
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert told[-1].text.split("\n")[:2] == ["key 1 爱", "← 北京  1"]
    assert distance(pixel(view, top_of(view, 2, 1)), QColor(LIGHT.accent)) <= 12


def test_pointing_at_an_arc_tells_its_weight(qtbot: QtBot, words: Words) -> None:
    """And beside all arcs there is nothing."""
    view = shown(qtbot, arcs(np.full((4, 4), 0.25)), words)
    told = heard(view)
    hover(view, top_of(view, 3, 0).toPoint())
    assert told[-1].text.startswith("0.25\nquery 3 天安门  →  key 0 我")
    hover(view, QPoint(2, 2))
    assert told[-1] == NOTHING


def test_no_arc_is_found_where_there_is_none(qtbot: QtBot, words: Words) -> None:
    """A picture of zeros."""
    view = shown(qtbot, arcs(np.zeros((4, 4))), words)
    told = heard(view)
    hover(view, QPoint(250, 60))
    assert told[-1] == NOTHING


@pytest.mark.parametrize("bent", [True, False])
def test_overlaid_heads_have_colours_and_places_of_their_own(qtbot: QtBot, words: Words, bent: bool) -> None:
    """The line of each lies beside the middle in the head's colour, and the hover text has the weight of both."""
    one = np.zeros((4, 4), np.float32)
    one[3, 0] = 1
    made = attrs.evolve(one_arc(3, 0), arcs=bent, overlaid=(HeadLines(0, one), HeadLines(2, 0.5 * one), HeadLines(4, one)))
    view = shown(qtbot, made, words)
    places = asides(3, min(view._placed().above.widths))
    for head, aside in ((0, places[0]), (4, places[2])):
        points = view._placed().strands.curve(3, 0, aside)
        at = top_of(view, 3, 0, aside) if bent else QPointF(*(sum(each) / 2 for each in zip(*points, strict=True)))
        assert distance(pixel(view, at + QPointF(0 if bent else view._left, 0)), QColor(LIGHT.heads[head])) <= 40
    told = heard(view)
    hover(view, top_of(view, 3, 0).toPoint() if bent else view.line(3, 0).pointAt(0.5).toPoint())
    assert told[-1].text.split("\n")[1:4] == ["H0  1", "H2  0.5", "H4  1"]


def test_from_lines_to_arcs_everything_begins_anew(qtbot: QtBot, words: Words) -> None:
    """The chosen token was one of a row that is gone."""
    view = shown(qtbot, one_arc(3, 0), words)
    view.selected = (view.picture.columns.side, 2)
    view.draw(attrs.evolve(one_arc(3, 0), arcs=False), words)
    assert view.selected is None


def test_many_strands_are_painted_little_by_little(qtbot: QtBot, words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never more than so many at once, and in the end the very same picture; what is lit in between does not disturb it."""
    made = arcs(np.random.default_rng(0).dirichlet(np.full(12, 0.5), 12), tuple(f"t{i}" for i in range(12)))
    painted = shown(qtbot, made, words)
    qtbot.waitUntil(lambda: painted.paintings.kept[0].ready)
    wanted = painted.paintings.kept[0].image.toImage()

    monkeypatch.setattr(strands, "_ARCS_AT_ONCE", 7)
    view = shown(qtbot, made, words)
    view.light(frozenset({("source", 3)}))
    view.update()
    view.light(frozenset())
    before = view.paintings.kept[0].n_painted
    grabbed(view)
    assert view.paintings.kept[0].n_painted - before <= 7
    qtbot.waitUntil(lambda: view.paintings.kept[0].ready)
    assert view.paintings.kept[0].image.toImage() == wanted


def test_another_size_or_theme_is_painted_anew(qtbot: QtBot, words: Words) -> None:
    """Nothing of the painting before is seen."""
    view = shown(qtbot, one_arc(3, 1), words)
    view.set_theme(DARK)
    assert distance(pixel(view, top_of(view, 3, 1)), QColor(DARK.accent)) <= 12
    view.resize(400, 260)
    assert distance(pixel(view, top_of(view, 3, 1)), QColor(DARK.accent)) <= 12


def test_what_is_not_painted_yet_rests_while_the_compute_thread_answers(
    qtbot: QtBot, words: Words, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both threads share Python's lock: behind a long text a key took ten times as long. Afterwards the rest is painted."""
    monkeypatch.setattr(strands, "_SPANS_AT_ONCE", 0)  # sixteen at once
    values = np.random.default_rng(0).dirichlet(np.full(12, 0.5), 12)
    made = attrs.evolve(arcs(values, tuple(f"t{i}" for i in range(12))), arcs=False)
    view = AlignmentView()
    qtbot.addWidget(view)
    view.draw(made, words)
    view.resize(500, 300)
    view.set_busy(True)
    with qtbot.waitExposed(view):
        view.show()
    qtbot.waitUntil(lambda: bool(view.paintings.kept) and not view._soon.isActive())
    painting = view.paintings.kept[0]
    painted = painting.n_painted
    for _ in range(5):
        view._soon.start()
        qtbot.waitUntil(lambda: not view._soon.isActive())
    assert painting.n_painted == painted and not painting.ready
    view.set_busy(False)
    qtbot.waitUntil(lambda: painting.ready)
    assert painting.n_painted > painted


def test_strands_that_follow_leave_the_labels_alone(qtbot: QtBot, words: Words, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the rows alone, so that three hundred labels are not painted for each part of a long text's strands."""
    monkeypatch.setattr(strands, "_SPANS_AT_ONCE", 0)
    values = np.random.default_rng(0).dirichlet(np.full(12, 0.5), 12)
    view = AlignmentView()
    qtbot.addWidget(view)
    parts = []
    paint = view.paint
    monkeypatch.setattr(view, "paint", lambda painter, part: (parts.append(part), paint(painter, part)))
    view.draw(attrs.evolve(arcs(values, tuple(f"t{i}" for i in range(12))), arcs=False), words)
    view.resize(500, 300)
    with qtbot.waitExposed(view):
        view.show()
    qtbot.waitUntil(lambda: bool(view.paintings.kept) and view.paintings.kept[0].ready)
    above, below = (view.token_rect((side, 3)) for side in (view._columns.side, view._rows.side))
    assert parts[0].height() == 300 and len(parts) > 5
    assert all(part.top() >= above.bottom() and part.bottom() <= below.top() for part in parts[-4:])
