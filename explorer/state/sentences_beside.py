"""Sentences to compare the typed one with, as long as nobody has typed any.

Beside “A man is playing a guitar.” one means nearly the same, and the other has nothing to do with it.
"""

SUGGESTED = ("Someone plays an instrument.", "The stock market fell sharply.")
MOST_SENTENCES = 50


def compared(text: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """The typed sentence, if there is one, and those beside it; the suggested ones while there are none."""
    return ((text,) * bool(text.strip()) + (others or SUGGESTED))[:MOST_SENTENCES]
