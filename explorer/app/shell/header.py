"""The header: preset, architecture, pages, lessons, language, theme and export."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from explorer.config import find_knob
from explorer.lang import Words
from explorer.presets import load_preset, own_presets, preset_names, preset_title
from explorer.state.intents import OpenPage, SetKnob, SetPreset
from explorer.state.wish import Wish
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.tab_group import make_tab_group


class Header(QWidget):
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
        self._architecture = ""
        self.presets, self.architectures = ChoiceBox(), ChoiceBox()
        for combo in (self.presets, self.architectures):
            combo.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._names = [*preset_names(), *own_presets()]
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
        layout.addStretch(1)
        self._buttons = QButtonGroup(self)
        for place, key in enumerate(pages):
            layout.addWidget(self._page_button(place, key))
        self.more = self._more_button()
        layout.addWidget(self.more)
        layout.addStretch(1)
        for button in (self.explain_button, self.lessons_button, self.language_button, self.theme_button, self.export_button):
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            layout.addWidget(button)
        self._buttons.idClicked.connect(self._chose_page)
        make_tab_group(self, Qt.Key.Key_Left, Qt.Key.Key_Right)

    def _page_button(self, place: int, key: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName("page")
        button.setCheckable(True)
        button.setChecked(place == 0)
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._buttons.addButton(button, place)
        return button

    def _more_button(self) -> QToolButton:
        """Make the button that opens a menu of the pages that have no room."""
        button, menu = QToolButton(), QMenu(self)
        button.setObjectName("page")
        button.setText("…")
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(menu)
        menu.aboutToShow.connect(self._fill_menu)
        menu.triggered.connect(self._chose_in_menu)
        return button

    def speak(self, words: Words) -> None:
        self._words = words
        self._name_presets()
        for index, name in enumerate(find_knob("architecture").choices):
            self.architectures.setItemText(index, words(f"choice.architecture.{name}"))
        self.presets.setAccessibleName(words("header.preset"))
        self.architectures.setAccessibleName(words("header.architecture"))
        self._tell_whole_names()
        self.language_button.setText(words("action.language"))
        self.language_button.setAccessibleName(words("action.language"))
        self.theme_button.setToolTip(words("action.theme"))
        self.theme_button.setAccessibleName(words("action.theme"))
        self.export_button.setText(words("header.export"))
        self.more.setToolTip(words("header.more_pages"))
        self.more.setAccessibleName(words("header.more_pages"))
        self.lessons_button.setText(words("action.lessons"))
        self.lessons_button.setToolTip("F2")
        self.explain_button.setToolTip(f"{words('action.explain')} (Shift+F1)")
        self.explain_button.setAccessibleName(words("action.explain"))
        self._fit()

    def _name_presets(self) -> None:
        """Write the presets' titles. Those with trained weights say so; the chosen one says which weights are used."""
        if self._words is None:
            return
        for index, name in enumerate(self._names):
            own = name not in preset_names()  # A user's own folder keeps its name.
            title = preset_title(name) if own else self._words(f"preset.{name}.title")
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
            self.presets.setCurrentIndex(self._names.index(wish.preset))
            self.architectures.setCurrentIndex(find_knob("architecture").choices.index(wish.config.architecture))
        now = wish.preset, wish.uses_trained or not wish.has_trained
        if (now, wish.config.architecture) == (self._chosen, self._architecture):
            return  # Most wishes differ in their text alone.
        self._chosen, self._architecture = now, wish.config.architecture
        self._name_presets()
        self._tell_whole_names()
        self._fit()

    def _tell_whole_names(self) -> None:
        """Say in the tooltips what the two boxes choose."""
        if self._words is not None:
            for combo, key in ((self.presets, "preset"), (self.architectures, "architecture")):
                combo.setToolTip(f"{self._words(f'header.{key}')}\n{combo.currentText()}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Show as much as fits, in this language.

        The first to go is the architecture, which is among the knobs too. Then pages get short names, then the buttons that
        the menus have too are hidden, that of the lessons last. At last the pages without room move into the menu of the
        ellipsis button.
        """
        self.more.hide()
        for page in self._buttons.buttons():
            page.show()
        buttons = (self.lessons_button, self.language_button, self.theme_button)
        for names, with_architecture, n_buttons in (
            ("page", True, 3),
            ("page", False, 3),
            ("page_short", False, 3),
            ("page_short", False, 1),
            ("page_short", False, 0),
        ):
            self.architectures.setVisible(with_architecture)
            for place, button in enumerate(buttons):
                button.setVisible(place < n_buttons)
            self._name_pages(names)
            if self._has_room():
                return
        self.more.show()
        for page in reversed(self._buttons.buttons()):
            page.setVisible(page.isChecked())
            if self._has_room():
                return

    def _has_room(self) -> bool:
        self._layout.invalidate()
        return self._layout.minimumSize().width() <= self.width()

    def _fill_menu(self) -> None:
        """Fill the menu with the hidden pages, by their whole names."""
        menu = self.more.menu()
        menu.clear()
        for place, key in enumerate(self._pages):
            button = self._buttons.button(place)
            if button.isHidden():
                menu.addAction(button.toolTip()).setData(key)

    def _chose_in_menu(self, action: QAction) -> None:
        self.wished.emit(OpenPage(str(action.data())))

    def _name_pages(self, names: str) -> None:
        """Write whole or short names on the page buttons; tooltips have the whole ones."""
        if self._words is None:
            return
        for place, key in enumerate(self._pages):
            button = self._buttons.button(place)
            button.setText(self._words(f"{names}.{key}"))
            button.setToolTip(self._words(f"page.{key}"))
            button.setAccessibleName(self._words(f"page.{key}"))

    def put_page(self, key: str) -> None:
        button = self._buttons.button(self._pages.index(key))
        button.setChecked(True)
        if button.isHidden():  # The page in front always has a visible button.
            self._fit()

    def _chose_preset(self, index: int) -> None:
        self.wished.emit(SetPreset(self._names[index]))

    def _chose_architecture(self, index: int) -> None:
        self.wished.emit(SetKnob("architecture", find_knob("architecture").choices[index]))

    def _chose_page(self, place: int) -> None:
        self.wished.emit(OpenPage(self._pages[place]))
