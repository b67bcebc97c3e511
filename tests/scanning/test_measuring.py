"""What is measured in batches is what exploring each sentence by itself gives."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import explorer
from explorer.errors import UnknownMeasure
from explorer.scanning.measuring import Measurer
from explorer.scanning.plan import ScanPlan
from explorer.trace.measures.opening_head import alignment, opening_head
from explorer.trace.measures.scan_sums import SCAN_MEASURES, WHOLE
from explorer.trace.trace import Trace
from tests.sweeps import sweep

Plan = Callable[..., ScanPlan]


def said(trace: Trace) -> float:
    """The geometric mean probability of the written words, from the recorded probabilities."""
    chosen = trace["generator.probabilities"][np.arange(len(trace.expected)), list(trace.expected)]
    return math.exp(float(np.log(chosen.astype(np.float64)).mean()))


@pytest.mark.slow
@pytest.mark.parametrize("n_sentences", sweep([50, 8], telling=[8]))
def test_batches_of_a_corpus_are_what_exploring_each_sentence_gives(
    plan: Plan, sentences: tuple[str, ...], n_sentences: int
) -> None:
    """Means, deviations, counts, histograms, and which sentences are the best."""
    sentences = sentences[:n_sentences]
    part = Measurer(plan(chunk_rows=50))(sentences, 100)
    traces = [explorer.explore(text) for text in sentences]
    for attention in traces[0].card.attentions:
        own = [trace.measures(attention) for trace in traces]
        for measure in own[0]:
            values = np.array([each[measure] for each in own])
            if np.isnan(values).all() and (attention, measure) not in part.sums:
                assert attention.endswith("cross_attn")
                continue
            sums = part.sums[attention, measure]
            assert np.array_equal((~np.isnan(values)).sum(axis=0), sums.count)
            assert np.nansum(values, axis=0) == pytest.approx(sums.total, rel=1e-5, abs=1e-4)
            best = np.sort(np.nan_to_num(values, nan=-np.inf), axis=0)[:-4:-1]
            assert np.moveaxis(best, 0, 2) == pytest.approx(sums.best, rel=1e-4, abs=1e-5)
    found = part.sums[WHOLE, "probability"]
    expected = [said(trace) for trace in traces]
    assert found.total[0, 0] == pytest.approx(sum(expected), rel=1e-5)
    assert found.rows[0, 0, 0] == 100 + int(np.argmax(expected))
    assert part.texts[int(found.rows[0, 0, 0])] == sentences[int(np.argmax(expected))]


@pytest.mark.slow
def test_alignment_is_highest_at_the_head_with_which_the_program_opens(plan: Plan, sentences: tuple[str, ...]) -> None:
    """Sentence by sentence."""
    measurer = Measurer(plan())
    for text in sentences[:8]:
        values = measurer((text,), 0).sums["decoder.cross_attn", "alignment"].total
        head = opening_head(explorer.explore(text))
        assert head is not None and np.unravel_index(values.argmax(), values.shape) == (head.layer, head.head)
    assert alignment(np.eye(3)[None].repeat(2, axis=0)) == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "knobs"), [("tiny", {}), ("tiny", {"architecture": "decoder-only"}), ("translator", {"causal_mask": False})]
)
def test_a_model_that_takes_no_batches_is_explored_one_by_one(plan: Plan, preset: str, knobs: dict[str, object]) -> None:
    """An untrained model, one with a decoder alone, and the trained one with a knob that batches do not suit."""
    texts, own = ("我爱北京天安门", "的的的的", "  "), plan(preset, **knobs)
    part = Measurer(own)(texts, 0)
    assert (part.n_rows, part.left_out) == (3, {"error.empty_text": 1})
    trace = explorer.explore(texts[1], preset=preset, **knobs)
    attention = trace.card.attentions[0]
    single = Measurer(own)(texts[1:2], 1).sums[attention, "induction"]
    assert single.total == pytest.approx(np.nan_to_num(trace.measures(attention)["induction"]), rel=1e-5, abs=1e-6)
    assert (WHOLE, "probability") in part.sums


def test_an_unknown_measure_is_refused_and_a_longer_name_understood(plan: Plan) -> None:
    """The names of the measures are those of Trace.measures; "-token" may stand behind."""
    wish = plan("tiny").wish
    assert ScanPlan(wish=wish, measures=("previous-token", "previous", "entropy")).measures == ("previous", "entropy")
    with pytest.raises(UnknownMeasure, match="charm"):
        ScanPlan(wish=wish, measures=("charm",))
    assert len(set(SCAN_MEASURES)) == len(SCAN_MEASURES)
