"""One start of the program in a fresh process; prints when what was there.

    python -m tests.bench.opening BEGAN

BEGAN is the clock's time at which the process was asked for.
"""

import sys
import time

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

from explorer.app.main import Program, make_application
from explorer.app.session import told


def main() -> None:
    """Prints the ms until the empty window, the recorded pass and the first answer were painted, and the longest block."""
    began_s = float(sys.argv[1])
    application = make_application()
    program = Program()
    from tests.bench.probe import Heart, PaintWatch, answered  # the program itself does not need these before its window

    watch, heart = PaintWatch(program.window), Heart()
    program.session.told.connect(lambda _value: program.window.update())  # wakes the loop below
    program.open()
    while not watch.count:
        _turn(application)
    empty_ms = (time.time() - began_s) * 1e3
    recorded_ms = 0.0
    loaded: list[bool] = []
    program.session.told.connect(lambda value: loaded.append(True) if isinstance(value, told.Loaded) else None)
    with heart.beating():
        while not loaded:
            _turn(application)
            if not recorded_ms and program.session.shows_recalled and not program.session.painting_waits:
                recorded_ms = (time.time() - began_s) * 1e3
    while not answered(program):
        _turn(application)
    application.processEvents()
    print(empty_ms, recorded_ms, (time.time() - began_s) * 1e3, max(heart.pauses_ms))
    program.close()


def _turn(application: QApplication) -> None:
    application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


main()
