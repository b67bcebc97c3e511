"""The steps of decoding, held against sums in float64."""

import math

import attrs
import numpy as np
import pytest

from explorer.picture.figure.decoding_figures import probability
from explorer.picture.makers import output
from explorer.picture.makers.timeline import perplexity, timeline
from explorer.state.look import Look
from explorer.trace.trace import Trace
from tests.picture.examples import ARCHITECTURES, LANGUAGES, asked, example, words

EN = words("en")


def slow_log_p(logits: list[float], id_: int) -> float:
    """log P = −log Σ exp(z[j] − z[id])"""
    return -math.log(math.fsum(math.exp(other - logits[id_]) for other in logits))


def with_logits(trace: Trace, logits: np.ndarray, probabilities: np.ndarray) -> Trace:
    arrays = {**trace.arrays, "generator.logits": logits, "generator.probabilities": probabilities}
    return attrs.evolve(trace, arrays=arrays)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_step_tells_its_symbol_probability_and_rank(language: str) -> None:
    """The recorded probability itself, log P from the logits by another sum, the rank by counting."""
    trace = asked()
    made = timeline(trace, Look(position=1), words(language))
    assert made.labels == tuple(output.symbol(trace, i) for i in trace.expected) and made.labels[-1] == "<eos>"
    for step, id_ in enumerate(trace.expected):
        row = trace["generator.probabilities"][step]
        assert made.probabilities[step] == row[id_]
        assert made.log_p[step] == pytest.approx(slow_log_p(trace["generator.logits"][step].tolist(), id_), rel=1e-7)
        assert made.log_p[step] == pytest.approx(math.log(row[id_]), abs=1e-5)
        assert made.ranks[step] == 1 + sum(z > trace["generator.logits"][step][id_] for z in trace["generator.logits"][step])
    assert (made.chosen, made.n_symbols, made.side, made.shift) == (1, row.size, "target", 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_caption_sums_the_sentence_up(language: str) -> None:
    """Σ log P in nats, and exp of minus its mean."""
    trace = asked()
    logs = [slow_log_p(trace["generator.logits"][step].tolist(), id_) for step, id_ in enumerate(trace.expected)]
    note = timeline(trace, Look(), words(language)).caption.note
    assert f"{math.fsum(logs):.4g}".replace("-", "−") in note
    assert f"{math.exp(-math.fsum(logs) / 3):.4g}" in note


def test_perplexity_is_the_number_of_equal_choices() -> None:
    """Eight equally likely symbols at each step give 8; beyond all floats it is infinite, without a warning."""
    assert perplexity(np.log(np.full(5, 1 / 8))) == pytest.approx(8)
    assert perplexity(np.array([math.log(1 / 2), math.log(1 / 8)])) == pytest.approx(4)
    assert perplexity(np.array([-1e6])) == math.inf


def test_a_probability_that_underflowed_still_has_its_logarithm() -> None:
    """200 nats below the best a float32 is zero, and its logarithm would be −∞."""
    trace = asked()
    logits = np.zeros_like(trace["generator.logits"])
    logits[:, 7] = 200.0
    made = timeline(with_logits(trace, logits, np.zeros_like(logits)), Look(), EN)
    np.testing.assert_allclose(made.log_p, -200.0)
    assert made.ranks == (2, 2, 2)


@pytest.mark.parametrize(("position", "chosen"), [(-1, 0), (0, 0), (2, 2), (9, 0)])
def test_the_chosen_step_is_the_looks(position: int, chosen: int) -> None:
    """The word that the model was least sure of, where nobody has chosen a step or the chosen one is not there."""
    assert timeline(asked(), Look(position=position), EN).chosen == chosen


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_is_asked_for_nothing_shows_its_own_tokens(architecture: str, language: str) -> None:
    """Without probabilities, and says why."""
    trace = example(architecture)
    made = timeline(trace, Look(), words(language))
    assert made.labels == tuple(token.text for token in trace.side("generator.logits"))
    assert np.isnan(made.probabilities).all()
    assert (made.log_p, made.ranks, made.shift) == (None, (), 0)
    assert made.caption.note == words(language)("timeline.nothing_asked")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_trained_language_model_says_how_probable_each_token_was(language: str) -> None:
    """P of token t is recorded at position t - 1; the first token is given. Nobody asks what comes after the last."""
    untrained = example("decoder-only")
    trace = attrs.evolve(untrained, card=attrs.evolve(untrained.card, trained=True))
    made = timeline(trace, Look(), words(language))
    ids = [token.id for token in trace.tokens.target]

    assert np.isnan(made.probabilities[0])
    assert made.probabilities[1:].tolist() == [float(trace["generator.probabilities"][t, id_]) for t, id_ in enumerate(ids[1:])]
    logs = [slow_log_p(trace["generator.logits"][t].tolist(), id_) for t, id_ in enumerate(ids[1:])]
    assert f"{math.exp(-math.fsum(logs) / len(logs)):.4g}" in made.caption.note
    assert (len(made.told), made.alike, made.shift) == (len(ids), True, 0)
    assert trace.tokens.target[1].text in made.told[1]


def test_a_single_token_of_a_language_model_has_no_probability() -> None:
    """Nothing stands before it."""
    untrained = example("decoder-only", "我")
    made = timeline(attrs.evolve(untrained, card=attrs.evolve(untrained.card, trained=True)), Look(), EN)

    assert np.isnan(made.probabilities).all() and not made.told


@pytest.mark.parametrize(
    ("value", "text"), [(0.8215, "0.822"), (1.0, "1"), (3.14159e-5, "3.14e−05"), (0.0, "0"), (math.nan, "")]
)
def test_a_figure_below_a_chip_is_short(value: float, text: str) -> None:
    """Three figures, and nothing where there is none."""
    assert probability(value) == text
