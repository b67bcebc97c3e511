"""Pictures of the laboratories, each number against a way of its own."""

import attrs
import numpy as np
import pytest
import torch

from explorer import mathematics as functions
from explorer.config import as_paper, departures
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.picture import arithmetic
from explorer.picture.cell_text import cell, rough
from explorer.picture.makers import attention_steps as steps
from explorer.picture.makers import compare, layers, masks_lab, positions
from explorer.picture.makers.attention import mask_map
from explorer.picture.makers.embedding import position_map
from explorer.picture.makers.heatmaps import closed_of
from explorer.picture.scales import LEVELS, indices
from explorer.state.focus import Focus
from explorer.state.look import Look
from explorer.trace.found.experiments import EXPERIMENTS
from explorer.trace.trace import Trace
from tests.picture.examples import ARCHITECTURES, LANGUAGES, example, words
from tests.sweeps import sweep

pytestmark = pytest.mark.slow

EN = words("en")


def looked_into(
    text: str = "狗是人养的", compared_with: Request | None = None, batch: tuple[str, ...] = (), **knobs: object
) -> Trace:
    request = Request.from_preset("tiny", text, **{"tokenizer": "characters", **knobs})
    other = None if compared_with is None else compared_with.wish
    return Computer()(request.wishing(compared_with=other, batch=batch).asking(experiments=frozenset(EXPERIMENTS))).trace


# Arithmetic


@pytest.mark.parametrize("stage", ["scores", "scaled", "weights", "mixed"])
@pytest.mark.parametrize("attention", ["encoder.self_attn", "decoder.self_attn", "decoder.cross_attn"])
def test_a_cell_is_what_its_arithmetic_says(attention: str, stage: str) -> None:
    """Recomputed from the operands that are written out, for every cell of the head."""
    trace, look = example(), Look(attention=attention, layer=1, head=2)
    made = arithmetic.of_stage(trace, look, stage)
    assert made is not None
    recorded = trace[look.attention_tap(stage)][2].astype(np.float64)
    if made.kind == "product":
        again = made.left.astype(np.float64) @ made.right.astype(np.float64)
    elif made.kind == "quotient":
        again = made.left / made.divisor
    else:
        again = torch.softmax(torch.tensor(made.left, dtype=torch.float64), -1).numpy()

    np.testing.assert_allclose(again, recorded, atol=1e-5)


def test_an_equation_is_written_out_term_by_term() -> None:
    """Few terms in full, many with what is left out; masked scores by their mathematical name."""
    left, right = np.array([[1.0, -2.0]], np.float32), np.array([[3.0], [0.5]], np.float32)
    product = arithmetic.Arithmetic(kind="product", left=left, right=right)
    quotient = arithmetic.Arithmetic(kind="quotient", left=left, divisor=4.0)
    row = arithmetic.Arithmetic(kind="softmax", left=np.array([[0.0, -np.inf]], np.float32))
    long = arithmetic.Arithmetic(kind="product", left=np.ones((1, 12), np.float32), right=np.ones((12, 1), np.float32))

    assert arithmetic.written_out(product, 0, 0, "2", EN) == "1·3 + (−2)·0.5 = 2"
    assert arithmetic.written_out(quotient, 0, 1, "−0.5", EN) == "(−2) / 4 = −0.5"
    assert arithmetic.written_out(row, 0, 0, "1", EN) == "e^0 / (e^0 + e^(−∞)) = 1"
    assert arithmetic.written_out(long, 0, 0, "12", EN).endswith("1·1 + … 4 more = 12")


def test_hovering_a_step_tells_the_arithmetic() -> None:
    """In the sentence for tooltip, status line and reader."""
    trace = example()
    made = steps.result(trace, Look(part="weights", layer=0, head=1), EN)

    assert "e^" in cell(made, 2, 1, EN) and "=" in cell(made, 2, 1, EN)


