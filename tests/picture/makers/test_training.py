"""Pictures of a training: curves of a log, and the heads and answers of moments."""

import attrs
import numpy as np
import pytest

import explorer
from explorer.lang import Words
from explorer.picture.makers.training import ALL, answers, curves_of, head_diary, loss_curves, measure_curves
from explorer.runs.log import RunLog
from explorer.state.look import Look
from explorer.trace.arrays import frozen_array
from explorer.trace.measures.head_measures import MEASURES
from explorer.trace.moments import ModelMoment
from tests.picture.examples import LANGUAGES, words

_TAP = "decoder.layers.1.self_attn.weights"
_STEPS = (0, 10, 100)


def log(*losses: float, changes: tuple[tuple[int, dict[str, object]], ...] = ()) -> RunLog:
    """A log of two steps, with a validation loss at each of the snapshots."""
    steps = np.array([[1, 0, 4.0, 1e-3, 2.0, 500, 0.1], [2, 0, np.nan, 2e-3, 1.0, 600, 0.2]])
    valid = np.array([[step, loss, 0.5, 0.25] for step, loss in zip(_STEPS, losses, strict=False)]).reshape(-1, 4)
    return RunLog(steps, valid, changes)


def moments() -> tuple[ModelMoment, ...]:
    """Three moments; head 2 of the decoder's layer 1 looks at the token before from the second one on, and head 3 only then."""
    trace = explorer.explore("我爱北京天安门", target="我爱北京天安门", preset="tiny")
    n = trace.shape(_TAP)[-1]
    spread = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    before = np.eye(n, k=-1)
    before[0, 0] = 1
    made = []
    for place, step in enumerate(_STEPS):
        heads = np.stack([spread, spread, before if place else spread, before if place == 1 else spread])
        arrays = {**trace.arrays, _TAP: frozen_array(heads.astype(np.float32))}
        made.append(ModelMoment(step, f" {place and 12} ", attrs.evolve(trace, arrays=arrays)))
    return tuple(made)


@pytest.mark.parametrize("language", LANGUAGES)
def test_loss_curves_are_those_of_the_log(language: str) -> None:
    """Every step's, every validation's, and the validation of another training under its name."""
    other = log(3.0, 2.0)
    made = loss_curves(log(4.0, 1.0, 3.43, changes=((2, {"rate": 0.1}),)), _STEPS, 10, words(language), (("no mask", other),))
    assert [(curve.kind, curve.at.tolist()) for curve in made.curves] == [
        ("training", [1, 2]),
        ("validation", [0, 10, 100]),
        ("other", [0, 10]),
    ]
    assert made.curves[0].lost == 2 and made.curves[1].values.tolist() == [4.0, 1.0, 3.43]
    assert made.curves[2].name == "no mask" and made.marks == ((2, "rate = 0.1"),)
    assert made.curves[1].told == ((10, words(language)("training.curves.lowest", value="1")),)
    assert loss_curves(log(4.0, 2.0, 1.0), _STEPS, 10, words(language)).curves[1].told == ()


def test_other_curves_are_those_of_the_log() -> None:
    """Shares up to 1, the norm in powers; a log without a line has no curve."""
    accuracy, rate, norm, speed = (
        curves_of(log(1.0, 1.0), field, _STEPS, None, words("en")) for field in ("accuracy", "rate", "norm", "tokens_per_s")
    )
    assert [curve.values.tolist() for curve in accuracy.curves] == [[0.25, 0.25], [0.5, 0.5]] and accuracy.most == 1.0
    assert rate.curves[0].values.tolist() == [1e-3, 2e-3]
    assert norm.curves[0].values.tolist() == [2.0, 1.0] and norm.logarithmic
    assert speed.curves[0].values.tolist() == [500, 600]
    empty = RunLog(np.zeros((0, 7)), np.zeros((0, 4)))
    assert not loss_curves(empty, (), None, words("en")).curves and not curves_of(empty, "norm", (), None, words("en")).curves


