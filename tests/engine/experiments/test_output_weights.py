"""The account and the lens of whole passes: the translator's, and small models of all three architectures."""

import numpy as np
import pytest
import torch

from explorer.engine.compute import Computer
from explorer.engine.experiments.output_weights import lens_of
from explorer.engine.request import Request
from explorer.mathematics import layer_norm, softmax
from explorer.stops import Superseded
from explorer.trace.found.lens import Lens
from explorer.trace.found.reading import by_key, by_unit
from explorer.trace.found.weights import OutputWeights
from explorer.trace.trace import Trace

TEXT = "她给了我一本书。"
BOTH = frozenset({"why", "lens"})


def looked_into(computer: Computer, preset: str = "tiny", **knobs: object) -> Trace:
    return computer(Request.from_preset(preset, TEXT, **knobs).asking(experiments=BOTH)).trace


@pytest.fixture(scope="module")
def translated(tokenizers: object) -> Trace:
    """The translator's pass over TEXT."""
    return looked_into(Computer(tokenizers), "translator")  # type: ignore[arg-type]  # The fixture is typed in conftest.


def test_the_translators_parts_sum_to_every_word(translated: Trace) -> None:
    """At each position, against the five likeliest rivals; and every part that opens is the sum of what is in it."""
    assert translated.target == "She gave me a book."
    for position in range(len(translated.tokens.target)):
        logits = translated["generator.logits"][position].astype(np.float64)
        for rival in np.argsort(-logits)[1:6]:
            parts = translated.why(position, int(rival))
            assert parts.word == translated.expected[position]
            assert parts.exact and parts.total == pytest.approx(logits[parts.word] - logits[rival], abs=1e-4)
        for part, value in zip(parts.parts, parts.values, strict=True):
            if part.kind == "head":
                assert by_key(translated, parts, part).values.sum() == pytest.approx(value, abs=1e-5)
            if part.kind == "feed_forward":
                units = by_unit(translated, parts, part)
                assert units is not None and units.values.sum() == pytest.approx(value, abs=1e-5)


def test_she_and_not_i_is_the_sum_that_was_reckoned_by_hand(translated: Trace) -> None:
    """The figures of a prototype that carried each part forward through the final norm."""
    parts = translated.why(0, "I")
    assert parts.names == ("␣She", "␣I")
    assert parts.difference == pytest.approx(5.4989, abs=1e-4)
    assert parts.p == pytest.approx((0.9206, 0.0038), abs=1e-4)
    found = {part.label: value for part, value in zip(parts.parts, parts.values, strict=True)}
    assert found["L1 cross_attn H4"] == pytest.approx(0.52, abs=0.005)
    assert found["norm_bias"] == pytest.approx(-0.47, abs=0.005)
    assert found["output_bias"] == pytest.approx(-0.62, abs=0.005)


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_the_lens_of_the_last_layer_is_the_output(computer: Computer, architecture: str, placement: str) -> None:
    """Its likeliest words, their probabilities, and the rank of the written one; no earlier row has these numbers."""
    trace = looked_into(computer, architecture=architecture, norm_placement=placement, norm_kind="std-eps")
    lens, p = trace.lens(), trace["generator.probabilities"]
    n_additions = 3 if architecture == "encoder-decoder" else 2
    assert lens.taps[0] == "decoder.embedding.output" and len(lens.taps) == 1 + 2 * n_additions
    best = -np.sort(-p, axis=-1)[:, :10]
    assert lens.probabilities[-1] == pytest.approx(best, rel=1e-5)
    assert np.take_along_axis(p, lens.ids[-1], axis=-1) == pytest.approx(best, rel=1e-5)
    assert lens.written_p[-1] == pytest.approx(p[np.arange(len(p)), list(lens.written)], rel=1e-5)
    assert lens.ranks[-1].tolist() == [1] * len(p)  # An untrained model writes what it finds likeliest.
    with pytest.raises(AssertionError):
        assert lens.probabilities[-2] == pytest.approx(best, rel=1e-5)


def test_every_row_of_the_lens_is_norm_and_generator_in_float64(translated: Trace, computer: Computer) -> None:
    """With the final norm's own weights; the translator's rows agree with the output more and more."""
    lens, weights = translated.lens(), translated.experiments["why"]
    assert isinstance(weights, OutputWeights) and weights.generator.bias is not None
    norm = weights.norms["decoder.norm"]
    for row, tap in enumerate(lens.taps):
        x = layer_norm(translated[tap].astype(np.float64)) * norm.weight + norm.bias
        p = softmax(x @ weights.generator.weight.T.astype(np.float64) + weights.generator.bias)
        assert lens.ids[row, :, 0].tolist() == p.argmax(axis=-1).tolist()
        assert lens.probabilities[row, :, 0] == pytest.approx(p.max(axis=-1), rel=1e-4)
        written = p[np.arange(len(p)), list(lens.written)]
        assert lens.written_p[row] == pytest.approx(written, rel=1e-3)
        assert lens.ranks[row].tolist() == (1 + (p > written[:, None]).sum(axis=-1)).tolist()
    agreeing = lens.agrees().sum(axis=1)
    assert agreeing[0] == 0 and agreeing[-1] == len(translated.tokens.target)
    assert "␣She" in repr(lens) and len(repr(lens).splitlines()) == 10


def test_a_model_without_a_decoder_has_neither(computer: Computer) -> None:
    """It writes no words."""
    assert dict(looked_into(computer, architecture="encoder-only").experiments) == {}


def test_the_weights_are_copies(computer: Computer) -> None:
    """The model may get new numbers later, and the account on screen must keep its own."""
    trace = looked_into(computer)
    found = trace.experiments["why"]
    assert isinstance(found, OutputWeights)
    before = found.generator.weight.copy()
    model = computer.sources.of(Request.from_preset("tiny", TEXT).wish).last  # type: ignore[attr-defined]  # our own model
    with torch.no_grad():
        model.generator.project.weight.mul_(2)
    assert np.array_equal(found.generator.weight, before)
    with pytest.raises(ValueError, match="read-only"):
        found.generator.weight[0] = 0


def test_the_lens_gives_way(computer: Computer) -> None:
    """Between two of its rows a newer request ends it."""
    request = Request.from_preset("tiny", TEXT)
    trace = computer(request).trace
    model = computer.sources.of(request.wish).last  # type: ignore[attr-defined]  # our own model
    answers = iter((False, False, True))
    with pytest.raises(Superseded):
        lens_of(model, trace, lambda: next(answers))
    assert list(answers) == []


def test_lens_is_a_finding_with_texts(translated: Trace) -> None:
    """So that whoever reads the numbers needs no vocabulary."""
    lens = translated.experiments["lens"]
    assert isinstance(lens, Lens)
    assert lens.tokens == tuple(token.text for token in translated.tokens.target)
    assert all(lens.names[int(each)] == translated.symbols[each] for each in np.unique(lens.ids))
