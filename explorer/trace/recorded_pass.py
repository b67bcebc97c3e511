"""What one forward pass recorded: every tensor, frozen, with named axes, tokens and the card of its model.

Measures and findings read it; a Trace (`trace.trace`) is a RecordedPass that can also be asked for these, saved and shown.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np

from explorer.config import Config
from explorer.errors import ExplorerError, NotKept, UnknownHead, UnknownKnob, UnknownTap
from explorer.knobs import Value
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import BEGIN, END
from explorer.trace.arrays import Array, Arrays
from explorer.trace.changes import Change
from explorer.trace.kept_map import MASKED_STAGES, KeptMap
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of
from explorer.trace.patterns import is_pattern, stacked, taps_of
from explorer.trace.search_tree import Search
from explorer.trace.stages import stage_of
from explorer.trace.tabular import Columns, Tables, Tabular
from explorer.trace.tap_names import place_of, side_name
from explorer.trace.word_groups import Groups, before, folded, word_groups

THIS_PROGRAM = "transformer-explorer"
"""What recorded a pass that this program recorded before and reads again."""


@attrs.frozen
class Tokens(Tabular):
    """The tokens of both sides; a side that the architecture lacks is empty."""

    source: tuple[Token, ...] = ()
    target: tuple[Token, ...] = ()

    def tables(self) -> Tables:
        """`tokens`: a row for each token of both sides."""
        return {"tokens": self._rows}

    def _rows(self) -> Columns:
        rows = [("source", n, each) for n, each in enumerate(self.source)]
        rows += [("target", n, each) for n, each in enumerate(self.target)]
        places: dict[str, list[Any]] = {
            "side": [side for side, _n, _token in rows],
            "position": [n for _side, n, _token in rows],
        }
        fields = ("text", "id", "start", "end", "known", "special")
        return {**places, **{name: [getattr(token, name) for _side, _n, token in rows] for name in fields}}


def _attention(home: str) -> str:
    """The kind of the attention whose taps begin so: "decoder.self_attn" of "decoder.layers.3.self_attn"."""
    place = place_of(home)
    return f"{place.side}.{place.part}"


def written(tokens: Tokens, begin: int = BEGIN, end: int = END) -> tuple[int, ...]:
    """For each position of the target the id of the next token, at last the end symbol; empty without a begin symbol.

    `begin` and `end` are the ids of these symbols.
    """
    ids = tuple(token.id for token in tokens.target)
    return (*ids[1:], end) if ids[:1] == (begin,) else ()


def fixed(mapping: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """The same mapping, which cannot be changed."""
    return mapping if isinstance(mapping, (Arrays, MappingProxyType)) else MappingProxyType(dict(mapping))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class RecordedPass:
    """What one pass recorded. `arrays` are read-only float32 by tap name, and `axis_names` has the axes of every tap.

    `symbols` are the words of the vocabulary in the order of their ids. `search` is what decoding tried, if the model itself
    wrote the target. `card` describes the model; pictures and lessons ask nothing else about it. `config` has the knobs of our
    own model; for any other model it is None, and `card` must be given. `changes` were made inside the pass, and the arrays
    show the numbers with these changes. `left_out` are changes that this sentence has no place for, by the error that says
    why; they are not saved. `recorded_by` names another program that recorded the numbers; "" for this one. `prompt` is what
    a chat template made of the text, whose tokens these are; "" where the text itself was read. `taps` are the names by which
    few taps were chosen to be recorded; () where all of them were.

    `places` [position, feature] is the model's table of positions; it goes on after the end of the text, so that waves can be
    seen. If the decoder has a table of its own, it is `decoder_places`; `table(side)` finds the right one.

    `experiments` (by name) and `compared_with` (the Trace to compare with) are made only while a page shows them, and are not
    saved.

    Arrays hold what the model computed: a masked score is -inf or -1e9 here, and becomes NaN only in a Picture.

    Not everything of a long text is kept (see `engine.recording.keep_plan`), and large arrays have levels for drawing. `maps`
    has a KeptMap for each tap of which less or more than the array is kept; `map(name)` gives the KeptMap of any tap.
    """

    arrays: Mapping[str, Array] = attrs.field(converter=fixed)
    axis_names: Mapping[str, tuple[str, ...]] = attrs.field(converter=fixed)
    tokens: Tokens
    config: Config | None
    places: Array
    source: str = ""
    target: str = ""
    preset: str = ""
    card: ModelCard = attrs.field(
        default=attrs.Factory(lambda trace: trace.config and card_of(trace.config, trace.preset), takes_self=True),
        validator=attrs.validators.instance_of(ModelCard),
    )
    symbols: tuple[str, ...] = ()
    search: Search | None = None
    experiments: Mapping[str, object] = attrs.field(converter=fixed, factory=dict)
    compared_with: "RecordedPass | None" = None
    maps: Mapping[str, KeptMap] = attrs.field(converter=fixed, factory=dict)
    decoder_places: Array | None = None
    changes: tuple[Change, ...] = ()
    recorded_by: str = ""
    prompt: str = ""
    taps: tuple[str, ...] = ()
    left_out: Mapping[Change, ExplorerError] = attrs.field(converter=fixed, factory=dict)
    _made: dict[str, KeptMap] = attrs.field(init=False, repr=False, factory=dict)
    _folded: dict[str, Array] = attrs.field(init=False, repr=False, factory=dict)

    @property
    def of_others(self) -> bool:
        """Whether a foreign model made it, which has a card and no Config."""
        return self.config is None

    @property
    def parameters(self) -> int:
        """How many numbers the model computes with."""
        return self.card.parameters

    @property
    def trained(self) -> bool:
        """Whether the model's weights were learned."""
        return self.card.trained

    def knob(self, name: str) -> Value:
        """The value of a knob. Raises UnknownKnob; a foreign model has no knobs, so it raises for every name."""
        values = {} if self.config is None else self.config.values()
        if name not in values:
            raise UnknownKnob(name=name)
        return values[name]

    def __getitem__(self, name: str) -> Array:
        """The recorded array of a tap, float32 and read-only; `axes(name)` says what stands along its dimensions.

        With a star in the place of the layer, "encoder.layers.*.self_attn.weights", it is that tap of all layers in one array:
        [layer, head, query, key]. Raises UnknownTap, NotKept if a long text left no room for it, and LayersDiffer.
        """
        try:
            return self.arrays[name]
        except (KeyError, TypeError):  # A list or a slice, which is no name, raises TypeError.
            if isinstance(name, str) and name in self.maps:
                raise self.not_kept(name, -1) from None
            taps = taps_of(name, self.axis_names) if is_pattern(name) else ()
            if taps:
                return stacked(taps, [self[tap] for tap in taps])
            raise unknown_tap(name, self.axis_names) from None

    def head(self, name: str, head: int) -> Array:
        """[query, key] or [position, feature] of one head. Raises UnknownTap, UnknownHead, NotKept."""
        kept = self.map(name)
        if not isinstance(head, (int, np.integer)) or not 0 <= head < kept.shape[0]:
            raise UnknownHead(got=head, last=kept.shape[0] - 1)
        found = kept.head(head)
        if found is None:
            raise self.not_kept(name, head)
        return found

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of the tensor at a tap, whether it was kept or not. Raises UnknownTap."""
        if isinstance(name, str) and name in self.maps:
            return self.maps[name].shape
        if isinstance(self.arrays, Arrays) and isinstance(name, str) and name in self.arrays:
            return self.arrays.shape(name)  # An array that is only measured is not prepared.
        shape: tuple[int, ...] = self[name].shape
        return shape

    def map(self, name: str) -> KeptMap:
        """The KeptMap of a tap: how much of its array was kept, with its levels and mask. Raises UnknownTap."""
        if not isinstance(name, str):
            raise unknown_tap(name, self.axis_names)
        kept = self.maps.get(name) or self._made.get(name)
        if kept is None:
            array = self[name]
            base, _, stage = name.rpartition(".")
            masked = self.arrays.get(f"{base}.masked") if stage in MASKED_STAGES else None
            if masked is not None and not self.changes:
                masked = masked[0]  # Without changes, all heads have the same mask.
            elif masked is None and stage in MASKED_STAGES and _attention(base) in self.card.causal:
                n_queries, n_keys = array.shape[-2:]  # The scores were not recorded, but the card says what the mask is.
                masked = np.where(np.tri(n_queries, n_keys, dtype=bool), np.float32(0), np.float32(-np.inf))
            kept = KeptMap(tap=name, shape=array.shape, array=array, masked=masked)
            self._made[name] = kept  # Several pictures ask for the mask, which is found once.
        return kept

    def table(self, side: str) -> Array:
        """[position, feature] the table of positions of "encoder" or "decoder"."""
        return self.places if side == "encoder" or self.decoder_places is None else self.decoder_places

    @property
    def whole(self) -> bool:
        """Whether everything was kept."""
        return all(kept.array is not None for kept in self.maps.values())

    def not_kept(self, name: str, head: int) -> NotKept:
        """The error that says that a head (-1: the whole tap) was not kept; the window then asks for it."""
        return NotKept(tap=name, head=head, n_tokens=max(len(self.tokens.source), len(self.tokens.target)))

    def __contains__(self, name: str) -> bool:
        return name in self.axis_names

    def __iter__(self) -> Iterator[str]:
        """The names of all taps, in the order of the flow."""
        return iter(self.axis_names)

    def __len__(self) -> int:
        """How many taps there are."""
        return len(self.axis_names)

    def __bool__(self) -> bool:
        return True  # A Trace without taps is a Trace all the same.

    def names(self) -> tuple[str, ...]:
        """All taps, in the order in which the data flowed through them."""
        return tuple(self.axis_names)

    def axes(self, name: str) -> tuple[str, ...]:
        """The names of a tap's axes, in the order of its array's dimensions; with a star, `layer` first. Raises UnknownTap."""
        try:
            return self.axis_names[name]
        except (KeyError, TypeError):
            taps = taps_of(name, self.axis_names) if is_pattern(name) else ()
            if taps:
                return "layer", *self.axis_names[taps[0]]
            raise unknown_tap(name, self.axis_names) from None

    def side_name(self, name: str, axis: str) -> str:
        """The side whose tokens stand along an axis of a tap: "source" or "target"."""
        return side_name(name, axis, has_target=bool(self.tokens.target))

    def side(self, name: str, axis: str = "position") -> tuple[Token, ...]:
        """The tokens that stand along an axis of a tap: "position", "query" or "key"."""
        return self.tokens.source if self.side_name(name, axis) == "source" else self.tokens.target

    @property
    def expected(self) -> tuple[int, ...]:
        """For each position of the target the id of the next token; for the last position the end symbol.

        Empty if the target has no begin symbol: then no next tokens are expected.
        """
        return written(self.tokens, self.card.begin, self.card.end)

    @property
    def word_groups(self) -> Mapping[str, Groups]:
        """The tokens of each written word of "source" and of "target", by their places."""
        return MappingProxyType({"source": word_groups(self.tokens.source), "target": word_groups(self.tokens.target)})

    def keys(self, name: str) -> tuple[Token, ...]:
        """The tokens that stand along an attention tap's key axis."""
        return self.side(name, "key")

    def words_of(self, name: str) -> tuple[Groups, Groups]:
        """The rows of each word of queries and the columns of each word of keys of an attention tap.

        A row of cross-attention belongs to the word that it writes, where words are expected. Raises UnknownTap.
        """
        queries, keys = (self.word_groups[self.side_name(name, axis)] for axis in ("query", "key"))
        writes = ".cross_attn." in name and bool(self.expected)
        return (before(queries, self.shape(name)[1]) if writes else queries), keys

    def folded(self, name: str) -> Array:
        """[head, word of queries, word of keys] the weights of an attention tap between written words (see `words_of`).

        To a word of several tokens it is the sum over them, of a word the average over them, so that rows still sum to 1;
        NaN where a mask has closed all of it. Raises UnknownTap, also for taps that are no weights, and NotKept.
        """
        # A look at another head asks for all layers again, 5 ms a tap of 256 tokens.
        if name not in self._folded:
            if name not in self or self.axes(name)[-1] != "key" or stage_of(name).range != "unit":
                raise unknown_tap(name, tuple(tap for tap in self.axis_names if tap.endswith("_attn.weights")))
            made = folded(self[name], *self.words_of(name), self.map(name).closed)
            made.flags.writeable = False
            self._folded[name] = made
        return self._folded[name]


def unknown_tap(name: str, known: Mapping[str, object] | tuple[str, ...]) -> UnknownTap:
    """The error for a name that is no tap; it suggests the tap with the most similar name."""
    import difflib  # It is needed only on the way to an error.

    nearest = difflib.get_close_matches(str(name)[:200], list(known), n=1, cutoff=0.0)
    return UnknownTap(name=name, nearest=nearest[0] if nearest else "")
