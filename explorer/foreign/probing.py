"""Passes over a few tokens, which are made while a model is opened to find out what it is and whether its taps are right.

Decision: one pass through the taps gives the logits to compare, the shapes for the ModelCard, and the rows behind which a pass
may begin. Rejected: a pass for each, because a pass reads all weights, and of a model with 0.5 billion takes half a second.
"""

from typing import Any

import attrs
import torch
from torch import Tensor

from explorer.foreign.classes import class_head, ended, shifted
from explorer.foreign.going_on import Parts, parts_to_keep
from explorer.foreign.model import Foreign
from explorer.foreign.where import device_of
from explorer.model.hooks import hooked
from explorer.model.tap import Tap

_PROBE, _PROBE_TARGET = 12, 5  # tokens


@attrs.frozen(eq=False)
class TappedPass:
    """A pass through the taps: its ids [batch 1, position], which are the decoder's in a model with one side, its logits,
    the shape of each tap's tensor, and the queries, keys and values."""

    ids: Tensor
    logits: Tensor
    shapes: dict[str, tuple[int, ...]]
    parts: Parts


def probed(model: Any) -> Tensor:
    """The output for a few tokens: [batch 1, position, vocab, feature or class], or [batch 1, class] for the text."""
    ids, target = _ids(model)
    given = {"input_ids": ids} if target is None else {"input_ids": ids, "decoder_input_ids": target}
    with torch.inference_mode():
        return model(**{name: each.to(device_of(model)) for name, each in given.items()}, use_cache=False)[0].cpu()


def tapped(foreign: Foreign) -> TappedPass:
    """The same pass through the taps."""
    (ids, target), shapes, parts = _ids(foreign.model), dict[str, tuple[int, ...]](), dict[str, Tensor]()

    def note(tap: Tap, _args: tuple[Any, ...], tensor: Tensor) -> None:
        shapes[tap.name] = tuple(tensor.shape)
        if tap.name in of_parts:
            parts[tap.name] = tensor.clone()

    of_parts = parts_to_keep(foreign)
    with torch.inference_mode(), hooked(foreign, note):
        logits = foreign(ids, target).cpu()
    return TappedPass(ids, logits, shapes, parts)


def apart(ours: Tensor, own: Tensor) -> float:
    """The largest difference as a share of the largest number; NaN where there is NaN."""
    return float((ours - own).abs().max() / own.abs().max().clamp(min=1e-30))


def _ids(model: Any) -> tuple[Tensor, Tensor | None]:
    """The ids [batch 1, position] of a few tokens, and those of the second side of a model that has two."""
    config = model.config.get_text_config()
    longest = getattr(config, "max_position_embeddings", None) or _PROBE
    ids = (torch.arange(min(_PROBE, max(longest - 2, 2)))[None] + 5) % config.vocab_size
    if not model.config.is_encoder_decoder:
        return ids, None
    if class_head(model) is None:
        return ids, ids[:, :_PROBE_TARGET]
    ids[:, -1] = ended(model.config)
    return ids, torch.tensor([shifted(ids[0].tolist(), model.config)])
