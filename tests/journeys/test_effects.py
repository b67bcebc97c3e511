"""What matters, as a user finds it out: a head's cells, and closing one of them."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from explorer.app.pages.effects_page import EffectsPage
from explorer.app.pages.why_page import WhyPage
from explorer.app.shell.window import Window
from explorer.picture.causal_kinds import Removals
from explorer.picture.kinds import Heatmap
from explorer.state.intents import look_at
from explorer.trace.found.effects import Edges
from explorer.views.pictures.heatmap import HeatmapView
from tests.journeys.conftest import Journey

LEFT = Qt.MouseButton.LeftButton


def cells(window: Window) -> Heatmap:
    page = window.page_stack.page
    assert isinstance(page, EffectsPage)
    picture = page.edges.picture
    assert isinstance(picture, Heatmap)
    return picture


def test_a_heads_cells_come_behind_the_effects_and_a_click_closes_one(journey: Journey) -> None:
    """Another head's cells are asked for when it is looked at; the closed cell's weight is 0, and a second click opens it."""

    def script(window: Window) -> None:
        window.go("effects")
        journey.settle(window)
        window.session.ask(look_at(attention="decoder.cross_attn", layer=1, head=2))
        journey.settle(window)
        trace, page = window.session.frame.trace, window.page_stack.page
        found = trace.experiments["edges"]
        assert isinstance(found, Edges) and found.is_of("decoder.cross_attn", 1, 2) and isinstance(page, EffectsPage)
        np.testing.assert_allclose(cells(window).values, found.values.sum(-1), atol=1e-6)
        view = page.edges.view
        assert isinstance(view, HeatmapView)
        QTest.mouseClick(view, LEFT, pos=view.cell_rect(1, 0).center().toPoint())
        journey.settle(window)
        weights = window.session.frame.trace["decoder.layers.1.cross_attn.weights"][2]
        assert weights[1, 0] == 0 and abs(weights[1].sum() - 1) < 1e-6
        closed = cells(window).closed
        assert closed is not None and closed[1, 0] and cells(window).caption.changes == 1
        QTest.mouseClick(view, LEFT, pos=view.cell_rect(1, 0).center().toPoint())
        journey.settle(window)
        assert window.session.state.wish.changes == ()
        again = window.session.frame.trace["decoder.layers.1.cross_attn.weights"]
        assert np.array_equal(again, trace["decoder.layers.1.cross_attn.weights"])

    journey.run(script, "--preset", "tiny")


def test_costs_come_behind_the_account_for_every_step_and_rival(journey: Journey) -> None:
    """The dots are there at once, the rings a moment later; another step has its own."""

    def script(window: Window) -> None:
        window.go("why")
        journey.settle(window)
        page = window.page_stack.page
        assert isinstance(page, WhyPage)
        seen = []
        for fields in ({"position": 1}, {"position": 2}, {"rival": 7}):
            window.session.ask(look_at(**fields))
            first = page.costs.picture
            assert isinstance(first, Removals) and np.isnan(first.costs).all() and len(first.names) == 9
            journey.settle(window)
            last = page.costs.picture
            assert isinstance(last, Removals) and np.isfinite(last.costs).all() and first.names == last.names
            seen.append(last.costs.tolist())
        assert len({tuple(each) for each in seen}) == 3

    journey.run(script, "--preset", "tiny")
