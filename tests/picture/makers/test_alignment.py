"""Alignments: the very weights that were recorded, the rows' names, the places of labels, and the figure as SVG."""

import math
import re
from xml.etree import ElementTree

import attrs
import numpy as np
import pytest

from explorer.errors import UnknownHead, UnknownTap
from explorer.picture.alignment_lines import strokes, tell_all, tell_column, tell_line, tell_row
from explorer.picture.figure.kinds import tables
from explorer.picture.figure.svg import render
from explorer.picture.figure.text import width
from explorer.picture.kinds import Alignment, Axis, Caption
from explorer.picture.layout.alignment import lay_out, length_px, shortened, stacked
from explorer.picture.makers.alignment import alignment, alignment_map, has_alignment
from explorer.picture.scales import Scale, unit_scale
from explorer.picture.theme import THEMES
from explorer.state.look import Look
from explorer.tokens.vocabulary import BEGIN, END
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace
from tests.picture.examples import ARCHITECTURES, LANGUAGES, example, words

SVG = "{http://www.w3.org/2000/svg}"
ALIGNED = ("head", "layer", "all")


def begun(**knobs: object) -> Trace:
    """A trace whose target begins with the begin symbol, as a translator's does."""
    trace = example(target="I love Beijing", **knobs)
    first, *rest = trace.tokens.target
    tokens = Tokens(trace.tokens.source, (attrs.evolve(first, text="<bos>", id=BEGIN), *rest))
    return attrs.evolve(trace, tokens=tokens)


def drawn(values: list[list[float]], rows: tuple[str, ...] = (), columns: tuple[str, ...] = ()) -> Alignment:
    """An alignment of one's own numbers."""
    array = np.array(values, np.float32)
    return Alignment(
        values=array,
        rows=Axis("writing", rows or tuple(f"t{i}" for i in range(array.shape[0])), "target"),
        columns=Axis("key", columns or tuple(f"s{i}" for i in range(array.shape[1])), "source"),
        scale=unit_scale("cividis"),
        caption=Caption(title="title", tap="a.tap", shape="[query, key]", note="note"),
    )


def assert_mean(picture: Alignment, maps: np.ndarray) -> None:
    """The picture is the mean of [..., query, key], added up here one by one in float64."""
    flat = maps.reshape(-1, *maps.shape[-2:]).astype(np.float64)
    total = np.zeros(flat.shape[1:])
    for each in flat:
        total = total + each
    np.testing.assert_allclose(picture.values, total / len(flat), rtol=2e-7, atol=0)


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("head", [0, 3])
def test_one_head_is_the_recorded_weights(layer: int, head: int) -> None:
    """Bit by bit."""
    trace = begun()
    picture = alignment(trace, Look(layer=layer, head=head), words())
    np.testing.assert_array_equal(picture.values, trace[f"decoder.layers.{layer}.cross_attn.weights"][head])
    assert picture.caption.tap == f"decoder.layers.{layer}.cross_attn.weights"


def test_the_mean_of_a_layer_is_over_its_heads() -> None:
    """Of that layer alone; the chosen head plays no part."""
    trace = begun()
    taps = [trace[f"decoder.layers.{layer}.cross_attn.weights"] for layer in range(trace.config.n_layers)]
    for head in (0, 2):
        assert_mean(alignment(trace, Look(layer=1, head=head, aligned="layer"), words()), taps[1])
    with pytest.raises(AssertionError):
        assert_mean(alignment(trace, Look(layer=1, aligned="layer"), words()), taps[0])


def test_the_mean_of_all_is_over_layers_and_heads() -> None:
    """Whatever layer and head are chosen; and each row still adds up to one."""
    trace = begun()
    maps = np.stack([trace[f"decoder.layers.{layer}.cross_attn.weights"] for layer in range(trace.config.n_layers)])
    for layer in (0, 1):
        picture = alignment(trace, Look(layer=layer, head=1, aligned="all"), words())
        assert_mean(picture, maps)
        np.testing.assert_allclose(picture.values.sum(axis=1), 1, atol=1e-5)
        assert picture.caption.tap == "decoder.layers.*.cross_attn.weights"


