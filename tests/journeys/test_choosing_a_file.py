"""A folder with several models in GGUF: the window keeps its model and offers each file."""

from pathlib import Path

from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from explorer.app.shell.window import Window
from explorer.state.intents import OpenFolder
from tests.journeys.conftest import Journey


def test_a_folder_with_several_packings_offers_them(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """In a menu; none of them was read."""
    names = ["small-Q4_K_M.gguf", "small-Q8_0.gguf"]
    for name in names:
        (tmp_path / name).write_bytes(b"")

    def offered(window: Window) -> list[QMenu]:
        return [each for each in window.findChildren(QMenu) if [action.text() for action in each.actions()][1:] == names]

    def script(window: Window) -> None:
        journey.settle(window)
        before = window.session.state.wish.preset
        window.session.ask(OpenFolder(str(tmp_path)))
        qtbot.waitUntil(lambda: any(menu.isVisible() for menu in offered(window)), timeout=60_000)
        offered(window)[0].close()
        journey.settle(window)
        assert window.session.state.wish.preset == before

    journey.run(script)
