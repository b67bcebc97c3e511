"""What a ModelSource is: it makes tokens of texts, and logits of tokens. Its caches are its own.

Every source goes the same way: `cut` the text, `decode` what it lacks, have the model `ready`, `run` it.
"""

from typing import Protocol

import attrs
from torch import Tensor

from explorer.config import Config
from explorer.engine.change_checks import Lengths
from explorer.engine.changing import Changing
from explorer.engine.recording.recorder import Recording
from explorer.model.transformer import Transformer
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.tokens.token import Token
from explorer.trace.search_tree import Search
from explorer.trace.trace import Tokens

Row = tuple[Token, ...]


def never() -> bool:
    """Nobody asks to stop."""
    return False


def silent(_share: float) -> None:
    """Nobody wants to know how far it is."""


@attrs.frozen
class Begun:
    """A pass that was begun in order to translate: the encoder's output [batch 1, key, feature] and what it recorded."""

    memory: Tensor
    recording: Recording


@attrs.frozen
class Sentence:
    """Both sides in tokens, the target's text, and the search that found it if it is the model's own."""

    tokens: Tokens
    target: str
    search: Search | None = None
    begun: Begun | None = None

    @property
    def lengths(self) -> Lengths:
        """How many tokens each side has."""
        return Lengths(len(self.tokens.source), len(self.tokens.target))

    @property
    def sizes(self) -> tuple[int, int]:
        """How many tokens each side has, as a pair."""
        return len(self.tokens.source), len(self.tokens.target)


class ModelSource(Protocol):
    """Makes what a Trace is recorded from."""

    def cut(self, wish: Wish) -> Row:
        """The tokens of the typed text. Raises BadText, TooLong."""

    def further(self, wish: Wish, text: str) -> Row:
        """The tokens of a further sentence of a batch, cut off at the model's length. Raises BadText."""

    def decode(self, wish: Wish, source: Row, beam: int, changing: Changing, stop: Stop) -> Sentence:
        """Both sides, as far as the model has them; it says its own under the changes. Raises BadText, TooLong, Superseded."""

    def symbols(self, config: Config, tokens: Tokens) -> tuple[str, ...]:
        """The symbol of each id of the output."""

    def ready(self, config: Config, recorded_bytes: int, stop: Stop, progress: Progress) -> Transformer:
        """The model with these knobs, for a pass that records so many bytes. Raises NotEnoughMemory, Superseded."""

    def run(self, model: Transformer, sentence: Sentence) -> None:
        """One pass, for whoever watches its taps."""

    def rest(self, stop: Stop) -> None:
        """Make ready what the next pass may need, until somebody asks for something."""
