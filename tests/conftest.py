"""What all tests share: no screen, folders of their own, and nothing left behind."""

import ctypes
import gc
import itertools
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

# No screen is needed; a large one is pretended, for the default of 800×800 is smaller than the window.
_SCREEN = Path(__file__).with_name("screen.json")
os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={_SCREEN}")
if "PYTEST_XDIST_WORKER" in os.environ:
    # There are as many workers as cores, so each has one. Threads of theirs would wait for each other, and torch's wait busily:
    # the trained model's tests took four times as much of the processor. The engine asks for the number of cores.
    os.cpu_count = lambda: 1
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# Rewriting the asserts of two hundred files takes each process 7 s, and processes that tests start compile the package anew:
# what is compiled is kept, even where Python was told not to.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import PySide6
import pytest
from hypothesis import HealthCheck, settings
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from tests.kept import Tidying, let_go

if sys.version_info < (3, 12) and tuple(map(int, PySide6.__version__.split(".")[:2])) >= (6, 10):
    # From 6.10 on references of None, True and False are given back that were never taken, of None some hundred at each
    # resize of pyqtgraph's axes. Python 3.12 counts them no more; before, the process ends sooner or later, so these two are
    # not installed together. The tests of the newest Qt run on Python 3.11 all the same: with more references than they last.
    for counted in (None, True, False):
        ctypes.c_ssize_t.from_address(id(counted)).value += 2**60

# On a busy machine the first value of a strategy takes seconds: how long it takes is not what these tests are about.
settings.register_profile("whatever-the-load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("whatever-the-load")


_TIDYING = Tidying()
_NUMBERS = itertools.count()  # of the tests in this process


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Files stay together, journeys go one by one."""
    from tests.workers import Scheduling

    return Scheduling(config, log)


def pytest_collection_finish() -> None:
    """What torch, Qt and the tests are made of stays: the collector never looks through it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # as the program does, `explorer.app.display`


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """What a test left behind goes when its fixtures have gone, and what the tests of a file shared behind the last of them."""
    made = yield
    if nextitem is None or nextitem.path != item.path:
        let_go()
    _TIDYING.tidy()
    return made


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache folder for the whole run: jieba reads its dictionary once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, shared_cache: Path) -> None:
    """No test sees the user's own preferences, cache or log, nor the preferences of another test.

    The folders are in the test's own where it has one. Most tests write nothing: for these only names are taken, as to make
    a folder and to take it away costs a millisecond, ten seconds in ten thousand tests.
    """
    own = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else shared_cache / f"own-{next(_NUMBERS)}"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(own / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_cache))
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """A thread that a test started and did not end fails the test, by name."""
    before = set(threading.enumerate())
    yield
    left = [thread.name for thread in set(threading.enumerate()) - before if thread.name in ("compute", "export", "lessons")]
    assert left == [], f"threads left running: {left}"


@pytest.fixture(autouse=True)
def no_widget_is_left() -> Iterator[None]:
    """A window that a test is done with goes at once: outside of an event loop Qt would keep it, and give every further theme
    to it as well. So does the theme: a window that is made under a style sheet takes three times as long, and no user's is."""
    yield
    application = QCoreApplication.instance()
    if application is not None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    if isinstance(application, QApplication) and application.styleSheet():
        application.setStyleSheet("")
