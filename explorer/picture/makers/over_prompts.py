"""Results over many prompts as maps: the mean of each part of a model, its 95 % interval, and the values of one prompt.

A map has the last axis of a result along its columns, and all others together along its rows: layer × head, layer × position,
or layer and head × position. Rows that the model lacks are left out.
"""

from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.lang import Words
from explorer.picture.kinds import Axis, Caption, Heatmap
from explorer.picture.makers.patching import tap_row
from explorer.picture.scales import Scale, centred_scale
from explorer.picture.theme import Theme
from explorer.state.look import UNIT_COLOURS
from explorer.trace.found.metric_map import Spread, spread_of
from explorer.trace.found.over_prompts import HeadsOverPrompts, MetricPatching, OverPrompts

_PATHS = "paths to "
_SHARE = 1.0  # the end of the scale of what is recovered


@attrs.frozen(eq=False, kw_only=True)
class PromptMaps:
    """A result's values of one kind [prompt, row, column], with a label for each row and column.

    `spread` is that of the prompts; `tokens` are those of each prompt, where positions stand along the columns. `form` says
    what the result is, and `scale` is that of all values.
    """

    values: NDArray[np.float64]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    column_axis: str  # "head", "layer" or "position"
    tokens: Sequence[Sequence[str]]
    spread: Spread
    form: str
    scale: Scale


def prompt_maps(found: OverPrompts, kind: str, words: Words, theme: Theme) -> PromptMaps:
    """The values of a kind, laid out as rows and columns."""
    shown = np.asarray(found.shown(kind), np.float64)
    *outer, (last, columns) = found.maps[kind].axes.items()
    rows = [""]
    for size, (name, labels) in zip(shown.shape[1:], outer, strict=False):
        told = _labels(name, labels, size, words)
        rows = [f"{row} {label}".strip() for row in rows for label in told]
    values = shown.reshape(len(shown), len(rows), shown.shape[-1])
    there = [not np.isnan(values[:, row]).all() for row in range(len(rows))]
    values = values if all(there) else values[:, there]
    return PromptMaps(
        values=values,
        rows=tuple(row for row, is_there in zip(rows, there, strict=True) if is_there),
        columns=_labels(last, columns, shown.shape[-1], words),
        column_axis=last,
        tokens=found.tokens.get(kind.partition(" ")[0], ()) if last == "position" else (),
        spread=spread_of(values),
        form=found.form,
        scale=_scale(found.form, values, theme.signed_colours),
    )


def _labels(name: str, labels: Sequence[str] | None, size: int, words: Words) -> tuple[str, ...]:
    if labels is None:
        letter = {"layer": "L", "head": "H"}.get(name, "")
        return tuple(f"{letter}{place}" for place in range(size))
    known = {"attention": lambda each: words(f"attention_short.{each}"), "tap": lambda each: tap_row(each, words)}
    known["side"] = lambda each: words(f"effects.feed_forward.{each}")
    return tuple(known[name](each) if name in known else each for each in labels)


def told_kind(kind: str, words: Words) -> str:
    """A kind of a result in words: what is ablated or patched, or a metric of heads."""
    if kind.startswith(_PATHS):
        return words("many.paths", receiver=kind.removeprefix(_PATHS))
    side, _, patched = kind.partition(" ")
    if patched:
        return words(f"many.patched.{patched}", side=words(f"many.side.{side}"))
    return words(f"many.ablated.{kind}" if kind in ("heads", "layers", "feed_forwards") else f"heads.measure.{kind}")


def mean_of_prompts(laid: PromptMaps, words: Words) -> Heatmap:
    """The mean over all prompts that have the number."""
    mean, title = laid.spread.mean, words("many.mean", count=len(laid.values))
    made = _map(laid, mean, laid.columns, title, _scale(laid.form, mean, laid.scale.colours), words)
    return attrs.evolve(made, beside=(("±", _half(laid).astype(np.float32)), ("n", laid.spread.n.astype(np.float32))))


def interval_of_prompts(laid: PromptMaps, words: Words) -> Heatmap:
    """Half the width of the 95 % interval of that mean."""
    half = _half(laid)
    made = _map(laid, half, laid.columns, words("many.interval"), _from_zero(half), words, "many.too_few")
    return attrs.evolve(made, beside=(("n", laid.spread.n.astype(np.float32)),))


def _half(laid: PromptMaps) -> NDArray[np.float64]:
    return (laid.spread.high - laid.spread.low) / 2


def values_of_prompt(laid: PromptMaps, prompt: int, words: Words) -> Heatmap:
    """The values of one prompt, on the scale of all of them, with its own tokens at positions."""
    values, columns = laid.values[prompt], laid.columns
    if laid.tokens:
        columns = tuple(laid.tokens[prompt])[: len(columns)]
        values = values[:, : len(columns)]
    return _map(laid, values, columns, words("many.one", number=prompt + 1), laid.scale, words)


def _map(
    laid: PromptMaps,
    values: NDArray[np.float64],
    columns: tuple[str, ...],
    title: str,
    scale: Scale,
    words: Words,
    lacking: str = "many.lacking",
) -> Heatmap:
    closed = np.isnan(values)
    return Heatmap(
        values=values.astype(np.float32),
        closed=closed if closed.any() else None,
        reason=words(f"{lacking}_about"),
        closed_by=words(lacking),
        rows=Axis(words("many.part"), laid.rows, numbered=False),
        columns=Axis(words(f"axis.{laid.column_axis}"), columns, numbered=False),
        scale=scale,
        caption=Caption(title=title, tap="", shape=f"[{len(laid.rows)}, {len(columns)}]", origin="computed"),
    )


def _scale(form: str, values: NDArray[np.float64], signed_colours: str) -> Scale:
    """From 0 for metrics of heads, −1 to 1 for what is recovered, zero in the middle for effects."""
    if form == HeadsOverPrompts.form:
        return _from_zero(values)
    if form == MetricPatching.form:
        return Scale(-_SHARE, _SHARE, signed_colours)
    return centred_scale(values, signed_colours)


def _from_zero(values: NDArray[np.float64]) -> Scale:
    finite = values[np.isfinite(values)]
    return Scale(0.0, float(finite.max()) if finite.size and finite.max() > 0 else 1.0, UNIT_COLOURS[0])
