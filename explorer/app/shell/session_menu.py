"""Sessions in the window: opening, saving, the files that were open last, and the title bar, which names the open one."""

from collections.abc import Sequence
from pathlib import Path

import attrs
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu, QWidget

from explorer.app.appearance import Appearance
from explorer.app.file_dialogs import ask_new_file, start_in
from explorer.app.session.session import Session
from explorer.app.session.session_file import SessionFile
from explorer.app.shell.recents import Recents
from explorer.errors import CannotRead, ExplorerError
from explorer.lang import Words
from explorer.picture.theme import THEMES
from explorer.state.preset_file import presets_folder
from explorer.state.saved import Saved
from explorer.state.state import State
from explorer.state.state_file import BUNDLE_SUFFIX, SUFFIX
from explorer.state.state_link import OpenState

_PRESET = ".toml"
_SUFFIXES = (SUFFIX, BUNDLE_SUFFIX)


class SessionMenu(QObject):
    """Signals: wished(OpenState) for a file that was read; noticed(sentence); settled() when a file was written, and
    preset_made() when it is a preset; refused(error).
    """

    wished, noticed, refused = Signal(object), Signal(str), Signal(object)
    settled, preset_made = Signal(), Signal()

    def __init__(self, window: QWidget, menu: QMenu, session: Session, appearance: Appearance) -> None:
        super().__init__(window)
        self.file = SessionFile(self)
        self.recents = Recents(menu, _titles, self)
        self.recents.chosen.connect(self.open)
        self._window, self._session, self._appearance = window, session, appearance
        self._reading = ""  # the file that is asked for, so that one that is gone is offered no more
        self.file.changed.connect(self._tell_title)
        self.file.opened.connect(self._opened)
        self.file.written.connect(self._written)
        self.file.preset_made.connect(self._preset_made)
        self.file.failed.connect(self._failed)

    def speak(self, words: Words) -> None:
        self._tell_title()

    def begin(self, path: Path, saved: Saved) -> None:
        """Begin with a file that was read before the window opened."""
        now = self._session.state
        # The window has given the page in front, and colours of its theme, to a State that names none.
        self.file.start_with(path, attrs.evolve(saved.state, page=now.page, look=now.look))
        self._remember(str(path))
        self._warn(saved)

    def restore(self, saved: Saved) -> None:
        """Open what a program has left that was not closed."""
        self.wished.emit(OpenState(self._themed(saved.state), saved.own))
        self.file.resume(saved)
        self.file.follow(self._session.state)

    def open(self, path: str) -> None:
        """Open the session in a file."""
        self._reading = path
        self.file.open(Path(path))

    def save(self) -> None:
        """Save the session in its file; where it has none, let the user choose one."""
        if self.file.path is None:
            self.save_as()
        else:
            self.file.save()

    def save_as(self) -> None:
        """Let the user choose the file to save the session in."""
        words = self._appearance.words
        kinds = {words(f"session.{key}", suffix=f"*{suffix}"): suffix for key, suffix in zip(_KINDS, _SUFFIXES, strict=True)}
        start = str(self.file.path or Path(self.start()) / f"{words('session.unnamed')}{SUFFIX}")
        while True:
            path, kind = ask_new_file(self._window, words("action.save_session_as"), start, ";;".join(kinds))
            if not path or path.endswith(_SUFFIXES):
                break
            start = f"{path}{kinds.get(kind, SUFFIX)}"
            if not Path(start).exists():  # Otherwise the dialog asks whether to replace it.
                path = start
                break
        if path:
            self.file.save(Path(path))

    def save_preset(self) -> None:
        """Let the user name a preset to be made of what is set up. Those in the folder that is shown are offered."""
        words = self._appearance.words
        start = presets_folder() / f"{words('session.own_preset')}{_PRESET}"
        path, _kind = ask_new_file(self._window, words("action.save_preset"), str(start), f"*{_PRESET}")
        if path:
            self.file.save_preset(Path(path if path.endswith(_PRESET) else f"{path}{_PRESET}"))

    def start(self) -> str:
        """The file or folder that a dialog begins with."""
        if self.file.path is not None:
            return str(self.file.path)
        return start_in(*self.recents.paths[:1])

    def _opened(self, saved: Saved) -> None:
        self.wished.emit(OpenState(self._themed(saved.state)))
        self.file.follow(self._session.state)
        self._warn(saved)
        self._remember(self._reading)

    def _themed(self, state: State) -> State:
        """A State in the colours of the present theme, where it has those of another theme and none of the user's choice."""
        if state.look.signed_colours not in {each.signed_colours for each in THEMES.values()}:
            return state
        return attrs.evolve(state, look=attrs.evolve(state.look, signed_colours=self._appearance.theme.signed_colours))

    def _warn(self, saved: Saved) -> None:
        """Say what of a file could not be used, or is otherwise now."""
        words = self._appearance.words
        if saved.unknown:
            names = ", ".join(saved.unknown[:3])
            self.noticed.emit(words("session.unknown_names", names=names, count=len(saved.unknown)))
        elif saved.other_weights:
            self.noticed.emit(words("session.other_weights"))

    def _written(self, path: str) -> None:
        self.settled.emit()
        self.noticed.emit(self._appearance.words("session.saved", name=Path(path).name))
        self._remember(path)

    def _preset_made(self, path: str) -> None:
        self.settled.emit()
        self.preset_made.emit()
        self.noticed.emit(self._appearance.words("session.preset_made", name=Path(path).stem))

    def _failed(self, error: ExplorerError) -> None:
        if isinstance(error, CannotRead) and error.values.get("path") == self._reading:
            self.recents.drop(self._reading)
        self.refused.emit(error)

    def _tell_title(self) -> None:
        app = self._appearance.words("app")
        name = self.file.name.replace("[*]", "")
        self._window.setWindowTitle(f"{name}[*] – {app}" if name else app)
        self._window.setWindowModified(self.file.is_changed)

    def _remember(self, path: str) -> None:
        if path:
            self.recents.add(str(Path(path).absolute()))


_KINDS = ("plain", "with_weights")


def _titles(paths: Sequence[str]) -> list[str]:
    """The names of files, with their folders where two are alike."""
    names = [Path(path).name for path in paths]
    return [
        f"{Path(path).parent.name}/{name}" if names.count(name) > 1 else name for path, name in zip(paths, names, strict=True)
    ]
