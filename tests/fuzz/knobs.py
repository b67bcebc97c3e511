"""Values for knobs, right, at a border, and of every wrong type; and passes with what was allowed."""

import explorer
from explorer.config import KNOBS, Config
from explorer.engine.recording.memory import trace_bytes
from explorer.knobs import Knob
from explorer.trace.own_card import card_of, parameter_bytes
from tests.fuzz import traces, values, writing
from tests.fuzz.trial import Trial

_MOST_BYTES = 2e8  # of weights and recorded arrays: a case shall be quick, and what it asks for be no growth
_PLACES = 32


def knobs(trial: Trial) -> None:
    """Turn some knobs and run a pass."""
    chance = trial.chance
    turned = {knob.name: _value(knob, trial) for knob in chance.sample(KNOBS, chance.choice((1, 2, 4, 8, len(KNOBS))))}
    if chance.random() < 0.05:
        turned[writing.word(chance)] = values.odd(chance)
    config = None
    with trial.asking():
        config = Config().changed(**turned)
    with trial.asking():
        nearest = Config().nearest_valid(**turned)
        config = config or nearest
        for name, value in turned.items():  # a slider's way, one after the other
            nearest = nearest.nearest_valid(**{name: value})
    if config is None or config.device != "cpu":
        return
    if parameter_bytes(config) + trace_bytes(card_of(config), _PLACES, _PLACES) > _MOST_BYTES:
        config = config.nearest_valid(
            n_layers=chance.randint(1, 3),
            d_model=chance.choice((8, 16, 30)),
            d_ff=16,
            vocab_size=min(config.vocab_size, 1000),
            max_len=min(config.max_len, 64),
            target_vocab_size=min(config.target_vocab_size, 1000),
        )
    with trial.asking():
        trace = explorer.explore(writing.sentence(chance), preset="tiny", **config.values())
        traces.check(trace, trial)


def _value(knob: Knob, trial: Trial) -> object:
    chance = trial.chance
    if knob.kind == "choice":
        right: object = chance.choice(knob.choices)
    elif knob.kind == "bool":
        right = chance.random() < 0.5
    else:
        between = knob.valid.low + (knob.valid.high - knob.valid.low) * chance.random() ** 4
        right = chance.choice((knob.valid.low, knob.valid.high, between, round(between), knob.default, f"{between:.3g}"))
    return chance.choice((right,) * 12 + (values.odd(chance), values.number(chance), values.plain(chance)))
