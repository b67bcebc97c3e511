"""The pictures of the effects page: their numbers are those of Effects, and their scales do not follow the loudest cell."""

import attrs
import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.picture.figure.causal_figures import tell_effect
from explorer.picture.figure.kinds import tables
from explorer.picture.figure.svg import render
from explorer.picture.makers.effects import effect_map, effect_rows, head_at, hidden_map, word_row
from explorer.picture.scales import ladder_end
from explorer.picture.theme import LIGHT
from explorer.state.look import Look
from explorer.trace.found.effects import Effects
from explorer.trace.trace import Trace
from tests.kept import kept_for_the_file
from tests.picture.examples import ARCHITECTURES, LANGUAGES, words


@kept_for_the_file
def traced(architecture: str = "encoder-decoder", preset: str = "tiny", text: str = "我爱北京天安门") -> Trace:
    knobs = {"architecture": architecture} if preset == "tiny" else {}
    return Computer()(Request.from_preset(preset, text, **knobs).asking(experiments=frozenset({"effects"}))).trace


def effects_of(trace: Trace) -> Effects:
    found = trace.experiments["effects"]
    assert isinstance(found, Effects)
    return found


def unfinished(trace: Trace) -> Trace:
    return attrs.evolve(trace, experiments={})


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_each_row_has_the_numbers_of_its_tap(architecture: str) -> None:
    """Found by the tap's name alone; the whole sentence is the sum of its words."""
    trace = traced(architecture)
    found = effects_of(trace)
    for word in (-1, 0, len(found.words) - 1):
        made = effect_map(trace, Look(position=word).fitted(trace), words())
        assert made is not None
        for row, about in enumerate(made.rows):
            side, _, layer, part, _ = about.tap.split(".")
            if part == "feed_forward":
                whole = found.feed_forwards[found.sides.index(side), int(layer)]
                assert np.isnan(made.values[row]).all()
                assert head_at(trace.card, row) is None
            else:
                attention = found.attentions.index(f"{side}.{part}")
                heads, whole = found.heads[attention, int(layer)], found.layers[attention, int(layer)]
                expected = heads.sum(-1) if word < 0 else heads[:, word]
                np.testing.assert_allclose(made.values[row], expected, atol=1e-6)
                assert head_at(trace.card, row) == (f"{side}.{part}", int(layer))
            np.testing.assert_allclose(made.whole[row], whole.sum() if word < 0 else whole[word], atol=1e-6)


@pytest.mark.slow  # two sweeps of the trained model
def test_the_scale_is_one_for_all_words_and_has_a_floor() -> None:
    """Of 她给了我一本书。 no head has more than 0.02 on a word: at ±0.1 the map is nearly white, and says so."""
    trace = traced(preset="translator", text="她给了我一本书。")
    made = [effect_map(trace, Look(position=word).fitted(trace), words("en")) for word in range(-1, 7)]

    assert {each.scale.high for each in made if each is not None} == {0.1}
    assert len({each.bar_reach for each in made if each is not None}) == 1
    assert made[0] is not None and made[5] is not None
    assert "No single head has an effect" in made[5].told
    assert 'masking "本书" −6.17' in made[5].told
    loud = effect_map(traced(preset="translator", text="他在图书馆看书。"), Look(), words("en"))
    assert loud is not None
    assert "cross L0 H3" in loud.told
    assert loud.scale.high == 2.0


@pytest.mark.parametrize(
    ("largest", "end"),
    [(0.0, 0.1), (0.019, 0.1), (0.1, 0.1), (0.11, 0.2), (0.36, 0.4), (0.41, 1), (1.2, 2), (6.2, 10), (10.1, 20), (np.nan, 0.1)],
)
def test_scales_end_on_a_ladder(largest: float, end: float) -> None:
    """1, 2, 4 and 10 times a power of ten, never below a tenth."""
    assert ladder_end(largest) == end
    assert ladder_end(float(np.float32(end))) == end


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_row_of_words_is_there_before_the_effects(architecture: str, language: str) -> None:
    """With the recorded probabilities; and it is the same afterwards."""
    trace = traced(architecture)
    found = effects_of(trace)
    row = word_row(unfinished(trace), Look().fitted(trace), words(language))
    assert row is not None

    assert row.labels[1:] == found.words
    assert row.chosen == 0
    np.testing.assert_allclose(np.log(row.probabilities[1:]), found.log_p, atol=1e-4)
    assert np.isnan(row.probabilities[0])
    assert words(language)("effects.untrained") in row.caption.note
    chosen = word_row(trace, Look(position=0).fitted(trace), words(language))
    assert chosen is not None and chosen.chosen == 1


