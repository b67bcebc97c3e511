"""Every maker of pictures, held against the trace's own arrays."""

import attrs
import numpy as np
import pytest

import explorer
from explorer.errors import NoPositionVectors, UnknownHead, UnknownTap
from explorer.lang import Words
from explorer.picture.kinds import Heatmap
from explorer.picture.makers import attention, embedding, output, positions
from explorer.picture.makers.heatmaps import closed_of, scale_for, tap_heatmap
from explorer.state.look import Look, attentions, sides_of
from explorer.trace.stages import stage_of
from explorer.trace.trace import Trace
from tests.picture.examples import ARCHITECTURES, LANGUAGES, example, words

ZH, EN = words("zh"), words("en")
SOURCE, TARGET = ("我", "爱", "北京", "天安门"), ("he", "likes", "it")


def trace_of(architecture: str, **knobs: object) -> Trace:
    """Source and target of unequal length where there are both, and masks everywhere."""
    target = "he likes it" if architecture == "encoder-decoder" else None
    return example(architecture, target=target, **knobs)


def looks(trace: Trace) -> list[Look]:
    return [Look(attention=kind, layer=layer, head=head) for kind in attentions(trace) for layer in (0, 1) for head in (0, 3)]


def side_tokens(trace: Trace, side: str) -> tuple[str, ...]:
    return tuple(token.text for token in (trace.tokens.source if side == "encoder" else trace.tokens.target))


def assert_shows(picture: Heatmap, recorded: np.ndarray, closed: np.ndarray | None = None) -> None:
    """The picture's numbers are the recorded ones; NaN exactly where closed."""
    expected = recorded if closed is None else np.where(closed, np.nan, recorded)
    np.testing.assert_array_equal(picture.values, expected.astype(np.float32))
    assert (picture.closed is None) == (closed is None)
    if closed is not None:
        assert np.array_equal(picture.closed, closed)
        assert np.array_equal(np.isnan(picture.values), closed)
        assert picture.reason


def test_the_comparison_can_fail() -> None:
    """One wrong number, or one cell too many closed."""
    trace = trace_of("encoder-decoder")
    made = attention.head_map(trace, Look(), ZH)
    weights = trace["encoder.layers.0.self_attn.weights"][0]
    with pytest.raises(AssertionError):
        assert_shows(made, weights + np.float32(1e-7) * np.eye(4, dtype=np.float32) + 1e-6)
    with pytest.raises(AssertionError):
        assert_shows(made, weights, np.eye(4, dtype=bool))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("stage", ["scores", "scaled", "masked", "weights", "dropped"])
def test_a_head_is_shown_with_its_own_numbers(architecture: str, stage: str) -> None:
    """Every attention, layer and head; only what comes after the mask has closed cells."""
    trace = trace_of(architecture)
    for look in looks(trace):
        made = attention.head_map(trace, attrs.evolve(look, stage=stage), ZH)
        causal = look.attention == "decoder.self_attn" and stage in ("masked", "weights", "dropped")
        recorded = trace[look.attention_tap(stage)][look.head]
        assert_shows(made, recorded, np.triu(np.ones(recorded.shape, bool), 1) if causal else None)
        assert made.rows.labels == side_tokens(trace, look.attention.partition(".")[0])
        assert made.columns.labels == (SOURCE if "cross" in look.attention else made.rows.labels)
        assert made.caption.title.endswith(f"L{look.layer} H{look.head}")
        assert made.caption.tap == look.attention_tap(stage)


