"""Pictures of a change, against numbers from passes of their own."""

import attrs
import numpy as np
import pytest
import torch

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lang import Words
from explorer.picture.causal_kinds import Rewording
from explorer.picture.layout.rewording import told_difference
from explorer.picture.makers.changed import beside, map_after, map_before, map_difference, rewording, shown_head
from explorer.state.first_changes import hidden_word, words_to_hide
from explorer.state.look import Look
from explorer.trace.changes import Change
from explorer.trace.trace import Trace

pytestmark = pytest.mark.slow  # passes of the trained model

SENTENCE = "她给了我一本书。"
LOOK = Look()


@pytest.fixture(scope="module")
def computer() -> Computer:
    return Computer()


@pytest.fixture(scope="module")
def words() -> Words:
    return Words.load("en")


def asked(*changes: Change, text: str = SENTENCE, preset: str = "translator", **knobs: object) -> Request:
    request = Request.from_preset(preset, text, **knobs).wishing(changes=changes)
    return request.asking(experiments=frozenset({"unchanged"}))


def log_p(trace: Trace) -> np.ndarray:
    """In float64, by torch."""
    logits = torch.from_numpy(np.array(trace["generator.logits"], np.float64))
    return torch.log_softmax(logits, -1).numpy()[np.arange(len(trace.expected)), list(trace.expected)]


def test_a_word_hidden_from_all_heads_goes_from_the_translation(computer: Computer, words: Words) -> None:
    """她: She becomes another word, and Δ log p of every word is that of two typed passes over the unchanged words, by 1e-4."""
    plain = computer(Request.from_preset("translator", SENTENCE)).trace
    trace = computer(asked(*hidden_word(plain, 0))).trace
    picture = rewording(trace, LOOK, words)
    assert isinstance(picture, Rewording)

    first = picture.words[0]
    assert first.before == "She" and first.after not in ("She", "")
    typed = Request.from_preset("translator", SENTENCE).wishing(target=plain.target)
    changed = log_p(computer(typed.wishing(changes=hidden_word(plain, 0))).trace)
    difference = changed - log_p(computer(typed).trace)
    shown = [word.difference for word in picture.words if word.difference is not None]
    np.testing.assert_allclose(shown, difference, atol=1e-4)  # Each word of this translation is one piece.
    assert difference[0] < -4 and told_difference(float(difference[0])) in picture.caption.note


def test_without_positions_she_and_i_change_places(computer: Computer, words: Words) -> None:
    """A knob is a change here as well: before is the preset's value."""
    trace = computer(asked(position="none")).trace
    picture = rewording(trace, LOOK, words)
    assert isinstance(picture, Rewording)

    assert [(word.before, word.after) for word in picture.words if word.before != word.after] == [("She", "I"), ("me", "her")]
    found = beside(trace)
    assert found is not None and found.trace.target == "She gave me a book."
    assert found.trace.tokens == found.fed.tokens and trace.target == "I gave her a book."


def test_no_effect_is_said(computer: Computer, words: Words) -> None:
    """A factor of one changes nothing: every difference is zero, to the bit, and the note says that there is no effect."""
    trace = computer(asked(Change("encoder.layers.0.self_attn.mixed", "scale", head=0, value=1.0))).trace
    picture = rewording(trace, LOOK, words)
    assert isinstance(picture, Rewording)

    assert {word.difference for word in picture.words} == {0.0}
    assert picture.caption.note == words("change.no_effect")