# Steps


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_has_its_matrices(architecture: str, language: str) -> None:
    """In each attention that there is; what comes out of a step goes into the next."""
    request = Request.from_preset("tiny", architecture=architecture)
    computer = Computer()
    for attention in computer(request).trace.card.attentions:
        look = Look(attention=attention)
        asking = request.asking(experiments=frozenset({"attention_weights"}), focus=Focus(attention=attention))
        trace = computer(asking).trace
        for step in steps.STEPS:
            chosen = attrs.evolve(look, part=step)
            made = steps.result(trace, chosen, words(language))
            assert made.caption.title and made.values.size
            assert steps.first_operand(trace, chosen, words(language)).values.size
            assert steps.second_operand(trace, chosen, words(language)).values.size


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("attention", ["encoder.self_attn", "decoder.cross_attn"])
def test_what_goes_in_gives_q(placement: str, attention: str) -> None:
    """x W_Q of the very map that is shown, in both placements of the norm."""
    request = Request.from_preset("tiny", "你好吗", norm_placement=placement)
    computer = Computer()
    trace = computer(request).trace
    for layer in (0, 1):
        look = Look(attention=attention, layer=layer, part="query")
        x = torch.tensor(steps.first_operand(trace, look, EN).values)
        side, kind = attention.split(".")
        module = getattr(getattr(computer.sources.own.last, side).layers[layer], kind)
        q = module.split_heads(module.project_query(x[None]))[0]
        np.testing.assert_allclose(q.numpy(), trace[look.attention_tap("query")], atol=1e-5)


def test_merging_puts_the_heads_side_by_side() -> None:
    """Head h takes columns h·d_head to (h+1)·d_head, and W_o of the whole is the output."""
    trace, look = example(), Look(layer=1)
    merged = steps.part(trace, look, EN, "merged").values
    heads = trace[look.attention_tap("mixed")]

    for head in range(4):
        assert np.array_equal(merged[:, 16 * head : 16 * (head + 1)], heads[head])


def test_dividing_keeps_softmax_from_saturating() -> None:
    """Entropy as recorded with √d_head; the gradient is the softmax's own Jacobian, by autograd."""
    trace, look = example(), Look(layer=0, head=1)
    made = steps.why_divide(trace, look, EN)
    scores = torch.tensor(trace[look.attention_tap("scores")][1], dtype=torch.float64)
    entropies, gradients = [], []
    for divisor in (4.0, 1.0):
        rows = torch.softmax(scores / divisor, -1)
        entropies.append(float((torch.special.entr(rows).sum(-1) / np.log(2)).mean()))
        gradients.append(
            float(
                torch.stack(
                    [torch.autograd.functional.jacobian(lambda x: torch.softmax(x, -1), row / divisor).norm() for row in scores]
                ).mean()
            )
        )

    assert made.values == pytest.approx([*entropies, *gradients], abs=1e-5)
    assert entropies[0] > entropies[1]


# Positions


def test_mk_of_the_paper_is_the_rotation() -> None:
    """Blocks of cos and sin of k·w_i, and no place where it is off."""
    trace = example()
    made = positions.rotation_map(trace, Look(shift=5), EN)
    matrix, off = functions.best_map(trace.places.astype(np.float64), 5)
    for i in range(32):
        turn = 5 * 10000.0 ** (-2 * i / 64)
        block = matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2]
        np.testing.assert_allclose(block, [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]], atol=1e-3)

    assert off < 1e-5
    assert "At all 59 positions" in made.caption.note
    assert made.values.shape == (32, 32)


@pytest.mark.parametrize(
    ("kind", "off"),
    [("sinusoidal-doubled", True), ("sine-only", True), ("sinusoidal-halved", False), ("sinusoidal-per-feature", True)],
)
def test_kinds_without_a_rotation_are_told(kind: str, off: bool) -> None:
    """Pairs of one frequency turn, whatever it is; pairs of two do not."""
    note = positions.rotation_map(example(position=kind), Look(), EN).caption.note

    assert ("no M(1)" in note) is off


def test_a_model_without_a_table_has_no_mk() -> None:
    """Rotary positions turn Q and K instead."""
    assert "no table" in positions.rotation_map(example(position="rotary"), Look(), EN).caption.note


