"""The Translator: a trained model with its vocabularies. It translates, and its weights are used for recorded passes."""

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.decoding.beam import Decoding, search
from explorer.engine.decoding.greedy import can_guess, greedy
from explorer.engine.devices import on_device, seeded
from explorer.engine.threads import decoding_threads
from explorer.errors import BadVocabulary
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build, pack, with_knobs
from explorer.model.weights_file import FILE, VOCABULARY, load_weights, read_about
from explorer.presets import Preset
from explorer.stops import Superseded
from explorer.tokens.bilingual import Bilingual
from explorer.trace.own_card import card_of
from explorer.trace.search_tree import Search

Ids = tuple[int, ...]

MOST_THREADS = 64
_MOST_KNOWN = 32  # So many translations are kept; undo and a slider that goes back find them at once.


class Translator:
    """The trained model of a preset; it decodes with at most so many threads. Raises BadWeights, BadVocabulary."""

    def __init__(self, preset: Preset, most_threads: int = MOST_THREADS) -> None:
        assert preset.folder is not None  # Callers make a Translator only for presets with weights.
        self.preset, self.folder, self._most_threads = preset, preset.folder, most_threads
        self.bilingual = Bilingual.read(self.folder)
        _check_sizes(self.bilingual, preset.config, self.folder)
        self._model = build(preset.config, load_weights(self.folder / FILE, preset.config))
        pack(self._model)
        _check_symbols(self.bilingual, self.folder)
        self._known: OrderedDict[object, Search] = OrderedDict()
        self._draft: Ids = ()  # The newest translation; the next one often begins like it.

    def model(self, config: Config) -> Transformer:
        """The model with the trained weights and the knobs of a Config of the same shape. Raises NoSuchDevice."""
        if self._model.config != config:
            before, self._model = self._model, with_knobs(self._model, config)
            if self._model is not before:  # Packed weights round in their own way: going back gives the same bits again.
                pack(self._model)
        return on_device(self._model, config.device)

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
        key = (source, config, decoding, changing.key)
        if key not in self._known:
            with changing.inside(self.model(config)):
                self._known[key] = self._search(source, config, decoding, stop, memory)
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        if not changing.changes:  # A translation with changes is no good guess at one without.
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
        return greedy(model, encoded, len(source), decoding, self._draft, _raising(stop))

    def translate(self, source: Ids, decoding: Decoding) -> str:
        """The translation of one sentence as plain text."""
        return self.bilingual.target_text(self.search(source, self.preset.config, decoding).best)

    def search_all(
        self, sources: Sequence[Ids], config: Config, decoding: Decoding, stop: Callable[[], bool] = lambda: False
    ) -> list[Search]:
        """The search trees of the translations of a batch of sentences."""
        n_threads = decoding_threads(card_of(config), len(sources) * decoding.beam)
        torch.set_num_threads(min(n_threads, self._most_threads))
        with seeded(config.dropout_seed, config.device):
            return search(self.model(config), sources, decoding, _raising(stop))


def _raising(stop: Callable[[], bool]) -> Callable[[], None]:
    def check() -> None:
        if stop():
            raise Superseded

    return check


def _check_symbols(bilingual: Bilingual, folder: Path) -> None:
    """Refuse a vocabulary that the weights were not trained with, if the weights' file names another one."""
    told = read_about(folder / FILE).get(VOCABULARY)
    if told is not None and told != json.dumps(bilingual.sha256):
        raise BadVocabulary(path=str(folder), reason=f"SHA-256 {bilingual.sha256[:8]} ≠ {told[1:9]}")


def _check_sizes(bilingual: Bilingual, config: Config, folder: Path) -> None:
    for side, vocabulary, wanted in (
        ("source", bilingual.source, config.vocab_size),
        ("target", bilingual.target, config.n_target_symbols),
    ):
        if len(vocabulary) != wanted:
            raise BadVocabulary(path=str(folder / f"{side}.txt"), reason=f"{len(vocabulary)} ≠ {wanted}")
