"""The river's numbers are the recorded ones, and its lengths those of a recomputation."""

import attrs
import numpy as np
import pytest
import torch

import explorer
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.picture.figure.river import RIVER
from explorer.picture.makers.excerpt import MOST_LANES
from explorer.picture.makers.river import river
from explorer.picture.marks import Label
from explorer.picture.river.draw import draw_river
from explorer.picture.river.excerpts import centred, scrolled, zoomed
from explorer.picture.river.grid import lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.place import Place
from explorer.picture.river.river import River
from explorer.picture.river.tell import tell
from explorer.state.look import Look
from explorer.state.wish import Wish
from explorer.trace.measures.measures import strongest_pair
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


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_an_excerpt_is_part_of_the_whole(architecture: str) -> None:
    """Each array and each name of an excerpt is that of the same tokens in the whole river, and the map of the same cells."""
    trace = example(architecture)
    fields = {"source_first": 1, "source_end": 4, "target_first": 1, "target_end": 3, "layer": 1}
    whole, part = made(trace, layer=1), made(trace, **fields)
    ranges = {"source": slice(1, 4), "target": slice(1, 3)}
    for full, half in zip(whole.halves, part.halves, strict=True):
        rows = ranges[half.tokens]
        assert (half.first, half.end, half.whole) == (rows.start, rows.stop, False)
        assert half.labels == full.labels[rows] and half.ids == full.ids[rows]
        for name in ("scaled", "positions", "output", "length", "last"):
            assert np.array_equal(getattr(half, name), getattr(full, name)[rows])
    for full_block, block in zip(whole.blocks(), part.blocks(), strict=True):
        if block.weights is None or full_block.weights is None:
            continue
        query, key = (ranges[part.half_of(block.attention, axis).tokens] for axis in ("query", "key"))
        assert np.array_equal(block.weights, full_block.weights[:, query, key], equal_nan=True)
    assert part.map is not None and whole.map is not None
    query, key = (ranges[part.half_of(part.attention, axis).tokens] for axis in ("query", "key"))
    assert np.array_equal(part.map.values, whole.map.values[query, key], equal_nan=True)
    assert part.map.columns.labels == whole.map.columns.labels[key]
    assert part.map.columns.spot(0) == whole.map.columns.spot(key.start)
    assert part.written.labels == whole.written.labels[ranges[part.halves[-1].tokens]]
    names = [table.name for table in RIVER.tables(part)]
    assert all("[" in name for name in names if "step" not in name)  # No part of an array has the name of all of it.


def test_few_of_many_tokens_have_lanes_of_their_own() -> None:
    """In a text of blocks an excerpt shows single tokens with their cells, and the chosen step has a lane only inside it."""
    trace = example(text="我爱北京天安门。" * 60)
    picture = made(trace, source_first=100, source_end=120, target_first=100, target_end=120, position=7)
    assert [half.block for half in picture.halves] == [1, 1]
    assert not picture.shows_step and picture.step_lane == 0
    block = picture.focus
    assert block is not None and block.drawn is not None
    assert np.allclose(block.drawn, trace[block.tap][0, 100:120, 100:120])
    assert made(trace, source_first=100, source_end=120, position=105).shows_step


def test_an_excerpt_that_a_text_has_no_more_is_all_of_it() -> None:
    """A shorter sentence is shown whole, and one of the same length keeps the excerpt."""
    trace = example()
    n = len(trace.tokens.source)
    look = attrs.evolve(Look(), source_first=1, source_end=n)
    assert (look.fitted(trace).source_first, look.fitted(trace).source_end) == (1, n)
    look = attrs.evolve(look, source_end=n + 1)
    assert (look.fitted(trace).source_first, look.fitted(trace).source_end) == (0, 0)


def test_the_wheel_keeps_the_token_under_the_mouse() -> None:
    """Zooming leaves it at its height, going on moves by a part of the excerpt, and neither leaves the sentence."""
    trace = example(text="我爱北京天安门。" * 12)
    half = made(trace).halves[0]
    n = half.n_tokens
    place = zoomed(half, 20.5, 0.5)
    shown = made(trace, source_first=place.index, source_end=place.end).halves[0]
    share = (20.5 - shown.first) / (shown.end - shown.first)
    assert share == pytest.approx(20.5 / n, abs=1 / (shown.end - shown.first))
    assert scrolled(shown, -100).index == 0 and scrolled(shown, 100).end == n
    assert scrolled(shown, 1).index > shown.first
    assert zoomed(shown, shown.first, 100) == Place("excerpt", side="source")
    assert (smallest := zoomed(shown, shown.first, 0.01)).end - smallest.index == 6
    assert centred(shown, 0.5).index == pytest.approx(n / 2 - (shown.end - shown.first) / 2, abs=1)


