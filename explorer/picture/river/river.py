"""The River, a kind of Picture: a whole pass from the tokens that go in to the words that come out.

A lane is one token, or a block of neighbouring tokens where there are too many for a screen. Of a block each number is the
largest of its tokens: for vectors the value farthest from zero.
"""

from collections.abc import Mapping
from functools import cached_property

import attrs

from explorer.mathematics import Numbers
from explorer.picture.axis import strongest_of
from explorer.picture.kinds import Closed, Heatmap
from explorer.picture.picture import Caption, Picture
from explorer.picture.river.opened import Opened
from explorer.picture.scales import Scale
from explorer.trace.arrays import Array
from explorer.trace.word_groups import Groups


def attends(block: str) -> bool:
    """Whether the block of this name, such as "decoder.self_attn", is an attention."""
    return block.endswith("_attn")


@attrs.frozen(eq=False)
class RiverBlock:
    """One sublayer: an attention, or the feed-forward (which has no weights but `hidden`).

    `attention` is its name without the layer, such as "decoder.cross_attn" or "encoder.feed_forward". `weights` are
    [head, query, key], closed cells NaN; `recorded` are the same as the model computed them, None where lanes are blocks of
    tokens; `drawn` [query, key] is one head, or the mean or maximum. `hidden` [lane, unit] are the magnitudes of activated
    units; of experts, the weights of those that were chosen. `length` [lane] is the length of the residual stream after this
    block. What a long text left no room for is None; then `blocks` [head, query block, key block] are the largest weights of
    blocks of the whole text. Where lanes are words, `unfolded` [head, query, key] are the weights between all tokens.
    """

    attention: str
    layer: int
    tap: str
    length: Array
    weights: Array | None = None
    recorded: Array | None = None
    drawn: Array | None = None
    closed: Closed | None = None
    hidden: Array | None = None
    blocks: Array | None = None
    unfolded: Array | None = None

    @property
    def part(self) -> str:
        """ "self_attn", "cross_attn" or "feed_forward"; "other" in the place of attention in a layer of another kind."""
        return self.attention.partition(".")[2]

    @property
    def attends(self) -> bool:
        """Whether it is an attention."""
        return attends(self.attention)


