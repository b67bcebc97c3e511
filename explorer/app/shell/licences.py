"""The libraries that the program runs with, and their licences, as a list in which each leads to its texts."""

from html import escape

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtWidgets import QWidget

from explorer.app.shell.looker import Looker
from explorer.app.shell.text_box import TextBox
from explorer.install.notices import Notice, notices
from explorer.lang import Words

THREAD = "licences"
_BACK = "back"


class NoticesReader(Looker):
    """Reads the notices on a thread: they are in a hundred files. Signals: read(tuple of Notice)."""

    read = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.look(notices, THREAD)

    def found(self, what: object) -> None:
        self.read.emit(what)


class LicencesBox(TextBox):
    """A row for each library; its name leads to the texts of its licence, of which each is read by itself."""

    def __init__(self, window: QWidget, words: Words) -> None:
        super().__init__(words("licences.title"), window, words)
        self._words = words
        self.notices: tuple[Notice, ...] = ()
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(self._follow)
        self.tell(html=f"<p>{escape(words('licences.reading'))}</p>")
        self.reader = NoticesReader(self)
        self.reader.read.connect(self._list)
        self.reader.broke.connect(self._break)
        self.reader.refused.connect(self._break)

    def _list(self, found: object) -> None:
        assert isinstance(found, tuple)  # The reader has read them.
        self.notices = found
        self.tell(html=self._all())
        self.move(self._window.geometry().center() - self.rect().center())  # It is larger now.

    def _break(self, error: object) -> None:
        self.tell(html=f"<p>{escape(str(error))}</p>")

    def _all(self) -> str:
        rows = "".join(
            _row(f"<a href='{number}'>{escape(each.name)}</a>", escape(each.version), escape(each.licence))
            for number, each in enumerate(self.notices)
        )
        return f"<p>{escape(self._words('licences.told', count=len(self.notices)))}</p><table cellpadding='3'>{rows}</table>"

    def _follow(self, link: QUrl) -> None:
        """Show a library, "3", or one of its texts, "3/1"; and the list again."""
        where = link.toString()
        if where == _BACK:
            self.text.setHtml(self._all())
            return
        number, _, place = where.partition("/")
        notice = self.notices[int(number)]
        up = _BACK if not place or len(notice.texts) == 1 else number
        head = f"<p><a href='{up}'>{escape(self._words('licences.back'))}</a></p>"
        head += f"<h3>{escape(notice.name)} {escape(notice.version)}</h3>"
        head += f"<p>{escape(notice.licence)}</p>"
        if place or len(notice.texts) == 1:
            name, text = notice.texts[int(place or 0)]
            self.text.setHtml(f"{head}<p><b>{escape(name)}</b></p><pre style='white-space: pre-wrap'>{escape(text)}</pre>")
            return
        links = "".join(f"<p><a href='{number}/{n}'>{escape(name)}</a></p>" for n, (name, _text) in enumerate(notice.texts))
        self.text.setHtml(head + (links or f"<p>{escape(self._words('licences.none'))}</p>"))


def _row(*cells: str) -> str:
    return f"<tr>{''.join(f'<td>{each}</td>' for each in cells)}</tr>"
