"""The thread that reads lessons and reckons for them: newest wishes win, errors travel, and nothing is left behind."""

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from explorer.app.lessons.reckoner import Reckoner
from explorer.errors import EmptyText
from explorer.stops import Stop


@pytest.fixture
def reckoner(qapp: QCoreApplication) -> Iterator[Reckoner]:
    made = Reckoner()
    yield made
    made.close()


class Gate:
    """A Work that waits until it is opened, and notes what it was told."""

    def __init__(self) -> None:
        self.began, self.open = threading.Event(), threading.Event()
        self.stopped = False

    def __call__(self, stop: Stop) -> str:
        self.began.set()
        assert self.open.wait(20)
        self.stopped = stop()
        return "gate"


def test_work_is_done_elsewhere_and_told_here(reckoner: Reckoner, qtbot: QtBot) -> None:
    """The value arrives on the thread that asked, after `ask` has returned."""
    where: list[threading.Thread] = []
    told: list[tuple[object, threading.Thread]] = []
    reckoner.ask(
        "a",
        lambda stop: where.append(threading.current_thread()) or 7,  # type: ignore[func-returns-value]
        lambda value: told.append((value, threading.current_thread())),
    )
    assert told == [] and reckoner.busy
    qtbot.waitUntil(lambda: not reckoner.busy)

    assert told == [(7, threading.main_thread())]
    assert where[0].name == "lessons" and not where[0].daemon


def test_the_newest_wish_of_a_kind_takes_the_place_of_older_ones(reckoner: Reckoner, qtbot: QtBot) -> None:
    """One that runs is told to stop and its answer is dropped, one that waits is never begun; other kinds stay."""
    gate, told = Gate(), []
    reckoner.ask("a", gate, told.append)
    assert gate.began.wait(20)
    reckoner.ask("b", lambda stop: "b", told.append)
    reckoner.ask("a", lambda stop: told.append("begun") or "old", told.append)  # type: ignore[func-returns-value]
    reckoner.ask("a", lambda stop: "new", told.append)
    gate.open.set()
    qtbot.waitUntil(lambda: not reckoner.busy)

    assert gate.stopped
    assert told == ["b", "new"]


def test_what_is_forgotten_is_not_told(reckoner: Reckoner, qtbot: QtBot) -> None:
    """Neither what runs nor what waits nor what is on its way."""
    gate, told = Gate(), []
    reckoner.ask("a", gate, told.append)
    reckoner.ask("b", lambda stop: "b", told.append)
    reckoner.forget("a")
    reckoner.forget("b")
    assert not reckoner.busy
    gate.open.set()
    reckoner.ask("c", lambda stop: "c", told.append)
    qtbot.waitUntil(lambda: not reckoner.busy)

    assert told == ["c"]


def test_a_users_error_is_an_answer_and_a_bug_is_not(reckoner: Reckoner, qtbot: QtBot) -> None:
    """The one is told to whoever asked, the other to whoever reports bugs; the thread lives on."""
    told: list[object] = []
    broken: list[object] = []
    reckoner.broke.connect(broken.append)

    def fail(error: Exception) -> object:
        raise error

    reckoner.ask("a", lambda stop: fail(EmptyText()), told.append)
    reckoner.ask("b", lambda stop: fail(RuntimeError("a bug of the test")), told.append)
    reckoner.ask("c", lambda stop: 1, told.append)
    qtbot.waitUntil(lambda: not reckoner.busy)

    assert [type(each) for each in told] == [EmptyText, int]
    assert [str(each) for each in broken] == ["a bug of the test"]


def test_closing_waits_for_the_thread_and_nothing_comes_after(reckoner: Reckoner, qtbot: QtBot) -> None:
    """Work that runs is told to stop; what waits, and what is asked for later, is never begun."""
    told: list[object] = []
    began = threading.Event()

    def until_stopped(stop: Stop) -> None:
        began.set()
        while not stop():
            threading.Event().wait(0.001)  # the other thread's turn

    reckoner.ask("a", until_stopped, told.append)
    reckoner.ask("b", lambda stop: told.append("begun"), told.append)
    assert began.wait(20)
    reckoner.close()
    reckoner.ask("c", lambda stop: "c", told.append)
    QCoreApplication.processEvents()

    assert told == [] and not reckoner.busy
    assert "lessons" not in [thread.name for thread in threading.enumerate()]
    reckoner.close()


def test_a_thread_that_is_never_needed_is_never_begun(reckoner: Reckoner) -> None:
    """Closing it is nothing."""
    assert "lessons" not in [thread.name for thread in threading.enumerate()]
