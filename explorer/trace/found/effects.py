"""Effects: how the log-probability of each word changes when a part of the model is ablated.

An effect is log p(word) without the part − log p(word) with it, in nats: below zero where the part made the word likelier. Each
number is that of a pass of its own, with the same words before it, so no word is searched for anew. A head is ablated by
zeros in place of its output before W_O. Zeros in its slice of W_O's output would be another thing: each number of that
output is a sum over all heads.

Edges are the effects of single cells of one head's attention. A cell is masked before the softmax, so the rest of its row still
sums to 1.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import UnknownWord
from explorer.tokens.token import Token
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.model_card import LOGITS
from explorer.trace.notebook_display import drawn_results
from explorer.trace.printed import printed
from explorer.trace.recorded_pass import RecordedPass
from explorer.trace.tabular import Tables, Tabular, cells


@attrs.frozen(kw_only=True, eq=False)
class Edges(Tabular):
    """The effects of one head's cells: `values` [query, key, word], in nats. `words` are those of `Effects`.

    NaN stands where no cell can be masked: `closed` [query, key] are cells that are masked already, `alone` [query, key] the
    only unmasked ones of their rows, without which a query would see nothing. The first `exact_rows` queries are exact, each
    cell by a pass of its own; the others are estimated from the gradient.
    """

    attention: str
    layer: int
    head: int
    words: tuple[str, ...]
    word_ids: tuple[int, ...]
    values: Array
    closed: NDArray[np.bool_]
    alone: NDArray[np.bool_]
    exact_rows: int

    @property
    def exact(self) -> bool:
        """Whether every cell is exact."""
        return self.exact_rows >= len(self.values)

    def tables(self) -> Tables:
        """`edges`: a row for each query, key and word, with what masking the cell adds to log p (nats)."""
        return {"edges": partial(cells, {"effect": self.values}, query=None, key=None, word=self.words)}

    def is_of(self, attention: str, layer: int, head: int) -> bool:
        """Whether they are those of this head."""
        return (self.attention, self.layer, self.head) == (attention, layer, head)

    def of(self, word: int) -> "Edges":
        """The effects on the word at one place alone."""
        some = slice(word, word + 1)
        return attrs.evolve(
            self, words=self.words[some], word_ids=self.word_ids[some], values=frozen_array(self.values[..., some])
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it in types that JSON has; None stands for what is no number."""
        made = {field.name: getattr(self, field.name) for field in attrs.fields(Edges)}
        values = self.values.astype(object)
        values[~np.isfinite(self.values)] = None
        return made | {"values": values.tolist(), "closed": self.closed.tolist(), "alone": self.alone.tolist()}

    def __repr__(self) -> str:
        """At most ten lines: the size, and the strongest cells."""
        n_queries, n_keys, n_words = self.values.shape
        sizes = f"[query {n_queries}, key {n_keys}, word {n_words}]"
        told = "" if self.exact else f", the first {self.exact_rows} rows exact"
        head = f"Edges of {self.attention} layer {self.layer} head {self.head} {sizes} Δ log p in nats{told}"
        order = np.argsort(-np.nan_to_num(np.abs(self.values)), axis=None)[:5]
        places = [np.unravel_index(int(each), self.values.shape) for each in order]
        lines = [f"  {query} → {key}: {self.words[word]} {self.values[query, key, word]:+.3g}" for query, key, word in places]
        return printed("\n".join((head, *lines)))


_ARRAYS = ("log_p", "heads", "layers", "feed_forwards", "hidden", "estimates")
LEAST = 0.05
"""A smaller effect counts as none (nats)."""


def measured_words(source: Sequence[Token], target: Sequence[Token], expected: tuple[int, ...]) -> tuple[tuple[int, ...], str]:
    """The ids of the words whose log-probabilities are measured, and what they are (see Effects.measured).

    `expected` has the ids that a translation is expected to say, with its end; it is empty for a model that is not asked.
    """
    ids = tuple(token.id for token in target or source)
    if expected:
        return expected, "written"
    return (ids[1:], "next") if target and len(ids) > 1 else (ids, "own")


