"""Preparing Qt before the window opens: the screen, the input method, and the program's identity."""

import gc
import os
import socket
import sys
from collections.abc import MutableMapping
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, Qt, QTranslator
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from explorer.app.application import ExplorerApplication
from explorer.errors import NoDisplay
from explorer.export.fonts import add_fonts
from explorer.resources import asset
from explorer.version import __version__
from explorer.views.painting.style import use_font

IDENTITY = "transformer-explorer"
"""Application id, name of the desktop file, and class of the window."""

BY_SCREEN = "by_screen"
PERCENTS = ("100", "125", "150", "175", "200")
SIZES = (BY_SCREEN, *PERCENTS)
"""How large everything is: in per cent, or as large as the screen has room for."""

WINDOW_PX = (1440, 900)
"""The window as it opens at first, if the screen has room for it."""

_LEAST_LARGER = 130  # per cent; on the usual 1920 × 1080 a larger window is worth more than 120 %
_SCALE = "QT_SCALE_FACTOR"
_WITHOUT_SCREEN = ("offscreen", "minimal", "vnc", "linuxfb", "eglfs")  # Qt platforms that need no screen
_INPUT_METHODS = "platforminputcontexts"  # the folder of Qt's plugins for input methods
# The compute thread runs Python too, and the GUI thread must not wait the usual 5 ms for each of its turns. Windows wakes
# threads at most once a millisecond; a shorter interval would make them spin.
_SWITCH_S, _SWITCH_WINDOWS_S = 0.0003, 0.001
_FRESH_OBJECTS = 20_000  # A keystroke makes thousands of objects; collecting at every 700 cost a twentieth of its time.


def make_application(size: str = PERCENTS[0]) -> QApplication:
    """The Qt application with the bundled font, with everything in one of SIZES. Raises NoDisplay, MissingAsset."""
    use_size(os.environ, size)
    running = QApplication.instance()
    if isinstance(running, QApplication):
        application = running
    else:
        check_display(os.environ)
        os.environ.setdefault("QT_QPA_UPDATE_IDLE_TIME", "0")  # Qt waits 5 ms before it paints, in case more changes.
        application = ExplorerApplication([IDENTITY])
        if size == BY_SCREEN:
            application = _as_large_as_the_screen(application)
        application.setStyle("Fusion")
    identify(application)
    # Numbers have a decimal point and Latin figures, as in papers, whatever the system's language.
    QLocale.setDefault(QLocale.c())
    application.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # Neither language runs from right to left.
    sys.setswitchinterval(_SWITCH_WINDOWS_S if sys.platform == "win32" else _SWITCH_S)
    gc.set_threshold(_FRESH_OBJECTS)
    add_fonts()
    use_font(application)
    return application


def identify(application: QApplication) -> None:
    application.setApplicationName(IDENTITY)
    application.setApplicationVersion(__version__)
    QGuiApplication.setDesktopFileName(IDENTITY)
    application.setWindowIcon(QIcon(str(asset("icons/explorer.svg"))))
    if sys.platform == "win32":  # Otherwise the taskbar shows Python's icon and groups the window with other scripts.
        import ctypes

        ctypes.windll.shell32.SetCurrentProcessExplicitAppUserModelID(IDENTITY)


class QtTexts:
    """The language of Qt's own dialogs."""

    def __init__(self) -> None:
        self._translator: QTranslator | None = None

    def speak(self, language: str) -> None:
        """Switch Qt's dialogs to a language; they stay English where Qt has no translation."""
        self.close()
        translator = QTranslator()
        folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        if language == "zh" and translator.load("qtbase_zh_CN", folder):
            QApplication.installTranslator(translator)
            self._translator = translator

    def close(self) -> None:
        """Switch Qt's dialogs back to English."""
        if self._translator is not None:
            QApplication.removeTranslator(self._translator)
            self._translator = None


def use_size(environment: MutableMapping[str, str], size: str) -> None:
    """Let Qt draw everything in a size, unless the environment has one already. Before the application is made."""
    if size not in (BY_SCREEN, PERCENTS[0]):
        environment.setdefault(_SCALE, f"{int(size) / 100:g}")


