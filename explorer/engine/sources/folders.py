"""The models of others that are open. Computers that work side by side share them: one model is never opened twice."""

from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import torch

from explorer.engine.sources.folder_files import fits_beside, folder_version
from explorer.engine.sources.foreign import ForeignModel
from explorer.engine.sources.source import never, silent
from explorer.engine.speed.foreign_packing import PackedLayers
from explorer.engine.speed.threads import free_cores
from explorer.errors import BadVocabulary, ExplorerError, NeedsIds, NoTokenizer
from explorer.foreign.attention import register
from explorer.foreign.card import card_of
from explorer.foreign.folder import check_folder
from explorer.foreign.opening import Opened, open_model, with_taps
from explorer.stops import Progress, Stop, stoppable
from explorer.tokens.chat import has_template, told_template
from explorer.tokens.fenced_tokenizer import FencedTokenizer, open_tokenizer
from explorer.tokens.written_ids import IdTokenizer

_MOST_OPEN = 2  # models: the one that is looked at, and the former one, or one to compare with
_BEYOND = 1.1  # times as many pieces as vectors: more is a vocabulary of another model.
_MASKS = ("[MASK]", "<mask>")


class OpenFolders:
    """Opens folders, and keeps their models until a folder's files change or another model needs the room."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[Path, str], tuple[object, ForeignModel]] = OrderedDict()  # the newest last

    def of(self, folder: Path, name: str, stop: Stop = never, progress: Progress = silent) -> ForeignModel:
        """The model in a folder, which the user calls `name`. One that is open stays so when its folder is gone.

        Where there is ample room, the others are kept: opening may fail, or be stopped. Raises BadFile, Superseded.
        """
        key, files = (folder.absolute(), name), folder_version(folder)
        kept = self._open.get(key)
        if kept is None or (files and kept[0] != files):
            if not fits_beside(folder):
                self._open.clear()  # The old ones go first, because two large models may not fit into memory.
            kept = files, open_folder(folder, name, stop, progress)
            self._open[key] = kept
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        self._open.move_to_end(key)
        return kept[1]


def open_folder(path: Path, name: str, stop: Stop = never, progress: Progress = silent) -> ForeignModel:
    """The model in a folder, which the user calls `name`. Raises BadFolder, BadWeights, BadVocabulary, Superseded."""
    folder = check_folder(path)
    told = {} if folder.gguf is None else folder.gguf.header.told
    tokenizer = _tokenizer(folder.path, folder.family, told)  # It is read first: a model takes longer.
    opened = open_model(folder, _beside_others(stoppable(progress, stop)), PackedLayers)
    made_from = () if folder.gguf is None else folder.gguf.kinds
    template = None if has_template(folder.path) else told_template(str(folder.path), told)
    card = attrs.evolve(
        card_of(opened, name, folder.held, made_from),
        mask=_mask_id(tokenizer, opened),
        chat=template is not None or has_template(folder.path),
    )
    # A few pieces that were added and never trained have no vector; only a text that has one of them cannot be read.
    if tokenizer.size > _BEYOND * card.sides[0].vocab_size:
        raise BadVocabulary(path=str(folder.path), reason=f"{tokenizer.size:,} > {card.sides[0].vocab_size:,}")
    return ForeignModel(opened, card, tokenizer, folder.path, template)


def _beside_others(going: Progress) -> Progress:
    """A progress function that also sets as many threads as other programs leave cores free, whenever a step begins.

    Beside a program that kept one of two cores busy, 0.5 billion numbers opened in 10.8 s with two threads, in 7.2 with one.
    """

    def told(share: float) -> None:
        torch.set_num_threads(free_cores())
        going(share)

    return told


def open_held(model: Any, name: str, reading: Path, missing: ExplorerError) -> ForeignModel:
    """A model that is in memory and ours to change; the folder `reading` has its settings and the files of its tokenizer.

    Without such files it reads ids, and `missing` is what any other text raises.

    Raises BadFolder, BadVocabulary.
    """
    tokenizer = _tokenizer(reading, model.config.model_type, {}, missing)
    register()
    opened = with_taps(model, name)
    card = attrs.evolve(card_of(opened, name), mask=_mask_id(tokenizer, opened), chat=has_template(reading))
    return ForeignModel(opened, card, tokenizer, reading)


def _tokenizer(
    folder: Path, family: str, told: Mapping[str, Any], missing: ExplorerError | None = None
) -> FencedTokenizer | IdTokenizer:
    """The tokenizer of a folder; one that reads ids where there is none.

    Raises NotInstalled, NeedsSentencepiece, BadVocabulary.
    """
    try:
        return open_tokenizer(folder, family, told)
    except NoTokenizer as error:
        if type(error) is not NoTokenizer:  # There is one, but it cannot be read.
            raise
        return IdTokenizer(missing or NeedsIds())


def _mask_id(tokenizer: FencedTokenizer | IdTokenizer, opened: Opened) -> int:
    """The id of the symbol that stands for a hidden word; -1 where the vocabulary has none, or the model no vector for it."""
    found = (tokenizer.id_of(piece) for piece in _MASKS)
    size = opened.foreign.model.get_input_embeddings().num_embeddings
    return next((each for each in found if each is not None and each < size), -1)
