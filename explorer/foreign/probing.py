"""Passes over a few tokens, which are made while a model is opened to find out what it is and whether its taps are right.

Decision: one pass through the taps gives the logits to compare, the shapes for the ModelCard, and the rows behind which a pass
may begin. Rejected: a pass for each, because a pass reads all weights, and of a model with 0.5 billion takes half a second.
"""

from collections.abc import Mapping
from typing import Any

import attrs
import torch
from torch import Tensor, nn

from explorer.foreign.attention import SeenAttention, seen_attentions
from explorer.foreign.classes import class_head, ended, shifted
from explorer.foreign.going_on import Parts, parts_to_keep
from explorer.foreign.head_rows import HeadRows, head_rows
from explorer.foreign.model import Foreign
from explorer.foreign.softmax import softmax_attentions
from explorer.foreign.stream_probe import FollowedLayer, followed
from explorer.foreign.watching import Watched, watching
from explorer.foreign.where import device_of
from explorer.model.hooks import hooked
from explorer.model.tap import Tap

_PROBE, _PROBE_TARGET = 12, 5  # tokens
_Rows = Mapping[nn.Module, Mapping[str, HeadRows]]
_Seen = tuple[Mapping[nn.Module, SeenAttention], Watched[FollowedLayer | None], Tensor, _Rows]


def looked_at(model: Any, *, by_softmax: bool = False) -> _Seen:
    """The attentions that one pass revealed, all that was watched in it, its output, and which rows made Q, K and V."""
    made: list[Tensor] = []
    rows: dict[nn.Module, dict[str, HeadRows]] = {}

    def enters(module: nn.Module, part: str, first: Tensor) -> None:
        found = head_rows(first.cpu(), [call for call in watched.outside if call.entered > watched.entered[module]])
        if found is not None:
            rows.setdefault(module, {})[part] = found

    def make_pass() -> None:
        made.append(probed(model))

    with watching(model, followed) as watched:
        seen = softmax_attentions(model, make_pass) if by_softmax else seen_attentions(model, make_pass, enters)
    return seen, watched, made[-1], rows


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
