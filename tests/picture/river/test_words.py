"""The river between words: its numbers against those of the lanes of tokens, and where its lanes lead."""

import math

import attrs
import numpy as np
import pytest

import explorer
from explorer.picture.figure.river import RIVER
from explorer.picture.makers.river import river
from explorer.picture.marks import Label
from explorer.picture.river.changeable import changeable
from explorer.picture.river.draw import draw_river
from explorer.picture.river.excerpts import scrolled
from explorer.picture.river.focus import row_names
from explorer.picture.river.grid import lay_out
from explorer.picture.river.ground import Colours
from explorer.picture.river.place import Place
from explorer.picture.river.pointing import of_pair, of_spots, pointing_at, spots_of, usual
from explorer.picture.river.river import Contributions, River
from explorer.picture.river.tell import tell
from explorer.state.look import Look
from explorer.state.offers import ChangePlace
from explorer.trace.trace import Trace
from tests.picture.examples import begun, example, words


def told() -> Trace:
    """A pass over two texts with words of several tokens."""
    return begun(example(text="I love Tiananmen", target="x Tiananmen square.", tokenizer="bpe"))


def made(trace: Trace, **fields: object) -> River:
    return river(trace, attrs.evolve(Look(unit="words"), **fields).fitted(trace), words("en"))


def test_lanes_are_words_and_write_the_word_after_theirs() -> None:
    """With the product of its tokens' probabilities; the last one writes the end."""
    trace = told()
    folded, whole = made(trace), made(trace, unit="tokens")
    assert folded.halves[0].labels == ("I", "love", "Tiananmen")
    assert folded.halves[1].labels == ("<bos>", "Tiananmen", "square", ".")
    assert folded.written.labels == ("Tiananmen", "square", ".", "<eos>")
    p = [float(each) for each in whole.written.probabilities]
    n_pieces = len(trace.word_groups["target"][1])
    assert folded.written.probabilities[0] == pytest.approx(math.prod(p[:n_pieces]), rel=1e-5)
    assert folded.written.probabilities[-1] == pytest.approx(p[-1])
    assert "by word" in folded.caption.note.lower() and folded.caption.origin == "computed"


def by_hand(weights: np.ndarray, rows: list[list[int]], columns: list[list[int]]) -> list[list[float]]:
    return [[math.fsum(float(weights[q, k]) for q in i for k in j) / len(i) for j in columns] for i in rows]


def test_bands_are_sums_over_keys_and_averages_over_queries() -> None:
    """Rows of cross-attention are those which write a lane's word; a word that lies behind another stays closed."""
    trace = told()
    folded = made(trace, attention="decoder.cross_attn", layer=1, head=2)
    own = [list(group) for group in trace.word_groups["target"]]
    across = [*([place - 1 for place in group] for group in own[1:]), [len(trace.tokens.target) - 1]]
    source = [list(group) for group in trace.word_groups["source"]]
    assert len(across) == len(own) == 4
    for block in folded.blocks():
        if block.part == "feed_forward":
            continue
        assert block.weights is not None and block.recorded is None and block.drawn is not None
        keys = source if block.part == "cross_attn" or block.attention.startswith("encoder") else own
        queries = across if block.part == "cross_attn" else keys
        for head in range(4):
            wanted = np.array(by_hand(trace[block.tap][head], queries, keys))
            open_ = np.isfinite(block.weights[head])
            np.testing.assert_allclose(block.weights[head][open_], wanted[open_], atol=1e-6)
            assert (wanted[~open_] == 0).all() and open_.all() == (block.attention != "decoder.self_attn")
        focus = (block.attention, block.layer) == ("decoder.cross_attn", 1)
        np.testing.assert_allclose(block.drawn, block.weights[2] if focus else block.weights.mean(axis=0), atol=1e-6)
    assert folded.map is not None and folded.focus is not None and folded.focus.weights is not None
    np.testing.assert_allclose(folded.map.values, folded.focus.weights[2], atol=1e-6)
    assert row_names(folded) == (("Tiananmen", "square", ".", "<eos>"), "target", 1)


