"""The gradient's estimate of the effects of heads: a derivative, and never taken for an effect."""

import numpy as np
import pytest
import torch

from explorer.engine.compute import Computer
from explorer.engine.experiments import sweep, trials
from explorer.engine.request import Request
from explorer.stops import Superseded
from explorer.tokens.token import Token
from explorer.trace.changes import Change
from explorer.trace.found.effects import Effects
from explorer.trace.recorded_pass import Tokens
from tests.engine.experiments.test_effects import ARCHITECTURES, NORMS, log_p, single, tiny


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sweep counts as long."""
    monkeypatch.setattr(trials, "LONG_WORK", 0)
    monkeypatch.setattr(sweep, "WORDS_FOR_A_HEAD", 0)


def found(computer: Computer, asked: Request, name: str) -> Effects:
    made = computer(asked.asking(experiments=frozenset({name}))).trace.experiments[name]
    assert isinstance(made, Effects)
    return made


def of_length(n: int) -> Tokens:
    row = tuple(Token("x", 0, place, place + 1, True) for place in range(n))
    return Tokens(row, row)


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_estimate_is_the_slope_of_the_effect(computer: Computer, architecture: str, norm: str) -> None:
    """(log p(1 + ε) − log p(1 − ε)) / 2ε, where the head is scaled by 1 ± ε in passes of its own; switching off is −1 of it."""
    asked, step = tiny(architecture, norm), 0.02
    trace = computer(asked).trace
    estimate = found(computer, asked, "effects")
    attention = estimate.attentions[-1]
    side, _, kind = attention.partition(".")
    for layer, head in ((0, 1), (1, 2)):
        up, down = (
            single(
                computer,
                asked,
                trace,
                estimate,
                Change(f"{side}.layers.{layer}.{kind}.mixed", "scale", head=head, value=1 + sign * step),
            )
            for sign in (1, -1)
        )
        slope = (up - down) / (2 * step)
        np.testing.assert_allclose(estimate.heads[-1, layer, head], -slope, atol=2e-3)
    with pytest.raises(AssertionError):  # So that the tolerance says something.
        np.testing.assert_allclose(estimate.heads[-1, 0, 1], estimate.heads[-1, 1, 2], atol=2e-3)


@pytest.mark.slow  # two sweeps of the trained model
@pytest.mark.usefixtures("long")
def test_an_estimate_says_so_and_exact_effects_come_after_it(computer: Computer) -> None:
    """All other arrays are exact from the beginning, and the correlation of the two is known in the end."""
    asked = Request.from_preset("translator", "他在图书馆看书。")
    estimate, exact = found(computer, asked, "effects"), found(computer, asked, "effects_exact")

    assert (estimate.exact, exact.exact) == (False, True)
    assert exact.estimates is not None and np.allclose(exact.estimates, estimate.heads, atol=1e-5)
    for name in ("layers", "feed_forwards", "hidden"):
        np.testing.assert_allclose(getattr(estimate, name), getattr(exact, name), atol=1e-5)
    expected = np.corrcoef(estimate.heads.ravel(), exact.heads.ravel())[0, 1]
    assert exact.correlation == pytest.approx(expected, abs=1e-4)
    assert 0.9 < exact.correlation < 0.9999
    assert np.isnan(estimate.correlation)
    assert exact.of(0).estimates is not None


def test_short_sweeps_are_exact_at_once(computer: Computer) -> None:
    """No estimate is made where nobody would see it; a large model is another matter."""
    exact = found(computer, tiny(), "effects_exact")

    assert found(computer, tiny(), "effects").exact
    assert exact.exact and exact.estimates is None and np.isnan(exact.correlation)
    card = computer(Request.from_preset("paper-base", "你好")).trace.card
    assert sweep.takes_long(card, of_length(16))
    assert not sweep.takes_long(card, of_length(2))
    assert not sweep.takes_long(card, of_length(400))  # The gradients of so many words would take longer than the sweep.


@pytest.mark.usefixtures("long")
def test_the_estimate_leaves_nothing_behind(computer: Computer) -> None:
    """No gradients, no hooks; the next pass is the same to the last bit. It is that of the pass with its changes."""
    change = Change("decoder.layers.0.cross_attn.mixed", "scale", head=1, value=0.0)
    before = computer(tiny()).trace["generator.logits"]
    estimate = found(computer, tiny().wishing(changes=(change,)), "effects")
    trace = computer(tiny()).trace

    assert np.abs(estimate.heads[2, 0, 1]).max() == 0
    assert np.array_equal(trace["generator.logits"], before)
    np.testing.assert_allclose(found(computer, tiny(), "effects").log_p, log_p(trace, estimate.word_ids), atol=1e-5)
    assert not torch.is_inference_mode_enabled()


@pytest.mark.usefixtures("long")
def test_the_estimate_gives_way(computer: Computer) -> None:
    """Between two words, and at every tap."""
    asked = tiny().asking(experiments=frozenset({"effects"}))
    count: list[int] = []

    def counting() -> bool:
        count.append(1)
        return False

    computer(asked)  # From now on the model is there.
    computer(asked, counting)
    whole = len(count)
    count.clear()
    with pytest.raises(Superseded):
        computer(asked, lambda: counting() or len(count) >= whole)
