"""The trained model of a preset with its vocabularies. By itself it is a language model; a Translator is one as well."""

import json
from pathlib import Path

from explorer.config import Config
from explorer.engine.devices import on_device
from explorer.engine.speed.packed_linear import pack
from explorer.errors import BadVocabulary
from explorer.model.transformer import Transformer
from explorer.model.weights import build, with_knobs
from explorer.model.weights_file import VOCABULARY, load_weights, read_about
from explorer.presets import Preset
from explorer.tokens.bilingual import SOURCE_FILE, TARGET_FILE, Bilingual


class Trained:
    """The trained model of a preset. Raises BadWeights, BadVocabulary.

    `live` is a model that the caller holds and may edit at any time: it is used as it is, and its weights are not packed.
    """

    def __init__(self, preset: Preset, live: Transformer | None = None) -> None:
        assert preset.folder is not None and preset.weights is not None  # Callers make it only for presets with weights.
        self.preset, self.folder = preset, preset.folder
        self.bilingual = (Bilingual.read if preset.translates else Bilingual.read_shared)(self.folder)
        _check_sizes(self.bilingual, preset.config, self.folder)
        self.is_live = live is not None
        self._model = live or build(preset.config, load_weights(preset.weights, preset.config))
        if not self.is_live:
            pack(self._model)
        _check_symbols(self.bilingual, preset.weights)

    def model(self, config: Config) -> Transformer:
        """The model with the trained weights and the knobs of a Config of the same shape. Raises NoSuchDevice."""
        if self._model.config != config:
            before, self._model = self._model, with_knobs(self._model, config)
            if self._model is not before:  # Packed weights round in their own way: going back gives the same bits again.
                pack(self._model, as_in=before)
        return on_device(self._model, config.device)


def _check_symbols(bilingual: Bilingual, weights: Path) -> None:
    """Refuse a vocabulary that the weights were not trained with, if the weights' file names another one."""
    told = read_about(weights).get(VOCABULARY)
    if told is not None and told != json.dumps(bilingual.sha256):
        raise BadVocabulary(path=str(weights.parent), reason=f"SHA-256 {bilingual.sha256[:8]} ≠ {told[1:9]}")


def _check_sizes(bilingual: Bilingual, config: Config, folder: Path) -> None:
    for file, vocabulary, wanted in (
        (SOURCE_FILE, bilingual.source, config.vocab_size),
        (TARGET_FILE, bilingual.target, config.n_target_symbols),
    ):
        if len(vocabulary) != wanted:
            raise BadVocabulary(path=str(folder / file), reason=f"{len(vocabulary)} ≠ {wanted}")