@attrs.frozen(eq=False)
class Half:
    """One side of the model.

    `tokens` is "source" or "target", the sentence whose tokens are the lanes; lane i begins with token `first` + i · `block`
    of `n_tokens`. Lanes may stand for an excerpt of the sentence. `scaled`, `positions` and `output` are [lane, feature];
    `length` [lane] is the length of what goes in, and `last` [lane] the length after the final norm.

    `vectors` is the tap that `scaled` shows, without its side: "embedding.tokens" where a model of others multiplies by
    nothing that is seen.

    Where a lane is a written word, `groups` has the tokens of each lane, and `steps` the positions that write the lane's
    word, which is the one after it; () where nothing is expected of the model.
    """

    side: str
    tokens: str
    labels: tuple[str, ...]
    ids: tuple[int, ...]
    block: int
    first: int
    n_tokens: int
    scaled: Array
    positions: Array
    output: Array
    length: Array
    last: Array
    layers: tuple[tuple[RiverBlock, ...], ...]
    vectors: str = "embedding.scaled"
    groups: Groups = ()
    steps: Groups = ()

    @property
    def n(self) -> int:
        """The number of lanes."""
        return len(self.labels)

    @property
    def end(self) -> int:
        """The token after the last one that has a lane."""
        return self.groups[-1][-1] + 1 if self.groups else min(self.first + self.n * self.block, self.n_tokens)

    @property
    def whole(self) -> bool:
        """Whether all tokens of the sentence have a lane."""
        return self.end - self.first == self.n_tokens

    @property
    def columns(self) -> tuple[str, str, str]:
        """The taps of the three columns of vectors, without their side: `scaled`, `positions` and `output`."""
        return self.vectors, "embedding.positions", "embedding.output"

    def token(self, lane: int) -> int:
        """The first token of a lane."""
        return self.tokens_of(lane)[0]

    def tokens_of(self, lane: int) -> tuple[int, ...]:
        """The tokens of a lane; of a block of them, the first."""
        return self.groups[lane] if self.groups else (self.first + lane * self.block,)

    def writes(self, lane: int) -> tuple[int, ...]:
        """The positions that write a lane's word: its token; where lanes are words, see `steps`, or its last token."""
        return self.steps[lane] if self.steps else self.tokens_of(lane)[-1:]

    def step_lane(self, step: int) -> int:
        """The lane of the word that a position writes."""
        return next((lane for lane, rows in enumerate(self.steps) if step in rows), self.lane(step))

    def alone(self, lane: int) -> bool:
        """Whether a lane is one token."""
        return self.block == 1 and len(self.tokens_of(lane)) == 1

    @property
    def single(self) -> bool:
        """Whether every lane is one token."""
        return self.block == 1 and not self.groups

    @property
    def spread(self) -> float:
        """How many tokens a lane stands for, on average."""
        return (self.end - self.first) / self.n if self.groups else self.block

    def lane(self, token: int) -> int:
        """The lane of a token; of one that has none, the lane that is nearest to it."""
        if self.groups:
            return next((lane for lane, group in enumerate(self.groups) if token <= group[-1]), self.n - 1)
        return min(max(token - self.first, 0) // self.block, self.n - 1)

    def has(self, token: int) -> bool:
        """Whether a token has a lane."""
        return self.first <= token < self.end


@attrs.frozen(eq=False)
class Written:
    """What comes out at each lane of the last half: the word, and its probability [lane]; NaN where none is expected.

    `candidates` are the likeliest symbols of the chosen step with their probabilities and ids, `rest` is the probability of
    all others. `why` says why the written word need not be the likeliest: "search" compared whole sentences, "chosen" says
    that somebody wrote it; "" where it is the likeliest, or nothing is written.

    All probabilities are those at the sampling `temperature`; at 1 they are the recorded ones. `cut` is True for candidates
    that top-k and top-p would never draw; their probabilities are those from before the cut.
    """

    labels: tuple[str, ...]
    probabilities: Array
    candidates: tuple[tuple[str, float, int], ...]
    rest: float
    n_symbols: int
    step: int  # in tokens, not in lanes
    why: str = ""
    temperature: float = 1.0
    cut: tuple[bool, ...] = ()
    taken: str = ""  # the symbol written at the step, where `labels` are words


@attrs.frozen(eq=False)
class Contributions:
    """What each key's token adds to logit(word) − logit(rival) at the chosen step, by attention and layer.

    `values` has [head, lane of the key] for each attention of the decoder, `names` word and rival, `lane` the chosen step's.
    The sum over the keys is the head's part of the difference, which is `difference` in all. `reach` is a round number that
    neither a head nor a sum of heads exceeds.
    """

    values: Mapping[tuple[str, int], Numbers]
    names: tuple[str, str]
    lane: int
    difference: float
    reach: float

    def drawn(self, river: "River", block: RiverBlock) -> Numbers | None:
        """[lane of the key] of a block: the chosen head in the block that is looked at, the sum of all heads elsewhere."""
        values = self.values.get((block.attention, block.layer))
        if values is None:
            return None
        focus = (block.attention, block.layer) == (river.attention, river.layer)
        row: Numbers = values[min(river.head, len(values) - 1)] if focus and river.head is not None else values.sum(axis=0)
        return row


@attrs.frozen(kw_only=True, eq=False)
class River(Picture):
    """A whole pass. `attention`, `layer` and `head` are what is looked at; `map` is that head's map.

    `query` is the lane whose row is told while nothing is pointed at: the chosen step, or where a source sentence looks at
    itself the token with the largest weight off the diagonal. `waves` [place, feature] is the beginning of the table of
    positions, of some `features` alone, empty where none are added; `smooth` is the same with `finer` points for each place
    where a formula says what lies between.

    `scale` is that of all weights: from 0 to 1, or to less where lanes stand for several tokens and weights are small.
    """

    caption: Caption
    halves: tuple[Half, ...]
    written: Written
    attention: str
    layer: int
    query: int
    map: Heatmap | None
    wanted: tuple[tuple[str, int], ...]  # taps and heads of a long text whose cells were not kept, and would be shown
    position: str  # the kind of positions, as the card names it
    waves: Array
    features: tuple[int, ...]
    smooth: Array
    finer: int
    scale: Scale
    n_parameters: int
    trained: bool
    longest: float  # the length of a residual vector from which a lane has its full thickness
    opened: Opened | None = None
    opened_attention: str = ""  # the block that is opened, such as "encoder.feed_forward"
    unit_colours: str = "cividis"
    signed_colours: str = "blue-red"
    head: int | None = 0  # None where a mean or maximum stands for the heads
    pooled: str = ""  # what stands for the heads of each block: "layer" a mean, "layer_max" a maximum; "" for one head
    pools: tuple[str, ...] = ()  # what may stand for them
    unit: str = "tokens"  # what a lane shall be, one of state.look.UNITS
    bands: str = "weights"  # what the bands show, one of state.look.BANDS
    contributions: Contributions | None = None  # what they show then, once it is known
    no_contributions: str = ""  # why this pass has none, in words

    @property
    def source(self) -> Half | None:
        """The half that reads the source."""
        return next((half for half in self.halves if half.side == "encoder"), None)

    @property
    def target(self) -> Half | None:
        """The half that writes."""
        return next((half for half in self.halves if half.side == "decoder"), None)

    @cached_property  # The next head takes 4.4 ms with it and `slabs._head_places`, and 4.8 without.
    def focus(self) -> RiverBlock | None:
        """The attention that is looked at."""
        return next((block for block in self.blocks() if (block.attention, block.layer) == (self.attention, self.layer)), None)

    @property
    def opened_side(self) -> str:
        """The side of the opened block."""
        return self.opened_attention.partition(".")[0]

    @property
    def opened_block(self) -> RiverBlock | None:
        """The block that is opened."""
        return next((b for b in self.blocks() if (b.attention, b.layer) == (self.opened_attention, self.layer)), None)

    def blocks(self) -> tuple[RiverBlock, ...]:
        """All blocks, in the order of computation."""
        return tuple(block for half in self.halves for layer in half.layers for block in layer)

    def half_of(self, attention: str, axis: str) -> Half:
        """The half whose lanes are an attention's queries or keys."""
        side = "encoder" if axis == "key" and attention.endswith("cross_attn") else attention.partition(".")[0]
        return next(half for half in self.halves if half.side == side)

    def seen_by(self, attention: str, layer: int, head: int) -> "River":
        """The same river with another head of one attention looked at; `map` and `query` stay."""

        def turned(block: RiverBlock) -> RiverBlock:
            if (block.attention, block.layer) != (attention, layer) or block.weights is None:
                return block
            return attrs.evolve(block, drawn=block.weights[min(head, len(block.weights) - 1)])

        halves = tuple(
            attrs.evolve(half, layers=tuple(tuple(map(turned, blocks)) for blocks in half.layers)) for half in self.halves
        )
        return attrs.evolve(self, halves=halves, attention=attention, layer=layer, head=head, pooled="")

    @property
    def step_lane(self) -> int:
        """The lane of the chosen step, or the one that is nearest to it."""
        return self.halves[-1].step_lane(self.written.step)

    @property
    def shows_step(self) -> bool:
        """Whether the chosen step has a lane."""
        return self.halves[-1].has(self.written.step)

    def pair(self, query: int, key: int) -> tuple[int, int]:
        """The tokens of two lanes of the focus; of words, those with the largest weight between them."""
        asks, answers = self.half_of(self.attention, "query"), self.half_of(self.attention, "key")
        rows = asks.writes(query) if self.attention.endswith("cross_attn") and asks.steps else asks.tokens_of(query)
        return strongest_of(rows, answers.tokens_of(key), self._between_tokens())

    def _between_tokens(self) -> Array | None:
        if self.focus is None or self.focus.unfolded is None or self.head is None:
            return None
        made: Array = self.focus.unfolded[min(self.head, len(self.focus.unfolded) - 1)]
        return made


@attrs.frozen(cache_hash=True)
class HalfShape:
    """What the grid asks of a half: its lanes, and of each layer the names of its blocks."""

    side: str
    n: int
    single: bool
    layers: tuple[tuple[str, ...], ...]


@attrs.frozen(cache_hash=True)
class Shape:
    """What the grid asks of a river. Where it is the same, everything stands at the same places."""

    halves: tuple[HalfShape, ...]
    attention: str
    layer: int


def shape_of(river: River) -> Shape:
    """The shape of a river."""
    halves = tuple(
        HalfShape(half.side, half.n, half.single, tuple(tuple(block.attention for block in layer) for layer in half.layers))
        for half in river.halves
    )
    return Shape(halves, river.attention, river.layer)
