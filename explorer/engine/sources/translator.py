"""The Translator: a trained model with its vocabularies. It translates, and its weights are used for recorded passes."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import torch
from torch import Tensor

from explorer.config import Config, counting_knobs
from explorer.engine.changing import Changing
from explorer.engine.decoding.beam import Decoding, search
from explorer.engine.decoding.greedy import can_guess, greedy
from explorer.engine.decoding.incremental import Incremental
from explorer.engine.devices import seeded
from explorer.engine.model_version import model_version
from explorer.engine.recording.recorder import Begun, joined, record
from explorer.engine.sources.trained import Trained
from explorer.engine.speed.threads import decoding_threads, threads
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.presets import Preset
from explorer.stops import Stop, Superseded
from explorer.tokens.vocabulary import BEGIN
from explorer.trace.own_card import card_of
from explorer.trace.search_tree import Search

Ids = tuple[int, ...]

MOST_THREADS = 64
_MOST_KNOWN = 32  # translations that are kept, for undo and for sliders that go back


class Translator(Trained):
    """The trained model of a preset that translates, which decodes with at most `most_threads`; `live` as for Trained.

    Raises BadWeights, BadVocabulary.
    """

    def __init__(self, preset: Preset, most_threads: int = MOST_THREADS, live: Transformer | None = None) -> None:
        super().__init__(preset, live)
        self._most_threads = most_threads
        # Row "a key to everything painted": a sentence seen before is answered in 22 ms of CPU in place of 67.
        self._known: OrderedDict[object, Search] = OrderedDict()
        self._draft: Ids = ()  # The newest greedy translation: the next one often begins, or is, like it.
        # The newest encoder's part of a pass without changes, and its key. A change takes 24 ms of CPU, not 33.
        self._begun: tuple[object, Begun] | None = None

    def begun(self, source: Ids, config: Config, changing: Changing, stop: Stop) -> Begun:
        """The encoder's part of a recorded pass. A wider search, the pencil, and all other changes in the decoder leave it
        as it was: then it is not made again.

        Raises Superseded when stopped.
        """
        if changing.at_encoder:
            return _begun(self.model(config), source, changing, stop)
        key = source, config, model_version(self.model(config)), threads(card_of(config), len(source))
        if self._begun is None or self._begun[0] != key:
            self._begun = key, _begun(self.model(config), source, changing, stop)
        return self._begun[1]

    def search(
        self,
        source: Ids,
        config: Config,
        decoding: Decoding,
        stop: Callable[[], bool] = lambda: False,
        memory: Tensor | None = None,
        changing: Changing | None = None,
    ) -> Search:
        """The search tree of the translation of one sentence; the last translations are kept.

        `memory` is the encoder's output with the same changes, if it is known already. Raises Superseded when stopped.
        """
        changing = changing or Changing()
        key = self._key(source, config, decoding, changing)
        if key not in self._known:
            with changing.inside(self.model(config)):
                self._known[key] = self._search(source, config, decoding, stop, memory)
        return self._remembered(key, decoding)

    def recorded(
        self, source: Ids, config: Config, decoding: Decoding, begun: Begun, changing: Changing, stop: Stop
    ) -> tuple[Search, Begun]:
        """As `search`, with the rest of the pass that was begun.

        With changes inside, or over as many tokens as there are positions, that rest is left to be made.
        Raises Superseded when stopped.
        """
        search = self.search(source, config, decoding, stop, begun.memory, changing)
        if changing.changes or len(search.best) >= config.max_len:
            return search, begun
        return search, _to_end(self.model(config), len(source), search.best, begun, stop)

    def _key(self, source: Ids, config: Config, decoding: Decoding, changing: Changing) -> Hashable:
        """All that a translation depends on."""
        return source, config, decoding, changing.key, model_version(self.model(config))

    def _remembered(self, key: object, decoding: Decoding) -> Search:
        """The known search tree, as the newest one."""
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        self._known.move_to_end(key)
        if decoding.beam == 1:  # A wide search often finds another sentence, which is no good guess at a greedy one.
            self._draft = self._known[key].best
        return self._known[key]

    def _search(
        self, source: Ids, config: Config, decoding: Decoding, stop: Callable[[], bool], memory: Tensor | None
    ) -> Search:
        model = self.model(config)
        if not can_guess(model, decoding):
            return self.search_all([source], config, decoding, stop)[0]
        torch.set_num_threads(min(decoding_threads(card_of(config), 1), self._most_threads))
        with torch.inference_mode():
            encoded = model.encode(ids_tensor(source).to(config.device)) if memory is None else memory
        return greedy(Incremental(model, encoded), len(source), config.max_len, decoding, self._draft, _raising(stop))

    def translate(self, source: Ids, beam: int) -> str:
        """The translation of one sentence as plain text."""
        config = self.preset.config
        return self.bilingual.target_text(self.search(source, config, self.decoding(config, beam=beam)).best)

    def decoding(self, config: Config, altered: bool = False, **how: Any) -> Decoding:
        """How translations are searched for under a Config: `how` is as for Decoding.

        In a model that knobs make another one, or that is `altered` by changes, no n-gram is closed: what it writes is shown.
        """
        altered = altered or counting_knobs(config) != counting_knobs(self.preset.config)
        return Decoding(no_repeat_ngram=0 if altered else config.no_repeat_ngram, **how)

    def search_all(
        self, sources: Sequence[Ids], config: Config, decoding: Decoding, stop: Callable[[], bool] = lambda: False
    ) -> list[Search]:
        """The search trees of the translations of a batch of sentences."""
        n_threads = decoding_threads(card_of(config), len(sources) * decoding.beam)
        torch.set_num_threads(min(n_threads, self._most_threads))
        model = self.model(config)
        with seeded(config.dropout_seed, config.device):
            return search(model, sources, decoding, _raising(stop))


def _begun(model: Transformer, source: Ids, changing: Changing, stop: Stop) -> Begun:
    torch.set_num_threads(threads(card_of(model.config), len(source)))
    with torch.inference_mode(), changing.inside(model), record(model, stop) as recording:
        memory = model.encode(ids_tensor(source).to(model.config.device))
    return Begun(memory, recording)


@torch.inference_mode()
def _to_end(model: Transformer, n_source: int, target: Ids, begun: Begun, stop: Stop) -> Begun:
    """The whole recorded pass over a known target, without changes. Raises Superseded."""
    torch.set_num_threads(threads(card_of(model.config), max(n_source, len(target) + 1)))
    with record(model, stop) as recording:
        model.generator(model.decode(ids_tensor((BEGIN, *target)).to(begun.memory.device), begun.memory))
    return Begun(begun.memory, joined(begun.recording, recording), target)


def _raising(stop: Callable[[], bool]) -> Callable[[], None]:
    def check() -> None:
        if stop():
            raise Superseded

    return check
