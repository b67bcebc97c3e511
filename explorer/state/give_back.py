"""Giving back, when a lesson is left, what it has set up over a person's own sentence, preset, knobs and page."""

from typing import Any

import attrs

from explorer.config import Config
from explorer.errors import ExplorerError
from explorer.state.intents import Intent, Shown
from explorer.state.look import Look
from explorer.state.state import State
from explorer.state.wish import Wish


@attrs.frozen(eq=False)
class GiveBack(Intent):
    """Give back what a lesson found: `before` it began; `left` is what its last step set up.

    What the reader has changed since, such as the sentence, stays as it is.
    """

    before: State
    left: State

    def applied(self, state: State, shown: Shown | None) -> State:
        """The State with the fields of `before` that are as the lesson left them."""
        if state.wish.preset != self.left.wish.preset:  # The reader has chosen another model, which stays.
            return state
        wish = attrs.evolve(_given_back(self.before.wish, self.left.wish, state.wish, Wish), config=self._config(state))
        look = _given_back(self.before.look, self.left.look, state.look, Look)
        page = self.before.page if state.page == self.left.page else state.page
        return State(wish=wish, look=look, page=page)

    def _config(self, state: State) -> Config:
        """The knobs of before, with those that the reader has moved since if they go with them."""
        left = self.left.wish.config.values()
        moved = {name: value for name, value in state.wish.config.values().items() if value != left[name]}
        try:
            return self.before.wish.config.changed(**moved)
        except ExplorerError:
            return self.before.wish.config


def _given_back(before: Any, left: Any, now: Any, kind: type) -> Any:
    """`before`, with the fields in which `now` differs from `left`."""
    names = [field.name for field in attrs.fields(kind) if field.name != "config"]
    return attrs.evolve(before, **{name: getattr(now, name) for name in names if getattr(now, name) != getattr(left, name)})
