"""What the sources of presets with trained weights have in common: which model is shown, and how it is run."""

from explorer.config import Config
from explorer.engine.recording.memory import check_memory
from explorer.engine.sources.own_model import OwnModel
from explorer.engine.sources.source import KnownTaps, Places, Sentence
from explorer.engine.sources.trained import Trained
from explorer.model.transformer import Transformer
from explorer.stops import Progress, Stop
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of, parameter_bytes


class OfTrained:
    """Makes the ModelSource of a preset with trained weights, but for the words: subclasses tokenize and decode.

    `own` makes the models that are not the trained one, for a Wish that asks for other weights or another shape.
    """

    def __init__(self, weights: Trained, tokenizers: Tokenizers, own: OwnModel, *, trained: bool) -> None:
        self._weights, self._tokenizers, self._own, self._trained = weights, tokenizers, own, trained

    def card(self, config: Config, name: str = "", trained: bool = False) -> ModelCard:
        """The card of a Config's model, of the preset `name`."""
        return card_of(config, name, trained)

    def taps(self, config: Config) -> KnownTaps:
        """The taps of a Config's model by name."""
        return self._own.taps(config)

    def ready(self, config: Config, recorded_bytes: int, stop: Stop, progress: Progress) -> Transformer:
        """The model with these knobs and trained or fresh weights. Raises NotEnoughMemory, NoSuchDevice, Superseded."""
        if not self._trained:
            return self._own.ready(config, recorded_bytes, stop, progress)
        check_memory(card_of(config), recorded_bytes, held=parameter_bytes(config))
        return self._weights.model(config)

    def run(self, model: Transformer, sentence: Sentence) -> None:
        """Make one pass, or the rest of a pass that was begun in order to translate."""
        self._own.run(model, sentence)

    def places(self, model: Transformer, n: int) -> Places:
        """[position, feature] the first stack's table of positions, and the second's if it differs, else None."""
        return self._own.places(model, n)
