"""Intents about how a sentence is tokenized."""

import attrs

from explorer.state.intents import Intent, OnScreen, SetText, wishing
from explorer.state.state import State
from explorer.state.wish import Wish
from explorer.tokens.cuts import Spans, merged, split


@attrs.frozen
class CutTokens(Intent):
    """Cut a side's tokens by hand: "merge" token `index` with the next, "split" it at code point `at`, or "reset" all."""

    side: str
    action: str
    index: int = 0
    at: int = 0

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with these cuts; the same State where the tokens on screen belong to another sentence. Raises BadCut."""
        wish = state.wish
        translated = self.side == "target" and shown is not None and bool(shown.trace.expected)
        of_target = self.side == "target" and (translated or wish.target is not None)
        field = "target_cuts" if of_target else "source_cuts"
        if self.action == "reset":
            return wishing(state, **{field: None, "words": ()})
        if shown is None or _is_old(shown.wish, wish, self.side):
            return state
        tokens, index = getattr(shown.trace.tokens, self.side), self.index
        if translated:  # A translation cut by hand becomes a typed target. Its begin symbol is no part of the text.
            tokens, index = tokens[1:], index - 1
        spans: Spans = tuple((token.start, token.end) for token in tokens)
        if not 0 <= index < len(spans):
            return state
        spans = merged(spans, index) if self.action == "merge" else split(spans, index, self.at)
        return wishing(state, **{field: spans}, **({"target": shown.trace.target} if translated else {}))


def _is_old(shown: Wish, wished: Wish, side: str) -> bool:
    return shown.text != wished.text or (side == "target" and shown.target != wished.target)


@attrs.frozen
class AddWord(Intent):
    """Add a word to jieba's dictionary for this text."""

    word: str

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this word; the same State where it has the word already."""
        if not self.word or self.word in state.wish.words:
            return state
        words = (*state.wish.words, self.word)
        return wishing(state, words=words, source_cuts=None, target_cuts=None, prefix=())


@attrs.frozen
class CutAs(Intent):
    """Tokenize the sentence in one of the ways of the knob `tokenizer`; cuts made by hand are dropped."""

    way: str

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this tokenizer. Raises BadKnob."""
        return wishing(state, config=state.wish.config.changed(tokenizer=self.way), source_cuts=None, prefix=())


@attrs.frozen
class TakeExample(Intent):
    """Set the source to an example sentence, which the box then has to show."""

    text: str

    def applied(self, state: State, shown: OnScreen | None) -> State:
        """The State with this text, as if it were typed."""
        return SetText(self.text).applied(state, shown)
