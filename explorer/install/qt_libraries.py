"""The libraries of a Linux system that Qt needs. The system's own loader is asked for them; Qt is not imported.

PySide6's wheels contain Qt and rely on the system for the libraries that every desktop has. A bare Debian has none of them,
and Qt then names one library at a time, or ends the process.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from explorer.install.diagnosis import Diagnosis

DEBIAN = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libz.so.1": "zlib1g",
    "libstdc++.so.6": "libstdc++6",
}
"""The package of Debian and Ubuntu that has each library."""

# The libraries of the window and of its platform plugins. One of the Wayland plugins is enough.
_PARTS = ("libQt6Widgets.so.6", "libQt6Svg.so.6", "libQt6DBus.so.6", "platforms/libqxcb.so", "platforms/libqwayland-generic.so")
_WAYLAND = "libqwayland"
_PATIENCE_S = 30


def qt_libraries() -> Diagnosis | None:
    """Whether a Linux system has them all; None on other systems, whose wheels contain everything."""
    if not sys.platform.startswith("linux"):
        return None
    folder = qt_folder()
    if folder is None:
        return Diagnosis("qt", "fault", "qt.nowhere", {"python": sys.executable}, "qt.nowhere_advice")
    return told_of(missing_in(folder))


def told_of(missing: list[str]) -> Diagnosis:
    """The Diagnosis for these missing libraries."""
    if not missing:
        return Diagnosis("qt", "well", "qt.well")
    packages = sorted({DEBIAN[name] for name in missing if name in DEBIAN})
    others = [name for name in missing if name not in DEBIAN]
    values = {"libraries": ", ".join(missing), "packages": " ".join(packages), "others": ", ".join(others)}
    return Diagnosis("qt", "fault", "qt.missing", values, "qt.advice" if packages else "qt.advice_other")


def qt_folder() -> Path | None:
    """The folder with Qt's own libraries, found without importing any; None where PySide6 is not installed."""
    found = importlib.util.find_spec("PySide6")
    for place in (found.submodule_search_locations or ()) if found else ():
        if (Path(place) / "Qt" / "lib").is_dir():
            return Path(place) / "Qt"
    return None


def missing_in(folder: Path) -> list[str]:
    """The libraries that Qt in this folder asks for and the loader does not find."""
    by_wayland = bool(os.environ.get("WAYLAND_DISPLAY"))
    paths = [path for part in _PARTS for path in (folder / "lib" / part, folder / "plugins" / part) if path.is_file()]
    wanted = [path for path in paths if by_wayland or _WAYLAND not in path.name]
    return sorted({name for path in wanted for name in _not_found(path)})


def _not_found(path: Path) -> list[str]:
    """The libraries that `ldd` reports as missing for one library: "libEGL.so.1 => not found"."""
    try:
        done = subprocess.run(
            ["ldd", str(path)], capture_output=True, text=True, errors="replace", timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):  # A system without `ldd`; the probe will name the first missing one.
        return []
    return [line.split()[0] for line in done.stdout.splitlines() if line.rstrip().endswith("=> not found")]
