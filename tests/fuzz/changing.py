"""Changes of every kind at any tap, right and nearly right, and what is found out about a pass with them."""

from random import Random
from typing import Any

import attrs
import numpy as np

import explorer
from explorer.trace.changes import KINDS, Change
from explorer.trace.trace import Trace
from tests.fuzz import values, writing
from tests.fuzz.trial import Trial

_ARCHITECTURES = ("encoder-decoder", "encoder-decoder", "encoder-only", "decoder-only")
_SMALL = {"n_layers": 2, "d_model": 16, "d_ff": 16, "n_heads": 4, "vocab_size": 500}
_MOST_LETTERS, _FEW_LETTERS = 12, 4
_PLAIN = (0.0, 1.0, -1.0, 0.5, 0.25, 2.0, 9.0, 1e-9, -3.5)


def changes(trial: Trial) -> None:
    """A pass with some changes: what was made is told, what is off changes nothing, and set weights leave sums of 1."""
    chance = trial.chance
    given = _given(chance)
    text = writing.sentence(chance)[:_MOST_LETTERS]
    plain: Trace | None = None
    with trial.asking():
        plain = explorer.explore(text, **given)
    if plain is None:
        return
    trial.beat()
    made = [each for _ in range(chance.choice((1, 1, 2, 3, 5))) if (each := _change(plain, trial)) is not None]
    with trial.asking():
        trace = explorer.explore(text, changes=made, **given)
        _check(trace, tuple(made), trial)
    trial.beat()
    with trial.asking():
        off = explorer.explore(text, changes=[attrs.evolve(each, on=False) for each in made], **given)
        if [name for name in plain.names() if not np.array_equal(plain[name], off[name], equal_nan=True)]:
            trial.bad(f"changes that are off change the pass: {made}", "changes")


def experiments(trial: Trial) -> None:
    """What is found out about one pass, with changes or without, and with arguments that are right or nearly so."""
    chance = trial.chance
    given = {**_given(chance), "trained": chance.random() < 0.8}
    text = chance.choice((writing.sentence(chance)[:_MOST_LETTERS], writing.text(chance, 6)))
    if given["preset"] == "translator":  # Patching makes a pass for every head and token, which takes seconds.
        text = text[:_FEW_LETTERS]
    made: list[Change] = []
    if chance.random() < 0.5:
        with trial.asking():
            plain = explorer.explore(text, **given)
            made = [each for _ in range(2) if (each := _change(plain, trial)) is not None]
    step, word = chance.choice((None, 0, 1, values.number(chance))), chance.choice((None, 0, writing.word(chance), "<eos>"))
    other = chance.choice((text, text[::-1], writing.text(chance, 6), ""))
    asked = {
        "why": lambda: explorer.attribute(text, step, word, changes=made, **given),
        "lens": lambda: repr(explorer.lens(text, changes=made, **given)),
        "effects": lambda: explorer.ablate(text, word=word, changes=made, **given),
        "patching": lambda: explorer.patching(text, other, changes=made, **given),
        "saliency": lambda: explorer.saliency(text, changes=made, **given),
        "steering": lambda: _steered(text, other, chance, given),
    }
    for name in chance.sample(sorted(asked), 2):
        with trial.asking():
            asked[name]()
        trial.beat()


def _given(chance: Random) -> dict[str, Any]:
    """A preset with small sizes, or the translator as it is."""
    if chance.random() < 0.2:
        return {"preset": "translator"}
    odd = {"mask_value": "-1e9", "position": "alibi", "norm_placement": "post", "residual": False, "causal_mask": False}
    more = dict(chance.sample(sorted(odd.items()), chance.choice((0, 0, 1, 2))))
    return {"preset": "tiny", **_SMALL, **more, "architecture": chance.choice(_ARCHITECTURES)}


def _change(trace: Trace, trial: Trial) -> Change | None:
    """A change at a tap of this pass; one in four has something wrong."""
    chance, kind = trial.chance, trial.chance.choice(KINDS)
    wrong = chance.random() < 0.25
    tap = chance.choice(trace.names())
    if kind == "close" and not wrong:
        tap = chance.choice([name for name in trace.names() if name.endswith(".masked")])
    *heads, rows, columns = trace.shape(tap)
    fields: dict[str, Any] = {"tap": tap, "kind": kind}
    if heads and chance.random() < 0.6:
        fields["head"] = chance.randrange(heads[0] + wrong)
    if chance.random() < 0.6:
        fields["rows"] = chance.sample(range(rows + wrong), chance.randint(1, min(rows, 3)))
    if chance.random() < 0.5 or kind == "close":
        fields["columns"] = chance.sample(range(columns + wrong), chance.randint(1, min(columns, 4)))
    if kind in ("scale", "set", "add"):
        fields["value"] = chance.choice(_PLAIN)
        if kind != "scale" and chance.random() < 0.4:
            fields["value"] = [chance.choice(_PLAIN) for _ in fields.get("columns", range(columns))]
    if kind == "patch":
        fields["text"] = chance.choice((trace.source or trace.target, writing.text(chance, 6)))
    if wrong:
        fields[chance.choice(("tap", "kind", "head", "rows", "columns", "value", "text", "on"))] = _odd(chance)
    with trial.asking():
        return Change(**fields)
    return None


def _odd(chance: Random) -> Any:
    return chance.choice((values.odd(chance), values.plain(chance), values.number(chance), writing.word(chance)))


def _steered(text: str, other: str, chance: Random, given: dict[str, Any]) -> None:
    """A vector of two sets, and a pass with some times of it."""
    tap = chance.choice(("encoder.layers.0.residual2", "decoder.layers.1.residual3", "encoder.norm", writing.word(chance)))
    texts = chance.choice(([text], [text, other], []))
    vector = explorer.steering(texts, [other], tap, **{name: value for name, value in given.items() if name != "trained"})
    change = Change(tap, "add", value=chance.choice(_PLAIN) * vector)
    explorer.explore(text, changes=[change], **given)


def _check(trace: Trace, made: tuple[Change, ...], trial: Trial) -> None:
    """Say what cannot be."""
    if trace.changes != tuple(change for change in made if change.on):
        trial.bad(f"other changes than those that were asked for: {trace.changes} instead of {made}", "changes")
    for change in made:
        alone = sum(each.tap == change.tap for each in made) == 1 and change.on
        if not (alone and change.keeps_sums and change.columns):
            continue
        heads = slice(None) if change.head is None else slice(change.head, change.head + 1)
        rows = slice(None) if change.rows is None else list(change.rows)
        weights = trace[change.tap][heads][:, rows].astype(np.float64)  # [head, query, key]
        if not np.allclose(weights[..., list(change.columns)], change.value, atol=1e-6):
            trial.bad(f"weights that were set are others: {change}", "weights")
        open_keys = np.isfinite(trace[change.tap.replace(".weights", ".masked")][heads][:, rows]).sum(axis=-1)  # [head, query]
        sums = weights.sum(axis=-1)[open_keys > len(change.columns)]
        if not np.allclose(sums[np.isfinite(sums)], 1, atol=1e-4):
            trial.bad(f"weights that were set do not sum to 1: {change} {sums}", "weights")