def measured_in(trace: RecordedPass) -> tuple[tuple[int, ...], str]:
    """As `measured_words` of a pass; of a classifier, the likeliest class of the text, or of each token ("class")."""
    if trace.card.classes is not None:
        return classes_of(trace), "class"
    return measured_words(trace.tokens.source, trace.tokens.target, trace.expected)


def classes_of(trace: RecordedPass) -> tuple[int, ...]:
    """The likeliest class of each row of a classifier's logits; () of any other model."""
    return () if trace.card.classes is None else tuple(map(int, trace[LOGITS].argmax(axis=-1)))


@attrs.frozen(kw_only=True, eq=False)
class Effects(Tabular):
    """What each part of a model does to each word of one pass; all arrays are in nats.

    `words` are the measured words with their ids in `word_ids` and their log-probabilities `log_p` [word] in the pass as it is.
    Word i is predicted at position i. `measured` is "written" for the words of a translation with its end, "next" for the next
    tokens of a text, "own" for each token at its own place (encoder-only, which predicts no next one), and "class" for the
    likeliest class of the text or of each token.

    `heads` [attention, layer, head, word]: one head is ablated at its tap `mixed`.
    `layers` [attention, layer, word]: all heads of one attention in one layer are ablated.
    `feed_forwards` [side, layer, word]: what one feed-forward adds is ablated.
    `hidden` [token, word]: a token of `tokens` is hidden from the others, before the softmax, in all heads and layers of the
    attention `hidden_in`: from the target's queries in cross-attention, or from all tokens but itself. It is NaN where a query
    would be left without any key.

    Where the sides of a model differ in depth or in how many heads they have, the places that are not there are NaN; so are
    the feed-forwards of a model whose feed-forwards are not seen.

    `attentions` and `sides` name the first axes ("decoder.cross_attn", "decoder"). `exact` is False where `heads` are only
    estimated from the gradient; all other arrays are always exact. Where an estimate came before exact effects, `estimates` has
    it, in the shape of `heads`. While estimates turn exact layer by layer, the first `exact_rows` rows [attention and layer]
    are exact already. `edges` are those of one head, if they were asked for.
    """

    attentions: tuple[str, ...]
    sides: tuple[str, ...]
    words: tuple[str, ...]
    word_ids: tuple[int, ...]
    measured: str
    tokens: tuple[str, ...]
    hidden_in: str
    log_p: Array
    heads: Array
    layers: Array
    feed_forwards: Array
    hidden: Array
    exact: bool = True
    estimates: Array | None = None
    exact_rows: int = 0
    edges: Edges | None = None

    def tables(self) -> Tables:
        """`heads`, `layers`, `feed_forwards`, `hidden`: a row for each part and word, with its effect (nats); and `edges`."""
        words, attentions = self.words, self.attentions
        made: Tables = {
            "heads": partial(cells, {"effect": self.heads}, attention=attentions, layer=None, head=None, word=words),
            "layers": partial(cells, {"effect": self.layers}, attention=attentions, layer=None, word=words),
            "feed_forwards": partial(cells, {"effect": self.feed_forwards}, side=self.sides, layer=None, word=words),
            "hidden": partial(cells, {"effect": self.hidden}, token=self.tokens, word=words),
        }
        return made if self.edges is None else {**made, **self.edges.tables()}

    @property
    def values(self) -> Array:
        """[attention, layer, head, word] the effects of single heads."""
        return self.heads

    @property
    def correlation(self) -> float:
        """The correlation of the estimates with the exact effects of heads; NaN where one of them is missing."""
        if self.estimates is None or not self.exact:
            return float("nan")
        there = np.isfinite(self.heads)
        heads, estimates = self.heads[there], self.estimates[there]
        if not heads.size or np.ptp(heads) == 0 or np.ptp(estimates) == 0:
            return float("nan")
        return float(np.corrcoef(heads, estimates)[0, 1])

    def of(self, word: str | int) -> "Effects":
        """The effects on one word alone: on that at a place, counted from 0, or on the first that reads so. Raises UnknownWord.

        The mark of a blank before a word of a translation need not be written.
        """
        place = self.place(word)
        some = slice(place, place + 1)
        arrays: dict[str, Any] = {
            name: frozen_array(getattr(self, name)[..., some]) for name in _ARRAYS if getattr(self, name) is not None
        }
        edges = None if self.edges is None else self.edges.of(place)
        return attrs.evolve(self, words=self.words[some], word_ids=self.word_ids[some], edges=edges, **arrays)

    def place(self, word: str | int) -> int:
        """The place of a word, or of the first that reads so. Raises UnknownWord."""
        if isinstance(word, str):
            from explorer.tokens.pieces import MARK  # A library of Unicode's properties, which the first window leaves out.

            told = [each for each in (word, f"{MARK}{word}") if each in self.words]
            if told:
                return min(map(self.words.index, told))
        elif isinstance(word, (int, np.integer)) and not isinstance(word, bool) and 0 <= word < len(self.words):
            return int(word)
        raise UnknownWord(got=word, known=" ".join(self.words))

    def to_dict(self) -> dict[str, Any]:
        """All of it in types that JSON has; None stands for what is no number."""
        made = {field.name: getattr(self, field.name) for field in attrs.fields(Effects)}
        lists = {name: _listed(value) if isinstance(value, np.ndarray) else value for name, value in made.items()}
        return lists | {"edges": None if self.edges is None else self.edges.to_dict()}

    def __repr__(self) -> str:
        """At most ten lines: the words, and the strongest of each kind of part."""
        n_attentions, n_layers, n_heads, n_words = self.heads.shape
        sizes = f"[attention {n_attentions}, layer {n_layers}, head {n_heads}, word {n_words}]"
        lines = (
            f"Effects {sizes} Δ log p in nats{'' if self.exact else ', heads estimated'}",
            f"  words: {_short(' '.join(self.words))}",
            *(f"  strongest {name}" for name in self._strongest()),
        )
        return printed("\n".join(lines))

    def _repr_html_(self) -> str:
        """The effects of each part on all words together as maps, and those of single words as a table."""
        return f"{drawn_results(self)}{super()._repr_html_()}"

    def _strongest(self) -> Iterator[str]:
        """Of each kind of part the one that matters most, in words."""
        places = (("attention", self.layers, self.attentions), ("feed-forward", self.feed_forwards, self.sides))
        if np.isfinite(self.heads).any():
            first, layer, head, word = largest(self.heads)
            effect = self._effect(self.heads, first, layer, head, word)
            yield f"head: {self.attentions[first]} layer {layer} head {head}, {effect}"
        for name, array, firsts in places:
            if np.isfinite(array).any():
                first, layer, word = largest(array)
                yield f"{name}: {firsts[first]} layer {layer}, {self._effect(array, first, layer, word)}"
        if np.isfinite(self.hidden).any():
            token, word = largest(self.hidden)
            yield f"hidden word: {self.tokens[token]}, {self._effect(self.hidden, token, word)}"

    def _effect(self, array: Array, *place: int) -> str:
        return f"{self.words[place[-1]]} {array[place]:+.3g}"


def _listed(array: Array) -> Any:
    """Nested lists of an array's numbers, as float32 writes them; None for NaN."""
    if array.ndim:
        return [_listed(each) for each in array]
    return float(str(array)) if np.isfinite(array) else None


def largest(array: Array) -> tuple[int, ...]:
    """The place of the largest magnitude in an array that has a number."""
    return tuple(int(each) for each in np.unravel_index(int(np.nanargmax(np.abs(array))), array.shape))


def _short(text: str, most: int = 100) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
