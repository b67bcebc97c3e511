"""Names with a star in the place of the layer."""

import attrs
import numpy as np
import pytest

from explorer.errors import LayersDiffer, UnknownTap
from tests.trace.runs import a_trace

STAR = "encoder.layers.*.self_attn.weights"


def test_a_star_stacks_all_layers() -> None:
    """[layer, head, query, key], each layer to the last bit; like every array of a Trace, nobody can write to it."""
    trace = a_trace()
    stacked = trace[STAR]

    assert stacked.shape == (2, 4, 5, 5)
    assert trace.axes(STAR) == ("layer", "head", "query", "key")
    assert trace.shape(STAR) == stacked.shape
    assert all(np.array_equal(stacked[layer], trace[STAR.replace("*", str(layer))]) for layer in range(2))
    with pytest.raises(ValueError, match="read-only"):
        stacked[0, 0, 0, 0] = 1


def test_layers_stand_in_their_order() -> None:
    """Layer 10 comes after layer 9, not after layer 1."""
    from explorer.trace.patterns import taps_of

    names = [f"encoder.layers.{layer}.norm1" for layer in range(12)]
    assert taps_of("encoder.layers.*.norm1", reversed(names)) == tuple(names)
    assert taps_of("encoder.layers.*.norm1", ["encoder.layers.x.norm1", "encoder.layers.1.norm10"]) == ()


@pytest.mark.parametrize("name", ["encoder.layers.*.norm9", "*.layers.0.norm1", "encoder.layers.*.*", "encoder.*", "*"])
def test_other_stars_are_unknown_names(name: str) -> None:
    """A star stands for the layer alone, and the tap has to be there."""
    with pytest.raises(UnknownTap):
        a_trace()[name]
    with pytest.raises(UnknownTap):
        a_trace().axes(name)


def test_layers_of_different_shapes_are_refused() -> None:
    """The error names the shapes and a tap that can be asked for."""
    trace = a_trace()
    odd = attrs.evolve(trace, arrays={**trace.arrays, "encoder.layers.1.norm1": trace.places})
    with pytest.raises(LayersDiffer) as caught:
        odd["encoder.layers.*.norm1"]

    assert caught.value.values == {"tap": "encoder.layers.0.norm1", "shapes": "[5, 24], [6, 24]"}


def test_a_notebook_completes_names_and_stars() -> None:
    """Every name as it is, then each tap of layers once with a star; all of them give an array."""
    trace = a_trace()
    offered = trace._ipython_key_completions_()

    assert offered[: len(trace)] == list(trace.names())
    assert STAR in offered and len(offered) == len(set(offered))
    assert all(trace[name].ndim == len(trace.axes(name)) for name in offered)
    assert STAR not in trace and STAR not in list(trace)
