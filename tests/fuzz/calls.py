"""The library as a notebook calls it: arguments of the right type, and most of the wrong value."""

from random import Random

import explorer
from tests.fuzz import formulas, values, writing
from tests.fuzz.trial import Trial

_PATHS = ("", ".", "..", "none/a.npz", "\0", "a\nb", "x" * 300, "/dev/null", "/dev/full", "/proc/self/mem", "a/", "~", "\udc80")


def calls(trial: Trial) -> None:
    """Ask a Trace for this and that, write it, and load one."""
    chance = trial.chance
    trace = formulas.a_trace(chance.choice(("tiny", "translator")))
    for _ in range(chance.randint(1, 6)):
        name = chance.choice((*trace.names(), _nearly(chance.choice(trace.names()), chance), writing.word(chance)))
        with trial.asking():
            chance.choice(
                (
                    lambda name=name: trace[name],
                    lambda name=name: trace.axes(name),
                    lambda name=name: trace.shape(name),
                    lambda name=name: trace.head(name, chance.choice((0, -1, 3, 4, 10**30))),
                    lambda name=name: trace.keys(name),
                    lambda name=name: trace.side(name, chance.choice(("position", "query", "key", writing.word(chance)))),
                )
            )()
    with trial.asking():
        path = chance.choice(_PATHS)
        explorer.Trace.load(path) if chance.random() < 0.5 else trace.save(path)
    trial.beat()
    with trial.asking():
        explorer.translate(writing.text(chance, 5), chance.choice((1, 2, values.number(chance))), _preset(chance))
    with trial.asking():
        explorer.explore(writing.text(chance, 5), preset=_preset(chance), **{_nearly("n_heads", chance): values.plain(chance)})


def _preset(chance: Random) -> str:
    return chance.choice(("tiny", "translator", writing.word(chance), *_PATHS))


def _nearly(name: str, chance: Random) -> str:
    """The name with a mistake, or as it is."""
    at = chance.randrange(len(name))
    return chance.choice((name, name[:at], name[at:], name.upper(), name[:at] + writing.word(chance) + name[at:]))
