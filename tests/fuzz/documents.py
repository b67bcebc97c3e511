"""JSON texts of others: one value becomes another, with an inclination to what breaks readers, and some bytes are no text."""

import json
import math
from collections.abc import Iterator
from random import Random
from typing import Any

from tests.fuzz import damage, values, writing

_HUGE = (10**400, -(10**400), 10**12, 10**8, 2**63, 2**31, -1, 0, 1e308, -1e308, 5e-324)
_NOT_FINITE = (math.nan, math.inf, -math.inf)
_HALVES = (
    "\ud800",
    "\udfff",
    "a\udc80b",
    "\udbff\ud800",
    "=1+1",
    "@SUM(A1)",
    "+1",
    "-1+2",
    "\u202egnp.exe",
    "\x1b[31m",
    "\x07",
)
_DEEP = 100_000


def written(value: Any, chance: Random) -> bytes:
    """A table as JSON, with some of its values changed, as escapes or as letters that UTF-8 does not have; rarely damaged."""
    value = json.loads(json.dumps(value))
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
        change(value, chance)
    way = chance.randrange(20)
    if way == 0:
        return damage.damaged(json.dumps(value).encode(), chance)
    if way == 1:
        return chance.choice((b"[", b'{"a":')) * _DEEP
    if way == 2:
        return json.dumps(value).encode(chance.choice(("utf-16", "utf-32", "utf-8-sig")))
    return json.dumps(value, ensure_ascii=chance.random() < 0.7).encode("utf-8", "surrogatepass")


def change(value: Any, chance: Random) -> None:
    """One place of it: a number becomes one that is huge or none, a text one with half a letter, and any of it anything."""
    places = list(_places(value))
    if not places:
        return
    inside, key = chance.choice(places)
    found, way = inside[key], chance.randrange(10)
    if way == 0:
        inside[key] = values.plain(chance)
    elif way == 1 and isinstance(inside, dict):
        inside[chance.choice((*_HALVES, writing.word(chance)))] = inside.pop(key)
    elif way == 2:
        del inside[key]
    elif isinstance(found, bool):
        inside[key] = not found
    elif isinstance(found, int | float):
        inside[key] = chance.choice((chance.choice(_HUGE), chance.choice(_NOT_FINITE), values.number(chance)))
    elif isinstance(found, str):
        inside[key] = chance.choice((chance.choice(_HALVES), found + chance.choice(_HALVES), writing.word(chance)))
    else:
        inside[key] = values.plain(chance)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each place that a value has, inside what and under which key, however deep."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])
