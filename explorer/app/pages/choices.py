"""What the buttons for a field of the Look offer, which all pages offer alike."""

from explorer.lang import Words
from explorer.state.look import CHANGED_HEADS, MATCHED, attentions, sides_of
from explorer.trace.tap_names import ATTENTION_STAGES
from explorer.trace.trace import Trace


def offers(field: str, trace: Trace, words: Words) -> dict[str, str]:
    """The names of the values that a field may have with this Trace, by value. Raises ValueError of a field without buttons."""
    if field == "attention":
        return {key: words(f"attention_short.{key}") for key in attentions(trace)}
    if field == "stage":
        return {key: words(f"stage.attention.{key}.short") for key in ATTENTION_STAGES}
    if field == "matched":
        return {key: words(f"matched.{key}") for key in MATCHED}
    if field == "changed_head":
        return {key: words(f"change.head_of.{key}") for key in CHANGED_HEADS}
    if field == "side":
        return {key: words(f"side.{key}") for key in sides_of(trace)}
    raise ValueError(f"nothing is offered for {field}")
