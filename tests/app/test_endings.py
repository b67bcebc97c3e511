"""Ctrl+C, SIGTERM and a terminal that is closed end the window as closing it does, in the real program with a real signal."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.state.state import State
from explorer.stops import ending_signals
from tests.sweeps import sweep

ENDINGS = [
    (getattr(signal, name), status)
    for name, status in (("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129))
    if hasattr(signal, name)
]
"""Windows has no SIGHUP."""

pytestmark = pytest.mark.slow  # the whole program in processes of its own

PROGRAM = """
import sys
from PySide6.QtCore import QTimer
from explorer.app import main
from explorer.engine.request import Frame

class Told(main.Program):
    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.session.told.connect(lambda value: print("framed", flush=True) if isinstance(value, Frame) else None)

main.Program = Told
main.make_application()
if sys.argv[1] == "typing":
    QTimer.singleShot(0, lambda: print("open", flush=True))
from explorer.cli.main import main as run
sys.exit(run(["gui", "--preset", "tiny", "--text", "她爱读书"]))
"""


@pytest.fixture
def usual_signals() -> Iterator[None]:
    """Signals end a process, also where the tests themselves run behind `nohup` or in the background: children inherit that."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number, _status in ENDINGS}
    signal.signal(signal.SIGINT, signal.default_int_handler)  # A child gets the system's own way for it.
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.skipif(os.name != "posix", reason="on Windows a process cannot be sent these signals")
@pytest.mark.usefixtures("usual_signals")
@pytest.mark.parametrize("ending", sweep(ENDINGS, telling=ENDINGS[:1]))
@pytest.mark.parametrize("when", sweep(["framed", "open"], telling=["framed"]))
def test_a_signal_saves_and_ends(ending: tuple[signal.Signals, int], when: str, tmp_path: Path) -> None:
    """With its status and without a traceback, once there is a picture and while torch is still being loaded; what was
    typed is there the next time."""
    number, status = ending
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "typing" if when == "open" else "waiting"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None and running.stdout.readline().strip() == when
        running.send_signal(number)
        _out, complained = running.communicate(timeout=30)
    finally:
        running.kill()
        running.communicate()

    assert running.returncode == status, complained
    assert "Traceback" not in complained
    kept = tmp_path / "config" / "transformer-explorer" / "last.explorer.toml"
    assert State.load(kept).wish.preset == "tiny"


def test_the_hooks_of_signals_are_given_back(qapp: object) -> None:
    """A program that opens the window in its own process keeps its own handlers."""
    from explorer.app.endings import Endings

    before = [signal.getsignal(each) for each in ending_signals()]
    endings = Endings()
    endings.install()
    assert [signal.getsignal(each) for each in ending_signals()] != before
    endings.remove()
    assert [signal.getsignal(each) for each in ending_signals()] == before
    assert signal.set_wakeup_fd(-1) == -1


@pytest.mark.skipif(os.name != "posix", reason="on Windows a process cannot be sent these signals")
@pytest.mark.usefixtures("usual_signals")
@pytest.mark.parametrize(("number", "status"), ENDINGS)
def test_a_signal_while_qt_is_loaded_ends_at_once(number: signal.Signals, status: int) -> None:
    """No exception goes through a library that is half loaded."""
    early = (
        "import os\nimport explorer.cli.main as cli\nwith cli._leaving_at_once():\n"
        f"    os.kill(os.getpid(), {int(number)})\n    import PySide6.QtWidgets"
    )
    ran = subprocess.run([sys.executable, "-c", early], capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (status, "")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGHUP")
def test_what_nohup_ignores_stays_ignored() -> None:
    """Whoever starts the program with `nohup` wants it to outlive the terminal."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert signal.SIGHUP not in ending_signals()
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        assert signal.SIGHUP in ending_signals()
    finally:
        signal.signal(signal.SIGHUP, before)
