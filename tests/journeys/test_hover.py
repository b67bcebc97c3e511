"""What is said under the mouse is about what is on screen: rows that are multiplied, numbers of the newest frame."""

from itertools import cycle

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt import exceptions as qt_errors
from pytestqt.qtbot import QtBot

from explorer.app.shell.window import Window
from explorer.picture.kinds import Heatmap
from explorer.state.intents import SetKnob, SetText, look_at
from explorer.views.painting.canvas import Canvas
from explorer.views.painting.pointed import Spot
from explorer.views.pictures.token_row import TokenRowView
from tests.journeys.conftest import Journey
from tests.sweeps import sweep


def hover(view: QWidget, place: QPointF) -> None:
    """A move of the mouse, as Qt delivers it."""
    there = view.mapToGlobal(place)
    QApplication.sendEvent(
        view,
        QMouseEvent(
            QEvent.Type.MouseMove,
            place,
            there,
            Qt.MouseButton.NoButton,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
        ),
    )


def middle(view: QWidget) -> QPointF:
    """A place where something is: the first cell of the second row of a map, a token's chip, else the middle."""
    if isinstance(view, TokenRowView):
        return view.chip_rect(0).center()
    return view.cell_rect(1, 0).center() if isinstance(view, Canvas) else QPointF(view.rect().center())


@pytest.mark.parametrize("page", sweep(["attention", "tokens", "stepper", "output"], telling=["attention", "output"]))
def test_a_tooltip_follows_the_new_frame_or_closes(journey: Journey, page: str) -> None:
    """Whatever view it stands on, it never says an old number."""

    def script(window: Window) -> None:
        window.go(page)
        journey.settle(window)
        told = 0
        # Texts take turns: where a number stays as it is, the tooltip closes only when Qt takes it away after ten seconds.
        texts = cycle([(1.5, "她在北京爱读书"), (0.7, "我爱北京天安门")])
        for card in window.page_stack.page.cards:
            view: QWidget = card.view  # type: ignore[assignment]  # it is a widget too
            if not card.isVisible():
                continue
            hover(view, middle(view))
            before = QToolTip.text() if QToolTip.isVisible() else ""
            told += bool(before)
            temperature, text = next(texts)  # A temperature changes every weight, another text all else.
            window.session.ask(SetKnob("temperature", temperature))
            journey.settle(window)
            before = QToolTip.text() if QToolTip.isVisible() else ""  # An answer on the way may have another number already.
            window.session.ask(SetText(text))
            journey.settle(window)
            if before:  # Qt closes a tooltip a moment after it is asked to
                journey.wait(lambda before=before: not QToolTip.isVisible() or QToolTip.text() != before)
            after = QToolTip.text() if QToolTip.isVisible() else ""
            hover(view, middle(view))
            now = QToolTip.text() if QToolTip.isVisible() else ""
            assert after in ("", now), f"{card.title.text()}: {after!r}, now {now!r}"
            QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
            journey.wait(lambda: not QToolTip.isVisible())
        assert told

    journey.run(script)


def lit_rows(card_view: Canvas, spots: frozenset[Spot]) -> list[int]:
    picture = card_view.picture  # type: ignore[attr-defined]  # a HeatmapView
    assert isinstance(picture, Heatmap)
    return picture.rows.indices(spots, len(picture.values))


@pytest.mark.parametrize("part", sweep(["query", "scores", "mixed", "output"], telling=["scores"]))
def test_the_row_that_lights_up_is_the_row_that_is_multiplied(journey: Journey, part: str) -> None:
    """Cell [r, c] of the result lights row r of what goes in at the left, and it bears the same name, across as well."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("stepper")
        window.session.ask(look_at(attention="decoder.cross_attn", layer=2, part=part))
        journey.settle(window)
        page = window.page_stack.page
        first, result = page.first.view, page.result.view  # type: ignore[attr-defined]  # the stepper's
        pointed: list[object] = []
        result.pointed.connect(pointed.append)
        hover(result, result.cell_rect(4, 2).center())
        spots = pointed[-1].tokens  # type: ignore[attr-defined]  # a Pointed
        assert lit_rows(first, spots) == [4]
        assert lit_rows(result, spots) == [4]
        assert first.picture.rows.labels[4] == result.picture.rows.labels[4]
        if part == "scores":
            second = page.second.view  # type: ignore[attr-defined]  # the stepper's
            assert lit_rows(second, spots) == [2]
            trace = window.session.frame.trace
            tap = "decoder.layers.2.cross_attn"
            q, k = trace[f"{tap}.query"][window.session.state.look.head], trace[f"{tap}.key"][window.session.state.look.head]
            assert abs(float(q[4] @ k[2]) - float(result.picture.values[4, 2])) < 1e-4

    journey.run(script, "--preset", "translator")


def test_the_strips_of_an_attention_light_the_row_of_its_map(journey: Journey) -> None:
    """On the attention page Q and A V stand beside the map, and their rows are its rows."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("attention")
        window.session.ask(look_at(attention="decoder.cross_attn"))
        journey.settle(window)
        _wall, head, _lines, parts, _source = (card.view for card in window.page_stack.page.cards)
        for band in parts.picture.bands:  # type: ignore[attr-defined]  # a StripsView
            assert band.rows == head.picture.rows or band.rows.labels == head.picture.rows.labels  # type: ignore[attr-defined]
            assert band.rows.spot(3) == head.picture.rows.spot(3)  # type: ignore[attr-defined]  # a HeatmapView

    journey.run(script, "--preset", "translator")


def test_old_numbers_would_be_found(journey: Journey, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the first test can fail: with the views' own way of telling again taken out, an old number stays."""
    monkeypatch.setattr(journey, "wait", lambda condition: qtbot.waitUntil(condition, timeout=1000))
    monkeypatch.setattr("explorer.views.painting.surface.Surface.tell_again", lambda *_given: None)
    with pytest.raises(qt_errors.TimeoutError):
        test_a_tooltip_follows_the_new_frame_or_closes(journey, "attention")
