"""Going about in the river."""

import threading
import weakref
from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.app.pages import card, prepared
from explorer.app.shell.window import Window
from explorer.picture.river import drawn_river
from explorer.picture.river.place import Place
from explorer.picture.river.strips import bar_rect
from explorer.state.intents import SetKnob, look_at
from explorer.views.pictures import river_surface
from explorer.views.pictures.river import RiverView
from tests.journeys.conftest import Journey


def view_of(window: Window) -> RiverView:
    view = window.page_stack.page.cards[0].view
    assert isinstance(view, RiverView)
    return view


def place_of(view: RiverView, what: Place) -> QPoint:
    """A point of the view at which this lies."""
    points = (QPoint(x, y) for y in range(0, view.height(), 4) for x in range(0, view.width(), 4))
    return next(each for each in points if view.place_at(QPointF(each)) == what)


def test_space_plays_the_steps_to_the_last(journey: Journey) -> None:
    """Each is looked at for a moment; nothing is computed for it, and it ends by itself."""

    def script(window: Window) -> None:
        journey.settle(window)
        view = view_of(window)
        QTest.keyClick(view, Qt.Key.Key_Home)
        serial, seen = window.session.serial, []
        QTest.keyClick(view, Qt.Key.Key_Space)

        def ended() -> bool:
            assert view.picture is not None
            seen.append(view.picture.written.step)
            return seen[-1] == view.picture.halves[-1].n_tokens - 1

        journey.wait(ended)
        assert [1, 2, 3] == sorted(set(seen)) == list(dict.fromkeys(seen))
        assert serial == window.session.serial

    journey.run(script)


def test_a_key_leaves_nothing_but_painting_to_the_window(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """The river of a new sentence is made, drawn and painted on the compute thread; that of another head, for which nothing
    is computed, on the GUI thread."""
    made: list[str] = []

    def script(window: Window) -> None:
        journey.settle(window)
        drawing = ((river_surface, "drawn_river"), (drawn_river, "drawn_river"))
        for module, name in ((card, "ready"), *drawing, (river_surface, "base_image"), (river_surface, "paint_base")):
            monkeypatch.setattr(module, name, noted(getattr(module, name)))
        monkeypatch.setattr(prepared, "ready", noted(prepared.ready))
        for key in "好呀":
            made.clear()
            box = window.sentences.source_edit
            box.setText(box.text() + key)
            journey.settle(window)
            picture = view_of(window).picture
            assert picture is not None and key in picture.halves[0].labels
            view_of(window).repaint()
            assert made and set(made) == {"compute"}
        made.clear()
        window.session.ask(SetKnob("architecture", "decoder-only"))  # The Look is fitted to what this model has.
        journey.settle(window)
        assert made and set(made) == {"compute"}
        made.clear()
        window.session.ask(look_at(head=1))
        journey.settle(window)
        assert made and set(made) == {"MainThread"}

    def noted(call: Callable[..., object]) -> Callable[..., object]:
        def call_and_note(*given: object, **named: object) -> object:
            made.append(threading.current_thread().name)
            return call(*given, **named)

        return call_and_note

    journey.run(script)


class _Before(QObject):
    """What is shown now, and at each painting of another pass whether this one is still there."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        assert window.session.frame is not None
        self.session, self.trace = window.session, weakref.ref(window.session.frame.trace)
        self.there: list[bool] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Nothing is kept from the view."""
        assert self.session.frame is not None
        if event.type() == QEvent.Type.Paint and self.session.frame.trace is not self.trace():
            self.there.append(self.trace() is not None)
        return False


def test_what_was_shown_before_is_freed_behind_painting(journey: Journey) -> None:
    """To free a pass takes a millisecond, for which the new picture does not wait."""

    def script(window: Window) -> None:
        journey.settle(window)
        before, box = _Before(window), window.sentences.source_edit
        view_of(window).installEventFilter(before)
        box.setText(box.text() + "好")
        journey.settle(window)
        journey.wait(lambda: before.trace() is None)
        assert before.there[0]

    journey.run(script)


def test_a_long_sentence_is_looked_at_in_excerpts(journey: Journey) -> None:
    """The wheel with Ctrl brings fewer tokens, without it the next ones; the bar any; Ctrl+0 brings all back."""

    def turn(view: RiverView, y: float, notches: int, ctrl: bool) -> None:
        keys = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
        at, none = QPointF(60, y), QPoint()
        event = QWheelEvent(
            at,
            view.mapToGlobal(at),
            none,
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            keys,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(view, event)

    def script(window: Window) -> None:
        journey.settle(window)
        window.sentences.source_edit.setText("我爱北京天安门。" * 5)
        journey.settle(window)
        view = view_of(window)
        assert view.picture is not None and view.grid is not None
        first = view.picture.halves[0]
        n = first.n_tokens
        assert first.whole
        top = view.grid.halves[0].top
        turn(view, top + 3, 1, ctrl=False)
        assert view.picture.halves[0].whole  # Nothing lies above or below.
        turn(view, top + 3, 3, ctrl=True)
        shown = view.picture.halves[0]
        assert (shown.first, shown.whole) == (0, False) and 6 <= shown.end < n
        assert view.picture.halves[-1].whole
        turn(view, top + 3, -1, ctrl=False)
        assert view.picture.halves[0].first > 0
        bar = bar_rect(view.picture.halves[0], view.grid.halves[0])
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(round(bar.x + 2), round(bar.bottom - 1)))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(round(bar.x + 2), round(bar.bottom - 1)))
        assert view.picture.halves[0].end == n
        QTest.keyClick(view, Qt.Key.Key_PageUp)
        assert view.picture.halves[0].end < n
        window.actions_.by_name["fit"].trigger()
        assert view.picture.halves[0].whole
        head = window.session.state.look.head
        QTest.keyClick(view, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
        assert window.session.state.look.head == head  # With Ctrl a digit chooses no head, but a page.

    journey.run(script)


def test_a_candidate_that_is_clicked_is_written_instead(journey: Journey) -> None:
    """The translation goes on from it, and all before stays."""

    def script(window: Window) -> None:
        journey.settle(window)
        view = view_of(window)
        QTest.keyClick(view, Qt.Key.Key_Home)
        assert view.picture is not None and view.grid is not None
        second, before = view.picture.written.candidates[1], view.picture.written.labels[0]
        place = view.grid.candidates
        row = min(30.0, place.high / 9)
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(place.x + 30), round(place.y + 1.5 * row)))
        journey.settle(window)
        assert (second[2],) == window.session.state.wish.prefix
        assert view.picture.written.labels[0] == second[0] != before

    journey.run(script, "--preset", "translator")


