"""One vector for each of several texts, made of its tokens' vectors as the model's own files say."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import fetched, stopping
from explorer.engine.sources.foreign import ForeignModel
from explorer.engine.sources.source import ModelSource
from explorer.engine.speed.threads import threads
from explorer.errors import NoSentenceVectors
from explorer.foreign.model import Foreign
from explorer.foreign.pooling import Pooling, read_pooling
from explorer.model.hooks import hooked
from explorer.model.ids import ids_tensor
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.stops import Progress, Stop
from explorer.trace.arrays import frozen_array
from explorer.trace.found.similarity import Similarity


def to_compare(source: ModelSource, wish: Wish) -> ForeignModel:
    """The source of a model that makes vectors of sentences. Raises NoSentenceVectors."""
    if (
        not isinstance(source, ForeignModel)
        or source.card(wish.config).vocab_size
        or not source.card(wish.config).has("encoder")
    ):
        raise NoSentenceVectors(name=wish.preset)
    return source


def similarity(
    source: ForeignModel, foreign: Foreign, wish: Wish, texts: Sequence[str], changing: Changing, stop: Stop, progress: Progress
) -> Similarity:
    """The vectors of these texts, each in a pass of its own, so that none is padded. Raises BadText, TooLong, Superseded."""
    card, pooling = source.card(wish.config), read_pooling(_folder(wish))
    rows = [source.tokens_of(text) for text in texts]
    torch.set_num_threads(threads(card, max(map(len, rows), default=1)))
    found = []
    with torch.inference_mode(), changing.inside(foreign), hooked(foreign, stopping(stop)):
        for row in rows:
            vectors = foreign.vectors(ids_tensor(tuple(token.id for token in row)))[0]  # [position, feature]
            found.append(fetched(pooled(vectors, pooling)).numpy())
            progress(len(found) / len(rows))
    return Similarity(tuple(texts), frozen_array(np.stack(found)), pooling.ways, pooling.normalises, pooling.told)


def _folder(wish: Wish) -> Path:
    """The folder of a foreign model."""
    folder = load_preset(wish.preset).foreign
    assert folder is not None  # `to_compare` has looked.
    return folder


def pooled(vectors: Tensor, pooling: Pooling) -> Tensor:
    """[feature] the vector of a text from those of its tokens [position, feature], special ones included."""
    made: dict[str, Callable[[], Tensor]] = {
        "cls": lambda: vectors[0],
        "last": lambda: vectors[-1],
        "max": lambda: vectors.max(dim=0).values,
        "mean": lambda: vectors.mean(dim=0),
        "mean_sqrt_len": lambda: vectors.sum(dim=0) / len(vectors) ** 0.5,
    }
    whole = torch.cat([made[way]() for way in pooling.ways])
    return whole / whole.norm().clamp(min=1e-12) if pooling.normalises else whole
