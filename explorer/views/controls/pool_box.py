"""A box that chooses one head, or what stands for several."""

from PySide6.QtCore import QSignalBlocker, Signal

from explorer.lang import Words
from explorer.views.controls.choice_box import ChoiceBox


class PoolBox(ChoiceBox):
    """Signals: chose(key of `state.look.ALIGNED`) when the user chooses one."""

    chose = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._keys: tuple[str, ...] = ()
        self.currentIndexChanged.connect(self._chosen)

    def offer(self, keys: tuple[str, ...], chosen: str, words: Words) -> None:
        """Show these choices without a signal."""
        names = [words(f"aligned.{key}") for key in keys]
        with QSignalBlocker(self):
            if names != [self.itemText(place) for place in range(self.count())]:
                self.clear()
                self.addItems(names)
            self._keys = keys
            self.setCurrentIndex(keys.index(chosen))
        self.setAccessibleName(words("heads.pooled"))
        self.setToolTip(words("heads.pooled"))

    def _chosen(self, place: int) -> None:
        if place >= 0:
            self.chose.emit(self._keys[place])
