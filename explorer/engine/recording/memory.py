"""How much memory a pass will take, computed before it begins.

A thousand tokens in 64 layers of 32 heads have 170 GB of attention maps. Such maps are pooled (`recording.long_text`). A pass
that still does not fit is refused, because the system would kill the process.
"""

from functools import lru_cache

import psutil

from explorer.errors import NotEnoughMemory
from explorer.trace.model_card import ModelCard, SideCard
from explorer.trace.stages import STAGES, Stage, stage_of

FLOAT = 4  # bytes
_SPARE = 0.9  # Use at most 90 % of the free memory; leave the rest to the window and the system.


def map_cells(card: ModelCard, n_source: int, n_target: int) -> int:
    """How many cells the attention maps of one stage have, in all layers and heads together."""
    cells = 0
    for side in card.sides:
        n = n_source if side.name == "encoder" else n_target
        n_keys = sum(n_source if attention == "cross_attn" else n for attention in side.attentions)
        cells += side.n_layers * side.n_heads * n * n_keys
    return cells


def part_bytes(part: str, card: ModelCard, n_source: int, n_target: int) -> int:
    """The bytes of one part (see `keep_plan.part_of`) in all layers of both sides. A side that is absent has no tokens."""
    # Norms and additions are numbered; one of them that every layer has stands for all of it. A final norm may stand alone.
    if {"residual": "residual2"}.get(part, part) in card.absent and (part != "norm" or "norm1" in card.absent):
        return 0
    if part in ("logits", "probabilities"):
        n_classes = 0 if card.classes is None else len(card.classes.labels)
        return FLOAT * (n_target or n_source) * (card.vocab_size + n_classes)
    return FLOAT * sum(_numbers(part, card, side, n_source, n_target) for side in card.sides)


def _numbers(part: str, card: ModelCard, side: SideCard, n_source: int, n_target: int) -> int:
    """How many numbers one part has in all layers of one side."""
    n, d = n_source if side.name == "encoder" else n_target, card.d_model
    kind, _, name = part.partition(".")
    if kind == "embedding":
        return n * d
    if kind in ("norm", "residual"):  # There is one for each sublayer, and the final norm.
        each = sum(f"{kind}{number}" not in card.absent for number in range(1, len(side.attentions) + 2))
        return n * d * (side.n_layers * each + (kind == "norm"))
    if kind.endswith("_attn"):
        if kind not in side.attentions:
            return 0
        shared = name in ("key", "value")
        rows = n_source if shared and kind == "cross_attn" else n
        by_head = stage_of(f"{side.name}.layers.0.{part}").width == "d_head"
        width = card.d_head * (side.n_kv_heads if shared else side.n_heads) if by_head else d
        return side.n_layers * rows * width
    if kind == "other":
        return card.bare_layers * n * d
    widths = {"d_ff": side.d_ff, "experts": card.n_experts}
    return side.n_layers * n * widths.get(stage_of(f"{side.name}.layers.0.{part}").width, d)


def _parts_of(stage: Stage) -> tuple[str, ...]:
    """The parts whose taps have a Stage: those of both attentions, or the one of that name."""
    room, _, name = stage.key.rpartition(".")
    if room == "attention":
        return f"self_attn.{name}", f"cross_attn.{name}"
    if room == "classifier":
        return ()  # A model that has these taps lacks those of the generator, which are counted with them.
    return (name,) if room == "generator" else (stage.key,)


_MAPS = sum(stage.width == "keys" for stage in STAGES)  # of each attention
_PARTS = tuple(part for stage in STAGES if stage.width != "keys" for part in _parts_of(stage))


# A change is answered a millisecond of 8 sooner, because each answer asks for the size four times.
@lru_cache(maxsize=64)
def trace_bytes(card: ModelCard, n_source: int, n_target: int) -> int:
    """The bytes of all recorded arrays. A side that the architecture lacks has no tokens."""
    maps = FLOAT * _MAPS * map_cells(card, n_source, n_target)
    return maps + sum(part_bytes(part, card, n_source, n_target) for part in _PARTS)


def check_memory(card: ModelCard, kept: int, *, held: int) -> None:
    """Refuse a pass that does not fit into memory. Raises NotEnoughMemory.

    The pass needs `kept` bytes of recorded arrays and the weights. An older model already has `held` bytes, which are used
    again or freed first.
    """
    need = kept + max(0, FLOAT * card.parameters - held)
    if need > _SPARE * psutil.virtual_memory().available:
        raise NotEnoughMemory(need_mb=round(need / 2**20))
