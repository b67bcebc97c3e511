"""The vectors of the sentence's tokens among those of the whole vocabulary: neighbours, and a plane for all of them."""

from collections.abc import Callable, Iterator, Sequence

import attrs
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from explorer.engine.experiments.bench import Bench, fetched, frozen, stop_if
from explorer.engine.experiments.inquiry import Inquiry
from explorer.foreign.model import Foreign
from explorer.foreign.thin import row_count, some_rows, span_of_rows
from explorer.tokens.token import Token
from explorer.trace.trace import Trace
from explorer.trace.vectors import SideVectors, Vectors, plane, unit

_NEAREST = 20  # neighbours of each token
_SHOWN = 8  # those of them that are on the plane whatever else is
_MOST_TOKENS = 128  # tokens of a side that are looked at
_MOST_POINTS = 1000  # symbols of the vocabulary on the plane
AT_ONCE = 8192  # rows of the vocabulary that are compared at once


@attrs.frozen(eq=False)
class _Table:
    """The `n` rows of a side's embedding, of which as many are in memory as are asked for; those of others may be large.

    `span` gives [symbol, feature] the rows from one number to before another, `some` those of some numbers. `symbols` are the
    texts of the ids.
    """

    side: str
    n: int
    span: Callable[[int, int], Tensor]
    some: Callable[[Sequence[int]], Tensor]
    symbols: tuple[str, ...]


def vectors(inquiry: Inquiry) -> Vectors:
    """The vectors of each side of the model. Raises Superseded, BadWeights."""
    symbols = inquiry.origin.symbols(inquiry.wish.config, inquiry.tokens, of_source=True)
    sides = {}
    for table in _tables(inquiry, symbols):
        stop_if(inquiry.stop)
        sides[table.side] = _side(inquiry, inquiry.trace, table)
    return Vectors(sides)


def _tables(bench: Bench, source_symbols: tuple[str, ...]) -> Iterator[_Table]:
    """The embeddings of the sides that the model has."""
    if isinstance(bench.model, Foreign):
        for side in bench.card.sides:
            module = bench.model.embedding(side.name)
            # Both sides of a model of others have one vocabulary.
            yield _Table(
                side.name,
                row_count(module),
                lambda first, end, module=module: span_of_rows(module, first, end),  # type: ignore[misc]  # a default
                lambda which, module=module: some_rows(module, which),  # type: ignore[misc]  # a default
                source_symbols,
            )
        return
    for side_name, stack, symbols in (
        ("encoder", bench.own.encoder, source_symbols),
        ("decoder", bench.own.decoder, bench.symbols),
    ):
        if stack is not None:
            rows = fetched(stack.embedding.look_up.weight).float()  # [vocab, feature]
            yield _Table(
                side_name,
                len(rows),
                lambda first, end, rows=rows: rows[first:end],  # type: ignore[misc]  # a default
                lambda which, rows=rows: rows[torch.tensor(which)],  # type: ignore[misc]  # a default
                symbols,
            )


def _side(bench: Bench, trace: Trace, table: _Table) -> SideVectors:
    side = table.side
    tokens = (trace.tokens.source if side == "encoder" else trace.tokens.target)[:_MOST_TOKENS]
    nearest, cosines = _neighbours(bench, table, tokens)
    spaced = np.linspace(0, table.n - 1, min(table.n, _MOST_POINTS)).round().astype(np.int64)
    sampled = np.union1d(spaced, nearest[:, :_SHOWN])
    cloud = unit(table.some(sampled.tolist()).numpy())  # [symbol, feature]
    taps = _stations(trace, side, cloud.shape[1])
    # [place, position, feature]
    streams = (
        unit(np.stack([trace[tap][: len(tokens)] for tap in taps])) if taps else np.empty((0, len(tokens), cloud.shape[1]))
    )
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
        n_symbols=table.n,
        names={each: table.symbols[each] if each < len(table.symbols) else f"#{each}" for each in named},
        n_features=cloud.shape[1],
    )


def _stations(trace: Trace, side: str, n_features: int) -> tuple[str, ...]:
    """Where the stream is followed; nowhere if it is not seen, or is wider than the vectors of the vocabulary."""
    if f"{side}.embedding.output" not in trace or trace.shape(f"{side}.embedding.output")[-1] != n_features:
        return ()
    return stream_taps(trace, side)


def _neighbours(bench: Bench, table: _Table, tokens: tuple[Token, ...]) -> tuple[NDArray[np.int64], Tensor]:
    """[position, rank] ids and cosines of the symbols nearest to each token, part after part. Raises Superseded."""
    own = torch.tensor([token.id for token in tokens], dtype=torch.int64)
    # cos(a, b) = a·b / (|a|·|b|); a row of zeros has no direction and comes last.
    asked = _directions(table.some(own.tolist()))  # [position, feature]
    n_best = min(_NEAREST, table.n - 1)
    best, ids = torch.empty(len(own), 0), torch.empty(len(own), 0, dtype=torch.int64)
    for first in range(0, table.n, AT_ONCE):
        stop_if(bench.stop)
        rows = table.span(first, min(first + AT_ONCE, table.n))
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


MAKE = vectors
