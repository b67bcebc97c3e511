"""A title that breaks into lines where it has no room; it is never cut."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

_LEAST_PX = 24


class TitleLabel(QLabel):
    """A label of one line, or of as many as its text needs in the width that `fit` was told."""

    def __init__(self) -> None:
        super().__init__()
        self._wide_px = 0
        self.setTextFormat(Qt.TextFormat.PlainText)  # A title may quote a token such as <eos>.
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def one_line_px(self) -> int:
        """The width of the whole title in one line."""
        self.ensurePolished()
        return self.fontMetrics().horizontalAdvance(self.text()) + 2

    def fit(self, wide_px: int) -> None:
        """Take one line if this width (px) is enough, otherwise several."""
        wide_px = 0 if wide_px >= self.one_line_px() else max(_LEAST_PX, wide_px)
        if wide_px != self._wide_px:
            self._wide_px = wide_px
            self.setWordWrap(wide_px > 0)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        if self._wide_px:
            return QSize(self._wide_px, self.heightForWidth(self._wide_px))
        return QSize(self.one_line_px(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_PX, self.sizeHint().height())
