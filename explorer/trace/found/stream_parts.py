"""The way back through the stream: how much each part that was added to it counts in a number that was read from it.

The stream at a position is a sum: embedding, position, what each head and each feed-forward added, and biases. Norms lie
between them. With their σ held at the recorded value they are linear, so a direction in which the stream is read can be taken
back through each norm to the place where a part was added; a part's share is its product with that direction.

Letters: g is the direction, r the stream at an addition, y what is added. Directions have any number of rows, such as one for
each of two words.
"""

from collections.abc import Iterator, Mapping
from typing import Protocol

import attrs
import numpy as np

from explorer.mathematics import Numbers
from explorer.trace.found.part import Part
from explorer.trace.found.weights import Matrix, NormWeights
from explorer.trace.recorded_pass import RecordedPass


class StreamWeights(Protocol):
    """The weights through which heads and networks reach the stream of a side, by block; see `findings.OutputWeights`."""

    @property
    def projections(self) -> Mapping[str, Matrix]:
        """W_O of each attention."""

    @property
    def networks(self) -> Mapping[str, Matrix]:
        """W₂ of each feed-forward."""

    @property
    def norms(self) -> Mapping[str, NormWeights]:
        """Each norm of an addition under the name of the tap "residual" of that addition; and "decoder.norm".

        A second norm, behind what a block gives out, stands under the name of its tap, "….self_attn.normed".
        """

    @property
    def dropout(self) -> float:
        """The share of numbers that a pass drops."""


@attrs.frozen
class Addition:
    """One block with the tap of the stream after it; `number` counts the blocks of a layer, from 1.

    `reads` says how many blocks have been added to the stream that it reads; parallel blocks of a layer read the same stream,
    and the tap of the stream after them is that of the last one. `norm` is the tap of its norm.
    """

    block: str
    residual: str
    number: int
    reads: int
    norm: str

    @property
    def layer(self) -> int:
        """Its layer, from 0."""
        return int(self.block.split(".")[2])

    @property
    def weights(self) -> str:
        """The name of its norm among the weights."""
        return f"{self.block.rpartition('.')[0]}.residual{self.number}"


def added_tap(trace: RecordedPass, block: str) -> str:
    """The tap of what a block adds to the stream: what it gives out, or what a norm of its own makes of that."""
    return f"{block}.normed" if f"{block}.normed" in trace else f"{block}.output"


def additions(trace: RecordedPass, side: str) -> tuple[Addition, ...]:
    """The blocks of a side in the order of computation."""
    card, parallel = trace.card.side(side), trace.card.parallel

    def one(names: tuple[str, ...], base: str, before: int, number: int, name: str) -> Addition:
        # Parallel blocks may share one norm, that of the first.
        norm = f"{base}.norm{number}" if f"{base}.norm{number}" in trace or not parallel else f"{base}.norm1"
        residual = f"{base}.residual{len(names) if parallel else number}"
        return Addition(f"{base}.{name}", residual, number, before if parallel else before + number - 1, norm)

    found: list[Addition] = []
    for layer in range(card.n_layers):
        names, before = trace.card.blocks(side, layer), len(found)
        found += [one(names, f"{side}.layers.{layer}", before, number, name) for number, name in enumerate(names, 1)]
    return tuple(found)


def read_tap(trace: RecordedPass, block: str) -> str:
    """The tap that a block reads: the stream, under pre-norm behind the block's norm. Cross-attention makes only Q of it.

    Some models have no norm there.
    """
    found = additions(trace, block.partition(".")[0])
    own = next(each for each in found if each.block == block)
    return own.norm if trace.card.norm_placement == "pre" and own.norm in trace else _stream(trace, found, own.reads)


def given_out_tap(trace: RecordedPass, side: str) -> str:
    """The tap of what a side gives out, which cross-attention makes K and V of: behind the final norm if there is one."""
    found = additions(trace, side)
    return f"{side}.norm" if f"{side}.norm" in trace else _stream(trace, found, len(found))


def _stream(trace: RecordedPass, found: tuple[Addition, ...], place: int) -> str:
    """The tap of the stream before an addition, or after the last one."""
    if place == 0:
        return f"{found[0].block.partition('.')[0]}.embedding.output"
    last = found[place - 1]
    return last.residual if trace.card.norm_placement == "pre" else last.norm