def test_the_nearest_places_are_the_nearest() -> None:
    """Against every pair."""
    table = example(d_model=8, n_heads=2).places
    apart = {(p, q): float(np.linalg.norm(table[p] - table[q])) for p in range(64) for q in range(p)}
    distance, first, second = positions.nearest_places(table)

    assert distance == pytest.approx(min(apart.values()), abs=1e-6)
    assert apart[second, first] == pytest.approx(distance, abs=1e-6)


def test_positions_pictures_wait_for_their_experiment() -> None:
    """Without it there is nothing to show yet, rather than something else."""
    assert positions.variants_strips(example(), Look(), EN) is None
    assert positions.against_distance(example(), Look(), EN) is None
    assert positions.swap_strips(example(), Look(), EN) is None


@pytest.mark.parametrize("position", sweep(["sinusoidal", "alibi", "none"], telling=["alibi"]))
def test_the_models_own_kind_is_the_main_curve(position: str) -> None:
    """It comes first, whichever it is; all kinds are there."""
    trace = looked_into(position=position)
    made = positions.against_distance(trace, Look(), EN)

    assert made.main == 0
    assert len(made.names) == len(made.values) == 9
    if position == "sinusoidal":
        rows = trace.places[1:].astype(np.float64)
        cosines = rows @ rows[0] / np.linalg.norm(rows, axis=1) / np.linalg.norm(rows[0])
        assert made.values[0][:63] == pytest.approx(cosines, abs=1e-5)
    assert len(positions.variants_strips(trace, Look(), EN).bands) == 6


def test_exchanged_words_are_told_with_both_differences() -> None:
    """The note says the numbers that the strips show."""
    trace = looked_into()
    made = positions.swap_strips(trace, Look(), EN)
    using, without = trace.experiments["swap"].differences()

    assert made.caption.title.startswith("狗是人养的 → 人是狗养的")
    assert rough(using) in made.caption.note and "only the rows" in made.caption.note
    masked = positions.swap_strips(looked_into(architecture="decoder-only"), Look(side="decoder"), EN)
    assert "causal mask" in masked.caption.note
    assert "NaN" in positions.swap_strips(looked_into(masking="zeros"), Look(), EN).caption.note
    assert "are equal" in positions.swap_strips(looked_into("狗"), Look(), EN).caption.note
    assert np.abs(made.bands[2].values).max() == pytest.approx(using)
    assert np.abs(made.bands[5].values).max() == pytest.approx(without)