@pytest.mark.parametrize("aligned", ALIGNED)
def test_rows_are_named_by_what_they_write(aligned: str) -> None:
    """Not by what they read: the place of <bos> writes the first word, the last place writes the end."""
    trace = begun()
    picture = alignment(trace, Look(aligned=aligned), words("en"))
    read = [token.text for token in trace.tokens.target]
    assert read[0] == "<bos>"
    following = (*(token.id for token in trace.tokens.target[1:]), END)
    assert picture.rows.labels == tuple(trace.symbols[index] for index in following)
    assert picture.columns.labels == tuple(token.text for token in trace.tokens.source)
    assert (picture.rows.side, picture.columns.side) == ("target", "source")
    assert picture.rows.name == "writing" and "about to generate" in picture.caption.note


def test_rows_of_a_target_without_a_begin_are_what_is_read() -> None:
    """An untrained model is asked for nothing."""
    trace = example(target="I love Beijing")
    picture = alignment(trace, Look(), words("en"))
    assert not trace.expected
    assert picture.rows.labels == tuple(token.text for token in trace.tokens.target)
    assert "as they are read" in picture.caption.note and "about to generate" not in picture.caption.note


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("aligned", ALIGNED)
def test_the_caption_says_which_and_warns(language: str, aligned: str) -> None:
    """Every choice has a title of its own, the shape of what was averaged, and the caution."""
    trace = begun()
    picture = alignment(trace, Look(layer=1, head=2, aligned=aligned), words(language))
    word = words(language)
    title = {
        "head": "L1 H2",
        "layer": word("heads.pooled_of.layer", layer=1, heads=4),
        "all": word("heads.pooled_of.all", layers=2, heads=4),
    }[aligned]
    assert picture.caption.title == f"{title} · {word('alignment.title')}"
    assert picture.caption.shape == {"all": "[layer 2, head 4, query 3, key 4]"}.get(aligned, "[head 4, query 3, key 4]")
    assert "Jain & Wallace 2019" in picture.caption.note
    assert picture.caption.note.startswith(word("alignment.rows_expected"))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_only_a_model_with_both_sides_has_an_alignment(architecture: str) -> None:
    """Elsewhere asking for it is the error for a tap that is not there, which the window never does."""
    trace = example(architecture)
    assert has_alignment(trace) == (architecture == "encoder-decoder")
    if has_alignment(trace):
        assert alignment(trace, Look(), words()).values.shape == (4, 4)
    else:
        for aligned in ALIGNED:
            with pytest.raises(UnknownTap):
                alignment(trace, Look(aligned=aligned), words())


@pytest.mark.parametrize("make", [alignment, alignment_map])
def test_a_head_or_layer_that_is_not_there_is_refused(make: object) -> None:
    """As everywhere; the last ones are still there."""
    trace = begun()
    make(trace, Look(layer=1, head=3), words())
    with pytest.raises(UnknownHead):
        make(trace, Look(head=4), words())
    with pytest.raises(UnknownTap):
        make(trace, Look(layer=2), words())


@pytest.mark.parametrize("aligned", ALIGNED)
def test_the_map_shows_the_same_numbers(aligned: str) -> None:
    """With the same names, and both on the scale from 0 to 1 that makes two pictures comparable."""
    look = Look(layer=1, head=1, aligned=aligned)
    lines, cells = alignment(begun(), look, words()), alignment_map(begun(), look, words())
    np.testing.assert_array_equal(lines.values, cells.values)
    assert (lines.rows, lines.columns, lines.caption) == (cells.rows, cells.columns, cells.caption)
    assert lines.scale == cells.scale == Scale(0.0, 1.0, "cividis")
    assert cells.closed is None and not cells.reason


@pytest.mark.parametrize("aligned", ALIGNED)
def test_masked_pairs_are_no_weight(aligned: str) -> None:
    """NaN, not zero, said so in the note and in words; the map hatches them."""
    trace = begun(causal_mask_cross=True)
    look = Look(aligned=aligned)
    picture, cells = alignment(trace, look, words("en")), alignment_map(trace, look, words("en"))
    closed = np.triu(np.ones((3, 4), bool), 1)
    np.testing.assert_array_equal(np.isnan(picture.values), closed)
    np.testing.assert_array_equal(cells.closed, closed)
    assert cells.reason == words("en")("mask.future")
    assert "Masked pairs have no line" in picture.caption.note
    assert tell_line(picture, 0, 1, words("en")).startswith(words("en")("legend.closed"))
    assert strokes(picture.values, picture.scale)[1][closed].max() == 0


