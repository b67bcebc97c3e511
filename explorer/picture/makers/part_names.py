"""The names of the parts of a sum over the stream."""

from explorer.lang import Words
from explorer.trace.found.part import Part


def name_of(part: Part, words: Words) -> str:
    """A part's name: "cross L1 H4". Its tap says on which side it is."""
    key = f"{part.attention}_bias" if part.kind == "attention_bias" else part.attention if part.kind == "head" else part.kind
    layer = f" L{part.layer}" if part.layer >= 0 else ""
    return f"{words(f'why.part.{key}')}{layer}" + (f" H{part.head}" if part.head >= 0 else "")
