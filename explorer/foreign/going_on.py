"""A pass that continues an earlier one over the same first tokens: only the further rows are computed.

In a causal model no row depends on later ones. The queries, keys and values of the rows before come from the earlier pass, and
the maps of all rows are computed again from them, so that they have the columns of the further tokens, too.

Decision: the maps are computed again. Rejected: padding them, because a whole pass also computes the scores of an earlier query
with a later key before it masks them, and a reader sees them.
"""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn import Module

from explorer.foreign.attention import filled_cache
from explorer.foreign.model import Foreign
from explorer.foreign.thin import lending

Parts = Mapping[str, Tensor]
"""The queries, keys and values [batch, head, position, feature] of all attentions by the names of their taps."""
PARTS = ("query", "key", "value")
_SAME = 1e-4  # Its logits may differ by this share of the largest.


def parts_to_keep(foreign: Foreign) -> tuple[str, ...]:
    """The taps of what a further pass would begin behind; () where none may.

    Each layer must have one attention in which a row sees itself and all rows before it.
    """
    if foreign.streams is None or foreign.by_softmax or foreign.classes is not None or lending(foreign.model) is not None:
        return ()
    n = len(foreign.attentions)
    plain = n > 0 and set(foreign.attentions) == {f"decoder.layers.{layer}.self_attn" for layer in range(n)}
    plain = plain and not any(map(_turns_by_length, foreign.model.modules()))
    if not plain or filled_cache(foreign.model.config, n) is None:
        return ()
    return tuple(f"{name}.{part}" for name in foreign.attentions for part in PARTS)


def comes_to_the_same(foreign: Foreign, ids: Tensor, parts: Parts, logits: Tensor) -> bool:
    """Whether a pass over the last of some ids [batch 1, position] gives their last logits again: some families keep more of
    the rows before than queries, keys and values. `parts` and `logits` are those of the whole pass."""
    if not parts:
        return False
    before, last = {name: tensor[:, :, :-1] for name, tensor in parts.items()}, logits[:, -1]
    try:
        with torch.inference_mode():
            again = go_on(foreign, ids[:, -1:], before)[:, -1].cpu()
    except (RuntimeError, ValueError, TypeError, KeyError):
        return False
    return bool((again - last).abs().max() <= _SAME * last.abs().max())


def _turns_by_length(module: Module) -> bool:
    """Whether the rotation of earlier keys changes as the text grows."""
    kind = getattr(module, "rope_type", "")
    if kind != "longrope":
        return bool(kind == "dynamic")
    told: Mapping[str, object] = getattr(module.config, "rope_parameters", {})
    return told["short_factor"] != told["long_factor"]


def go_on(foreign: Foreign, ids: Tensor, before: Parts) -> Tensor:
    """The logits [batch 1, position, vocab] of further ids [batch 1, position] after those that `before` recorded.

    The taps of the attentions show all rows, all others the further ones.
    """
    layers = [f"decoder.layers.{layer}.self_attn" for layer in range(len(foreign.attentions))]
    kept = {name: tensor.to(foreign.device) for name, tensor in before.items()}
    cache = filled_cache(foreign.model.config, len(layers), [(kept[f"{at}.key"], kept[f"{at}.value"]) for at in layers])
    turned = foreign.turned
    turned.before, turned.mask = {foreign.attentions[at]: kept[f"{at}.query"] for at in layers}, None
    try:
        logits, _cache = foreign.extend(ids, cache)
    finally:
        turned.before, turned.mask = {}, None
    return logits
