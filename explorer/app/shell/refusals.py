"""The line that says what could not be done: a folder or a session that cannot be opened, a file that cannot be written.

One rule for all of them: a sentence stays until somebody closes it, or has something else opened or written that works; the
newest stands in front, and those below come up again. A change that was taken back because it cannot be made is told here
too, until the next step. Any other refusal of an edit stands in the status line, until the next good answer.
"""

import attrs
from PySide6.QtCore import Qt

from explorer.app.session import told
from explorer.app.shell.notice_line import NoticeLine
from explorer.errors import ExplorerError
from explorer.lang import Words
from explorer.state.adapter_intents import OpenAdapter
from explorer.state.intents import OpenFolder, OpenStep, SetPreset
from explorer.state.session_intents import OpenState
from explorer.state.state_link import OpenLink

NOT_KEPT = "session.not_kept"
"""What is told under this key goes on, whatever is opened."""
_OPENING = (SetPreset, OpenFolder, OpenAdapter, OpenState, OpenLink, OpenStep)


@attrs.frozen(eq=False)
class _Refusal:
    error: ExplorerError
    key: str
    of_edit: bool

    def says(self, other: "_Refusal") -> bool:
        """Whether it says the same as the other one."""
        mine, others = ((each.key, type(each.error), each.error.values) for each in (self, other))
        return mine == others


class Refusals(NoticeLine):
    """`tell` shows why something could not be done; `settle` says that something else could, `answered` that it was opened."""

    def __init__(self) -> None:
        super().__init__()
        self.offer_button.hide()
        self.text.setObjectName("warning")
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # It may quote files from strangers.
        self.text.setWordWrap(True)
        self.row.setContentsMargins(12, 3, 8, 3)
        self.row.setStretch(self.row.indexOf(self.text), 1)
        self.row.setStretch(self.row.count() - 2, 0)  # The text takes the room that other lines leave empty.
        self.dismiss.clicked.connect(self._close)
        self._told: list[_Refusal] = []  # the newest last
        self._outlived: list[_Refusal] = []  # those that go if what is being opened can be opened
        self._words: Words | None = None

    def speak(self, words: Words) -> None:
        self._words = words
        for name in (self.dismiss.setToolTip, self.dismiss.setAccessibleName):
            name(words("status.close"))
        self._show()

    def tell(self, error: ExplorerError, key: str = "", *, of_edit: bool = False) -> None:
        """Show its sentence, or the one under `key` that has it as its {reason}. What was told already comes to the front."""
        new = _Refusal(error, key, of_edit)
        self._told = [*(each for each in self._told if not each.says(new)), new]
        self._show()

    def settle(self, key: str = "") -> None:
        """Remove what was told under this key: it holds no more."""
        self._told = [each for each in self._told if each.key != key]
        self._show()

    def follow(self, news: told.Set) -> None:
        """Hear of a step. What could not be opened before matters no more once something else is there, not before."""
        if news.by is None:  # The program itself went back to what was there.
            self._outlived = []
            return
        self._told = [each for each in self._told if each.key == NOT_KEPT or not each.of_edit]
        if isinstance(news.by, _OPENING):
            self._outlived = [each for each in self._told if each.key != NOT_KEPT]
            if news.state.wish == news.before.wish:  # There is nothing to wait for.
                self.answered()
        self._show()

    def answered(self) -> None:
        """Hear that there is an answer to the present wish, and that what was opened last works."""
        self._told = [each for each in self._told if each not in self._outlived]
        self._outlived = []
        self._show()

    def _show(self) -> None:
        if self._told and self._words is not None:
            newest = self._told[-1]
            sentence = self._words.error(newest.error)
            self.text.setText(self._words(newest.key, reason=sentence) if newest.key else sentence)
        self.setVisible(bool(self._told))

    def _close(self) -> None:
        self._told.pop()
        self._show()
