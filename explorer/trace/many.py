"""Many: what the same model made of many prompts, with the prompts along the first axis of every array.

Prompts differ in length. Where a prompt has no such position, query or key, its numbers are NaN; `of` cuts them off.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from explorer.errors import NotKept
from explorer.trace.arrays import Array
from explorer.trace.found.metric_map import MetricMap, stacked_rows
from explorer.trace.found.over_prompts import HeadsOverPrompts, texts_by_side
from explorer.trace.measures.head_measures import MEASURES, batch_values
from explorer.trace.measures.measures import log_p
from explorer.trace.measures.metric_table import HeadMetrics
from explorer.trace.measures.scan_sums import ScanPart, best_texts, summed
from explorer.trace.measures.scan_table import ScanTable
from explorer.trace.model_card import ModelCard
from explorer.trace.patterns import is_pattern, stacked, taps_of
from explorer.trace.printed import printed
from explorer.trace.recorded_pass import Tokens, unknown_tap
from explorer.trace.tabular import Columns, Tables, Tabular, as_html, cells, joined
from explorer.trace.tap_names import side_name

_MOST_LINES = 6  # prompts that the short form names
_LONGEST = 40  # characters of a prompt in it
_LIKELIEST = 5  # next tokens of a prompt in a table
_OF_SIDE = ("position", "query", "key")


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Many(Tabular):
    """What one model made of many prompts.

    `many["decoder.layers.0.self_attn.weights"]` is [prompt, head, query, key], with a star for the layer [prompt, layer, head,
    query, key]; `many.logits` [prompt, vocab or class] are those of each prompt's last position, None of a model without an
    output. `tokens` [prompt] has the Tokens of each. `made_with` is the table of a State with the model. `changed` is the Many
    of the second prompts, where pairs were given.

    Arrays are read-only float32, and NaN behind the end of a prompt.
    """

    prompts: tuple[str, ...]
    tokens: tuple[Tokens, ...]
    arrays: Mapping[str, Array]
    axis_names: Mapping[str, tuple[str, ...]]
    card: ModelCard
    preset: str = ""
    symbols: tuple[str, ...] = ()
    logits: Array | None = None
    made_with: Mapping[str, Any] = attrs.field(factory=dict)
    changed: "Many | None" = None

    def __len__(self) -> int:
        """How many prompts there are."""
        return len(self.prompts)

    def __getitem__(self, name: str) -> Array:
        """[prompt, …] the array of a tap; [prompt, layer, …] with a star for the layer. Raises UnknownTap, LayersDiffer."""
        if isinstance(name, str) and name in self.arrays:
            return self.arrays[name]
        taps = taps_of(name, self.arrays) if is_pattern(name) else ()
        if not taps:
            raise unknown_tap(name, self.axis_names)
        made: Array = np.moveaxis(stacked(taps, [self.arrays[tap] for tap in taps]), 0, 1)
        return made

    def names(self) -> tuple[str, ...]:
        """The taps that were kept, in the order of the flow."""
        return tuple(self.arrays)

    def axes(self, name: str) -> tuple[str, ...]:
        """The names of the axes of `many[name]`, `prompt` first. Raises UnknownTap."""
        taps = taps_of(name, self.arrays) if is_pattern(name) else ()
        if not taps and name not in self.arrays:
            raise unknown_tap(name, self.axis_names)
        return ("prompt", "layer", *self.axis_names[taps[0]]) if taps else ("prompt", *self.axis_names[name])

    def of(self, prompt: int, name: str) -> Array:
        """[…] the array of a tap, or with a star of all layers, of one prompt alone, without what others have behind its end.

        Raises UnknownTap, LayersDiffer, IndexError.
        """
        tap = next(iter(taps_of(name, self.arrays)), name) if is_pattern(name) else name
        cut = own_places(tap, self.axes(name)[1:], self.tokens[prompt])
        made: Array = self[name][prompt][cut]
        return made

    def measures(self, attention: str = "") -> HeadMetrics:
        """What each head does on each prompt, by metric ("entropy", "previous", "induction", …): [prompt, layer, head].

        They are those of `Trace.measures`. `attention` is one such as "decoder.self_attn", the first one by default. Raises
        UnknownTap, and NotKept where its weights were not asked for.
        """
        chosen = attention or self.card.attentions[0]
        side, places = self.card.side(chosen), self.card.attention_layers(chosen)
        home, _, kind = chosen.partition(".")
        taps = [f"{home}.layers.{layer}.{kind}.weights" for layer in places]
        for tap in taps:
            if tap not in self.arrays:
                raise NotKept(tap=tap, head=-1, n_tokens=max(len(each.source) + len(each.target) for each in self.tokens))
        found = {key: np.full((len(self), side.n_layers, side.n_heads), np.nan) for key in MEASURES}
        for prompt, tokens in enumerate(self.tokens):
            weights = np.stack([self.of(prompt, tap) for tap in taps])[None]  # [prompt 1, layer, head, query, key]
            row = tokens.source if side_name(taps[0], "key", has_target=bool(tokens.target)) == "source" else tokens.target
            ids = np.array([[token.id for token in row]])
            for key, measure in MEASURES.items():
                if measure.formula(chosen):
                    found[key][prompt, list(places)] = batch_values(key, weights, ids, across=kind == "cross_attn")[0]
        return HeadMetrics(found, attention=chosen, prompts=self.prompts)

    def over_prompts(self) -> HeadsOverPrompts:
        """The metrics of all heads as results over prompts, which can be saved and shown; of attentions that were kept.

        Raises NotKept where no weights were.
        """
        attentions = self._measured() or self.card.attentions
        found = [self.measures(each) for each in attentions]
        maps = {key: stacked_rows([np.moveaxis(each[key], 0, -1) for each in found]) for key in MEASURES}
        axes = {"attention": attentions, "layer": None, "head": None}
        return HeadsOverPrompts(
            prompts=self.prompts,
            plain=np.full(len(self), np.nan, np.float32),
            maps={key: MetricMap(np.moveaxis(each, -1, 0), axes) for key, each in maps.items() if not np.isnan(each).all()},
            preset=self.preset,
            made_with=self.made_with,
            tokens=texts_by_side(self.tokens),
        )

    def scan_table(self, best: int = 10) -> ScanTable:
        """The metrics of all heads summed over the prompts, with the `best` prompts of each head, as of a scan.

        Of attentions whose weights were not asked for there is nothing in it.
        """
        rows = np.arange(len(self))
        sums = {
            (attention, key): summed(values, rows, key, best)
            for attention in self._measured()
            for key, values in self.measures(attention).items()
            if MEASURES[key].formula(attention)
        }
        about = {"preset": self.preset, "sentences": len(self), "measures": list(MEASURES), "best": best}
        texts = best_texts(sums, dict(enumerate(self.prompts)))
        return ScanTable(about=about, part=ScanPart(n_rows=len(self), sums=sums, texts=texts))

    def next_tokens(self, most: int = _LIKELIEST) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """[prompt, rank] the likeliest ids (or classes) behind each prompt, and their log-probabilities (nats).

        Raises UnknownTap for a model without an output.
        """
        if self.logits is None:
            raise unknown_tap("generator.logits", self.axis_names)
        ids = np.argsort(-self.logits, axis=-1, kind="stable")[:, :most]
        told = [log_p(np.repeat(row[None], len(own), axis=0), own) for row, own in zip(self.logits, ids, strict=True)]
        return ids, np.array(told)

    def tables(self) -> Tables:
        """`heads`: the metrics of every head on every prompt; `tokens`; `next`: the likeliest tokens behind each prompt."""
        made: dict[str, partial[Columns]] = {"tokens": partial(self._tokens)}
        if self.logits is not None:
            made["next"] = partial(self._next)
        return {"heads": partial(self._heads), **made} if self._measured() else made

    def __repr__(self) -> str:
        """The prompts and what was kept of them, in at most ten lines."""
        head = f"<Many {len(self)} prompts of {self.card.name!r}, {len(self.arrays)} taps"
        sizes = [len(each.target or each.source) for each in self.tokens]
        lines = [
            f"  {n}: {_cut(text)!r}, {size} tokens" for n, (text, size) in enumerate(zip(self.prompts, sizes, strict=True))
        ]
        more = [f"  … {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
        paired = [] if self.changed is None else [f"  .changed: {len(self.changed)} further prompts"]
        return printed("\n".join([head, *lines[:_MOST_LINES], *more, *paired])) + ">"

    def _repr_html_(self) -> str:
        """The prompts with their likeliest next tokens, as a table."""
        told: dict[str, list[object]] = {"prompt": [_cut(text) for text in self.prompts]}
        told["tokens"] = [len(each.target or each.source) for each in self.tokens]
        if self.logits is not None:
            ids, p = self.next_tokens(1)
            told["next"] = [self._symbol(each) for each in ids[:, 0].tolist()]
            told["p"] = np.exp(p[:, 0]).tolist()
        return as_html(told)

    def _measured(self) -> tuple[str, ...]:
        """The attentions of which all weights were kept."""
        return tuple(
            each
            for each in self.card.attentions
            for side, _, kind in [each.partition(".")]
            if all(f"{side}.layers.{layer}.{kind}.weights" in self.arrays for layer in self.card.attention_layers(each))
        )

    def _heads(self) -> Columns:
        return joined([self.measures(each).columns() for each in self._measured()])

    def _tokens(self) -> Columns:
        own = [(n, each.columns()) for n, each in enumerate(self.tokens)]
        return joined([{"prompt": [n] * len(told["text"]), **told} for n, told in own])

    def _next(self) -> Columns:
        ids, p = self.next_tokens()
        told = dict(cells({"id": ids, "log_p": p}, prompt=None, rank=range(1, ids.shape[1] + 1)))
        return {**told, "token": [self._symbol(each) for each in told["id"].tolist()]}  # type: ignore[union-attr]

    def _symbol(self, index: int) -> str:
        return self.symbols[index] if index < len(self.symbols) and self.symbols[index] else f"#{index}"


def own_places(tap: str, axes: tuple[str, ...], tokens: Tokens) -> tuple[slice, ...]:
    """Where the numbers of a text with these tokens stand in an array of a tap that has room for longer ones."""
    return tuple(slice(size) for size in sizes_at(tap, axes, tokens))


def sizes_at(tap: str, axes: tuple[str, ...], tokens: Tokens) -> Iterator[int | None]:
    """How many places a text with these tokens has along each axis of a tap; None along an axis that is as long for all."""
    for axis in axes:
        if axis in _OF_SIDE:
            source = side_name(tap, axis, has_target=bool(tokens.target)) == "source"
            yield len(tokens.source if source else tokens.target)
        else:
            yield None


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
