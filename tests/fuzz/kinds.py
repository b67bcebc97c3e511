"""What is fuzzed: each kind with its function, and what its process does before memory is measured."""

import attrs

_ENGINE, _WINDOW = "tests.fuzz.warm:engine", "tests.fuzz.warm:window"


@attrs.frozen
class Kind:
    """`place` is "module:function"; kinds with the same `warm_up` share a process. `turns`: how much of the time it gets.
    `most`: how many cases a process has before it is exchanged for a new one.
    """

    name: str
    place: str
    warm_up: str = _ENGINE
    turns: int = 1
    most: int = 10_000


KINDS = (
    Kind("texts", "tests.fuzz.texts:texts"),
    Kind("cuts", "tests.fuzz.texts:cuts"),
    Kind("calls", "tests.fuzz.calls:calls"),
    Kind("changes", "tests.fuzz.changing:changes", turns=2),
    Kind("experiments", "tests.fuzz.changing:experiments", turns=2),
    Kind("knobs", "tests.fuzz.knobs:knobs"),
    Kind("formulas", "tests.fuzz.formulas:formulas"),
    Kind("lessons", "tests.fuzz.lessons:lessons"),
    Kind("presets", "tests.fuzz.presets:presets"),
    Kind("weights", "tests.fuzz.weights:weights"),
    Kind("checkpoints", "tests.fuzz.weights:checkpoints"),
    Kind("npz", "tests.fuzz.npz:npz"),
    Kind("caches", "tests.fuzz.caches:caches"),
    Kind("tables", "tests.fuzz.tables:tables"),
    Kind("training", "tests.fuzz.tables:training"),
    Kind("folders", "tests.fuzz.strangers:folders", turns=2),
    Kind("adapters", "tests.fuzz.strangers:adapters"),
    Kind("tokenizers", "tests.fuzz.strangers:tokenizers", turns=2),
    Kind("headers", "tests.fuzz.strangers:headers"),
    Kind("cards", "tests.fuzz.recordings:cards"),
    Kind("papers", "tests.fuzz.recordings:papers"),
    Kind("scans", "tests.fuzz.recordings:scans"),
    Kind("commands", "tests.fuzz.commands:commands", turns=2),
    # A program has one window: what eight leave behind nobody sees.
    Kind("window", "tests.fuzz.window:window", _WINDOW, turns=5, most=8),
    Kind("drops", "tests.fuzz.window:drops", _WINDOW, turns=2, most=8),
)
