"""The river's numbers are the recorded ones, and its lengths those of a recomputation."""

import attrs
import numpy as np
import pytest

from explorer.picture.makers.river import MOST_LANES, river
from explorer.picture.river.river import River, strongest_pair
from explorer.state.look import Look
from explorer.trace.trace import Trace
from tests.picture.examples import ARCHITECTURES, asked, example, words


def made(trace: Trace, **fields: object) -> River:
    return river(trace, attrs.evolve(Look(), **fields).fitted(trace), words())


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("norm_placement", ["pre", "post"])
def test_every_number_is_recorded(architecture: str, norm_placement: str) -> None:
    """Weights and vectors to the bit, closed cells NaN; a head where one looks, elsewhere the mean over the heads."""
    trace = example(architecture, norm_placement=norm_placement)
    picture = made(trace, layer=1, head=2)
    for half in picture.halves:
        assert np.array_equal(half.scaled, trace[f"{half.side}.embedding.scaled"])
        assert np.array_equal(half.output, trace[f"{half.side}.embedding.output"])
        assert half.labels == tuple(token.text for token in trace.side(f"{half.side}.embedding.output"))
    seen = 0
    for block in picture.blocks():
        if block.recorded is None:
            continue
        recorded = trace[f"{block.attention.replace('.', f'.layers.{block.layer}.')}.weights"]
        assert np.array_equal(block.recorded, recorded)
        focus = (block.attention, block.layer) == (picture.attention, picture.layer)
        expected = recorded[2] if focus else recorded.astype(np.float64).mean(axis=0)
        open_ = np.ones(expected.shape, bool) if block.closed is None else ~block.closed
        assert np.allclose(block.drawn[open_], expected[open_], atol=1e-6)  # type: ignore[index]  # It was recorded.
        assert np.isnan(block.drawn[~open_]).all()  # type: ignore[index]  # It was recorded.
        seen += 1
    assert seen == sum(len(side.attentions) * side.n_layers for side in trace.card.sides)


@pytest.mark.parametrize("norm_placement", ["pre", "post"])
def test_lanes_are_as_long_as_what_the_next_block_reads(norm_placement: str) -> None:
    """‖x‖ of the residual stream; of its norm where norms stand behind, since that is what goes on."""
    trace = example(norm_placement=norm_placement)
    picture = made(trace)
    name = "residual" if norm_placement == "pre" else "norm"
    for half in picture.halves:
        for layer in half.layers:
            for place, block in enumerate(layer, 1):
                tap = f"{half.side}.layers.{block.layer}.{name}{place}"
                assert np.allclose(block.length, np.linalg.norm(trace[tap].astype(np.float64), axis=1), rtol=1e-6)


def test_words_have_the_probability_of_what_was_written() -> None:
    """P of the expected symbol at each step, the likeliest candidates in order, and the rest fills up to one."""
    trace = asked()
    picture = made(trace, position=1)
    p = trace["generator.probabilities"]
    assert picture.written.step == 1
    assert picture.written.probabilities.tolist() == [float(p[step, trace.expected[step]]) for step in range(len(p))]
    shares = [share for _name, share, _id in picture.written.candidates]
    assert shares == sorted(p[1].tolist(), reverse=True)[: len(shares)]
    assert sum(shares) + picture.written.rest == pytest.approx(1, abs=1e-6)


def test_where_nothing_is_expected_the_likeliest_symbol_stands() -> None:
    """An encoder alone writes nothing, but its output is there at each place."""
    trace = example("encoder-only")
    picture = made(trace)
    best = trace["generator.probabilities"].argmax(axis=1)
    assert picture.written.labels == tuple(trace.symbols[i] for i in best)


def test_many_tokens_share_lanes() -> None:
    """Of a block each number is the largest: of weights the maximum, of vectors what is farthest from zero."""
    trace = example(text="我爱北京天安门。" * 60)
    n = len(trace.tokens.source)
    assert n > MOST_LANES
    picture = made(trace, attention="decoder.cross_attn")
    half = picture.halves[0]
    assert half.n <= MOST_LANES and half.block * (half.n - 1) < n <= half.block * half.n
    whole = trace["decoder.layers.0.cross_attn.weights"][0]
    focus = picture.focus
    assert focus is not None and focus.drawn is not None
    assert focus.drawn[0, 0] == whole[: half.block, : half.block].max()
    column = trace["encoder.embedding.output"][: half.block, 5]
    assert half.output[0, 5] == column[np.abs(column).argmax()]
    assert np.nanquantile(focus.drawn, 0.9) <= picture.scale.high < 1


def test_waves_between_places_go_through_the_recorded_ones() -> None:
    """The smooth curve is the formula; a learned table has none and stays as it was recorded."""
    picture = made(example())
    assert picture.finer > 1
    assert np.allclose(picture.smooth[:: picture.finer], picture.waves, atol=1e-4)
    learned = made(example(position="learned"))
    assert learned.finer == 1 and np.array_equal(learned.smooth, learned.waves)
    assert not len(made(example(position="none")).waves)


def test_the_strongest_pair_is_off_the_diagonal() -> None:
    """A closed cell never is."""
    weights = np.array([[0.9, 0.1, np.nan], [0.2, 0.8, np.nan], [0.1, 0.6, 0.3]])
    assert strongest_pair(weights) == (2, 1)
    assert strongest_pair(np.array([[1.0]])) == (0, 0)
