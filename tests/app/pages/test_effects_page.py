"""The effects page: pointing at a word shows its slice, a click keeps it, and a head that is clicked is looked at."""

from itertools import groupby

import attrs
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from explorer.app.pages.effects_page import EffectsPage
from explorer.lang import Words
from explorer.picture.causal_kinds import EffectMap
from explorer.state.change_intents import AddChanges, RemoveChanges
from explorer.state.look import Look
from explorer.state.state import State
from explorer.trace.changes import Change
from explorer.trace.found.effects import Edges
from explorer.trace.model_card import SideCard
from explorer.trace.trace import Trace
from explorer.views.pictures.effect_map import EffectMapView
from explorer.views.pictures.heatmap import HeatmapView
from explorer.views.pictures.timeline import TimelineView
from tests.picture.makers.test_effects import effects_of, traced, unfinished
from tests.pointing import hover


@pytest.fixture
def page(qtbot: QtBot) -> EffectsPage:
    made, words = EffectsPage(), Words.load("en")
    qtbot.addWidget(made)
    made.speak(words)
    made.resize(1100, 700)
    with qtbot.waitExposed(made):
        made.show()
    return made


def draw(page: EffectsPage, trace: Trace, **look: object) -> None:
    page.draw(trace, Look(**look).fitted(trace), Words.load("en"))


def shown(page: EffectsPage) -> EffectMap:
    picture = page.heads.picture
    assert isinstance(picture, EffectMap)
    return picture


def test_pointing_at_a_word_shows_its_slice(page: EffectsPage) -> None:
    """And when the mouse has left, that of the chosen word again: nothing is asked of the model."""
    trace = traced()
    found = effects_of(trace)
    draw(page, trace, position=0)
    wished: list[object] = []
    page.wished.connect(wished.append)
    row = page.row.view
    assert isinstance(row, TimelineView)

    hover(row, row.step_rect(2).center().toPoint())
    np.testing.assert_allclose(shown(page).values[0], found.heads[0, 0, :, 1], atol=1e-6)
    hover(row, row.step_rect(0).center().toPoint())
    np.testing.assert_allclose(shown(page).values[0], found.heads[0, 0].sum(-1), atol=1e-6)
    hover(row, QPoint(row.width() - 2, row.height() - 2))
    np.testing.assert_allclose(shown(page).values[0], found.heads[0, 0, :, 0], atol=1e-6)
    assert wished == []


def test_a_click_keeps_the_word(page: EffectsPage, qtbot: QtBot) -> None:
    """The first chip is the whole sentence, which is no position."""
    trace = traced()
    draw(page, trace, position=1)
    wished: list[object] = []
    page.wished.connect(wished.append)
    row = page.row.view
    assert isinstance(row, TimelineView)
    for step in (1, 0):
        qtbot.mouseClick(row, Qt.MouseButton.LeftButton, pos=row.step_rect(step).center().toPoint())

    positions = [intent.fields["position"] for intent in wished]  # type: ignore[attr-defined]
    assert positions == [0, -1]


def test_a_click_on_a_head_looks_at_it(page: EffectsPage, qtbot: QtBot) -> None:
    """With its attention and its layer."""
    trace = traced()
    draw(page, trace)
    wished: list[object] = []
    page.wished.connect(wished.append)
    view = page.heads.view
    assert isinstance(view, EffectMapView)
    area = view.places().cell(5, 2)  # the sixth row is the second layer of cross-attention
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(area.x + 8), round(area.y + 5)))

    (intent,) = wished
    assert intent.fields == {"attention": "decoder.cross_attn", "layer": 1, "head": 2}  # type: ignore[attr-defined]


def test_before_the_effects_come_the_words_are_there(page: EffectsPage) -> None:
    """And the maps are outlines; when they have come, nothing has moved."""
    trace = traced()
    draw(page, unfinished(trace))
    before = [card.geometry() for card in page.cards]
    assert shown(page).pending
    assert not page.grab().isNull()

    draw(page, trace)
    assert not shown(page).pending
    assert [card.geometry() for card in page.cards] == before


@pytest.mark.parametrize("architecture", ["encoder-only", "decoder-only"])
def test_other_architectures_have_the_page(page: EffectsPage, architecture: str) -> None:
    """What is measured is told."""
    draw(page, traced(architecture))

    assert shown(page).rows[0].tap.startswith(architecture.partition("-")[0])
    assert page.row.picture is not None and page.row.picture.caption.note


def estimate(trace: Trace, n_times: int = 1) -> Trace:
    """The same with estimated heads, `n_times` as many of them."""
    found = effects_of(trace)
    heads = np.tile(found.heads, (1, 1, n_times, 1))
    return attrs.evolve(trace, experiments={"effects": attrs.evolve(found, exact=False, heads=heads)})


