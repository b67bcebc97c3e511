"""A start that failed where nobody reads a terminal is told in a box: Qt's, else the system's own, else in the log file.

Windows starts `transformer-explorer-window` without streams, and a desktop's launcher shows nobody what is written there.
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
    """Nobody reads stderr: there is none, or it belongs to whatever started the window's own command."""
    return sys.stderr is None or (windowed and not sys.stderr.isatty())


def tell(sentence: str, *, by_window: bool = True) -> None:
    """Say what a user can mend. A command that opens no window may run where nobody could close a box: it has the log file."""
    if not (by_window and (_in_qts_box(sentence) or _in_systems_box(sentence))):
        note(sentence)


def report(error: Exception, arguments: list[str]) -> None:
    """Say that the program is at fault: the report goes into the log file, and the box names it."""
    text = "".join(traceback.format_exception(error))
    if sys.stderr is not None:
        sys.stderr.write(text)
    path = note(text)
    reason = quoted(f"{type(error).__name__}: {' '.join(str(error).split())}"[:_LONGEST_REASON], is_path=True)
    words = _words(arguments)
    if words is None:  # without texts the program can only show what there is
        tell(f"{reason} {path or ''}")
    elif path is None:
        tell(words("start.bug_unwritten", reason=reason))
    else:
        tell(words("start.bug", reason=reason, path=path))


def note(text: str) -> Path | None:
    """Write it into the log file. None where that cannot be written."""
    path, now = log_file(), datetime.datetime.now().astimezone()
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{now:%Y-%m-%d %H:%M:%S} {text.rstrip()}\n")
    except OSError:
        return None
    return path


def _words(arguments: list[str]) -> Words | None:
    """The texts of the language that was asked for, else of any that can be read."""
    for language in (*asked_language(arguments)[0][1:], system_language(), *LANGUAGES):
        try:
            return Words.load(language)
        except (MissingAsset, ValueError):  # ValueError: the file is damaged
            continue
    return None


def _in_qts_box(sentence: str) -> bool:
    try:
        from explorer.app.start_box import show
    except ImportError:  # Qt itself cannot be loaded
        return False
    return show(TITLE, sentence)


def _in_systems_box(sentence: str) -> bool:
    """Linux has no box of its own."""
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