@pytest.mark.parametrize("mask_value", ["-inf", "-1e9"])
@pytest.mark.parametrize("knob", ["causal_mask", "causal_mask_encoder", "causal_mask_cross"])
def test_closed_cells_are_those_the_mask_closes(mask_value: str, knob: str) -> None:
    """Whatever number stands for the mask; all heads alike; nothing is closed where the mask is off."""
    kind = {
        "causal_mask": "decoder.self_attn",
        "causal_mask_encoder": "encoder.self_attn",
        "causal_mask_cross": "decoder.cross_attn",
    }[knob]
    for on in (True, False):
        trace = trace_of("encoder-decoder", mask_value=mask_value, **{knob: on})
        tap = Look(attention=kind).attention_tap("masked")
        closed = closed_of(trace, tap)
        n_queries, n_keys = trace[tap].shape[1:]
        later = np.arange(n_keys)[None, :] > np.arange(n_queries)[:, None]
        assert np.array_equal(closed, later) if on else closed is None
        assert all(np.array_equal(closed_of(trace, tap), trace[tap][head] < -1e8) for head in range(4) if on)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_wall_holds_every_head_of_every_layer(architecture: str, language: str) -> None:
    """In order, on one scale, with the one mask."""
    trace = trace_of(architecture)
    for look in looks(trace):
        for stage in ("weights", "scaled"):
            seen = attrs.evolve(look, stage=stage)
            made = attention.head_wall(trace, seen, words(language))
            assert made.values.shape[:2] == (2, 4)
            for layer in (0, 1):
                one = attrs.evolve(seen, layer=layer)
                for head in range(4):
                    map_ = attention.head_map(trace, attrs.evolve(one, head=head), words(language))
                    np.testing.assert_array_equal(made.values[layer, head], map_.values)
                    assert made.scale.low <= map_.scale.low and made.scale.high >= map_.scale.high
            assert made.chosen == (look.layer, look.head)
            assert (made.rows, made.columns) == (map_.rows, map_.columns)
            assert made.caption.shape.startswith("[layer 2, head 4, query ")
            assert ".layers.*." in made.caption.tap


