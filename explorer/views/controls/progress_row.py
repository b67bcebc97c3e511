"""A thin bar that shows how far long work is, and a button at its right that cancels it or begins it again."""

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from explorer.views.controls.layouts import filled

_SHARES = 1000  # steps of the bar


class ProgressRow(QWidget):
    """Hidden until somebody shows it. While nothing goes on, the button stands alone."""

    def __init__(self) -> None:
        super().__init__()
        self.progress, self.button = QProgressBar(), QPushButton()
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(4)
        self.progress.setMaximum(_SHARES)
        kept = self.progress.sizePolicy()
        kept.setRetainSizeWhenHidden(True)  # The button stays at the right.
        self.progress.setSizePolicy(kept)
        filled(QHBoxLayout(self), (self.progress, 1), self.button, gap_px=8, margins_px=(8, 0, 8, 0))
        self.hide()

    def tell(self, done: int, n: int, *, going: bool) -> None:
        """Show that `done` of `n` pieces are done; without `going` the bar is not seen."""
        self.progress.setVisible(going)
        self.progress.setValue(_SHARES * done // max(n, 1))
