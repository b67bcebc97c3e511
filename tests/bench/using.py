"""The program in use, in a fresh process, with a beating heart, and beside it a process that only looks at the clock.

It prints for each activity, in ms, the longest pause between two beats, the most that the thread itself worked in one, and the
longest pause between two looks of the other process.

    python -m tests.bench.using FOLDER

FOLDER is where a PNG of each head is written.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt

from explorer import page_list
from explorer.state.intents import SetPreset, SetTrained
from explorer.state.state import State
from tests.bench.probe import SIXTEEN, Driven, Heart
from tests.bench.without import leave_out
from tests.dragging import drop

_KEYS, _TICKS, _TIMES, _RESTYLED_S = 30, 12, 3, 1.5
# It sleeps between its looks, as the thread does between its beats: one that never sleeps would take a core from the program.
_WATCH = """
import sys, threading, time
longest = 0.0
def look():
    global longest
    last = time.perf_counter()
    while True:
        time.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
threading.Thread(target=look, daemon=True).start()
for _line in sys.stdin:
    print(longest * 1e3, flush=True)
    longest = 0.0
"""


def main() -> None:
    """Each activity, one after the other, until everything is on screen."""
    leave_out()
    found: dict[str, dict[str, float]] = {}
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    watching = subprocess.Popen(
        [sys.executable, "-S", "-c", _WATCH], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert watching.stdin is not None and watching.stdout is not None  # for the type checker
    with Driven(SIXTEEN, "translator") as driven:
        heart = Heart()
        todo: dict[str, Callable[[], None]] = {
            "keys": partial(_type, driven),
            "a slider": partial(_slide, driven),
            "a dropped file": partial(_drop, driven, folder),
            "an export": partial(_export, driven, str(folder / "heads")),
            "another theme": partial(_restyle, driven, driven.program.appearance.switch_theme),
            "F5": partial(_restyle, driven, driven.program.window.actions_.by_name["present"].trigger),
        }
        for name, work in todo.items():
            if name == "another theme":
                _open_all_pages(driven)
            print(file=watching.stdin)
            watching.stdout.readline()  # what was before does not count
            with heart.beating():
                work()
            print(file=watching.stdin)
            pause_ms = float(watching.stdout.readline())
            found[name] = {"block": max(heart.pauses_ms), "own": max(heart.own_ms), "pause": pause_ms}
    watching.kill()
    print(json.dumps(found))


def _type(driven: Driven) -> None:
    for _ in range(_KEYS // 2):
        for press in (driven.type_next, driven.take_back):
            press()
            driven.wait(driven.settled)


def _slide(driven: Driven) -> None:
    """Fresh weights of the shape that is there, and of a larger one."""
    for act in (SetTrained(False), SetPreset("paper-base")):
        driven.program.session.ask(act)
        driven.wait(driven.settled)
        for turn in range(_TICKS):
            driven.slide("seed", Qt.Key.Key_Right if turn < _TICKS // 2 else Qt.Key.Key_Left)
            driven.wait(driven.settled)
    for back in (SetPreset("translator"), SetTrained(True)):
        driven.program.session.ask(back)
        driven.wait(driven.settled)


def _drop(driven: Driven, folder: Path) -> None:
    """Sessions with other sentences, dropped one after the other."""
    for turn in range(_TIMES):
        path = folder / f"{turn}.explorer.toml"
        text = f"我有{'一二三四五'[turn]}本书。"
        State.from_preset("translator", text).save(path)
        drop(driven.program.window, path)
        driven.wait(lambda text=text: driven.settled() and driven.frame.wish.text == text)


def _open_all_pages(driven: Driven) -> None:
    for key in (*page_list.KEYS, page_list.KEYS[0]):
        driven.program.window.go(key)
        driven.wait(driven.settled)


def _restyle(driven: Driven, act: Callable[[], object]) -> None:
    """There and back, with all pages made; the widgets out of sight are styled in the seconds behind."""
    for _ in range(2):
        act()
        driven.pause(_RESTYLED_S)


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
