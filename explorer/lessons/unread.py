"""What the bundled translator cannot read of a sentence, so that the tour offers one of its own."""

from explorer.trace.trace import Trace


def unread(trace: Trace) -> tuple[str, ...]:
    """Unknown tokens; the whole sentence where it has no Chinese character. None for a model of one side."""
    tokens = trace.tokens.source
    if not trace.card.has("encoder") or not trace.card.has("decoder") or not tokens:
        return ()
    unknown = tuple(dict.fromkeys(token.text for token in tokens if not token.known))
    if not any(_is_chinese(letter) for token in tokens for letter in token.text):
        return (trace.source,)
    return unknown


def _is_chinese(letter: str) -> bool:
    return "\u3400" <= letter <= "\u9fff" or "\U00020000" <= letter <= "\U0003ffff"
