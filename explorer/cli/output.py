"""What `show` says of a model besides its tokens and taps: the next token, and which taps there are not."""

from collections.abc import Iterator

import numpy as np

from explorer.lang import Words
from explorer.trace.trace import Trace

_LIKELIEST = 5


def next_token(trace: Trace, words: Words) -> str:
    """A line with the likeliest tokens after the text of a model that goes on with it; "" for all others."""
    tap = "generator.probabilities"
    if trace.card.architecture != "decoder-only" or tap not in trace.arrays:
        return ""
    shares = trace[tap][-1]
    likeliest = np.argsort(-shares, kind="stable")[:_LIKELIEST]
    return words("cli.next", tokens=", ".join(f"{trace.symbols[each]} {shares[each]:.3f}" for each in likeliest))


def absent(trace: Trace, words: Words) -> Iterator[str]:
    """A line for each reason why the model of somebody else lacks taps that others have, with those taps."""
    taps: dict[str, list[str]] = {}
    for tap, reason in trace.card.absent.items():
        if trace.config is None:
            taps.setdefault(reason, []).append(tap)
    for reason, names in taps.items():
        yield f"– {', '.join(names)}: {words(reason)}"
