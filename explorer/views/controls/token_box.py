"""A box that chooses a token of a side."""

from PySide6.QtCore import QSignalBlocker, Signal

from explorer.lang import Words
from explorer.views.controls.choice_box import ChoiceBox


class TokenBox(ChoiceBox):
    """Signals: chose(position) when the user chooses one."""

    chose = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.currentIndexChanged.connect(self.chose)

    def offer(self, texts: tuple[str, ...], chosen: int, words: Words) -> None:
        """Show these tokens without a signal; the box is hidden where there are none."""
        names = [f"{place} {text}" for place, text in enumerate(texts)]
        with QSignalBlocker(self):
            if names != [self.itemText(place) for place in range(self.count())]:
                self.clear()
                self.addItems(names)
            self.setCurrentIndex(chosen)
        self.setVisible(bool(names))
        self.setAccessibleName(words("vectors.token"))
