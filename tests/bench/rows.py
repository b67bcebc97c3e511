"""The figures of live use: key to paint, slider to paint, blocks of the GUI thread, start."""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import attrs
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from explorer.app.main import Program
from tests.bench.probe import Heart, PaintWatch, answered, wait

SIXTEEN = "我和同学一起听音乐，欢迎你们来到北京大学学习自然语言处理吧。"
_KEYS = 100
_WARM_UP = 10


@attrs.frozen
class Row:
    """One figure: median and 99th percentile in ms (or the one number), and the goal."""

    name: str
    median: float
    high: float
    goal: float
    unit: str = "ms"

    @property
    def met(self) -> bool:
        return self.median <= self.goal


def key_to_paint(application: QApplication, program: Program, watch: PaintWatch, preset: str) -> Row:
    """From a key event to the last widget painted with its answer; of a translator, with its greedy translation."""
    edit = program.window.sentences.source_edit
    edit.setFocus()
    edit.end(False)

    def press(turn: int) -> None:
        if turn % 2:
            QTest.keyClick(edit, Qt.Key.Key_Backspace)
        else:
            QTest.keyClicks(edit, "a")

    return _paced(application, program, watch, press, f"key event to painted, {preset}, 16 tokens", 33.0)


def slider_to_paint(application: QApplication, program: Program, watch: PaintWatch, knob: str, goal: float) -> Row:
    """From one step of a slider to the last widget painted with its answer."""
    slider = program.window.knobs.rows[knob].slider
    assert slider is not None
    slider.setFocus()

    def press(turn: int) -> None:
        QTest.keyClick(slider, Qt.Key.Key_Left if turn % 2 else Qt.Key.Key_Right)

    return _paced(application, program, watch, press, f"slider {knob} to painted, tiny, 16 tokens", goal)


def _paced(application: QApplication, program: Program, watch: PaintWatch, press: Callable[[int], None], name: str,
           goal: float) -> Row:
    times_ms = []
    for turn in range(_KEYS + _WARM_UP):
        start_s = time.perf_counter()
        press(turn)
        wait(application, lambda: answered(program))
        application.processEvents()  # the paint events that the answer asked for
        if turn >= _WARM_UP:
            times_ms.append((watch.painted_s - start_s) * 1e3)
    return Row(name, statistics.median(times_ms), statistics.quantiles(times_ms, n=100)[98], goal)


def longest_block(application: QApplication, program: Program) -> Row:
    """The longest pause of the GUI thread while a model of 512×6 layers is built and computes for each of 20 keys."""
    heart = Heart()
    edit = program.window.sentences.source_edit
    with heart.beating():
        program.session.set_preset("paper-base")
        wait(application, lambda: answered(program))
        for turn in range(20):
            QTest.keyClick(edit, Qt.Key.Key_Backspace) if turn % 2 else QTest.keyClicks(edit, "a")
            wait(application, lambda: answered(program))
    return Row("longest GUI-thread block, 512 × 6 layers built and computing", heart.longest_ms, heart.longest_ms, 50.0)


_OPEN = """
import time; start = time.perf_counter()
from PySide6.QtCore import QEventLoop
from explorer.app.main import Program, make_application
from tests.bench.probe import PaintWatch
application = make_application()
program = Program()
watch = PaintWatch(application)
program.open()
while not watch.painted_s: application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
print((watch.first_s - start) * 1e3)
program.session.framed.connect(program.window.update)  # wakes the loop below
while program.session.frame is None: application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
application.processEvents()
print((time.perf_counter() - start) * 1e3)
program.close()
"""


def start_up() -> list[Row]:
    """The empty window and the first full picture, each in fresh processes."""
    runs = []
    for _ in range(5):
        out = subprocess.run([sys.executable, "-c", _OPEN], stdout=subprocess.PIPE, text=True, check=True, timeout=120).stdout
        runs.append([float(line) for line in out.split()])
    empty, full = zip(*runs, strict=True)
    return [Row("start: empty window up", statistics.median(empty), max(empty), 500.0),
            Row("start: first full picture", statistics.median(full), max(full), 4000.0)]