# Layers


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize(("side", "bands"), [("encoder", 5), ("decoder", 7)])
def test_the_stream_adds_up(placement: str, side: str, bands: int) -> None:
    """x + attention = residual1 + … as shown, in each layer."""
    trace = example(norm_placement=placement)
    for layer in (0, 1):
        made = layers.stream(trace, Look(side=side, layer=layer), EN)
        values = [band.values for band in made.bands]
        assert len(values) == bands + (bands // 2 if placement == "post" else 0)
        for place in range(1, len(values), 3 if placement == "post" else 2):
            np.testing.assert_allclose(values[place - 1] + values[place], values[place + 1], atol=1e-5)


def test_the_norms_formula_is_that_of_the_models_norm() -> None:
    """γ and β are in what was recorded, and an RMSNorm subtracts no mean. In numbers: both formulas give the recorded norm."""
    for kind, formula in (("torch", "γ · (x − μ) / √(σ² + ε) + β"), ("std-eps", "γ · (x − μ) / (σ<sub>n−1</sub> + ε) + β")):
        trace = looked_into(norm_kind=kind, norm_shift=0.5)
        made = layers.norms(trace, Look(layer=1), EN)
        x, y = (band.values.astype(np.float64) for band in made.bands[:2])
        centred = x - x.mean(axis=1, keepdims=True)
        below = np.sqrt(x.var(axis=1) + 1e-5) if kind == "torch" else x.std(axis=1, ddof=1) + 1e-6
        assert made.caption.formula == formula
        np.testing.assert_allclose(y, centred / below[:, None] + 0.5, atol=1e-5)  # γ is 1 in untrained weights, and β 0.5
    rms = attrs.evolve(trace, card=attrs.evolve(trace.card, norm_kind="rms"))
    assert layers.norms(rms, Look(layer=1), EN).caption.formula == "γ · x / √(Σ<sub>i</sub> x<sub>i</sub>² / d + ε)"


def test_norms_of_the_same_numbers_are_torchs() -> None:
    """LayerNorm along rows, BatchNorm along columns; the model's own is LayerNorm."""
    trace = example()
    made = layers.norms(trace, Look(layer=1), EN)
    x = torch.tensor(made.bands[0].values)
    rows = torch.nn.functional.layer_norm(x, (64,)).numpy()
    columns = torch.nn.functional.batch_norm(x, None, None, training=True).numpy()

    np.testing.assert_allclose(made.bands[1].values, rows, atol=1e-5)
    np.testing.assert_allclose(made.bands[2].values, rows, atol=1e-5)
    np.testing.assert_allclose(made.bands[3].values, columns, atol=1e-4)


def test_dead_units_are_counted() -> None:
    """Those that are 0 at all positions."""
    trace = example()
    made = layers.dead_units(trace, Look(), EN)
    hidden = trace["encoder.layers.1.feed_forward.hidden"]

    assert float(made.values[1]) == pytest.approx(np.mean([(hidden[:, unit] <= 0).all() for unit in range(256)]))


def test_depth_is_of_the_chosen_side() -> None:
    """With residuals first, and the copies told."""
    trace = looked_into(initialization="cloned-layers")
    found = trace.experiments["depth"]
    made = layers.depth_lengths(trace, Look(side="decoder"), EN)

    assert made.values[0].tolist() == pytest.approx(found.lengths[-7:].tolist())
    assert made.values.shape == (2, 7)
    assert "same weights" in made.caption.note
    assert layers.depth_gradients(example(), Look(), EN) is None


# Masks


def test_a_leak_is_told() -> None:
    """Nothing in the upper right under the causal mask, something without, no numbers under a mask of zeros and −∞."""
    for knobs, word in (({}, "all 0"), ({"causal_mask": False}, "have seen"), ({"masking": "zeros"}, "NaN")):
        assert word in masks_lab.leak_map(looked_into(**knobs), Look(), EN).caption.note


def test_a_batch_shows_its_padding() -> None:
    """Closed columns where a sentence has ended, and no map for a sentence that is not there."""
    trace = looked_into("你好", batch=("狗是人养的",))
    short, whole = (masks_lab.batch_map(trace, Look(), EN, row) for row in (0, 1))

    assert short.columns.labels == ("你", "好", "<pad>", "<pad>", "<pad>")
    assert short.closed[:, 2:].all() and not short.closed[:, :2].any()
    assert whole.closed is None
    assert masks_lab.batch_map(trace, Look(), EN, 2) is None
    assert masks_lab.leak_map(example(), Look(), EN) is None


def test_rows_that_see_nothing_are_told() -> None:
    """With what becomes of them: 1/n, or no number."""
    finite = mask_map(example(masking="zeros", mask_value="-1e9"), Look(), EN)
    infinite = mask_map(example(masking="zeros"), Look(), EN)
    inverted = mask_map(example(masking="inverted", mask_value="-1e9"), Look(attention="decoder.self_attn"), EN)

    assert "every row" in finite.caption.note and "0.25" in finite.caption.note
    assert "NaN" in infinite.caption.note
    assert "row 4" in inverted.caption.note
    assert "inverted" in inverted.reason


def test_weights_of_a_row_that_sees_nothing_are_shown() -> None:
    """They are 1/n, not hidden behind the mask that made them; masked scores stay closed."""
    trace = example(masking="zeros", mask_value="-1e9")

    assert closed_of(trace, "encoder.layers.0.self_attn.weights") is None
    assert closed_of(trace, "encoder.layers.0.self_attn.masked").all()
    assert closed_of(example(), "decoder.layers.0.self_attn.weights").sum() == 6


# Compare


def test_two_heads_of_one_pass_are_compared() -> None:
    """The second head at the left, and the chosen one minus it; with a pinned state the second head is that state's."""
    trace, look = looked_into(), Look(layer=1, head=3, beside_layer=0, beside_head=2)
    first, second = trace["encoder.layers.0.self_attn.weights"][2], trace["encoder.layers.1.self_attn.weights"][3]
    left, made = compare.aside(trace, look, EN), compare.difference(trace, look, EN)
    assert left is not None and np.array_equal(left.values, first) and left.caption.title.endswith("L0 H2")
    assert np.array_equal(compare.now(trace, look, EN).values, second)
    np.testing.assert_allclose(made.values, second - first, atol=1e-7)
    assert compare.comparable(trace, look) and compare.bars_aside(trace, look, EN) is None

    pinned = looked_into(compared_with=Request.from_preset("tiny", "狗是人养的", tokenizer="characters"), temperature=2.0)
    other = pinned.compared_with["encoder.layers.0.self_attn.weights"][2]
    assert np.array_equal(compare.aside(pinned, look, EN).values, other)
    assert (look.fitted(trace).beside_layer, look.fitted(trace).beside_head) == (0, 2)
    gone = attrs.evolve(look, beside_head=99).fitted(trace)
    assert (gone.beside_layer, gone.beside_head) == (-1, -1) and compare.aside(trace, gone, EN) is None


def test_a_difference_is_now_minus_aside() -> None:
    """Cell by cell, around zero, with its largest cell told."""
    other = Request.from_preset("tiny", "狗是人养的", tokenizer="characters")
    trace = looked_into(compared_with=other, temperature=2.0)
    look = Look(layer=1, head=3)
    made = compare.difference(trace, look, EN)
    tap = look.attention_tap()
    expected = trace[tap][3] - trace.compared_with[tap][3]

    np.testing.assert_allclose(made.values, expected, atol=1e-7)
    assert made.scale.centred and made.scale.high == pytest.approx(np.abs(expected).max())
    assert np.array_equal(compare.aside(trace, look, EN).values, trace.compared_with[tap][3])
    assert np.array_equal(compare.now(trace, look, EN).values, trace[tap][3])
    assert compare.bars_aside(trace, look, EN).labels
    assert compare.bars_now(trace, look, EN).labels


def test_sentences_without_a_common_token_are_subtracted_by_place() -> None:
    """The first with the first, as far as the shorter one goes; both tokens are named, and what is left out is told."""
    trace = looked_into(compared_with=Request.from_preset("tiny", "你好", tokenizer="characters"))
    look = Look(layer=1, head=2)
    made = compare.difference(trace, look, EN)
    tap = look.attention_tap()

    assert np.array_equal(made.values, trace[tap][2][:2, :2] - trace.compared_with[tap][2])
    assert made.rows.labels == ("你→狗", "好→是")
    assert made.caption.note.endswith("人 养 的")


def test_bars_of_both_states_are_of_one_step() -> None:
    """Where nobody has chosen a step, the present state's is taken for both."""
    trace = looked_into("狗爱人", compared_with=Request.from_preset("tiny", "狗是人养的", tokenizer="characters"))
    looks = [Look(), *(Look(position=step) for step in range(3))]
    titles = [(compare.bars_aside(trace, look, EN).caption.title, look.step(trace)) for look in looks]

    assert all("狗是人"[step] in title for title, step in titles)


def test_equal_tokens_of_two_sentences_are_subtracted() -> None:
    """Wherever they stand; by place, the same two maps give other numbers."""
    trace = looked_into(compared_with=Request.from_preset("tiny", "都说猫是人养的", tokenizer="characters"))
    look = Look(head=1)
    made, by_place = compare.difference(trace, look, EN), compare.difference(trace, attrs.evolve(look, matched="place"), EN)
    now, aside = trace[look.attention_tap()][1], trace.compared_with[look.attention_tap()][1]

    assert made.rows.labels == made.columns.labels == ("是", "人", "养", "的")
    for row in range(4):  # one cell after the other, found by its tokens
        for column in range(4):
            q, k = "狗是人养的".index(made.rows.labels[row]), "狗是人养的".index(made.columns.labels[column])
            q2, k2 = "都说猫是人养的".index(made.rows.labels[row]), "都说猫是人养的".index(made.columns.labels[column])
            assert made.values[row, column] == now[q, k] - aside[q2, k2]
    assert all(token in made.caption.note for token in "狗都说猫")
    assert np.array_equal(by_place.values, now - aside[:5, :5])
    assert by_place.rows.labels[0] == "都→狗"


def test_a_head_that_the_other_model_lacks_is_not_subtracted() -> None:
    """Nothing is made up: one NaN, and the reason."""
    alone = looked_into(
        "狗是人养的",
        compared_with=Request.from_preset("tiny", "狗是人养的", tokenizer="characters", architecture="encoder-only", n_heads=1),
    )
    look = Look(attention="decoder.cross_attn", head=3)

    assert not compare.comparable(alone, look)
    assert np.isnan(compare.difference(alone, look, EN).values).all()
    assert "H0" in compare.not_comparable(alone, look, EN) and "H3" in compare.not_comparable(alone, look, EN)


def test_a_mask_switched_off_is_a_difference() -> None:
    """Cells that only one of the two closes are compared as what was computed: 0 there."""
    trace = looked_into(causal_mask=False, compared_with=Request.from_preset("tiny", "狗是人养的", tokenizer="characters"))
    made = compare.difference(trace, Look(attention="decoder.self_attn"), EN)

    assert np.isfinite(made.values).all() and made.values[0, 1:].min() > 0


def test_nothing_aside_is_nothing_to_compare() -> None:
    """Only what is now is shown."""
    for make in (compare.aside, compare.difference, compare.bars_aside):
        assert make(example(), Look(), EN) is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("preset", "departs"),
    [
        ("tutorial-a", {"position", "norm_kind", "norm_placement", "mask_value"}),
        ("tutorial-b", {"norm_kind", "norm_placement", "mask_value", "initialization", "masking"}),
        ("tutorial-c", {"norm_placement", "vocabulary"}),
        ("tutorial-d", {"norm_placement"}),
        ("tutorial-e", {"norm_kind", "norm_placement", "norm_shift", "mask_value", "initialization", "masking"}),
        ("paper-base", set()),
    ],
)
def test_departures_from_the_paper_are_listed(preset: str, departs: set[str], language: str) -> None:
    """Each tutorial's own; put right, there are none and the sizes are the same."""
    config = Request.from_preset(preset).wish.config
    html = compare.departures_html(departures(config), words(language))

    assert {name for name, _here, _paper in departures(config)} == departs
    assert all(words(language)(f"knob.{name}.name") in html for name in departs)
    assert departures(as_paper(config)) == ()
    assert as_paper(config).d_model == config.d_model


