"""One thread, one waiting slot: who is answered, who is replaced, who is stopped."""

import sys
import threading
from collections.abc import Callable

import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Frame, Request
from explorer.engine.worker import Worker, load_compute
from explorer.errors import TooLong
from tests.engine.fakes import PATIENCE_S, Answers, Gate, Heard, frame, request, working


def at_once(request: Request, _stop: Callable[[], bool], _progress: Callable[[float], None]) -> Frame:
    return frame(request)


def test_a_request_is_answered_on_the_compute_thread() -> None:
    """Every word of the listener's comes from there."""
    with working(at_once) as (worker, heard):
        worker.submit(request(1))
        assert heard.next() == ("done", 1)

    assert {told[-1] for told in heard.told} == {"compute"}


def test_the_newest_replaces_what_waits_and_what_runs_finishes() -> None:
    """Of five requests the first, which runs, and the last are answered."""
    gate = Gate()
    with working(gate) as (worker, heard):
        worker.submit(request(1))
        assert gate.next() == 1
        for serial in (2, 3, 4, 5):
            worker.submit(request(serial))
        gate.go.release(2)

        assert [heard.next(), heard.next()] == [("done", 1), ("done", 5)]
        assert heard.silent()


def test_a_slow_one_gives_way_to_a_newer_one() -> None:
    """Past its patience, and only when something waits."""
    gate = Gate()
    with working(gate, patience_s=0) as (worker, heard):
        worker.submit(request(1))
        assert gate.next() == 1
        worker.submit(request(2))

        assert heard.next() == ("stopped", 1)
        assert gate.next() == 2
        gate.go.release()
        assert heard.next() == ("done", 2)


def test_one_that_opens_a_model_is_waited_for() -> None:
    """By requests for the same model; one for another model does not wait."""
    gate = Gate()
    opening = request(1).asking(opens=True)
    with working(gate, patience_s=0) as (worker, heard):
        worker.submit(opening)
        assert gate.next() == 1
        worker.submit(request(2))
        gate.go.release()
        assert heard.next() == ("done", 1)
        gate.go.release()
        assert (gate.next(), heard.next()) == (2, ("done", 2))

        worker.submit(request(3).asking(opens=True))
        assert gate.next() == 3
        worker.submit(request(4).wishing(preset="paper-base"))
        assert heard.next() == ("stopped", 3)
        gate.go.release()
        assert heard.next() == ("done", 4)


def test_alone_a_slow_one_may_take_its_time() -> None:
    """However often it asks, it is not told to stop."""
    asked: list[bool] = []

    def slow(request: Request, stop: Callable[[], bool], _progress: Callable[[float], None]) -> Frame:
        asked.extend(stop() for _ in range(1000))
        return frame(request)

    with working(slow, patience_s=0) as (worker, heard):
        worker.submit(request(1))
        assert heard.next() == ("done", 1)

    assert asked == [False] * 1000


def test_a_quick_one_is_not_stopped_by_a_newer_one() -> None:
    """Within its patience it is never told to stop, though it asks while the newer one waits."""
    begun, waits = threading.Event(), threading.Event()
    asked: list[bool] = []

    def asking(request: Request, stop: Callable[[], bool], _progress: Callable[[float], None]) -> Frame:
        begun.set()
        assert waits.wait(PATIENCE_S)
        asked.append(stop())
        return frame(request)

    with working(asking, patience_s=1000) as (worker, heard):
        worker.submit(request(1))
        assert begun.wait(PATIENCE_S)
        worker.submit(request(2))
        waits.set()

        assert [heard.next(), heard.next()] == [("done", 1), ("done", 2)]
    assert asked == [False, False]


def test_stop_ends_what_runs_and_drops_what_waits() -> None:
    """The listener is told of both, so nobody waits for an answer that never comes."""
    gate = Gate()
    with working(gate) as (worker, heard):
        worker.submit(request(1))
        assert gate.next() == 1
        worker.submit(request(2))
        worker.stop()

        assert [heard.next(), heard.next()] == [("stopped", 1), ("stopped", 2)]
        assert gate.begun.empty()


