"""Gradients at every tap against differences of passes in float64, and what a tensor at zero costs against a change by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import explorer
from explorer import Change, Trace
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.errors import NoSuchStep, NotLookedInto, UnknownTap
from explorer.state.focus import Focus
from explorer.trace.found.experiments import GRADIENTS, ZEROED
from tests.foreign.models import write_model

TEXT = "我爱北京天安门"
_TINY: dict[str, Any] = {"preset": "tiny", "n_layers": 1, "d_model": 16, "n_heads": 2, "d_ff": 16}
_STEP = 1e-4


def log_p(trace: Trace, words: list[int], places: list[int]) -> float:
    """Σ log p of words at places, of the recorded logits in float64."""
    logits = trace["generator.logits"].astype(np.float64)[places]
    return float((logits[range(len(words)), words] - np.log(np.exp(logits).sum(axis=-1))).sum())


def words_of(trace: Trace) -> list[int]:
    """The words that are asked about."""
    return list(trace.expected) or trace["generator.logits"].argmax(axis=-1).tolist()


def moved(model: Any, ids: list[Any], tap: str, along: torch.Tensor, said: Any, size: float) -> float:
    """(y(x + ε v) − y(x − ε v)) / 2 ε, by torch's own hook at a tap; ε is `size`, and `said` makes y of logits."""
    found = []
    for step in (size, -size):
        handle = model.get_submodule(tap).register_forward_hook(lambda _m, _a, x, step=step: x + step * along)
        with torch.no_grad():
            found.append(said(model(*ids)[0]))
        handle.remove()
    return float(found[0] - found[1]) / (2 * size)


def agree(model: Any, trace: Trace, size: float = _STEP) -> None:
    """The gradients of a recorded pass are those that differences give, along a random direction at each tap.

    The steps of `size` are small for a model in float64, and ten times larger for one in float32.
    """
    found, generator = trace.gradients, torch.Generator().manual_seed(1)
    words = words_of(trace)
    places = list(range(len(words))) if found.position < 0 else [found.position]
    words = [words[place] for place in places]
    assert found.log_p == pytest.approx(log_p(trace, words, places), abs=1e-5)
    exact = size == _STEP
    rows = (trace.tokens.source, trace.tokens.target)
    ids = [torch.tensor([[token.id for token in row]]) if row else None for row in rows]
    for tap in found.names():
        assert found[tap].shape == trace.shape(tap)
        along = torch.randn(1, *trace.shape(tap), generator=generator, dtype=torch.float64 if exact else torch.float32)
        slope = float((found[tap] * along[0].numpy()).sum())
        step = min(size, 0.02 / max(abs(slope), 1e-9))  # y moves by 0.02 nat, where it is still nearly straight.
        by_hand = moved(model, ids, tap, along, lambda logits: logits.double().log_softmax(dim=-1)[places, words].sum(), step)
        close: Any = {"abs": 2e-4, "rel": 1e-3} if exact else {"abs": 5e-3, "rel": 2e-2}
        assert slope == pytest.approx(by_hand, **close), tap
        value = np.where(np.isfinite(trace[tap]), trace[tap], 0).astype(np.float64)
        assert found.products[tap] == pytest.approx(float((value * found[tap]).sum()), abs=1e-4), tap


@pytest.mark.parametrize("gradients", ["target", 2])
@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_they_are_the_slopes_of_log_p_at_every_tap(architecture: str, gradients: Any) -> None:
    """Of the whole target and of the word at one step, for each architecture of ours; no tap on the way lacks one."""
    knobs: dict[str, Any] = {**_TINY, "architecture": architecture}
    trace = explorer.explore(TEXT, gradients=gradients, **knobs)
    agree(explorer.load_model(**knobs).double(), trace)
    beside = {name for name in trace.names() if name.endswith((".embedding.positions", "generator.probabilities"))}
    assert set(trace.names()) - beside == set(trace.gradients.names())


@pytest.mark.parametrize("family", ["gpt2", "bert", "qwen3", "bart"])
def test_a_model_of_others_has_them(family: str, tmp_path: Path) -> None:
    """Causal, masked and with both sides."""
    folder = write_model(tmp_path / family, family)
    trace = explorer.explore("the fox and the dog", preset=folder, gradients="target")
    assert len(trace.gradients.names()) > 10
    agree(explorer.load_model(folder), trace, size=10 * _STEP)


def test_a_tensor_at_zero_costs_what_a_change_by_hand_says() -> None:
    """The pass with the tap at zero is the one that a Change makes; without a tap it is the embedding."""
    tap, step = "encoder.layers.1.feed_forward.output", 3
    request = Request.from_preset("translator", TEXT).asking(
        experiments=frozenset({GRADIENTS.key, ZEROED.key}), focus=Focus(position=step, tap=tap)
    )
    trace = Computer()(request).trace
    word = trace.expected[step]
    changed = explorer.explore(TEXT, target=trace.target, changes=[Change(tap, "scale", value=0.0)])
    found: Any = trace.experiments[ZEROED.key]
    assert found.lost == pytest.approx(log_p(trace, [word], [step]) - log_p(changed, [word], [step]), abs=1e-5)
    assert found.tap == tap and found.position == trace.gradients.position == step
    nowhere = Computer()(request.asking(focus=Focus(position=step))).trace
    of_default: Any = nowhere.experiments[ZEROED.key]
    assert of_default.tap == "decoder.embedding.tokens"


def test_what_is_not_there_is_said() -> None:
    """A step that the target lacks, a tap without a gradient, and gradients that nobody asked for."""
    for step in (99, -1, 1.5, "all"):
        with pytest.raises(NoSuchStep):
            explorer.explore(TEXT, gradients=step, **_TINY)  # type: ignore[arg-type]  # That is what is tried.
    trace = explorer.explore(TEXT, gradients="target", **_TINY)
    with pytest.raises(UnknownTap):
        trace.gradients["generator.probabilities"]
    with pytest.raises(NotLookedInto):
        _ = explorer.explore(TEXT, **_TINY).gradients
