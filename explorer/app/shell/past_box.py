"""The list of the last States: when each was set up, what changed, its sentence; to go back to one, or compare with it."""

import time
from collections.abc import Iterator

import attrs
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from explorer.app.session.history import MOST_PAST, Past
from explorer.lang import Words
from explorer.picture.card_text import knob_value
from explorer.picture.change_text import listed
from explorer.state.comparing_intents import CompareWithPast, GoBackTo
from explorer.state.wish import Wish
from explorer.trace.changes import Change
from explorer.views.controls.layouts import filled

_WIDE_PX, _AROUND_PX, _ROW_PX = 600, 118, 25  # the box: its width, the height around its rows, and of each row
_LEAST_ROWS = 6
_EDGE_PX = 24  # between the box and the edges of its window
_MARK, _WHEN, _WHAT, _TEXT = range(4)
_WIDTHS_PX = {_MARK: 28, _WHEN: 76, _WHAT: 250}


class PastBox(QDialog):
    """Stands beside the work and follows it. The present State is marked, and bold.

    Signals: wished(Intent); opened(bool) when it is shown or closed.
    """

    wished = Signal(object)
    opened = Signal(bool)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._entries: tuple[Past, ...] = ()
        self._now: Wish | None = None
        self._words: Words | None = None
        self.list = QTreeWidget()
        self.list.setColumnCount(4)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAllColumnsShowFocus(True)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.header().setMinimumSectionSize(_WIDTHS_PX[_MARK])
        self.list.header().setSectionResizeMode(_TEXT, QHeaderView.ResizeMode.Stretch)
        for column, wide in _WIDTHS_PX.items():
            self.list.setColumnWidth(column, wide)
        self.list.itemActivated.connect(self._go_back)
        self.list.currentItemChanged.connect(self._offer)
        self.go, self.compare, self.note = QPushButton(), QPushButton(), QLabel()
        self.note.setObjectName("faint")
        self.go.clicked.connect(self._go_back)
        self.compare.clicked.connect(self._compare)
        for button in (self.go, self.compare):
            button.setAutoDefault(False)  # Enter in the list goes back to what is chosen there.
        buttons = filled(QHBoxLayout(), (self.note, 1), self.compare, self.go)
        filled(QVBoxLayout(self), (self.list, 1), buttons)

    def put(self, entries: tuple[Past, ...], now: Wish) -> None:
        """Take the last States, newest first, and the Wish of the present one."""
        same = entries == self._entries and now == self._now
        self._entries, self._now = entries, now
        if not same and self.isVisible():
            self._list()

    def speak(self, words: Words) -> None:
        self._words = words
        self.setWindowTitle(words("action.past"))
        self.list.setAccessibleName(words("action.past"))
        self.list.setHeaderLabels(["", *(words(f"past.column.{name}") for name in ("when", "what", "text"))])
        self.go.setText(words("past.go_back"))
        self.compare.setText(words("past.compare"))
        self.note.setText(words("past.note", most=MOST_PAST))
        self._list()

    def show_or_hide(self, on: bool) -> None:
        """Show it at the right edge of the window, or close it."""
        if not on:
            self.close()
            return
        room = self._window.frameGeometry()
        high = _AROUND_PX + _ROW_PX * max(_LEAST_ROWS, len(self._entries))
        self.resize(min(_WIDE_PX, room.width() - 2 * _EDGE_PX), min(high, room.height() - 2 * _EDGE_PX))
        self.move(room.right() - self.width() - _EDGE_PX, room.bottom() - self.height() - 2 * _EDGE_PX)
        self._list()
        self.show()
        self.list.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.opened.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.opened.emit(False)

    def _list(self) -> None:
        if self._words is None:
            return
        chosen = self._chosen()
        self.list.clear()
        for entry in self._entries:
            item = QTreeWidgetItem(self._told(entry))
            item.setData(_WHEN, Qt.ItemDataRole.UserRole, entry)
            for column in range(4):
                item.setToolTip(column, "\n".join(filter(None, (item.text(_WHAT), entry.state.wish.text))))
            if entry.state.wish == self._now:
                font = item.font(_WHAT)
                font.setBold(True)
                for column in (_WHEN, _WHAT, _TEXT):
                    item.setFont(column, font)
            self.list.addTopLevelItem(item)
            if chosen is not None and entry.state.wish == chosen.state.wish:
                self.list.setCurrentItem(item)
        first = self.list.topLevelItem(1) or self.list.topLevelItem(0)  # The newest one is mostly the present State.
        if self.list.currentItem() is None and first is not None:
            self.list.setCurrentItem(first)
        self._offer()

    def _told(self, entry: Past) -> list[str]:
        assert self._words is not None  # The caller has checked.
        wish = entry.state.wish
        when = time.strftime("%H:%M:%S", time.localtime(entry.at_s))
        mark = self._words("past.now") if wish == self._now else ""
        return [mark, when, told_step(entry.before, wish, self._words), " ".join(wish.text.split())]

    def _chosen(self) -> Past | None:
        item = self.list.currentItem()
        entry: Past | None = None if item is None else item.data(_WHEN, Qt.ItemDataRole.UserRole)
        return entry

    def _offer(self) -> None:
        """The present State is neither gone back to nor compared with itself."""
        chosen = self._chosen()
        for button in (self.go, self.compare):
            button.setEnabled(chosen is not None and chosen.state.wish != self._now)

    def _go_back(self) -> None:
        chosen = self._chosen()
        if chosen is not None and chosen.state.wish != self._now:
            self.wished.emit(GoBackTo(chosen.state.wish))

    def _compare(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.wished.emit(CompareWithPast(chosen.state.wish))


_MOST = 3  # differences that are named one by one
_NAMED = {field.name for field in attrs.fields(Wish)} - {"config", "changes", "preset", "trained", "compared_with"}


def told_step(before: Wish | None, wish: Wish, words: Words) -> str:
    """What differs between two Wishes; of the first one there is nothing before it."""
    if before is None:
        return words("past.first")
    told = list(_differences(before, wish, words))
    if len(told) > _MOST:
        told[_MOST:] = [words("past.more", count=len(told) - _MOST)]
    return " · ".join(told) or words("past.same")


def _differences(before: Wish, wish: Wish, words: Words) -> Iterator[str]:
    if wish.preset != before.preset:
        title = f"preset.{wish.preset}.title"
        yield words("past.preset", preset=words(title) if title in words else wish.title)
    else:
        yield from _knobs(before, wish, words)
    if wish.trained != before.trained:
        yield f"{words('weights.title')}: {words('weights.trained' if wish.trained else 'weights.random')}"
    fields = (name for name in attrs.fields_dict(Wish) if name in _NAMED and getattr(wish, name) != getattr(before, name))
    yield from dict.fromkeys(words(f"past.field.{name}") for name in fields)
    yield from _changes(before, wish, words)
    if wish.compared_with != before.compared_with:
        yield words("past.compared" if wish.compared_with is not None else "past.alone")


def _knobs(before: Wish, wish: Wish, words: Words) -> Iterator[str]:
    """Each knob that was turned, with its value then and now."""
    then = before.config.values()
    for name, value in wish.config.values().items():
        if value != then[name]:
            yield f"{words(f'knob.{name}.name')} {knob_value(name, then[name], words)} → {knob_value(name, value, words)}"


def _changes(before: Wish, wish: Wish, words: Words) -> Iterator[str]:
    """The changes inside the pass that are made now or no more, in the order of the list."""

    def names(of: Wish, without: tuple[Change, ...]) -> Iterator[str]:
        only = tuple(change for change in of.active if change not in without)
        return (row.name for row in listed(only, of.config.n_heads, None, words))

    made = [f"+ {name}" for name in names(wish, before.active)] + [f"− {name}" for name in names(before, wish.active)]
    if not made and wish.changes != before.changes:
        made = [words("past.list")]
    yield from made
