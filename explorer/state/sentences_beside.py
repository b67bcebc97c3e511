"""Sentences to compare the typed one with, while nobody has typed any.

Of those suggested for “A man is playing a guitar.” one means nearly the same, and the other has nothing to do with it.
"""

SUGGESTED = ("Someone plays an instrument.", "The stock market fell sharply.")
MOST_SENTENCES = 50


def compared(text: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """The typed sentence, if there is one, and the others; the suggested ones if there are none."""
    return ((text,) * bool(text.strip()) + (others or SUGGESTED))[:MOST_SENTENCES]
