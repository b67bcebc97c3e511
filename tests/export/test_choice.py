"""What an export of a tap consists of."""

import numpy as np
import pytest

from explorer.errors import UnknownHead, UnknownLayer, UnknownTap
from explorer.export.choice import Choice, single, together
from explorer.picture.kinds import HeadGrid, Heatmap, Strips
from explorer.state.look import Look
from tests.picture.examples import ARCHITECTURES, example, words

WEIGHTS = "encoder.layers.0.self_attn.weights"
QUERY = "encoder.layers.0.self_attn.query"


def test_a_choice_names_its_taps_and_heads() -> None:
    """One layer, another, all; a tap outside the layers has no others."""
    trace = example()
    assert Choice(WEIGHTS).taps(trace) == (WEIGHTS,)
    assert Choice(WEIGHTS, layer=1).taps(trace) == ("encoder.layers.1.self_attn.weights",)
    assert Choice(WEIGHTS, layer=None).taps(trace) == (WEIGHTS, "encoder.layers.1.self_attn.weights")
    assert Choice("encoder.norm", layer=None).taps(trace) == ("encoder.norm",)
    assert Choice("generator.logits", layer=1).taps(trace) == ("generator.logits",)
    assert Choice(WEIGHTS).heads(trace) == (0, 1, 2, 3)
    assert Choice(WEIGHTS, head=2).heads(trace) == (2,)
    assert Choice("encoder.norm", head=2).heads(trace) == (None,)


@pytest.mark.parametrize(
    ("choice", "error", "values"),
    [
        (Choice("encoder.layers.7.self_attn.weights"), UnknownTap, {"name": "encoder.layers.7.self_attn.weights"}),
        (Choice("encoder.layers.0.self_attn.wieghts", layer=None), UnknownTap, {"nearest": WEIGHTS}),
        (Choice("nonsense"), UnknownTap, {"name": "nonsense"}),
        (Choice(WEIGHTS, layer=2), UnknownLayer, {"got": 2, "last": 1}),
        (Choice(WEIGHTS, layer=-2), UnknownLayer, {"got": -2, "last": 1}),
        (Choice(WEIGHTS, head=4), UnknownHead, {"got": 4, "last": 3}),
        (Choice(WEIGHTS, head=-1), UnknownHead, {"got": -1, "last": 3}),
    ],
)
def test_what_is_not_there_is_named(choice: Choice, error: type, values: dict[str, object]) -> None:
    """With the nearest tap, the last head, the last layer."""
    with pytest.raises(error) as raised:
        choice.taps(example())
    assert values.items() <= raised.value.values.items()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_everything_together_is_one_figure(architecture: str) -> None:
    """A wall of attention, strips of what has heads, a map of what has neither: with the trace's numbers."""
    trace = example(architecture)
    for tap in trace.names():
        for layer in (-1, None):
            choice = Choice(tap, layer=layer)
            made = together(trace, choice, Look(), words())
            several = len(choice.taps(trace)) > 1
            if trace.axes(tap)[-1] == "key":
                assert isinstance(made, HeadGrid) and made.chosen is None
                shown = [thumbnail for row in made.values for thumbnail in row]
            elif several or trace.axes(tap)[0] == "head":
                assert isinstance(made, Strips)
                shown = [band.values for band in made.bands]
                assert len({band.scale for band in made.bands}) == 1
            else:
                assert isinstance(made, Heatmap)
                shown = [made.values]
            recorded = [one for name in choice.taps(trace) for one in (trace[name] if trace[name].ndim == 3 else [trace[name]])]
            for seen, kept in zip(shown, recorded, strict=True):
                open_ = ~np.isnan(seen)
                np.testing.assert_array_equal(seen[open_], kept[open_])


def test_one_head_of_all_layers_is_strips() -> None:
    """Named by layer and head, on the fixed scale of weights."""
    made = together(example(), Choice(WEIGHTS, head=2, layer=None), Look(), words("en"))
    assert isinstance(made, Strips)
    assert [band.caption.title for band in made.bands] == ["L0 H2", "L1 H2"]
    assert {(band.scale.low, band.scale.high) for band in made.bands} == {(0.0, 1.0)}


def test_a_wall_of_one_layer_is_named_by_that_layer() -> None:
    """Not by its place in the figure."""
    made = together(example(), Choice(WEIGHTS, layer=1), Look(), words())
    assert isinstance(made, HeadGrid) and made.layers == (1,)


def test_a_single_map_says_which_it_is() -> None:
    """Layer and head where there are any."""
    trace, en = example(), words("en")
    assert single(trace, QUERY, 3, Look(), en).caption.title == "Queries Q · L0 H3"
    assert single(trace, "encoder.layers.1.norm1", None, Look(), en).caption.title == "Layer norm · L1"
    assert single(trace, "encoder.norm", None, Look(), en).caption.title == "Layer norm"
    np.testing.assert_array_equal(single(trace, QUERY, 3, Look(), en).values, trace[QUERY][3])
