"""Preferences that are kept between starts: geometry, language, theme and motion. A file that cannot be read is ignored.

Several windows of the program share the file. Each writes the keys that it changes; a key whose value is a list is changed by
`change`, so that what another window has put into it stays.
"""

from collections.abc import Callable

from PySide6.QtCore import QByteArray, QLocale, QLockFile, QSettings

from explorer.lang import LANGUAGES, system_language
from explorer.resources import config_folder

THEMES = ("system", "light", "dark")
MOTIONS = ("system", "full", "reduced")
SIZES = ("100", "125", "150", "175", "200")
"""How large everything is, in per cent. For the last rows of a hall."""
_PATIENCE_MS = 2000  # ms; another window holds the lock for a few, unless its disk hangs


class Preferences:
    """Small typed values over one INI file in the user's config folder."""

    def __init__(self) -> None:
        self._settings = QSettings(str(config_folder() / "preferences.ini"), QSettings.Format.IniFormat)

    def text(self, name: str, default: str = "") -> str:
        value = self._settings.value(name, default)
        return value if isinstance(value, str) else default

    def put(self, name: str, value: str | QByteArray) -> None:
        self._settings.setValue(name, value)

    def change(self, name: str, by: Callable[[str], str]) -> str:
        """Change a text by a function of what the file holds now, and write it at once; returns the new one.

        Where the lock cannot be had in time, or no file can be written, the change is made all the same.
        """
        lock = QLockFile(str(config_folder() / "preferences.lock"))
        lock.tryLock(_PATIENCE_MS)
        try:
            self._settings.sync()  # Take in what another window has written.
            before = self.text(name)
            after = by(before)
            if after != before:
                self.put(name, after)
                self._settings.sync()
            return after
        finally:
            lock.unlock()

    @property
    def language(self) -> str:
        asked = self.text("language")
        return asked if asked in LANGUAGES else system_language(ui_languages=QLocale.system().uiLanguages())

    @property
    def theme(self) -> str:
        asked = self.text("theme")
        return asked if asked in THEMES else "system"

    @property
    def motion(self) -> str:
        asked = self.text("motion")
        return asked if asked in MOTIONS else "system"

    @property
    def size(self) -> str:
        asked = self.text("size")
        return asked if asked in SIZES else "100"

    @property
    def geometry(self) -> QByteArray:
        value = self._settings.value("geometry")
        return value if isinstance(value, QByteArray) else QByteArray()

    def save(self) -> None:
        """Write to disk. In a folder that cannot be written, only the preferences are lost."""
        self._settings.sync()