@pytest.mark.parametrize("size", [(880, 480), (1440, 900)])
def test_a_layer_opens_and_closes_in_place(journey: Journey, size: tuple[int, int]) -> None:
    """A click on a block looks at it, a second one opens it, Escape closes it; undo knows of none of it."""

    def script(window: Window) -> None:
        window.resize(*size)
        journey.settle(window)
        view = view_of(window)
        assert view.grid is not None
        slab = view.grid.half("decoder").slabs[1]
        zone, place = slab.zone("self_attn"), view.grid.half("decoder")
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(zone.x + 2), round(place.bottom + 1)))
        look = window.session.state.look
        assert ("decoder.self_attn", 1, "") == (look.attention, look.layer, look.opened)
        slab = view.grid.half("decoder").slabs[1]
        zone = slab.zone("self_attn")
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(round(zone.x + 2), round(place.bottom + 1)))
        assert "attention" == window.session.state.look.opened
        assert view.picture is not None and view.picture.opened is not None
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert "" == window.session.state.look.opened
        assert not window.actions_.by_name["undo"].isEnabled()

    journey.run(script)


def test_bands_show_contributions_at_a_key_and_at_a_button(journey: Journey) -> None:
    """B asks for the account and shows its parts; the other button brings the weights back, and then nothing is asked for."""

    def script(window: Window) -> None:
        journey.settle(window)
        view = view_of(window)
        page = window.page_stack.page
        assert view.picture is not None and view.picture.bands == "weights" and not page.experiments
        QTest.keyClick(view, Qt.Key.Key_B)
        journey.wait(lambda: view.picture is not None and view.picture.contributions is not None)
        found = view.picture.contributions
        assert found is not None and page.experiments == {"why"}
        parts = window.session.frame.trace.why(view.picture.written.step)  # type: ignore[union-attr]  # It is there.
        heads = sum(value for part, value in zip(parts.parts, parts.values, strict=True) if part.kind == "head")
        assert abs(sum(rows.sum() for rows in found.values.values()) - heads) < 1e-4
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place_of(view, Place("bands", side="weights")))
        journey.wait(lambda: view.picture is not None and view.picture.bands == "weights")
        assert view.picture.contributions is None and not page.experiments

    journey.run(script)


def test_m_and_the_buttons_change_what_stands_for_the_heads(journey: Journey) -> None:
    """Mean, maximum, and the chosen head again; nothing is computed for it, and a digit is a head at once."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(look_at(attention="encoder.self_attn", layer=0, head=1, aligned="head"))
        view, serial = view_of(window), window.session.serial
        pools = []
        for _ in range(3):
            QTest.keyClick(view, Qt.Key.Key_M)
            assert view.picture is not None
            pools.append((view.picture.pooled, view.picture.head))
        assert pools == [("layer", None), ("layer_max", None), ("", 1)]
        chosen = Place("pool", side="layer_max", attention="encoder.self_attn")
        for pooled in ("layer_max", ""):  # A second click gives the head back.
            view.chose.emit(chosen)
            assert view.picture.pooled == pooled
        view.chose.emit(chosen)
        QTest.keyClick(view, Qt.Key.Key_3)
        assert (view.picture.pooled, view.picture.head) == ("", 3)
        assert window.session.state.look.aligned == "head" and serial == window.session.serial

    journey.run(script)