def test_after_a_stop_the_next_request_is_answered() -> None:
    """Even one that comes before the stopped one has noticed."""
    gate = Gate(heeds_stop=False)
    with working(gate) as (worker, heard):
        worker.submit(request(1))
        assert gate.next() == 1
        worker.stop()
        worker.submit(request(2))
        gate.heeds_stop = True

        assert heard.next() == ("stopped", 1)
        assert gate.next() == 2
        gate.go.release()
        assert heard.next() == ("done", 2)


def test_a_stop_with_nothing_to_stop_is_forgotten() -> None:
    """It does not lie in wait for the next request."""
    with working(at_once) as (worker, heard):
        worker.stop()
        worker.submit(request(1))
        assert heard.next() == ("done", 1)
        worker.stop()
        worker.submit(request(2))
        assert heard.next() == ("done", 2)


def test_a_stop_while_torch_loads_drops_what_waits() -> None:
    """It is reported once the thread is up, and nothing is computed."""
    loaded, heard, gate = threading.Event(), Heard(), Gate()

    def load() -> Gate:
        assert loaded.wait(PATIENCE_S)
        return gate

    worker = Worker(heard, load)
    worker.start()
    try:
        worker.submit(request(1))
        worker.stop()
        loaded.set()
        assert [heard.next(), heard.next()] == [("started",), ("stopped", 1)]
        assert gate.begun.empty()
    finally:
        worker.close()


def test_stopping_at_any_moment_leaves_nobody_waiting() -> None:
    """Stops from another thread in between: each request that is not replaced is answered once, as done or stopped."""
    interval = sys.getswitchinterval()
    over = threading.Event()
    answers: set[str] = set()
    with working(at_once) as (worker, heard):

        def stop_and_stop() -> None:
            while not over.is_set():
                worker.stop()

        stopper = threading.Thread(target=stop_and_stop)
        try:
            stopper.start()
            for serial in range(30_000):
                if serial >= 300 and len(answers) == 2:  # On a busy machine the other thread may not come in between for long.
                    break
                sys.setswitchinterval(10.0 ** -(4 + serial % 3))  # s; threads change places here and there
                worker.submit(request(serial))
                how, answered = heard.next()
                assert answered == serial
                answers.add(how)
        finally:
            over.set()
            stopper.join()
            sys.setswitchinterval(interval)

    assert answers == {"done", "stopped"}
    assert heard.silent()


def test_busy_says_whether_anything_runs_or_waits() -> None:
    """From the moment of asking until the answer is out."""
    gate = Gate()
    with working(gate) as (worker, heard):
        assert not worker.busy
        worker.submit(request(1))
        assert worker.busy
        gate.next()
        assert worker.busy
        gate.go.release()
        assert heard.next() == ("done", 1)
        worker.submit(request(2))
        gate.next()
        worker.stop()
        heard.next()

    assert not worker.busy


@pytest.mark.parametrize("error", [ValueError("a bug"), TooLong(limit=1, got=2)], ids=["bug", "user"])
def test_an_exception_is_handed_on_and_the_thread_lives(error: Exception) -> None:
    """A user's error as much as a bug; the next request is answered. A bug's report needs the calls through which it came; of a
    user's error they are let go, and what they knew with them.
    """
    gate = Gate()

    def fail(_request: Request) -> Frame:
        raise error

    with working(gate) as (worker, heard):
        gate.go.release(2)
        gate.answer = fail
        worker.submit(request(1))
        kind, serial, told = heard.next()
        assert (kind, serial, type(told), told.args) == ("failed", 1, type(error), error.args)
        assert (told.__traceback__ is None) == isinstance(error, TooLong)
        gate.answer = frame
        worker.submit(request(2))
        assert heard.next() == ("done", 2)


def test_progress_is_handed_on() -> None:
    """With the serial of the request it belongs to."""

    def long(request: Request, _stop: Callable[[], bool], progress: Callable[[float], None]) -> Frame:
        progress(0.5)
        return frame(request)

    with working(long) as (worker, heard):
        worker.submit(request(4))
        assert [heard.next(), heard.next()] == [("progressed", 4, 0.5), ("done", 4)]


