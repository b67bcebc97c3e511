"""What a tap means to a reader, and where it stands."""

import pytest

from explorer.lang import LANGUAGES, Words
from explorer.trace.stages import STAGES, stage_of
from explorer.trace.tap_names import ATTENTION_STAGES, TapPlace, place_of, with_layer


@pytest.mark.parametrize(
    ("tap", "key"),
    [
        ("encoder.embedding.tokens", "embedding.tokens"),
        ("decoder.layers.3.cross_attn.weights", "attention.weights"),
        ("encoder.layers.12.self_attn.query", "attention.query"),
        ("encoder.layers.0.feed_forward.hidden", "feed_forward.hidden"),
        ("decoder.layers.0.norm3", "norm"),
        ("decoder.layers.0.residual1", "residual"),
        ("encoder.norm", "norm"),
        ("generator.logits", "generator.logits"),
        ("decoder.layers.0.feed_forward.gate", "feed_forward.gate"),
        ("encoder.embedding.segments", "embedding.segments"),
        ("decoder.layers.1.feed_forward.routing", "feed_forward.routing"),
        ("decoder.layers.1.feed_forward.chosen", "feed_forward.chosen"),
    ],
)
def test_the_stage_follows_from_the_name(tap: str, key: str) -> None:
    """Side, layer and kind of attention do not matter."""
    assert stage_of(tap).key == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("model.foo.bar", "model.foo.bar"),
        ("conv1", "conv1"),
        ("encoder.layers.0.self_attn.wights", "self_attn.wights"),
        ("decoder.layers.11.moe.router", "moe.router"),
        ("decoder.norm99", "norm99"),
    ],
)
def test_an_unknown_tap_has_a_plain_stage(name: str, key: str) -> None:
    """It bears the tap's own name, comes behind all others, is signed and has no formula."""
    stage = stage_of(name)

    assert (stage.key, stage.range, stage.formula, stage.plain) == (key, "signed", "", True)
    assert stage.order > max(each.order for each in STAGES)
    assert not any(each.plain for each in STAGES)


def test_stages_stand_in_the_order_of_the_flow() -> None:
    """Each has a place of its own; weights come after scores."""
    orders = {stage.key: stage.order for stage in STAGES}

    assert list(orders.values()) == list(range(len(STAGES)))
    shown = [orders[f"attention.{name}"] for name in ATTENTION_STAGES]
    assert shown == sorted(shown)
    assert orders["embedding.output"] < shown[0] < shown[-1] < orders["generator.logits"]


def test_only_weights_and_probabilities_are_shares() -> None:
    """They have the one fixed scale from 0 to 1."""
    assert {stage.key for stage in STAGES if stage.range == "unit"} == {
        "attention.weights",
        "attention.dropped",
        "feed_forward.routing",
        "feed_forward.chosen",
        "generator.probabilities",
        "classifier.probabilities",
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_stage_has_a_title_and_a_short_name(language: str) -> None:
    """In both languages, and no text is empty."""
    words = Words.load(language)

    assert [
        key
        for stage in STAGES
        for key in (f"stage.{stage.key}.title", f"stage.{stage.key}.short")
        if key not in words or not words(key).strip()
    ] == []


@pytest.mark.parametrize(
    ("tap", "place"),
    [
        ("encoder.layers.0.self_attn.query", TapPlace("encoder", 0, "self_attn.query")),
        ("decoder.layers.63.norm3", TapPlace("decoder", 63, "norm3")),
        ("decoder.embedding.output", TapPlace("decoder", None, "embedding.output")),
        ("encoder.norm", TapPlace("encoder", None, "norm")),
        ("generator.logits", TapPlace("generator", None, "logits")),
    ],
)
def test_a_name_can_be_taken_apart(tap: str, place: TapPlace) -> None:
    """Side, layer, part."""
    assert place_of(tap) == place


def test_the_same_tap_in_another_layer() -> None:
    """Outside the layers there is only one."""
    assert with_layer("decoder.layers.3.norm1", 12) == "decoder.layers.12.norm1"
    assert with_layer("encoder.norm", 12) == "encoder.norm"