def test_the_wall_of_one_layer_says_so() -> None:
    """Its tap is a tap that exists."""
    trace = trace_of("encoder-decoder")
    made = attention.head_wall(trace, Look(layer=1), ZH, layers=(1,))
    assert made.layers == (1,)
    np.testing.assert_array_equal(made.values[0], trace["encoder.layers.1.self_attn.weights"])
    assert made.caption.tap == "encoder.layers.1.self_attn.weights"


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_mask_is_one_where_a_query_sees_a_key(architecture: str) -> None:
    """And closed where it does not; the note says which kind it is."""
    trace = trace_of(architecture)
    for look in looks(trace):
        made = attention.mask_map(trace, look, EN)
        closed = closed_of(trace, look.attention_tap("masked"))
        assert_shows(made, np.ones(trace[look.attention_tap()].shape[1:], np.float32), closed)
        assert made.caption.note == EN("mask.open_all" if closed is None else "mask.open_past")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_causal_mask_is_the_decoders_where_there_is_one(architecture: str) -> None:
    """Without a decoder it is that of the chosen attention."""
    trace = trace_of(architecture)
    made = attention.causal_mask(trace, Look().fitted(trace), ZH)
    assert made.caption.tap.startswith("encoder" if architecture == "encoder-only" else "decoder")
    assert (made.closed is None) == (architecture == "encoder-only")


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_parts_of_a_head_stand_beside_the_same_tokens(architecture: str) -> None:
    """Across, keys and values belong to the source and stand beside its tokens."""
    trace = trace_of(architecture)
    for look in looks(trace):
        if "cross" in look.attention:
            across = attention.source_strips(trace, look, ZH)
            assert [band.rows.labels for band in across.bands] == [side_tokens(trace, "encoder")] * 2
            for part, band in zip(("key", "value"), across.bands, strict=True):
                assert_shows(band, trace[look.attention_tap(part)][look.head])
        made = attention.part_strips(trace, look, ZH)
        parts = ("query", "mixed") if "cross" in look.attention else ("query", "key", "value", "mixed")
        assert [band.caption.tap for band in made.bands] == [look.attention_tap(part) for part in parts]
        for part, band in zip(parts, made.bands, strict=True):
            assert_shows(band, trace[look.attention_tap(part)][look.head])
            assert band.rows.labels == side_tokens(trace, look.attention.partition(".")[0])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_enters_the_model_is_shown_as_recorded(architecture: str, language: str) -> None:
    """Embedding strips each on its own scale, the sum's strips on one."""
    trace = trace_of(architecture)
    for side in sides_of(trace):
        look = Look(side=side)
        vectors = embedding.embedding_strips(trace, look, words(language))
        total = embedding.sum_strips(trace, look, words(language))
        for made, parts in ((vectors, ("tokens", "scaled")), (total, ("scaled", "positions", "output"))):
            for part, band in zip(parts, made.bands, strict=True):
                assert_shows(band, trace[f"{side}.embedding.{part}"])
                assert band.rows.labels == side_tokens(trace, side)
        scaled, placed, summed = (band.values for band in total.bands)
        np.testing.assert_allclose(scaled + placed, summed, atol=1e-6)
        assert len({band.scale for band in total.bands}) == 1
        assert total.bands[0].scale.high == max(np.abs(band.values).max() for band in total.bands)
        assert vectors.bands[1].scale.high == pytest.approx(8 * vectors.bands[0].scale.high)  # √64


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("position", ["sinusoidal", "learned", "rotary", "alibi", "none"])
def test_positions_are_shown_as_recorded(architecture: str, position: str) -> None:
    """The map, the similarity (slow twin) and the waves; where nothing is added, a note says why."""
    trace = trace_of(architecture, position=position)
    look = Look(side=sides_of(trace)[0])
    recorded = trace[f"{look.side}.embedding.positions"]
    placed = embedding.position_map(trace, look, EN)
    assert_shows(placed, recorded)
    waves = positions.waves(trace, look, EN)
    assert bool(waves.caption.note) == (not recorded.any())
    assert placed.caption.note == waves.caption.note
    if not recorded.any():  # Zero vectors have no angle: the card says why there is no map, in place of a map of NaN.
        with pytest.raises(NoPositionVectors) as refused:
            embedding.similarity_map(trace, look, EN)
        assert EN.error(refused.value) == f"{waves.caption.note} There are no vectors to compare."
    else:
        alike = embedding.similarity_map(trace, look, EN)
        assert alike.rows == alike.columns
        for (p, q), value in np.ndenumerate(alike.values):
            a, b = recorded[p].astype(float), recorded[q].astype(float)
            assert value == pytest.approx(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)), abs=1e-6)
    features = [int(name.removeprefix("feature ").split(" ")[0]) for name in waves.names]
    np.testing.assert_array_equal(waves.values, trace.places[:, features].T)
    np.testing.assert_array_equal(waves.values[:, : waves.n_marked], recorded[:, features].T)
    assert waves.n_marked == len(recorded)
    assert features == sorted(set(features)) and features[0] == 0 and features[-1] == 63 and len(features) == 8


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_likeliest_symbols_are_the_likeliest(architecture: str, language: str) -> None:
    """Held against a sort of the whole row, with the symbols' own names."""
    trace = trace_of(architecture)
    table = trace["generator.probabilities"]
    for position in (-1, 0):
        made = output.top_bars(trace, Look(position=position), words(language))
        best = sorted(range(table.shape[1]), key=lambda i, row=table[position]: -row[i])[:20]
        np.testing.assert_array_equal(made.values, table[position][best])
        assert made.labels == tuple(trace.symbols[i] if i < len(trace.symbols) else f"#{i}" for i in best)
        assert trace.side("generator.logits")[position].text in made.caption.title
        assert made.scale.high == made.values[0]
    top = output.top_map(trace, Look(), words(language))
    peaks = table.max(axis=0)
    best = sorted(range(len(peaks)), key=lambda i: -peaks[i])[:20]
    np.testing.assert_array_equal(top.values, table[:, best])
    assert top.columns.labels == tuple(output.symbol(trace, i) for i in best)
    assert top.scale.high >= top.values.max()


