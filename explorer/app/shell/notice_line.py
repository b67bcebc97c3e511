"""One calm line above the pages."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget


class NoticeLine(QWidget):
    """Says something in its `text`, offers one thing, and goes away by ×; hidden until there is something to say."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("notice")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text, self.offer_button, self.dismiss = QLabel(), QPushButton(), QToolButton()
        self.offer_button.setObjectName("slim")
        self.dismiss.setText("×")
        self.row = row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 8, 0)
        row.setSpacing(12)
        row.addWidget(self.text)
        row.addWidget(self.offer_button)
        row.addStretch(1)
        row.addWidget(self.dismiss)
        self.hide()

    def name_dismissal(self, told: str) -> None:
        """Say what × does."""
        self.dismiss.setToolTip(told)
        self.dismiss.setAccessibleName(told)
