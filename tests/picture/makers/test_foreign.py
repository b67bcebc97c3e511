"""Pictures of other people's models: taps of unknown names, and heads that share keys and values."""

import attrs
import numpy as np
import pytest

from explorer.lang import LANGUAGES, Words
from explorer.lessons.questions import Where, ask
from explorer.picture.arithmetic import of_stage
from explorer.picture.makers.attention import head_map, head_wall, part_strips
from explorer.picture.makers.attention_steps import STEPS, result
from explorer.picture.makers.heatmaps import closed_reason, places_note, tap_heatmap
from explorer.picture.makers.layers import dead_units
from explorer.picture.makers.taps import tap_list, tap_summary
from explorer.state.look import Look
from explorer.trace.trace import Trace
from tests.trace.foreign import GATES, MAP, NAMES, STREAM, foreign_trace, grouped_trace
from tests.trace.runs import a_trace

LOOK = Look(attention="decoder.self_attn", side="decoder", layer=1)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_tap_is_drawn_under_its_own_name(name: str, language: str) -> None:
    """Its very numbers around zero, in both languages; the name without side and layer is its title."""
    trace = foreign_trace()
    made = tap_heatmap(trace, name, Look(), Words.load(language), head=2 if name == MAP else 0)
    recorded = trace[name][2] if name == MAP else trace[name]

    assert made.values.tobytes() == recorded.tobytes()
    assert made.is_recorded
    assert (made.caption.title, made.caption.tap, made.caption.formula) == (name.removeprefix("decoder.layers.0."), name, "")
    assert made.scale.centred
    assert made.closed is None


def test_tokens_stand_along_positions_and_nothing_along_an_unknown_axis() -> None:
    """An axis that no text knows is called by its name."""
    trace, words = foreign_trace(), Words.load("en")
    made = tap_heatmap(trace, GATES, Look(), words)

    assert (made.rows.name, made.rows.labels) == ("position", ("a", "b", "c"))
    assert (made.columns.name, made.columns.labels) == ("expert", ())


def test_positions_of_something_else_get_no_tokens() -> None:
    """Five patches are not three words."""
    trace = foreign_trace()
    patches = attrs.evolve(trace, arrays={**trace.arrays, STREAM: a_trace()["encoder.norm"]})

    assert tap_heatmap(patches, STREAM, Look(), Words.load("en")).rows.labels == ()


def test_all_taps_are_listed() -> None:
    """With shape and figures."""
    listed = tap_list(foreign_trace())

    assert listed.names == NAMES
    assert listed.shapes == ("[position 3, feature 6]", "[position 3, expert 5]", "[head 4, query 3, key 3]")
    assert tap_summary(foreign_trace(), STREAM).low == foreign_trace()[STREAM].min()


def test_a_look_fits_a_model_that_nothing_is_known_of() -> None:
    """It has one side, no attention that could be chosen, and a tap."""
    fitted = Look(attention="encoder.self_attn", layer=7, head=9).fitted(foreign_trace())

    assert (fitted.side, fitted.layer, fitted.head, fitted.tap) == ("decoder", 0, 3, STREAM)


def test_a_look_fits_sides_of_their_own_depth() -> None:
    """A layer is one that both what attends and what is looked at have."""
    trace = a_trace()
    encoder, decoder = trace.card.sides
    deep = attrs.evolve(
        trace, card=attrs.evolve(trace.card, sides=(attrs.evolve(encoder, n_layers=6, n_heads=2, n_kv_heads=2), decoder))
    )

    assert Look(layer=4, head=3).fitted(deep).layer == 4
    assert Look(layer=4, head=3).fitted(deep).head == 1
    assert Look(layer=4, side="decoder").fitted(deep).layer == 1
    assert Look(layer=4, head=3, attention="decoder.cross_attn").fitted(deep).head == 3


@pytest.fixture(scope="module")
def grouped() -> tuple[Trace, Trace]:
    return grouped_trace()


@pytest.mark.parametrize("head", range(4))
def test_a_shared_head_is_written_out_with_its_own_keys_and_values(grouped: tuple[Trace, Trace], head: int) -> None:
    """Q·K is the recorded score, and A·V the recorded sum, whichever head asks."""
    _copied, shared = grouped
    look = attrs.evolve(LOOK, head=head)
    for stage in ("scores", "mixed"):
        made_of = of_stage(shared, look, stage)
        recorded = shared[look.attention_tap(stage)][head]
        np.testing.assert_allclose(made_of.left @ made_of.right, recorded, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("head", range(4))
def test_every_picture_of_a_shared_head_is_that_of_its_copy(grouped: tuple[Trace, Trace], head: int) -> None:
    """The map, the wall, the strips and each step of attention."""
    look, words = attrs.evolve(LOOK, head=head), Words.load("zh")
    copied, shared = (
        [
            head_map(trace, look, words).values,
            head_wall(trace, look, words).values,
            *(band.values for band in part_strips(trace, look, words).bands),
            *(result(trace, attrs.evolve(look, part=step), words).values for step in STEPS),
        ]
        for trace in grouped
    )

    assert len(copied) == len(shared) == 6 + len(STEPS)
    assert all(np.array_equal(one, other, equal_nan=True) for one, other in zip(copied, shared, strict=True))


@pytest.mark.parametrize("kind", ["score", "scaled", "weight", "mixed"])
def test_a_question_about_a_shared_head_is_that_about_its_copy(grouped: tuple[Trace, Trace], kind: str) -> None:
    """Numbers and answer."""
    for head in range(4):
        where = Where("decoder.layers.0.self_attn", head, "decoder")
        copied, shared = (ask(kind, trace, where, seed=5) for trace in grouped)
        assert copied == shared
        assert shared is not None


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_no_text_was_written_for_is_told_in_general_words(language: str) -> None:
    """Another kind of positions, of masks and of activation: a sentence each, and not the one for our own kinds."""
    words, trace = Words.load(language), a_trace()
    card = attrs.evolve(trace.card, position="relative-bias", masking="window", activation="silu")
    other = attrs.evolve(trace, card=card, places=np.zeros_like(trace.places))

    assert places_note(other, "encoder", words) == words("picture.nothing_added.other")
    assert closed_reason(other, words) == words("mask.reason.other")
    assert dead_units(other, Look(), words).caption.note == words("layers.dead_by.other")
    assert dead_units(trace, Look(), words).caption.note == words("layers.dead_by.relu")
    assert closed_reason(trace, words) == words("mask.future")