@pytest.mark.parametrize("temperature", [0.3, 2.5])
def test_the_sampling_temperature_changes_every_probability_that_is_shown(temperature: float) -> None:
    """Of the words and of the candidates, against torch's softmax of the recorded logits; the caption and the tables say so."""
    trace = asked("he likes it")
    picture = made(trace, position=1, sampling_temperature=temperature)
    logits = torch.from_numpy(np.array(trace["generator.logits"], np.float64))
    p = torch.softmax(logits / temperature, dim=-1).numpy()

    assert picture.written.probabilities == pytest.approx([p[n, each] for n, each in enumerate(trace.expected)], rel=1e-5)
    ids = [each for _name, _share, each in picture.written.candidates]
    assert [share for _name, share, _id in picture.written.candidates] == pytest.approx(p[1, ids].tolist(), rel=1e-5)
    assert ids == np.argsort(-p[1], kind="stable")[: len(ids)].tolist() and picture.written.cut == ()
    names = [table.name for table in RIVER.tables(picture)]
    assert f"softmax(generator.logits / {temperature:g}).step1" in names
    grid = lay_out(picture, 1172, 716)
    scene = draw_river(picture, grid, words(), Colours("cividis", "blue-red")).scene
    assert any(isinstance(item, Label) and item.text.endswith(f"T = {temperature:g}") for item in scene)


def test_candidates_that_sampling_would_cut_away_are_pale() -> None:
    """Those beyond the first two; their probabilities stay, and the sentence says that they are never drawn."""
    trace = asked("he likes it")
    picture, plain = made(trace, position=1, top_k=2), made(trace, position=1)

    assert picture.written.cut == (False, False, *(True for _each in picture.written.candidates[2:]))
    assert picture.written.candidates == plain.written.candidates and plain.written.cut == ()
    place = Place("candidate", index=2)
    cut, kept = (str(tell(each, words("en"), place, None, (), ())) for each in (picture, plain))
    assert "top-k" in cut and "top-k" not in kept


def test_it_says_why_a_word_that_is_not_the_likeliest_was_written() -> None:
    """A person chose it; of the likeliest word nothing is said."""
    text = "他在图书馆看书。"
    trace = explorer.explore(text, preset="translator")
    first = made(trace, position=1)
    assert first.written.why == ""
    name, _p, second = first.written.candidates[1]
    wish = attrs.evolve(Wish.from_preset("translator", text), prefix=(trace.expected[0], second), beam=1)
    branched = made(Computer()(Request(wish=wish)).trace, position=1)
    assert (branched.written.labels[1], branched.written.why) == (name, "chosen")
    typed = made(explorer.explore(text, "She is reading.", preset="translator"), position=0)
    assert (typed.written.labels[0], typed.written.why) == ("␣She", "chosen")


def test_it_says_that_a_search_wrote_another_word() -> None:
    """Where a beam of four wrote a word that was not the likeliest at its step."""
    wish = attrs.evolve(Wish.from_preset("translator", "这个问题很难回答。"), beam=4)
    trace = Computer()(Request(wish=wish)).trace
    p = trace["generator.probabilities"]
    others = [step for step, written in enumerate(trace.expected) if p[step].argmax() != written]
    assert others  # Otherwise this sentence shows nothing.
    for step in range(len(p)):
        assert made(trace, position=step).written.why == ("search" if step in others else "")


def test_pointing_at_a_vector_tells_what_its_colours_mean() -> None:
    """With the number farthest from zero of the very vector, and its feature."""
    trace = asked()
    picture = made(trace, position=1)
    values = trace["encoder.embedding.output"][2]
    place = Place("vector", side="source", index=2, head=2)
    said = "".join(piece.text for piece in tell(picture, words(), place, None, (2,), ()))
    at = int(np.abs(values).argmax())
    assert f"{values[at]:.3g}".replace("-", "−") in said and str(at) in said and picture.halves[0].labels[2] in said
