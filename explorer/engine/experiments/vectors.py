"""The vectors of the sentence's tokens among those of the whole vocabulary: neighbours, and a plane for all of them."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from explorer.engine.experiments.bench import Bench, fetched, frozen, stop_if
from explorer.model.transformer import Stack
from explorer.tokens.token import Token
from explorer.trace.trace import Trace
from explorer.trace.vectors import SideVectors, Vectors, plane, unit

_NEAREST = 20  # neighbours of each token
_SHOWN = 8  # those of them that are on the plane whatever else is
_MOST_TOKENS = 128  # tokens of a side that are looked at
_MOST_POINTS = 1000  # symbols of the vocabulary on the plane
_AT_ONCE = 8192  # rows of the vocabulary that are compared at once


def vectors(bench: Bench, source_symbols: tuple[str, ...]) -> Vectors:
    """The vectors of each side of the model. `source_symbols` are the texts of the encoder's ids. Raises Superseded."""
    assert bench.trace is not None  # The streams of a pass are those that it recorded.
    sides = {}
    for side, stack, symbols in (("encoder", bench.own.encoder, source_symbols), ("decoder", bench.own.decoder, bench.symbols)):
        if stack is not None:
            stop_if(bench.stop)
            sides[side] = _side(bench, bench.trace, side, stack, symbols)
    return Vectors(sides)


def _side(bench: Bench, trace: Trace, side: str, stack: Stack, symbols: tuple[str, ...]) -> SideVectors:
    tokens = trace.side(f"{side}.embedding.output")[:_MOST_TOKENS]
    table = fetched(stack.embedding.look_up.weight).float()  # [vocab, feature]
    nearest, cosines = _neighbours(bench, table, tokens)
    taps = stream_taps(trace, side)
    streams = unit(np.stack([trace[tap][: len(tokens)] for tap in taps]))  # [place, position, feature]
    spaced = np.linspace(0, len(table) - 1, min(len(table), _MOST_POINTS)).round().astype(np.int64)
    sampled = np.union1d(spaced, nearest[:, :_SHOWN])
    cloud = unit(table.numpy()[sampled])  # [symbol, feature]
    stop_if(bench.stop)
    mean, directions, shares = plane(np.concatenate([cloud, streams.reshape(-1, cloud.shape[1])]))
    named = {*nearest.ravel().tolist(), *sampled.tolist()}
    return SideVectors(
        tokens=tuple(token.text for token in tokens),
        ids=tuple(token.id for token in tokens),
        nearest=nearest,
        cosines=frozen(cosines),
        taps=taps,
        path=frozen(torch.from_numpy((streams - mean) @ directions.T)),
        sampled=sampled,
        cloud=frozen(torch.from_numpy((cloud - mean) @ directions.T)),
        shares=shares,
        n_symbols=len(table),
        names={each: symbols[each] if each < len(symbols) else f"#{each}" for each in named},
    )


def _neighbours(bench: Bench, table: Tensor, tokens: tuple[Token, ...]) -> tuple[NDArray[np.int64], Tensor]:
    """[position, rank] ids and cosines of the symbols nearest to each token, part after part. Raises Superseded."""
    own = torch.tensor([token.id for token in tokens])
    # cos(a, b) = a·b / (|a|·|b|); a row of zeros has no direction and comes last.
    asked = _directions(table[own])  # [position, feature]
    n_best = min(_NEAREST, len(table) - 1)
    best, ids = torch.empty(len(own), 0), torch.empty(len(own), 0, dtype=torch.int64)
    for first in range(0, len(table), _AT_ONCE):
        stop_if(bench.stop)
        rows = table[first : first + _AT_ONCE]
        cosines = asked @ _directions(rows).T  # [position, symbol]
        numbers = torch.arange(first, first + len(rows)).expand(len(own), -1)
        cosines[numbers == own[:, None]] = -torch.inf  # Nobody is his own neighbour.
        both, names = torch.cat([best, cosines], 1), torch.cat([ids, numbers], 1)
        best, places = both.topk(min(n_best, both.shape[1]), dim=1)
        ids = names.gather(1, places)
    return ids.numpy(), best


def _directions(rows: Tensor) -> Tensor:
    """[row, feature] each row divided by its length."""
    lengths: Tensor = rows.norm(dim=1, keepdim=True)  # [row, 1]
    return rows / lengths.clamp(min=1e-12)


def stream_taps(trace: Trace, side: str) -> tuple[str, ...]:
    """Where a side's stream can be seen between its layers: the input, and what the last addition of each layer leaves."""
    ends = [f"{side}.embedding.output"]
    for layer in range(trace.card.side(side).n_layers):
        residuals = [name for name in trace.names() if name.startswith(f"{side}.layers.{layer}.residual")]
        ends += residuals[-1:]
    return tuple(ends)
