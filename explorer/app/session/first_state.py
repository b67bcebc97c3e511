"""The State that the window opens with: the preset that was asked for, the last State, or the preset of a first start."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from explorer import page_list
from explorer.app.session.changing import opened
from explorer.app.session.preferences import Preferences
from explorer.app.session.remembered import last_saved, other_programs
from explorer.errors import ExplorerError
from explorer.presets import DEFAULT, preset_names, recorded_preset
from explorer.state.change_intents import TakeSentence
from explorer.state.intents import SetChat
from explorer.state.saved import Saved, read_saved
from explorer.state.state import State


@attrs.frozen
class First:
    """The State to start with. `restored` says that somebody left it so; `refused` why the last State could not be used,
    `unopened` why it is not what was asked for.

    `saved` is what stands in the file that it was read from, `path` that file, if a user named it. `left` is what other
    programs have left that were not closed.
    """

    state: State
    restored: bool = False
    refused: ExplorerError | None = None
    unopened: ExplorerError | None = None
    saved: Saved | None = None
    path: Path | None = None
    left: Mapping[Path, Saved] = attrs.field(factory=dict)

    @property
    def begun(self) -> Saved:
        """What is kept while it is opened: should that end the program, the next start does not open it again."""
        saved = Saved(state=self.state) if self.saved is None else self.saved
        session = saved.session if self.path is None else str(self.path)
        return attrs.evolve(saved, state=self.state, session=session, was_shown=False)


def first_state(
    preferences: Preferences,
    text: str | None,
    preset: str | None,
    session: str | None = None,
    trace: str | None = None,
    *,
    chat: bool = False,
    usual: str = DEFAULT,
) -> First:
    """The State to start with: the session, recorded pass or preset that was asked for, else the last State, else `usual`.

    With `chat` its text is written in the model's chat template. `unopened` says why what was asked for cannot be opened.
    """
    try:
        found = _found(preferences, text, preset if trace is None else recorded_preset(trace), session, usual)
    except ExplorerError as error:
        return attrs.evolve(_found(preferences, text, None, None, usual), unopened=error)
    return attrs.evolve(found, state=SetChat(True).applied(found.state, None)) if chat else found


def _found(preferences: Preferences, text: str | None, preset: str | None, session: str | None, usual: str) -> First:
    others = other_programs()
    left = others.left
    if session is not None:
        saved = read_saved(Path(session))
        first = _first(saved.state, None, restored=True, saved=saved, path=Path(session).absolute(), left=left)
        return first if text is None else attrs.evolve(first, state=TakeSentence(text).applied(first.state, None))
    if preset is not None:
        if preset not in preset_names() and Path(preset).exists():
            preset = str(Path(preset).absolute())  # It may be opened again from elsewhere.
        return _first(attrs.evolve(opened(preset), page=page_list.KEYS[0]), text, left=left)
    last, refused = last_saved()
    same = {path: saved for path, saved in left.items() if last is not None and saved.state == last.state}
    if last is not None and any(not saved.was_shown for saved in same.values()):  # It may be what ended the program.
        return _first(opened(usual), text, left=left)
    if last is None:
        state, refused = (None, refused) if refused is not None else _of_version_0_1(preferences, usual)
        return _first(state or opened(usual), text, refused=refused, left=left)
    for path in same:  # It is opened, so there is nothing to offer.
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    left = {path: saved for path, saved in left.items() if path not in same}
    if last.session in others.sessions:  # Another window has that file: this one has the same set up, in no file.
        last = attrs.evolve(last, session="")
    return _first(last.state, text, restored=True, saved=last, left=left)


def _first(state: State, text: str | None, **fields: Any) -> First:
    if state.page not in page_list.KEYS:  # The file may come from another version.
        state = attrs.evolve(state, page=page_list.KEYS[0])
    return First(state if text is None else TakeSentence(text).applied(state, None), **fields)


def _of_version_0_1(preferences: Preferences, usual: str) -> tuple[State | None, ExplorerError | None]:
    """The State in the preferences of version 0.1, which kept preset and texts there."""
    try:
        state = opened(preferences.text("preset") or usual)
    except ExplorerError as error:  # The preset belongs to another version or is damaged.
        return None, error
    if preferences.text("text").strip():
        target = preferences.text("target") or None
        state = attrs.evolve(state, wish=attrs.evolve(state.wish, text=preferences.text("text"), target=target))
    return state, None
