"""The experiments and their properties: one row declares them, and all other code asks the row.

An experiment finds something out in an extra pass, when a page, a lesson or a caller asks for its key. A file of the same name
in `engine/experiments` makes it. Code that asks for one names its row, such as `WHY.key`. This table needs neither NumPy nor
torch.
"""

from collections.abc import Iterable

import attrs

from explorer.errors import ExplorerError, TooLongForEffects, TooLongToPatch, UnknownExperiment


@attrs.frozen(kw_only=True)
class Experiment:
    """The properties of one experiment.

    `key` names it in a Request, in `trace.experiments`, in formulas of lessons and in a Caption's `finding`. A refusal names it
    as it is `called`: that is its key, unless it goes on with another one.

    What it needs: with `decoder` a model that writes words, with `own` a model of ours, whose knobs and parts it asks for, and
    the `taps`, named without side and layer. A Request for an `own` one is refused for a foreign model; one that may be
    missed `quietly` is left out instead. With `whole_maps` it is not made of a text whose maps were not kept whole, and whoever
    asks for it alone gets the error `too_long`. With `other` it compares with the Wish's other sentence.

    What it looks at: the fields of the Focus in `place`. `grows` is the field that says how far a long sweep shall go, so that
    each further answer goes on from what was found before; the first one goes on from what the experiment `begins_with` found.
    `of_head` is the experiment that is asked for besides where all is asked about a head in focus.

    What it costs: with `passes` it makes passes, which drop nothing; without, it shows weights or is computed from the record.
    What it shows is of the pass with its changes, unless `changes` is off. `by_itself` says that it decodes texts of its own or
    makes passes of several kinds: it is given the model as it is, without hooks, and makes the changes and takes the dropout
    away where that is right.
    With `second_model` it needs a further model, which is freed when it is no longer asked for.

    With `formulas` a lesson may name it in a formula.
    """

    key: str
    called: str = attrs.field(default=attrs.Factory(lambda row: row.key, takes_self=True))
    decoder: bool = False
    own: bool = False
    taps: tuple[str, ...] = ()
    quietly: bool = False
    whole_maps: bool = True
    too_long: type[ExplorerError] = TooLongToPatch
    other: bool = False
    place: tuple[str, ...] = ()
    grows: str = ""
    begins_with: str = ""
    of_head: str = ""
    passes: bool = True
    changes: bool = True
    by_itself: bool = False
    second_model: bool = False
    formulas: bool = True

    def place_in(self, focus: object) -> tuple[object, ...]:
        """The place in a Focus that it depends on; how far a sweep goes is no part of it."""
        return tuple(getattr(focus, field) for field in self.place)


_EFFECTS = ("generator.logits", "self_attn.weights")
_WHY = ("generator.logits", "self_attn.mixed", "residual2")

VARIANTS = Experiment(key="variants", own=True, passes=False, changes=False)
SWAP = Experiment(key="swap", own=True)
LEAK = Experiment(key="leak", own=True)
DEPTH = Experiment(key="depth", own=True)
BATCH = Experiment(key="batch", own=True, changes=False)
COPIES = Experiment(key="copies", own=True, passes=False, changes=False)
EFFECTS = Experiment(key="effects", taps=_EFFECTS)
EFFECTS_EXACT = Experiment(
    key="effects_exact",
    called=EFFECTS.key,
    taps=_EFFECTS,
    too_long=TooLongForEffects,
    grows="head_rows",
    begins_with=EFFECTS.key,
    of_head="edges",
)
EDGES = Experiment(
    key="edges",
    called=EFFECTS.key,
    taps=("generator.logits", "self_attn.masked"),
    place=("attention", "layer", "head"),
    grows="edge_rows",
)
WHY = Experiment(key="why", decoder=True, taps=_WHY, passes=False)
READERS = Experiment(key="readers", taps=("self_attn.query", "residual2"), passes=False)
ATTENTION_WEIGHTS = Experiment(
    key="attention_weights", taps=("self_attn.query", "residual2"), place=("attention", "layer"), passes=False
)
COSTS = Experiment(key="costs", decoder=True, taps=_WHY, place=("position", "rival"))
LENS = Experiment(key="lens", decoder=True, taps=("generator.logits", "residual2"), passes=False)
JACOBIAN = Experiment(key="jacobian", decoder=True, passes=False)
PATCHING = Experiment(key="patching", taps=("generator.logits", "residual2"), other=True, by_itself=True)
SALIENCY = Experiment(key="saliency", taps=("generator.logits", "embedding.output"))
GRADIENTS = Experiment(key="gradients", taps=("generator.logits",), place=("position",))
ZEROED = Experiment(key="zeroed", taps=("generator.logits",), place=("position", "tap"))
VECTORS = Experiment(key="vectors", passes=False)
SEGMENTATIONS = Experiment(key="segmentations", own=True, quietly=True, changes=False, by_itself=True)
NORMS = Experiment(key="norms", passes=False)
UNCHANGED = Experiment(key="unchanged", by_itself=True, second_model=True, formulas=False)
WITHOUT = Experiment(
    key="without_part",
    decoder=True,
    own=True,
    quietly=True,
    place=("without",),
    by_itself=True,
    second_model=True,
    formulas=False,
)
STEERING = Experiment(key="steering", whole_maps=False, by_itself=True, formulas=False)

EXPERIMENTS = {
    row.key: row
    for row in (
        VARIANTS,
        SWAP,
        LEAK,
        DEPTH,
        BATCH,
        COPIES,
        EFFECTS,
        EFFECTS_EXACT,
        EDGES,
        WHY,
        READERS,
        ATTENTION_WEIGHTS,
        COSTS,
        LENS,
        JACOBIAN,
        PATCHING,
        SALIENCY,
        GRADIENTS,
        ZEROED,
        VECTORS,
        SEGMENTATIONS,
        NORMS,
        UNCHANGED,
        WITHOUT,
        STEERING,
    )
}
"""Every experiment by its key, in the order in which those of one answer are made."""

IN_FORMULAS = tuple(key for key, row in EXPERIMENTS.items() if row.formulas)


def asked_for(keys: Iterable[str]) -> tuple[Experiment, ...]:
    """The experiments of some keys, in the order of the table. Raises UnknownExperiment."""
    wanted = frozenset(keys)
    unknown = sorted(wanted - EXPERIMENTS.keys())
    if unknown:
        raise UnknownExperiment(name=unknown[0], known=", ".join(EXPERIMENTS))
    return tuple(row for key, row in EXPERIMENTS.items() if key in wanted)


def look_at_a_place(keys: Iterable[str]) -> bool:
    """Whether one of these experiments depends on the Focus. Raises UnknownExperiment."""
    return any(row.place or row.grows for row in asked_for(keys))


def for_any_model(keys: Iterable[str]) -> frozenset[str]:
    """Those of the experiments that a foreign model can have, too. Raises UnknownExperiment."""
    return frozenset(row.key for row in asked_for(keys) if not row.own)
