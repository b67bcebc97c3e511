"""Metrics of one's own after ablations and patches, beside single passes with Changes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer
from explorer.errors import FlagsExclude, NeedsMetric, NotAMetric, NotPrompts
from explorer.scanning.table_file import read_table
from explorer.state.state import State
from explorer.trace.found.metric_map import spread_of
from explorer.trace.found.over_prompts import MetricEffects, MetricPatching
from explorer.trace.recorded_pass import Tokens
from tests.foreign.models import fresh, write_tokenizer

PROMPTS = ("我爱北京天安门", "他在图书馆看书。", "冬天来了")
PAIRS = [("他在图书馆看书。", "她在图书馆看书。"), ("冬天来了", "春天来了")]


def last_gap(logits: np.ndarray, tokens: Tokens) -> float:
    """A difference of two logits at the last position, and something of the tokens."""
    assert len(logits) == len(tokens.target)
    return float(logits[-1, 7] - logits[-1, 9]) + tokens.target[0].id


def single(prompt: str, change: explorer.Change, **given: Any) -> float:
    """The metric of one pass with a Change."""
    trace = explorer.explore(prompt, changes=[change], **given)
    return last_gap(trace["generator.logits"], trace.tokens)


def check_ablated(found: MetricEffects, **given: Any) -> None:
    """Every head of every prompt, an attention and a network, against a loop of single passes."""
    for number, prompt in enumerate(found.prompts):
        trace = explorer.explore(prompt, **given)
        plain = last_gap(trace["generator.logits"], trace.tokens)
        assert found.plain[number] == pytest.approx(plain, abs=1e-4)
        for layer, head in np.ndindex(found["heads"].shape[2:]):
            change = explorer.Change(f"decoder.layers.{layer}.self_attn.mixed", "scale", head=head, value=0.0)
            expected = single(prompt, change, **given) - plain
            assert found["heads"][number, 0, layer, head] == pytest.approx(expected, abs=1e-4)
        layers = explorer.Change("decoder.layers.1.self_attn.mixed", "scale", value=0.0)
        feeds = explorer.Change("decoder.layers.0.feed_forward.output", "scale", value=0.0)
        assert found["layers"][number, 0, 1] == pytest.approx(single(prompt, layers, **given) - plain, abs=1e-4)
        assert found["feed_forwards"][number, 0, 0] == pytest.approx(single(prompt, feeds, **given) - plain, abs=1e-4)


def check_patched(found: MetricPatching, **given: Any) -> None:
    """Each position of a head, of the stream and of a network, against a loop of single passes."""
    taps = {
        "decoder stream": "decoder.layers.0.residual2",
        "decoder head": "decoder.layers.1.self_attn.mixed",
        "decoder feed_forward": "decoder.layers.0.feed_forward.output",
    }
    for number, (prompt, other) in enumerate(zip(found.prompts, found.others, strict=True)):
        n = len(explorer.explore(prompt, **given).tokens.target)
        for kind, tap in taps.items():
            place, heads = found.maps[kind].axes["tap"].index(tap), (1,) if kind == "decoder head" else (None,)
            for head, position in ((head, position) for head in heads for position in range(n)):
                change = explorer.Change(tap, "patch", head=head, rows=[position], text=other)
                where = (number, place, position) if head is None else (number, place, head, position)
                assert found[kind][where] == pytest.approx(single(prompt, change, **given), abs=1e-4)
        assert np.isnan(found["decoder head"][number, ..., n:]).all()


def test_ablations_are_those_of_single_passes() -> None:
    """Of the bundled language model, over prompts of several lengths."""
    found = explorer.ablate(PROMPTS, preset="language-model", metric=last_gap)
    check_ablated(found, preset="language-model")
    assert "3 prompts" in repr(found) and "<table>" in found._repr_html_()
    told = found.columns("heads")
    assert told["effect"][-1] == found["heads"][-1, -1, -1, -1] and told["text"][-1] == PROMPTS[-1]


def test_effects_are_written_as_the_table_of_a_scan(tmp_path: Path) -> None:
    """The mean of each head, and the prompts where it is highest; without a metric there is nothing to write."""
    out = tmp_path / "effects.json"
    found = explorer.ablate(PROMPTS, preset="language-model", metric=last_gap, out=out)
    table = read_table(out)
    np.testing.assert_allclose(table.mean("decoder.self_attn", "effect"), found.spread("heads").mean[0])
    best = table.rows("effect")[0]
    own = found["heads"][:, 0, best.layer, best.head]
    assert best.best[0].text == PROMPTS[int(own.argmax())]
    with pytest.raises(NeedsMetric):
        explorer.ablate(PROMPTS[0], preset="tiny", out=out)  # type: ignore[call-overload]


def test_patches_are_those_of_single_passes() -> None:
    """And what they recover is 0 for the pass as it is and 1 for the other."""
    found = explorer.patching(PAIRS, preset="language-model", metric=last_gap)
    check_patched(found, preset="language-model")
    way = found.other - found.plain
    expected = (found["decoder head"][0] - found.plain[0]) / way[0]
    np.testing.assert_allclose(found.recovered("decoder head")[0], expected, atol=1e-5)
    assert set(found.tables()) >= {"decoder head", "mean decoder head"}


def test_a_model_of_others_in_memory_is_swept(tmp_path: Any) -> None:
    """A GPT-2 with random weights, against the same passes with hooks of its own on the model of transformers."""
    transformers = pytest.importorskip("transformers")
    write_tokenizer(tmp_path)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))
    live = explorer.load_model(fresh("gpt2"), tokenizer=tokenizer)
    words = ("the fox and the dog", "a dog and the fox")
    check_ablated(explorer.ablate(words, model=live, metric=last_gap), model=live)
    check_patched(explorer.patching(words[0], words[1], model=live, metric=last_gap), model=live)


def test_a_result_says_what_it_was_made_with() -> None:
    """Preset, knobs and changes, but no function, which no file can hold."""
    change = explorer.Change("decoder.layers.0.self_attn.mixed", "scale", head=1, value=0.5)
    found = explorer.ablate(PROMPTS[:1], preset="language-model", changes=[change], temperature=0.5, metric=last_gap)
    state, _unknown = State.of_table(found.made_with, "")
    assert state.wish.changes == (change,) and state.wish.config.temperature == 0.5 and state.wish.preset == "language-model"
    by_function = explorer.Change("decoder.layers.0.residual2", "set", value=lambda x: x)
    assert explorer.ablate(PROMPTS[0], preset="language-model", changes=[by_function], metric=last_gap).made_with == {}


def test_changes_are_made_in_every_pass() -> None:
    """The ablations are made inside them."""
    change = explorer.Change("decoder.layers.0.self_attn.weights", "set", head=0, value=1.0, columns=[0])
    found = explorer.ablate(PROMPTS[0], preset="language-model", changes=[change], metric=last_gap)
    off = explorer.Change("decoder.layers.1.self_attn.mixed", "scale", head=2, value=0.0)
    trace = explorer.explore(PROMPTS[0], preset="language-model", changes=[change, off])
    expected = last_gap(trace["generator.logits"], trace.tokens) - found.plain[0]
    assert found["heads"][0, 0, 1, 2] == pytest.approx(expected, abs=1e-4)


def test_the_interval_is_the_normal_one() -> None:
    """Against NumPy's own mean and deviation; missing numbers do not count."""
    values = np.array([[1.0, 4.0], [2.0, np.nan], [6.0, 5.0]])
    found = spread_of(values)
    half = 1.96 * values[:, 0].std(ddof=1) / np.sqrt(3)
    assert (found.mean[0], found.low[0], found.high[0]) == pytest.approx((3, 3 - half, 3 + half))
    assert found.mean[1] == 4.5 and found.n.tolist() == [3, 2]
    assert np.isnan(spread_of(values[:1]).low).all()


def test_what_cannot_be_asked_is_told() -> None:
    """A metric that gives no number, one text where pairs are wanted, and arguments without a meaning beside a metric."""
    with pytest.raises(NotAMetric, match="str"):
        explorer.ablate("冬天来了", preset="tiny", metric=lambda _logits, _tokens: "much")
    with pytest.raises(NotPrompts):
        explorer.patching(PROMPTS, preset="tiny", metric=last_gap)
    with pytest.raises(FlagsExclude):
        explorer.ablate("冬天来了", preset="tiny", metric=last_gap, word=1)  # type: ignore[call-overload]
