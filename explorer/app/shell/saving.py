"""Saving the picture that was touched last: the export dialog, and the clipboard; what is set up, as a link."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from explorer.app.shell.clipboard import copy_to_clipboard
from explorer.picture.kinds import Picture
from explorer.state.state_link import link_of

if TYPE_CHECKING:
    from explorer.app.shell.window import Window


class Saving(QObject):
    """Signals: broke(error) for a bug while a file is written."""

    broke = Signal(object)

    def __init__(self, window: "Window") -> None:
        super().__init__(window)
        self._window = window

    def export(self) -> None:
        """Open the export dialog for the picture that was touched last."""
        window = self._window
        card, frame = window.page_stack.main_card(), window.session.frame
        if card is None or card.picture is None or frame is None:
            return
        look = window.session.state.look
        self.save(card.picture, card.in_english(frame.trace, look))

    def save(self, picture: Picture, in_english: Picture | None) -> None:
        """Open the export dialog for a picture of the present answer."""
        window = self._window
        if window.session.frame is None:
            return
        from explorer.app.shell.export_dialog import ExportDialog  # Figures need fontTools, which takes 0.1 s to import.

        trace, look, words = window.session.frame.trace, window.session.state.look, window.appearance.words
        dialog = ExportDialog(trace, look, picture, words, window, numbers=in_english)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.broke.connect(self.broke)
        dialog.open()

    def copy(self) -> None:
        """Put the picture that was touched last onto the clipboard."""
        window = self._window
        card = window.page_stack.main_card()
        if card is not None and card.picture is not None:
            copy_to_clipboard(card.picture, window.appearance)
            window.status.inform(window.appearance.words("status.copied"))

    def copy_link(self) -> None:
        """Put all that is set up onto the clipboard, as a line of text that opens it where it is pasted."""
        window = self._window
        QGuiApplication.clipboard().setText(link_of(window.session.state))
        window.status.inform(window.appearance.words("status.link_copied"))