class WayBack:
    """The way from a reading of a side's stream at a position back to its embedding. `directions` fills on the way."""

    def __init__(self, trace: RecordedPass, weights: StreamWeights, side: str, position: int) -> None:
        self.trace, self.weights, self.side, self.position = trace, weights, side, position
        self.additions = additions(trace, side)
        self.directions: dict[str, Numbers] = {}
        self._pre = trace.card.norm_placement == "pre"

    def row(self, tap: str) -> Numbers:
        """[feature] the tap's vector at the position."""
        vector: Numbers = self.trace[tap][self.position].astype(np.float64)
        return vector

    def from_end(self, g: Numbers) -> Iterator[tuple[Part, Numbers]]:
        """The parts of g·z, where z is what the side gives out; as in `before`."""
        yield from self._parts(g, len(self.additions), f"{self.side}.norm", f"{self.side}.norm", -1)

    def before(self, block: str, g: Numbers) -> Iterator[tuple[Part, Numbers]]:
        """The parts of g·h, where h is what a block of this side reads: each with its share [row], from there backward."""
        own = next(each for each in self.additions if each.block == block)
        yield from self._parts(g, own.reads, own.weights, own.norm, own.layer)

    def _parts(self, g: Numbers, end: int, norm: str, tap: str, layer: int) -> Iterator[tuple[Part, Numbers]]:
        """The parts of what is read of the stream before the addition `end`, under pre-norm through a norm."""
        if self._pre and norm in self.weights.norms:  # Some models have no norm here.
            # h = norm(r), where r is the stream after the last addition before
            g, share = through_norm(self.row(self._stream(end)), self.weights.norms[norm], g)
            if self.weights.norms[norm].centred:  # The other kind has no bias.
                yield Part("norm_bias", tap, layer), share
        for place in reversed(range(end)):
            added = self.additions[place]
            if not self._pre:
                # x = norm(r): the stream goes on behind the norm of each addition
                g, share = through_norm(self.row(added.residual), self.weights.norms[added.weights], g)
                if self.weights.norms[added.weights].centred:
                    yield Part("norm_bias", added.norm, added.layer), share
            before = self._stream(place) if self.trace.card.residual else ""
            yield from self._added(added, g * self._kept(f"{added.block}.output", added.residual, before))
            if not self.trace.card.residual:
                return  # Nothing but the last sublayer reaches this place directly.
        yield from self._begun(g)

    def _begun(self, g: Numbers) -> Iterator[tuple[Part, Numbers]]:
        """The parts of what the side begins with: token and position."""
        embedding = f"{self.side}.embedding"
        if f"{embedding}.scaled" in self.trace:
            kept = self._kept("", f"{embedding}.output", "")
            yield Part("position", f"{embedding}.positions"), g @ (kept * self.row(f"{embedding}.positions"))
            yield Part("token", f"{embedding}.scaled"), g @ (kept * self.row(f"{embedding}.scaled"))
            return
        whole = self.row(f"{embedding}.output")
        position = self.row(f"{embedding}.positions") if f"{embedding}.positions" in self.trace else np.zeros_like(whole)
        norm = self.weights.norms.get(f"{embedding}.output")
        if norm is not None:
            # h = norm(E[id] + P[p] + …)
            parts = (f"{embedding}.{part}" for part in ("tokens", "positions", "segments"))
            x = np.sum([self.row(part) for part in parts if part in self.trace], axis=0)
            if x.shape == whole.shape and np.allclose(normed(x, norm), whole, atol=1e-4 * np.abs(whole).max()):
                g, share = through_norm(x, norm, g)
                yield Part("norm_bias", f"{embedding}.output"), share
                whole = x
            else:
                position = np.zeros_like(whole)  # Something else stands there, so the parts cannot be told apart.
        if position.any() and position.shape == whole.shape:  # Some models widen the sum.
            yield Part("position", f"{embedding}.positions"), g @ position
            whole = whole - position
        # What is not the position's is the token's, with what tells texts of a pair apart.
        yield Part("token", f"{embedding}.tokens"), g @ whole

    def read_by(self, block: str) -> Numbers:
        """[feature] what a block of this side reads: the stream, under pre-norm through the block's norm."""
        return self.row(read_tap(self.trace, block))

    def _stream(self, place: int) -> str:
        return _stream(self.trace, self.additions, place)

    def _kept(self, added: str, after: str, before: str) -> Numbers | float:
        """[feature] what dropout multiplied an addition with: 0, or 1/(1 - p). 1 while dropout is off.

        Dropout's own numbers are not recorded: they are read off what was added.
        """
        p = self.weights.dropout
        if not p:
            return 1.0
        embedding = f"{self.side}.embedding"
        y = self.row(added) if added else self.row(f"{embedding}.scaled") + self.row(f"{embedding}.positions")
        arrived = self.row(after) - (self.row(before) if before else 0.0)
        return np.where(np.abs(arrived - y / (1 - p)) <= np.abs(arrived), 1 / (1 - p), 0.0)

    def _added(self, added: Addition, g: Numbers) -> Iterator[tuple[Part, Numbers]]:
        """The parts of one attention or feed-forward, the bias first."""
        block = added.block
        norm = self.weights.norms.get(f"{block}.normed")
        if norm is not None:
            # y = norm(output) is what is added; with σ held it is linear in what the block gives out.
            g, share = through_norm(self.row(f"{block}.output"), norm, g)
            if norm.centred:
                yield Part("norm_bias", f"{block}.normed", added.layer), share
        self.directions[block] = g
        layer, name = added.layer, block.rpartition(".")[2]
        if name == "other" or (name != "feed_forward" and block not in self.weights.projections):
            # It has no heads, or no matrix W_O behind them: JetMoE chooses one of several for each token.
            yield Part("other", f"{block}.output", layer), g @ self.row(f"{block}.output")
            return
        if name == "feed_forward":
            network, tap = (
                self.weights.networks.get(block),
                f"{block}.output",
            )  # Several experts have no one matrix, nor a bias.
            bias = None if network is None else network.bias
            share = np.zeros(len(g)) if bias is None else g @ bias.astype(np.float64)
            if bias is not None:
                yield Part("feed_forward_bias", tap, layer), share
            yield Part("feed_forward", tap, layer), g @ self.row(tap) - share
            return
        bias, tap = self.weights.projections[block].bias, f"{block}.mixed"
        if bias is not None:
            yield Part("attention_bias", f"{block}.output", layer, name), g @ bias.astype(np.float64)
        mixed = self.trace[tap][:, self.position].astype(np.float64)  # [head, feature]
        through = head_directions(self.weights, block, g, mixed.shape[1])  # [row, head, feature]
        shares = (through * mixed).sum(axis=-1)  # [row, head]
        for head in reversed(range(shares.shape[1])):
            yield Part("head", tap, layer, name, head), shares[:, head]


