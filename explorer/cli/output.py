"""The output of `show`: everything as JSON, or lines with next tokens, masked tokens, classes and absent taps."""

import json
import math
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np

from explorer.lang import Words
from explorer.picture.card_text import absent_rows
from explorer.tokens.token import Token
from explorer.trace.trace import Trace

_LIKELIEST = 5
_OUTPUT = "generator.probabilities"
_MASKS = ("[MASK]", "<mask>")


def told_as_json(trace: Trace) -> str:
    """Texts, tokens, the model, and every tap with axes, shape and range as JSON. A number that is not finite is a string."""
    from explorer.export.job import state_of
    from explorer.picture.makers.taps import tap_summary

    names = trace.names()
    figures = (tap_summary(trace, name) for name in names)
    told = {
        **state_of(trace),
        "tokens": {side: [_token(token) for token in getattr(trace.tokens, side)] for side in ("source", "target")},
        "taps": {
            name: {"axes": trace.axes(name), "shape": trace.shape(name)}
            | ({} if about is None else {"low": about.low, "high": about.high, "mean": about.mean})
            for name, about in zip(names, figures, strict=True)
        },
    }
    return json.dumps(_finite(told), ensure_ascii=False, allow_nan=False)


def _token(token: Token) -> dict[str, Any]:
    fields = attrs.asdict(token)
    return {name: fields[name] for name in ("text", "id", "start", "end", "known")}


def _finite(value: Any) -> Any:
    """The value for JSON, with the strings "inf", "-inf" and "nan" for numbers that JSON lacks."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def next_token(trace: Trace, words: Words) -> str:
    """A line with the likeliest next tokens of a decoder-only model; "" for all others."""
    if trace.card.architecture != "decoder-only" or _OUTPUT not in trace.arrays:
        return ""
    return words("cli.next", tokens=_likeliest(trace, -1))


def filled_in(trace: Trace, words: Words) -> Iterator[str]:
    """A line for each masked token of a masked language model, with the likeliest tokens there."""
    if trace.card.architecture != "encoder-only" or _OUTPUT not in trace.arrays:
        return
    for place, token in enumerate(trace.tokens.source):
        if token.special and token.text in _MASKS:
            yield words("cli.filled_in", mask=token.text, place=place, tokens=_likeliest(trace, place))


def classes(trace: Trace, words: Words) -> Iterator[str]:
    """A classifier's line: the likeliest classes of the text, or the likeliest class of each token."""
    head = trace.card.classes
    if head is None or head.tap not in trace.arrays:
        return
    rows = trace[head.tap]  # [text or position, class]
    if head.of == "text":
        first = np.argsort(-rows[0], kind="stable")[:_LIKELIEST]
        yield words("cli.classes", classes=", ".join(f"{head.labels[each]} {rows[0, each]:.3f}" for each in first))
        return
    best = rows.argmax(axis=-1)
    told = zip(trace.side(head.tap), best, rows.max(axis=-1), strict=True)
    yield words("cli.classes_of_tokens", classes=" / ".join(f"{token.text} {head.labels[k]} {p:.3f}" for token, k, p in told))


def _likeliest(trace: Trace, place: int) -> str:
    shares = trace[_OUTPUT][place]
    first = np.argsort(-shares, kind="stable")[:_LIKELIEST]
    return ", ".join(f"{trace.symbols[each]} {shares[each]:.3f}" for each in first)


def absent(trace: Trace, words: Words) -> Iterator[str]:
    """A line for each reason why a foreign model lacks taps, with those taps."""
    for reason, taps in absent_rows(trace.card, words) if trace.of_others else ():
        yield f"– {', '.join(taps)}: {reason}"
