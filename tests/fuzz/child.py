"""The process that runs cases, one after the other. It may hang, grow or die; whoever watches it starts another."""

import contextlib
import faulthandler
import gc
import importlib
import os
import shutil
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.fuzz.case import Case, Limits, Outcome

LOG = "output.txt"
_FOLDERS = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "TMPDIR")


def serve(connection: Connection, folder: Path, warm_up: str, limits: Limits) -> None:
    """Warm up, and then run each Case with its function ("module:name") until told None."""
    own_folders(folder)
    _redirect(folder / LOG)
    gc.disable()  # as the window does while torch is loaded
    if warm_up:
        _function(warm_up)()
    gc.collect()
    gc.freeze()  # What ends with a case is collected behind each: to look through all of torch there took most of the time.
    gc.enable()
    connection.send(("ready", 0))
    while (task := connection.recv()) is not None:
        case, place = task
        outcome = _run(case, place, folder / "case", limits, connection)
        connection.send(("done", outcome))


def own_folders(folder: Path) -> None:
    """Nothing of the user's is read or changed. To be called before anything of the program is imported."""
    for name in _FOLDERS:
        os.environ[name] = str(folder / name.lower())
        Path(os.environ[name]).mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ["LC_ALL"] = "zh_CN.UTF-8"
    os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # torch's threads that wait busily take a crowded machine's time from each other
    screen = Path(__file__).parents[1] / "screen.json"
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={screen}"


def _redirect(log: Path) -> None:
    """Whatever is printed, also by C libraries, goes to a file that is empty at the beginning of each case."""
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    faulthandler.enable()
    if hasattr(signal, "SIGUSR1"):  # whoever watches asks by it where this process is
        faulthandler.register(signal.SIGUSR1)


def _function(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _run(case: Case, place: str, folder: Path, limits: Limits, connection: Connection) -> Outcome:
    from tests.fuzz.trial import Trial

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.chdir(folder)  # a relative path stays inside
    with contextlib.suppress(OSError):
        os.ftruncate(1, 0)
    trial = Trial(case.seed, folder, limits, connection.send)
    threading.excepthook = lambda given: trial.broke(given.exc_value or given.exc_type())
    sys.unraisablehook = lambda given: trial.broke(given.exc_value or given.exc_type(), "unraisable")
    sys.excepthook = lambda _kind, error, _trace: trial.broke(error)  # a slot's
    start_s = time.perf_counter()
    try:
        _function(place)(trial)
    except Exception as error:
        trial.broke(error)
    seconds = time.perf_counter() - start_s
    gc.collect()  # what ends with an object is this case's
    return Outcome(tuple(trial.found), tuple(trial.told), tuple(getattr(trial, "warnings", ())), seconds)
