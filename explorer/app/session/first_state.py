"""The State that the window opens with: the preset that was asked for, the last State, or the default preset."""

from pathlib import Path

import attrs

from explorer import page_list
from explorer.app.session.preferences import Preferences
from explorer.app.session.remembered import last_state
from explorer.errors import ExplorerError
from explorer.presets import DEFAULT, load_preset, preset_names
from explorer.state.state import State

_BEAM = 4  # width of the search that follows the greedy translation; wider searches improve little


@attrs.frozen
class First:
    """The State to start with. `restored` says that somebody left it so; `refused` why the last State could not be used."""

    state: State
    restored: bool = False
    refused: ExplorerError | None = None


def first_state(preferences: Preferences, text: str | None, preset: str | None) -> First:
    """The State to start with: the preset that was asked for, else the last State, else the default preset.

    Raises UnknownPreset, BadPreset for a preset that was asked for.
    """
    if preset is not None:
        if preset not in preset_names() and Path(preset).exists():
            preset = str(Path(preset).absolute())  # It may be opened again from elsewhere.
        state = attrs.evolve(_opened(preset), page=page_list.KEYS[0])
        return First(state if text is None else _with_text(state, text))
    last, refused = last_state()
    restored = last is not None
    if last is None and refused is None:
        last, refused = _of_version_0_1(preferences)
    state = last or _opened(DEFAULT)
    if state.page not in page_list.KEYS:  # The file may come from another version.
        state = attrs.evolve(state, page=page_list.KEYS[0])
    return First(state if text is None else _with_text(state, text), restored, refused)


def default_state(refused: State) -> State:
    """The State of the default preset, in place of one whose model cannot be opened. A text of the user's stays."""
    state = attrs.evolve(_opened(DEFAULT), page=refused.page)
    own = load_preset(refused.wish.preset).text
    return state if refused.wish.text == own else _with_text(state, refused.wish.text)


def _opened(preset: str) -> State:
    state = State.from_preset(preset)
    return attrs.evolve(state, wish=attrs.evolve(state.wish, beam=_BEAM))


def _with_text(state: State, text: str) -> State:
    wish = attrs.evolve(state.wish, text=text, target=None, source_cuts=None, target_cuts=None, prefix=())
    return attrs.evolve(state, wish=wish)


def _of_version_0_1(preferences: Preferences) -> tuple[State | None, ExplorerError | None]:
    """The State in the preferences of version 0.1, which kept preset and texts there."""
    try:
        state = _opened(preferences.text("preset") or DEFAULT)
    except ExplorerError as error:  # The preset belongs to another version or is damaged.
        return None, error
    if preferences.text("text").strip():
        target = preferences.text("target") or None
        state = attrs.evolve(state, wish=attrs.evolve(state.wish, text=preferences.text("text"), target=target))
    return state, None
