"""Saving the picture that was touched last: the export dialog, and the clipboard; what is set up, as a link or as a script."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from explorer.app.pages.arranging import arranged, look_of, shown_cards
from explorer.engine.errand import Brought, PrepareScript
from explorer.engine.request import Frame
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.picture.kinds import Picture
from explorer.state.state_link import link_of
from explorer.state.wish import Wish
from explorer.trace.script_parts import ScriptParts
from explorer.trace.trace import Trace

if TYPE_CHECKING:
    from explorer.app.shell.print_form import PrintForm
from explorer.app.appearance import Appearance
from explorer.app.pages.page_stack import PageStack
from explorer.app.session.session import Session


class Saving(QObject):
    """Signals: broke(error) for a bug while a file is written; brought(Brought) for what was found out for a script;
    remembered() when `memory` has changed; noticed(sentence) for what was copied, with settled(), or refused(error).

    `memory` is how figures are set, to be kept between starts.
    """

    broke, brought, remembered = Signal(object), Signal(object), Signal()
    noticed, settled, refused = Signal(str), Signal(), Signal(object)

    def __init__(self, window: QWidget, session: Session, page_stack: PageStack, appearance: Appearance) -> None:
        super().__init__(window)
        self._window, self._session, self._page_stack, self._appearance = window, session, page_stack, appearance
        self._copying: tuple[PrepareScript, Trace] | None = None  # the errand of a script that shall be copied, and its pass
        self.memory = ""
        session.told.connect(self._hear)

    def export(self) -> None:
        """Open the export dialog for the page, with the picture that was touched last chosen first."""
        main, frame = self._page_stack.main_card(), self._session.frame
        if main is None or main.picture is None or frame is None:
            return
        from explorer.app.shell.export_contents import Offered

        trace, page = frame.trace, self._page_stack.page
        look = look_of(page, trace, self._session.state.look)
        cards = [card for card in shown_cards(page) if card is not main]
        pictures = ((card.picture, partial(card.in_english, trace, look)) for card in cards)
        others = tuple(Offered(picture, in_english) for picture, in_english in pictures if picture is not None)
        name = self._appearance.words(f"page.{page.key}")
        of_page: dict[str, Any] = {"others": others, "several": arranged(page), "page": name, "page_key": page.key}
        self._open(main.picture, partial(main.in_english, trace, look), **of_page)

    def save(self, picture: Picture, in_english: Picture | None) -> None:
        """Open the export dialog for a picture of the present answer."""
        self._open(picture, lambda: in_english)

    def _open(self, picture: Picture, in_english: Callable[[], Picture | None], **more: Any) -> None:
        frame = self._session.frame
        if frame is None:
            return
        from explorer.app.shell.export_dialog import ExportDialog  # Figures need fontTools, which takes 0.1 s to import.

        look = look_of(self._page_stack.page, frame.trace, self._session.state.look)
        words = self._appearance.words
        more["wish"] = None if frame.wish.recorded else _wish_made(frame)
        dialog = ExportDialog(
            frame.trace, look, picture, words, self._window, in_english=in_english, memory=self.memory, **more
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.broke.connect(self.broke)
        dialog.sent.connect(self._session.send)
        self.brought.connect(dialog.bring)
        dialog.print_form.changed.connect(partial(self._keep, dialog.print_form))
        dialog.open()

    def _keep(self, form: "PrintForm") -> None:
        self.memory = form.memory
        self.remembered.emit()

    def copy(self) -> None:
        """Put the picture that was touched last onto the clipboard."""
        card = self._page_stack.main_card()
        if card is not None and card.picture is not None:
            copy_to_clipboard(card.picture, self._appearance)
            self.noticed.emit(self._appearance.words("status.copied"))

    def copy_link(self) -> None:
        """Put all that is set up onto the clipboard, as a line of text that opens it where it is pasted."""
        QGuiApplication.clipboard().setText(link_of(self._session.state))
        self.noticed.emit(self._appearance.words("status.link_copied"))

    def copy_script(self) -> None:
        """Put the pass on screen onto the clipboard as a script, as soon as the compute thread has told its parts."""
        frame = self._session.frame
        if frame is not None:
            errand = PrepareScript(wish=_wish_made(frame))
            self._copying = errand, frame.trace
            self._session.send(errand)

    def _hear(self, value: object) -> None:
        if not isinstance(value, Brought) or not isinstance(value.errand, PrepareScript):
            return
        if self._copying is not None and value.errand is self._copying[0]:
            trace, self._copying = self._copying[1], None
            self._copied(trace, value.found)
        else:
            self.brought.emit(value)

    def _copied(self, trace: Trace, found: object) -> None:
        """Copy the script of a pass, or say why there is none."""
        from explorer.export.pytorch.script import pytorch_script

        words = self._appearance.words
        if not isinstance(found, ScriptParts):
            assert isinstance(found, ExplorerError)  # Nothing else is brought of a script.
            self.refused.emit(found)
            return
        try:
            script = pytorch_script(trace, found, words)
        except ExplorerError as error:
            self.refused.emit(error)
        else:
            self.settled.emit()
            QGuiApplication.clipboard().setText(script)
            self.noticed.emit(_told(found, words))


def _told(parts: ScriptParts, words: Words) -> str:
    """What was copied, and where its weights come from."""
    if parts.foreign is not None:
        return words("status.script_copied", path=parts.foreign.folder)
    return words("status.script_copied_drawn") if parts.weights is None else words("status.script_copied", path=parts.weights)


def _wish_made(frame: Frame) -> Wish:
    """The Wish of an answer, with the changes that were made in it."""
    return attrs.evolve(frame.wish, changes=frame.trace.changes)


def copy_to_clipboard(picture: Picture, appearance: Appearance) -> None:
    """Draw a picture as files have it, in the window's language and theme, and put it onto the clipboard."""
    from explorer.export.raster import image
    from explorer.picture.figure.svg import render  # Figures need fontTools, 0.1 s to import.

    QGuiApplication.clipboard().setImage(image(render(picture, appearance.words, appearance.theme, with_fonts=False)))
