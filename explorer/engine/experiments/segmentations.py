"""The sentence tokenized in other ways: each way has a pass through the first stack and the model's own translation.

The weights are those of a pass with this tokenization, as `explorer.explore(text, tokenizer=…)` records them.
"""

import math

import attrs
import numpy as np
import torch

from explorer.engine.changing import Changing
from explorer.engine.experiments.bench import first_stack, ids_of, stop_if
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.experiments.other_knobs import turned
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
from explorer.trace.found.segmentations import BY_HAND, ENGLISH_WAYS, WAYS, Segmentation, Segmentations

MOST_TOKENS = 256
_MOST_CELLS = 2**23  # cells of the maps of one tokenization, at most (32 MB); there are six
_MAPS = KeepPlan(parts=frozenset({"self_attn.weights"}))


def segmentations(inquiry: Inquiry) -> Segmentations:
    """The text of the Wish tokenized in every way, without its changes. Raises Superseded."""
    wish = inquiry.wish.of_text(inquiry.wish.text)
    present = BY_HAND if wish.source_cuts is not None else wish.config.tokenizer
    usual = ENGLISH_WAYS if wish.reads_english else WAYS
    ways = (*((present,) if present not in usual else ()), *usual)  # The present one is seen without scrolling.
    with turned(inquiry.own, inquiry.config.changed(dropout_active=False)) as model:
        rows = tuple(_cut(inquiry.origin, model, _asked(wish, way), way, inquiry.stop) for way in ways)
    side = "encoder" if inquiry.own.encoder is not None else "decoder"
    return Segmentations(wish.text, f"{side}.self_attn", rows, ways.index(present))


def _asked(wish: Wish, way: str) -> Wish:
    """The Wish for one way; tokens that were set by hand stay as they are."""
    if way == BY_HAND:
        return wish
    return attrs.evolve(wish, config=wish.config.changed(tokenizer=way), source_cuts=None, prefix=())


def _cut(source: ModelSource, model: Transformer, wish: Wish, way: str, stop: Stop) -> Segmentation:
    """The sentence tokenized in one way, with its pass. Raises Superseded."""
    stop_if(stop)
    try:
        row = _few(source.tokenize(wish), model)
        sentence = source.decode(wish, row, wish.beam, Changing(), stop)
    except BadText as error:  # The other ways may make fewer tokens.
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
