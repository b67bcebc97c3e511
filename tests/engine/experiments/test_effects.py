"""The sweep in batches, against single passes with Changes, against NumPy, and against the usual mistake."""

from itertools import product

import attrs
import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.experiments import trials as trials_file
from explorer.engine.experiments.layers_in_front import LayersInFront
from explorer.engine.request import Request
from explorer.model.weights import build
from explorer.stops import Superseded
from explorer.trace.arrays import Array
from explorer.trace.changes import Change
from explorer.trace.found.effects import Effects
from explorer.trace.trace import Trace
from tests.engine.experiments.numpy_pass import NumpyPass

TEXT = "我爱北京天安门和长城"  # six tokens
ARCHITECTURES = ("encoder-decoder", "encoder-only", "decoder-only")
NORMS = ("pre", "post")
OTHER_TARGET = "长城和北京"  # an untrained encoder-decoder is given it as its target


def tiny(architecture: str = "encoder-decoder", norm: str = "pre", **knobs: object) -> Request:
    asked = Request.from_preset("tiny", TEXT, architecture=architecture, norm_placement=norm, **knobs)
    return asked.wishing(target=OTHER_TARGET) if architecture == "encoder-decoder" else asked


def effects_of(computer: Computer, asked: Request) -> tuple[Trace, Effects]:
    trace = computer(asked.asking(experiments=frozenset({"effects"}))).trace
    found = trace.experiments["effects"]
    assert isinstance(found, Effects)
    return trace, found


def log_p(trace: Trace, ids: tuple[int, ...]) -> np.ndarray:
    """[word] of the recorded logits, in float64."""
    logits = trace["generator.logits"][: len(ids)].astype(np.float64)
    top = logits.max(-1, keepdims=True)
    return (logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True)))[np.arange(len(ids)), list(ids)]


def single(computer: Computer, asked: Request, trace: Trace, found: Effects, *changes: Change) -> np.ndarray:
    """[word] Δ log p of one pass with these changes, over the very same target."""
    asked = asked.wishing(target=trace.target if trace.expected else asked.wish.target)
    other = computer(asked.wishing(changes=(*asked.wish.changes, *changes))).trace
    assert [token.id for token in other.tokens.target] == [token.id for token in trace.tokens.target]
    return log_p(other, found.word_ids) - log_p(trace, found.word_ids)


def assert_same(actual: Array, expected: np.ndarray) -> None:
    np.testing.assert_allclose(actual, expected, atol=1e-4)


def check_against_single_passes(computer: Computer, asked: Request, heads: list[int] | None = None) -> None:
    trace, found = effects_of(computer, asked)
    card = trace.card
    for (a, attention), layer in product(enumerate(found.attentions), range(card.sides[0].n_layers)):
        side, _, kind = attention.partition(".")
        tap = f"{side}.layers.{layer}.{kind}.mixed"
        for head in heads or range(card.sides[0].n_heads):
            change = Change(tap, "scale", head=head, value=0)
            assert_same(found.heads[a, layer, head], single(computer, asked, trace, found, change))
        assert_same(found.layers[a, layer], single(computer, asked, trace, found, Change(tap, "scale", value=0)))
    for (s, side), layer in product(enumerate(found.sides), range(card.sides[0].n_layers)):
        change = Change(f"{side}.layers.{layer}.feed_forward.output", "scale", value=0)
        assert_same(found.feed_forwards[s, layer], single(computer, asked, trace, found, change))
    for token in range(len(found.tokens)):
        assert_same(found.hidden[token], single(computer, asked, trace, found, *hiding(found, card.sides[0].n_layers, token)))


def hiding(found: Effects, n_layers: int, token: int) -> list[Change]:
    """By hand: closed before the softmax, in self-attention for all queries but its own."""
    side, _, kind = found.hidden_in.partition(".")
    rows = None if kind == "cross_attn" else [row for row in range(len(found.tokens)) if row != token]
    taps = [f"{side}.layers.{layer}.{kind}.masked" for layer in range(n_layers)]
    return [Change(tap, "close", columns=[token], rows=rows) for tap in taps]


