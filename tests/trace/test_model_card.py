"""What the card of our own model says, held against what a pass of that model recorded and what torch counts."""

import json
import math

import attrs
import numpy as np
import pytest
import torch

from explorer.config import Config
from explorer.engine.recording.recorder import Recording
from explorer.model.transformer import Transformer
from explorer.presets import load_preset, preset_names
from explorer.trace.model_card import ModelCard, SideCard
from explorer.trace.own_card import card_of, parameter_bytes
from tests.kept import kept_for_the_file
from tests.model.models import parameter_count
from tests.trace.runs import SOURCE, TARGET, recorded, small

ARCHITECTURES = ("encoder-decoder", "encoder-only", "decoder-only")
LENGTHS = {"encoder": len(SOURCE), "decoder": len(TARGET)}
VARIED = [
    {},
    {"position": "learned", "norm_placement": "post", "causal_mask_encoder": True},
    {"position": "alibi", "bias": False, "temperature": 2.0, "mask_value": "-1e9"},
    {"tied_embeddings": True, "score_scaling": False, "causal_mask": False, "causal_mask_cross": True},
    {"target_vocab_size": 30, "tied_embeddings": True, "position": "none", "n_layers": 3, "d_ff": 12},
    {"target_vocab_size": 9, "position": "rotary", "norm_kind": "std-eps", "activation": "gelu"},
]
EACH = [(architecture, knobs) for architecture in ARCHITECTURES for knobs in VARIED]
each = pytest.mark.parametrize(("architecture", "knobs"), EACH)


@kept_for_the_file
def _pass(config: Config) -> Recording:
    return recorded(config)


def made(architecture: str, knobs: dict[str, object]) -> tuple[ModelCard, Recording]:
    config = small(architecture=architecture, **knobs)
    return card_of(config), _pass(config)


def counted(config: Config) -> int:
    with torch.device("meta"):
        return parameter_count(Transformer(config))


@each
def test_the_card_counts_the_parameters_that_torch_counts(architecture: str, knobs: dict[str, object]) -> None:
    """To the last one, before anything is built: biases, norms, tied tables and learned positions among them."""
    config = small(architecture=architecture, **knobs)

    assert card_of(config).parameters == counted(config)
    assert parameter_bytes(config) == 4 * counted(config)


@pytest.mark.parametrize("name", preset_names())
def test_the_card_counts_the_parameters_of_every_preset(name: str) -> None:
    """In every size that is offered."""
    assert card_of(load_preset(name).config).parameters == counted(load_preset(name).config)


def test_a_count_that_is_off_would_be_noticed() -> None:
    """By one bias."""
    assert card_of(small()).parameters != counted(small(d_ff=41))


@each
def test_sides_layers_and_attentions_are_those_that_were_recorded(architecture: str, knobs: dict[str, object]) -> None:
    """No tap stands elsewhere, and every place that the card names has taps."""
    card, recording = made(architecture, knobs)
    weights = {name for name in recording.arrays if name.endswith("_attn.weights")}

    assert card.architecture == architecture
    assert weights == {
        f"{side.name}.layers.{layer}.{attention}.weights"
        for side in card.sides
        for layer in range(side.n_layers)
        for attention in side.attentions
    }
    assert {side.name for side in card.sides} == {name.split(".")[0] for name in recording.arrays} - {"generator"}


@each
def test_sizes_are_those_of_the_recorded_arrays(architecture: str, knobs: dict[str, object]) -> None:
    """Heads, features of a head, of a vector and of the feed-forward layer, symbols."""
    card, recording = made(architecture, knobs)
    arrays = recording.arrays
    for side in card.sides:
        layer = f"{side.name}.layers.0"
        n = LENGTHS[side.name]
        assert arrays[f"{layer}.self_attn.query"].shape == (side.n_heads, n, card.d_head)
        assert arrays[f"{layer}.self_attn.key"].shape == (side.n_kv_heads, n, card.d_head)
        assert arrays[f"{layer}.feed_forward.hidden"].shape == (n, side.d_ff)
        assert arrays[f"{layer}.residual1"].shape == (n, card.d_model)
    assert arrays["generator.logits"].shape[1] == card.vocab_size


@each
def test_what_the_card_says_of_scores_is_what_was_done_to_them(architecture: str, knobs: dict[str, object]) -> None:
    """The divisor, the value of closed scores, and in which attentions no query sees a later key."""
    card, recording = made(architecture, knobs)
    for name in card.attentions:
        side, attention = name.split(".")
        scores, scaled, masked = (
            recording.arrays[f"{side}.layers.0.{attention}.{stage}"] for stage in ("scores", "scaled", "masked")
        )
        np.testing.assert_allclose(scaled, scores / card.score_divisor, rtol=1e-5, atol=1e-6)
        later = np.arange(scores.shape[2])[None, :] > np.arange(scores.shape[1])[:, None]
        assert (masked[:, later] == np.float32(card.mask_value)).all() == (name in card.causal)


@each
def test_positions_are_added_where_the_card_says_so(architecture: str, knobs: dict[str, object]) -> None:
    """Elsewhere the tap of positions is zero."""
    card, recording = made(architecture, knobs)
    side = card.sides[0].name

    assert bool(np.any(recording.arrays[f"{side}.embedding.positions"])) == card.position_added
    assert card.position == knobs.get("position", "sinusoidal")


