"""Pointed: the value with which a view says what the mouse or the keyboard points at."""

from html import escape

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


def told_plainly(text: str, tokens: frozenset[Spot] = frozenset()) -> Pointed:
    """What is pointed at, with a tooltip that shows the very text: Qt would take a label such as "<b>" for a tag."""
    return Pointed(text, tokens, f"<span style='white-space: pre'>{escape(text)}</span>" if "<" in text else "")


NOTHING = Pointed()
