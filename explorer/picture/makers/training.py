"""Pictures of a training: what its log measured, what its heads looked at, and what it answered.

They are made from a RunLog and from Moments that somebody else has read. Letters: s is a step, v[s] a value of the log.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from explorer.lang import Words
from explorer.picture.card_text import knob_value
from explorer.picture.cell_text import rough
from explorer.picture.kinds import Caption
from explorer.picture.layout.step_axis import step_text
from explorer.picture.makers.heatmaps import closed_of, masked_values, token_axis
from explorer.picture.scales import unit_scale
from explorer.picture.training_kinds import Answers, CurveKind, HeadDiary, Numbers, StepCurve, StepCurves, Strip
from explorer.runs.log import RunLog
from explorer.state.look import Look
from explorer.trace.measures.head_measures import MEASURES
from explorer.trace.moments import APPEARED, PATTERNS, ModelMoment, appeared, even, measured

CURVES = ("accuracy", "rate", "norm", "tokens_per_s")
"""What a log has curves of besides the loss."""
ALL = "all"
"""In the place of an attention: every attention of the model."""
_RISEN = 0.02  # The lowest loss is named where it has risen since by this share of what it had fallen.
_SHARES = ("entropy", *PATTERNS)  # the measures that are drawn from 0 to 1


def loss_curves(
    log: RunLog, steps: tuple[int, ...], shown: int | None, words: Words, others: Sequence[tuple[str, RunLog]] = ()
) -> StepCurves:
    """The loss of each step and that of the validation examples; of `others`, which have names, their validation loss."""
    own = (
        _steps(log, "loss", words("training.curves.training")),
        _validation(log, "valid_loss", words("training.curves.validation"), words),
    )
    beside = (_validations(each, "valid_loss", name, "other") for name, each in others)
    return StepCurves(
        curves=tuple(curve for curve in (*own, *beside) if len(curve.at)),
        steps=steps,
        shown=shown,
        unit=words("training.curves.nat"),
        marks=tuple((step, _changed(change.items(), words)) for step, change in log.changes),
        caption=_curves_caption("loss", words),
    )


def curves_of(log: RunLog, field: str, steps: tuple[int, ...], shown: int | None, words: Words) -> StepCurves:
    """One of CURVES: the shares of right tokens and of right answers, the learning rate, the gradient's norm, or the speed."""
    curves: tuple[StepCurve, ...]
    if field == "accuracy":
        curves = (
            _validations(log, "exact", words("training.curves.exact"), "validation"),
            _validations(log, "accuracy", words("training.curves.accuracy"), "measure"),
        )
    else:
        curves = (_steps(log, field, words(f"training.curves.{field}"), "measure" if field == "rate" else "training"),)
    return StepCurves(
        curves=tuple(curve for curve in curves if len(curve.at)),
        steps=steps,
        shown=shown,
        unit="",
        logarithmic=field == "norm",
        most=1.0 if field == "accuracy" else 0.0,
        caption=_curves_caption(field, words),
    )


def _curves_caption(field: str, words: Words) -> Caption:
    return Caption(
        title=words(f"training.curves.title.{field}"),
        tap="",
        shape="",
        note=words(f"training.curves.note.{field}"),
        origin="computed",
        changes=0,  # A training knows nothing of the changes of a pass.
        name=f"training.{field}",
    )


def _steps(log: RunLog, field: str, name: str, kind: CurveKind = "training") -> StepCurve:
    return StepCurve(name, log.column("step"), log.column(field), kind)


def _validations(log: RunLog, field: str, name: str, kind: CurveKind) -> StepCurve:
    return StepCurve(name, log.valid[:, 0], log.column(field), kind)


def _validation(log: RunLog, field: str, name: str, words: Words) -> StepCurve:
    """A validation loss, with its lowest value named where it has risen since."""
    made = _validations(log, field, name, "validation")
    finite = np.flatnonzero(np.isfinite(made.values))
    if not len(finite):
        return made
    place = finite[made.values[finite].argmin()]  # arg min_s v[s]
    lowest = float(made.values[place])
    highest, last = float(made.values[finite].max()), float(made.values[finite[-1]])
    if not last - lowest > _RISEN * (highest - lowest):
        return made
    told = words("training.curves.lowest", value=rough(lowest))
    return StepCurve(name, made.at, made.values, "validation", ((int(made.at[place]), told),))


def _changed(change: Iterable[tuple[str, object]], words: Words) -> str:
    """What was changed in the training, as "name = value"."""
    names = (
        (words(f"knob.{key}.name") if f"knob.{key}.name" in words else key, _told(key, value, words)) for key, value in change
    )
    return ", ".join(f"{name} = {value}" for name, value in names)


def _told(name: str, value: object, words: Words) -> str:
    if isinstance(value, bool):
        return words("training.curves.on" if value else "training.curves.off")
    return knob_value(name, value, words)