@pytest.mark.parametrize(("placement", "reads"), [("pre", "norm1"), ("post", "embedding.output")])
def test_the_norm_stands_where_the_card_says(placement: str, reads: str) -> None:
    """Before the sublayer what attention reads is normalized, after it the stream itself is."""
    config = small(norm_placement=placement, architecture="encoder-only")
    arrays = _pass(config).arrays
    stream = arrays["encoder.layers.0.norm1" if reads == "norm1" else "encoder.embedding.output"]
    added = arrays["encoder.layers.0.residual1"] - arrays["encoder.layers.0.self_attn.output"]

    assert card_of(config).norm_placement == placement
    np.testing.assert_allclose(added, arrays["encoder.embedding.output"], atol=1e-5)
    normalized = abs(float(stream.mean(axis=1).max())) < 1e-5
    assert normalized == (placement == "pre")


FOREIGN = ModelCard(
    name="someone's",
    family="gpt",
    sides=(
        SideCard(name="encoder", n_layers=3, n_heads=8, n_kv_heads=2, d_ff=64, vocab_size=100, attentions=("self_attn",)),
        SideCard(
            name="decoder", n_layers=2, n_heads=6, n_kv_heads=3, d_ff=48, vocab_size=90, attentions=("self_attn", "cross_attn")
        ),
    ),
    d_model=32,
    d_head=8,
    vocab_size=90,
    max_len=0,
    position="relative-bias",
    position_added=False,
    absent={"embedding.scaled": "absent.not_separate", "residual1": "absent.parallel"},
    mask_value=-3.4e38,
    trained=True,
)


def test_sides_may_differ() -> None:
    """A tap, an attention or a name leads to its own side; the output stands behind the last one."""
    assert [FOREIGN.side(name).n_layers for name in ("encoder", "decoder", "encoder.self_attn")] == [3, 2, 3]
    assert FOREIGN.side("decoder.layers.1.cross_attn.weights").n_heads == 6
    assert FOREIGN.side("generator.logits").name == "decoder"
    assert FOREIGN.side("model.foo.bar").name == "decoder"
    assert FOREIGN.attentions == ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")
    assert (FOREIGN.has("encoder"), card_of(small(architecture="decoder-only")).has("encoder")) == (True, False)


@pytest.mark.parametrize(
    ("tap", "heads"),
    [
        ("encoder.layers.0.self_attn.key", [0, 0, 0, 0, 1, 1, 1, 1]),
        ("encoder.layers.0.self_attn.query", list(range(8))),
        ("encoder.layers.0.self_attn.scores", list(range(8))),
        ("decoder.layers.0.cross_attn.value", [0, 0, 1, 1, 2, 2]),
    ],
)
def test_heads_share_keys_and_values_in_order(tap: str, heads: list[int]) -> None:
    """As many next to each other as there are query heads for one key head."""
    assert [FOREIGN.head_in(tap, head) for head in range(len(heads))] == heads


def test_it_says_why_a_tap_is_absent() -> None:
    """In every layer and on both sides; of all others it knows nothing."""
    assert FOREIGN.why_absent("encoder.embedding.scaled") == "absent.not_separate"
    assert FOREIGN.why_absent("decoder.layers.1.residual1") == "absent.parallel"
    assert FOREIGN.why_absent("decoder.layers.1.residual2") == ""


@pytest.mark.parametrize("card", [FOREIGN, card_of(small()), card_of(small(mask_value="-1e9", causal_mask=False), "x", True)])
def test_it_comes_back_from_json(card: ModelCard) -> None:
    """Equal in every field, the mask's infinity among them, in JSON as every reader knows it."""
    text = json.dumps(card.values(), allow_nan=False)

    assert ModelCard.of_values(json.loads(text)) == card


@pytest.mark.parametrize(
    "changes",
    [
        {"sides": []},
        {"sides": 7},
        {"sides": [{"name": "encoder"}]},
        {"d_model": 0},
        {"d_model": 8.0},
        {"d_head": "8"},
        {"vocab_size": -1},
        {"position": None},
        {"norm_placement": "beside"},
        {"mask_value": "low"},
        {"trained": "yes"},
        {"absent": 3},
        {"wings": 2},
    ],
    ids=repr,
)
def test_what_no_model_can_be_is_refused(changes: dict[str, object]) -> None:
    """At the border, so that no picture meets it."""
    with pytest.raises((TypeError, ValueError)):
        ModelCard.of_values({**FOREIGN.values(), **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "middle"},
        {"n_layers": 0},
        {"n_kv_heads": 3},
        {"n_kv_heads": 0},
        {"n_layers": True},
        {"attentions": ("cross_attn",)},
        {"attentions": "self_attn"},
    ],
    ids=repr,
)
def test_what_no_side_can_be_is_refused(changes: dict[str, object]) -> None:
    """Eight heads cannot share three keys, and an encoder looks at nothing but itself."""
    with pytest.raises((TypeError, ValueError)):
        attrs.evolve(FOREIGN.sides[0], **changes)


def test_each_side_stands_once_and_the_encoder_first() -> None:
    """Otherwise the output would hang on the wrong one."""
    encoder, decoder = FOREIGN.sides
    for sides in ((decoder, encoder), (encoder, encoder), ()):
        with pytest.raises(ValueError, match="sides"):
            attrs.evolve(FOREIGN, sides=sides)


def test_without_the_root_only_the_temperature_divides() -> None:
    """√8 · 2, and 2."""
    assert attrs.evolve(FOREIGN, temperature=2.0).score_divisor == 2 * math.sqrt(8)
    assert attrs.evolve(FOREIGN, temperature=2.0, score_scaling=False).score_divisor == 2.0
