"""The ModelSource: it turns texts into tokens and has models that turn tokens into logits. It keeps its own caches.

Every source is used in the same order: `tokenize` the text, `decode` the target, get the model `ready`, and `run` it.
"""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import attrs
from torch import Tensor

from explorer.config import Config
from explorer.engine.change_checks import Lengths
from explorer.engine.changing import Changing
from explorer.engine.recording.recorder import Begun
from explorer.model.tap import Tap
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import Tokens
from explorer.trace.search_tree import Search

Row = tuple[Token, ...]
KnownTaps = Mapping[str, Tap]
Places = tuple[Array, Array | None]
Model = Any
"""A module with taps: our Transformer, or a Foreign. Each source is given back the kind that it makes."""


def never() -> bool:
    """A Stop that never asks to stop."""
    return False


def silent(_share: float) -> None:
    """A Progress that ignores the shares that it is given."""


@attrs.frozen
class Sentence:
    """The tokens of both sides, the target's text, and the search that found the target if the model itself wrote it.

    `prompt` is what a chat template made of the typed text; "" where none was asked for.
    """

    tokens: Tokens
    target: str
    search: Search | None = None
    begun: Begun | None = None
    prompt: str = ""

    @property
    def lengths(self) -> Lengths:
        """How many tokens each side has."""
        return Lengths(len(self.tokens.source), len(self.tokens.target))

    @property
    def sizes(self) -> tuple[int, int]:
        """How many tokens each side has, as a pair."""
        return len(self.tokens.source), len(self.tokens.target)


def of_one_side(architecture: str, row: Row, text: str, prompt: str = "") -> Sentence | None:
    """The Sentence of a model with one side alone, which reads the typed text; None for a model with both sides."""
    if architecture == "encoder-decoder":
        return None
    return Sentence(Tokens(row) if architecture == "encoder-only" else Tokens((), row), text, prompt=prompt)


class ModelSource(Protocol):
    """Makes the tokens and the model of a pass."""

    def card(self, config: Config, name: str = "", trained: bool = False) -> ModelCard:
        """The card of the model with these knobs. `name` and `trained` are those of our own models' presets."""

    def taps(self, config: Config) -> KnownTaps:
        """The taps of that model by name, which changes may name; no numbers go through them."""

    def tokenize(self, wish: Wish) -> Row:
        """The tokens of the typed text. Raises BadText, TooLong."""

    def further(self, wish: Wish, text: str) -> Row:
        """The tokens of a further sentence of a batch, cut off at the model's length. Raises BadText."""

    def decode(self, wish: Wish, source: Row, beam: int, changing: Changing, stop: Stop) -> Sentence:
        """The tokens of the sides that the model has; it may write the target itself, with the changes.

        Raises BadText, TooLong, Superseded.
        """

    def symbols(self, config: Config, tokens: Tokens, *, of_source: bool = False) -> tuple[str, ...]:
        """The symbol of each id of the output, or of what the encoder reads."""

    def ready(self, config: Config, recorded_bytes: int, stop: Stop, progress: Progress) -> Model:
        """The model with these knobs, for a pass that records `recorded_bytes`. Raises NotEnoughMemory, Superseded."""

    def run(self, model: Model, sentence: Sentence) -> None:
        """Make one pass; recorders and changes see its taps."""

    def places(self, model: Model, n: int) -> Places:
        """[position, feature] the first `n` rows of the first stack's table of positions, and of the second's if it differs."""


@runtime_checkable
class GoesOn(Protocol):
    """The further methods of a ModelSource whose passes may begin behind the rows of an earlier one over the same tokens."""

    def parts_before(self, model: Model) -> tuple[str, ...]:
        """The taps that such a pass reads the earlier rows of; () where the model must read all tokens."""

    def run_after(self, model: Model, sentence: Sentence, n: int, before: Mapping[str, Tensor]) -> None:
        """Make a pass over the tokens behind the first `n`.

        `before` has by tap [batch 1, head, position, feature] their rows.
        """
