"""Every source of models, of which a Wish chooses one. Trained models are kept beside the others, so that a slider back to
their shape finds them at once.
"""

from explorer.engine.sources.own_model import OwnModel
from explorer.engine.sources.source import ModelSource
from explorer.engine.sources.translating import Translating
from explorer.engine.sources.translator import Translator
from explorer.engine.token_limits import short_enough
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.tokens.tokenizer import Tokenizers


class Sources:
    """`own` makes untrained models; the last translator is kept."""

    def __init__(self, tokenizers: Tokenizers) -> None:
        self.tokenizers = tokenizers
        self.own = OwnModel(tokenizers)
        self._translator: Translator | None = None

    def of(self, wish: Wish) -> ModelSource:
        """The source that a Wish asks for. Raises UnknownPreset, BadFile."""
        # A vocabulary made from the sentence alone has nothing to do with the trained one.
        translator = self.translator(wish.preset) if wish.config.vocabulary == "bundled" else None
        if translator is None:
            return self.own
        return Translating(translator, self.tokenizers, self.own, trained=wish.uses_trained)

    def translator(self, preset: str) -> Translator | None:
        """The trained model of a preset, None where it has none; kept for the next time. Raises BadFile."""
        chosen = load_preset(preset)
        if chosen.folder is None:
            return None
        if self._translator is None or self._translator.preset != chosen:
            self._translator = None  # two large models need not fit beside each other
            self._translator = Translator(chosen)
        return self._translator

    def source_ids(self, text: str, translator: Translator) -> tuple[int, ...]:
        """The ids of a sentence to translate. Raises BadText, TooLong."""
        config = translator.preset.config
        tokens = self.tokenizers.source(text, config, translator.bilingual)
        return tuple(token.id for token in short_enough(tokens, config))

    def rest(self, stop: Stop) -> None:
        """Make ready what the next pass may need."""
        self.own.rest(stop)
