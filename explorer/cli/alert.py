"""Errors at the start without a terminal: shown in a box of Qt or of the system, or written to the log file.

Windows starts `transformer-explorer-window` without streams, and a desktop's launcher does not show what is written to them.
"""

import datetime
import sys
import traceback
from pathlib import Path

from explorer.cli.language import asked_language
from explorer.errors import MissingAsset
from explorer.lang import LANGUAGES, Words, quoted, system_language
from explorer.resources import log_file

TITLE = "Transformer Explorer"
_WINDOWS_ERROR_ICON = 0x10
_LONGEST_REASON = 200  # characters; the whole report is in the log file
_MACOS_SCRIPT = ("on run {title, sentence}", "display alert title message sentence as critical", "end run")


def is_unheard(*, windowed: bool) -> bool:
    """Whether nobody reads stderr: there is none, or the window's own command was not started in a terminal."""
    return sys.stderr is None or (windowed and not sys.stderr.isatty())


def tell(sentence: str, *, by_window: bool = True) -> None:
    """Report a user's error in a box. A command without a window uses the log file, since it may run unattended."""
    if not (by_window and (_in_qts_box(sentence) or _in_systems_box(sentence))):
        note(sentence)


def report(error: Exception, arguments: list[str]) -> None:
    """Report a bug: the traceback goes into the log file, and the box names that file."""
    text = "".join(traceback.format_exception(error))
    if sys.stderr is not None:
        sys.stderr.write(text)
    path = note(text)
    reason = quoted(f"{type(error).__name__}: {' '.join(str(error).split())}"[:_LONGEST_REASON], is_path=True)
    words = _words(arguments)
    if words is None:  # Without its texts the program can only show the bare reason.
        tell(f"{reason} {path or ''}")
    elif path is None:
        tell(words("start.bug_unwritten", reason=reason))
    else:
        tell(words("start.bug", reason=reason, path=path))


def note(text: str) -> Path | None:
    """Write a text into the log file; returns its path, or None where it cannot be written."""
    path, now = log_file(), datetime.datetime.now().astimezone()
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{now:%Y-%m-%d %H:%M:%S} {text.rstrip()}\n")
    except OSError:
        return None
    return path


def _words(arguments: list[str]) -> Words | None:
    """The texts in the language that was asked for, else in any that can be read; None without any."""
    for language in (*asked_language(arguments)[0][1:], system_language(), *LANGUAGES):
        try:
            return Words.load(language)
        except (MissingAsset, ValueError):  # A damaged file raises ValueError.
            continue
    return None


def _in_qts_box(sentence: str) -> bool:
    try:
        from explorer.app.start_box import show
    except ImportError:  # Qt cannot be loaded.
        return False
    return show(TITLE, sentence)


def _in_systems_box(sentence: str) -> bool:
    """Show a box of the system; returns False where it has none, as on Linux."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.user32.MessageBoxW(None, sentence, TITLE, _WINDOWS_ERROR_ICON)
        return True
    if sys.platform == "darwin":
        import subprocess

        lines = [part for line in _MACOS_SCRIPT for part in ("-e", line)]
        try:
            return subprocess.run(["osascript", *lines, TITLE, sentence], check=False).returncode == 0
        except OSError:
            return False
    return False
