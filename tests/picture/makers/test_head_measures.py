"""What the labels of a wall of heads say."""

import attrs
import numpy as np
import pytest

from explorer.picture.kinds import Measured
from explorer.picture.makers import head_measures
from explorer.picture.makers.attention import head_wall
from explorer.picture.makers.head_measures import falling
from explorer.state.look import Look
from explorer.trace.choices import HEAD_MEASURES
from explorer.trace.trace import Trace
from tests.picture.examples import LANGUAGES, example, words

REPEATED = "我爱北京我爱北京"


def made(
    trace: Trace, measure: str, *, attention: str = "encoder.self_attn", order: str = "layers", language: str = "en"
) -> Measured:
    look = Look(attention=attention, measure=measure, head_order=order)
    found = head_wall(trace, look, words(language)).measured
    assert found is not None
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("measure", HEAD_MEASURES)
def test_each_thumbnail_has_the_measure_of_its_head(measure: str, language: str) -> None:
    """The very number of `trace.measures`, with a name in both languages."""
    trace = example(text=REPEATED)
    found = made(trace, measure, language=language)
    assert np.array_equal(found.values, trace.measures("encoder.self_attn")[measure])
    assert np.isfinite(found.values).all() and found.order == ()
    assert found.told(1, 2, words(language)).startswith(f"{words(language)(f'heads.measure.{measure}')} ")
    assert f"{found.values[1, 2]:.2f}" in found.told(1, 2, words(language))


def test_a_wall_has_no_label_until_one_is_asked_for() -> None:
    """Calm: the usual wall is as it was."""
    assert head_wall(example(), Look(), words()).measured is None


def test_a_sorted_wall_has_its_largest_measure_first() -> None:
    """What is no number comes last."""
    found = made(example(text=REPEATED), "distance", order="measure")
    along = found.values.ravel()[list(found.order)]
    assert (np.diff(along) <= 0).all() and sorted(found.order) == list(range(found.values.size))
    assert falling(np.array([[np.nan, 1.0], [3.0, 1.0]])) == (2, 1, 3, 0)


def test_a_figure_is_short_and_a_missing_one_is_a_dash() -> None:
    """Two decimals below ten, one above; the unit stands where there is a number."""
    one = Measured(key="distance", name="D", formula="f", values=np.array([[0.125, 12.34, np.nan]]), unit="tokens")
    assert [one.figure(0, head) for head in range(3)] == ["0.12", "12.3", "–"]
    assert [one.told(0, head, words("en")) for head in range(3)] == ["D 0.12 tokens", "D 12.3 tokens", "D –"]


def test_a_note_says_why_there_is_no_number() -> None:
    """Between two texts, without repeated tokens, and of a long text whose cells were not kept."""
    trace, en = example(), words("en")
    look = Look(attention="decoder.cross_attn", measure="distance")
    assert head_wall(trace, look, en).caption.note == en("heads.none.across", measure="Distance")
    look = Look(measure="induction")
    assert head_wall(trace, look, en).caption.note == en("heads.none.not_repeated")
    tap = "encoder.layers.0.self_attn.weights"
    kept = attrs.evolve(trace.map(tap), array=None)
    cut = attrs.evolve(trace, maps={**trace.maps, tap: kept}, arrays={k: v for k, v in trace.arrays.items() if k != tap})
    found = head_measures.measured_wall(cut, Look(measure="entropy"), en, (0, 1))
    assert head_measures.measured_note(cut, Look(measure="entropy"), en, found) == en("heads.none.not_kept")


def test_a_long_text_is_measured_on_some_queries_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where every cell is read; the number is that of the queries that are named."""
    trace, en = example(), words("en")
    n = len(trace.tokens.source)
    monkeypatch.setattr(head_measures, "MOST_CELLS", trace["encoder.layers.0.self_attn.weights"].size)
    assert head_wall(trace, Look(measure="entropy"), en).caption.note == en("heads.sampled", step=2)
    assert head_wall(trace, Look(measure="previous"), en).caption.note == ""
    weights = trace["encoder.layers.1.self_attn.weights"][3, range(0, n, 2)].astype(np.float64)
    wanted = -(weights * np.log2(weights, where=weights > 0, out=np.zeros_like(weights))).sum(1).mean()
    assert made(trace, "entropy").values[1, 3] == pytest.approx(wanted)


def test_one_layer_has_its_own_measures() -> None:
    """As in a figure of one layer alone."""
    trace = example(text=REPEATED)
    look = Look(measure="diagonal")
    found = head_wall(trace, look, words("en"), layers=(1,)).measured
    assert found is not None and np.array_equal(found.values, made(trace, "diagonal").values[1:])
