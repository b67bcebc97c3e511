"""The State of a preset as the window opens it, and the one that takes the place of a State whose model cannot be opened."""

import attrs

from explorer.presets import DEFAULT, load_preset
from explorer.state.change_intents import TakeSentence
from explorer.state.state import State

_BEAM = 4  # width of the search that follows the greedy translation; wider searches improve little


def opened(preset: str) -> State:
    """The State of a preset. Raises UnknownPreset, BadPreset."""
    state = State.from_preset(preset)
    return attrs.evolve(state, wish=attrs.evolve(state.wish, beam=_BEAM))


def default_state(refused: State) -> State:
    """The State of the default preset, in place of one whose model cannot be opened. A text of the user's stays."""
    state = attrs.evolve(opened(DEFAULT), page=refused.page)
    own = load_preset(refused.wish.preset).text
    return state if refused.wish.text == own else TakeSentence(refused.wish.text).applied(state, None)
