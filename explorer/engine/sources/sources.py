"""All sources of models; a Wish chooses one of them.

The trained model is kept while an untrained one is shown, because a slider may go back to its shape.
"""

from pathlib import Path

from explorer.engine.sources.folders import OpenFolders
from explorer.engine.sources.foreign import ForeignModel
from explorer.engine.sources.own_model import OwnModel
from explorer.engine.sources.predicting import Predicting
from explorer.engine.sources.source import ModelSource, never, silent
from explorer.engine.sources.token_limits import short_enough
from explorer.engine.sources.trained import Trained
from explorer.engine.sources.translating import Translating
from explorer.engine.sources.translator import MOST_THREADS, Translator
from explorer.errors import AdapterNeedsModel, NoChatTemplate, NotATranslator
from explorer.model.transformer import Transformer
from explorer.presets import load_own_preset, load_preset
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.tokens.tokenizer import Tokenizers


class Sources:
    """All sources. `own` makes untrained models. The last trained model and the open models of others are kept.

    A translator decodes with at most `most_threads`. `live` is a model that the caller holds (`api.live`): it then
    answers every preset.
    """

    def __init__(
        self,
        tokenizers: Tokenizers,
        most_threads: int = MOST_THREADS,
        folders: OpenFolders | None = None,
        live: Transformer | ForeignModel | None = None,
    ) -> None:
        self.tokenizers, self._most_threads = tokenizers, most_threads
        self.own = OwnModel(tokenizers)
        self._live = live if isinstance(live, Transformer) else None
        self._live_source = live if isinstance(live, ForeignModel) else None
        self.own.last = self._live
        self._trained: Trained | None = None
        self.folders = folders or OpenFolders()

    def beside(self, most_threads: int = MOST_THREADS) -> "Sources":
        """Further sources with models of their own, but for those of others, which may be large."""
        return Sources(self.tokenizers, most_threads, self.folders)

    def of(self, wish: Wish, stop: Stop = never, progress: Progress = silent) -> ModelSource:
        """The source that a Wish asks for; a model of others is opened by it, which takes long.

        Raises UnknownPreset, BadFile, NoChatTemplate, Superseded.
        """
        if self._live_source is not None:
            return self._live_source
        foreign = load_preset(wish.preset).foreign
        if foreign is not None:
            opened = self.folders.of(foreign, wish.preset, stop, progress)
            return opened.with_adapter(Path(wish.worn)) if wish.worn else opened
        if wish.adapter:
            raise AdapterNeedsModel(path=wish.adapter)
        if wish.chat:
            raise NoChatTemplate(path=wish.preset)
        # A trained model needs its own vocabulary, so it cannot work with one that is made from the sentence.
        trained = self.trained(wish.preset) if wish.config.vocabulary == "bundled" else None
        if trained is None:
            return self.own
        if isinstance(trained, Translator):
            return Translating(trained, self.tokenizers, self.own, trained=wish.uses_trained)
        return Predicting(trained, self.tokenizers, self.own, trained=wish.uses_trained)

    def trained(self, preset: str) -> Trained | None:
        """The trained model of a preset, None if it has none. The last one is kept. Raises BadFile, NotOwnModel."""
        chosen = load_own_preset(preset)
        if chosen.folder is None:
            return None
        if self._trained is None or self._trained.preset != chosen:
            self._trained = None  # The old one goes first, because two large models may not fit into memory.
            live = self._live
            self._trained = Translator(chosen, self._most_threads, live) if chosen.translates else Trained(chosen, live)
        return self._trained

    def translator(self, preset: str) -> Translator | None:
        """The trained translator of a preset, None if it has no weights. Raises BadFile, NotOwnModel, NotATranslator."""
        found = self.trained(preset)
        if found is not None and not isinstance(found, Translator):
            raise NotATranslator(name=preset)
        return found

    def source_ids(self, text: str, translator: Translator) -> tuple[int, ...]:
        """The ids of a sentence to translate. Raises BadText, TooLong."""
        config = translator.preset.config
        tokens = self.tokenizers.source(text, config, translator.bilingual)
        return tuple(token.id for token in short_enough(tokens, config))
