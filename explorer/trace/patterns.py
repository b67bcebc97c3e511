"""Names with a star: "encoder.layers.*.self_attn.weights" is that tap of all layers, stacked along a new first axis `layer`."""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from explorer.errors import LayersDiffer
from explorer.trace.arrays import Array

_STAR = ".layers.*."


def is_pattern(name: object) -> bool:
    """Whether a name stands for a tap of every layer."""
    return isinstance(name, str) and name.count("*") == 1 and _STAR in name


def taps_of(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """The taps that a pattern stands for, in the order of their layers; () where no layer has such a tap."""
    before, _, after = name.partition("*")
    fits = re.compile(rf"{re.escape(before)}(\d+){re.escape(after)}")
    found = [(int(match[1]), tap) for tap in known if (match := fits.fullmatch(tap))]
    return tuple(tap for _layer, tap in sorted(found))


def stacked(taps: Sequence[str], arrays: Sequence[Array]) -> Array:
    """[layer, …] the arrays of these taps, read-only. Raises LayersDiffer."""
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise LayersDiffer(tap=taps[0], shapes=", ".join(str(list(array.shape)) for array in arrays))
    made: Array = np.stack(arrays)  # [layer, …]
    made.setflags(write=False)
    return made


def with_patterns(axes: Mapping[str, object]) -> tuple[str, ...]:
    """All names of taps, and at last one pattern for each tap that layers have."""
    stars = (re.sub(r"\.layers\.\d+\.", _STAR, name, count=1) for name in axes)
    return (*axes, *dict.fromkeys(name for name in stars if is_pattern(name)))