def head_directions(weights: StreamWeights, block: str, g: Numbers, d_head: int) -> Numbers:
    """[…, head, feature] the direction of the stream seen from what each head mixes: g·W_O, in the slice of that head."""
    # output = W_O·concat(O_1, …, O_h), so g·output = Σ_h (g·W_O)[h]·O_h
    # In the weights' own precision: to convert a large matrix would take longer than all else.
    through = (g.astype(np.float32) @ weights.projections[block].weight).astype(np.float64)  # […, head·feature]
    return through.reshape(*through.shape[:-1], -1, d_head)


def through_norm(x: Numbers, weights: NormWeights, g: Numbers) -> tuple[Numbers, Numbers]:
    """The direction before a norm that has read x, and the share [row] of the norm's own bias."""
    # y = γ·(x - mean(x))/σ + β, so g·y = x·(γg - mean(γg))/σ + g·β
    scaled = g * weights.weight
    centred = scaled - scaled.mean(axis=-1, keepdims=True) if weights.centred else scaled
    return centred / sigma(x, weights), g @ weights.bias.astype(np.float64)


def normed(x: Numbers, weights: NormWeights) -> Numbers:
    """[feature] what a norm makes of the vector x."""
    made: Numbers = weights.weight * (x - x.mean() if weights.centred else x) / sigma(x, weights) + weights.bias
    return made


def sigma(x: Numbers, weights: NormWeights) -> float:
    """What a norm divides by, from the stream that it read."""
    if weights.unbiased:
        # σ = √(Σ (x - mean)²/(n - 1)) + eps
        return float(x.std(ddof=1)) + weights.eps
    if not weights.centred:
        # σ = √(Σ x²/n + eps)
        return float(np.sqrt((x**2).mean() + weights.eps))
    # σ = √(Σ (x - mean)²/n + eps)
    return float(np.sqrt(x.var() + weights.eps))