def test_a_symbol_that_does_not_exist_is_a_number() -> None:
    """The matrix may have more rows than the vocabulary."""
    trace = attrs.evolve(trace_of("encoder-only"), symbols=("a", "b"))
    assert [output.symbol(trace, i) for i in (0, 1, 2)] == ["a", "b", "#2"]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tokens_are_shown_as_they_were_cut(architecture: str, language: str) -> None:
    """Text, id and span; a side that the architecture lacks is empty."""
    trace = trace_of(architecture)
    for maker, tokens in ((embedding.source_tokens, trace.tokens.source), (embedding.target_tokens, trace.tokens.target)):
        made = maker(trace, Look(), words(language))
        assert [(c.text, c.id, c.start, c.end, c.known, c.merges) for c in made.chips] == [
            (t.text, t.id, t.start, t.end, t.known, t.merges) for t in tokens
        ]
        if tokens:
            assert [made.text[chip.start : chip.end] for chip in made.chips] == [token.text for token in tokens]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tap_can_be_shown(architecture: str, language: str) -> None:
    """Any tap and its last head as a map: values, tokens, shape, a title, and a scale of its kind."""
    trace = trace_of(architecture, causal_mask_encoder=True)
    for tap in trace.names():
        array, axes = trace[tap], trace.axes(tap)
        head = len(array) - 1 if axes[0] == "head" else 0
        made = tap_heatmap(trace, tap, Look(), words(language), head)
        assert_shows(made, array[head] if axes[0] == "head" else array, closed_of(trace, tap))
        assert made.rows.labels == tuple(token.text for token in trace.side(tap))
        assert made.columns.labels == (tuple(t.text for t in trace.keys(tap)) if axes[-1] == "key" else ())
        assert made.caption.shape == "[" + ", ".join(f"{a} {n}" for a, n in zip(axes, array.shape, strict=True)) + "]"
        assert made.caption.title == words(language)(f"stage.{stage_of(tap).key}.title")
        assert made.scale.centred == (stage_of(tap).range == "signed")
        finite = made.values[np.isfinite(made.values)]
        assert made.scale.low <= finite.min() and finite.max() <= made.scale.high


def test_weights_after_dropout_may_pass_one() -> None:
    """Dropout scales what it keeps by 1/(1 - p): the scale reaches as far, and without dropout it ends at 1."""
    tap = "encoder.layers.0.self_attn.dropped"
    dropped = trace_of("encoder-only", dropout_active=True, dropout=0.9, temperature=0.1)
    assert scale_for(dropped, tap, Look()).high == pytest.approx(float(dropped[tap].max()))
    assert dropped[tap].max() > 1
    assert scale_for(trace_of("encoder-only"), tap, Look()).high == 1.0


def test_a_tap_or_head_that_is_not_there_is_named() -> None:
    """With the nearest one, and the last one."""
    trace = trace_of("encoder-only")
    with pytest.raises(UnknownTap) as tap:
        tap_heatmap(trace, "encoder.norn", Look(), ZH)
    assert tap.value.values["nearest"] == "encoder.norm"
    for head in (-1, 4):
        with pytest.raises(UnknownHead) as unknown:
            tap_heatmap(trace, "encoder.layers.0.self_attn.weights", Look(), ZH, head)
        assert unknown.value.values == {"got": head, "last": 3}


@pytest.mark.parametrize(
    ("tap", "sides"),
    [
        ("decoder.layers.0.cross_attn.weights", ("target", "source")),
        ("decoder.layers.0.self_attn.weights", ("target", "target")),
        ("encoder.layers.0.self_attn.weights", ("source", "source")),
        ("decoder.layers.0.cross_attn.value", ("source", "")),
        ("decoder.layers.0.cross_attn.query", ("target", "")),
    ],
)
def test_the_sides_of_a_map_are_known_even_when_both_sentences_are_one(tap: str, sides: tuple[str, str]) -> None:
    """With the source as its own target, rows and columns still belong to the side that the tap's name says."""
    made = tap_heatmap(explorer.explore("我爱北京天安门", preset="tiny"), tap, Look(), Words.load("zh"))

    assert sides == (made.rows.side, made.columns.side)


def test_a_cell_closed_by_a_change_is_closed_in_its_head_alone() -> None:
    """In the picture of that head; the wall of all heads hatches what is closed in all, and shows the weight 0 elsewhere."""
    tap = "encoder.layers.0.self_attn.weights"
    change = explorer.Change(tap.replace("weights", "masked"), "close", head=0, rows=[2], columns=[1])
    trace = explorer.explore("我爱北京天安门", preset="tiny", changes=[change])
    wanted = np.zeros((4, 4), bool)
    wanted[2, 1] = True

    for stage in ("masked", "weights"):
        assert (tap_heatmap(trace, tap.replace("weights", stage), Look(), ZH, 0).closed == wanted).all()
        assert tap_heatmap(trace, tap.replace("weights", stage), Look(), ZH, 1).closed is None
    assert closed_of(trace, tap) is None
    assert attention.head_wall(trace, Look(attention="encoder.self_attn", stage="weights"), ZH).values[0, 0, 2, 1] == 0
