"""How many cores other programs keep busy, and how many threads a pass has beside them."""

import subprocess
import sys
from collections import namedtuple

import pytest
from pytestqt.qtbot import QtBot

from explorer.engine.speed import threads
from explorer.engine.speed.threads import BusyCores
from explorer.presets import load_preset
from explorer.trace.own_card import card_of
from tests.waiting import until

Times = namedtuple("Times", "user nice system idle iowait irq softirq steal guest guest_nice")


class Machine:
    """A clock, and what programs have worked by it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = self.elsewhere_s = self.own_s = 0.0
        monkeypatch.setattr(threads, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(threads, "process_time", lambda: self.own_s)
        monkeypatch.setattr(threads.psutil, "cpu_times", self.times)

    def times(self) -> Times:
        """As Linux tells them: the work of guests is a part of that of users."""
        guest = self.elsewhere_s / 2
        return Times(guest + self.own_s, 0, guest, 100 + self.now_s, 7 + self.now_s, 0, 0, 0, guest, 0)

    def go_on(self, seconds: float, elsewhere: float, own: float = 0.0) -> None:
        """Let time go by, with so many cores busy."""
        self.now_s += seconds
        self.elsewhere_s += seconds * elsewhere
        self.own_s += seconds * own


@pytest.mark.parametrize(("elsewhere", "n"), [(0.0, 0), (0.39, 0), (0.41, 1), (1.39, 1), (1.41, 2), (6.9, 7)])
@pytest.mark.parametrize("own", [0.0, 2.0])
def test_a_core_counts_where_it_is_busy_for_two_fifths_of_the_time(
    monkeypatch: pytest.MonkeyPatch, elsewhere: float, n: int, own: float
) -> None:
    """Whatever this process does itself."""
    machine = Machine(monkeypatch)
    busy = BusyCores()
    assert busy.elsewhere() == 0
    machine.go_on(0.6, elsewhere, own)
    assert busy.elsewhere() == n
    machine.go_on(0.4, 0.0)
    assert busy.elsewhere() == n  # It was looked just before.
    machine.go_on(0.2, 0.0)
    assert busy.elsewhere() == 0


def test_a_program_that_keeps_a_core_busy_is_seen(qtbot: QtBot) -> None:
    """On this machine, whatever it is."""
    busy = BusyCores()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            until(qtbot, lambda: busy.elsewhere() >= 1)
        finally:
            process.kill()


def test_threads_leave_busy_cores_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of large passes and batches; a small pass has one thread in any case, and none has fewer."""
    large, small = card_of(load_preset("paper-base").config), card_of(load_preset("tiny").config)
    monkeypatch.setattr(threads.os, "cpu_count", lambda: 8)
    for elsewhere, n in ((0, 8), (3, 5), (8, 1), (11, 1)):
        monkeypatch.setattr(BusyCores, "elsewhere", lambda _self, elsewhere=elsewhere: elsewhere)
        assert threads.threads(large, 256) == threads.batch_threads(large, 4096) == n
        assert threads.threads(small, 8) == threads.batch_threads(small, 8) == 1
