"""Random values of the kinds that Python and TOML know, most of them wrong wherever they stand."""

import json
import math
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from tests.fuzz import writing

_NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    4,
    7,
    8,
    16,
    64,
    100,
    255,
    1000,
    4096,
    2**31 - 1,
    2**31,
    2**53 + 1,
    2**63 - 1,
    2**63,
    2**64,
    10**30,
    10**400,
    -(10**400),
    0.0,
    -0.0,
    0.1,
    0.5,
    0.99,
    1.0,
    1.5,
    -0.5,
    1e-9,
    5e-324,
    1e18,
    1e308,
    math.inf,
    -math.inf,
    math.nan,
)


def number(chance: Random) -> int | float:
    """Any number, with an inclination to those at a border."""
    return chance.choice((chance.choice(_NUMBERS), chance.choice(_NUMBERS), chance.randint(-10, 100), chance.gauss(0, 10)))


def plain(chance: Random, depth: int = 2) -> Any:
    """What a TOML or JSON file can hold."""
    kinds = [lambda: number(chance), lambda: writing.word(chance), lambda: chance.choice((True, False))]
    if depth:
        kinds += [
            lambda: [plain(chance, depth - 1) for _ in range(chance.randint(0, 3))],
            lambda: {writing.word(chance) or "a": plain(chance, depth - 1) for _ in range(chance.randint(0, 3))},
        ]
    return chance.choice(kinds)()


def odd(chance: Random) -> Any:
    """What only a program can give."""
    return chance.choice(
        (
            None,
            b"8",
            "8",
            " 8 ",
            "８",
            "1e3",
            "nan",
            "inf",
            "0x10",
            "1_000",
            "true",
            "",
            "jieba",
            "-inf",
            Fraction(1, 3),
            Fraction(10**400),
            np.float32(8),
            np.int64(2),
            np.bool_(True),
            np.array(4),
            np.array([1, 2]),
            np.float64("nan"),
            1j,
            (),
            [4],
            {4},
            {"a": 1},
            object(),
            int,
            len,
            range(3),
            bytearray(b"4"),
        )
    )


def toml(value: Any, *, chance: Random | None = None) -> str:
    """A value as TOML writes it; with `chance` in one of the ways that are allowed."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return {math.inf: "inf", -math.inf: "-inf"}.get(value, "nan" if value != value else repr(value))
    if isinstance(value, list):
        return "[" + ", ".join(toml(each, chance=chance) for each in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(each, chance=chance)}" for key, each in value.items()) + " }"
    if isinstance(value, int):
        return hex(value) if chance is not None and value >= 0 and chance.random() < 0.1 else str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=chance is not None and chance.random() < 0.5)
    return str(value)