@pytest.mark.slow  # each part is switched off in a pass of its own
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_batch_gives_what_single_passes_give(computer: Computer, architecture: str, norm: str) -> None:
    """Heads, whole attentions, feed-forwards and hidden words, each as a pass with its own Change."""
    check_against_single_passes(computer, tiny(architecture, norm))


@pytest.mark.slow  # each part is switched off in a pass of its own
def test_a_batch_gives_what_single_passes_of_the_translator_give(computer: Computer) -> None:
    """Every second head, all layers, feed-forwards and source words of a trained model."""
    check_against_single_passes(computer, Request.from_preset("translator", "她给了我一本书。"), heads=[0, 2, 5, 7])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_all_effects_are_those_of_a_pass_in_numpy(computer: Computer, architecture: str, norm: str) -> None:
    """A second forward pass in float64, written from the formulas, with the same parts left out."""
    asked = tiny(architecture, norm, d_model=16, n_heads=2, d_ff=32)
    trace, found = effects_of(computer, asked)
    ours = NumpyPass(build(asked.wish.config))
    sides = [[token.id for token in side] or None for side in (trace.tokens.source, trace.tokens.target)]
    words = np.arange(len(found.word_ids)), list(found.word_ids)
    usual = ours.log_p(*sides)[words]
    n_layers = range(asked.wish.config.n_layers)
    assert_same(found.log_p, usual)

    for (a, attention), layer in product(enumerate(found.attentions), n_layers):
        path = attention.replace(".", f".layers.{layer}.")
        for head in (0, 1):
            ours.heads = {(path, head)}
            assert_same(found.heads[a, layer, head], ours.log_p(*sides)[words] - usual)
        ours.heads = {(path, None)}
        assert_same(found.layers[a, layer], ours.log_p(*sides)[words] - usual)
    ours.heads = set()
    for (s, side), layer in product(enumerate(found.sides), n_layers):
        ours.feeds = {f"{side}.layers.{layer}.feed_forward"}
        assert_same(found.feed_forwards[s, layer], ours.log_p(*sides)[words] - usual)
    ours.feeds = set()
    for token in range(len(found.tokens)):
        ours.hidden = (found.hidden_in.partition(".")[2], token)
        assert_same(found.hidden[token], ours.log_p(*sides)[words] - usual)


def test_a_wrong_head_would_be_noticed(computer: Computer) -> None:
    """The comparison can fail: the effects of two heads differ by more than it lets pass."""
    _, found = effects_of(computer, tiny())

    with pytest.raises(AssertionError):
        assert_same(found.heads[0, 0, 0], found.heads[0, 0, 1].astype(np.float64))


def test_zeros_in_a_heads_slice_of_the_output_are_another_thing(computer: Computer) -> None:
    """W_O mixes all heads, so the slice h·d_head … (h+1)·d_head of its output belongs to no head: a usual mistake."""
    asked = Request.from_preset("translator", "他在图书馆看书。")
    trace, found = effects_of(computer, asked)
    config = asked.wish.config
    mistaken = np.array(
        [
            single(
                computer,
                asked,
                trace,
                found,
                Change(
                    "decoder.layers.0.cross_attn.output",
                    "scale",
                    columns=range(head * config.d_head, (head + 1) * config.d_head),
                    value=0,
                ),
            )
            for head in range(config.n_heads)
        ]
    )
    ours = found.heads[found.attentions.index("decoder.cross_attn"), 0]

    assert np.abs(ours - mistaken).max() > 0.5
    assert found.tokens[np.argmin(found.hidden[:, 2])] == "看书"  # ours names the word that "reading" comes from


def test_hidden_words_are_what_the_translation_needs(computer: Computer) -> None:
    """Hiding 她 costs She six nats, and no single head of 72 costs a fiftieth: 她给了我一本书。"""
    _, found = effects_of(computer, Request.from_preset("translator", "她给了我一本书。"))

    assert found.hidden[0, 0] == pytest.approx(-5.99, abs=0.02)
    assert np.abs(found.heads).max() == pytest.approx(0.019, abs=0.001)
    assert found.measured == "written"
    assert found.words[0].endswith("She")
    assert len(found.words) == len(found.word_ids) == found.log_p.size == 7