def test_vectors_show_the_largest_numbers_of_a_word() -> None:
    """As lanes of many tokens do: the value farthest from zero, and the greatest length."""
    trace = told()
    folded, whole = made(trace), made(trace, unit="tokens")
    for half, tokens in zip(folded.halves, whole.halves, strict=True):
        for lane, group in enumerate(trace.word_groups[half.tokens]):
            for name in ("scaled", "positions", "output"):
                values = getattr(tokens, name)[list(group)]
                assert getattr(half, name)[lane].tolist() == [max(column, key=abs) for column in values.T.tolist()]
            assert half.length[lane] == max(tokens.length[list(group)])
            assert half.last[lane] == max(tokens.last[list(group)])


def test_what_was_not_folded_is_as_it_was() -> None:
    """A sentence whose words are tokens, and a block that is opened, have lanes of tokens."""
    assert made(example()).halves[0].single
    opened = made(told(), opened="attention")
    assert opened.opened is not None and opened.halves[1].single


def test_a_lane_leads_to_its_tokens_and_back() -> None:
    """Any position of a word leads to the lane that writes it, and a lane to all tokens of its word."""
    trace = told()
    folded = made(trace, attention="decoder.cross_attn", layer=1)
    last, group = folded.halves[-1], trace.word_groups["target"][1]
    assert [last.step_lane(step) for step in last.writes(0)] == [0] * len(group)
    assert last.lane(group[-1]) == 1 and last.token(1) == group[0] and last.has(group[1])
    for step in last.writes(0):
        assert made(trace, position=step).step_lane == 0
        assert pointing_at(folded, Place("step", side="target", index=step), opened=False).pair is not None
    spots = spots_of(folded, of_pair(folded, 0, 2))
    assert spots == {("target", place) for place in group} | {("source", place) for place in trace.word_groups["source"][2]}
    found = of_spots(folded, {("target", group[-1])})
    assert found is not None and found.target == (1,)


def test_what_is_followed_is_the_strongest_pair_of_tokens() -> None:
    """Of two words; between two tokens it is they."""
    trace = told()
    folded = made(trace, attention="decoder.cross_attn", layer=1, head=2)
    weights = trace["decoder.layers.1.cross_attn.weights"][2]
    rows, columns = folded.halves[-1].writes(0), trace.word_groups["source"][2]
    best = max(((q, k) for q in rows for k in columns), key=lambda cell: weights[cell])
    assert folded.pair(0, 2) == best
    assert folded.pair(1, 0) == (folded.halves[-1].writes(1)[0], 0)


def test_a_word_of_several_tokens_is_no_place_of_the_pass() -> None:
    """Its vector cannot be changed, and at its bands the whole layer is meant; a word of one token is its token."""
    folded = made(told(), attention="encoder.self_attn", layer=1, head=2)
    assert changeable(folded, Place("token", side="source", index=2)) is None
    assert changeable(folded, Place("token", side="source", index=1)) == ChangePlace("encoder.embedding.output", None, 1)
    pair = Place("pair", attention="encoder.self_attn", layer=1, query=0, key=1)
    assert changeable(folded, pair) == ChangePlace("encoder.layers.1.self_attn.weights", 2, 0, 1)
    layer = ChangePlace("encoder.layers.1.self_attn.weights", None)
    assert changeable(folded, attrs.evolve(pair, key=2)) == layer


