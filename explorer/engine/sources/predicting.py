"""A preset with a trained language model: its vocabulary tokenizes the text, and its model predicts each next token.

If the Wish asks for untrained weights or another shape, that model is shown the same tokens, so that everything else stays
equal. A shape with two sides is given the text on both, as an untrained model is.
"""

from collections.abc import Sequence

import attrs

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.sources.of_trained import OfTrained
from explorer.engine.sources.source import Row, Sentence, of_one_side
from explorer.engine.sources.token_limits import short_enough, within
from explorer.engine.sources.writes import OwnSteps
from explorer.model.transformer import Transformer
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.tokens.bilingual import Bilingual
from explorer.tokens.cuts import Spans
from explorer.tokens.vocabulary import END, MASK
from explorer.tokens.written_ids import tokens_of_ids, written_ids
from explorer.trace.model_card import ModelCard
from explorer.trace.recorded_pass import Tokens


class Predicting(OfTrained):
    """The ModelSource of a preset with a trained language model."""

    def card(self, config: Config, name: str = "", trained: bool = False) -> ModelCard:
        """The card of a Config's model; of one that was trained to fill gaps it has the symbol of a gap."""
        card = super().card(config, name, trained)
        mask = self._weights.bilingual.source.id_of(MASK) if self._trained and config.architecture == "encoder-only" else None
        return card if mask is None else attrs.evolve(card, mask=mask)

    def tokenize(self, wish: Wish) -> Row:
        """The tokens of the typed text. Raises BadText, TooLong."""
        return short_enough(self._row(wish, wish.text, wish.source_cuts), wish.config)

    def further(self, wish: Wish, text: str) -> Row:
        """The tokens of a further sentence of a batch, cut off at the model's length. Raises BadText."""
        return self._row(wish, text, None)[: wish.config.max_len]

    def decode(self, wish: Wish, source: Row, beam: int, changing: Changing, stop: Stop) -> Sentence:
        """The tokens of the sides that the architecture has. If no target was typed, the text is the target as well.

        Raises BadText, TooLong.
        """
        config = wish.config
        alone = of_one_side(config.architecture, source, wish.text)
        if alone is not None:
            return alone
        text, cuts = (wish.text, wish.source_cuts) if wish.target is None else (wish.target, wish.target_cuts)
        row = self._row(attrs.evolve(wish, by_ids=wish.by_ids and wish.target is None), text, cuts)
        target = within(row, config.n_target_symbols)
        return Sentence(Tokens(source, short_enough(target, config)), text)

    def symbols(self, config: Config, tokens: Tokens, *, of_source: bool = False) -> tuple[str, ...]:
        """The symbol of each id of the output, or of what the encoder reads."""
        both = self._vocabulary(config)
        return (both.source if of_source else both.target).symbols

    def to_go_on_with(self, wish: Wish, row: Row) -> Row:
        """The tokens of a text; () for a shape with two sides or with an encoder alone."""
        return row if wish.config.architecture == "decoder-only" else ()

    def steps(self, model: Transformer) -> OwnSteps:
        """Steps with the keys and values of all earlier tokens."""
        return OwnSteps(model)

    def ends(self, wish: Wish) -> frozenset[int]:
        """The end symbol."""
        return frozenset({END})

    def said(self, wish: Wish, ids: Sequence[int], after: Sequence[int]) -> str:
        """What the ids add to the text of those before them, with the space between the two."""
        vocabulary = self._vocabulary(wish.config)
        before, whole = vocabulary.target_text(after), vocabulary.target_text((*after, *ids))
        return whole[len(before) :] if whole.startswith(before) else vocabulary.target_text(ids)

    def _row(self, wish: Wish, text: str, cuts: Spans | None) -> Row:
        if wish.by_ids:
            return tokens_of_ids(written_ids(text), self._vocabulary(wish.config).source.symbols)
        return self._tokenizers.source(text, wish.config, self._vocabulary(wish.config), cuts=cuts, words=wish.words)

    def _vocabulary(self, config: Config) -> Bilingual:
        """The trained vocabulary, cut to the sizes that the Config has."""
        return self._weights.bilingual.capped(config.vocab_size, config.n_target_symbols)