def suited_size(wide_px: int, high_px: int) -> str:
    """The largest size, in tens of per cent, in which a screen still has room for the window as it opens at first."""
    percent = 10 * min(10 * wide_px // WINDOW_PX[0], 10 * high_px // WINDOW_PX[1])
    return str(percent) if percent >= _LEAST_LARGER else PERCENTS[0]


def _as_large_as_the_screen(application: QApplication) -> QApplication:
    """The application, or another one in the size that suits the screen; a system that enlarges by itself knows better.

    Decision: Qt is asked for its screen and begun anew, in 30 ms, on large screens alone. Rejected: larger fonts, which leave
    all that is measured in pixels small.
    """
    screen = application.primaryScreen()
    size = suited_size(screen.size().width(), screen.size().height())
    if _SCALE in os.environ or screen.devicePixelRatio() != 1 or size == PERCENTS[0]:
        return application
    application.shutdown()
    use_size(os.environ, size)
    return ExplorerApplication([IDENTITY])


def choose_input_method(environment: MutableMapping[str, str], plugins: Path | None = None) -> str:
    """Set an input method that this Qt has a plugin for; returns the name of the one that lacks a plugin, or "".

    PySide6 has no plugin for fcitx, the usual input method of Chinese desktops, and without a plugin no one can type
    Chinese. fcitx also understands the protocol of ibus, for which Qt has a plugin.
    """
    asked = environment.get("QT_IM_MODULES") or environment.get("QT_IM_MODULE", "")
    if not sys.platform.startswith("linux") or not asked:
        return ""
    folder = (Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)) if plugins is None else plugins) / _INPUT_METHODS
    names = [name.strip() for name in asked.split(";") if name.strip()]
    if not names or any(_has_plugin(folder, name) for name in names) or not _has_plugin(folder, "ibus"):
        return ""
    environment["QT_IM_MODULE"] = "ibus"
    if "QT_IM_MODULES" in environment:
        environment["QT_IM_MODULES"] = "ibus"
    return names[0]


def _has_plugin(folder: Path, name: str) -> bool:
    # "wayland" and "xim" are part of Qt's platforms; "none", "simple" and "compose" need no plugin.
    return name in ("wayland", "xim", "none", "simple", "compose") or any(folder.glob(f"*{name}platforminputcontext*"))


def check_display(environment: MutableMapping[str, str]) -> None:
    """Check that there is a screen, because Qt ends the whole process without one. Raises NoDisplay."""
    platform = environment.get("QT_QPA_PLATFORM", "").split(":")[0]
    if not sys.platform.startswith("linux") or platform in _WITHOUT_SCREEN:
        return
    wayland, display = environment.get("WAYLAND_DISPLAY", ""), environment.get("DISPLAY", "")
    by_wayland = platform.startswith("wayland")
    if (by_wayland or (wayland and platform != "xcb")) and _wayland_answers(
        wayland or "wayland-0", environment.get("XDG_RUNTIME_DIR", "")
    ):
        return
    if platform == "wayland" or not display or not x_answers(display):
        raise NoDisplay(display=display, wayland=wayland)
    if wayland and not platform:  # WAYLAND_DISPLAY is left over from an ended session; Qt would try it first and abort.
        environment["QT_QPA_PLATFORM"] = "xcb"


def _wayland_answers(name: str, runtime: str) -> bool:
    """Whether a compositor listens at WAYLAND_DISPLAY, which is a path or a socket's name in the user's runtime folder."""
    return _listens(name if name.startswith("/") else f"{runtime}/{name}")


def x_answers(display: str) -> bool:
    """Whether an X server listens. Only a local display is checked; a remote one is assumed to be there."""
    host, _, rest = display.rpartition(":")
    number = rest.split(".")[0]
    if host not in ("", "unix") or not number.isdecimal():
        return bool(host)
    return any(_listens(path) for path in (f"\0/tmp/.X11-unix/X{number}", f"/tmp/.X11-unix/X{number}"))


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except (OSError, ValueError):  # No process listens, or the name is no valid socket.
            return False
    return True
