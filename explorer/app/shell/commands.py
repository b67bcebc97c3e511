"""What each action does: one line for a connection, from a menu, a key or a button of the header to a part of the window."""

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from explorer import page_list
from explorer.app.session import told
from explorer.app.shell.parts import WindowParts
from explorer.picture.scales import SEQUENTIAL
from explorer.state.intents import ResetKnobs, look_at
from explorer.state.state_link import OpenLink


class Commands(QObject):
    """Connects the actions of a window with its parts."""

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window, self._actions = window, window.actions_
        self._connect()

    def tell_undoable(self, value: told.Undoable) -> None:
        """Offer undo and redo where there is a step to take."""
        self._actions.by_name["undo"].setEnabled(value.undo)
        self._actions.by_name["redo"].setEnabled(value.redo)

    def _connect(self) -> None:
        window, named = self._window, self._actions.by_name
        for name, slot in (
            ("open_any", window.open_box.show_stored),
            ("open_file", window.opener.choose_file),
            ("ablate_file", window.scans.choose_sentences),
            ("save_session", window.sessions.save),
            ("save_session_as", window.sessions.save_as),
            ("save_preset", window.sessions.save_preset),
            ("model_card", window.header.open_card),
            ("export", window.saving.export),
            ("copy", window.saving.copy),
            ("copy_link", window.saving.copy_link),
            ("copy_script", window.saving.copy_script),
            ("quit", window.close),
            ("undo", window.session.undo),
            ("redo", window.session.redo),
            ("reset", self._reset),
            ("sentence", window.sentences.focus),
            ("examples", window.sentences.examples.showMenu),
            ("stop", self._escape),
            ("enlarge_card", window.page_stack.enlarge_card),
            ("hide_card", window.page_stack.hide_card),
            ("put_cards_back", window.page_stack.put_cards_back),
            ("fit", window.page_stack.fit),
            ("language", window.appearance.switch_language),
            ("keys", window.help.keys),
            ("glossary", window.help.glossary),
            ("models", window.help.models),
            ("news", window.help.news),
            ("about", window.help.about),
            ("explain", self._explain),
            ("tour", window.invitation.accept),
            ("manual", self._manual),
            ("shortcuts", window.help.shortcuts),
            ("next_page", self._next_page),
            ("previous_page", self._previous_page),
            ("next_area", window.areas.go_on),
            ("previous_area", window.areas.go_back),
            ("next_border", window.areas.go_to_border),
        ):
            named[name].triggered.connect(slot)
        named["knobs"].toggled.connect(window.drawer.set_open)
        window.drawer.opened.connect(named["knobs"].setChecked)
        named["lessons"].toggled.connect(window.step_opener.show)
        window.step_opener.shown.connect(named["lessons"].setChecked)
        window.header.lessons.connect(named["lessons"].toggle)
        named["past"].toggled.connect(window.past.show_or_hide)
        window.past.opened.connect(named["past"].setChecked)
        named["full_screen"].toggled.connect(self._full_screen)
        named["words"].setChecked(window.session.state.look.unit == "words")
        named["words"].triggered.connect(self._words)
        named["present"].toggled.connect(window.presenter.present)
        named["present"].toggled.connect(window.session.pictures_made)
        self._connect_choices()
        window.folders.recents.changed.connect(window.header.offer)
        window.header.language.connect(window.appearance.switch_language)
        window.header.theme.connect(window.appearance.switch_theme)
        window.header.export.connect(window.saving.export)
        window.header.explain.connect(self._explain)
        window.help.followed.connect(self._follow)
        window.lessons.parts.followed.connect(self._follow)
        self.tell_undoable(told.Undoable(False, False))

    def _connect_choices(self) -> None:
        for key, action in self._actions.pages.items():
            action.setData(key)
            action.triggered.connect(self._go_by_action)
        menus = self._actions.menus
        menus["theme"].triggered.connect(self._theme)
        menus["motion"].triggered.connect(self._motion)
        self._actions.motions[self._window.appearance.motion].setChecked(True)
        menus["size"].triggered.connect(self._size)
        self._actions.sizes[self._window.appearance.size].setChecked(True)
        menus["colours"].triggered.connect(self._colours)

    def _reset(self) -> None:
        self._window.session.ask(ResetKnobs())

    def _go_by_action(self) -> None:
        self._window.go(self.sender().data())  # type: ignore[attr-defined]  # the sender is a QAction

    def _theme(self, choice: QAction) -> None:
        self._window.appearance.choose_theme(choice.data())

    def _motion(self, choice: QAction) -> None:
        self._window.appearance.choose_motion(choice.data())

    def _size(self, choice: QAction) -> None:
        """Qt draws everything in one size from the start to the end of the process."""
        self._window.appearance.choose_size(choice.data())
        self._window.status.notice(self._window.appearance.words("status.size"))

    def _colours(self, choice: QAction) -> None:
        key = choice.data()
        self._window.session.ask(look_at(**{"unit_colours" if key in SEQUENTIAL else "signed_colours": key}))

    def _words(self, on: bool) -> None:
        self._window.session.ask(look_at(unit="words" if on else "tokens"))

    def _next_page(self) -> None:
        self._turn_page(1)

    def _previous_page(self) -> None:
        self._turn_page(-1)

    def _turn_page(self, step: int) -> None:
        """Go to the next page in the order of the places, or to the one before; behind the last comes the first."""
        here = page_list.KEYS.index(self._window.session.state.page)
        self._window.go(page_list.KEYS[(here + step) % len(page_list.KEYS)])

    def _explain(self) -> None:
        self._window.help.explain(self._window.session.state.page, self._window.page_stack.page.explained)

    def _manual(self) -> None:
        self._window.help.manual(self._window.lessons.reckoner, self._actions)

    def _follow(self, kind: str, name: str) -> None:
        """Do what a link of the manual or of a lesson says, with the window in front."""
        self._window.raise_()
        self._window.activateWindow()
        match kind:
            case "page":
                self._window.go(name)
            case "lesson":
                self._window.step_opener.open(name)
            case "manual":
                self._window.help.manual(self._window.lessons.reckoner, self._actions, name)
            case "action":
                self._actions.by_name[name].trigger()
            case "explorer":
                self._window.session.ask(OpenLink(f"{kind}:{name}"))

    def _escape(self) -> None:
        """Stop what is computed; otherwise put down the pencil or put a card back, or go back to the picture of the whole."""
        if self._window.presenter.presents:
            self._actions.by_name["present"].setChecked(False)
        elif self._window.session.computes:
            self._window.session.stop()
        elif self._window.page_stack.page.let_go():
            return
        elif self._window.page_stack.page.enlarged.card is not None:
            self._window.page_stack.page.enlarge(None)
        elif self._window.session.state.page != page_list.KEYS[0]:
            self._window.go(page_list.KEYS[0])

    def _full_screen(self, on: bool) -> None:
        if on:
            self._window.showFullScreen()
        else:
            self._window.showNormal()
