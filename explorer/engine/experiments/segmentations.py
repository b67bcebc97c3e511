"""The sentence cut in other ways: for each way a pass of its own through the first stack, and the model's own translation.

The weights are those of a pass with this cut, as `explorer.explore(text, tokenizer=…)` records them.
"""

import math

import attrs
import numpy as np
import torch

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import first_stack, ids_of, stop_if
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.runs import device_of
from explorer.engine.recording.keep_plan import KeepPlan
from explorer.engine.recording.recorder import record
from explorer.engine.sources.source import ModelSource, Row
from explorer.errors import BadText, TooLong
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.state.wish import Wish
from explorer.stops import Stop
from explorer.trace.arrays import Array, frozen_array
from explorer.trace.found.segmentations import BY_HAND, WAYS, Segmentation, Segmentations

MOST_TOKENS = 256
_MOST_CELLS = 2**23  # The maps of one cut have at most so many cells (32 MB); six cuts are kept.
_MAPS = KeepPlan(parts=frozenset({"self_attn.weights"}))


def segmentations(inquiry: Inquiry) -> Segmentations:
    """All cuts of the text of a Wish, without its changes. Raises Superseded."""
    wish, model = inquiry.wish.of_text(inquiry.wish.text), inquiry.own
    present = BY_HAND if wish.source_cuts is not None else wish.config.tokenizer
    ways = (*((present,) if present not in WAYS else ()), *WAYS)  # The cut in use is seen without scrolling.
    rows = tuple(_cut(inquiry.origin, model, _asked(wish, way), way, inquiry.stop) for way in ways)
    side = "encoder" if model.encoder is not None else "decoder"
    return Segmentations(wish.text, f"{side}.self_attn", rows, ways.index(present))


def _asked(wish: Wish, way: str) -> Wish:
    """The Wish for a cut; the one that was made by hand stays as it is."""
    if way == BY_HAND:
        return wish
    return attrs.evolve(wish, config=wish.config.changed(tokenizer=way), source_cuts=None, prefix=())


def _cut(source: ModelSource, model: Transformer, wish: Wish, way: str, stop: Stop) -> Segmentation:
    """One cut with its pass. Raises Superseded."""
    stop_if(stop)
    try:
        row = _few(source.cut(wish), model)
        sentence = source.decode(wish, row, wish.beam, Changing(), stop)
    except BadText as error:  # The other cuts may have fewer tokens.
        return Segmentation(way, refused=error)
    tokens = sentence.tokens.source or sentence.tokens.target
    target = sentence.target if sentence.search is not None else ""
    return Segmentation(way, tokens, maps_over(model, tokens, stop), target)


def _few(row: Row, model: Transformer) -> Row:
    """The row itself. Raises TooLong where its maps would take too much memory."""
    heads = model.config.n_layers * model.config.n_heads
    limit = min(MOST_TOKENS, math.isqrt(_MOST_CELLS // heads))
    if len(row) > limit:
        raise TooLong(limit=limit, got=len(row))
    return row


def maps_over(model: Transformer, tokens: Row, stop: Stop) -> Array:
    """[layer, head, query, key] the self-attention of the first stack over these tokens. Raises Superseded."""
    with torch.inference_mode(), record(model, stop, _MAPS) as recording:
        first_stack(model, ids_tensor(ids_of(tokens)).to(device_of(model)))
    return frozen_array(np.stack([recording.arrays[name] for name in recording.arrays]))


MAKE = segmentations
