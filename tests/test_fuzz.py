"""The fuzzer itself: a short run finds nothing, and what is broken on purpose is found, with its seed."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time

import attrs
import pytest

from tests.fuzz.case import Bad, Case, Limits
from tests.fuzz.kinds import KINDS, Kind
from tests.fuzz.machine import Starved
from tests.fuzz.report import faults, table
from tests.fuzz.run import Fuzz
from tests.fuzz.trial import Trial
from tests.sweeps import exhaustive

pytestmark = pytest.mark.slow  # processes that are watched

_LONGEST_S = 300  # a run that hangs; how long it takes is not what is tested
_STRICT = Limits(answer_s=3.0, growth_bytes=2**27, block_s=0.3)
_SOON = attrs.evolve(_STRICT, answer_s=1.0)  # for what never answers
_PATIENT = attrs.evolve(_STRICT, answer_s=120.0)  # on a busy machine what is not about time may take some


def raises(trial: Trial) -> None:
    trial.told.append("Told")
    raise ValueError(f"made by the test with {trial.chance.randrange(10)}")


def hangs(_trial: Trial) -> None:
    time.sleep(60)


def grows(_trial: Trial) -> None:
    kept = bytearray(2**28)
    kept[::4096] = b"x" * len(kept[::4096])  # a page that is not touched takes no memory
    time.sleep(60)


def dies(_trial: Trial) -> None:
    ctypes.string_at(0)


def prepares() -> None:
    """Qt is imported before any case, for that takes seconds on a busy machine."""
    from explorer.app.main import make_application

    make_application()


def blocks(trial: Trial) -> None:
    """The thread of a window sleeps."""
    from PySide6.QtCore import QTimer

    from explorer.app.main import make_application
    from tests.fuzz.driving import Heart

    application = make_application()
    heart = Heart(trial.limits)
    QTimer.singleShot(0, lambda: time.sleep(0.8))
    for _ in range(20):
        application.processEvents()
        time.sleep(0.01)
    heart.stop()
    for seconds, _worked, story in heart.blocks:
        trial.bad(f"blocked for: {seconds:.1f} s", story=story, timed=True)


def strays(_trial: Trial) -> None:
    """A thread of its own raises."""
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()


def broken(name: str, limits: Limits = _STRICT) -> Fuzz:
    """One case of a kind of this file."""
    kind = Kind(name, f"tests.test_fuzz:{name}", "tests.test_fuzz:prepares" if name == "blocks" else "")
    fuzz = Fuzz([kind], 1, limits, lambda _line: None)
    fuzz.run(0)
    return fuzz


@pytest.mark.parametrize(
    ("name", "what", "story"),
    [
        ("raises", "ValueError: made by the test with", "in raises"),
        ("hangs", "no answer in 1 s", "in hangs"),
        ("grows", "grown by 0.", "in grows"),
        ("dies", "the process died: SIG", "in dies"),
        ("blocks", "blocked for: ", "time.sleep(0.8)"),
        ("strays", "ZeroDivisionError: ", "1 / 0"),
    ],
)
@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="a signal asks a process where it is")
def test_what_is_broken_is_found(name: str, what: str, story: str) -> None:
    """It is bad, alone too, and told with the command that does it again."""
    fuzz = broken(name, _SOON if name == "hangs" else _PATIENT)
    (fault,) = [fault for fault in fuzz.faults.values() if fault.bad.what.startswith(what)]
    (seed,) = fault.seeds

    assert fault.counts and fault.again
    assert story in fault.bad.story
    assert 1 == fuzz.tallies[name].cases
    assert f"python -m tests.fuzz --only {name} --case {seed}" in faults(fuzz, stories=True)
    assert re.search(rf"^{name} +1 ", table(fuzz), re.MULTILINE)


def test_the_same_seed_is_the_same_case() -> None:
    """A run names the seed of its case, and this seed alone brings the same again."""
    first = broken("raises")
    (fault,) = first.faults.values()
    again = Fuzz(first.kinds, 2, _STRICT, lambda _line: None)
    again.run_one(first.kinds[0], Case("raises", fault.seeds[0]))

    assert [fault.bad.what] == [other.bad.what for other in again.faults.values()]
    assert {"Told": 1} == first.tallies["raises"].told


def test_late_once_is_the_machines() -> None:
    """A slow answer that does not come again alone fails no run; an exception that does not come again does."""
    (fault,) = broken("raises").faults.values()

    assert attrs.evolve(fault, again=False).counts
    assert not attrs.evolve(fault, again=False, bad=attrs.evolve(fault.bad, timed=True)).counts


@exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a thread waits for a processor")
def test_time_that_the_machine_gives_to_others_is_no_delay() -> None:
    """Three others on the same processor take most of it, and the rest of the time nobody waits."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        starved, end_s = Starved(), time.monotonic() + _LONGEST_S
        while starved.seconds() < 0.2 and time.monotonic() < end_s:
            pass
        assert starved.seconds() >= 0.2
    finally:
        for process in busy:
            process.kill()
            process.wait()
        os.sched_setaffinity(0, allowed)
    assert Starved().seconds() < 0.2


def test_ten_seconds_find_nothing() -> None:
    """Each kind has a turn, and the exit status says that nothing was bad."""
    command = [sys.executable, "-m", "tests.fuzz", "--seconds", "10", "--seed", "1", "--stories"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)

    assert 0 == ran.returncode, ran.stdout + ran.stderr
    cases = dict(re.findall(r"^(\w+) +(\d+) ", ran.stdout, re.MULTILINE))
    assert {kind.name for kind in KINDS} <= {name for name, count in cases.items() if int(count) > 0}


def test_figures_make_no_other_mistake() -> None:
    """How far a process had grown when somebody looked is a matter of the moment; where it was is not."""
    seen = Bad("grown by 0.1 GB", "a.py:3 f")

    assert seen.key == Bad("grown by 0.2 GB", "a.py:3 f").key
    assert seen.key != Bad("grown by 0.1 GB", "a.py:4 f").key
    assert seen.key != Bad("no answer in 0.1 s", "a.py:3 f").key
