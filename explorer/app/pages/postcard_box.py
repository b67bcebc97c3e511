"""A Postcard before it is saved, as it will be in the file."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from explorer.lang import Words
from explorer.picture.causal_kinds import Postcard
from explorer.picture.theme import Theme
from explorer.views.pictures.postcard import PostcardView

_VIEW_PX = (780, 410)  # 1200 × 630, smaller


class PostcardBox(QDialog):
    """Signals: saves() when somebody wants a file of it."""

    saves = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.view, self.about = PostcardView(), QLabel()
        self.about.setObjectName("faint")
        self.about.setWordWrap(True)
        self.to_file, self.leave = QPushButton(), QPushButton()
        self.to_file.setDefault(True)
        self.to_file.clicked.connect(self.saves)
        self.leave.clicked.connect(self.reject)
        self.view.setFixedSize(*_VIEW_PX)
        foot, column = QHBoxLayout(), QVBoxLayout(self)
        foot.addWidget(self.about, 1)
        foot.addWidget(self.leave)
        foot.addWidget(self.to_file)
        column.addWidget(self.view)
        column.addLayout(foot)

    def put(self, picture: Postcard, theme: Theme, words: Words) -> None:
        """Show a Postcard."""
        self.setWindowTitle(picture.caption.title)
        self.view.set_theme(theme)
        self.view.draw(picture, words)
        self.about.setText(words("postcard.save_about"))
        self.to_file.setText(words("postcard.to_file"))
        self.leave.setText(words("export.close"))
