"""The header: preset, architecture, places, lessons, language, theme and export."""

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAccessible, QResizeEvent
from PySide6.QtWidgets import QApplication, QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from explorer import page_list
from explorer.config import find_knob
from explorer.key_names import native
from explorer.lang import Words
from explorer.picture.card_text import kind_and_size
from explorer.presets import load_preset, own_presets, preset_names, title_in, titles, training_names
from explorer.runs.snapshots import moment_in
from explorer.state.intents import OpenFolder, OpenPage, SetKnob, SetPreset
from explorer.state.wish import Wish
from explorer.trace.model_card import ModelCard
from explorer.trace.trace import Trace
from explorer.views.controls.choice_box import ChoiceBox
from explorer.views.controls.layouts import filled
from explorer.views.controls.model_card import ModelCardBox
from explorer.views.controls.tab_group import make_tab_group
from explorer.views.painting.read_as import read_as
from explorer.views.painting.style import set_style_property

_STAGES = (("choice.architecture", 3), ("header.architecture_short", 3), ("header.architecture_short", 1), ("", 1), ("", 1))
"""What is shown where there is less and less room: names of architectures ("" hides their box, as a knob has them too), and how
many of the buttons that the menus have too. The places keep their names and stand still, closer where the box is hidden; last
goes the question mark."""


