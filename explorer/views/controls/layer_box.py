"""A box that chooses a layer."""

from PySide6.QtCore import QSignalBlocker, Signal

from explorer.lang import Words
from explorer.views.controls.choice_box import ChoiceBox


class LayerBox(ChoiceBox):
    """Signals: chose(layer) when the user chooses one."""

    chose = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.currentIndexChanged.connect(self.chose)

    def offer(self, n_layers: int, chosen: int, words: Words) -> None:
        """Show so many layers without a signal."""
        names = [words("picture.layer", layer=layer) for layer in range(n_layers)]
        with QSignalBlocker(self):
            if names != [self.itemText(place) for place in range(self.count())]:
                self.clear()
                self.addItems(names)
            self.setCurrentIndex(chosen)
        self.setAccessibleName(words("axis.layer"))
