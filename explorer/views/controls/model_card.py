"""The model's card, in a box below the button that opens it."""

from html import escape

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.card_text import absent_rows, card_rows
from explorer.trace.model_card import ModelCard
from explorer.views.controls.layouts import filled

_WIDE_PX, _MARGIN_PX = 400, 14


class ModelCardBox(QFrame):
    """What the model is, and which taps it lacks and why. A click beside it, or Escape, closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("card")
        self.title, self.about, self.absent = QLabel(), QLabel(), QLabel()
        self.title.setObjectName("title")
        inside = QWidget()
        within = QVBoxLayout(inside)
        within.setContentsMargins(_MARGIN_PX, _MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        within.setSpacing(10)
        for label in (self.title, self.about, self.absent):
            label.setTextFormat(Qt.TextFormat.RichText)  # By itself it takes a name with an & for plain text.
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            within.addWidget(label)
        within.addStretch(1)
        self._inside, self._area = inside, QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(inside)
        filled(QVBoxLayout(self), self._area, margins_px=(1, 1, 1, 1))

    def tell(self, card: ModelCard, title: str, words: Words) -> None:
        """Write down a card; `title` is what the user calls the model."""
        self.setAccessibleName(words("card.title"))
        self.title.setText(escape(title))
        self.about.setText(_table(card_rows(card, words)))
        rows = absent_rows(card, words)
        told = (f"{escape(reason)}<br><small>{escape(', '.join(taps))}</small>" for reason, taps in rows)
        self.absent.setText(f"<b>{escape(words('card.absent'))}</b><p>{'</p><p>'.join(told)}</p>" if rows else "")
        self.absent.setVisible(bool(rows))

    def open_below(self, button: QWidget) -> None:
        """Show the box below a button, as high as its text but inside the window."""
        window = button.window()
        at = button.mapTo(window, QPoint(0, button.height() + 2))
        wide = min(_WIDE_PX, window.width() - at.x() - 8)
        self._inside.setMaximumWidth(wide - 2)
        high = self._inside.layout().heightForWidth(wide - 2)  # type: ignore[union-attr]  # It has a layout.
        self.resize(wide, min(high + _MARGIN_PX, window.height() - at.y() - 8))
        self.move(window.mapToGlobal(at))
        self.show()


def _table(rows: tuple[tuple[str, str], ...]) -> str:
    """A table in HTML: names at the left, values behind them."""
    cells = (f"<tr><td>{escape(name)}&nbsp;&nbsp;&nbsp;</td><td><b>{escape(value)}</b></td></tr>" for name, value in rows)
    return f"<table cellspacing='0' cellpadding='2'>{''.join(cells)}</table>"
