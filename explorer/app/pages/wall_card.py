"""The card with the wall of all heads, the buttons that choose an attention, and the menu of measures for labels and order."""

from html import escape

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton

from explorer.app.pages.card import Card
from explorer.app.pages.page import Page
from explorer.lang import Words
from explorer.picture.makers.attention import head_wall
from explorer.picture.makers.head_measures import offered_measures
from explorer.state.look import Look
from explorer.trace.choices import HEAD_MEASURES
from explorer.trace.trace import Trace
from explorer.views.pictures.head_grid import HeadGridView


class MeasureMenu(QToolButton):
    """A button with a menu of measures. Signals: chose(measure key, "" for none); sorted(order) of `state.look.HEAD_ORDERS`."""

    chose = Signal(str)
    sorted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("segment")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._group = QActionGroup(self)
        self.actions_: dict[str, QAction] = {key: self._entry(key) for key in ("", *HEAD_MEASURES)}
        self._menu.addSeparator()
        self.order = self._menu.addAction("")
        self.order.setCheckable(True)
        self.order.toggled.connect(self._sorted)
        self._group.triggered.connect(self._chosen)
        self.setMenu(self._menu)

    def _entry(self, key: str) -> QAction:
        action = self._menu.addAction("")
        action.setCheckable(True)
        action.setData(key)
        self._group.addAction(action)
        return action

    def offer(self, formulas: dict[str, str], chosen: str, order: str, words: Words) -> None:
        """Show these measures with their formulas, "" for one that means nothing here, and what is chosen."""
        for key, action in self.actions_.items():
            action.setText(words(f"heads.measure.{key}") if key else words("heads.no_label"))
            if key:
                action.setEnabled(bool(formulas[key]))
                action.setToolTip(_about(key, formulas[key], words))
        with QSignalBlocker(self._group), QSignalBlocker(self.order):
            self.actions_[chosen].setChecked(True)
            self.order.setChecked(order == "measure")
        self.order.setText(words("heads.sorted"))
        self.order.setToolTip(words("heads.sorted_hint"))
        self.order.setEnabled(bool(chosen))
        self.setText(f"{words(f'heads.measure.{chosen}') if chosen else words('heads.label')} ▾")
        self.setToolTip(_about(chosen, formulas[chosen], words) if chosen else words("heads.hint"))
        self.setAccessibleName(f"{words('heads.label')} {words(f'heads.measure.{chosen}') if chosen else ''}".strip())

    def _chosen(self, action: QAction) -> None:
        self.chose.emit(action.data())

    def _sorted(self, on: bool) -> None:
        self.sorted.emit("measure" if on else "layers")


def _about(key: str, formula: str, words: Words) -> str:
    """A measure as its tooltip says it: name, formula, meaning and source, as rich text."""
    shown = formula or escape(words("heads.none.across", measure=words(f"heads.measure.{key}")))
    return f"<b>{escape(words(f'heads.measure.{key}'))}</b><br>{shown}<br>{escape(words(f'heads.about.{key}'))}"


class WallCard(Card):
    """The wall with buttons that choose an attention and a measure. A click on a thumbnail chooses its head."""

    def __init__(self, page: Page, opens: str = "") -> None:
        view = HeadGridView()
        super().__init__(view, head_wall, opens)
        self._page = page
        self.measures = MeasureMenu()
        self.measures.hide()  # It has no text before the first picture.
        self.measures.chose.connect(page.sets("measure"))
        self.measures.sorted.connect(page.sets("head_order"))
        view.chosen.connect(page.choose_head)
        view.wanted.connect(page.want_heads)
        self.bar.insertWidget(2, page.choice("attention"))
        if not opens:  # The page that the other walls open has the choice, and more room for it.
            self.bar.insertWidget(3, self.measures)
        page.add(self)

    def draw(self, trace: Trace, look: Look, words: Words) -> None:
        self.measures.offer(offered_measures(look), look.measure, look.head_order, words)
        self.measures.setVisible(not self.page)
        super().draw(trace, look, words)
