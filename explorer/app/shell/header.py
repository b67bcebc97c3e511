"""The header: preset, architecture, pages, lessons, language, theme and export."""

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from explorer import page_list
from explorer.config import find_knob
from explorer.lang import Words
from explorer.picture.card_text import kind_and_size
from explorer.presets import load_preset, own_presets, preset_names, title_in, titles
from explorer.state.intents import OpenFolder, OpenPage, SetKnob, SetPreset
from explorer.state.wish import Wish
from explorer.trace.model_card import ModelCard
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.model_card import ModelCardBox
from explorer.views.controls.tab_group import make_tab_group

_STAGES = (
    ("page", "choice.architecture", 3),
    ("page", "header.architecture_short", 3),
    ("page_short", "header.architecture_short", 3),
    ("page_short", "header.architecture_short", 1),
    ("page_short", "header.architecture_short", 0),
)
"""What is shown where there is less and less room: names of pages, names of architectures, and how many of the buttons that the
menus have too. In the last stage the pages that are not `STAYING` longest move into a menu, one after the other."""


class HeaderBar(QWidget):
    """Signals: wished(Intent); language(), theme(), export(), lessons() and explain(), which do not concern the State."""

    wished = Signal(object)
    language = Signal()
    theme = Signal()
    export = Signal()
    lessons = Signal()
    explain = Signal()

    def __init__(self, pages: tuple[str, ...]) -> None:
        super().__init__()
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._pages = pages
        self._words: Words | None = None
        self._chosen = ("", True)  # the preset, and whether its trained weights are used
        self._architecture, self._card_of = "", ""
        self._foreign = self._recorded = False  # whether the model on screen is a foreign one, or not there at all
        self._arranged: tuple[int, int, int] | None = None  # the stage, the pages that have left, and the page in front
        self._restyled = False  # since it was arranged
        self._need_px: dict[tuple[int, int, int], int] = {}  # the width that an arrangement needs, where it was measured
        self.presets, self.architectures = ChoiceBox(), ChoiceBox()
        for combo in (self.presets, self.architectures):
            combo.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._names, self._recent = [*preset_names(), *own_presets()], ()
        self.presets.addItems(self._names)
        self.architectures.addItems(find_knob("architecture").choices)
        self.presets.currentIndexChanged.connect(self._chose_preset)
        self.architectures.currentIndexChanged.connect(self._chose_architecture)
        self.language_button, self.theme_button, self.export_button = QToolButton(), QToolButton(), QToolButton()
        self.lessons_button = QToolButton()
        self.lessons_button.clicked.connect(self.lessons)
        self.explain_button = QToolButton()
        self.explain_button.setText("?")
        self.explain_button.clicked.connect(self.explain)
        self.theme_button.setText("◐")
        self.language_button.clicked.connect(self.language)
        self.theme_button.clicked.connect(self.theme)
        self.export_button.clicked.connect(self.export)
        layout = self._layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 0)
        layout.setSpacing(1)  # Each button has room of its own around its name.
        layout.addWidget(self.presets)
        layout.addWidget(self.architectures)
        layout.addWidget(self._card_button())
        layout.addStretch(1)
        self.buttons = QButtonGroup(self)
        for place, key in enumerate(pages):
            layout.addWidget(self._page_button(place, key))
        self.more = self._more_button()
        layout.addWidget(self.more)
        layout.addStretch(1)
        for button in (self.explain_button, self.lessons_button, self.language_button, self.theme_button, self.export_button):
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            layout.addWidget(button)
        self.buttons.idClicked.connect(self._chose_page)
        make_tab_group(self, Qt.Key.Key_Left, Qt.Key.Key_Right)

    def _card_button(self) -> QToolButton:
        """Make the button that says what kind a foreign model is, and opens its card."""
        button = self.model = QToolButton()
        button.setObjectName("segment")
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        button.clicked.connect(self.open_card)
        button.hide()
        self._card: ModelCard | None = None
        self.card_box = ModelCardBox(self)
        return button

    def open_card(self) -> None:
        """Open the card of the model on screen."""
        if self._card is not None and self._words is not None:
            self.card_box.tell(self._card, title_in(self._words, self._card_of), self._words)
            self.card_box.open_below(self.model if self.model.isVisible() else self.presets)

    def _page_button(self, place: int, key: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName("page")
        button.setCheckable(True)
        button.setChecked(place == 0)
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.buttons.addButton(button, place)
        return button

    def _more_button(self) -> QToolButton:
        """Make the button that opens a menu of the pages that have no room."""
        button, menu = QToolButton(), QMenu(self)
        button.setObjectName("page")
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(menu)
        menu.aboutToShow.connect(self._fill_menu)
        menu.triggered.connect(self._chose_in_menu)
        return button

    def speak(self, words: Words) -> None:
        self._words = words
        self._name_presets()
        self.presets.setAccessibleName(words("header.preset"))
        self.architectures.setAccessibleName(words("header.architecture"))
        self._tell_whole_names()
        self.language_button.setText(words("action.language"))
        self.language_button.setAccessibleName(words("action.language"))
        self.theme_button.setToolTip(words("action.theme"))
        self.theme_button.setAccessibleName(words("action.theme"))
        self.export_button.setText(words("header.export"))
        self.more.setText(f"{words('header.more')} ▾")
        self.more.setToolTip(words("header.more_pages"))
        self.more.setAccessibleName(words("header.more_pages"))
        self.lessons_button.setText(words("action.lessons"))
        self.lessons_button.setToolTip("F2")
        self.explain_button.setToolTip(f"{words('action.explain')} (Shift+F1)")
        self.explain_button.setAccessibleName(words("action.explain"))
        self.fit_width()

    def _name_presets(self) -> None:
        """Write the presets' titles. Those with trained weights say so; the chosen one says which weights are used."""
        if self._words is None:
            return
        folders = [name for name in self._names if name not in preset_names()]  # A user's own folder keeps its name.
        own_titles = dict(zip(folders, titles(folders), strict=True))
        for index, name in enumerate(self._names):
            own = name in own_titles
            title = own_titles[name] if own else self._words(f"preset.{name}.title")
            if self._chosen == (name, False):
                title = self._words("header.untrained", preset=title)
            elif not own and load_preset(name).folder is not None:
                title = self._words("header.trained", preset=title)
            self.presets.setItemText(index, title)

    def put(self, wish: Wish) -> None:
        with QSignalBlocker(self.presets), QSignalBlocker(self.architectures):
            if wish.preset not in self._names:
                self._names.append(wish.preset)
                self.presets.addItem("")
                self._chosen = ("", True)
            self.presets.setCurrentIndex(self._names.index(wish.preset))
            self.architectures.setCurrentIndex(find_knob("architecture").choices.index(wish.config.architecture))
        now = wish.preset, wish.uses_trained or not wish.has_trained
        if (now, wish.config.architecture) == (self._chosen, self._architecture):
            return  # Most wishes differ in their text alone.
        self._chosen, self._architecture = now, wish.config.architecture
        self._name_presets()
        self._tell_whole_names()
        self.fit_width()

    def offer(self, folders: tuple[str, ...]) -> None:
        """Offer the folders that were opened last behind the bundled presets."""
        present = self._names[self.presets.currentIndex()]
        self._names = list(dict.fromkeys((*preset_names(), *own_presets(), *folders, present)))
        with QSignalBlocker(self.presets):
            self.presets.clear()
            self.presets.addItems(self._names)
            self.presets.setCurrentIndex(self._names.index(present))
        self._name_presets()
        for index, name in enumerate(self._names[len(preset_names()) :], start=len(preset_names())):
            self.presets.setItemData(index, name, Qt.ItemDataRole.ToolTipRole)
        self.fit_width()

    def draw(self, trace: Trace) -> None:
        """Show what kind of model has answered; our own have the box of architectures for that."""
        if trace.card is not self._card:
            foreign, was = trace.config is None or bool(trace.recorded_by), not self.model.isHidden()
            self._card, self._card_of, self._foreign = trace.card, trace.preset, foreign
            self._recorded = bool(trace.recorded_by)
            if foreign or was:
                self.fit_width()

    def _tell_whole_names(self) -> None:
        """Say in the tooltips what the two boxes choose."""
        if self._words is not None:
            whole = self._words(f"choice.architecture.{self._architecture}") if self._architecture else ""
            for combo, key, told in (
                (self.presets, "preset", self.presets.currentText()),
                (self.architectures, "architecture", whole),
            ):
                combo.setToolTip(f"{self._words(f'header.{key}')}\n{told}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._need_px.clear()
            self._restyled = True

    def event(self, event: QEvent) -> bool:
        """Arrange the header anew once all that stands in it has been styled: before that, it is measured in part as it was."""
        if event.type() == QEvent.Type.LayoutRequest and self._restyled:
            self._restyled = False
            self.fit_width()
        return super().event(event)

    def fit_width(self) -> None:
        """Show as much as fits of what has other names now, or other parts."""
        self._need_px.clear()
        self._arranged = None
        self._arrange()

    def _arrange(self) -> None:
        """Show as much as fits, in this language: the first arrangement that has room, or the last one.

        Each is measured once, since to measure them anew for each width takes longer than to draw a picture.
        """
        last = len(_STAGES) - 1
        stages = [*((stage, 0) for stage in range(last)), *((last, n) for n in range(len(self._pages) + 1))]
        for stage, n_left in stages:
            arrangement = stage, n_left, self.buttons.checkedId()
            is_last = n_left == len(self._pages)
            if self._need_px.get(arrangement, 0) > self.width() and not is_last:
                continue
            self._put_in_order(arrangement)
            if arrangement not in self._need_px:
                self._layout.invalidate()
                self._need_px[arrangement] = self._layout.minimumSize().width()
            if self._need_px[arrangement] <= self.width():
                return

    def _put_in_order(self, arrangement: tuple[int, int, int]) -> None:
        """Name and show what this arrangement has."""
        if arrangement == self._arranged:
            return
        stage, n_left, _front = self._arranged = arrangement
        names, architecture, n_buttons = _STAGES[stage]
        self.model.setVisible(self._foreign)
        self.architectures.setVisible(not self._foreign)
        self._name_architectures(architecture)
        self._name_card(short=architecture != "choice.architecture")
        for place, button in enumerate((self.lessons_button, self.language_button, self.theme_button)):
            button.setVisible(place < n_buttons)
        self._name_pages(names)
        self.more.setVisible(n_left > 0)
        for place, page in enumerate(self._leaving()):
            page.setVisible(place >= n_left or page.isChecked())

    def _leaving(self) -> list[QAbstractButton]:
        """The buttons of the pages in the order in which they go."""
        staying = [key for key in page_list.STAYING if key in self._pages]
        first = [key for key in reversed(self._pages) if key not in staying]
        return [self.buttons.button(self._pages.index(key)) for key in (*first, *reversed(staying))]

    def _name_card(self, *, short: bool) -> None:
        if self._foreign and self._card is not None and self._words is not None:
            whole, told = kind_and_size(self._card, self._words), kind_and_size(self._card, self._words, short=short)
            if self._recorded:
                badge = self._words("recorded.badge")
                whole, told = f"{badge} · {whole}", badge if short else f"{badge} · {told}"
            self.model.setText(f"{told} ▾")
            self.model.setToolTip(f"{self._words('card.title')}\n{whole}")
            self.model.setAccessibleName(f"{self._words('card.title')}: {whole}")

    def _fill_menu(self) -> None:
        """Fill the menu with the hidden pages, by their whole names."""
        menu = self.more.menu()
        menu.clear()
        for place, key in enumerate(self._pages):
            button = self.buttons.button(place)
            if button.isHidden():
                menu.addAction(button.toolTip()).setData(key)

    def _chose_in_menu(self, action: QAction) -> None:
        self.wished.emit(OpenPage(str(action.data())))

    def _name_architectures(self, names: str) -> None:
        """Write whole or short names into the list of architectures; its tooltip has the whole one."""
        if self._words is not None:
            for index, name in enumerate(find_knob("architecture").choices):
                self.architectures.setItemText(index, self._words(f"{names}.{name}"))

    def _name_pages(self, names: str) -> None:
        """Write whole or short names on the page buttons; tooltips have the whole ones."""
        if self._words is None:
            return
        for place, key in enumerate(self._pages):
            button = self.buttons.button(place)
            button.setText(self._words(f"{names}.{key}"))
            button.setToolTip(self._words(f"page.{key}"))
            button.setAccessibleName(self._words(f"page.{key}"))

    def put_page(self, key: str) -> None:
        button = self.buttons.button(self._pages.index(key))
        button.setChecked(True)
        if button.isHidden():  # The page in front always has a visible button.
            self.fit_width()

    def _chose_preset(self, index: int) -> None:
        name = self._names[index]
        self.wished.emit(SetPreset(name) if name in preset_names() else OpenFolder(name))

    def _chose_architecture(self, index: int) -> None:
        self.wished.emit(SetKnob("architecture", find_knob("architecture").choices[index]))

    def _chose_page(self, place: int) -> None:
        self.wished.emit(OpenPage(self._pages[place]))
