"""Sentences that are suggested while none are typed: to compare the typed one with, and for a steering vector."""

SUGGESTED = ("Someone plays an instrument.", "The stock market fell sharply.")
"""To compare “A man is playing a guitar.” with: one means nearly the same, the other has nothing to do with it."""
MOST_SENTENCES = 50  # of one box


def compared(text: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """The typed sentence, if there is one, and the others; the suggested ones if there are none."""
    return ((text,) * bool(text.strip()) + (others or SUGGESTED))[:MOST_SENTENCES]


TOWARD = ("她喜欢书。", "她是老师。", "她住在北京。")
AWAY = ("我喜欢书。", "我是老师。", "我住在北京。")


def with_suggested(toward: tuple[str, ...], away: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Both sets, with the suggested one for each that is not typed.

    Decision: each set is suggested by itself. Rejected: to make the other suggestion the user's own with the first letter that
    is typed, because from then on it stood in the box as if somebody had written it.
    """
    return toward or TOWARD, away or AWAY
