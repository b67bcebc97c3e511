"""Trials that leave out the layers in front of their change, against the same trials with all layers."""

from contextlib import nullcontext

import numpy as np
import pytest
import torch

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.experiments import layers_in_front as module
from explorer.engine.experiments.ablations import feed_forwards_of, heads_of, hidden_tokens, layers_of
from explorer.engine.experiments.bench import Bench, streams
from explorer.engine.experiments.layers_in_front import LayersInFront
from explorer.engine.experiments.patched_passes import Bed, Patch, PatchedPasses
from explorer.engine.experiments.trials import Trial, Trials
from explorer.model.layers import EncoderLayer
from explorer.model.weights import build
from explorer.trace.arrays import Array
from explorer.trace.changes import Change
from explorer.trace.own_card import card_of
from tests.engine.experiments.test_patching import text_of

SIZES = {"n_layers": 5, "n_heads": 2, "d_model": 16, "d_ff": 32, "vocab_size": 40, "max_len": 16}
ARCHITECTURES = ("encoder-decoder", "encoder-only", "decoder-only")
FIRST, SECOND = ((4, 5, 6, 7), (2, 8, 9)), ((4, 10, 6, 11), (2, 12, 13))


def bench(architecture: str, *changes: Change, **knobs: object) -> Bench:
    model = build(Config(**SIZES).changed(architecture=architecture, **knobs))
    return Bench(model, text_of(architecture, *FIRST).tokens, (), lambda: False, changing=Changing(changes))


def every_trial(own: Bench) -> list[Trial]:
    """Those of the sweep over all parts, and one that changes two layers."""
    card = own.card
    parts = (*heads_of(card), *layers_of(card), *feed_forwards_of(card))
    hides = hidden_tokens(card, len(own.tokens.source), len(own.tokens.target))[0]
    return [*(part.trial for part in parts), *hides, (*parts[-1].trial, *parts[-3].trial)]


def effects(own: Bench) -> Array:
    """[trial, word]"""
    with own.changing.inside(own.model), torch.inference_mode():
        return Trials(own).effects(every_trial(own)).numpy()


def run_all_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LayersInFront, "left_out", lambda *_: nullcontext())


@pytest.mark.parametrize("knobs", [{}, {"norm_placement": "post"}, {"causal_mask_cross": True}, {"position": "alibi"}])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_effects_are_those_of_whole_passes(
    architecture: str, knobs: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To 1e-6, also where the pass itself is changed and the trials are made in many batches."""
    side = "encoder" if architecture == "encoder-only" else "decoder"
    off = Change(f"{side}.layers.1.self_attn.mixed", "scale", head=0, value=0.5)
    own = bench(architecture, off, **knobs)
    monkeypatch.setattr(module, "WORTH_A_BATCH", 3)
    found = effects(own)
    run_all_layers(monkeypatch)
    np.testing.assert_allclose(found, effects(own), atol=1e-6)
    assert np.nanmax(np.abs(found)) > 0.01


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_patched_passes_are_whole_ones(architecture: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To 1e-6, at each place of the stream."""
    model = build(Config(**SIZES).changed(architecture=architecture))
    first, second = (text_of(architecture, *ids) for ids in (FIRST, SECOND))
    card = card_of(model.config)
    bed = Bed(model, first, second, Changing(), lambda: False, card)
    pairs = {side.name: ((0, 0), (1, 1), (2, 2)) for side in card.sides}
    trials = [(Patch(tap, (a,), (b,)),) for side in pairs for tap in streams(card, side) for a, b in pairs[side]]
    monkeypatch.setattr(module, "WORTH_A_BATCH", 3)

    def gaps() -> Array:
        with torch.inference_mode():
            return PatchedPasses(bed, {patch.tap for (patch,) in trials}, pairs).gaps(trials)

    found = gaps()
    run_all_layers(monkeypatch)
    np.testing.assert_allclose(found, gaps(), atol=1e-6)
    assert len(np.unique(found)) > 10


def test_a_layer_too_many_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: the changed layer itself must run."""
    own, left_out = bench("decoder-only"), LayersInFront.left_out
    found = effects(own)
    monkeypatch.setattr(LayersInFront, "left_out", lambda self, n, rows: left_out(self, n + 1, rows))
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(found, effects(own), atol=1e-6)


def rows_of_layers(own: Bench, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many rows go through all layers together in a sweep."""
    counted, whole = 0, EncoderLayer.forward

    def counting(self: EncoderLayer, x: torch.Tensor, *context: torch.Tensor | None) -> torch.Tensor:
        nonlocal counted
        counted += len(x)
        return whole(self, x, *context)

    with monkeypatch.context() as patched:
        patched.setattr(EncoderLayer, "forward", counting)
        effects(own)
    return counted


def test_about_half_of_all_layers_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of five layers three are on the average behind a change, or are changed themselves; nothing stays in the model."""
    monkeypatch.setattr(module, "WORTH_A_BATCH", 1)
    own = bench("decoder-only")
    n_behind = rows_of_layers(own, monkeypatch)
    assert all("forward" not in each.__dict__ for each in own.model.modules())
    monkeypatch.setattr(module, "MOST_NUMBERS", 3 * 4 * SIZES["d_model"])  # three layers of four tokens
    n_short = rows_of_layers(own, monkeypatch)
    run_all_layers(monkeypatch)
    n_all = rows_of_layers(own, monkeypatch)
    assert n_behind < 0.75 * n_all
    assert n_behind < n_short < n_all


def test_a_reading_without_layers_in_front_is_whole() -> None:
    """A change of the embeddings, or of the output, is in no layer: all of them run."""
    in_front = LayersInFront(bench("encoder-decoder").model)
    taps = ["decoder.embedding.output"], ["generator.logits"], ["encoder.norm"], [], ["decoder.layers.2.norm1"]
    batches = {tuple(some): n for some, n in in_front.batches(dict(enumerate(taps)), 1)}
    assert batches == {(0,): 0, (1,): 0, (2,): 0, (3,): 0, (4,): 7}
