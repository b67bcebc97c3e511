"""What the mouse or the keyboard points at, as a value that every view understands."""

import attrs

Spot = tuple[str, int]
"""A side, "source" or "target", and a place."""


@attrs.frozen
class Pointed:
    """`text` says everything about the cell; `tokens` light up in every view."""

    text: str = ""
    tokens: frozenset[Spot] = frozenset()


NOTHING = Pointed()
