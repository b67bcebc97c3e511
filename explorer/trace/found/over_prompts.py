"""Numbers over one prompt or many: a metric after ablations and patches, and what attention heads do.

`metric_map.py` says how mean and interval come about.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import NotAScanTable
from explorer.trace.arrays import Array
from explorer.trace.found.effects import Effects
from explorer.trace.found.metric_map import MetricMap, Spread, joined_maps, spread_of
from explorer.trace.found.patching import Patching
from explorer.trace.found.prompts_file import read_results, write_results
from explorer.trace.measures.scan_sums import ScanPart, best_texts, summed
from explorer.trace.measures.scan_table import ScanTable
from explorer.trace.notebook_display import drawn_results
from explorer.trace.printed import printed
from explorer.trace.recorded_pass import Tokens
from explorer.trace.tabular import Columns, Tables, Tabular, as_html, cells

EFFECT = "effect"
"""The measure of a table of a scan that holds effects on a metric."""
_SHOWN = 6  # parts that the short form names


@attrs.frozen(kw_only=True, eq=False, repr=False)
class OverPrompts(Tabular):
    """A metric over `prompts`: `plain` [prompt] in the passes as they are, and a MetricMap by kind of part.

    Each kind is a table with a row for each prompt and part; "mean KIND" has a row for each part, with mean and interval.
    `metric` is the name of the metric, `made_with` the table of a State with the model and everything that the passes were
    made with, and `tokens` has by side the tokens of each prompt.
    """

    prompts: tuple[str, ...]
    plain: Array
    maps: Mapping[str, MetricMap]
    preset: str = ""
    metric: str = ""
    made_with: Mapping[str, Any] = attrs.field(factory=dict)
    tokens: Mapping[str, Sequence[Sequence[str]]] = attrs.field(factory=dict)

    column: ClassVar[str] = "value"
    """What the values of its maps are called in tables."""
    form: ClassVar[str] = ""
    """What its file says that it is."""

    def save(self, path: str | Path) -> None:
        """Write all of it to an NPZ file, which the window opens. Raises CannotWrite, DiskFull."""
        about = {name: getattr(self, name) for name in ("prompts", "preset", "metric", "made_with", "tokens")}
        write_results(Path(path), {"form": self.form, **about}, {"plain": self.plain}, self.maps)

    @staticmethod
    def load(path: str | Path) -> "OverPrompts":
        """What was saved, in its own class. Raises CannotRead, NotAFile, NotAScanTable."""
        about, arrays, maps = read_results(Path(path))
        try:
            of_texts = {name: tuple(about[name]) for name in ("prompts", "others") if name in about}
            tokens = _read_tokens(about["tokens"], len(about["prompts"]))
            told = {"preset": str(about["preset"]), "metric": str(about["metric"]), "made_with": dict(about["made_with"])}
            made: OverPrompts = _FORMS[about["form"]](**of_texts, **told, **arrays, maps=maps, tokens=tokens)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise NotAScanTable(path=str(path), reason=str(error)[:80]) from error
        return made

    def __getitem__(self, kind: str) -> Array:
        """[prompt, …] the values of a kind. Raises KeyError."""
        return self.maps[kind].values

    def spread(self, kind: str = "") -> Spread:
        """[…] mean and 95 % interval over prompts, of the first kind without a name. Raises KeyError."""
        return self.maps[kind or next(iter(self.maps))].spread

    def tables(self) -> Tables:
        """A table of each kind, and one of its mean over prompts."""
        made: dict[str, Any] = {kind: partial(self._rows, kind) for kind in self.maps}
        return made | {f"mean {kind}": partial(self._means, kind) for kind in self.maps}

    def shown(self, kind: str) -> NDArray[Any]:
        """[prompt, …] what a table of a kind shows."""
        return self.maps[kind].values

    def _rows(self, kind: str) -> Columns:
        found = self.maps[kind]
        values = {self.column: self.shown(kind)} | ({} if self.shown(kind) is found.values else {"metric": found.values})
        told = dict(cells(values, prompt=None, **found.axes))
        prompts = told.pop("prompt")
        return {"prompt": prompts, "text": [self.prompts[each] for each in prompts], **told}

    def _means(self, kind: str) -> Columns:
        found = spread_of(self.shown(kind))
        values = {"mean": found.mean, "low": found.low, "high": found.high, "n": found.n}
        return cells(values, **self.maps[kind].axes)

    def largest(self, kind: str, most: int) -> Columns:
        """The rows of a kind's means, the largest magnitudes first."""
        told = self._means(kind)
        order = np.argsort(-np.nan_to_num(np.abs(np.asarray(told["mean"]))), kind="stable")[:most]
        return {name: [column[each] for each in order] for name, column in told.items()}

    def __repr__(self) -> str:
        """The parts of the first kind with the largest mean, in at most eight lines."""
        kind = next(iter(self.maps))
        sizes = ", ".join(f"{axis} {size}" for axis, size in zip(self._axes(kind), self[kind].shape, strict=True))
        lines = [f"<{type(self).__name__} of {len(self.prompts)} prompts, {kind} [{sizes}]: mean and 95 % interval (normal)"]
        told = self.largest(kind, _SHOWN)
        for n in range(len(told["mean"])):
            place = " ".join(f"{name} {told[name][n]}" for name in self.maps[kind].axes)
            lines.append(f"  {place}: {told['mean'][n]:+.4g} ({told['low'][n]:+.3g} to {told['high'][n]:+.3g})")
        return printed("\n".join(lines)) + ">"

    def _axes(self, kind: str) -> tuple[str, ...]:
        return ("prompt", *self.maps[kind].axes)

    def _repr_html_(self) -> str:
        """The means and intervals of the first kind as maps, and the largest ones as a table."""
        return drawn_results(self) + as_html(self.largest(next(iter(self.maps)), 2**31))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MetricEffects(OverPrompts):
    """What ablating each part adds to a metric: metric(without the part) − metric(as it is).

    `effects["heads"]` is [prompt, attention, layer, head], `["layers"]` [prompt, attention, layer] all heads of an attention
    together, `["feed_forwards"]` [prompt, side, layer]. `plain` [prompt] is the metric as it is.
    """

    column: ClassVar[str] = "effect"
    form: ClassVar[str] = "ablation"

    def scan_table(self, best: int = 10) -> ScanTable:
        """The effects of all heads summed over the prompts, with the `best` prompts of each head, as of a scan."""
        heads, rows = self.maps["heads"], np.arange(len(self.prompts))
        sums = {}
        for first, attention in enumerate(heads.axes["attention"] or ()):
            found = summed(heads.values[:, first].astype(np.float64), rows, EFFECT, best)
            # A histogram of a scan begins at 0, and effects have both signs.
            sums[attention, EFFECT] = attrs.evolve(found, histogram=np.zeros_like(found.histogram))
        about = {"preset": self.preset, "sentences": len(rows), "measures": [EFFECT], "best": best}
        return ScanTable(
            about=about, part=ScanPart(n_rows=len(rows), sums=sums, texts=best_texts(sums, dict(enumerate(self.prompts))))
        )


