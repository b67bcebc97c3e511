"""The line above a card's view: title, formula and shape, what a page adds to them, and the buttons of the card."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from explorer.app.pages.layouts import let_go_of_items
from explorer.lang import Words
from explorer.picture.cell_text import told_origin
from explorer.picture.kinds import Caption
from explorer.picture.picture import told_pass
from explorer.views.controls.fitting_labels import TitleLabel
from explorer.views.controls.layouts import filled, members_of

_LEAST_TITLE_PX = 110  # px, one or two words in a line


class TitleLine(QVBoxLayout):
    """One line, or two where the buttons of a page have no room beside the title.

    A page puts its buttons into `bar`, behind title and formula. `open` goes to the page about the picture, where there is
    one; `larger` and `smaller` give the card all the room of its page, and none.
    """

    def __init__(self, *, opens: bool) -> None:
        super().__init__()
        self._words: Words | None = None
        self._enlarged = self._last = False  # whether the card has all the room, and whether it is the only one in sight
        self.title = TitleLabel()
        self.title.setObjectName("title")
        if opens:
            self.title.setCursor(Qt.CursorShape.PointingHandCursor)
        self.formula, self.shape, self.badge = QLabel(), QLabel(), QLabel()
        self.formula.setObjectName("formula")
        self.formula.setTextFormat(Qt.TextFormat.RichText)
        self.shape.setObjectName("shape")
        self.badge.setObjectName("badge")
        self.badge.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.badge.hide()
        self.note = QLabel()
        self.note.setObjectName("faint")
        self.note.hide()
        self.open, self.smaller, self.larger = _button("↗"), _button("−"), _button("□")
        if not opens:
            self.open.hide()  # To show it here would open a window, since it has no parent yet.
        self.smaller.hide()
        self._own = (self.title, self.formula, self.note, self.shape, self.badge, self.open, self.smaller, self.larger)
        self.bar, self._second_bar = QHBoxLayout(), QHBoxLayout()
        self._lay_out()

    def _lay_out(self) -> None:
        self.bar.setSpacing(8)
        self.bar.addWidget(self.title)
        self.bar.addWidget(self.formula)
        self.bar.addWidget(self.note)
        self.bar.addStretch(1)
        for widget in (self.shape, self.badge, self.open):
            self.bar.addWidget(widget)
        sizes = filled(QHBoxLayout(), self.smaller, self.larger, gap_px=0)
        self.bar.addLayout(sizes)
        self._second_bar.setSpacing(8)
        self._second_bar.addStretch(1)
        self.setSpacing(4)
        self.addLayout(self.bar)
        self.addLayout(self._second_bar)
        let_go_of_items(self)

    def tell(self, caption: Caption, words: Words) -> None:
        """Say what a picture is."""
        self._words = words
        self.title.setText(caption.title)
        self.formula.setText(caption.formula)
        self.shape.setText(caption.shape)
        origin = escape(told_origin(caption, words)).replace("\n", "<br>")
        self.title.setToolTip(f"<b>{escape(caption.title)}</b><br>{caption.formula}<br>{caption.tap} {caption.shape}{origin}")
        self._tell_badge(caption, words)
        self._name(self.open, words("action.open"))
        self._name_sizes()

    def clear(self, title: str) -> None:
        """Leave the title alone, of a card without a picture."""
        self.title.setText(title)
        self.note.setText("")
        self.formula.setText("")
        self.shape.setText("")
        self.badge.hide()

    def set_enlarged(self, enlarged: bool) -> None:
        """Offer to be put back, or to be enlarged."""
        self._enlarged = enlarged
        self.larger.setText("×" if enlarged else "□")
        self.smaller.setVisible(not enlarged)
        self._name_sizes()

    def offer_hiding(self, *, there: bool, last: bool) -> None:
        """Offer to hide the card; the last one in sight says why it stays."""
        there = there and not self._enlarged
        if self.smaller.isHidden() == there:
            self.smaller.setVisible(there)
        if last != self._last:
            self._last = last
            self.smaller.setEnabled(not last)
            self._name_sizes()

    def fit(self, room_px: int, *, bare: bool) -> None:
        """Fit the line into a width (px). What room is left goes to the note, to the shape and then to the formula; the tooltip
        has the last two.

        Where the buttons of a page have none, they go into a second line, then the badge does, and at last the title breaks:
        nothing is cut. A bare card has none of the three.
        """
        title = self.title.one_line_px()
        gap = self.bar.spacing()
        opens = sum(_wide_px(each) + gap for each in (self.open, self.smaller, self.larger) if not each.isHidden())
        controls = self._controls()
        badge = 0 if self.badge.isHidden() else _wide_px(self.badge) + gap
        taken = sum(_wide_px(each) + gap for each in controls if not each.isHidden())
        second = taken > 0 and title + opens + badge + taken > room_px
        self._place_controls(controls, second=second)
        used = title + opens + (0 if second else taken)
        below = used + badge > room_px
        self._place_badge(below=below)
        used += 0 if below else badge
        self.title.fit(room_px - (used - title))
        for label in (self.note, self.shape, self.formula):
            needed = _wide_px(label) + gap
            fits = bool(label.text()) and used + needed <= room_px and not bare
            label.setVisible(fits)
            used += needed if fits else 0

    def least_px(self) -> int:
        """The width (px) that is enough for title, buttons and badge in lines of their own; it does not depend on what is
        shown at the present width.
        """
        gap = self.bar.spacing()
        own = [self.open, self.smaller, self.larger]
        below = [*self._controls(), self.badge]
        lines = [[_wide_px(each) + gap for each in line if not each.isHidden()] for line in (own, below)]
        return max(_LEAST_TITLE_PX + sum(lines[0]), sum(lines[1]))

    def _controls(self) -> list[QWidget]:
        """The buttons that a page has put into the line, wherever they stand now."""
        found = [each for bar in (self.bar, self._second_bar) for each in members_of(bar).values()]
        return [each for each in found if isinstance(each, QWidget) and each not in self._own]

    def _place_controls(self, controls: list[QWidget], *, second: bool) -> None:
        """Put the buttons into the second line, or back behind title and formula."""
        here, there = (self.bar, self._second_bar) if second else (self._second_bar, self.bar)
        for place, each in enumerate(controls):
            if here.indexOf(each) >= 0:
                here.removeWidget(each)
                there.insertWidget(place if second else 2 + place, each)

    def _place_badge(self, *, below: bool) -> None:
        """Put the badge at the end of the second line, or back in front of the buttons."""
        here, there = (self.bar, self._second_bar) if below else (self._second_bar, self.bar)
        if here.indexOf(self.badge) >= 0:
            here.removeWidget(self.badge)
            there.insertWidget(there.count() if below else there.indexOf(self.open), self.badge)

    def _tell_badge(self, caption: Caption, words: Words) -> None:
        """Say of which kind the pass was, if it was not a usual one of this program."""
        told = told_pass(caption, words)
        self.badge.setText(" · ".join(told))
        self.badge.setToolTip("\n".join(told.values()))
        self.badge.setVisible(bool(told))

    def _name_sizes(self) -> None:
        if self._words is not None:
            self._name(self.larger, self._words("action.put_back" if self._enlarged else "action.enlarge"))
            self._name(self.smaller, self._words("hidden.last" if self._last else "hidden.hide"))

    def _name(self, button: QToolButton, told: str) -> None:
        button.setToolTip(told)
        button.setAccessibleName(f"{told}: {self.title.text()}")


def _wide_px(widget: QWidget) -> int:
    """The width (px) that a widget takes in a line, also of one whose width is fixed."""
    return widget.sizeHint().expandedTo(widget.minimumSize()).boundedTo(widget.maximumSize()).width()


def _button(sign: str) -> QToolButton:
    """A small button of a card. By keyboard, Enter in the view opens the page."""
    button = QToolButton()
    button.setObjectName("small")
    button.setText(sign)
    button.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
    return button
