"""Saving the picture that was touched last: the export dialog, and the clipboard; what is set up, as a link."""

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from explorer.app.pages.arranging import arranged, shown_cards
from explorer.app.shell.clipboard import copy_to_clipboard
from explorer.picture.kinds import Picture
from explorer.state.state_link import link_of

if TYPE_CHECKING:
    from explorer.app.shell.print_form import PrintForm
    from explorer.app.shell.window import Window


class Saving(QObject):
    """Signals: broke(error) for a bug while a file is written; remembered() when `memory` has changed.

    `memory` is how figures are set, to be kept between starts.
    """

    broke = Signal(object)
    remembered = Signal()

    def __init__(self, window: "Window") -> None:
        super().__init__(window)
        self._window = window
        self.memory = ""

    def export(self) -> None:
        """Open the export dialog for the page, with the picture that was touched last chosen first."""
        window = self._window
        main, frame = window.page_stack.main_card(), window.session.frame
        if main is None or main.picture is None or frame is None:
            return
        from explorer.app.shell.export_contents import Offered

        trace, look, page = frame.trace, window.session.state.look, window.page_stack.page
        cards = [card for card in shown_cards(page) if card is not main]
        pictures = ((card.picture, partial(card.in_english, trace, look)) for card in cards)
        others = tuple(Offered(picture, in_english) for picture, in_english in pictures if picture is not None)
        name = window.appearance.words(f"page.{page.key}")
        self._open(main.picture, main.in_english(trace, look), others=others, several=arranged(page), page=name)

    def save(self, picture: Picture, in_english: Picture | None) -> None:
        """Open the export dialog for a picture of the present answer."""
        self._open(picture, in_english)

    def _open(self, picture: Picture, in_english: Picture | None, **more: Any) -> None:
        window = self._window
        if window.session.frame is None:
            return
        from explorer.app.shell.export_dialog import ExportDialog  # Figures need fontTools, which takes 0.1 s to import.

        trace, look, words = window.session.frame.trace, window.session.state.look, window.appearance.words
        dialog = ExportDialog(trace, look, picture, words, window, numbers=in_english, memory=self.memory, **more)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.broke.connect(self.broke)
        dialog.print_form.changed.connect(partial(self._keep, dialog.print_form))
        dialog.open()

    def _keep(self, form: "PrintForm") -> None:
        self.memory = form.memory
        self.remembered.emit()

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
