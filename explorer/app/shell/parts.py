"""The parts of the main window: what it is made of, and where each part stands.

They know nothing of each other: `window.py` connects them, `commands.py` gives them the actions of menus and keys, and
`listener.py` hands them what the session sends.
"""

from collections.abc import Callable

from PySide6.QtCore import QByteArray, Signal
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from explorer.app.appearance import Appearance
from explorer.app.lessons.lesson_panel import LessonPanel
from explorer.app.lessons.step_opener import StepOpener
from explorer.app.pages.page_stack import PageStack
from explorer.app.session.session import Session
from explorer.app.shell.actions import make_actions
from explorer.app.shell.files_window import FilesWindow
from explorer.app.shell.folders import Folders
from explorer.app.shell.header import HeaderBar
from explorer.app.shell.help import Help
from explorer.app.shell.keyboard import Areas
from explorer.app.shell.notices import Notices
from explorer.app.shell.open_box import OpenBox
from explorer.app.shell.opener import Opener
from explorer.app.shell.panels import Panels
from explorer.app.shell.past_box import PastBox
from explorer.app.shell.presenter import Presenter
from explorer.app.shell.saving import Saving
from explorer.app.shell.scans import Scans
from explorer.app.shell.sentences import Sentences
from explorer.app.shell.session_menu import SessionMenu
from explorer.app.shell.shortcuts import Shortcuts
from explorer.app.shell.side import Drawer, SidePanel
from explorer.app.shell.status import Status
from explorer.on_disk.meant import Meant
from explorer.state.intents import OpenPage
from explorer.views.controls.layouts import filled

ROOMY_PX = 640  # px; in a lower window, what stands above the pages would take more than a quarter of the height
_LEAST = (880, 480)  # px; fits a laptop screen of 1366 × 768 at 125 %


class WindowParts(QMainWindow):
    """Signals: seen() once, after the first paint; closing(geometry) before the window closes; broke(error) for a bug."""

    seen = Signal()
    closing = Signal(QByteArray)
    broke = Signal(object)

    def __init__(self, session: Session, appearance: Appearance) -> None:
        super().__init__()
        self.session, self.appearance = session, appearance
        self.header, self.sentences, self.page_stack = HeaderBar(), Sentences(), PageStack()
        self.side, self.status, self.lessons, self.notices = SidePanel(), Status(), LessonPanel(), Notices()
        self.invitation, self.left_open = self.notices.invitation, self.notices.left_open
        self.refusals, self.hanging = self.notices.refusals, self.notices.hanging
        self.knobs, self.weights, self.drawer = self.side.knobs, self.side.weights, Drawer(self.side)
        self.areas = Areas((self.header, self.sentences, self.lessons, self.page_stack, self.drawer, self.status), self)
        self.step_opener = StepOpener(self.lessons, session, self.page_stack, self.knobs, appearance)
        self.actions_ = make_actions(self.menuBar(), self)
        self.shortcuts = Shortcuts(self.actions_, self)
        self.help, self.past = Help(self, appearance, self.shortcuts), PastBox(self)
        self.saving = Saving(self, session, self.page_stack, appearance)
        edits = (self.sentences.source_edit, self.sentences.target_edit)
        beside = (self.header, self.drawer, self.lessons, self.status, self.notices, self.page_stack.above.where)
        self.presenter = Presenter(self, session, edits, self.page_stack, (*beside, *self.sentences.around))
        self.scans, self.folders = Scans(self), Folders(self, self.actions_.menus["recent"])
        self.sessions = SessionMenu(self, self.actions_.menus["recent_sessions"], session, appearance)
        self.open_box, self.files_window = OpenBox(self), FilesWindow(self)
        self.opener = Opener(self._ways_to_open(), self.sessions.start, self)
        self._lay_out()

    def _ways_to_open(self) -> dict[str, Callable[[Meant], None]]:
        """What opens each kind of path."""
        return {
            "session": lambda what: self.sessions.open(what.path),
            "lesson": lambda what: self.step_opener.add(what.path),
            "scan": lambda what: self.scans.open(what.path),
            "recorded": self.folders.take,
            "model": self.folders.take,
            "adapter": self.folders.add,
            "models": lambda what: self.open_box.show_below(what.path),
        }

    def _lay_out(self) -> None:
        self.panels = Panels(self.lessons, self.page_stack, self.drawer)
        self.page_stack.widths.take("window", (self.panels,))
        middle = QWidget()
        filled(
            QVBoxLayout(middle), self.header, self.sentences, self.notices, (self.panels, 1), gap_px=0, margins_px=(0, 0, 0, 0)
        )
        self.setCentralWidget(middle)
        self.setStatusBar(self.status)
        self.setMinimumSize(*_LEAST)

    def go(self, page: str) -> None:
        """Open a page."""
        self.session.ask(OpenPage(page))
