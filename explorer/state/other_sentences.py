"""Sentences that differ from a given one in one telling word: suggestions for activation patching.

Words of one row can replace each other, so the other sentence mostly has as many tokens and makes sense. In a sentence with too
few such words, two neighbouring tokens are swapped.
"""

import itertools
from collections.abc import Iterator, Sequence

from explorer.trace.trace import Trace

SUGGESTED = 3
_PEOPLE = ("我们", "你们", "他们", "我", "你", "他", "她")
_ROWS = (
    _PEOPLE,
    ("书", "信", "花"),
    ("猫", "狗", "鸟"),
    ("北京", "上海", "日本", "中国"),
    ("图书馆", "学校", "医院"),
    ("昨天", "今天", "明天"),
    ("茶", "咖啡", "水"),
    ("老师", "学生", "医生"),
    ("爸爸", "妈妈"),
    ("喜欢", "讨厌"),
    ("新", "旧"),
    ("大", "小"),
    ("早上", "晚上"),
    ("来", "去"),
    ("买", "卖"),
    ("一", "两", "三"),
    ("he", "she", "you"),
    ("dog", "cat"),
)


def suggested_for(trace: Trace) -> tuple[str, ...]:
    """Other sentences for that of a Trace. A text with spaces that a foreign model has read is split into words."""
    words = trace.source.split()
    if trace.config is None and len(words) > 1:
        return other_sentences(words, " ")
    return other_sentences([token.text for token in trace.tokens.source or trace.tokens.target if not token.special])


def other_sentences(tokens: Sequence[str], joint: str = "") -> tuple[str, ...]:
    """Up to SUGGESTED other sentences for the one with these tokens, the most telling first."""
    every = (_people_exchanged(tokens), _replaced(tokens), _exchanged(tokens))
    same, found = joint.join(tokens), dict[str, None]()
    for row in itertools.chain.from_iterable(every):  # Of a long sentence, only the first few are ever made.
        other = joint.join(row)
        if other != same:
            found[other] = None
        if len(found) == SUGGESTED:
            break
    return tuple(found)


def _people_exchanged(tokens: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The sentence in which the first two people change places."""
    places = [place for place, token in enumerate(tokens) if token in _PEOPLE]
    if len(places) > 1:
        one, two = places[:2]
        yield _with(tokens, {one: tokens[two], two: tokens[one]})


def _replaced(tokens: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The sentences with one word replaced, from the last token to the first: what is done tells more than who does it."""
    for place in reversed(range(len(tokens))):
        for row in _ROWS:
            word = next((each for each in row if tokens[place].endswith(each)), None)
            if word is not None:
                other = row[(row.index(word) + 1) % len(row)]
                yield _with(tokens, {place: tokens[place].removesuffix(word) + other})
                break


def _exchanged(tokens: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The sentences in which two neighbours change places."""
    for place in range(len(tokens) - 1):
        if tokens[place] != tokens[place + 1]:
            yield _with(tokens, {place: tokens[place + 1], place + 1: tokens[place]})


def _with(tokens: Sequence[str], others: dict[int, str]) -> tuple[str, ...]:
    return tuple(others.get(place, token) for place, token in enumerate(tokens))
