"""A Trace: every tensor that one pass recorded, frozen, with named axes, tokens and the card of its model.

It needs no torch.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from weakref import proxy

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.config import Config
from explorer.errors import (
    CannotRead,
    ExplorerError,
    NoSuchStep,
    NotKept,
    NotLookedInto,
    NoWrittenWords,
    UnknownHead,
    UnknownKnob,
    UnknownTap,
    bare,
)
from explorer.knobs import Value
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import BEGIN, END
from explorer.trace.arrays import Array, Arrays
from explorer.trace.changes import Change
from explorer.trace.files.trace_file import read_trace, write_trace
from explorer.trace.found.findings import Experiment, Lens, NotMade
from explorer.trace.found.jacobian import NotFitted
from explorer.trace.kept_map import MASKED_STAGES, KeptMap
from explorer.trace.model_card import ModelCard
from explorer.trace.own_card import card_of
from explorer.trace.patterns import is_pattern, stacked, taps_of
from explorer.trace.sameness import fields_of, made_again, same
from explorer.trace.search_tree import Search
from explorer.trace.shown import Shown
from explorer.trace.tap_names import side_name
from explorer.trace.vectors import Vectors

if TYPE_CHECKING:
    from explorer.trace.folding import Groups
    from explorer.trace.found.why import Parts


@attrs.frozen
class Tokens:
    """The tokens of both sides; a side that the architecture lacks is empty."""

    source: tuple[Token, ...] = ()
    target: tuple[Token, ...] = ()


def written(tokens: Tokens, begin: int = BEGIN, end: int = END) -> tuple[int, ...]:
    """For each position of the target the id of the next token, at last the end symbol; empty without a begin symbol.

    `begin` and `end` are the ids of these symbols.
    """
    ids = tuple(token.id for token in tokens.target)
    return (*ids[1:], end) if ids[:1] == (begin,) else ()


def _fixed(mapping: Mapping[Any, Any]) -> Mapping[Any, Any]:
    return mapping if isinstance(mapping, (Arrays, MappingProxyType)) else MappingProxyType(dict(mapping))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Trace(Shown):
    """What one pass recorded. `arrays` are read-only float32 by tap name, and `axis_names` has the axes of every tap.

    `symbols` are the words of the vocabulary in the order of their ids. `search` is what decoding tried, if the model itself
    wrote the target. `card` describes the model; pictures and lessons ask nothing else about it. `config` has the knobs of our
    own model; for any other model it is None, and `card` must be given. `changes` were made inside the pass, and the arrays
    show the numbers with these changes. `left_out` are changes that this sentence has no place for, by the error that says
    why; they are not saved. `recorded_by` names another program that recorded the numbers; "" for this one. `prompt` is what
    a chat template made of the text, whose tokens these are; "" where the text itself was read.

    `places` [position, feature] is the model's table of positions; it goes on after the end of the text, so that waves can be
    seen. If the decoder has a table of its own, it is `decoder_places`; `table(side)` finds the right one.

    `experiments` (by name) and `compared_with` (the Trace to compare with) are made only while a page shows them, and are not
    saved.

    Arrays hold what the model computed: a masked score is -inf or -1e9 here, and becomes NaN only in a Picture.

    Not everything of a long text is kept (see `engine.recording.keep_plan`), and large arrays have levels for drawing. `maps`
    has a KeptMap for each tap of which less or more than the array is kept; `map(name)` gives the KeptMap of any tap.
    """

    arrays: Mapping[str, Array] = attrs.field(converter=_fixed)
    axis_names: Mapping[str, tuple[str, ...]] = attrs.field(converter=_fixed)
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
    experiments: Mapping[str, Experiment] = attrs.field(converter=_fixed, factory=dict)
    compared_with: "Trace | None" = None
    maps: Mapping[str, KeptMap] = attrs.field(converter=_fixed, factory=dict)
    decoder_places: Array | None = None
    changes: tuple[Change, ...] = ()
    recorded_by: str = ""
    prompt: str = ""
    left_out: Mapping[Change, ExplorerError] = attrs.field(converter=_fixed, factory=dict)
    _made: dict[str, KeptMap] = attrs.field(init=False, repr=False, factory=dict)
    _folded: dict[str, Array] = attrs.field(init=False, repr=False, factory=dict)
    _parts: dict[tuple[object, ...], "Parts"] = attrs.field(init=False, repr=False, factory=dict)

    @property
    def of_others(self) -> bool:
        """Whether a model of others made it, which has a card and no Config."""
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
                return stacked(self, taps)
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

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same numbers to the last bit, of the same texts and model; see `same`."""
        return same(self, other) if isinstance(other, Trace) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.source, self.target, self.preset, len(self.axis_names)))

    def __reduce__(self) -> tuple[object, ...]:
        return made_again, (type(self), fields_of(self))

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

    @cached_property
    def expected(self) -> tuple[int, ...]:
        """For each position of the target the id of the next token; for the last position the end symbol.

        Empty if the target has no begin symbol: then no next tokens are expected.
        """
        return written(self.tokens, self.card.begin, self.card.end)

    @cached_property
    def word_groups(self) -> "Mapping[str, Groups]":
        """The tokens of each written word of "source" and of "target", by their places."""
        from explorer.trace.word_groups import word_groups

        return MappingProxyType({"source": word_groups(self.tokens.source), "target": word_groups(self.tokens.target)})

    def keys(self, name: str) -> tuple[Token, ...]:
        """The tokens that stand along an attention tap's key axis."""
        return self.side(name, "key")

    def measures(self, attention: str = "") -> "Mapping[str, NDArray[np.float64]]":
        """What each head of an attention does, by measure ("entropy", "distance", "previous", …): [layer, head].

        `attention` is one such as "decoder.self_attn", the first one by default. A number is NaN where the measure means
        nothing (induction without repeated tokens; distances between two texts), or where a long text left no room for the
        weights. `trace.head_measures` has the definitions. Raises UnknownTap.
        """
        from explorer.trace.measures.head_measures import MEASURES, head_values

        chosen = attention or self.card.attentions[0]
        return MappingProxyType({key: head_values(self, chosen, key) for key in MEASURES})

    def words_of(self, name: str) -> "tuple[Groups, Groups]":
        """The rows of each word of queries and the columns of each word of keys of an attention tap.

        A row of cross-attention belongs to the word that it writes, where words are expected. Raises UnknownTap.
        """
        from explorer.trace.folding import before

        queries, keys = (self.word_groups[self.side_name(name, axis)] for axis in ("query", "key"))
        writes = ".cross_attn." in name and bool(self.expected)
        return (before(queries, self.shape(name)[1]) if writes else queries), keys

    def folded(self, name: str) -> Array:
        """[head, word of queries, word of keys] the weights of an attention tap between written words (see `words_of`).

        To a word of several tokens it is the sum over them, of a word the average over them, so that rows still sum to 1;
        NaN where a mask has closed all of it. Raises UnknownTap, also for taps that are no weights, and NotKept.
        """
        from explorer.trace.folding import folded
        from explorer.trace.stages import stage_of

        if name not in self._folded:
            if name not in self or self.axes(name)[-1] != "key" or stage_of(name).range != "unit":
                raise unknown_tap(name, tuple(tap for tap in self.axis_names if tap.endswith("_attn.weights")))
            made = folded(self[name], *self.words_of(name), self.map(name).closed)
            made.flags.writeable = False
            self._folded[name] = made
        return self._folded[name]

    def why(self, step: int | None = None, rival: int | str | None = None, *, word: int | str | None = None) -> "Parts":
        """Why a word was written and not its rival: the difference of their logits in parts that sum to it.

        `step` is a position of the output; None: the one where the model was least sure. `word` (None: the written one) and
        `rival` (None: the likeliest other one) are ids or texts. The Trace needs the experiment "why": `explorer.why` makes
        it. Raises NoWrittenWords, NotLookedInto, NoSuchStep, NoSuchSymbol.
        """
        from explorer.trace.found.why import parts_asked

        asked = step, rival, word
        if asked not in self._parts:
            # Parts that held the Trace which keeps them would stay with all arrays until the collector finds both.
            self._parts[asked] = attrs.evolve(parts_asked(self, *asked), trace=proxy(self))
        return attrs.evolve(self._parts[asked], trace=self)

    def lens(self, *, jacobian: bool = False) -> "Lens":
        """What each layer of the decoder would say. The Trace needs the experiment "lens": `explorer.lens` makes it.

        `jacobian` asks for the lens that carries each layer's stream through its fitted matrix first; it needs the experiment
        "jacobian". Raises NoWrittenWords, NotLookedInto, and NoFittedLens, LensOfOtherWeights or LensOfOtherKnobs where this
        model has no such lens.
        """
        if not self.tokens.target:
            raise NoWrittenWords(architecture=self.card.architecture)
        name = "jacobian" if jacobian else "lens"
        found = self.experiments.get(name)
        if isinstance(found, NotFitted | NotMade):
            raise bare(found.error)
        if not isinstance(found, Lens):
            raise NotLookedInto(name=name)
        return found

    def neighbours(self, position: int, side: str = "") -> tuple[tuple[str, float], ...]:
        """The symbols of the vocabulary whose vectors are nearest to a token's, each with the cosine, nearest first.

        `side` is "encoder" or "decoder", the first one of the model by default. The Trace needs the experiment "vectors".
        Raises NotLookedInto, NoSuchStep.
        """
        found = self.experiments.get("vectors")
        if not isinstance(found, Vectors):
            raise NotLookedInto(name="vectors")
        own = found.sides[side if side in found.sides else self.card.sides[0].name]
        if not 0 <= position < len(own.tokens):
            raise NoSuchStep(got=position, last=len(own.tokens) - 1)
        return own.neighbours(position)

    def save(self, path: str | Path) -> None:
        """Write all that was kept to one .npz file; an older file is replaced only when it is complete. Raises CannotWrite."""
        write_trace(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> "Trace":
        """The Trace that `save` wrote. Raises CannotRead, NotAFile, NotATrace."""
        if not isinstance(path, (str, Path)):
            raise CannotRead(path=str(path), reason=type(path).__name__)
        return read_trace(Path(path), lambda tokens, **fields: cls(tokens=Tokens(**tokens), **fields))


def unknown_tap(name: str, known: Mapping[str, object] | tuple[str, ...]) -> UnknownTap:
    """The error for a name that is no tap; it suggests the tap with the most similar name."""
    import difflib  # It is needed only on the way to an error.

    nearest = difflib.get_close_matches(str(name)[:200], list(known), n=1, cutoff=0.0)
    return UnknownTap(name=name, nearest=nearest[0] if nearest else "")
