"""Why this word: a logit, and the difference of two logits, as an exact sum of parts.

The stream that the generator reads is a sum: embedding, positions, what each head and each feed-forward adds, and biases. Norms
lie between the sum and the logit. With their σ held at the recorded value they are linear, so each part can be carried through
them, and the parts still sum to the logit. Elhage et al. 2021, "A mathematical framework for transformer circuits".

It is done backward: the row of the generator for a word is taken back through each norm to the place where a part is added, and
a part's share is its product with that direction. Letters: g is the direction, r the stream at an addition, y what is added.

This is an account of the sum, not a cause: other parts would change if one were taken away, and the σ with them.
"""

from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import NoSuchStep, NoSuchSymbol, NotLookedInto, NoWrittenWords
from explorer.mathematics import Numbers
from explorer.tokens.pieces import MARK
from explorer.trace.findings import NormWeights, OutputWeights
from explorer.trace.measures import most_uncertain_step
from explorer.trace.tap_names import Cell

if TYPE_CHECKING:
    from explorer.trace.trace import Trace

EXACT = 1e-4
"""The largest remainder that is rounding. With a larger one the parts are no account, since something was changed inside."""

PartKind = Literal[
    "token", "position", "head", "feed_forward", "attention_bias", "feed_forward_bias", "norm_bias", "output_bias"
]
BIASES = ("attention_bias", "feed_forward_bias", "norm_bias")


@attrs.frozen
class Part:
    """One part of a logit. `layer` and `head` are -1 where it belongs to none; `tap` is where its vector was recorded."""

    kind: PartKind
    tap: str
    layer: int = -1
    attention: str = ""  # "self_attn" or "cross_attn" for heads and their biases
    head: int = -1

    @property
    def block(self) -> str:
        """The beginning of the taps of its attention or feed-forward: "decoder.layers.1.cross_attn"; "" for other parts."""
        return self.tap.rpartition(".")[0] if self.kind in ("head", "feed_forward") else ""


@attrs.frozen(kw_only=True, eq=False)
class Parts:
    """The logit of a word minus that of its rival at one position, in parts.

    `shares` [word rival, part] are the parts of the two logits, `values` [part] their differences: above zero for the word,
    below for the rival. `logits` are the two recorded ones, and `p` the two probabilities. `remainder` is what the parts lack
    of the recorded difference. σ of each norm is held as it was in this pass.

    `directions` has by block the direction [word rival, feature] in which what is added there counts.
    """

    position: int
    word: int
    rival: int
    names: tuple[str, str]
    parts: tuple[Part, ...]
    shares: Numbers
    logits: tuple[float, float]
    p: tuple[float, float]
    directions: Mapping[str, Numbers] = attrs.field(repr=False)

    @property
    def values(self) -> Numbers:
        """[part] the share of each part in the difference."""
        made: Numbers = self.shares[0] - self.shares[1]
        return made

    @property
    def difference(self) -> float:
        """The recorded logit of the word minus that of the rival."""
        return self.logits[0] - self.logits[1]

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return float(self.values.sum())

    @property
    def remainder(self) -> float:
        """The recorded difference minus the sum of the parts."""
        return self.difference - self.total

    @property
    def exact(self) -> bool:
        """Whether the parts sum to the recorded logits, of both words, but for rounding."""
        apart = np.abs(np.array(self.logits) - self.shares.sum(axis=1))
        return bool((apart < EXACT).all() and abs(self.remainder) < EXACT)

    def label(self, part: Part) -> str:
        """A short name: "L1 cross_attn H4", "L0 feed_forward", "token"."""
        layer = f"L{part.layer} " if part.layer >= 0 else ""
        what = f"{part.attention} H{part.head}" if part.kind == "head" else part.kind
        return f"{layer}{part.attention + ' bias' if part.kind == 'attention_bias' else what}"

    def index(self, attention: str, layer: int, head: int) -> int | None:
        """The place of a head's part, with `attention` such as "decoder.cross_attn"; None where it is none of the parts."""
        found = Part("head", Cell(attention, layer, head, 0, 0).tap("mixed"), layer, attention.rpartition(".")[2], head)
        return self.parts.index(found) if found in self.parts else None

    def __repr__(self) -> str:
        """The sum and the six largest parts, in eight lines."""
        word, rival = self.names
        largest = np.argsort(-np.abs(self.values), kind="stable")[:6]
        lines = [f"    {self.values[place]:+8.4f}  {self.label(self.parts[place])}" for place in largest]
        head = f"Parts: logit({word}) - logit({rival}) = {self.difference:+.4f} at position {self.position}"
        rest = f"    sum of {len(self.parts)} parts {self.total:+.4f}, remainder {self.remainder:.1e}"
        return "\n".join((head, *lines, rest))


def written_ids(trace: "Trace") -> tuple[int, ...]:
    """[position] the id of the word written there: the next one of the target, else the likeliest."""
    return trace.expected or tuple(map(int, trace["generator.logits"].argmax(axis=-1)))


