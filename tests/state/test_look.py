"""What is looked at gives way to what a trace has."""

import pytest

from explorer.errors import BadField
from explorer.lang import Words
from explorer.state.look import Look, attentions, sides_of
from tests.picture.examples import ARCHITECTURES, asked, example

OFFERED = {
    "encoder-decoder": ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn"),
    "encoder-only": ("encoder.self_attn",),
    "decoder-only": ("decoder.self_attn",),
}
SIDES = {"encoder-decoder": ("encoder", "decoder"), "encoder-only": ("encoder",), "decoder-only": ("decoder",)}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_trace_offers_the_attentions_and_sides_it_has(architecture: str) -> None:
    """Each architecture its own."""
    assert attentions(example(architecture)) == OFFERED[architecture]
    assert sides_of(example(architecture)) == SIDES[architecture]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_look_that_fits_stays_as_it_is(architecture: str) -> None:
    """Nothing is changed without need."""
    trace = example(architecture)
    fitting = Look(
        attention=OFFERED[architecture][-1],
        layer=1,
        head=3,
        stage="scores",
        side=SIDES[architecture][-1],
        tap=trace.names()[-1],
        position=2,
        cell_query=2,
        cell_key=3,
        unit_colours="viridis",
        signed_colours="purple-orange",
    )
    assert fitting.fitted(trace) == fitting


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_what_a_trace_lacks_gives_way(architecture: str) -> None:
    """Every part of the fitted look can be shown."""
    trace = example(architecture)
    asked = Look(attention="decoder.cross_attn", layer=63, head=63, side="decoder", tap="no.tap", position=99)
    fitted = asked.fitted(trace)
    assert fitted.attention_tap() in trace
    assert fitted.attention == OFFERED[architecture][-1]
    assert (fitted.layer, fitted.head, fitted.position) == (1, 3, -1)
    assert fitted.side == SIDES[architecture][-1]
    assert fitted.tap == trace.names()[0]


def test_a_tap_is_named_from_attention_layer_and_stage() -> None:
    """The chosen stage, or the one that is asked for."""
    look = Look(attention="decoder.cross_attn", layer=3, stage="masked")
    assert look.attention_tap() == "decoder.layers.3.cross_attn.masked"
    assert look.attention_tap("query") == "decoder.layers.3.cross_attn.query"


def test_the_output_opens_on_the_least_sure_word() -> None:
    """By a second search over all steps; the end symbol and punctuation are no words, and whoever chooses a step has it."""
    trace = asked("he likes it")
    chances = [float(trace["generator.probabilities"][step, each]) for step, each in enumerate(trace.expected)]
    words = [step for step, each in enumerate(trace.expected) if trace.symbols[each] != "<eos>"]
    assert 0 < len(words) < len(chances)

    assert chances[Look().step(trace)] == min(chances[step] for step in words)
    assert all(Look(position=step).step(trace) == step for step in range(len(chances)))
    assert Look().step(example()) == len(example().tokens.target) - 1, "nothing was expected of this model"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("matched", "meaning"),
        ("attention", "nowhere.self_attn"),
        ("stage", "nothing"),
        ("side", "middle"),
        ("layer", -1),
        ("position", -2),
        ("cell_query", -2),
        ("cell_key", 2**31 + 1),
        ("shift", 0),
        ("top_p", 1.5),
        ("top_k", -1),
        ("signed_colours", "red"),
        ("part", "softmax"),
    ],
)
def test_what_no_model_could_have_is_refused(field: str, value: object) -> None:
    """Field and value are named in both languages."""
    with pytest.raises(BadField) as refused:
        Look(**{field: value})
    assert f"{field} cannot be {value}." == Words.load("en").error(refused.value)
    assert f"“{field}”不能是“{value}”。" == Words.load("zh").error(refused.value)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_cell_that_a_trace_lacks_gives_way(architecture: str) -> None:
    """Both of its numbers: half a cell would be another one."""
    trace = example(architecture)
    for query, key in ((4, 0), (0, 4), (99, 99), (-1, 2)):
        fitted = Look(cell_query=query, cell_key=key).fitted(trace)
        assert (fitted.cell_query, fitted.cell_key) == (-1, -1)
