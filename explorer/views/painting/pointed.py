"""Pointed: the value with which a view says what the mouse or the keyboard points at."""

import attrs

Spot = tuple[str, int]
"""A token: its side ("source" or "target") and its position."""


@attrs.frozen
class Pointed:
    """What is pointed at: `text` describes the cell; `tokens` light up in every view."""

    text: str = ""
    tokens: frozenset[Spot] = frozenset()


NOTHING = Pointed()
