"""What stands above the pages: the tabs of their place with the choices of the page in front, where one is in the model, the
changes, and a word about odd masks.

It is never out of date, since it shows what is wished for.
"""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from explorer import page_list
from explorer.app.pages.page import Page
from explorer.config import find_knob
from explorer.lang import Words
from explorer.picture.change_text import listed
from explorer.presets import load_preset
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.architecture import Architecture, architecture_of
from explorer.trace.own_card import card_of
from explorer.trace.trace import Trace
from explorer.views.controls.architecture_strip import ArchitectureStrip
from explorer.views.controls.change_strip import ChangeStrip
from explorer.views.controls.layouts import filled
from explorer.views.controls.page_tabs import PageTabs

_OF_THE_MODEL = ("overview", "inside")  # the places whose pages are parts of the model, to which the strip leads
_PATIENCE_MS = 150  # ms; an answer that is there sooner is drawn at once with the strip of its changes


class AbovePages(QWidget):
    """The `tabs` of a place, the architecture `strip`, the strip of `changes` and the `notice` of masks.

    Signals: wished(Intent), pointed(Pointed).
    """

    wished = Signal(object)
    pointed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.tabs, self.strip, self.changes, self.notice = PageTabs(), ArchitectureStrip(), ChangeStrip(), MaskNotice()
        self.tabs.wished.connect(self.wished)
        self.strip.wished.connect(self.wished)
        self.strip.pointed.connect(self.pointed)
        self.changes.wished.connect(self.wished)
        self._late = QTimer(self, interval=_PATIENCE_MS, singleShot=True)
        self._late.timeout.connect(self._show_changes)
        self._wish: Wish | None = None
        self._words: Words | None = None
        self._trace: Trace | None = None
        self._look: Look | None = None
        self.where = QWidget()  # tabs and strip
        filled(QVBoxLayout(self.where), self.tabs, self.strip, gap_px=0, margins_px=(0, 0, 0, 0))
        filled(QVBoxLayout(self), self.where, self.changes, self.notice, gap_px=0, margins_px=(0, 0, 0, 0))

    def go(self, page: Page) -> None:
        """Show where the page in front has its columns."""
        self.tabs.put_page(page.key)
        self.tabs.put_choices(page.choices_above)
        self.strip.setVisible(page_list.place_of(page.key) in _OF_THE_MODEL)
        self.strip.put_page(page.key)
        self.strip.place(page.spans)
        self.notice.attend(page.shows_masks)

    def put(self, wish: Wish) -> None:
        """Show the model and the changes of a Wish, before there is an answer."""
        self._wish = wish
        self._show_where()
        if bool(wish.changes) == self.changes.isHidden():
            # The strip comes or goes with the answer: everything below it would be laid out and painted twice.
            self._late.start()
        else:
            self._show_changes()
        self.notice.put(wish)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        """Show where the Look is in the model of an answer, and the changes with the answer's tokens."""
        self._trace, self._look, self._words = trace, look, words
        self._show_where()
        self._show_changes()

    def speak(self, words: Words) -> None:
        self._words = words
        self.tabs.speak(words)
        self._show_where()
        self._show_changes()
        self.notice.speak(words)

    def _show_where(self) -> None:
        """Show the model that is wished for, and where the Look is in it once there is an answer."""
        if self._words is None or self._wish is None:
            return
        architecture = self._architecture(self._wish)
        if architecture is not None:
            self.strip.draw(architecture, self._look, self._words)

    def _show_changes(self) -> None:
        self._late.stop()
        if self._words is not None and self._wish is not None:
            self.changes.put(listed(self._wish.changes, self._wish.config.n_heads, self._trace, self._words), self._words)

    def _architecture(self, wish: Wish) -> Architecture | None:
        """The parts of the model that is wished for; those of a foreign one are known when it has answered."""
        if not wish.foreign:
            return architecture_of(card_of(wish.config), wish.config)
        if self._trace is not None and self._trace.recorded_by:
            return architecture_of(self._trace.card, self._trace.config)
        return None if self._trace is None or self._trace.config is not None else architecture_of(self._trace.card)


class MaskNotice(QLabel):
    """Visible while the page in front shows masks and the preset's own reading of masks is an unusual one."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("notice")
        self.setWordWrap(True)
        self._attends = False
        self._odd: tuple[str, str] | None = None  # preset and reading
        self._words: Words | None = None
        self.hide()

    def attend(self, shows_masks: bool) -> None:
        """Take whether the page in front shows masks."""
        self._attends = shows_masks
        self._tell()

    def put(self, wish: Wish) -> None:
        odd = odd_masking(wish)
        if odd != self._odd:
            self._odd = odd
            self._tell()

    def speak(self, words: Words) -> None:
        self._words = words
        self._tell()

    def _tell(self) -> None:
        if self._odd is not None and self._words is not None:
            preset, reading = self._odd
            words = self._words
            self.setText(
                words(
                    "mask.tutorials_own",
                    preset=words(f"preset.{preset}.title"),
                    knob=words("knob.masking.name"),
                    reading=words(f"choice.masking.{reading}"),
                    usual=words(f"choice.masking.{find_knob('masking').default}"),
                )
            )
        self.setVisible(self._attends and self._odd is not None)


def odd_masking(wish: Wish) -> tuple[str, str] | None:
    """The preset and its reading of masks, if this is unusual and the knob was not turned; otherwise None."""
    own = load_preset(wish.preset).config.masking
    odd = own != find_knob("masking").default and wish.config.masking == own
    return (wish.preset, own) if odd and not wish.has_trained else None
