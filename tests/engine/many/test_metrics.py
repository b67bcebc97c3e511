"""Metrics by name, beside torch's log-softmax of single passes."""

import numpy as np
import pytest
import torch

import explorer
from explorer.errors import KnobNotAChoice
from explorer.trace.choices import PROMPT_METRICS
from explorer.trace.trace import Trace

PROMPTS = ("我爱北京天安门", "他在图书馆看书。", "冬天来了")
PAIRS = [("他在图书馆看书。", "她在图书馆看书。"), ("我想喝茶", "我想吃饭")]


def log_p(trace: Trace) -> torch.Tensor:
    """[position, vocab] of a pass, in float64."""
    return torch.tensor(trace["generator.logits"].copy()).double().log_softmax(-1)


def expected(metric: str, trace: Trace, plain: Trace) -> float:
    """A metric of a pass, about the words of the pass as it is."""
    first, second = np.argsort(-plain["generator.logits"][-1])[:2]
    if metric == "difference":
        return float(trace["generator.logits"][-1, first] - trace["generator.logits"][-1, second])
    if metric == "next":
        return float(log_p(trace)[-1, first])
    words = list(plain.expected) or [token.id for token in plain.tokens.target[1:]]
    return float(np.mean([float(log_p(trace)[place, word]) for place, word in enumerate(words)]))


@pytest.mark.parametrize("metric", PROMPT_METRICS)
@pytest.mark.parametrize("preset", ["translator", "language-model"])
def test_metrics_by_name_are_those_of_single_passes(preset: str, metric: str) -> None:
    """Of the pass as it is, and after an ablation of a head, with the words of the former."""
    found = explorer.ablate(PROMPTS, preset=preset, metric=metric)
    assert found.metric == metric
    off = explorer.Change("decoder.layers.1.self_attn.mixed", "scale", head=2, value=0.0)
    for number, prompt in enumerate(PROMPTS):
        plain = explorer.explore(prompt, preset=preset)
        target = plain.target if plain.tokens.source else None
        without = explorer.explore(prompt, target, preset=preset, changes=[off])
        assert found.plain[number] == pytest.approx(expected(metric, plain, plain), abs=1e-4)
        effect = expected(metric, without, plain) - expected(metric, plain, plain)
        place = found.maps["heads"].axes["attention"].index("decoder.self_attn")
        assert found["heads"][number, place, 1, 2] == pytest.approx(effect, abs=1e-4)


def test_those_of_pairs_are_about_both_next_tokens() -> None:
    """The likeliest token behind the other text, or the difference of both."""
    for metric in ("next", "difference"):
        found = explorer.patching(PAIRS, preset="language-model", metric=metric)
        for number, pair in enumerate(PAIRS):
            first, second = (explorer.explore(text, preset="language-model") for text in pair)
            own, theirs = (int(np.argmax(each["generator.logits"][-1])) for each in (first, second))
            logits = [each["generator.logits"][-1] for each in (first, second)]
            told = [float(log_p(each)[-1, theirs]) for each in (first, second)]
            told = told if metric == "next" else [float(each[own] - each[theirs]) for each in logits]
            np.testing.assert_allclose([found.plain[number], found.other[number]], told, atol=1e-4)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    """Words of a text are no metric of pairs, which may differ in length."""
    with pytest.raises(KnobNotAChoice, match="log-p, next, difference"):
        explorer.ablate(PROMPTS, preset="tiny", metric="loss")
    for receiver in (None, "logits"):
        with pytest.raises(KnobNotAChoice, match="difference, next"):
            explorer.patching(PAIRS, preset="language-model", metric="log-p", receiver=receiver)
