"""Formulas of lessons: grown from the language's own words, and made to be too large, too deep or too long."""

from functools import lru_cache
from random import Random

import numpy as np

from explorer.api.lending import computer_of_process
from explorer.lessons.check import is_right, scope_of
from explorer.lessons.formula import evaluate, names
from explorer.lessons.known import PLAIN
from explorer.trace.trace import Trace
from tests.fuzz import values, writing
from tests.fuzz.trial import Trial

_TAPS = (
    "encoder.layers.0.self_attn.weights",
    "encoder.embedding.output",
    "decoder.layers.1.cross_attn.scores",
    "generator.logits",
    "nothing",
    "encoder.layers.0.self_attn.query",
)
_FUNCTIONS = (*(name for name, value in PLAIN.items() if callable(value)), "knob", "where", "tap", "nothing", "Q")
_VALUES = (
    "pi",
    "inf",
    "d_model",
    "n_heads",
    "n_source",
    "ids",
    "places",
    "parameters",
    "sum",
    "nothing",
    "'乾'",
    "swap('usual')",
    "depth('lengths')",
    "batch('weights')",
    "leak('changes')",
    "variants('tables', 'learned')",
    "copies('differences')",
    "knob('seed')",
    "knob('mask_value')",
    "where('我')",
)
_MATRICES = ("Q", "K", "[1, 2, 3]", "[[1, 0], [0, 1]]", "causal(4)", "Q @ T(K)")
_OPERATORS = ("+", "-", "*", "/", "**", "@", "//", "%")
_KEYWORDS = ("axis", "base", "power", "eps", "shift", "unbiased", "value", "places")


def formulas(trial: Trial) -> None:
    """Read and compute one, on a pass that was recorded."""
    chance = trial.chance
    trace = a_trace(chance.choice(("tiny", "translator")))
    formula = grown(chance, chance.choice((1, 2, 3, 5)))
    if chance.random() < 0.15:
        formula = _adverse(chance, formula)
    with trial.asking():
        names(formula)
        given = {"Q": np.ones((3, 4)), "K": np.arange(12.0).reshape(3, 4)}
        value = evaluate(formula, scope_of(trace, given))
        if value.dtype != np.float64:
            trial.bad(f"a formula's value: {value.dtype}", "", formula)
        is_right(
            chance.choice((writing.text(chance), ", ".join(map(str, value.ravel()[:9].tolist())))),
            value,
            abs(chance.gauss(0, 1)),
        )


@lru_cache(maxsize=2)
def a_trace(preset: str) -> Trace:
    """A pass with all its experiments."""

    from explorer.engine.request import Request
    from explorer.trace.found.experiments import EXPERIMENTS

    request = Request.from_preset(preset, "我爱北京天安门")
    request = request.wishing(batch=("你好", "我爱你们。")).asking(experiments=frozenset(EXPERIMENTS))
    return computer_of_process()(request).trace


def grown(chance: Random, depth: int) -> str:
    """A formula that can be parsed, most of the time."""
    if depth <= 0:
        return chance.choice((_number(chance), chance.choice(_VALUES), f"tap('{chance.choice(_TAPS)}')", *_MATRICES))
    inner = [grown(chance, depth - chance.choice((1, 1, 2))) for _ in range(3)]
    way = chance.randrange(10)
    if way < 3:
        return f"({inner[0]} {chance.choice(_OPERATORS)} {inner[1]})"
    if way < 7:
        given = inner[: chance.choice((0, 1, 1, 1, 1, 1, 2, 2, 3))]
        if chance.random() < 0.1:
            given.append(f"{chance.choice(_KEYWORDS)}={inner[2]}")
        return f"{chance.choice(_FUNCTIONS)}({', '.join(given)})"
    if way == 7:
        return f"{inner[0]}[{chance.choice((inner[1], '0', '-1', '0:2', ':, 0', '::0', '1:9:-1'))}]"
    if way == 8:
        return f"[{', '.join(inner[: chance.choice((0, 1, 3))])}]"
    return f"-{inner[0]}"


def _number(chance: Random) -> str:
    return chance.choice((str(chance.randint(0, 12)), repr(values.number(chance)), "2", "1e18", "1e9", "4000", "0.5"))


def _huge(chance: Random) -> str:
    """A function with arguments that would take years or gigabytes, or of which one hides the other: 1e18 rows of none."""
    if chance.random() < 0.3:
        name = chance.choice(("pe_table", "pe", "doubled", "rotation", "causal"))
        return f"{name}(1e18, {chance.choice(('0', '4', '1e18'))})"
    given = (
        chance.choice(("1e18", "1e9", "3e5", "70000", "0", "4", "-1e18", "inf", "causal(2000)", "pe_table(1000, 4000)"))
        for _ in range(chance.choice((1, 2, 2, 3)))
    )
    return f"{chance.choice(_FUNCTIONS)}({', '.join(given)})"


def _adverse(chance: Random, formula: str) -> str:
    """What a formula should not be."""
    if chance.random() < 0.3:
        return _huge(chance)
    return chance.choice(
        (
            lambda: "(" * 150 + "1" + ")" * 150,
            lambda: "-" * 500 + "1",
            lambda: "1" + "**9" * 190,
            lambda: "[" * 120 + "]" * 120,
            lambda: "9" * 590,
            lambda: f"{formula}.real",
            lambda: f"(lambda: {formula})()",
            lambda: f"{formula} if 1 else 2",
            lambda: f"f'{{{formula}}}'",
            lambda: f"__import__('os').getcwd() + {formula}",
            lambda: writing.text(chance),
            lambda: f"{formula} # {writing.word(chance)}",
            lambda: f"sum({formula}, axis={formula})",
            lambda: "'a' * 10**9",
            lambda: f"{formula}\n",
            lambda: "1j + 2",
            lambda: "1_0",
            lambda: "0x" + "f" * 400,
            lambda: "b'1'",
            lambda: "...",
            lambda: "T(" * 90 + "1" + ")" * 90,
            lambda: "join(" + "causal(1000)," * 40 + "1)",
            lambda: "1" + "+1" * 290,
            lambda: formula.replace("(", "(*", 1),
            lambda: formula.replace("(", "(**", 1),
        )
    )()
