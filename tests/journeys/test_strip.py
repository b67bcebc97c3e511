"""The architecture strip in the window, and the head that it opens with."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.app.shell.window import Window
from explorer.page_list import place_of
from explorer.state.intents import SetKnob, SetPreset, SetText, look_at
from explorer.views.controls.architecture_strip import ArchitectureStrip
from tests.journeys.conftest import Journey
from tests.pointing import hover


def click(window: Window, key: str, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """On the segment of a Block."""
    strip = window.page_stack.above.strip
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, modifier, strip.segment_rect(key).center().toPoint())


def seen(window: Window) -> tuple[str, int, int]:
    look = window.session.state.look
    return look.attention, look.layer, look.head


def test_the_window_opens_with_the_aligned_head_and_keeps_it_while_one_types(journey: Journey) -> None:
    """What is looked at is measured once; what a person chooses then stays, and comes back at the next start."""

    def first(window: Window) -> None:
        journey.settle(window)
        assert seen(window) == ("decoder.cross_attn", 1, 5)
        assert window.page_stack.above.strip.here == "decoder.layers.1.cross_attn"
        for text in ("他喜欢动物。", "你能回答他的问题吗？"):
            window.session.ask(SetText(text))
            journey.settle(window)
        assert seen(window) == ("decoder.cross_attn", 1, 5)
        window.session.ask(look_at(layer=2, head=0))
        window.session.ask(SetText("他在图书馆看书。"))
        journey.settle(window)
        assert seen(window) == ("decoder.cross_attn", 2, 0)
        assert not window.session.waiting

    def second(window: Window) -> None:
        journey.settle(window)
        assert seen(window) == ("decoder.cross_attn", 2, 0)
        window.session.ask(SetPreset("tiny"))
        journey.settle(window)
        window.session.ask(SetPreset("translator"))
        journey.settle(window)
        assert seen(window) == ("decoder.cross_attn", 1, 5)

    journey.run(first, "gui", "--preset", "translator")
    journey.run_as_left(second)


def test_undo_finds_no_step_in_the_opening_head(journey: Journey) -> None:
    """The first undo takes the first typed text back, and the head stays."""

    def script(window: Window) -> None:
        journey.settle(window)
        assert not window.actions_.by_name["undo"].isEnabled()
        text, head = window.session.state.wish.text, seen(window)
        window.session.ask(SetText("他喜欢动物。"))
        journey.settle(window)
        window.session.undo()
        journey.settle(window)
        assert (window.session.state.wish.text, seen(window)) == (text, head)

    journey.run(script, "--preset", "translator")


def test_the_strip_is_above_the_pages_of_the_model_and_says_where_one_is(journey: Journey) -> None:
    """As wide as the page; one segment is the one that is seen. Other places have tabs alone."""

    def script(window: Window) -> None:
        journey.settle(window)
        strip = window.page_stack.above.strip
        where = {}
        for key in window.actions_.pages:
            window.go(key)
            journey.settle(window)
            QApplication.processEvents()
            shown = place_of(key) in ("overview", "inside")
            assert strip.isVisible() == shown
            if shown:
                assert strip.width() == window.page_stack.page.width()
                assert not strip.segment_rect(strip.here).isEmpty()
                where[key] = strip.here
        assert {key: where[key] for key in ("tokens", "embedding", "position", "layers", "output")} == {
            "tokens": "tokens",
            "embedding": "embedding",
            "position": "position",
            "layers": "encoder.layers.0.feed_forward",
            "output": "generator",
        }
        assert {where[key] for key in ("overview", "attention", "masks")} == {"encoder.layers.0.self_attn"}

    journey.run(script)


def test_a_click_on_the_strip_goes_there(journey: Journey) -> None:
    """The attention of another layer on the page in front; with Ctrl the page about it; a feed-forward on its own page."""

    def script(window: Window) -> None:
        journey.settle(window)
        click(window, "decoder.layers.1.cross_attn")
        assert seen(window) == ("decoder.cross_attn", 1, 0)
        assert window.page_stack.page.key == "overview"
        click(window, "decoder.layers.1.self_attn", Qt.KeyboardModifier.ControlModifier)
        assert seen(window) == ("decoder.self_attn", 1, 0)
        assert window.page_stack.page.key == "attention"
        click(window, "decoder.layers.0.feed_forward")
        journey.settle(window)
        assert (window.page_stack.page.key, window.session.state.look.side) == ("layers", "decoder")
        click(window, "encoder.layers.1.self_attn")
        assert (window.page_stack.page.key, *seen(window)) == ("attention", "encoder.self_attn", 1, 0)
        click(window, "position")
        assert window.page_stack.page.key == "position"

    journey.run(script)


def test_the_counts_follow_a_slider_before_the_model_is_there(journey: Journey) -> None:
    """At once, while the last answer is still on screen."""

    def script(window: Window) -> None:
        journey.settle(window)
        strip = window.page_stack.above.strip
        hover(strip, strip.segment_rect("encoder.layers.0.feed_forward").center().toPoint())
        assert "33,216" in window.status.readout.text()  # 2 · 64 · 256 + 256 + 64 + 2 · 64
        before = window.session.frame
        window.session.ask(SetKnob("d_ff", 512))
        assert before is window.session.frame
        hover(strip, strip.segment_rect("encoder.layers.0.feed_forward").center().toPoint())
        assert "66,240" in window.status.readout.text()
        window.session.ask(SetKnob("n_layers", 3))
        assert before is window.session.frame
        assert not strip.segment_rect("decoder.layers.2.cross_attn").isEmpty()
        window.session.ask(SetKnob("architecture", "decoder-only"))
        assert before is window.session.frame
        assert strip.segment_rect("encoder.layers.0.self_attn").isEmpty()
        journey.settle(window)

    journey.run(script)


def test_the_strip_stands_in_line_with_the_river(journey: Journey) -> None:
    """As long as the river is in front; elsewhere it fills the width."""

    def script(window: Window) -> None:
        journey.settle(window)
        page, strip = window.page_stack.page, window.page_stack.above.strip
        assert page.spans is not None
        for key, (left, width) in page.spans.items():
            segment = strip.segment_rect(key)
            assert (segment.left(), segment.right()) == (round(left), round(left + width))
        window.go("tokens")
        assert window.page_stack.page.spans is None
        assert strip.strip.segments[-1].right == pytest.approx(strip.width() - 12, abs=1)
        window.go("overview")
        assert strip.segment_rect("generator").left() == round(page.spans["generator"][0])

    journey.run(script)


def test_the_strip_is_one_stop_for_tab(journey: Journey) -> None:
    """And its keys go on from where one is."""

    def script(window: Window) -> None:
        journey.settle(window)
        visited = []
        window.sentences.source_edit.setFocus()
        for _ in range(60):
            focused = QApplication.focusWidget() or window.focusWidget()
            assert focused is not None
            visited.append(focused)
            QTest.keyClick(focused, Qt.Key.Key_Tab)
            if isinstance(focused, ArchitectureStrip):
                break
        strip = visited[-1]
        assert isinstance(strip, ArchitectureStrip)
        QTest.keyClick(strip, Qt.Key.Key_Right)
        QTest.keyClick(strip, Qt.Key.Key_Right)
        QTest.keyClick(strip, Qt.Key.Key_Return)
        assert seen(window) == ("encoder.self_attn", 1, 0)

    journey.run(script)