def test_the_ink_of_a_line_is_in_proportion_to_its_weight() -> None:
    """None at zero, twice as much at twice the weight, and no line thinner than a pixel."""
    weights = np.array([[0.0, 0.001, 0.0625, 0.25, 0.5, 1.0, np.nan]], np.float32)
    widths, opacities = strokes(weights, unit_scale("cividis"))
    np.testing.assert_allclose((widths * opacities)[0, :6], 4 * weights[0, :6], rtol=1e-6)
    assert opacities[0, 0] == 0 == opacities[0, 6]
    assert widths.min() == 1 and (np.diff(opacities[0, :6]) > 0).all()
    assert (widths[0, 5], opacities[0, 5]) == (4, 1)


def test_a_token_in_words_lists_its_weights_from_the_largest() -> None:
    """Six one by one, the rest as a sum; a source token from those who look at it."""
    picture = drawn([[0.05, 0.5, 0.05, 0.04, 0.06, 0.1, 0.15, 0.05], [0.125] * 8])
    lines = tell_row(picture, 0, words("en")).split("\n")
    assert lines[0] == "writing 0 t0" and lines[-1] == "a.tap [query, key]"
    assert lines[1:4] == ["→ s1  0.5", "→ s6  0.15", "→ s5  0.1"]
    assert lines[-2] == "2 more, 0.09 in total"
    assert len(lines) == 9
    assert tell_column(picture, 1, words("en")).split("\n") == ["key 1 s1", "← t0  0.5", "← t1  0.125", "a.tap [query, key]"]
    assert tell_all(picture) == "t0 → s1 0.5; t1 → s0 0.125"


def test_one_weight_in_words() -> None:
    """Its figure, both tokens with their places, tap and shape."""
    text = tell_line(drawn([[0.25, 0.75]], ("He",), ("他", "在")), 0, 1, words("en"))
    assert text.split("\n") == ["0.75", "writing 0 He  →  key 1 在", "a.tap [query, key]"]


def measure(label: str) -> float:
    return 12.0 * len(label)


def test_labels_lie_where_there_is_room() -> None:
    """Each in a place as wide as itself at least, side by side, on the whole width."""
    made = lay_out(("一", "二二"), ("one", "two", "three"), measure, 400, 16)
    for side, labels in ((made.above, ("一", "二二")), (made.below, ("one", "two", "three"))):
        assert not side.turned and side.reach == 16
        assert all(wide >= measure(label) for wide, label in zip(side.widths, labels, strict=True))
        assert math.isclose(sum(side.widths), made.width)
        edges = [middle - wide / 2 for middle, wide in zip(side.middles, side.widths, strict=True)]
        ends = [middle + wide / 2 for middle, wide in zip(side.middles, side.widths, strict=True)]
        np.testing.assert_allclose(edges, [0.0, *ends[:-1]])
    assert made.width <= 400


@pytest.mark.parametrize("room", [60.0, 300.0, 700.0])
def test_labels_without_room_are_turned_and_never_closer_than_a_line(room: float) -> None:
    """Forty tokens: the figure grows beyond its room before labels would touch."""
    made = lay_out(tuple("很长的词" for _ in range(40)), tuple("token" for _ in range(38)), measure, room, 16)
    for side, n in ((made.above, 40), (made.below, 38)):
        assert side.turned and len(side.middles) == n
        assert np.diff(side.middles).min() >= 16 - 1e-9
        assert side.middles[0] >= 8 - 1e-9 and side.middles[-1] <= made.width - 8 + 1e-9
    assert made.width == max(room, 640)
    assert made.below.reach == 60


def test_a_place_knows_its_token() -> None:
    """Edges to edges; beyond them nobody."""
    side = lay_out(("a", "b", "c"), ("d",), measure, 300, 16).above
    assert [side.at(middle) for middle in side.middles] == [0, 1, 2]
    assert side.at(-1) is None and side.at(301) is None


def test_chinese_is_written_downward_and_all_else_is_turned() -> None:
    """Letter under letter only where every letter is Chinese."""
    assert stacked("图书馆") and stacked("。") and not stacked("␣He") and not stacked("<eos>")
    assert length_px("He", measure) == 24 and 36 < length_px("图书馆", measure) < 48
    assert (shortened("图书馆", 3), shortened("图书馆", 2)) == ("图书馆", "图…")


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # our own text


_STRAIGHT = re.compile(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)")


@attrs.frozen
class Straight:
    """A straight line of a figure: its ends (px), colour and opacity."""

    ends: tuple[float, float, float, float]
    colour: str
    opacity: float


def straight_lines(svg: str) -> list[Straight]:
    """All straight lines of a figure, in their order."""
    paths = ((path, _STRAIGHT.fullmatch(path.get("d", ""))) for path in parsed(svg).iter(f"{SVG}path"))
    return [
        Straight(tuple(map(float, found.groups())), path.get("stroke", ""), float(path.get("opacity", "1")))
        for path, found in paths
        if found
    ]


