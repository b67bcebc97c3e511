"""Whatever leaves the compute thread's work is told, and the thread goes on; a thread that hangs is replaced by another one."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from explorer.engine.errand import Brought, Errand, FindBreaks
from explorer.engine.request import Frame, Request
from explorer.engine.worker import Worker
from explorer.errors import EngineRestarted, TooLong
from tests.engine.fakes import PATIENCE_S, Heard, frame, request, working

SEARCH = FindBreaks(sentences=("a", "b", "c"))


class PanicException(BaseException):
    """What a library in Rust raises where it did not expect something."""


RAISED = (ValueError, MemoryError, TooLong, SystemExit, KeyboardInterrupt, GeneratorExit, PanicException)


class Fails:
    """A compute that raises `error` in one kind of its work, until `error` is None."""

    def __init__(self, work: str, error: BaseException) -> None:
        self.work, self.error = work, error

    def _do(self, work: str) -> None:
        if work == self.work and self.error is not None:
            error, self.error = self.error, None  # type: ignore[assignment]  # It raises once.
            raise error

    def __call__(self, asked: Request, _stop: Callable[[], bool], progress: Callable[[float], None]) -> Frame:
        self._do("answer")
        progress(0.5)
        return frame(asked)

    def rest(self, _stop: Callable[[], bool]) -> None:
        self._do("rest")

    def piece(self, errand: Errand, number: int, _stop: Callable[[], bool]) -> Brought:
        self._do("errand")
        return Brought(errand, number, TooLong(limit=1, got=2))

    def prepare(self, _frame: Frame) -> None:
        self._do("prepare")


@pytest.mark.parametrize("work", ["answer", "prepare", "rest", "errand"])
@pytest.mark.parametrize("kind", RAISED, ids=lambda kind: kind.__name__)
def test_nothing_that_is_raised_ends_the_thread(kind: type[BaseException], work: str) -> None:
    """Each kind of exception from each kind of work: it is told once, every request and every piece gets an answer or an
    error, and the same thread answers the next request.
    """
    heard, error = Heard(), kind()
    compute = Fails(work, error)
    worker = Worker(heard, lambda: compute, prepare=compute.prepare)
    worker.start()
    try:
        assert heard.next() == ("started",)
        worker.submit(request(1))
        worker.send(SEARCH)
        assert ends(heard, 4) == expected(work, error)
        worker.submit(request(2))
        assert ends(heard, 1) == [("done", 2)]
        assert {thread for *_told, thread in heard.told} == {"compute"}
    finally:
        worker.close()


def test_a_tokenizer_that_panics_is_told() -> None:
    """The library in Rust gives up a catastrophic pattern by a PanicException; the text after it is answered."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}, unk_token="a"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex("(a+)+$"), "isolated")

    def encode(asked: Request, _stop: Callable[[], bool], _progress: Callable[[float], None]) -> Frame:
        tokenizer.encode("a" * 40 + "!" if asked.serial == 1 else "a")
        return frame(asked)

    with working(encode) as (worker, heard):
        worker.submit(request(1))
        kind, serial, error = heard.next()
        assert (kind, serial, type(error).__name__, isinstance(error, Exception)) == ("failed", 1, "PanicException", False)
        worker.submit(request(2))
        assert heard.next() == ("done", 2)


def ends(heard: Heard, n: int) -> list[tuple[object, ...]]:
    """What is told until `n` answers and pieces have come, without shares, sorted; of errors the kind."""
    told: list[tuple[object, ...]] = []
    while sum(what[0] in ("done", "failed", "brought") for what in told) < n:
        what = heard.next()
        if what[0] != "progressed":
            told.append(tuple(type(each) if isinstance(each, BaseException) else each for each in what))
    return sorted(told, key=str)


def expected(work: str, error: BaseException) -> list[tuple[object, ...]]:
    """The end of a request and of an errand of three pieces, where one kind of work raises an error."""
    pieces: list[tuple[object, ...]] = [("brought", "breaks", number) for number in range(3)]
    first: tuple[object, ...] = ("done", 1)
    told: list[tuple[object, ...]] = []
    if work in ("answer", "prepare"):
        first = ("failed", 1, type(error))
    elif not (work == "errand" and isinstance(error, TooLong)):  # A user's error is brought in place of the piece.
        told = [("broken", type(error))]
    return sorted([first, *pieces, *told], key=str)