def likeliest_rivals(trace: "Trace", position: int, word: int, most: int = 1) -> tuple[int, ...]:
    """The ids of the most probable words beside `word`, the first one first."""
    order = np.argsort(-trace["generator.logits"][position], kind="stable")[: most + 1]
    return tuple(int(each) for each in order if each != word)[:most]


def parts_of(trace: "Trace", position: int, rival: int | None = None, word: int | None = None) -> Parts:
    """The Parts of a logit difference at a position of the output.

    `word` is the written one and `rival` the likeliest other one where they are None. The Trace needs its experiment "why".
    Raises NoWrittenWords, NotLookedInto, NoSuchStep, NoSuchSymbol.
    """
    weights = _weights(trace)
    logits = trace["generator.logits"]
    n_positions, n_symbols = logits.shape
    if not _is_index(position, n_positions):
        raise NoSuchStep(got=position, last=n_positions - 1)
    word = written_ids(trace)[position] if word is None else word
    rival = likeliest_rivals(trace, position, word)[0] if rival is None else rival
    for each in (word, rival):
        if not _is_index(each, n_symbols):
            raise NoSuchSymbol(got=each, last=n_symbols - 1)
    walk = _WayBack(trace, weights, position, np.array([word, rival]))
    found = list(walk.parts())
    found.reverse()
    return Parts(
        position=position,
        word=word,
        rival=rival,
        names=tuple(symbol_text(trace, each) for each in (word, rival)),  # type: ignore[arg-type]  # There are two.
        parts=tuple(part for part, _share in found),
        shares=np.stack([share for _part, share in found], axis=1),
        logits=(float(logits[position, word]), float(logits[position, rival])),
        p=(float(trace["generator.probabilities"][position, word]), float(trace["generator.probabilities"][position, rival])),
        directions=walk.directions,
    )


def _is_index(value: object, size: int) -> bool:
    return isinstance(value, Integral) and 0 <= value < size


def parts_asked(trace: "Trace", position: int | None, rival: int | str | None, word: int | str | None) -> Parts:
    """The Parts that `Trace.why` is asked for: words as ids or texts, the step of which the model was least sure for None."""
    if position is None:
        position = max(0, most_uncertain_step(trace))
    ids = [symbol_id(trace, each) if isinstance(each, str) else each for each in (rival, word)]
    return parts_of(trace, position, *ids)


def _weights(trace: "Trace") -> OutputWeights:
    if "decoder.embedding.output" not in trace:
        raise NoWrittenWords(architecture=trace.card.architecture)
    found = trace.experiments.get("why")
    if not isinstance(found, OutputWeights):
        raise NotLookedInto(name="why")
    return found


def symbol_text(trace: "Trace", index: int) -> str:
    """The symbol of a vocabulary id; "#17" for a row of the output matrix that no symbol uses."""
    return trace.symbols[index] if index < len(trace.symbols) else f"#{index}"


def symbol_id(trace: "Trace", text: str) -> int:
    """The id of the symbol that a typed word begins with: the word itself, else its longest beginning that is a symbol.

    A symbol with the mark of a word's beginning comes before the same letters inside a word. "#17" is the symbol with this id.
    Raises NoSuchSymbol.
    """
    ids = {symbol: number for number, symbol in reversed(tuple(enumerate(trace.symbols)))}
    if text not in ids and text[:1] == "#" and text[1:].isdecimal():
        return int(text[1:])
    typed = text if text in ids else text.strip()
    if typed in ids and f"{MARK}{typed}" not in ids:
        return ids[typed]
    for length in range(len(typed), 0, -1):
        for found in (f"{MARK}{typed[:length]}", typed[:length]):
            if found in ids:
                return ids[found]
    raise NoSuchSymbol(got=text, last=len(trace.symbols) - 1)


