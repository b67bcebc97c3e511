"""Leaving a lesson: what it has set up is replaced by a person's own sentence, preset, knobs and page."""

from typing import Any

import attrs

from explorer.config import Config
from explorer.errors import ExplorerError
from explorer.state.intents import Intent, OnScreen
from explorer.state.look import Look
from explorer.state.state import State
from explorer.state.wish import Wish


@attrs.frozen(eq=False)
class GiveBack(Intent):
    """Leave a lesson: go back to what was set up `before` it; `left` is what its last step set up.

    What the reader has changed since, such as the sentence, stays. If one of the two is unknown, everything stays.
    """

    before: State | None = None
    left: State | None = None

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with the fields of `before` that the reader has not changed since."""
        before, left = self.before, self.left
        if before is None or left is None or state.wish.preset != left.wish.preset:  # Another model that was chosen stays.
            return attrs.evolve(state, lesson=None)
        config = _config(before.wish.config, left.wish.config, state.wish.config)
        wish = attrs.evolve(_given_back(before.wish, left.wish, state.wish, Wish), config=config)
        look = _given_back(before.look, left.look, state.look, Look)
        return State(wish=wish, look=look, page=before.page if state.page == left.page else state.page)


def _config(before: Config, left: Config, now: Config) -> Config:
    """The knobs of before, with those that the reader has moved since if they go with them."""
    then = left.values()
    try:
        return before.changed(**{name: value for name, value in now.values().items() if value != then[name]})
    except ExplorerError:
        return before


def _given_back(before: Any, left: Any, now: Any, kind: type) -> Any:
    """`before`, with the fields in which `now` differs from `left`."""
    names = [field.name for field in attrs.fields(kind) if field.name != "config"]
    return attrs.evolve(before, **{name: getattr(now, name) for name in names if getattr(now, name) != getattr(left, name)})
