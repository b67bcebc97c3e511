"""Measures the sentences of a portion and sums the results, with a model of its own and one thread.

A trained translator of ours takes sentences of equal length together: they are encoded, translated greedily and passed through
the decoder in one batch without padding on the source's side. Any other model, and any sentence that is too long for a batch,
is explored one by one. Both ways give the same numbers up to the order of float32 additions; a test compares them.

Decision: one thread for each process. Rejected: all threads for one process, since tokenization and the metrics themselves run
in one thread anyway, and one thread rounds alike on every machine.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
import numpy as np
import torch
from torch import Tensor

from explorer.engine.compute import Computer
from explorer.engine.decoding.beam import Decoding, longest
from explorer.engine.decoding.greedy import can_guess
from explorer.engine.decoding.greedy_batch import greedy_batch
from explorer.engine.decoding.incremental import Incremental
from explorer.engine.request import Request
from explorer.engine.sources.source import Row
from explorer.engine.sources.translating import Translating
from explorer.engine.speed.packed_linear import unpack
from explorer.errors import ExplorerError
from explorer.model.hooks import hooked
from explorer.model.ids import padded
from explorer.model.tap import Tap
from explorer.model.transformer import Transformer
from explorer.scanning.plan import ScanPlan
from explorer.scanning.pressed import Check, unasked
from explorer.tokens.vocabulary import PAD
from explorer.trace.arrays import Array
from explorer.trace.found.effects import measured_words
from explorer.trace.measures.head_measures import MEASURES, Values, batch_alignment, batch_values, head_values
from explorer.trace.measures.measures import log_p
from explorer.trace.measures.opening_head import alignment_values
from explorer.trace.measures.scan_sums import WHOLE, ScanPart, best_texts, summed
from explorer.trace.recorded_pass import Tokens, written
from explorer.trace.trace import Trace

_MOST_TOGETHER = 256  # sentences of one batch
_MOST_TOKENS = 64  # of a sentence in a batch; longer ones are explored one by one
_EMPTY = "error.empty_text"

Found = dict[tuple[str, str], Values]
"""[layer, head] the metrics of one sentence, by attention and metric."""


class Measurer:
    """Measures the sentences of portions by a plan. Raises ExplorerError if the plan's model cannot be opened.

    `check` is called before each batch and each sentence that is explored alone, and may end the work by raising an error.
    """

    def __init__(self, plan: ScanPlan, check: Check = unasked) -> None:
        self._plan, self._computer, self._check = plan, Computer(most_threads=1), check
        self._source = self._computer.sources.of(plan.wish)
        self._card = self._source.card(plan.wish.config, plan.wish.preset, plan.wish.uses_trained)
        self._model = self._together()
        across = tuple(each for each in self._card.attentions if each.endswith(".cross_attn"))
        of_heads = [
            (attention, key)
            for attention in self._card.attentions
            for key in plan.measures
            if key in MEASURES and MEASURES[key].formula(attention)
        ]
        aligned = [(attention, "alignment") for attention in across if "alignment" in plan.measures]
        self._asks_words = "probability" in plan.measures
        self.keys = (*of_heads, *aligned, *([(WHOLE, "probability")] if self._asks_words else []))

    def __call__(self, texts: Sequence[str], first_row: int) -> ScanPart:
        """The sums of these sentences, of which the first one has the number `first_row`."""
        torch.set_num_threads(1)
        found, left_out = dict[int, Found](), defaultdict[str, int](int)
        rows = self._cut(texts, left_out)
        for places in self._batches(rows):
            self._check()
            found.update(self._of_batch(places, [rows[place] for place in places]))
        for place in sorted(set(rows) - set(found)):
            self._check()
            try:
                found[place] = self._alone(texts[place])
            except ExplorerError as error:
                left_out[error.key] += 1
        return self._summed(texts, first_row, found, dict(left_out))

    def _together(self) -> Transformer | None:
        """The model that takes several sentences in one batch; None where each must be explored alone."""
        wish = self._plan.wish
        if not (isinstance(self._source, Translating) and self._source.shows_trained and wish.target is None):
            return None
        if wish.config.architecture != "encoder-decoder" or wish.config.dropout_active or wish.changes or wish.beam != 1:
            return None
        model = self._source.ready(wish.config, 0, lambda: False, lambda _share: None)
        assert isinstance(model, Transformer)
        if not can_guess(model, Decoding()):
            return None
        unpack(model)  # Packed weights are fast for a few rows; a batch has hundreds.
        return model

    def _cut(self, texts: Sequence[str], left_out: dict[str, int]) -> dict[int, Row]:
        """The tokens of each text by its place; texts that cannot be tokenized are counted."""
        rows: dict[int, Row] = {}
        for place, text in enumerate(texts):
            if not text.strip():
                left_out[_EMPTY] += 1
                continue
            try:
                rows[place] = self._source.tokenize(attrs.evolve(self._plan.wish, text=text))
            except ExplorerError as error:
                left_out[error.key] += 1
        return rows

    def _batches(self, rows: dict[int, Row]) -> Iterator[list[int]]:
        """Places of sentences of equally many tokens."""
        by_length: dict[int, list[int]] = defaultdict(list)
        if self._model is not None:
            for place, row in rows.items():
                if 0 < len(row) <= _MOST_TOKENS:
                    by_length[len(row)].append(place)
        for _length, places in sorted(by_length.items()):
            for first in range(0, len(places), _MOST_TOGETHER):
                yield places[first : first + _MOST_TOGETHER]

    def _of_batch(self, places: list[int], rows: list[Row]) -> dict[int, Found]:
        """The metrics of each sentence of a batch, by its place."""
        model, source, wish = self._model, self._source, self._plan.wish
        assert model is not None and isinstance(source, Translating)
        maps: dict[str, list[Array]] = defaultdict(list)

        def hook(tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
            if tap.name.endswith(".weights"):
                side, _layers, _layer, kind, _weights = tap.name.split(".")
                maps[f"{side}.{kind}"].append(tensor.cpu().numpy())  # [sentence, head, query, key]

        ids = _ids(rows).to(wish.config.device)
        with torch.inference_mode():
            with hooked(model, hook):
                memory = model.encode(ids)
            limit = longest(ids.shape[1], model.config.max_len)
            said = greedy_batch(Incremental(model, memory), len(ids), limit, source.decoding(wish).no_repeat_ngram)
            tokens = [source.with_target(wish, row, own) for row, own in zip(rows, said, strict=True)]
            target = _ids([each.target for each in tokens]).to(wish.config.device)
            with hooked(model, hook):
                x = model.decode(target, memory)
            logits = model.generator(x).cpu().numpy() if self._asks_words else None  # [sentence, position, vocab]
        whole = {attention: np.stack(layers, axis=1) for attention, layers in maps.items()}
        return self._measured(places, tokens, whole, logits)

    def _measured(
        self, places: list[int], tokens: list[Tokens], maps: dict[str, Array], logits: Array | None
    ) -> dict[int, Found]:
        """The metrics by place. Targets of one length are measured together, without the padding behind them."""
        found: dict[int, Found] = {place: {} for place in places}
        by_length: dict[int, list[int]] = defaultdict(list)
        for number, each in enumerate(tokens):
            by_length[len(each.target)].append(number)
        for n, numbers in by_length.items():
            own = [tokens[number] for number in numbers]
            for attention, key in self.keys:
                values = self._values(attention, key, own, maps, logits, numbers, n)
                for number, value in zip(numbers, values, strict=True):
                    found[places[number]][attention, key] = value
        return found

    def _values(
        self,
        attention: str,
        key: str,
        tokens: list[Tokens],
        maps: dict[str, Array],
        logits: Array | None,
        numbers: list[int],
        n: int,
    ) -> Values:
        """[sentence, layer, head] one metric of sentences whose targets have `n` tokens."""
        if attention == WHOLE:
            assert logits is not None  # They are there where a plan asks for words.
            return np.array([[[_probability(logits[number], each)]] for number, each in zip(numbers, tokens, strict=True)])
        weights = maps[attention][numbers]  # [sentence, layer, head, query, key]
        across = attention.endswith(".cross_attn")
        if attention.startswith("decoder."):
            weights = weights[:, :, :, :n] if across else weights[:, :, :, :n, :n]
        if key == "alignment":
            return batch_alignment(weights, tokens, expected=True)
        side = [each.target if attention == "decoder.self_attn" else each.source for each in tokens]
        return batch_values(key, weights, np.array([[token.id for token in row] for row in side]), across=across)

    def _alone(self, text: str) -> Found:
        """The metrics of one sentence that is explored by itself. Raises ExplorerError."""
        return self.of_trace(self._computer(Request(wish=attrs.evolve(self._plan.wish, text=text))).trace)

    def of_trace(self, trace: Trace) -> Found:
        """The metrics of a Trace."""
        found: Found = {}
        for attention, key in self.keys:
            if attention == WHOLE:
                found[attention, key] = np.array([[_probability(trace["generator.logits"], trace.tokens, trace)]])
            elif key == "alignment":
                found[attention, key] = alignment_values(trace)
            else:
                found[attention, key] = head_values(trace, attention, key)
        return found

    def _summed(self, texts: Sequence[str], first_row: int, found: dict[int, Found], left_out: dict[str, int]) -> ScanPart:
        places = sorted(found)
        rows = first_row + np.array(places, dtype=np.int64)
        sums = {}
        for key in self.keys if places else ():
            sums[key] = summed(np.stack([found[place][key] for place in places]), rows, key[1], self._plan.best)
        kept = best_texts(sums, {first_row + place: texts[place] for place in places})
        return ScanPart(n_rows=len(texts), left_out=left_out, sums=sums, texts=kept)


def _ids(rows: Sequence[Row]) -> Tensor:
    """[sentence, position] the ids of tokens; shorter rows are filled up at their end."""
    return padded([tuple(token.id for token in row) for row in rows], PAD)


def _probability(logits: Array, tokens: Tokens, trace: Trace | None = None) -> float:
    """The geometric mean of the probabilities of the words of one sentence, from 0 to 1; NaN without a word.

    The words are those of `trace.effects`: a translation's with its end, the next ones of a text, or each at its own place.
    """
    ids, _measured = measured_words(tokens.source, tokens.target, written(tokens) if trace is None else trace.expected)
    # p = exp(Σ_w log p(w) / n)
    return float(np.exp(log_p(logits[: len(ids)], np.array(ids)).mean())) if ids else float("nan")
