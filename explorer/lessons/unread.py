"""What a translator cannot read of a sentence, so that the tour offers one of its own."""

from explorer.tokens.language import language_of
from explorer.trace.found.doubts import language_read
from explorer.trace.trace import Trace


def unread(trace: Trace) -> tuple[str, ...]:
    """Unknown tokens; the whole sentence where it is in another language than the model's. None for a model of one side."""
    tokens = trace.tokens.source
    if not trace.card.has("encoder") or not trace.card.has("decoder") or not tokens:
        return ()
    reads = language_read(trace)
    if reads and language_of(trace.source) not in ("", reads):
        return (trace.source,)
    return tuple(dict.fromkeys(token.text for token in tokens if not token.known))
