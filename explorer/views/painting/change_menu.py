"""The entries of a menu that make changes, from the declaration in `state.offers`, and the dialogs that some of them open."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from explorer.lang import Words
from explorer.state.offers import ChangePlace, MakeChange, Offer, offers_at

_DECIMALS = 3
Wish = Callable[[MakeChange], None]


def offer_changes(view: object, offered: bool) -> None:
    """Say whether changes are offered in the menus of a view, if it has any."""
    menu = getattr(view, "change_menu", None)
    if isinstance(menu, ChangeMenu):
        menu.is_offered = offered


class ChangeMenu(QObject):
    """Puts the offers of a place into a menu, or makes one of them, and emits an Intent for what is chosen.

    It belongs to the view, so that a dialog can outlive the menu that opened it.
    """

    def __init__(self, view: QWidget, wish: Wish) -> None:
        super().__init__(view)
        self._view, self._wish = view, wish
        self._words: Words | None = None
        self.is_offered = True  # A recorded pass has no model that could compute anything else: its menu says so.
        self._asking: tuple[Offer, ChangePlace] | None = None
        self.dialog: QInputDialog | None = None

    def add_to(self, menu: QMenu, place: ChangePlace, words: Words) -> None:
        """Add the entries for a place, a submenu for each group; or why there are none."""
        if not self.is_offered:
            menu.addAction(words("recorded.no_change")).setEnabled(False)
            return
        groups: dict[str, QMenu] = {}
        for offer in offers_at(place):
            if offer.group not in groups:
                groups[offer.group] = menu.addMenu(words(f"change.offer_group.{offer.group}"))
            self._add(groups[offer.group], offer, place, words)

    def _add(self, menu: QMenu, offer: Offer, place: ChangePlace, words: Words) -> None:
        self._words = words
        action = menu.addAction(words(f"change.offer.{offer.key}"))
        action.setData((offer, place))
        action.triggered.connect(self._chosen)

    def made(self, place: ChangePlace | None, words: Words | None) -> QMenu | None:
        """A menu of these entries alone, each group under its title; None where there is nothing to offer."""
        offers = () if place is None else offers_at(place)
        if place is None or words is None or not offers:
            return None
        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if not self.is_offered:
            self.add_to(menu, place, words)
            return menu
        for group in dict.fromkeys(offer.group for offer in offers):
            menu.addAction(words(f"change.offer_group.{group}")).setEnabled(False)
            for offer in offers:
                if offer.group == group:
                    self._add(menu, offer, place, words)
            menu.addSeparator()
        return menu

    def _chosen(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction) and self._words is not None  # A menu has been filled.
        offer, place = action.data()
        if offer.asks is None:
            self._wish(MakeChange(offer, place))
        else:
            self._ask(offer, place, self._words)

    def _ask(self, offer: Offer, place: ChangePlace, words: Words) -> None:
        """Open a dialog with one field, and wish for the change when it is accepted."""
        assert offer.asks is not None  # The caller has checked.
        self._asking = offer, place
        dialog = self.dialog = QInputDialog(self._view)
        dialog.setWindowTitle(words("page.change"))
        dialog.setLabelText(words(f"change.asks.{offer.key}"))
        dialog.setOkButtonText(words("change.make"))
        dialog.setCancelButtonText(words("change.leave"))
        if offer.asks.kind == "number":
            dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
            dialog.setDoubleDecimals(_DECIMALS)
            dialog.setDoubleRange(offer.asks.low, offer.asks.high)
            dialog.setDoubleValue(offer.asks.value)
            dialog.setDoubleStep(0.1)
            dialog.doubleValueSelected.connect(self._answered)
        else:
            dialog.setInputMode(QInputDialog.InputMode.TextInput)
            dialog.textValueSelected.connect(self._answered)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _answered(self, value: float | str) -> None:
        if self._asking is not None:
            (offer, place), self._asking = self._asking, None
            self._wish(MakeChange(offer, place, value))