@attrs.frozen(kw_only=True, eq=False, repr=False)
class MetricPatching(OverPrompts):
    """A metric after patches of each prompt's pass with numbers of another one's, which `others` [prompt] are.

    `plain` and `other` [prompt] are the metric of both passes as they are. The values of a kind such as "decoder head" are the
    metric, [prompt, tap, head, position]; `recovered(kind)` is (metric − plain) / (other − plain): 0 where a patch changes
    nothing, 1 where it brings the other pass's metric.
    """

    others: tuple[str, ...]
    other: Array

    column: ClassVar[str] = "recovered"
    form: ClassVar[str] = "patching"

    def save(self, path: str | Path) -> None:
        """Write all of it to an NPZ file, which the window opens. Raises CannotWrite, DiskFull."""
        about = {name: getattr(self, name) for name in ("prompts", "others", "preset", "metric", "made_with", "tokens")}
        write_results(Path(path), {"form": self.form, **about}, {"plain": self.plain, "other": self.other}, self.maps)

    def recovered(self, kind: str = "") -> NDArray[np.float64]:
        """[prompt, …] the share of the way from the prompt's metric to the other's; NaN where both are the same."""
        values = self.maps[kind or next(iter(self.maps))].values.astype(np.float64)
        way = (self.other.astype(np.float64) - self.plain).reshape(-1, *[1] * (values.ndim - 1))
        made: NDArray[np.float64] = (values - self.plain.reshape(way.shape)) / np.where(way == 0, np.nan, way)
        return made

    def shown(self, kind: str) -> NDArray[Any]:
        """[prompt, …] what is recovered."""
        return self.recovered(kind)

    def spread(self, kind: str = "") -> Spread:
        """[…] mean and 95 % interval over prompts of what is recovered."""
        return spread_of(self.recovered(kind))


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HeadsOverPrompts(OverPrompts):
    """What each attention head does on each prompt: by metric ("entropy", "induction", …) [prompt, attention, layer, head].

    `plain` is NaN, since no prompt has such a number of its own.
    """

    form: ClassVar[str] = "heads"