def test_when_torch_cannot_be_loaded_whoever_asks_is_told() -> None:
    """Each request fails with the reason; nobody waits for ever, and close() still ends the thread."""
    heard, error = Heard(), ImportError("no torch")

    def load() -> Gate:
        raise error

    worker = Worker(heard, load)
    worker.start()
    try:
        for serial in (1, 2):
            worker.submit(request(serial))
            assert heard.next() == ("failed", serial, error)
    finally:
        worker.close()
    assert ("started", "compute") not in heard.told


def test_close_ends_what_runs_and_joins_the_thread() -> None:
    """No compute thread is left, and what waited is not begun."""
    gate = Gate()
    with working(gate) as (worker, heard):
        worker.submit(request(1))
        assert gate.next() == 1
        worker.submit(request(2))
        worker.close()

        assert heard.next() == ("stopped", 1)
        assert gate.begun.empty()
        assert "compute" not in {thread.name for thread in threading.enumerate()}


def test_close_may_come_first_and_twice() -> None:
    """Before start and after the end."""
    worker = Worker(Heard(), lambda: Answers(at_once))
    worker.close()
    worker.start()
    worker.close()
    worker.close()

    assert "compute" not in {thread.name for thread in threading.enumerate()}


def test_sixty_quick_requests_give_several_frames_and_end_with_the_newest() -> None:
    """Typing never starves the screen: what runs may finish, though all sixty come while it does."""
    gate = Gate()
    with working(gate) as (worker, heard):
        worker.submit(request(1))
        assert gate.next() == 1
        for serial in range(2, 61):
            worker.submit(request(serial))
            if serial % 15 == 0:
                gate.go.release()
                assert gate.next() == serial
        gate.go.release()
        answers = [heard.next() for _ in range(5)]

        assert answers == [("done", serial) for serial in (1, 15, 30, 45, 60)]
        assert heard.silent()


def test_a_burst_always_ends_with_the_newest() -> None:
    """However the threads interleave, serials climb and the last one comes."""
    for _ in range(20):
        with working(at_once) as (worker, heard):
            for serial in range(1, 61):
                worker.submit(request(serial))
            serials = [heard.next()[1]]
            while serials[-1] != 60:
                serials.append(heard.next()[1])

            assert serials == sorted(set(serials))


def test_the_real_compute_is_loaded_by_name() -> None:
    """It is the Computer."""
    assert isinstance(load_compute(), Computer)


def test_a_held_pass_rests_at_its_next_tap_until_it_is_released() -> None:
    """While the screen is painted the pass waits; release lets it go on to its answer."""
    with working(at_once) as (worker, heard):
        worker.hold()
        worker.submit(request(1))
        worker.release()
        assert heard.next() == ("done", 1)


def test_a_hold_that_nobody_ends_ends_by_itself() -> None:
    """A screen that is never painted cannot stop the model."""
    with working(at_once) as (worker, heard):
        worker.hold()
        worker.submit(request(1))
        assert heard.next() == ("done", 1)


def test_rest_comes_between_requests_and_gives_way() -> None:
    """After an answer with nothing behind it; its `stop` says True when something is asked for."""
    rested: list[bool] = []
    resting, over = threading.Event(), threading.Event()

    def rest(stop: Callable[[], bool]) -> None:
        rested.append(stop())
        resting.set()
        assert over.wait(PATIENCE_S)
        rested.append(stop())

    with working(Answers(at_once, rest)) as (worker, heard):
        worker.submit(request(1))
        assert heard.next() == ("done", 1)
        assert resting.wait(PATIENCE_S)
        worker.submit(request(2))
        over.set()
        assert heard.next() == ("done", 2)
    assert rested[:2] == [False, True]


def test_a_fault_at_rest_is_told_and_the_thread_lives_on() -> None:
    """The next request is answered all the same."""
    error = RuntimeError("at rest")

    def rest(stop: Callable[[], bool]) -> None:
        raise error

    with working(Answers(at_once, rest)) as (worker, heard):
        for serial in (1, 2):
            worker.submit(request(serial))
            assert heard.next() == ("done", serial)
            assert heard.next() == ("broken", error)
