"""Knobs that break a model in a telling way, each with the value that does it. The change page has a switch for each.

They are knobs and no Changes, so the panel of knobs shows the same values: one state with two handles.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from explorer.config import Config
from explorer.knobs import Value
from explorer.presets import load_preset
from explorer.state.wish import Wish
from explorer.trace.changes import Change

if TYPE_CHECKING:  # A command line that asks for no pass does without NumPy.
    from explorer.trace.trace import Trace

BREAKS: Mapping[str, Value] = {
    "position": "none",
    "causal_mask": False,
    "score_scaling": False,
    "temperature": 4.0,
    "residual": False,
}
"""By knob the value that breaks; all of these knobs apply to the pass."""


@attrs.frozen
class Alterations:
    """What a Wish alters: its `changes` that are on, in a model with `n_heads`, and the turned `knobs` by name, those of BREAKS
    with another value than the preset's.
    """

    changes: tuple[Change, ...]
    n_heads: int
    knobs: Mapping[str, Value]


def alterations(wish: Wish) -> Alterations:
    """What a Wish alters. Raises UnknownPreset."""
    values = wish.config.values()
    return Alterations(wish.active, wish.config.n_heads, {name: values[name] for name in broken(wish.config, wish.preset)})


def offered(preset: str) -> tuple[str, ...]:
    """The knobs that would break a preset's model: those whose value differs from the breaking one. Raises UnknownPreset."""
    own = load_preset(preset).config.values()
    return tuple(name for name in turning(preset) if own[name] != BREAKS[name])


def turning(preset: str) -> tuple[str, ...]:
    """The knobs of BREAKS that a preset's model has: for a foreign model, the temperature alone. Raises UnknownPreset."""
    return tuple(BREAKS) if load_preset(preset).foreign is None else ("temperature",)


def broken(config: Config, preset: str) -> tuple[str, ...]:
    """The knobs among them that somebody has turned away from the preset's value. Raises UnknownPreset."""
    own, here = load_preset(preset).config.values(), config.values()
    return tuple(name for name in turning(preset) if own[name] != here[name])


def broken_in(trace: "Trace") -> tuple[str, ...]:
    """The same of the model that made a Trace; none in another's model, which has no Config. Raises UnknownPreset."""
    return () if trace.config is None else broken(trace.config, trace.preset)


def unchanged(wish: Wish) -> Wish:
    """The wish without changes and with the preset's own values of these knobs: the "before" of the change page."""
    own = load_preset(wish.preset).config.values()
    config = wish.config.changed(**{name: own[name] for name in BREAKS})
    return attrs.evolve(wish, changes=(), config=config, batch=(), other="", toward=(), away=(), compared_with=None)
