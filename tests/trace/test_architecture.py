"""The blocks of a model and the counts of their parameters, held against the modules that torch has."""

from random import Random

import attrs
import pytest
import torch

from explorer.config import Config
from explorer.errors import BadKnob
from explorer.model.transformer import Transformer
from explorer.presets import load_preset, preset_names
from explorer.trace.architecture import Architecture, architecture_of
from explorer.trace.own_card import card_of
from tests.model.models import parameter_count
from tests.trace.foreign import foreign_trace
from tests.trace.runs import small

N_CONFIGS = 200


def architecture(config: Config) -> Architecture:
    return architecture_of(card_of(config), config)


def random_config(chance: Random) -> Config:
    """Sizes that are all different, and every choice that decides which weights there are."""
    while True:
        try:
            return Config(
                architecture=chance.choice(("encoder-decoder", "encoder-only", "decoder-only")),
                n_layers=chance.randint(1, 7),
                n_heads=chance.choice((1, 2, 4)),
                d_model=4 * chance.randint(1, 12),
                d_ff=4 * chance.randint(1, 20),
                max_len=chance.randint(2, 50),
                vocab_size=chance.randint(16, 90),
                target_vocab_size=chance.choice((0, 0, 7, 33)),
                position=chance.choice(("sinusoidal", "learned", "rotary", "alibi", "none")),
                norm_placement=chance.choice(("pre", "post")),
                bias=chance.random() < 0.5,
                tied_embeddings=chance.random() < 0.5,
            )
        except BadKnob:
            continue


def built(config: Config) -> Transformer:
    """The real model, whose numbers take no memory."""
    with torch.device("meta"):
        return Transformer(config)


def torch_counts(model: Transformer) -> dict[str, int]:
    """For each block the parameters of its own modules, each tensor once, in the first block that has it."""
    config, seen, counts = model.config, set(), {}

    def count(key: str, *modules: torch.nn.Module | None) -> None:
        found = {id(each): each for module in modules if module is not None for each in module.parameters()}
        counts[key] = counts.get(key, 0) + sum(each.numel() for name, each in found.items() if name not in seen)
        seen.update(found)

    stacks = {"encoder": model.encoder, "decoder": model.decoder}
    sides = {name: stack for name, stack in stacks.items() if stack is not None}
    count("embedding", *(stack.embedding.look_up for stack in sides.values()))
    count("position", *(stack.embedding.learned for stack in sides.values()))
    for side, stack in sides.items():
        for number, layer in enumerate(stack.layers):
            key = f"{side}.layers.{number}"
            count(f"{key}.self_attn", layer.self_attn, layer.around_self)
            if hasattr(layer, "cross_attn"):
                count(f"{key}.cross_attn", layer.cross_attn, layer.around_cross)
            count(f"{key}.feed_forward", layer.feed_forward, layer.around_feed)
        if config.norm_placement == "pre":
            count(f"{side}.layers.{config.n_layers - 1}.feed_forward", stack.normalize)
    count("generator", model.generator)
    return counts


@pytest.mark.slow  # two hundred models are built
@pytest.mark.parametrize("seed", range(4))
def test_every_block_counts_what_torch_counts(seed: int) -> None:
    """In two hundred random models: each block by itself, and all of them together."""
    chance = Random(seed)
    for _ in range(N_CONFIGS // 4):
        config = random_config(chance)
        model, made = built(config), architecture(config)
        assert {block.key: block.n_parameters for block in made.blocks if block.kind not in ("tokens", "sum")} == torch_counts(
            model
        )
        assert made.n_parameters == parameter_count(model) == sum(block.n_parameters or 0 for block in made.blocks)


def test_a_block_that_is_counted_wrongly_is_found() -> None:
    """A feed-forward of one more feature has other counts, and only there."""
    ours, theirs = architecture(small()), torch_counts(built(small(d_ff=44)))

    wrong = {block.kind for block in ours.blocks if block.key in theirs and block.n_parameters != theirs[block.key]}
    assert wrong == {"feed_forward"}


@pytest.mark.parametrize("name", preset_names())
def test_the_blocks_of_every_preset_make_up_its_card(name: str) -> None:
    """The translator has 9,190,256 parameters."""
    config = load_preset(name).config
    made = architecture(config)

    assert sum(block.n_parameters or 0 for block in made.blocks) == made.n_parameters == card_of(config).parameters
    if name == "translator":
        assert made.n_parameters == 9_190_256


def test_blocks_stand_in_the_order_of_computation() -> None:
    """The encoder first; in a decoder's layer masked self-attention, cross-attention, feed-forward; each key once."""
    made = architecture(small())
    inside = ("self_attn", "feed_forward")

    assert [block.key for block in made.blocks] == [
        *("tokens", "embedding", "position", "sum"),
        *(f"encoder.layers.{layer}.{part}" for layer in range(2) for part in inside),
        *(f"decoder.layers.{layer}.{part}" for layer in range(2) for part in ("self_attn", "cross_attn", "feed_forward")),
        "generator",
    ]
    assert len({block.key for block in made.blocks}) == len(made.blocks)
    assert [block.causal for block in made.blocks if block.layer == 0] == [False, False, True, False, False]


@pytest.mark.parametrize(("kind", "side"), [("encoder-only", "encoder"), ("decoder-only", "decoder")])
def test_a_model_of_one_side_has_no_cross_attention(kind: str, side: str) -> None:
    """Its layers are all of that side."""
    made = architecture(small(architecture=kind))

    assert {block.side for block in made.blocks} == {"", side}
    assert "cross_attn" not in {block.kind for block in made.blocks}


def test_a_matrix_that_is_shared_counts_once_and_is_told_of() -> None:
    """With tied embeddings it counts in the embedding, and the generator says that it computes with it too."""
    tied, own = architecture(small(tied_embeddings=True)), architecture(small())

    assert [(block.n_parameters, block.n_shared) for block in (tied.blocks[-1], own.blocks[-1])] == [
        (50, 50 * 24),
        (50 + 50 * 24, 0),
    ]


def test_blocks_of_somebody_elses_model_have_no_counts() -> None:
    """Its card knows the whole alone; nothing is made up."""
    card = attrs.evolve(foreign_trace().card, parameters=777)
    made = architecture_of(card)

    assert made.n_parameters == 777
    assert {block.n_parameters for block in made.blocks} == {None}
    assert made.block("decoder.layers.0.self_attn") is not None and made.block("encoder.layers.0.self_attn") is None
