"""What is said about a followed cell: each beat's title, its number, and one plain sentence that depends on the data."""

import math

import numpy as np

from explorer.config import MASK_VALUES
from explorer.lang import Words
from explorer.picture.followed import BEATS, MOST_TERMS, Followed

_HALF_AND_MORE = 0.4  # the share of the sum from which a single product is named
_CANCELLED = 0.25  # the share of all magnitudes below which a sum is said to have cancelled out
_LEAST_WEIGHT = 0.0005
_LONGEST_NAME = 16  # letters


def score(value: float) -> str:
    """A score with two decimals, or the mask's value by its name."""
    number = float(value)
    for name, closed in MASK_VALUES.items():
        if number == closed:
            return name.replace("-", "−").replace("inf", "∞")
    if math.isnan(number):
        return "NaN"
    text = f"{abs(number):.2f}" if abs(number) < 1e4 else f"{abs(number):.3g}"
    return f"−{text}" if number < 0 and float(text) else text


def signed(value: float) -> str:
    """A score with its sign."""
    text = score(value)
    return text if text[0] == "−" or text in ("NaN", "0.00") else f"+{text}"


def weight(value: float) -> str:
    """A weight with three decimals, and no zero for what is not zero."""
    if math.isnan(value):
        return "NaN"
    if value == 0:
        return "0"
    return "<0.001" if value < _LEAST_WEIGHT else f"{value:.3f}"


def percent(value: float) -> str:
    """A share in per cent, which may be negative."""
    if math.isnan(value):
        return "NaN"
    if 0 < abs(value) < 0.005:
        return "<1 %" if value > 0 else ">−1 %"
    return f"{100 * value:.0f} %".replace("-", "−")


def power(value: float) -> str:
    """A power of e in a few figures."""
    if value == 0 or math.isnan(value):
        return "0" if value == 0 else "NaN"
    return f"{value:.2f}" if 0.01 <= value < 1000 else f"{value:.2g}" if value < 0.01 else f"{value:,.0f}"


def division(followed: Followed) -> str:
    """What scores are divided by, such as "÷ √32 ÷ 0.5"; "÷ 1" where by nothing."""
    root = f"÷ {followed.scores_over:.4g}" if followed.scores_over else f"÷ √{followed.d_head}"
    parts = [root] if followed.scales else []
    if followed.temperature != 1 or not parts:
        parts.append(f"÷ {followed.temperature:g}")
    return " ".join(parts)


def title(followed: Followed, beat: str, words: Words) -> str:
    """The beat's number and name."""
    return words(f"follow.title.{beat}", divisor=division(followed))


def figure(followed: Followed, beat: str, words: Words) -> str:
    """The number that the beat comes to."""
    key, n = followed.cell.key, len(followed.query)
    if beat in ("products", "scaled", "masked"):
        row = {"products": followed.scores, "scaled": followed.scaled, "masked": followed.masked}[beat]
        return score(float(row[key]))
    if beat == "softmax":
        return weight(float(followed.weights[key]))
    return words("follow.two_rows" if beat == "vectors" else "follow.one_row", n=n)


def headline(followed: Followed, words: Words) -> str:
    """What is followed, in one sentence."""
    value = weight(float(followed.weights[followed.cell.key]))
    return words("follow.headline", query=query_name(followed, words), token=_short(followed.answers), value=value)


def sentence(followed: Followed, beat: str, words: Words) -> str:
    """One plain sentence about the beat, chosen by its numbers."""
    told = {
        "vectors": _vectors,
        "products": _products,
        "scaled": _scaled,
        "masked": _masked,
        "softmax": _softmax,
        "mixed": _mixed,
    }[beat]
    # Quotes take the place of the blanks around a token.
    return told(followed, words).replace(" “", "“").replace("” ", "”")


