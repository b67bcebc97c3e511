"""What heads did at the moments of a training: the measures of each moment, and since when a pattern is there."""

import numpy as np
import pytest

import explorer
from explorer.trace.measures.head_measures import head_values
from explorer.trace.moments import ModelMoment, appeared, even, measured


def moments() -> tuple[ModelMoment, ...]:
    """Three models of other random weights, all of which read the same words."""
    passes = (explorer.explore("我爱我", target="我爱北京我", preset="tiny", seed=seed) for seed in (1, 2, 3))
    return tuple(ModelMoment(step, "", trace) for step, trace in enumerate(passes))


@pytest.mark.parametrize("attention", ["encoder.self_attn", "decoder.self_attn", "decoder.cross_attn"])
def test_the_measures_of_a_moment_are_those_of_its_pass(attention: str) -> None:
    """Each by itself, as the page of heads shows it."""
    for key, values in measured(moments(), attention).items():
        if key != "written":
            alone = np.stack([head_values(each.trace, attention, key) for each in moments()])
            np.testing.assert_allclose(values, alone, rtol=1e-12)


def test_the_weight_of_what_is_written_next_is_that_of_its_source_tokens() -> None:
    """Cell by cell: each query whose next token stands in the source, and all places where it stands."""
    values = measured(moments(), "decoder.cross_attn")["written"]
    trace = moments()[1].trace
    target, source = ([token.text for token in side] for side in (trace.tokens.target, trace.tokens.source))
    for head, weights in enumerate(trace["decoder.layers.1.cross_attn.weights"].astype(np.float64)):
        rows = [
            sum(weights[query, key] for key, text in enumerate(source) if text == following)
            for query, following in enumerate(target[1:])
            if following in source
        ]
        assert len(rows) >= 2
        assert values[1, 1, head] == pytest.approx(np.mean(rows))


def test_a_pattern_is_there_since_it_stays() -> None:
    """At one half or above, to the end; a value that is no number is none."""
    assert appeared(np.array([0.1, 0.9, 0.2, 0.5, 0.8])) == 3
    assert appeared(np.array([0.6, 0.7])) == 0
    assert appeared(np.array([0.9, 0.4])) is None and appeared(np.array([0.9, np.nan])) is None
    assert appeared(np.array([])) is None


def test_a_pattern_that_even_attention_has_is_none() -> None:
    """Four tokens behind a causal mask look at themselves with a mean weight of (1 + 1/2 + 1/3 + 1/4) / 4."""
    moment = ModelMoment(0, "", explorer.explore("我爱", target="a b c", preset="tiny"))
    n = len(moment.trace.tokens.target)

    assert even(moment, "decoder.self_attn")["diagonal"] == pytest.approx(sum(1 / (q + 1) for q in range(n)) / n)
    assert even(moment, "encoder.self_attn")["previous"] == pytest.approx(1 / len(moment.trace.tokens.source))
    assert appeared(np.array([0.6]), 0.52) is None and appeared(np.array([0.8]), 0.52) == 0


def test_without_moments_nothing_is_measured() -> None:
    """As before the first snapshot."""
    assert measured((), "encoder.self_attn") == {}