_FORMS: Mapping[str, type[Any]] = {each.form: each for each in (MetricEffects, MetricPatching, HeadsOverPrompts)}


def joined_effects(parts: Sequence[MetricEffects]) -> MetricEffects:
    """The effects on several lots of prompts, which were found alike, as those on all of them."""
    first = parts[0]
    return attrs.evolve(
        first,
        prompts=tuple(text for part in parts for text in part.prompts),
        plain=np.concatenate([part.plain for part in parts]),
        maps={kind: joined_maps([part.maps[kind] for part in parts]) for kind in first.maps},
        tokens={side: tuple(row for part in parts for row in part.tokens[side]) for side in first.tokens},
    )


def of_one_pair(found: Patching) -> MetricPatching | None:
    """Activation patching of one text, at the first step where both answers differ; None where they never do."""
    n = found.first_step()
    if n is None:
        return None
    step = found.steps[n]
    axes = [{"tap": each.taps, **({"head": None} if each.kind == "head" else {}), "position": None} for each in found.maps]
    maps = {
        f"{each.side} {each.kind}": MetricMap(each.recovered[None, ..., n], own)
        for each, own in zip(found.maps, axes, strict=True)
    }
    return MetricPatching(
        prompts=("".join(token.text for token in next(iter(found.tokens.values()))),),
        others=(found.other_text,),
        plain=np.zeros(1, np.float32),
        other=np.ones(1, np.float32),
        maps=maps,
        metric=f"{step.word[1]} / {step.other_word[1]}",
        tokens={side: (tuple(token.text for token in row),) for side, row in found.tokens.items()},
    )


def effects_of_one(found: Effects) -> MetricEffects:
    """The effects on one text, as those on a metric: the sum of its words' log-probabilities."""
    axes: dict[str, dict[str, Sequence[str] | None]] = {
        "heads": {"attention": found.attentions, "layer": None, "head": None},
        "layers": {"attention": found.attentions, "layer": None},
        "feed_forwards": {"side": found.sides, "layer": None},
    }
    return MetricEffects(
        prompts=(" ".join(found.words),),
        plain=found.log_p.sum(keepdims=True),
        maps={kind: MetricMap(getattr(found, kind).sum(axis=-1)[None], own) for kind, own in axes.items()},
        metric="log-p",
    )


def texts_by_side(tokens: Sequence[Tokens]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """By side the texts of the tokens of each prompt; without a side that the model lacks."""
    rows = {"encoder": [each.source for each in tokens], "decoder": [each.target for each in tokens]}
    return {side: tuple(tuple(token.text for token in row) for row in rows[side]) for side in rows if any(rows[side])}


def _read_tokens(told: Mapping[str, Any], n: int) -> dict[str, tuple[tuple[str, ...], ...]]:
    """The tokens of a file by side. Raises TypeError where they are not those of `n` prompts."""
    made = {str(side): tuple(tuple(map(str, row)) for row in rows) for side, rows in told.items()}
    if any(len(rows) != n for rows in made.values()):
        raise TypeError("tokens")
    return made
