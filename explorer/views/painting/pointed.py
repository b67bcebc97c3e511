"""Pointed: the value with which a view says what the mouse or the keyboard points at."""

import attrs

Spot = tuple[str, int]
"""A token: its side ("source" or "target") and its position."""


@attrs.frozen
class Pointed:
    """What is pointed at: `text` describes the cell; `tokens` light up in every view.

    `tip` is what a tooltip says in few lines; "" where it says the whole text.
    """

    text: str = ""
    tokens: frozenset[Spot] = frozenset()
    tip: str = attrs.field(default="", eq=False)

    @property
    def in_short(self) -> str:
        """The tooltip's text."""
        return self.tip or self.text


NOTHING = Pointed()