def test_a_trained_model_is_not_called_random() -> None:
    """So that the test above says something."""
    row = word_row(traced(preset="translator", text="她给了我一本书。"), Look(), words("en"))

    assert row is not None
    assert words("en")("effects.untrained") not in row.caption.note


def test_pending_pictures_have_no_numbers() -> None:
    """Neither on screen nor in files, and they say that they are computed."""
    trace = unfinished(traced())
    made, hidden = effect_map(trace, Look(), words("en")), hidden_map(trace, Look(), words("en"))
    assert made is not None and hidden is not None

    assert made.pending and hidden.pending
    assert np.isnan(made.values).all() and np.isnan(made.whole).all() and np.isnan(hidden.values).all()
    assert tables(made) == tables(hidden) == ()
    assert made.told == words("en")("status.computing")
    assert tell_effect(made, 0, 0, words("en")) == words("en")("status.computing")
    ready = effect_map(traced(), Look(), words("en"))
    assert ready is not None and len(tables(ready)) == 2


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_hidden_words_are_columns(architecture: str) -> None:
    """A row for each measured word, the chosen one framed, small numbers left out of the cells alone."""
    trace = traced(architecture)
    found = effects_of(trace)
    made = hidden_map(trace, Look(position=0).fitted(trace), words("en"))
    assert made is not None

    assert np.array_equal(made.values, found.hidden.T, equal_nan=True)
    assert made.columns.labels == found.tokens
    assert made.chosen_row == 0
    small = np.abs(made.values) < 0.05
    assert np.isnan(made.written[small]).all()
    assert np.array_equal(made.written[~small], made.values[~small])
    whole = hidden_map(trace, Look(), words("en"))
    assert whole is not None and whole.chosen_row is None


def test_a_cell_says_what_was_switched_off_and_what_became_of_the_word() -> None:
    """exp(Δ) is the factor of the probability."""
    trace = traced(preset="translator", text="他在图书馆看书。")
    made = effect_map(trace, Look(position=3).fitted(trace), words("en"))
    assert made is not None
    row = [each.tap for each in made.rows].index("decoder.layers.0.cross_attn.mixed")
    told = tell_effect(made, row, 3, words("en"))
    value = float(made.values[row, 3])

    assert "cross L0 H3 ablated" in told and "␣in" in told
    assert f"{value:+.3g}".replace("-", "−") in told
    assert f"a factor of {np.exp(value):.3g}" in told
    assert "(estimate)" in tell_effect(attrs.evolve(made, estimated=True), row, 3, words("en"))
    assert "L1" in tell_effect(made, len(made.rows) - 2, None, words("en"))


def test_an_estimate_is_hatched() -> None:
    """Its cells have lines that exact cells have not."""
    made = effect_map(traced(), Look(), words("en"))
    assert made is not None
    exact, estimated = (render(each, words("en"), LIGHT) for each in (made, attrs.evolve(made, estimated=True)))

    assert estimated.count("<path") > exact.count("<path") + made.values[np.isfinite(made.values)].size


def test_rows_are_in_the_order_of_the_arrays() -> None:
    """Attentions first, then feed-forwards, each layer by layer."""
    taps = [row.tap for row in effect_rows(traced().card, words("en"))]

    assert taps[0] == "encoder.layers.0.self_attn.mixed"
    assert taps[-1] == "decoder.layers.1.feed_forward.output"
    assert len(set(taps)) == len(taps) == 10