class Hangs:
    """A compute that hangs in one kind of its work, without a tap, until `let_go` is set."""

    def __init__(self, work: str) -> None:
        self.work = work
        self.hung, self.let_go = threading.Event(), threading.Event()

    def _do(self, work: str) -> None:
        if work == self.work:
            self.hung.set()
            assert self.let_go.wait(PATIENCE_S)

    def __call__(self, asked: Request, _stop: Callable[[], bool], progress: Callable[[float], None]) -> Frame:
        self._do("answer")
        progress(0.5)
        return frame(asked)

    def rest(self, _stop: Callable[[], bool]) -> None:
        self._do("rest")

    def piece(self, errand: Errand, number: int, _stop: Callable[[], bool]) -> Brought:
        self._do("errand")
        return Brought(errand, number, TooLong(limit=1, got=2))


def end(worker: Worker, first: Hangs) -> None:
    """Close the worker, and let the thread end that hung."""
    first.let_go.set()
    worker.close()
    for thread in threading.enumerate():
        if thread.name == "compute":
            thread.join(PATIENCE_S)


@contextmanager
def hanging(work: str) -> Iterator[tuple[Worker, Heard, Hangs]]:
    """A worker whose first compute hangs in the first request or what is behind it; the second one works."""
    first, heard = Hangs(work), Heard()
    computes = iter([first, Hangs("nothing")])
    worker = Worker(heard, lambda: next(computes))
    worker.start()
    try:
        assert heard.next() == ("started",)
        worker.submit(request(1))
        if work == "errand":
            worker.send(SEARCH)
        assert first.hung.wait(PATIENCE_S)
        yield worker, heard, first
    finally:
        end(worker, first)


@pytest.mark.parametrize("work", ["answer", "rest", "errand"])
def test_a_thread_that_hangs_is_left_and_another_one_goes_on(work: str) -> None:
    """What hung ends with an error, what waits is answered by the new thread, and the old one never tells anything again."""
    with hanging(work) as (worker, heard, first):
        worker.submit(request(2))
        (old,) = [thread for thread in threading.enumerate() if thread.name == "compute"]
        worker.restart()
        came = ends(heard, {"answer": 2, "rest": 2, "errand": 5}[work])
        if work == "answer":
            assert ("failed", 1, EngineRestarted) in came
        assert ("done", 2) in came
        n_told = len(heard.told)
        first.let_go.set()
        old.join(PATIENCE_S)
        assert not old.is_alive()
        assert len(heard.told) == n_told
        worker.submit(request(3))
        assert ends(heard, 1) == [("done", 3)]


def test_pieces_of_an_errand_that_hung_are_brought_as_restarted() -> None:
    """Nobody waits for any of them."""
    brought: list[object] = []
    first = Hangs("errand")
    computes = iter([first, Hangs("nothing")])
    worker = Worker(lambda told: brought.append(told.found) if isinstance(told, Brought) else None, lambda: next(computes))
    worker.start()
    try:
        worker.send(SEARCH)
        assert first.hung.wait(PATIENCE_S)
        worker.restart()
        assert [type(found) for found in brought] == [EngineRestarted] * 3
    finally:
        end(worker, first)


def test_silence_grows_while_work_gives_no_sign() -> None:
    """It is zero where there is no work."""
    with hanging("answer") as (worker, _heard, first):
        before_s = worker.silent_s
        while (now_s := worker.silent_s) == before_s:
            pass
        assert now_s > before_s > 0
        first.let_go.set()
        last_s = time.monotonic() + PATIENCE_S
        while worker.busy:
            assert time.monotonic() < last_s
        assert worker.silent_s == 0


@pytest.mark.parametrize("work", ["answer", "rest", "errand"])
def test_a_thread_that_hangs_does_not_keep_the_worker_from_closing(work: str) -> None:
    """`close` comes back while it still hangs, and what it finds out later reaches nobody."""
    with hanging(work) as (worker, heard, first):
        (old,) = [thread for thread in threading.enumerate() if thread.name == "compute"]
        worker.close(patience_s=0.01)
        assert old.is_alive()
        n_told = len(heard.told)
        first.let_go.set()
        old.join(PATIENCE_S)
        assert len(heard.told) == n_told