def note(followed: Followed, beat: str, words: Words) -> str:
    """Where the beat's numbers come from, if they are not the record or not what their formula gives; "" otherwise."""
    stage = {"products": "scores", "softmax": "weights"}.get(beat, beat)
    if stage in followed.differs:
        return words("follow.differs")
    if beat == "products":
        return words("follow.computed")
    if stage in followed.remade:
        return words("follow.remade")
    return words("follow.output_shares") if beat == "mixed" and np.isfinite(followed.output_shares).all() else ""


def term_sentence(followed: Followed, term: int, words: Words) -> str:
    """What happens while one term (counted from 0) is added."""
    features, rest = followed.terms(MOST_TERMS)
    so_far = float(followed.products[features[: term + 1]].sum())
    if term >= len(features):
        count = len(followed.products) - len(features)
        return words("follow.products.rest", count=count, product=signed(rest), sum=score(so_far + rest))
    feature = int(features[term])
    return words(
        "follow.products.step",
        feature=feature,
        q=score(float(followed.query[feature])),
        k=score(float(followed.key[feature])),
        product=signed(float(followed.products[feature])),
        sum=score(so_far),
    )


def description(followed: Followed, words: Words) -> str:
    """All beats in words, for a screen reader."""
    told = [headline(followed, words), *(sentence(followed, beat, words) for beat in BEATS)]
    return " ".join(told)


def query_name(followed: Followed, words: Words) -> str:
    """The query by its token, or by the one that it is about to write."""
    token = _short(followed.asks)
    return words("follow.to_come", token=token) if followed.writes else token


def query_mark(followed: Followed) -> str:
    """The query as the rows of maps name it, where its name has no room: "→ian" for a token that it is about to write."""
    token = _short(followed.asks)
    return f"→{token}" if followed.writes else token


def _asks(followed: Followed, words: Words) -> str:
    """The query as a sentence names it."""
    token = _quoted(followed.asks, words)
    return words("follow.to_come", token=token) if followed.writes else token


def _answers(followed: Followed, words: Words) -> str:
    """The key as a sentence names it."""
    return _quoted(followed.answers, words)


def _quoted(label: str, words: Words) -> str:
    """A token within a sentence. A Chinese one in a Chinese sentence needs quotes, as nothing else divides the two; so does a
    punctuation mark in any, since it would be read as the sentence's own.
    """
    token = _short(label)
    is_mark = not any(map(str.isalnum, token)) and not token.startswith("<")
    is_chinese = any("\u4e00" <= letter <= "\u9fff" for letter in token)
    if words.language == "zh":
        return f"“{token}”" if is_mark or is_chinese else token
    return f'"{token}"' if is_mark else token


def _short(label: str) -> str:
    """A label that does not fill a line by itself; the map has the whole one."""
    return label if len(label) <= _LONGEST_NAME else f"{label[: _LONGEST_NAME - 1]}…"


def _vectors(followed: Followed, words: Words) -> str:
    if followed.writes:
        query = _quoted(followed.asks, words)
        return words("follow.vectors.predicts", query=query, token=_answers(followed, words), n=len(followed.query))
    key = "follow.vectors.rotary" if followed.rotary else "follow.vectors.plain"
    return words(key, query=_asks(followed, words), token=_answers(followed, words), n=len(followed.query))


def _products(followed: Followed, words: Words) -> str:
    products, total = followed.products, float(followed.products.sum())
    n, largest = len(products), int(np.argmax(np.abs(products)))
    value = float(products[largest])
    if n > 1 and value * total > 0 and abs(value) > _HALF_AND_MORE * abs(total) and abs(value) <= abs(total):
        return words("follow.products.one", n=n, sum=score(total), feature=largest, product=signed(value))
    if abs(total) < _CANCELLED * float(np.abs(products).sum()):
        plus, minus = float(products[products > 0].sum()), float(products[products < 0].sum())
        return words("follow.products.cancelled", n=n, sum=score(total), plus=signed(plus), minus=signed(minus))
    return words("follow.products.plain", n=n, sum=score(total))


