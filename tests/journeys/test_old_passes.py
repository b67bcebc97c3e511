"""The window lets old passes go: what one looked at before is not in memory any more, whatever pages were visited."""

import gc
import weakref

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.app.shell.window import Window
from explorer.engine.request import Frame
from explorer.state.intents import SetText
from explorer.trace.trace import Trace
from tests.journeys.conftest import Journey

PAGES = ("overview", "output", "why", "inspector", "change", "effects", "compare", "overview", "attention")
"""Those that keep a Trace while they are seen, some that find something out of it, and one behind them all."""


def test_of_all_passes_the_one_on_screen_is_kept(journey: Journey, qtbot: QtBot) -> None:
    """Two sentences on every page. The collector is off, as it comes by seldom: nothing may wait for it."""
    seen: list[weakref.ref[Trace]] = []

    def hear(value: object) -> None:
        if isinstance(value, Frame):
            seen.append(weakref.ref(value.trace))

    def alive() -> list[Trace]:
        return [trace for each in seen if (trace := each()) is not None]

    def script(window: Window) -> None:
        window.session.told.connect(hear)
        journey.settle(window)
        gc.collect()
        gc.disable()
        try:
            for page in PAGES:
                window.go(page)
                journey.settle(window)
                for text in ("我爱北京", "我爱学习"):
                    window.session.ask(SetText(f"{text}{page}"))
                    journey.settle(window)
                    QApplication.processEvents()
                qtbot.waitUntil(lambda: alive() == [window.session.frame.trace], timeout=20_000)
        finally:
            gc.enable()
        assert len(seen) > len(PAGES)

    journey.run(script)
