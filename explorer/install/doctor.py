"""The checks of doctor, in the order of its report, and those of the machine itself.

A check that an earlier fault makes impossible is left out.
"""

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from explorer import resources
from explorer.install import libraries, qt_libraries, qt_probe
from explorer.install.diagnosis import Diagnosis
from explorer.version import __version__

_GB = 2**30
_LEAST_FREE_GB = 1.0  # torch, Qt and the translator take about 0.6 GB
_NVIDIA = Path("/proc/driver/nvidia/version")


def diagnoses() -> Iterator[Diagnosis]:
    """Yield each Diagnosis as soon as it is known. Files that it writes are removed at once."""
    yield program()
    yield memory()
    yield folders()
    found = libraries.libraries()
    yield found
    yield libraries.models()
    if libraries.version_of("torch"):
        yield from _of_torch()
    qt = qt_libraries.qt_libraries()
    if qt is not None:
        yield qt
    if libraries.version_of("PySide6-Essentials") and (qt is None or qt.standing == "well"):
        yield from _of_qt()


def _of_torch() -> Iterator[Diagnosis]:
    yield from _tried("torch", processors, graphics)
    yield from _tried("numbers", _numbers)


def _numbers() -> Diagnosis:
    from explorer.install.self_check import numbers

    return numbers()


def _tried(subject: str, *checks: Callable[[], Diagnosis]) -> Iterator[Diagnosis]:
    """The answers of the checks, or one fault if a library cannot even be imported."""
    try:
        yield from (check() for check in checks)
    except (ImportError, OSError, RuntimeError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        yield Diagnosis(subject, "fault", "broken", {"reason": reason}, "broken_advice")


def _of_qt() -> Iterator[Diagnosis]:
    found = qt_probe.probed()
    yield qt_probe.screen(found)
    told = qt_probe.fonts(found)
    if told is not None:
        yield told
    yield qt_probe.picture(qt_probe.probed("--picture", QT_QPA_PLATFORM="offscreen"))  # So no window flashes up on the screen.


def program() -> Diagnosis:
    """The program and the Python that runs it."""
    kind = "program.bundle" if getattr(sys, "frozen", False) else "program.well"
    values = {
        "version": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} · {platform.machine()}",
        "folder": str(Path(resources.__file__).parent),
    }
    return Diagnosis("program", "well", kind, values)


def graphics() -> Diagnosis:
    """The devices that torch computes on. No graphics card is needed; one that torch cannot use gives a note."""
    from explorer.engine.devices import device_name, devices

    names = [device_name(each) for each in devices()]
    if len(names) == 1 and _NVIDIA.exists():
        return Diagnosis("graphics", "note", "graphics.unused", advice="graphics.advice")
    return Diagnosis("graphics", "well", "graphics.well" if len(names) > 1 else "graphics.none", {"names": ", ".join(names)})


def processors() -> Diagnosis:
    """How many processors there are, how many this process may use, and how many threads torch takes."""
    import torch

    there = os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else there
    values = {"there": there, "allowed": allowed, "threads": torch.get_num_threads()}
    if allowed < there:
        return Diagnosis("processors", "note", "processors.fewer", values)
    return Diagnosis("processors", "well", "processors.well", values)


def memory() -> Diagnosis:
    """How much memory is free; a note if large models or long texts will not fit."""
    state = psutil.virtual_memory()
    values = {"free": f"{state.available / _GB:.1f}", "all": f"{state.total / _GB:.1f}", "least": f"{_LEAST_FREE_GB:g}"}
    if state.available < _LEAST_FREE_GB * _GB:
        return Diagnosis("memory", "note", "memory.little", values, "memory.advice")
    return Diagnosis("memory", "well", "memory.well", values)


def folders() -> Diagnosis:
    """Whether preferences, the cache and the log can be written."""
    places = (resources.config_folder(), resources.cache_folder(), resources.log_folder())
    refused = [str(place) for place in places if not _is_writable(place)]
    if refused:
        return Diagnosis("folders", "fault", "folders.refused", {"names": ", ".join(refused)}, "folders.advice")
    return Diagnosis("folders", "well", "folders.well", {"names": ", ".join(map(str, dict.fromkeys(places)))})


def _is_writable(folder: Path) -> bool:
    """Whether a file can be made there. Permissions alone would not reveal a full or read-only disk."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"doctor")
    except OSError:
        return False
    return True
