"""A compute and a hearer under the test's control: no torch, no clock, every step waited for."""

import math
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from explorer.config import Config
from explorer.engine.errand import Brought
from explorer.engine.jobs import Broken, Failed, Progressed, Started, Stopped, Told
from explorer.engine.request import Frame, Request
from explorer.engine.worker import Worker
from explorer.state.wish import Wish
from explorer.stops import Superseded

PATIENCE_S = 20.0
"""How long a test waits for what must happen; only a failing test waits so long."""


def request(serial: int) -> Request:
    return Request(wish=Wish(text=f"text {serial}", config=Config(), preset="tiny"), serial=serial)


def frame(request: Request) -> Frame:
    return Frame(request=request, trace=None, tokens_ms=0, build_ms=0, pass_ms=0)  # type: ignore[arg-type]  # unread


class Heard:
    """Keeps what it is told, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []
        self._news: queue.Queue[tuple[Any, ...]] = queue.Queue()

    def __call__(self, value: Told) -> None:
        match value:
            case Started():
                what: tuple[Any, ...] = ("started",)
            case Frame():
                what = ("done", value.serial)
            case Failed(serial, error):
                what = ("failed", serial, error)
            case Broken(error):
                what = ("broken", error)
            case Stopped(serial):
                what = ("stopped", serial)
            case Progressed(serial, share):
                what = ("progressed", serial, share)
            case Brought(errand, number):
                what = ("brought", errand.kind, number)
        self.told.append((*what, threading.current_thread().name))
        self._news.put(what)

    def next(self) -> tuple[Any, ...]:
        """What is told next; waits for it."""
        return self._news.get(timeout=PATIENCE_S)

    def silent(self) -> bool:
        """Whether all that was told has been asked for."""
        return self._news.empty()


class Gate:
    """A compute that stands still in each request until the test lets it go."""

    def __init__(self, *, heeds_stop: bool = True) -> None:
        self.begun: queue.Queue[int] = queue.Queue()
        self.go = threading.Semaphore(0)
        self.heeds_stop = heeds_stop
        self.answer: Callable[[Request], Frame] = frame

    def __call__(self, request: Request, stop: Callable[[], bool], progress: Callable[[float], None]) -> Frame:
        self.begun.put(request.serial)
        self.wait(stop)
        return self.answer(request)

    def wait(self, stop: Callable[[], bool]) -> None:
        """Until the test lets it go, or until it is stopped: a real pass asks at each tap."""
        last_s = time.monotonic() + PATIENCE_S
        while not self.go.acquire(timeout=0.001):
            if self.heeds_stop and stop():
                raise Superseded
            assert time.monotonic() < last_s, "neither let go nor stopped"

    def next(self) -> int:
        """The serial of the request that is begun next; waits for it."""
        return self.begun.get(timeout=PATIENCE_S)

    def rest(self, stop: Callable[[], bool]) -> None:
        """There is nothing to make ready."""


class Answers:
    """A plain function as a compute."""

    def __init__(self, answer: Callable[..., Frame], rest: Callable[..., None] = lambda stop: None) -> None:
        self.answer, self.rest = answer, rest

    def __call__(self, *given: Any) -> Frame:
        return self.answer(*given)


@contextmanager
def working(compute: Any, *, patience_s: float = math.inf) -> Iterator[tuple[Worker, Heard]]:
    """A worker that has started; closed at the end, and its thread gone."""
    heard = Heard()

    def tell(value: Told) -> None:
        if isinstance(value, Frame):
            worker.release()  # There is no screen to be painted.
        heard(value)

    worker = Worker(tell, lambda: compute if hasattr(compute, "rest") else Answers(compute), patience_s=patience_s)
    worker.start()
    try:
        assert heard.next() == ("started",)
        yield worker, heard
    finally:
        worker.close()