def test_the_maps_are_of_the_head_that_differs_most(computer: Computer, words: Words) -> None:
    """By the largest |difference| of any weight; the three maps are before, after and their difference, on a fixed scale."""
    trace = computer(asked(Change("decoder.layers.1.cross_attn.masked", "close", head=3, rows=(0,), columns=(0,)))).trace
    found = beside(trace)
    assert found is not None
    taps = [name for name in found.trace.names() if name.endswith("_attn.weights")]
    largest = max(float(np.nanmax(np.abs(found.fed[tap] - found.trace[tap]))) for tap in taps)
    shown = shown_head(trace, LOOK)
    before, after, difference = (make(trace, LOOK, words) for make in (map_before, map_after, map_difference))
    assert before is not None and after is not None and difference is not None

    assert (shown.attention, shown.layer, shown.head) == ("decoder.cross_attn", 1, 3)
    assert difference.caption.formula == "after − before"
    tap = "decoder.layers.1.cross_attn.weights"
    assert np.array_equal(before.values, found.trace[tap][3])
    assert after.closed is not None and after.closed[0, 0] and found.fed[tap][3, 0, 0] == 0
    assert np.nanmax(np.abs(found.fed[tap][3] - found.trace[tap][3])) == largest
    assert (difference.scale.low, difference.scale.high) == (-1.0, 1.0)
    looked = shown_head(trace, attrs.evolve(LOOK, changed_head="looked", layer=2, head=5))
    assert (looked.attention, looked.layer, looked.head) == ("encoder.self_attn", 2, 5)
    assert before.caption.changes == 0 and after.caption.changes is None  # The card writes the number of the Trace.


def test_while_the_other_pass_is_computed_there_is_no_picture(computer: Computer, words: Words) -> None:
    """None, so that the last picture stays; without changes there is nothing to compute."""
    request = asked(*hidden_word(computer(Request.from_preset("translator", SENTENCE)).trace, 0)).asking(
        experiments=frozenset()
    )
    trace = computer(request).trace
    assert [make(trace, LOOK, words) for make in (rewording, map_before, map_after, map_difference)] == [None] * 4

    plain = computer(asked()).trace
    assert plain.experiments == {}
    picture = rewording(plain, LOOK, words)
    assert picture is not None and picture.caption.note == words("change.nothing_yet")
    tiny = computer(asked(Change("encoder.norm", "scale", value=0.0), preset="tiny")).trace
    picture = rewording(tiny, LOOK, words)
    assert (
        picture is not None
        and {word.difference for word in picture.words} == {None}
        and picture.caption.note == words("change.no_translation")
    )
    assert map_difference(tiny, LOOK, words) is not None


def test_the_pass_beside_leaves_no_knob_turned(computer: Computer) -> None:
    """Both passes are made by one model: the next one is bit-equal to the first."""
    first = computer(asked()).trace
    computer(asked(position="none", temperature=4.0, residual=False))
    again = computer(asked()).trace

    assert all(np.array_equal(first[name], again[name]) for name in first.names())


def test_words_to_hide_are_those_that_cross_attention_sees(computer: Computer) -> None:
    """One for each source token, each a change in all layers; none in a model without cross-attention."""
    trace = computer(Request.from_preset("translator", SENTENCE)).trace
    found = words_to_hide(trace)

    assert [each.word for each in found] == [token.text for token in trace.tokens.source]
    assert [change.tap for change in found[3].changes] == [f"decoder.layers.{n}.cross_attn.masked" for n in range(3)]
    assert all(change.columns == (3,) for change in found[3].changes)
    only = computer(Request.from_preset("tiny", SENTENCE, architecture="encoder-only")).trace
    assert words_to_hide(only) == ()


def test_no_head_is_named_where_no_attention_weight_changed(computer: Computer, words: Words) -> None:
    """The logits lie behind every attention: the page's own head stays, and a note says why its difference is empty."""
    changed = Change("generator.logits", "add", columns=[0], value=1.0)
    look = attrs.evolve(LOOK, attention="decoder.cross_attn", layer=1, head=3)
    trace = computer(asked(changed)).trace
    shown, difference = shown_head(trace, look), map_difference(trace, look, words)

    assert (shown.attention, shown.layer, shown.head) == ("decoder.cross_attn", 1, 3)
    assert difference is not None and difference.caption.note == words("change.no_weight")
    trace = computer(asked(Change("decoder.layers.1.cross_attn.masked", "close", head=3, rows=(0,), columns=(0,)))).trace
    difference = map_difference(trace, look, words)
    assert difference is not None and difference.caption.note == ""
    earlier = attrs.evolve(look, changed_head="looked", attention="encoder.self_attn")
    difference = map_difference(trace, earlier, words)
    assert difference is not None and difference.caption.note == words("change.no_weight_here")
