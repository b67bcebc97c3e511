"""First changes to suggest for a sentence, while none is made."""

from collections.abc import Sequence
from functools import lru_cache

import attrs

from explorer.state.look import Look
from explorer.trace.changes import Change
from explorer.trace.trace import Trace

_MOST_WORDS = 16  # words that can be hidden with one click


@attrs.frozen
class FirstChange:
    """A change that one click makes; `word` is the token that it is about, "" for none."""

    key: str
    changes: tuple[Change, ...]
    word: str = ""


def hidden_word(trace: Trace, place: int) -> tuple[Change, ...]:
    """A source token masked in all heads of cross-attention; without cross-attention, in all heads of the only stack."""
    across = "decoder.layers.0.cross_attn.masked" in trace
    side = "decoder" if across or not trace.tokens.source else "encoder"
    kind = "cross_attn" if across else "self_attn"
    return _closed(side, kind, trace.card.attention_layers(side), place)


@lru_cache(maxsize=256)  # 3 of a key's 37 ms, as the same ones are offered at each.
def _closed(side: str, kind: str, layers: tuple[int, ...], place: int) -> tuple[Change, ...]:
    """A key closed in an attention of each layer."""
    return tuple(Change(f"{side}.layers.{layer}.{kind}.masked", "close", columns=(place,)) for layer in layers)


def words_to_hide(trace: Trace) -> tuple[FirstChange, ...]:
    """Each token of the source in turn, for models in which masking one leaves every query another key."""
    across = "decoder.layers.0.cross_attn.masked" in trace
    row = trace.tokens.source
    if not across or len(row) < 2:
        return ()
    return tuple(FirstChange("hide", hidden_word(trace, place), token.text) for place, token in enumerate(row[:_MOST_WORDS]))


def heads_to_switch(look: Look) -> Sequence[FirstChange]:
    """Ablations of the chosen head, and of all heads of its layer."""
    tap = look.attention_tap("mixed")
    return (
        FirstChange("head", (Change(tap, "scale", head=look.head, value=0.0),)),
        FirstChange("mean", (Change(tap, "mean", head=look.head),)),
        FirstChange("layer", (Change(tap, "scale", value=0.0),)),
    )
