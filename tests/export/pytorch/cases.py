"""Passes of all kinds of models and changes, of which scripts are made."""

import random
from collections.abc import Iterator
from typing import Any

from explorer import Change
from explorer.config import KNOBS as ALL_KNOBS
from explorer.config import SINUSOID_VARIANTS
from explorer.engine.request import Request
from explorer.fast_ways import OF_WHOLE_PASSES
from explorer.knobs import Knob
from explorer.presets import load_preset, preset_names
from explorer.trace.changes import KINDS

KNOBS = tuple(each for each in ALL_KNOBS if each.name in OF_WHOLE_PASSES)  # Scripts refuse a knob that they do not know.
TEXT, OTHER = "我爱北京天安门", "他在图书馆看书。"
SMALL: dict[str, Any] = {"n_layers": 2, "n_heads": 4, "d_model": 16, "d_ff": 24, "vocab_size": 60, "max_len": 64}
_OTHER_SIZES = {
    "n_layers": 3,
    "n_heads": 2,
    "d_model": 12,
    "d_ff": 20,
    "vocab_size": 50,
    "target_vocab_size": 40,
    "max_len": 40,
}
_MACHINE = ("device", "memory_budget")  # They change no number of a pass.
_SELF, _CROSS, _FIRST = "decoder.layers.1.self_attn", "decoder.layers.0.cross_attn", "encoder.layers.0.self_attn"
_STREAM = "encoder.layers.0.residual1"

CHANGES: dict[str, tuple[Change, ...]] = {
    "scale_a_head": (Change(f"{_SELF}.mixed", "scale", head=1, value=0.0),),
    "scale_masked_cells": (Change(f"{_SELF}.masked", "scale", rows=[1, 2], columns=[0, 2], value=0.5),),
    "scale_rows_and_columns": (Change(f"{_SELF}.scores", "scale", head=2, rows=[0, 3], columns=[1, 3], value=2.0),),
    "scale_features": (Change(f"{_SELF}.query", "scale", head=2, columns=[1, 3], value=2.0),),
    "set_numbers": (Change(_STREAM, "set", rows=[1], columns=[3, 1, 7], value=[1.0, 2.0, 3.0]),),
    "set_numbers_in_rows": (Change(_STREAM, "set", rows=[0, 2], columns=[3, 1, 7], value=[1.0, 2.0, 3.0]),),
    "set_whole_rows": (Change(_STREAM, "set", value=[0.1 * each for each in range(16)]),),
    "set_in_a_head": (Change(f"{_SELF}.mixed", "set", head=3, columns=[2, 0], value=[1.0, 2.0]),),
    "set_and_share": (
        Change(f"{_FIRST}.weights", "set", head=0, rows=[1], columns=[2], value=0.25),
        Change(f"{_FIRST}.weights", "set", columns=[0, 3], value=0.5),
    ),
    "set_and_share_under_a_mask": (Change(f"{_SELF}.weights", "set", rows=[0, 2], columns=[2], value=0.25),),
    "set_a_row_of_weights": (Change(f"{_SELF}.weights", "set", rows=[2], value=[0.1, 0.2, 0.3, 0.4]),),
    "close": (
        Change(f"{_SELF}.masked", "close", head=1, rows=[2, 3], columns=[0, 2]),
        Change(f"{_CROSS}.masked", "close", columns=[0]),
    ),
    "mean": (
        Change(f"{_FIRST}.mixed", "mean", head=1),
        Change("encoder.layers.1.residual2", "mean", rows=[0, 2]),
        Change(f"{_SELF}.value", "mean", columns=[0, 3]),
    ),
    "add": (
        Change("encoder.layers.0.residual2", "add", value=[0.1 * each for each in range(16)]),
        Change(f"{_SELF}.masked", "add", value=1.5),
    ),
    "several_in_order": (
        Change(f"{_SELF}.mixed", "scale", head=1, value=0.5),
        Change(f"{_SELF}.mixed", "add", head=1, value=1.0),
        Change(f"{_SELF}.mixed", "mean", head=1),
        Change(f"{_SELF}.mixed", "scale", head=0, value=0.0, on=False),
    ),
    "positions_and_logits": (
        Change("encoder.embedding.positions", "scale", value=0.0),
        Change("generator.logits", "add", columns=[5], value=3.0),
    ),
    "patch_a_row": (Change("encoder.layers.0.residual2", "patch", rows=[1], text=OTHER),),
    "patch_from_two_texts": (
        Change("encoder.layers.0.residual2", "patch", rows=[0, 2], columns=[3, 1], text=OTHER),
        Change(f"{_SELF}.mixed", "patch", head=2, rows=[1], text="你好，世界"),
        Change(f"{_SELF}.masked", "patch", head=2, rows=[0], columns=[0, 1], text="你好，世界"),
    ),
}
assert {change.kind for changes in CHANGES.values() for change in changes} == set(KINDS)