def test_rounding_is_called_none_and_drawn_as_none() -> None:
    """Collapsed outputs: no leak is told, and no cell has more than the lowest colours."""
    made = masks_lab.leak_map(looked_into(residual=False, n_layers=8), Look(), EN)
    assert "rounding" in made.caption.note
    assert indices(made.values, made.scale).max() < LEVELS / 10


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_every_picture_of_positions_is_the_sides_own(side: str) -> None:
    """Waves, neighbours, M(k) and strips of learned positions are made from what that side recorded."""
    trace, look = looked_into(position="learned"), Look(side=side)
    recorded = trace[f"{side}.embedding.positions"]
    drawn = positions.waves(trace, look, EN)
    features = np.unique(np.linspace(0, recorded.shape[1] - 1, 8).astype(int))
    np.testing.assert_array_equal(drawn.values[:, : len(recorded)], recorded[:, features].T)
    strips = positions.variants_strips(trace, look, EN)
    np.testing.assert_array_equal(strips.bands[-1].values[: len(recorded)], recorded)
    matrix = positions.rotation_map(trace, look, EN)
    assert matrix.caption.tap == f"{side}.embedding.positions"
    wanted = functions.best_map(trace.table(side).astype(np.float64), 1)[0][:32, :32]
    np.testing.assert_allclose(matrix.values, wanted, rtol=1e-5, atol=1e-6)
    apart, first, second = positions.nearest_places(trace.table(side))
    note = positions.with_nearest(position_map(trace, look, EN), trace, look, EN).caption.note
    assert f"{first}" in note and f"{second}" in note and rough(apart) in note
