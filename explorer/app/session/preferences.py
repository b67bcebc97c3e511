"""Preferences that are kept between starts: geometry, language, theme and motion. A file that cannot be read is ignored."""

from PySide6.QtCore import QByteArray, QLocale, QSettings

from explorer.lang import LANGUAGES, system_language
from explorer.resources import config_folder

THEMES = ("system", "light", "dark")
MOTIONS = ("system", "full", "reduced")
SIZES = ("100", "125", "150", "175", "200")
"""How large everything is, in per cent. For the last rows of a hall."""


class Preferences:
    """Small typed values over one INI file in the user's config folder."""

    def __init__(self) -> None:
        self._settings = QSettings(str(config_folder() / "preferences.ini"), QSettings.Format.IniFormat)

    def text(self, name: str, default: str = "") -> str:
        value = self._settings.value(name, default)
        return value if isinstance(value, str) else default

    def put(self, name: str, value: str | QByteArray) -> None:
        self._settings.setValue(name, value)

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
