"""The list of contents of the manual: parts, chapters and sections; while one searches, those where something was found."""

from itertools import groupby

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from explorer.manual.chapter import Chapter
from explorer.manual.search import Hit

_WIDTH_PX = 250
_PLACE = Qt.ItemDataRole.UserRole


class ManualContents(QTreeWidget):
    """Signals: chosen(chapter's name, section's anchor)."""

    chosen = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.setHeaderHidden(True)
        self.setMinimumWidth(_WIDTH_PX)
        self.setIndentation(14)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.currentItemChanged.connect(self._choose)

    def offer(self, chapters: tuple[Chapter, ...]) -> None:
        """All chapters, with their sections folded away."""
        with QSignalBlocker(self):
            self.clear()
            for part, group in groupby(chapters, key=lambda chapter: chapter.part):
                heading = self._heading(part)
                for chapter in group:
                    item = _item(chapter.title, chapter.name, "")
                    heading.addChild(item)
                    for section in chapter.sections:
                        if section.title:
                            item.addChild(_item(section.title, chapter.name, section.anchor))
                heading.setExpanded(True)

    def offer_hits(self, hits: tuple[Hit, ...]) -> None:
        """The chapters and sections in which something was found, with the number of places."""
        with QSignalBlocker(self):
            self.clear()
            for title, group in groupby(hits, key=lambda hit: hit.chapter.title):
                found = tuple(group)
                count = sum(hit.count for hit in found)
                item = _item(_counted(title, count), found[0].chapter.name, found[0].section.anchor)
                self.addTopLevelItem(item)
                for hit in found:
                    if hit.section.title:
                        item.addChild(_item(_counted(hit.section.title, hit.count), hit.chapter.name, hit.section.anchor))
                item.setExpanded(True)

    def show_place(self, name: str, anchor: str) -> None:
        """Mark where the reader is, without choosing it."""
        items = self.findItems("*", Qt.MatchFlag.MatchWildcard | Qt.MatchFlag.MatchRecursive)
        places = [item for item in items if item.data(0, _PLACE) and item.data(0, _PLACE)[0] == name]
        exact = [item for item in places if item.data(0, _PLACE)[1] == anchor]
        with QSignalBlocker(self):
            for item in (exact or places)[:1]:
                self.setCurrentItem(item)

    def _heading(self, title: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([title])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        font = item.font(0)
        font.setBold(True)
        item.setFont(0, font)
        self.addTopLevelItem(item)
        return item

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        place = None if item is None else item.data(0, _PLACE)
        if place:
            self.chosen.emit(*place)


def _counted(title: str, count: int) -> str:
    """A title with its number of places; what is only called so has none."""
    return f"{title}  {count}" if count else title


def _item(title: str, name: str, anchor: str) -> QTreeWidgetItem:
    item = QTreeWidgetItem([title])
    item.setToolTip(0, title)
    item.setData(0, _PLACE, (name, anchor))
    return item
