"""Two sets of sentences to begin with, for what tells one from the other: the same sentences of her and of me."""

TOWARD = ("她喜欢书。", "她是老师。", "她住在北京。")
AWAY = ("我喜欢书。", "我是老师。", "我住在北京。")
MOST_SENTENCES = 50  # of one set


def with_suggested(toward: tuple[str, ...], away: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Both sets; the suggested one in place of each that nobody has typed.

    Decision: each set is suggested by itself. Rejected: to make the other suggestion the user's own with the first letter that
    is typed, because it stood in the box from then on as if somebody had written it.
    """
    return toward or TOWARD, away or AWAY
