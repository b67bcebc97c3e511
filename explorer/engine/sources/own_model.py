"""Our own untrained models: their weights come from a seed, and texts are tokenized as the Config says.

The last model is kept, so that a knob that applies to the pass acts on the same weights.
"""

import attrs
import torch

from explorer.config import Config
from explorer.engine.change_checks import own_taps
from explorer.engine.changing import Changing
from explorer.engine.devices import on_device
from explorer.engine.recording.memory import check_memory
from explorer.engine.sources.source import KnownTaps, Places, Row, Sentence, of_one_side
from explorer.engine.sources.token_limits import numbered, of_target, short_enough
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build, can_be_redrawn, redrawn, with_knobs
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop, stoppable
from explorer.tokens.tokenizer import Tokenizers
from explorer.tokens.written_ids import tokens_of_ids, written_ids
from explorer.trace.arrays import frozen_array
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of, parameter_bytes
from explorer.trace.recorded_pass import Tokens


class OwnModel:
    """The ModelSource of untrained models, of which it keeps the last. It makes the passes of trained models as well."""

    def __init__(self, tokenizers: Tokenizers) -> None:
        self._tokenizers = tokenizers
        self.last: Transformer | None = None

    def card(self, config: Config, name: str = "", trained: bool = False) -> ModelCard:
        """The card of a Config's model, of the preset `name`."""
        return card_of(config, name, trained)

    def taps(self, config: Config) -> KnownTaps:
        """The taps of a Config's model by name."""
        return own_taps(config.architecture, config.n_layers)

    def tokenize(self, wish: Wish) -> Row:
        """The tokens of the typed text. Raises BadText, TooLong."""
        return short_enough(self._tokenized(wish, wish.text), wish.config)

    def further(self, wish: Wish, text: str) -> Row:
        """The tokens of a further sentence of a batch, cut off at the model's length. Raises BadText."""
        return self._tokenized(attrs.evolve(wish, source_cuts=None), text)[: wish.config.max_len]

    def decode(self, wish: Wish, source: Row, beam: int, changing: Changing, stop: Stop) -> Sentence:
        """The tokens of the sides that the architecture has. If no target was typed, the text is the target as well.

        Raises BadText, TooLong, TooManySymbols.
        """
        sentence = self._both_sides(wish, source)
        if wish.config.vocabulary == "sentence":
            return attrs.evolve(sentence, tokens=numbered(sentence.tokens, wish.config))
        return sentence

    def _both_sides(self, wish: Wish, source: Row) -> Sentence:
        config = wish.config
        alone = of_one_side(config.architecture, source, wish.text)
        if alone is not None:
            return alone
        if wish.target is None and not config.has_two_vocabularies:
            return Sentence(Tokens(source, source), wish.text)
        text, cuts = (wish.text, wish.source_cuts) if wish.target is None else (wish.target, wish.target_cuts)
        if wish.by_ids and wish.target is None:
            found = tokens_of_ids(written_ids(text), self._tokenizers.symbols(of_target(config)))
        else:
            found = self._tokenizers.tokenize(text, of_target(config), cuts=cuts, words=wish.words)
        return Sentence(Tokens(source, short_enough(found, config)), text)

    def symbols(self, config: Config, tokens: Tokens, *, of_source: bool = False) -> tuple[str, ...]:
        """The symbol of each id of the output, or of what the encoder reads."""
        if config.vocabulary == "sentence":
            return tuple(dict.fromkeys(token.text for token in (*tokens.source, *tokens.target)))
        return self._tokenizers.symbols(config if of_source else of_target(config))

    def ready(self, config: Config, recorded_bytes: int, stop: Stop, progress: Progress) -> Transformer:
        """The model of a Config: the last model, a new one with its weights, or one with new weights.

        `recorded_bytes` is the size of the arrays that the pass will record. Raises NotEnoughMemory, NoSuchDevice, Superseded.
        """
        kept = self.last
        same = kept is not None and kept.config.shape == config.shape
        held = 0 if kept is None else parameter_bytes(kept.config)
        check_memory(card_of(config), recorded_bytes, held=held)
        if kept is not None and can_be_redrawn(kept, config):
            self.last = None  # A model that is only half redrawn belongs to no Config.
            self.last = redrawn(kept, config, stoppable(progress, stop))
        elif kept is None or not same:
            self.last = None  # The old model goes first, because two large models may not fit into memory.
            self.last = build(config, progress=stoppable(progress, stop))
        elif kept.config != config:
            self.last = with_knobs(kept, config)
        assert self.last is not None
        return on_device(self.last, config.device)

    def run(self, model: Transformer, sentence: Sentence) -> None:
        """Make one pass over both sides, or the rest of a pass that was begun in order to translate, if there is any."""
        if sentence.begun is not None and sentence.begun.target is not None:
            return
        device = model.config.device
        source, target = (
            ids_tensor(tuple(token.id for token in side)).to(device) if side else None
            for side in (sentence.tokens.source, sentence.tokens.target)
        )
        if sentence.begun is None or target is None:
            model(source, target)
        else:
            model.generator(model.decode(target, sentence.begun.memory))

    def places(self, model: Transformer, n: int) -> Places:
        """[position, feature] the first stack's table of positions, and the second's if it differs, else None."""
        stacks = [stack for stack in (model.encoder, model.decoder) if stack is not None]
        same = len(stacks) == 1 or model.config.position != "learned"
        with torch.inference_mode():
            tables = [frozen_array(stack.embedding.table(n).cpu().numpy()) for stack in (stacks[:1] if same else stacks)]
        return tables[0], None if same else tables[1]

    def _tokenized(self, wish: Wish, text: str) -> Row:
        if wish.by_ids:
            return tokens_of_ids(written_ids(text), self._tokenizers.symbols(wish.config))
        return self._tokenizers.tokenize(text, wish.config, cuts=wish.source_cuts, words=wish.words)