def requests() -> dict[str, Request]:
    """A Request for each script, by a name that can be a file's."""
    return dict((*_of_presets(), *_of_positions(), *_of_knobs(), *_by_chance(), *_of_changes()))


def tiny(**knobs: object) -> Request:
    """A Request for a small untrained model."""
    return Request.from_preset("tiny", TEXT, **SMALL | knobs)


def _of_presets() -> Iterator[tuple[str, Request]]:
    for name in preset_names():
        preset = load_preset(name)
        # Nothing but the number of layers and symbols is smaller: the largest would take ten seconds.
        fewer = {} if preset.folder is not None else {"n_layers": min(2, preset.config.n_layers), "vocab_size": 2000}
        if name != "paper-base":  # It is the shape of `tiny` in large.
            yield f"preset_{name}", Request.from_preset(name, preset.text or TEXT, **fewer)
    changes = [Change("encoder.layers.1.residual2", "patch", rows=[0], text="她给了我一本书。")]
    yield "trained_and_patched", Request.from_preset("translator", "他给了我一本书。").wishing(changes=changes)
    yield "trained_after_the_sum", Request.from_preset("translator", TEXT, norm_placement="post", activation="gelu")
    yield "trained_with_dropout", Request.from_preset("translator", TEXT, dropout_active=True)
    yield "made_anew", Request.from_preset("translator", TEXT).wishing(trained=False)


def _of_positions() -> Iterator[tuple[str, Request]]:
    """Every architecture with every place of the norms and every kind of positions, but for the tutorials' variants."""
    kinds = {knob.name: knob.choices for knob in KNOBS}
    for architecture in kinds["architecture"]:
        for place in kinds["norm_placement"]:
            for position in sorted(set(kinds["position"]) - set(SINUSOID_VARIANTS)):
                yield (
                    f"{architecture}_{place}_{position}",
                    tiny(architecture=architecture, norm_placement=place, position=position),
                )


def _others(knob: Knob) -> tuple[object, ...]:
    """Other values of a knob than its default one: all choices, or one number."""
    if knob.kind == "choice":
        return tuple(choice for choice in knob.choices if choice != knob.default)
    if knob.kind == "bool":
        return (not knob.default,)
    if knob.name in _OTHER_SIZES:
        return (_OTHER_SIZES[knob.name],)
    low, high = knob.valid.low, knob.valid.high
    return (5,) if knob.kind == "int" else (round(low + (high - low) * 0.3, 2),)


def _of_knobs() -> Iterator[tuple[str, Request]]:
    """Each knob turned by itself, so a knob that is new stands here too."""
    for knob in KNOBS:
        for value in () if knob.name in _MACHINE else _others(knob):
            yield f"{knob.name}_{value}", tiny(**{knob.name: value})


def _by_chance() -> Iterator[tuple[str, Request]]:
    """Several knobs at once, the same ones in each run."""
    chance = random.Random(1)
    for number in range(12):
        turned = [knob for knob in KNOBS if knob.name not in _MACHINE and chance.random() < 0.4]
        values = {knob.name: chance.choice(_others(knob)) for knob in turned}
        yield f"chance_{number}", tiny(**values)


def _of_changes() -> Iterator[tuple[str, Request]]:
    for name, changes in CHANGES.items():
        yield f"change_{name}", tiny().wishing(changes=changes)
    every = tuple(change for changes in CHANGES.values() for change in changes)
    yield "change_all", tiny(mask_value="-1e9", position="alibi", norm_placement="post").wishing(changes=every)
    yield (
        "change_of_one_side",
        tiny(architecture="decoder-only").wishing(
            changes=[Change("decoder.layers.1.residual2", "patch", rows=[0], text="你好，世界")]
        ),
    )
