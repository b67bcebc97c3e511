"""Two suggested sets of sentences for a steering vector: the same sentences about her and about me."""

TOWARD = ("她喜欢书。", "她是老师。", "她住在北京。")
AWAY = ("我喜欢书。", "我是老师。", "我住在北京。")
MOST_SENTENCES = 50  # of one set


def with_suggested(toward: tuple[str, ...], away: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Both sets, with the suggested one for each that nobody has typed.

    Decision: each set is suggested by itself. Rejected: to make the other suggestion the user's own with the first letter that
    is typed, because from then on it stood in the box as if somebody had written it.
    """
    return toward or TOWARD, away or AWAY
