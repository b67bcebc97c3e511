"""A folder with several models in GGUF: the window keeps its model and offers each file."""

from pathlib import Path

from explorer.app.shell.filter_line import rows_of
from explorer.app.shell.window import Window
from explorer.state.intents import OpenFolder
from tests.journeys.conftest import Journey


def test_a_folder_with_several_packings_offers_them(journey: Journey, tmp_path: Path) -> None:
    """In the box of Open…; the model on screen stays."""
    names = ["small-Q4_K_M.gguf", "small-Q8_0.gguf"]
    for name in names:
        (tmp_path / name).write_bytes(b"")

    def script(window: Window) -> None:
        journey.settle(window)
        before = window.session.state.wish.preset
        window.session.ask(OpenFolder(str(tmp_path)))
        journey.wait(lambda: [row.text(0) for row in rows_of(window.open_box.list)] == names)
        assert window.open_box.isVisible() and str(tmp_path) in window.open_box.about.text()
        window.open_box.close()
        journey.settle(window)
        assert window.session.state.wish.preset == before

    journey.run(script)