def head_diary(
    moments: tuple[ModelMoment, ...],
    attention: str,
    chosen: int,
    shown: int | None,
    look: Look,
    words: Words,
    steps: tuple[int, ...] = (),
) -> HeadDiary | None:
    """A strip of maps for each head of an attention, or of ALL; None without a moment. `chosen` is the place of a strip.

    `steps` are those of all snapshots, of which not all may have been read; without them those of the moments. While one is
    missing before the last moment, nobody knows since when a head has a pattern, and none is named.
    Raises NotKept for a text that is too long for whole maps.
    """
    if not moments:
        return None
    card = moments[0].trace.card
    attentions = card.attentions if attention == ALL else (attention,)
    read = tuple(moment.step for moment in moments)
    named = steps[: len(read)] in ((), read)
    strips = tuple(strip for each in attentions for strip in _strips(moments, each, words, named=named))
    taps = [f"{each.replace('.', '.layers.*.')}.weights" for each in attentions]
    return HeadDiary(
        strips=strips,
        scale=unit_scale(look.unit_colours),
        steps=steps or read,
        read=read,
        shown=shown,
        chosen=min(max(chosen, 0), len(strips) - 1),
        headings=tuple(words(f"attention.{each}") for each in attentions),
        caption=Caption(
            title=words("training.diary.title"),
            tap=taps[0] if len(taps) == 1 else "",
            shape=words("training.diary.shape", snapshots=len(moments), heads=len(strips)),
            note=words("training.diary.note", threshold=APPEARED),
            origin="beside",
            changes=0,
            name="training.heads",
        ),
    )


def _strips(moments: tuple[ModelMoment, ...], attention: str, words: Words, *, named: bool) -> Iterable[Strip]:
    """The strips of one attention, layer by layer."""
    values, trace, evenly = measured(moments, attention), moments[0].trace, even(moments[0], attention)
    for layer in trace.card.attention_layers(attention):
        side, _, kind = attention.partition(".")
        tap = f"{side}.layers.{layer}.{kind}.weights"
        weights = np.stack([moment.trace[tap] for moment in moments])  # [snapshot, head, query, key]
        shown = masked_values(weights, closed_of(trace, tap))
        rows, columns = (token_axis(trace, tap, name, words) for name in ("query", "key"))
        for head in range(weights.shape[1]):
            own = {key: values[key][:, layer, head] for key in PATTERNS if key in values and named}
            labels = _labels(moments, own, evenly, words)
            yield Strip(attention, layer, head, shown[:, head], rows, columns, labels)


def _labels(
    moments: tuple[ModelMoment, ...], values: dict[str, Numbers], evenly: dict[str, float], words: Words
) -> tuple[tuple[int, str], ...]:
    """The patterns that a head has in the end, each with the step since which it has them."""
    # since(m) = the first step from which v_m[s] ≥ APPEARED at all later ones
    since = {key: found for key, each in values.items() if (found := appeared(each, evenly[key])) is not None}
    steps = ((moments[found].step, words(f"heads.measure.{key}")) for key, found in since.items())
    return tuple(
        (step, words("training.diary.since", pattern=pattern, step=step_text(step))) for step, pattern in sorted(steps)
    )


def measure_curves(
    moments: tuple[ModelMoment, ...],
    attention: str,
    layer: int,
    head: int,
    shown: int | None,
    words: Words,
    steps: tuple[int, ...] = (),
) -> StepCurves | None:
    """The metrics of one head at each moment, from 0 to 1; None without a moment. A metric that is undefined has no curve."""
    if not moments:
        return None
    values, at = measured(moments, attention), np.array([moment.step for moment in moments], np.float64)
    n_keys = moments[0].trace.shape(f"{attention.replace('.', f'.layers.{layer}.')}.weights")[-1]
    curves = []
    for key in _SHARES:
        own = values[key][:, layer, head] if key in values else np.zeros(0)
        if not np.isfinite(own).any():
            continue
        # H / log2 m: as large as it can be where all of m keys have the same weight
        own = own / max(1.0, np.log2(n_keys)) if key == "entropy" else own
        name = words("training.heads.entropy") if key == "entropy" else words(f"heads.measure.{key}")
        curves.append(StepCurve(name, at, own, "measure"))
    return StepCurves(
        curves=tuple(curves),
        steps=steps or tuple(moment.step for moment in moments),
        shown=shown,
        unit="",
        most=1.0,
        threshold=APPEARED,
        caption=Caption(
            title=words("training.heads.title", name=f"L{layer} H{head}", attention=words(f"attention.{attention}")),
            tap=f"{attention.replace('.', f'.layers.{layer}.')}.weights",
            shape="",
            formula=MEASURES["entropy"].formula(attention),
            note=words("training.heads.note", threshold=APPEARED, keys=n_keys),
            origin="computed",
            changes=0,
            name=f"training.metrics.L{layer}.H{head}",
        ),
    )


def answers(moments: tuple[ModelMoment, ...], right: str | None, shown: int | None, words: Words) -> Answers | None:
    """What the model answered at each moment, and whether it is the `right` answer, if there is one; None without a moment."""
    if not moments:
        return None
    said = tuple(moment.answer.strip() for moment in moments)
    return Answers(
        answers=said,
        right=tuple(None if right is None else each == right.strip() for each in said),
        steps=tuple(moment.step for moment in moments),
        shown=shown,
        caption=Caption(
            title=words("training.answers.title"),
            tap="",
            shape="",
            note="" if right is None else words("training.answers.note", right=right.strip()),
            origin="beside",
            changes=0,
            name="training.answers",
        ),
    )
