"""The program in use, in a fresh process, with a beating heart.

It prints all pauses between beats and the thread's own work in each, in ms, for each activity.

    python -m tests.bench.using FOLDER

FOLDER is where a PNG of each head is written.
"""

import json
import sys
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt

from explorer.state.intents import SetPreset, SetTrained
from tests.bench.probe import SIXTEEN, Driven, Heart

_KEYS, _TICKS = 60, 20


def main() -> None:
    """Each activity once, one after the other, until everything is on screen."""
    found: dict[str, dict[str, list[float]]] = {}
    with Driven(SIXTEEN, "translator") as driven:
        heart = Heart()
        todo: dict[str, Callable[[], None]] = {
            "keys": partial(_type, driven),
            "seed slider": partial(_slide, driven),
            "export": partial(_export, driven, sys.argv[1]),
            "preset paper-base": partial(_build, driven),
            "keys in paper-base": partial(_type, driven),
            "seed slider in paper-base": partial(_slide, driven),
        }
        for name, work in todo.items():
            with heart.beating():
                work()
            found[name] = {"pauses": heart.pauses_ms, "own": heart.own_ms}
    print(json.dumps(found))


def _type(driven: Driven) -> None:
    for _ in range(_KEYS // 2):
        for press in (driven.type_next, driven.take_back):
            press()
            driven.wait(driven.settled)


def _slide(driven: Driven) -> None:
    """Fresh weights of the shape that is there."""
    driven.program.session.ask(SetTrained(False))
    for turn in range(_TICKS):
        driven.slide("seed", Qt.Key.Key_Right if turn < _TICKS // 2 else Qt.Key.Key_Left)
        driven.wait(driven.settled)
    driven.program.session.ask(SetTrained(True))
    driven.wait(driven.settled)


def _build(driven: Driven) -> None:
    driven.program.session.ask(SetPreset("paper-base"))
    driven.wait(driven.settled)


def _export(driven: Driven, folder: str) -> None:
    """As a user does it: Ctrl+E, a PNG for each head into a folder. Nobody does two of these steps before the first is seen."""
    driven.program.window.saving.export()
    from explorer.app.shell.export_dialog import ExportDialog  # the window's own import of it is measured

    dialog = driven.program.window.findChild(ExportDialog)
    assert isinstance(dialog, ExportDialog)  # it was just opened
    steps = (
        lambda: dialog.what.setCurrentIndex(dialog.what.findData("each")),
        lambda: dialog.path.setText(folder),
        dialog.start,
    )
    for step in steps:
        driven.pause()
        step()
    driven.wait(lambda: not dialog.running)
    driven.application.processEvents()  # the dialog says that it is done
    dialog.reject()


main()