def test_effects_are_those_of_the_changed_pass(computer: Computer) -> None:
    """Where a head is off already, switching it off does nothing more, and other heads act beside it."""
    change = Change("decoder.layers.0.cross_attn.mixed", "scale", head=1, value=0.0)
    asked = tiny().wishing(changes=(change,))
    trace, found = effects_of(computer, asked)
    across = found.attentions.index("decoder.cross_attn")
    other = Change("decoder.layers.1.cross_attn.mixed", "scale", head=0, value=0.0)

    assert np.abs(found.heads[across, 0, 1]).max() < 1e-6
    assert_same(found.heads[across, 1, 0], single(computer, asked, trace, found, other))


def test_a_word_that_is_all_that_a_query_sees_cannot_be_hidden(computer: Computer) -> None:
    """With a causal mask across, the first word of the target sees the first word of the source alone: NaN, and no error."""
    _, found = effects_of(computer, tiny(causal_mask_cross=True))

    assert np.isnan(found.hidden[0]).all()
    assert np.isfinite(found.hidden[1:]).all()
    _, alone = effects_of(computer, tiny("decoder-only").wishing(text="好"))
    assert np.isnan(alone.hidden).all()
    assert np.isfinite(alone.heads).all()


def test_what_is_measured_is_told(computer: Computer) -> None:
    """Written words, the next tokens of a text, or each token at its own place."""
    measured = {}
    for architecture in ARCHITECTURES:
        trace, found = effects_of(computer, tiny(architecture))
        measured[architecture] = found.measured, len(found.words)
        side = trace.tokens.target or trace.tokens.source
        assert found.words == tuple(token.text for token in side)[-len(found.words) :]

    n = len(computer(tiny("encoder-only")).trace.tokens.source)
    assert measured["encoder-only"] == ("own", n)
    assert measured["decoder-only"] == ("next", n - 1)
    assert measured["encoder-decoder"][0] == "next"


def test_small_batches_and_large_ones_agree(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many passes are made at once is no part of the answer."""
    _, at_once = effects_of(computer, tiny())
    monkeypatch.setattr(trials_file, "NUMBERS_AT_ONCE", 1)
    _, alone = effects_of(computer, tiny())

    for field in ("heads", "layers", "feed_forwards", "hidden"):
        np.testing.assert_allclose(getattr(at_once, field), getattr(alone, field), atol=1e-5)


def test_the_sweep_gives_way_between_batches(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """To a newer request; the model has no hooks afterwards and computes what it did before."""
    expected = computer(tiny()).trace["generator.logits"]
    monkeypatch.setattr(trials_file, "NUMBERS_AT_ONCE", 1)
    began = []
    left_out = LayersInFront.left_out  # It is called once for each batch.
    monkeypatch.setattr(LayersInFront, "left_out", lambda *given: (began.append(1), left_out(*given))[1])

    with pytest.raises(Superseded):
        computer(tiny().asking(experiments=frozenset({"effects"})), lambda: len(began) >= 3)
    assert len(began) == 3
    assert np.array_equal(computer(tiny()).trace["generator.logits"], expected)


def test_dropout_is_off_in_the_sweep(computer: Computer) -> None:
    """Chance would be taken for an effect."""
    _, found = effects_of(computer, tiny(dropout=0.5, dropout_active=True))
    _, quiet = effects_of(computer, tiny(dropout=0.5))

    assert np.array_equal(found.heads, quiet.heads)


def test_a_short_repr_names_what_matters_most(computer: Computer) -> None:
    """At most ten lines."""
    _, found = effects_of(computer, Request.from_preset("translator", "她给了我一本书。"))
    told = repr(found)

    assert told.count("\n") < 10
    assert "本书" in told
    assert "-6.17" in told
    assert "heads estimated" in repr(attrs.evolve(found, exact=False))


def test_a_model_whose_masks_close_everything_has_effects_without_numbers(computer: Computer) -> None:
    """Its own pass is NaN from the first layer on, and so is every difference from it."""
    _, found = effects_of(computer, tiny("decoder-only", masking="zeros", mask_value="-inf"))

    assert np.isnan(found.heads).all()
    assert repr(found).count("\n") == 1