def test_contributions_of_a_word_are_the_sum_of_its_tokens() -> None:
    """An exact part of the same difference, and no band is longer than the scale."""
    trace = explorer.explore("我爱北京天安门", preset="translator", experiments=("why",))
    folded, whole = made(trace, bands="contributions"), made(trace, bands="contributions", unit="tokens")
    one, all_ = folded.contributions, whole.contributions
    assert isinstance(one, Contributions) and isinstance(all_, Contributions)
    for key, values in one.values.items():
        groups = trace.word_groups["source" if key[0] == "decoder.cross_attn" else "target"]
        wanted = [[math.fsum(row[list(group)].tolist()) for group in groups] for row in all_.values[key]]
        np.testing.assert_allclose(values, wanted, atol=1e-9)
        assert np.abs(values).max() <= one.reach
    assert one.difference == all_.difference and one.lane == folded.step_lane


def test_an_excerpt_has_whole_words_with_the_numbers_of_the_whole() -> None:
    """Though it was asked for from the middle of one; scrolling goes on by a word."""
    trace = told()
    _bos, group, following, _dot = trace.word_groups["target"]
    whole = made(trace, attention="decoder.cross_attn", layer=1)
    part = made(trace, attention="decoder.cross_attn", layer=1, target_first=group[1], target_end=following[-1] + 1)
    half = part.halves[-1]
    assert (half.first, half.end, half.labels) == (group[0], following[-1] + 1, ("Tiananmen", "square"))
    assert part.focus is not None and whole.focus is not None
    np.testing.assert_array_equal(part.focus.drawn, whole.focus.drawn[1:3])  # type: ignore[index]  # It was recorded.
    assert part.written.labels == whole.written.labels[1:3]
    np.testing.assert_array_equal(part.written.probabilities, whole.written.probabilities[1:3])
    assert part.map is not None and part.map.rows.labels == ("→square", "→.")
    assert part.map.rows.spot(0) == ("target", group[-1] + 1)
    assert row_names(part)[2] == 1
    assert scrolled(half, 1.0).index > half.first and scrolled(half, -1.0).index < half.first


@pytest.mark.parametrize("size", [(1172, 716), (1000, 500)])
def test_it_is_drawn_and_told(size: tuple[int, int]) -> None:
    """Words stand at their lanes, the source's with the number of their tokens, and the button says what words are."""
    folded = made(told(), attention="decoder.cross_attn")
    drawn = draw_river(folded, lay_out(folded, *size), words("en"), Colours("cividis", "blue-red"))
    texts = [item.text for item in drawn.scene if isinstance(item, Label)]
    assert {"Tiananmen", "square", f"×{len(told().word_groups['source'][2])}", words("en")("heads.unit_words")} <= set(texts)
    about = "".join(piece.text for piece in tell(folded, words("en"), Place("words"), None, (), ()))
    assert about == words("en")("heads.unit_words_hint")
    assert "Tiananmen" in "".join(piece.text for piece in tell(folded, words("en"), None, usual(folded).pair, (), ()))


def test_files_have_the_folded_numbers_under_names_of_their_own() -> None:
    """No name of a tap stands above numbers that were not recorded."""
    folded = made(told(), attention="decoder.cross_attn")
    names = {table.name: table for table in RIVER.tables(folded)}
    assert names["decoder.layers.0.cross_attn.weights.words"].values.shape == (4, 4, 3)
    assert names["decoder.layers.0.cross_attn.weights.words"].rows.labels == folded.halves[1].labels
    assert not any(name.endswith((".weights", ".scaled", ".output")) for name in names)


@pytest.mark.parametrize("architecture", ["encoder-only", "decoder-only"])
def test_models_with_one_side_have_words_as_well(architecture: str) -> None:
    """Where nothing is expected, a lane says what its last token does."""
    trace = example(architecture, text="I love Tiananmen", tokenizer="bpe")
    folded, whole = made(trace), made(trace, unit="tokens")
    (half,) = folded.halves
    assert half.labels == ("I", "love", "Tiananmen") and not half.steps
    last = half.writes(2)[0]
    assert last == half.n_tokens - 1 and folded.written.labels[2] == whole.written.labels[last]
    assert folded.written.probabilities[2] == whole.written.probabilities[last]
