"""One start of the program in a fresh process; prints when what was there.

    python -m tests.bench.opening BEGAN

BEGAN is the clock's time at which the process was asked for.
"""

import json
import sys
import time

from PySide6.QtCore import QEventLoop

from explorer.app.display import make_application
from explorer.app.main import Program


def main() -> None:
    """Prints the ms until the empty window, the recorded pass and the first answer were painted."""
    began_s = float(sys.argv[1])
    application = make_application()
    program = Program()
    from tests.bench.probe import PaintWatch, answered  # the program itself does not need these before its window

    watch = PaintWatch(program.window)
    program.session.told.connect(lambda _value: program.window.update())  # wakes the loop below
    program.open()
    moments = {}
    done = {
        "empty": lambda: watch.count,
        "recorded": lambda: program.session.shows_recalled and not program.session.painting_waits,
        "live": lambda: answered(program) and not program.session.shows_recalled and not program.session.painting_waits,
    }
    for moment, is_there in done.items():
        while not is_there():
            application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        moments[moment] = (time.time() - began_s) * 1e3
    print(json.dumps(moments))
    program.close()


main()