class HeaderBar(QWidget):
    """Signals: wished(Intent); language(), theme(), export(), lessons() and explain(), which do not concern the State."""

    wished = Signal(object)
    language = Signal()
    theme = Signal()
    export = Signal()
    lessons = Signal()
    explain = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("header")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._last_pages = {place: pages[0] for place, pages in page_list.PLACES.items()}  # which was in front last, by place
        self._words: Words | None = None
        self._chosen = ("", True)  # the preset, and whether its trained weights are used
        self._architecture, self._card_of = "", ""
        self._foreign = self._recorded = False  # whether the model on screen is a foreign one, or not there at all
        self._stage: int | None = None  # of `_STAGES`, which is shown
        self._restyled = False  # since it was arranged
        self._need_px: dict[int, int] = {}  # the width that a stage needs, where it was measured
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
        layout.addSpacing(8)
        layout.addWidget(self._place_buttons())
        layout.addStretch(1)
        for button in (self.explain_button, self.lessons_button, self.language_button, self.theme_button, self.export_button):
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            layout.addWidget(button)
        self.buttons.idClicked.connect(self._chose_place)
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

    def _place_buttons(self) -> QWidget:
        """Make the buttons of the places, which are the tabs of one list."""
        self.buttons, self._places = QButtonGroup(self), QWidget()
        read_as(self._places, QAccessible.Role.PageTabList)
        buttons = map(self._place_button, range(len(page_list.PLACES)))
        self._places.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._place_row = filled(QHBoxLayout(self._places), *buttons, gap_px=1, margins_px=(0, 0, 0, 0))
        return self._places

    def _place_button(self, number: int) -> QToolButton:
        button = QToolButton()
        button.setObjectName("place")
        read_as(button, QAccessible.Role.PageTab)
        button.setCheckable(True)
        button.setChecked(number == 0)
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.buttons.addButton(button, number)
        return button

    def speak(self, words: Words) -> None:
        self._words = words
        self._places.setAccessibleName(words("header.places"))
        self._name_presets()
        self.presets.setAccessibleName(words("header.preset"))
        self.architectures.setAccessibleName(words("header.architecture"))
        self._tell_whole_names()
        self.language_button.setText(words("action.language"))
        self.language_button.setAccessibleName(words("action.language"))
        self.theme_button.setToolTip(words("action.theme"))
        self.theme_button.setAccessibleName(words("action.theme"))
        self.export_button.setText(words("header.export"))
        for number, (place, pages) in enumerate(page_list.PLACES.items()):
            button = self.buttons.button(number)
            button.setText(words(f"place.{place}"))
            button.setAccessibleName(words(f"place.{place}"))
            button.setToolTip(" · ".join(words(f"page.{page}") for page in pages) if len(pages) > 1 else "")
        self.lessons_button.setText(words("action.lessons"))
        self.lessons_button.setToolTip("F2")
        self.explain_button.setToolTip(f"{words('action.explain')} ({native('Shift+F1')})")
        self.explain_button.setAccessibleName(words("action.explain"))
        self.fit_width()

    def _name_presets(self) -> None:
        """Write the presets' titles. Those with trained weights say so; the chosen one says which weights are used."""
        if self._words is None:
            return
        bundled = (*preset_names(), *training_names())
        folders = [name for name in self._names if name not in bundled]  # A user's own folder keeps its name.
        own_titles = dict(zip(folders, titles(folders), strict=True))
        for index, name in enumerate(self._names):
            own = name in own_titles
            title = own_titles[name] if own and moment_in(name)[1] is None else title_in(self._words, name)
            if self._chosen == (name, False):
                title = self._words("header.untrained", preset=title)
            elif name in preset_names() and load_preset(name).folder is not None:
                title = self._words("header.trained", preset=title)
            self.presets.setItemText(index, title)

    def put(self, wish: Wish) -> None:
        with QSignalBlocker(self.presets), QSignalBlocker(self.architectures):
            if wish.preset not in self._names:
                self._add_preset(wish.preset)
            self.presets.setCurrentIndex(self._names.index(wish.preset))
            self.architectures.setCurrentIndex(find_knob("architecture").choices.index(wish.config.architecture))
        now = wish.preset, wish.uses_trained or not wish.has_trained
        if (now, wish.config.architecture) == (self._chosen, self._architecture):
            return  # Most wishes differ in their text alone.
        self._chosen, self._architecture = now, wish.config.architecture
        self._name_presets()
        self._tell_whole_names()
        self.fit_width()

    def _add_preset(self, name: str) -> None:
        """Offer a preset that the box does not have: a moment of a training in place of another moment of it."""
        preset, step = moment_in(name)
        others = (place for place, each in enumerate(self._names) if step is not None and moment_in(each)[0] == preset != each)
        place = next(others, None)
        if place is None:
            self._names.append(name)
            self.presets.addItem("")
        else:
            self._names[place] = name
        self._chosen = ("", True)

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
        self._stage = None
        self._arrange()

    def _arrange(self) -> None:
        """Show as much as fits, in this language: the first stage that has room, or the last one.

        Each is measured once, since to measure them anew for each width takes longer than to draw a picture.
        """
        last = len(_STAGES) - 1
        for stage in range(last + 1):
            if self._need_px.get(stage, 0) > self.width() and stage != last:
                continue
            self._show_stage(stage)
            if stage not in self._need_px:
                self._need_px[stage] = self._layout.minimumSize().width()
            if self._need_px[stage] <= self.width():
                return

    def _show_stage(self, stage: int) -> None:
        if stage == self._stage:
            return
        self._stage = stage
        architecture, n_buttons = _STAGES[stage]
        self.model.setVisible(self._foreign)
        self.architectures.setVisible(bool(architecture) and not self._foreign)
        self._name_architectures(architecture)
        self._name_card(short=architecture != "choice.architecture")
        for place, button in enumerate((self.lessons_button, self.language_button, self.theme_button)):
            button.setVisible(place < n_buttons)
        self.explain_button.setVisible(stage < len(_STAGES) - 1)
        for place_button in self.buttons.buttons():
            set_style_property(place_button, "narrow", not architecture)
            QApplication.sendEvent(place_button, QEvent(QEvent.Type.StyleChange))  # A button keeps its size until then.
        self._place_row.invalidate()
        self._places.updateGeometry()  # Otherwise the layout around it reckons with its former width.
        self._layout.invalidate()

    def _name_card(self, *, short: bool) -> None:
        if self._foreign and self._card is not None and self._words is not None:
            whole, told = kind_and_size(self._card, self._words), kind_and_size(self._card, self._words, short=short)
            if self._recorded:
                badge = self._words("recorded.badge")
                whole, told = f"{badge} · {whole}", badge if short else f"{badge} · {told}"
            self.model.setText(f"{told} ▾")
            self.model.setToolTip(f"{self._words('card.title')}\n{whole}")
            self.model.setAccessibleName(f"{self._words('card.title')}: {whole}")

    def _name_architectures(self, names: str) -> None:
        """Write whole or short names into the list of architectures; its tooltip has the whole one."""
        if self._words is not None and names:
            for index, name in enumerate(find_knob("architecture").choices):
                self.architectures.setItemText(index, self._words(f"{names}.{name}"))

    def put_page(self, key: str) -> None:
        """Show in which place the page in front is."""
        place = page_list.place_of(key)
        self._last_pages[place] = key
        self.buttons.button(list(page_list.PLACES).index(place)).setChecked(True)

    def _chose_preset(self, index: int) -> None:
        name = self._names[index]
        self.wished.emit(SetPreset(name) if name in preset_names() else OpenFolder(name))

    def _chose_architecture(self, index: int) -> None:
        self.wished.emit(SetKnob("architecture", find_knob("architecture").choices[index]))

    def _chose_place(self, number: int) -> None:
        """Open the page of the place that was in front last."""
        self.wished.emit(OpenPage(self._last_pages[list(page_list.PLACES)[number]]))