def lines(svg: str) -> list[Straight]:
    """The lines between tokens: they go downward, and the legend's samples across."""
    return [line for line in straight_lines(svg) if line.ends[1] != line.ends[3]]


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_the_figure_has_a_line_for_each_weight(theme: str) -> None:
    """Between the two tokens' own places, of the theme's accent, its opacity that of the weight; none for zero or NaN."""
    picture = drawn([[1.0, 0.0, np.nan], [0.25, 0.5, 0.01]])
    found = lines(render(picture, words(), THEMES[theme]))
    _, opacities = strokes(picture.values, picture.scale)
    assert [line.opacity for line in found] == pytest.approx([opacities[i] for i in ((0, 0), (1, 0), (1, 1), (1, 2))], abs=1e-4)
    assert {line.colour for line in found} == {THEMES[theme].accent}
    written = {e.text: float(e.get("x")) for e in parsed(render(picture, words(), THEMES[theme])).iter(f"{SVG}text")}
    ends = [(line.ends[0], line.ends[2]) for line in found]
    wanted = [("s0", "t0"), ("s0", "t1"), ("s1", "t1"), ("s2", "t1")]
    assert ends == [(written[above], written[below]) for above, below in wanted]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("n", [1, 4, 60])
def test_nothing_in_the_figure_is_cut_off_or_lost(language: str, n: int) -> None:
    """Lying or turned: every token is written, and all lies within the sheet."""
    rows, columns = tuple(f"␣word{i}" for i in range(n)), tuple(f"{'图书馆'[: 1 + i % 3]}" for i in range(n))
    picture = drawn(np.full((n, n), 1 / n).tolist(), rows, columns)
    svg = render(picture, words(language))
    page = parsed(svg)
    wide, high = float(page.get("width")) - 24, float(page.get("height")) - 24
    written = [element.text for element in page.iter(f"{SVG}text")]
    assert set(rows) <= set(written)
    assert "".join(columns) in "".join(written)
    assert len(lines(svg)) == n * n
    for element in page.find(f"{SVG}g").iter(f"{SVG}text"):
        x, y, size = (float(element.get(name)) for name in ("x", "y", "font-size"))
        long = width(element.text, size, int(element.get("font-weight", 400)))
        if element.get("transform"):
            assert y - long >= 0 and y <= high and 0 < x <= wide
        else:
            left = x - {"start": 0, "middle": long / 2, "end": long}[element.get("text-anchor")]
            assert left >= -0.1 and left + long <= wide + 0.6 and 0 < y <= high
    for line in lines(svg):
        left, top, right, bottom = line.ends
        assert 0 <= left <= wide and 0 <= right <= wide
        assert 0 < top < bottom <= high


def test_the_figure_says_what_thick_and_thin_mean() -> None:
    """Three samples with their figures, and the direction of both rows; hostile tokens stay text."""
    svg = render(drawn([[0.5, 0.5]], ("<b>&amp;",), ("\x00", "\"'")), words("en"))
    written = [element.text for element in parsed(svg).iter(f"{SVG}text")]
    assert {"0.1", "0.5", "1", "↑ key", "↓ writing", "<b>&amp;", "□", "\"'"} <= set(written)
    assert len(straight_lines(svg)) - len(lines(svg)) == 3


@pytest.mark.parametrize("aligned", ALIGNED)
def test_the_figure_of_a_trace_is_drawn(aligned: str) -> None:
    """Title, note and every token are there."""
    picture = alignment(begun(), Look(aligned=aligned), words())
    written = ["".join(element.itertext()) for element in parsed(render(picture, words())).iter(f"{SVG}text")]
    assert {picture.caption.title, picture.caption.note, *picture.rows.labels, *picture.columns.labels} <= set(written)


def test_the_numbers_of_one_head_are_the_models_own() -> None:
    """With the head's number, and closed cells as the model computed them; those of a mean have no head."""
    trace = example(causal_mask_cross=True)
    (one,) = tables(alignment(trace, Look(aligned="head", head=3), words("en")))
    np.testing.assert_array_equal(one.values, trace["decoder.layers.0.cross_attn.weights"][3])
    assert (one.name, one.head) == ("decoder.layers.0.cross_attn.weights", 3)
    (mean,) = tables(alignment(trace, Look(aligned="layer"), words("en")))
    assert mean.head is None and mean.name != one.name