def test_a_pattern_is_named_from_the_step_since_which_it_stays() -> None:
    """Head 2 from step 10 on; head 3 had it at step 10 alone, and has lost it. Masked cells are NaN."""
    made = head_diary(moments(), "decoder.self_attn", 6, 10, Look(), words("en"))
    assert made is not None and made.steps == made.read == _STEPS and made.headings == ("Decoder self-attention",)
    strip, lost = (next(each for each in made.strips if (each.layer, each.head) == (1, head)) for head in (2, 3))
    assert strip.tap == _TAP and strip.labels == ((10, "Previous token, from step 10"),)
    assert not any("Previous" in label for _step, label in lost.labels)
    assert strip.maps[1, 2].tolist()[:2] == [0.0, 1.0] and np.isnan(strip.maps[1, 0, 1:]).all()
    assert "0.5" in made.caption.note


def test_no_pattern_is_named_before_all_earlier_snapshots_are_read() -> None:
    """Without that of step 10 it would seem to have appeared at step 100. Later snapshots may be missing."""
    first, second, third = moments()

    def named(*read: ModelMoment) -> set[tuple[int, str]]:
        made = head_diary(read, "decoder.self_attn", 0, 10, Look(), words("en"), (*_STEPS, 1000))
        assert made is not None
        return {label for strip in made.strips for label in strip.labels if "Previous" in label[1]}

    assert named(first, third) == set() and named(third) == set()
    assert named(first, second, third) == {(10, "Previous token, from step 10")}


def test_all_attentions_have_their_own_words() -> None:
    """Cross-attention looks from the target at the source."""
    made = head_diary(moments(), ALL, 999, None, Look(), words("zh"))
    assert made is not None and len(made.headings) == 3 and made.chosen == len(made.strips) - 1
    live = head_diary(moments()[1:], ALL, 0, None, Look(), words("zh"), _STEPS)
    assert live is not None and (live.steps, live.read) == (_STEPS, _STEPS[1:])
    cross = made.strips[-1]
    assert (cross.attention, cross.rows.side, cross.columns.side) == ("decoder.cross_attn", "target", "source")
    assert cross.maps.shape[1:] == (len(cross.rows.labels), len(cross.columns.labels))


def test_metrics_of_a_head_are_from_zero_to_one() -> None:
    """Previous token: ½, ⅓, … of even weights, then all of it; an entropy of even weights over its largest one."""
    made = measure_curves(moments(), "decoder.self_attn", 1, 2, 10, words("en"))
    assert made is not None and made.threshold == 0.5
    curves = {curve.name: curve.values for curve in made.curves}
    n = moments()[0].trace.shape(_TAP)[-1]
    assert curves["Previous token"].tolist() == pytest.approx([np.mean(1 / np.arange(2, n + 1)), 1, 1], abs=1e-6)
    even = np.mean(np.log2(np.arange(1, n + 1))) / np.log2(n)
    assert curves["Entropy / max"].tolist() == pytest.approx([even, 0, 0], abs=1e-6)
    assert "Induction" not in curves and set(MEASURES) >= {"previous", "entropy"}  # No token of the text is repeated.


@pytest.mark.parametrize("right", [None, "12"])
def test_answers_are_judged_where_the_right_one_is_known(right: str | None) -> None:
    """White space around them does not count."""
    made = answers(moments(), right, 0, words("en"))
    assert made is not None and made.answers == ("0", "12", "12")
    assert made.right == ((None,) * 3 if right is None else (False, True, True))


@pytest.mark.parametrize("said", [words("en"), words("zh")], ids=["en", "zh"])
def test_without_a_moment_there_is_no_picture(said: Words) -> None:
    """The page waits for the first one."""
    assert head_diary((), ALL, 0, None, Look(), said) is None
    assert measure_curves((), "encoder.self_attn", 0, 0, None, said) is None and answers((), None, None, said) is None
