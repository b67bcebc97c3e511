"""What experiments have found about the last sentence, so that a further look at the same pass computes only what is new."""

from collections.abc import Hashable

from explorer.state.wish import Wish
from explorer.trace.findings import Experiment
from explorer.trace.trace import Tokens


class Kept:
    """The findings of one Wish and its tokens, by name and place. Another Wish empties it."""

    def __init__(self) -> None:
        self._of: tuple[Wish, Tokens] | None = None
        self._found: dict[Hashable, Experiment] = {}

    def of(self, wish: Wish, tokens: Tokens) -> dict[Hashable, Experiment]:
        """What was found about this Wish with these tokens; further findings may be put in."""
        if self._of != (wish, tokens):
            self._of, self._found = (wish, tokens), {}
        return self._found
