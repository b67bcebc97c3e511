"""What experiments have found about the last sentence, so that a further look at the same pass computes only what is new."""

from collections.abc import Hashable

from explorer.state.wish import Wish
from explorer.trace.found.findings import Experiment
from explorer.trace.recorded_pass import Tokens


class Kept:
    """The findings of one Wish, its tokens and one version of the model, by name and place. Another one empties it."""

    def __init__(self) -> None:
        self._of: tuple[Wish, Tokens, Hashable] | None = None
        self._found: dict[Hashable, Experiment] = {}

    def of(self, wish: Wish, tokens: Tokens, version: Hashable) -> dict[Hashable, Experiment]:
        """What was found about this Wish with these tokens by this `model_version`; further findings may be put in."""
        if self._of != (wish, tokens, version):
            self._of, self._found = (wish, tokens, version), {}
        return self._found