def _scaled(followed: Followed, words: Words) -> str:
    key, warm = followed.cell.key, followed.temperature != 1
    kind = ("root_and_temperature" if warm else "root") if followed.scales else ("temperature" if warm else "nothing")
    kind = "own" if followed.scales and followed.scores_over else kind
    return words(
        f"follow.scaled.{kind}",
        d=followed.d_head,
        root=f"{math.sqrt(followed.d_head):.3g}",
        temperature=f"{followed.temperature:g}",
        divisor=f"{followed.divisor:.4g}",
        before=score(float(followed.scores[key])),
        after=score(float(followed.scaled[key])),
    )


def _masked(followed: Followed, words: Words) -> str:
    key = followed.cell.key
    told = _bias_told(followed, words)
    if not followed.closed.any():
        across = followed.cell.attention.endswith("cross_attn")
        return told + words("follow.masked.open_across" if across else "follow.masked.open", query=_asks(followed, words))
    if followed.closed.all():
        return told + words("follow.masked.all", query=_asks(followed, words))
    value = score(float(followed.masked[followed.closed][0]))
    count, best = int(followed.closed.sum()), followed.strongest_closed()
    if followed.closed[key]:
        own = weight(float(followed.unmasked[key]))
        before = score(float(followed.biased[key]))
        return told + words("follow.masked.itself", token=_answers(followed, words), before=before, mask=value, share=own)
    if best is not None and followed.unmasked[best] > followed.unmasked[key]:
        share, own = weight(float(followed.unmasked[best])), weight(float(followed.unmasked[key]))
        other = _quoted(followed.named(best), words)
        return told + words(
            "follow.masked.stronger",
            count=count,
            mask=value,
            token=_answers(followed, words),
            other=other,
            share=share,
            own=own,
        )
    return told + words("follow.masked.weaker", count=count, mask=value, token=_answers(followed, words))


def _bias_told(followed: Followed, words: Words) -> str:
    """The sentence about what is added by distance; "" where nothing is."""
    if followed.bias is None:
        return ""
    key = followed.cell.key
    bias, before, after = followed.bias[key], float(followed.scaled[key]), float(followed.biased[key])
    told = words("follow.masked.bias", bias=signed(float(bias)), before=score(before), after=score(after))
    return told + ("" if words.language == "zh" else " ")


def _softmax(followed: Followed, words: Words) -> str:
    key = followed.cell.key
    own = float(followed.weights[key])
    if math.isnan(own):
        return words("follow.softmax.no_number")
    if followed.closed.all():
        return words("follow.softmax.even", weight=weight(own), mask=score(float(followed.masked[key])))
    if followed.closed[key]:
        return words("follow.softmax.closed", token=_answers(followed, words), mask=score(float(followed.masked[key])))
    best = int(np.nanargmax(followed.weights))
    if best == key:
        return words("follow.softmax.first", token=_answers(followed, words), weight=weight(own))
    top = weight(float(followed.weights[best]))
    return words(
        "follow.softmax.later",
        token=_answers(followed, words),
        weight=weight(own),
        other=_quoted(followed.named(best), words),
        top=top,
    )


def _mixed(followed: Followed, words: Words) -> str:
    key = followed.cell.key
    own, passed = float(followed.weights[key]), float(followed.passed[key])
    if math.isnan(passed):
        return words("follow.mixed.no_number")
    if abs(passed - own) > 1e-6:
        return words("follow.mixed.dropout", token=_answers(followed, words), weight=weight(own), passed=weight(passed))
    if passed == 0:
        return words("follow.mixed.nothing", token=_answers(followed, words))
    shares, told = followed.output_shares, {"token": _answers(followed, words), "weight": weight(passed)}
    if not np.isfinite(shares).all():
        return words("follow.mixed.zero", **told)
    best, share = int(shares.argmax()), float(shares[key])
    if best == key:
        return words("follow.mixed.most", share=percent(share), **told)
    rival = {"other": _quoted(followed.named(best), words), "top": percent(float(shares[best]))}
    return words("follow.mixed.against" if share < 0 else "follow.mixed.some", share=percent(share), **told, **rival)