def test_exact_effects_are_asked_for_when_an_estimate_has_come(page: EffectsPage) -> None:
    """And another sentence begins with the estimate again."""
    trace = traced()
    asked: list[frozenset[str]] = []
    page.looked_into.connect(lambda: asked.append(page.experiments - {"edges"}))
    draw(page, trace)
    assert asked == [{"effects"}]  # The cells of the chosen head come behind it.
    asked.clear()
    draw(page, estimate(trace))
    assert shown(page).estimated
    exact = attrs.evolve(trace, experiments={**estimate(trace).experiments, "effects_exact": effects_of(trace)})
    draw(page, exact)
    assert not shown(page).estimated
    draw(page, unfinished(trace))

    assert [each for each, _again in groupby(asked)] == [{"effects", "effects_exact"}, {"effects"}]
    assert not page.exact.isVisible()


def test_very_many_heads_wait_for_a_click(page: EffectsPage, qtbot: QtBot) -> None:
    """Their exact effects take minutes."""
    trace = estimate(traced(), 64)
    asked: list[frozenset[str]] = []
    page.looked_into.connect(lambda: asked.append(page.experiments - {"edges"}))
    trace = attrs.evolve(trace, card=attrs.evolve(trace.card, sides=tuple(_wide(side) for side in trace.card.sides)))
    draw(page, trace)
    assert (asked, page.exact.isVisible(), page.exact.text()) == ([{"effects"}], True, "Compute exactly")

    qtbot.mouseClick(page.exact, Qt.MouseButton.LeftButton)
    assert asked[1:] == [{"effects", "effects_exact"}] and page.exact.text().startswith("Stop")
    assert page.focus.head_rows == 1


def test_the_exact_sweep_goes_on_row_by_row_until_it_is_stopped(page: EffectsPage, qtbot: QtBot) -> None:
    """Each answer asks for one row more; a click stops there and the next goes on; what is exact stays exact."""
    trace = traced()
    rough = effects_of(estimate(trace))

    def after(n_rows: int) -> Trace:
        found = attrs.evolve(rough, exact_rows=n_rows, estimates=rough.heads)
        return attrs.evolve(trace, experiments={"effects": rough, "effects_exact": found})

    draw(page, estimate(trace))
    assert page.focus.head_rows == 1
    draw(page, after(1))
    assert page.focus.head_rows == 2 and page.exact.text() == "Stop · 1 of 6"
    assert [shown(page).is_estimate(row) for row in range(3)] == [False, True, True]
    qtbot.mouseClick(page.exact, Qt.MouseButton.LeftButton)
    assert page.focus.head_rows == 1 and page.exact.text() == "Compute exactly"
    draw(page, after(1))
    assert page.focus.head_rows == 1
    qtbot.mouseClick(page.exact, Qt.MouseButton.LeftButton)
    assert page.focus.head_rows == 2
    exact = attrs.evolve(effects_of(trace), exact_rows=6)
    draw(page, attrs.evolve(trace, experiments={"effects": rough, "effects_exact": exact}))
    assert not page.exact.isVisible() and not shown(page).estimated


def test_a_click_on_a_cell_closes_it_and_another_opens_it(page: EffectsPage, qtbot: QtBot) -> None:
    """As a change of the pass, with the head that is looked at; a cell that the mask has closed stays as it is."""
    trace = with_edges(traced(), "decoder.self_attn", 1, 2)
    draw(page, trace, attention="decoder.self_attn", layer=1, head=2)
    wished: list[object] = []
    page.wished.connect(wished.append)
    view = page.edges.view
    assert isinstance(view, HeatmapView)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.cell_rect(1, 0).center().toPoint())
    change = Change("decoder.layers.1.self_attn.masked", "close", head=2, rows=(1,), columns=(0,))
    page.put(attrs.evolve(State.from_preset("tiny").wish, changes=(change,)))
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.cell_rect(1, 0).center().toPoint())
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.cell_rect(0, 1).center().toPoint())
    assert wished == [AddChanges((change,)), RemoveChanges((0,))]


def with_edges(trace: Trace, attention: str, layer: int, head: int, exact_rows: int = 9) -> Trace:
    """The same with made-up edges of a head, of which the mask has closed what is later."""
    found, n = effects_of(trace), len(trace.tokens.target)
    closed = np.triu(np.ones((n, n), bool), 1)
    alone = ~closed & ((~closed).sum(axis=1, keepdims=True) == 1)
    values = np.arange(n * n * len(found.words), dtype=np.float32).reshape(n, n, -1) / 100
    values[closed | alone] = np.nan
    edges = Edges(
        attention=attention,
        layer=layer,
        head=head,
        words=found.words,
        word_ids=found.word_ids,
        values=values,
        closed=closed,
        alone=alone,
        exact_rows=exact_rows,
    )
    return attrs.evolve(trace, experiments={**trace.experiments, "edges": edges})


def _wide(side: SideCard) -> SideCard:
    return attrs.evolve(side, n_heads=256, n_kv_heads=256)
