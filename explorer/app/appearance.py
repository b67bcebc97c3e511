"""Language, theme and motion: the user's choice, or the system's where there is none."""

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from explorer.app.display import QtTexts
from explorer.app.motion import GnomeMotion, system_is_still
from explorer.app.session.preferences import Preferences
from explorer.lang import Words
from explorer.picture.theme import DARK, LIGHT, THEMES, Theme
from explorer.views.painting.motion import STILL
from explorer.views.painting.style import use_theme


class Appearance(QObject):
    """Signals: spoke(Words) and themed(Theme), after each change and at `apply`."""

    spoke = Signal(object)
    themed = Signal(object)

    def __init__(self, preferences: Preferences, language: str | None = None) -> None:
        super().__init__()
        self._preferences = preferences
        self.words = Words.load(language or preferences.language)
        self.choice = preferences.theme
        self.size = preferences.size
        self._qt = QtTexts()
        self.theme = self._resolved()
        self.motion = preferences.motion
        self._gnome_is_still = False
        self._gnome = GnomeMotion(self)
        self._gnome.told.connect(self._gnome_told)
        self._use_motion()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    def apply(self) -> None:
        """Emit both signals, for a window that has just been made."""
        self._use_theme()
        self._speak()

    def switch_language(self) -> None:
        language = "en" if self.words.language == "zh" else "zh"
        self.words = Words.load(language)
        self._preferences.put(language=language)
        self._speak()

    def _speak(self) -> None:
        self._qt.speak(self.words.language)
        self.spoke.emit(self.words)

    def choose_theme(self, choice: str) -> None:
        """Choose "system", "light" or "dark"."""
        self.choice = choice
        self._preferences.put(theme=choice)
        self._use_theme()

    def choose_size(self, size: str) -> None:
        """Choose how large everything will be when the program is started next."""
        self.size = size
        self._preferences.put(size=size)

    def switch_theme(self) -> None:
        """Switch between light and dark."""
        self.choose_theme("light" if self.theme is DARK else "dark")

    def choose_motion(self, choice: str) -> None:
        """Choose "system", "full" or "reduced", from the next motion on."""
        self.motion = choice
        self._preferences.put(motion=choice)
        self._use_motion()
        self.ask_desktop()

    def ask_desktop(self) -> None:
        """Ask a desktop that tells only when it is asked whether pictures may move; its answer comes later."""
        if self.motion == "system":
            self._gnome.ask()

    def _gnome_told(self, still: bool) -> None:
        self._gnome_is_still = still
        self._use_motion()

    def _use_motion(self) -> None:
        says_still = self._gnome_is_still or system_is_still()
        still = {"full": False, "reduced": True}.get(self.motion, True if says_still else None)
        application = QApplication.instance()
        if application is not None:
            application.setProperty(STILL, still)

    def close(self) -> None:
        """Set Qt's own dialogs back to English, and ask the desktop no longer."""
        self._gnome.close()
        self._qt.close()

    def _resolved(self) -> Theme:
        """The chosen theme. It is also set as Qt's colour scheme, which title bars and the system's dialogs follow."""
        hints = QGuiApplication.styleHints()
        if self.choice in THEMES:
            hints.setColorScheme(Qt.ColorScheme.Dark if self.choice == "dark" else Qt.ColorScheme.Light)
            return THEMES[self.choice]
        hints.unsetColorScheme()
        return DARK if hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT

    def _system_changed(self) -> None:
        if self.choice == "system":
            self._use_theme()

    def _use_theme(self) -> None:
        self.theme = self._resolved()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            use_theme(application, self.theme)
        self.themed.emit(self.theme)
