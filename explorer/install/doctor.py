"""All that doctor looks at, in the order in which it says it. What a fault stands in the way of is left out."""

from collections.abc import Callable, Iterator

from explorer.install import libraries, machine, qt_libraries, qt_probe
from explorer.install.diagnosis import Diagnosis


def diagnoses() -> Iterator[Diagnosis]:
    """One after the other, each as soon as it is known. Nothing is written but what is removed at once."""
    yield machine.program()
    yield machine.memory()
    yield machine.folders()
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
    yield from _tried("torch", machine.processors, machine.graphics)
    yield from _tried("numbers", _numbers)


def _numbers() -> Diagnosis:
    from explorer.install.self_check import numbers

    return numbers()


def _tried(subject: str, *checks: Callable[[], Diagnosis]) -> Iterator[Diagnosis]:
    """The checks' answers; a library that cannot even be imported is a fault of the machine, and is said as one."""
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
    yield qt_probe.picture(qt_probe.probed("--picture", QT_QPA_PLATFORM="offscreen"))  # No window flashes up on the screen.
