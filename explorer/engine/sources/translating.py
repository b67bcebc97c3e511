"""A preset with trained weights: its vocabularies tokenize the text, and its model generates the target.

If the Wish asks for untrained weights or another shape, that model is shown with the target of the trained one, so that
everything else stays equal.
"""

from collections.abc import Sequence

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.decoding.beam import Decoding
from explorer.engine.recording.long_text import plan_for
from explorer.engine.sources.of_trained import OfTrained
from explorer.engine.sources.own_model import OwnModel
from explorer.engine.sources.source import Row, Sentence, of_one_side
from explorer.engine.sources.token_limits import room, short_enough, within
from explorer.engine.sources.translator import Translator
from explorer.model.hooks import is_hooked
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.tokens.cuts import Spans
from explorer.tokens.tokenizer import Tokenizers
from explorer.tokens.written_ids import tokens_of_ids, written_ids
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens


class Translating(OfTrained):
    """The ModelSource of a preset with weights that were trained to translate."""

    def __init__(self, translator: Translator, tokenizers: Tokenizers, own: OwnModel, *, trained: bool) -> None:
        super().__init__(translator, tokenizers, own, trained=trained)
        self._translator = translator

    def tokenize(self, wish: Wish) -> Row:
        """The tokens of the typed text. Raises BadText, TooLong."""
        return short_enough(self._row(wish, wish.text, wish.source_cuts), wish.config)

    def further(self, wish: Wish, text: str) -> Row:
        """The tokens of a further sentence of a batch, cut off at the model's length. Raises BadText."""
        return self._row(wish, text, None)[: wish.config.max_len]

    def _row(self, wish: Wish, text: str, cuts: Spans | None) -> Row:
        bilingual = room(self._translator, wish.config)
        if wish.by_ids:
            return tokens_of_ids(written_ids(text), bilingual.source.symbols)
        return self._tokenizers.source(text, wish.config, bilingual, cuts=cuts, words=wish.words)

    def decode(self, wish: Wish, source: Row, beam: int, changing: Changing, stop: Stop) -> Sentence:
        """The tokens of both sides; the target was typed or is written by the trained model.

        Raises BadText, TooLong, Superseded.
        """
        config = wish.config
        alone = of_one_side(config.architecture, source, wish.text)
        if alone is not None:
            return alone
        if wish.target is None:
            return self._translated(wish, source, beam, changing, stop)
        found = self._tokenizers.target(wish.target, room(self._translator, config), cuts=wish.target_cuts)
        return Sentence(Tokens(source, short_enough(found, config)), wish.target)

    def _translated(self, wish: Wish, source: Row, beam: int, changing: Changing, stop: Stop) -> Sentence:
        """Both sides with the translation of the trained model. The changes apply to it only if it is the model shown."""
        translator = self._translator
        own = wish.config if self._trained else translator.preset.config
        changing = changing if self._trained else Changing()
        begun = None
        ids = tuple(token.id for token in source)
        # The pass is begun here only if it may be made in two parts: dropout must draw its random numbers in one go, and a
        # long text is recorded by a plan that needs the length of both sides.
        plan = plan_for(card_of(own), own.memory_budget, len(source), own.max_len)
        model = translator.model(own)
        # Hooks of others are shown all tokens at each step, and nothing is decoded with copies of weights that they may edit.
        watched = translator.is_live or is_hooked(model)
        whole, altered = watched or changing.in_whole_passes, bool(changing.changes)
        decoding = translator.decoding(own, altered, beam=beam, prefix=wish.prefix, whole=whole)
        at_once = self._trained and not own.dropout_active and plan.everything
        if at_once:
            begun = translator.begun(ids, own, changing, stop)
            found, begun = translator.recorded(ids, own, decoding, begun, changing, stop)
        else:
            found = translator.search(ids, own, decoding, stop, None, changing)
        target = within(translator.bilingual.target_tokens(found.best), wish.config.n_target_symbols)
        # A shape with fewer positions than the trained one shows the beginning. This is no error: the user typed none of it.
        tokens = Tokens(source, target[: wish.config.max_len])
        return Sentence(tokens, translator.bilingual.target_text(found.best), found if self._trained else None, begun)

    def translated_together(self, wish: Wish, sources: Sequence[Row], changing: Changing, stop: Stop) -> list[Sentence]:
        """Each sentence with its translation by the trained model; all are of one length, so no padding meets a change.

        Raises BadChange, Superseded.
        """
        translator = self._translator
        decoding = translator.decoding(wish.config, bool(changing.changes), beam=wish.beam, whole=changing.in_whole_passes)
        ids = [tuple(token.id for token in source) for source in sources]
        with changing.inside(translator.model(wish.config)):
            searches = translator.search_all(ids, wish.config, decoding, stop)
        both = translator.bilingual
        return [
            Sentence(Tokens(source, both.target_tokens(found.best)), both.target_text(found.best), found)
            for source, found in zip(sources, searches, strict=True)
        ]

    def decoding(self, wish: Wish) -> Decoding:
        """How the translation of a Wish without changes is searched for."""
        return self._translator.decoding(wish.config, beam=wish.beam)

    @property
    def shows_trained(self) -> bool:
        """Whether the model that is shown is the trained one, which writes the translations."""
        return self._trained

    def with_target(self, wish: Wish, source: Row, ids: Sequence[int]) -> Tokens:
        """Both sides in tokens, of a translation's ids."""
        target = within(self._translator.bilingual.target_tokens(ids), wish.config.n_target_symbols)
        return Tokens(source, target[: wish.config.max_len])

    def symbols(self, config: Config, tokens: Tokens, *, of_source: bool = False) -> tuple[str, ...]:
        """The symbol of each id of the output, or of what the encoder reads."""
        both = room(self._translator, config)
        return (both.target if config.architecture == "encoder-decoder" and not of_source else both.source).symbols