class _WayBack:
    """The way from two logits back to the embedding, at one position. `directions` fills on the way."""

    def __init__(self, trace: "Trace", weights: OutputWeights, position: int, words: NDArray[np.intp]) -> None:
        self.trace, self.weights, self.position, self.words = trace, weights, position, words
        self.pre = trace.card.norm_placement == "pre"
        self.directions: dict[str, Numbers] = {}

    def row(self, tap: str) -> Numbers:
        """[feature] the tap's vector at the position."""
        vector: Numbers = self.trace[tap][self.position].astype(np.float64)
        return vector

    def parts(self) -> Iterator[tuple[Part, Numbers]]:
        """Each part with its share [word rival] in both logits, from the output backward."""
        generator = self.weights.generator
        if generator.bias is not None:
            yield Part("output_bias", "generator.logits"), generator.bias[self.words].astype(np.float64)
        # logit[w] = W[w]·z + b[w]
        g = generator.weight[self.words].astype(np.float64)  # [word rival, feature]
        additions = _additions(self.trace)
        if self.pre:
            # z = norm(r), where r is the stream after the last addition
            g, share = self._through("decoder.norm", additions[-1][1], g)
            yield Part("norm_bias", "decoder.norm"), share
        for place in reversed(range(len(additions))):
            block, residual = additions[place]
            if not self.pre:
                # x = norm(r): the stream goes on behind the norm of each addition
                g, share = self._through(residual, residual, g)
                yield Part("norm_bias", _norm_tap(residual), _layer(block)), share
            before = self._before(additions, place)
            yield from self._added(block, g * self._kept(f"{block}.output", residual, before))
            if not self.trace.card.residual:
                return  # Nothing but the last sublayer reaches the output directly.
        kept = self._kept("", "decoder.embedding.output", "")
        yield Part("position", "decoder.embedding.positions"), g @ (kept * self.row("decoder.embedding.positions"))
        yield Part("token", "decoder.embedding.scaled"), g @ (kept * self.row("decoder.embedding.scaled"))

    def _through(self, norm: str, stream: str, g: Numbers) -> tuple[Numbers, Numbers]:
        """The direction before a norm, and the share [word rival] of the norm's own bias."""
        weights, x = self.weights.norms[norm], self.row(stream)
        # y = γ·(x - mean(x))/σ + β, so g·y = x·(γg - mean(γg))/σ + g·β
        scaled = g * weights.weight
        centred = scaled - scaled.mean(axis=-1, keepdims=True)
        return centred / _sigma(x, weights), g @ weights.bias.astype(np.float64)

    def _before(self, additions: list[tuple[str, str]], place: int) -> str:
        """The tap of the stream before an addition, "" where it is cut off."""
        if not self.trace.card.residual:
            return ""
        if place == 0:
            return "decoder.embedding.output"
        residual = additions[place - 1][1]
        return residual if self.pre else _norm_tap(residual)

    def _kept(self, added: str, after: str, before: str) -> Numbers | float:
        """[feature] what dropout multiplied an addition with: 0, or 1/(1 - p). 1 while dropout is off.

        Dropout's own numbers are not recorded: they are read off what was added.
        """
        p = self.weights.dropout
        if not p:
            return 1.0
        y = self.row(added) if added else self.row("decoder.embedding.scaled") + self.row("decoder.embedding.positions")
        arrived = self.row(after) - (self.row(before) if before else 0.0)
        return np.where(np.abs(arrived - y / (1 - p)) <= np.abs(arrived), 1 / (1 - p), 0.0)

    def _added(self, block: str, g: Numbers) -> Iterator[tuple[Part, Numbers]]:
        """The parts of one attention or feed-forward, the bias first."""
        self.directions[block] = g
        layer, name = _layer(block), block.rpartition(".")[2]
        if name == "feed_forward":
            bias, tap = self.weights.networks[block].bias, f"{block}.output"
            share = np.zeros(2) if bias is None else g @ bias.astype(np.float64)
            if bias is not None:
                yield Part("feed_forward_bias", tap, layer), share
            yield Part("feed_forward", tap, layer), g @ self.row(tap) - share
            return
        bias, tap = self.weights.projections[block].bias, f"{block}.mixed"
        if bias is not None:
            yield Part("attention_bias", f"{block}.output", layer, name), g @ bias.astype(np.float64)
        through = head_directions(self.weights, block, g, self.trace.card.d_head)  # [word rival, head, feature]
        mixed = self.trace[tap][:, self.position].astype(np.float64)  # [head, feature]
        shares = (through * mixed).sum(axis=-1)  # [word rival, head]
        for head in reversed(range(shares.shape[1])):
            yield Part("head", tap, layer, name, head), shares[:, head]


def head_directions(weights: OutputWeights, block: str, g: Numbers, d_head: int) -> Numbers:
    """[…, head, feature] the direction of the stream seen from what each head mixes: g·W_O, in the slice of that head."""
    # output = W_O·concat(O_1, …, O_h), so g·output = Σ_h (g·W_O)[h]·O_h
    # In the weights' own precision: to convert a large matrix would take longer than all else.
    through = (g.astype(np.float32) @ weights.projections[block].weight).astype(np.float64)  # […, head·feature]
    return through.reshape(*through.shape[:-1], -1, d_head)


def _additions(trace: "Trace") -> list[tuple[str, str]]:
    """The blocks of the decoder in the order of computation, each with the tap of the stream after it."""
    side = trace.card.side("decoder")
    names = (*side.attentions, "feed_forward")
    return [
        (f"decoder.layers.{layer}.{name}", f"decoder.layers.{layer}.residual{number}")
        for layer in range(side.n_layers)
        for number, name in enumerate(names, 1)
    ]


def _layer(block: str) -> int:
    return int(block.split(".")[2])


def _norm_tap(residual: str) -> str:
    """The tap of the norm behind an addition under post-norm: "….residual2" to "….norm2"."""
    return residual.replace("residual", "norm")


def _sigma(x: Numbers, weights: NormWeights) -> float:
    """What a norm divides by, from the stream that it read."""
    if weights.unbiased:
        # σ = √(Σ (x - mean)²/(n - 1)) + eps
        return float(x.std(ddof=1)) + weights.eps
    # σ = √(Σ (x - mean)²/n + eps)
    return float(np.sqrt(x.var() + weights.eps))
