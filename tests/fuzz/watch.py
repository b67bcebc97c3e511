"""A child process from outside: it is given a case, and watched for how long it takes and how much memory."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

import psutil

from tests.fuzz import child
from tests.fuzz.case import Bad, Case, Limits, Outcome
from tests.fuzz.machine import Starved

_LOOK_S = 0.02
_START_S = 120.0  # importing torch on a busy machine
_DUMP_S = 0.5
_STORY = 4000  # characters


class Died(Exception):  # noqa: N818  # it is no error of the fuzzer's
    """The child cannot run further cases; `bad` says why."""

    def __init__(self, bad: Bad) -> None:
        super().__init__(bad.what)
        self.bad = bad


class Child:
    """Started on construction. `run` raises Died; `end` is needed in any case."""

    def __init__(self, warm_up: str, limits: Limits) -> None:
        self._limits = limits
        self.n_cases = 0
        self._folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
        context = multiprocessing.get_context("spawn")  # a fork would share torch's threads
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=child.serve, args=(theirs, self._folder, warm_up, limits), daemon=True)
        self._process.start()
        theirs.close()
        self._watched = psutil.Process(self._process.pid)
        self._warm_bytes = 2**62  # no limit before it is warm
        self._allowed = 0
        try:
            self._wait(_START_S)
            self._warm_bytes = self._watched.memory_info().rss
        except BaseException:
            self.end()
            raise

    def run(self, case: Case, place: str) -> Outcome:
        """Run a case. Raises Died with what is bad about it."""
        self._allowed = 0
        self.n_cases += 1
        self._connection.send((case, place))
        return self._wait(self._limits.answer_s)

    @property
    def worn(self) -> bool:
        """Whether its last case was allowed so much memory that what was kept of it would count against the next one."""
        return self._allowed > self._limits.growth_bytes

    def _wait(self, limit_s: float) -> Outcome:
        """Until it answers; each sign of life gives it the whole time again, and it has what the machine gave to others."""
        end_s, starved = time.monotonic() + limit_s, Starved(self._process.pid or 0)
        while True:
            try:
                while self._connection.poll(_LOOK_S):
                    said, value = self._connection.recv()
                    if said in ("ready", "done"):
                        return value or Outcome()
                    end_s, starved = time.monotonic() + limit_s, Starved(self._process.pid or 0)
                    self._allowed = max(self._allowed, value)
            except (EOFError, OSError):
                raise Died(self._crash()) from None
            if not self._process.is_alive():
                raise Died(self._crash())
            if time.monotonic() > end_s and time.monotonic() - starved.seconds() > end_s:
                raise Died(self._stuck(f"no answer in {limit_s:g} s", timed=True))
            self._check_memory()

    def _check_memory(self) -> None:
        with contextlib.suppress(psutil.Error):  # it has just ended
            grown = self._watched.memory_info().rss - self._warm_bytes
            if grown > self._limits.growth_bytes + self._allowed:
                raise Died(self._stuck(f"grown by {grown / 2**30:.1f} GB", timed=False))

    def _stuck(self, what: str, *, timed: bool) -> Bad:
        """Where it is, as its own faulthandler tells."""
        from tests.fuzz.trial import last_place

        if hasattr(signal, "SIGUSR1"):
            before = len(self._log())
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid or 0, signal.SIGUSR1)
            time.sleep(_DUMP_S)
            others, current, main = self._log()[before:].partition("Current thread")  # which takes the signals: the first one
            place = last_place(main, newest_first=True) or last_place(others, newest_first=True)
            return Bad(what, place, f"{others[:_STORY]}{current}{main[:_STORY]}", timed)
        return Bad(what, timed=timed)

    def _crash(self) -> Bad:
        from tests.fuzz.trial import last_place

        self._process.join(_DUMP_S)
        code, story = self._process.exitcode, self._log()[-_STORY:]
        how = signal.Signals(-code).name if code is not None and code < 0 else f"exit status {code}"
        return Bad(f"the process died: {how}", last_place(story, newest_first=True), story)

    def _log(self) -> str:
        with contextlib.suppress(OSError):
            return (self._folder / child.LOG).read_bytes().decode("utf-8", "backslashreplace")
        return ""

    def end(self) -> None:
        """Kill it, and take its folder away."""
        self._process.kill()
        self._process.join()
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)
