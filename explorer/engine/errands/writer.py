"""The Writer: it goes on with one text, token by token, with the model's own cache, and records every step.

Decision: a step that was stopped or whose model was used with other knobs is made again from all tokens so far. Rejected:
cutting the cache back, which some models cannot do.
"""

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import torch

from explorer.engine.changing import Changing
from explorer.engine.devices import dropout_seeded
from explorer.engine.experiments.runs import device_of
from explorer.engine.recording.joined_rows import JoinedRows
from explorer.engine.recording.keep_plan import EVERYTHING, KeepPlan
from explorer.engine.recording.long_text import with_levels
from explorer.engine.recording.recorder import record
from explorer.engine.sources.source import Model, ModelSource, Row
from explorer.engine.sources.writes import Writes, WritingSteps
from explorer.engine.speed.threads import decoding_threads, threads
from explorer.errors import NoSuchSymbol, NotALanguageModel, TooLong
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.tokens.token import Token
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.found.continuation import NextToken, Sampling, candidates, said
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace

_LOGITS = "generator.logits"


def cache_taps(n_layers: int) -> tuple[tuple[str, str], ...]:
    """The taps of the keys and values of each layer."""
    at = "decoder.layers.{}.self_attn.{}"
    return tuple((at.format(layer, "key"), at.format(layer, "value")) for layer in range(n_layers))


def to_go_on_with(source: ModelSource, wish: Wish) -> tuple[Writes, Row]:
    """The source as one that writes, and the tokens of the text of a Wish. Raises NotALanguageModel, BadText, TooLong."""
    if not isinstance(source, Writes) or not (row := source.to_go_on_with(wish, source.tokenize(wish))):
        raise NotALanguageModel(name=wish.preset)
    return source, row


class Writer:
    """Writes after the text of a Wish. `begun` are ids that stand after the text already.

    With `everything`, all taps are recorded and `trace` puts them together; else the cache alone. Raises NoSuchSymbol.
    """

    def __init__(
        self, source: Writes, wish: Wish, row: Row, begun: Sequence[int], sampling: Sampling, *, everything: bool = False
    ) -> None:
        self._source, self._card = source, source.card(wish.config, wish.preset, wish.uses_trained)
        self.wish, self.sampling, self.row, self.n_text = wish, sampling, row, len(row)
        for each in begun:
            if not 0 <= each < self._card.vocab_size:
                raise NoSuchSymbol(got=each, last=self._card.vocab_size - 1)
        self.ids = [*(token.id for token in row), *begun]
        self._symbols = source.symbols(wish.config, Tokens((), row))
        self._cache = cache_taps(self._card.side("decoder").n_layers)
        kept = frozenset(tap for both in self._cache for tap in both) | {_LOGITS}
        self._plan = EVERYTHING if everything else KeepPlan(parts=frozenset(), taps=kept)
        self._steps: WritingSteps | None = None
        self._model: Model = None
        self._joined, self._n_read, self._n_told = JoinedRows(), 0, 0
        self._logits = np.empty(0, np.float32)  # [vocab] after all that was read

    def go_on(self, source: Writes, sampling: Sampling) -> None:
        """Choose in another way from now on; `source` is the present one of the same Wish."""
        self._source, self.sampling = source, sampling

    def next(self, model: Model, changing: Changing, stop: Stop, forced: int | None = None) -> NextToken:
        """Write one more token, `forced` if it is given. Raises TooLong, NoSuchSymbol, Superseded."""
        limit = self._card.max_len
        if len(self.ids) + 1 > limit:
            raise TooLong(limit=limit, got=len(self.ids) + 1)
        self.read(model, changing, stop)
        position = len(self.ids)
        chosen = self.sampling.choose(self._logits, position) if forced is None else forced
        if not 0 <= chosen < len(self._logits):
            raise NoSuchSymbol(got=chosen, last=len(self._logits) - 1)
        self.ids.append(chosen)
        made = self._next(chosen, position, forced=forced is not None)
        self._n_told = self._joined.n
        return made

    def read(self, model: Model, changing: Changing, stop: Stop) -> None:
        """Read all tokens that were not read yet, and record it. Raises Superseded."""
        if self._model is model and self._n_read == len(self.ids):
            return
        if self._model is not model or changing.changes:
            # Changes may need to see all tokens at once: then each step is a pass over all of them.
            self._steps, self._model = None, model
        fresh = self._steps is None
        if fresh:
            self._joined, self._n_read, self._n_told = JoinedRows(), 0, 0
        given = self.ids[self._n_read :]
        count = threads(self._card, len(given)) if fresh else decoding_threads(self._card, 1)
        torch.set_num_threads(count)
        steps, self._steps = self._steps, None  # A step that is stopped half-way leaves an invalid cache.
        config = self.wish.config
        drops = dropout_seeded(config) if isinstance(model, Transformer) else nullcontext()
        with torch.inference_mode(), drops, changing.inside(model), record(model, stop, self._plan) as recording:
            steps = self._source.steps(model) if steps is None else steps
            steps.extend(ids_tensor(tuple(given)).to(device_of(model)))
        self._steps, self._n_read = steps, len(self.ids)
        self._joined.add(recording, len(given))
        self._logits = recording.arrays[_LOGITS][-1]

    def trace(self) -> Trace:
        """The Trace of all tokens that were read. It needs a Writer of `everything`."""
        wish = self.wish
        places, others = self._source.places(self._model, min(max(64, len(self.ids)), self._card.max_len))
        made = Trace(
            arrays=self._joined.arrays(),
            axis_names=self._joined.axes,
            tokens=Tokens((), (*self.row, *(self._token(each) for each in self.ids[self.n_text : self._n_read]))),
            config=wish.config if isinstance(self._model, Transformer) else None,
            card=self._card,
            places=places,
            decoder_places=others,
            source=wish.text,
            target=wish.text + self.text(),
            preset=wish.preset,
            symbols=self._symbols,
            changes=wish.changes,
        )
        return with_levels(made, ())

    def text(self) -> str:
        """What was written after the text."""
        ends = self._source.ends(self.wish)
        return self._source.said(
            self.wish, [each for each in self.ids[self.n_text :] if each not in ends], self.ids[: self.n_text]
        )

    def _next(self, chosen: int, position: int, *, forced: bool) -> NextToken:
        ids, shares, cut = candidates(self._logits, chosen, self.sampling)
        nats, rank = said(self._logits, chosen)
        keys, values = (self._rows(which) for which in (0, 1))
        return NextToken(
            id=chosen,
            text=self._name(chosen),
            position=position,
            log_p=nats,
            rank=rank,
            forced=forced,
            ends=chosen in self._source.ends(self.wish),
            ids=ids,
            names=tuple(map(self._name, ids)),
            probabilities=frozen_array(shares),
            cut=cut,
            so_far=self.text(),
            first=self._n_told,
            keys=keys,
            values=values,
        )

    def _rows(self, which: int) -> Array | None:
        """[layer, head, position, feature] the rows of the cache that the caller has not been told of."""
        found = [self._joined.rows(both[which], self._n_told) for both in self._cache]
        layers = [each for each in found if each is not None]
        return frozen_array(np.stack(layers)) if len(layers) == len(found) and len({a.shape for a in layers}) == 1 else None

    def _name(self, id_: int) -> str:
        """The symbol of an id; "#17" for one that no symbol uses."""
        return (self._symbols[id_] if id_ < len(self._symbols) else "") or f"#{id_}"

    def _token(self, id_: int) -> Token:
        return Token(self._name(id_), id_, 0, 0, known=True)
