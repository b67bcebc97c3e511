"""Untrained weights: how many, drawn how, and what leaves them alone."""

import math
import os
import sys
import threading
from typing import Any

import pytest
import torch
from torch import nn

from explorer.config import KNOBS, Config
from explorer.knobs import Knob
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build, can_be_redrawn, redrawn, untrained, with_knobs
from explorer.presets import load_preset
from tests.model.models import parameter_count, small


def on_paper(config: Config) -> int:
    """How many parameters there should be, by hand."""
    d, f, v = config.d_model, config.d_ff, config.vocab_size
    attention = 4 * (d * d + d * config.bias)
    feed_forward = d * f + f + f * d + d
    norm = 2 * d
    encoder = config.n_layers * (attention + feed_forward + 2 * norm)
    decoder = config.n_layers * (2 * attention + feed_forward + 3 * norm)
    final = 2 * norm if config.norm_placement == "pre" else 0
    matrices = 1 if config.tied_embeddings else 3
    return encoder + decoder + final + matrices * v * d + v


def counted(config: Config) -> int:
    with torch.device("meta"):
        return parameter_count(Transformer(config))


@pytest.mark.parametrize("knobs", [{}, {"bias": False}, {"tied_embeddings": True}, {"norm_placement": "post"}])
def test_the_count_is_that_on_paper(knobs: dict[str, object]) -> None:
    """Biases, tied matrices and the final norms, each on and off."""
    assert counted(small(**knobs)) == on_paper(small(**knobs))


def test_the_base_model_has_48_242_496_parameters() -> None:
    """44,138,496 in twelve layers, one matrix of 8000 by 512, 8000 biases; post-norm has no final norm."""
    config = load_preset("paper-base").config

    assert counted(config) == on_paper(config) == 44_138_496 + 8000 * 512 + 8000 == 48_242_496


def test_tutorial_a_has_478_497_672_parameters() -> None:
    """Row A7 of the tutorials: Transformers(5000, 5000, 512, 32 heads, 64 layers). On "meta", without its 1.9 GB."""
    config = load_preset("tutorial-a").config

    assert counted(config) == on_paper(config) == 478_497_672


def test_tutorial_b_has_as_many_parameters_as_its_text_builds() -> None:
    """make_transformer(1000, 1000, 8): eight and eight layers without projection biases, three matrices, one bias."""
    encoder = 4 * 512 * 512 + (512 * 2048 + 2048 + 2048 * 512 + 512) + 2 * 2 * 512
    decoder = encoder + 4 * 512 * 512 + 2 * 512

    assert counted(load_preset("tutorial-b").config) == 8 * (encoder + decoder) + 2 * 2 * 512 + 3 * 1000 * 512 + 1000


def test_copied_layers_are_equal_at_the_start() -> None:
    """copy.deepcopy of one layer: all attentions alike, cross-attention too, all feed-forward layers alike; W_Q is not W_K."""
    weights = build(small(initialization="cloned-layers")).state_dict()
    first = "encoder.layers.0.self_attn.project_query.weight"

    for place in ("encoder.layers.1.self_attn", "decoder.layers.0.self_attn", "decoder.layers.1.cross_attn"):
        assert torch.equal(weights[first], weights[f"{place}.project_query.weight"])
    assert torch.equal(
        weights["encoder.layers.0.feed_forward.expand.weight"], weights["decoder.layers.1.feed_forward.expand.weight"]
    )
    assert not torch.equal(weights[first], weights[first.replace("query", "key")])
    assert not torch.equal(*(build(small()).state_dict()[first.replace("0", layer)] for layer in "01"))


def test_copied_projections_are_equal_too() -> None:
    """clones(nn.Linear, 4): W_Q, W_K, W_V and W_O begin as one matrix."""
    weights = build(small(initialization="cloned-projections")).state_dict()
    place = "decoder.layers.1.cross_attn.project_{}.weight"

    for name in ("key", "value", "output"):
        assert torch.equal(weights[place.format("query")], weights[place.format(name)])
    assert not torch.equal(weights["encoder.embedding.look_up.weight"], weights["decoder.embedding.look_up.weight"])


@pytest.mark.parametrize("kind", ["torch", "std-eps"])
def test_norms_begin_with_the_shift_that_is_asked_for(kind: str) -> None:
    """Gains stay 1, other biases 0; the mean of what leaves a norm is the shift."""
    model = build(small(norm_kind=kind, norm_shift=1.0))
    norm = model.encoder.layers[0].around_self.normalize

    assert norm.bias.eq(1).all()
    assert norm.weight.eq(1).all()
    assert not model.encoder.layers[0].self_attn.project_query.bias.any()
    assert norm(torch.randn(3, 24)).mean(dim=-1).tolist() == pytest.approx([1, 1, 1], abs=1e-6)


@pytest.mark.parametrize(("architecture", "sides"), [("encoder-only", 1), ("decoder-only", 1), ("encoder-decoder", 2)])
def test_learned_positions_count(architecture: str, sides: int) -> None:
    """max_len rows on each side."""
    learned, without = (counted(small(architecture=architecture, position=kind, max_len=30)) for kind in ("learned", "none"))
    assert learned - without == sides * 30 * 24


def test_one_sided_models_are_alike() -> None:
    """Encoder-only and decoder-only have the same parts; a mask makes the difference."""
    assert counted(small(architecture="encoder-only")) == counted(small(architecture="decoder-only"))


def test_tied_embeddings_are_one_tensor() -> None:
    """Source, target and generator share the very storage."""
    model = build(small(tied_embeddings=True))
    matrices = [model.encoder.embedding.look_up.weight, model.decoder.embedding.look_up.weight]

    assert all(matrix is model.generator.project.weight for matrix in matrices)


@pytest.mark.parametrize(("architecture", "side"), [("encoder-only", "encoder"), ("decoder-only", "decoder")])
def test_a_one_sided_model_ties_the_side_it_has(architecture: str, side: str) -> None:
    """Drawn as an embedding, N(0, 1/√d_model)."""
    model = build(small(architecture=architecture, tied_embeddings=True, vocab_size=5000))
    matrix = model.get_submodule(side).embedding.look_up.weight

    assert matrix is model.generator.project.weight
    assert matrix.std().item() == pytest.approx(24**-0.5, rel=0.02)


def test_tied_embeddings_stay_one_tensor_in_a_new_model() -> None:
    """A pass with other knobs takes the weights over; a change in one place is a change in all."""
    model = build(small(tied_embeddings=True))
    again = build(small(tied_embeddings=True, temperature=2), model.state_dict())
    again.generator.project.weight[0, 0] = 7.0

    assert again.encoder.embedding.look_up.weight[0, 0] == again.decoder.embedding.look_up.weight[0, 0] == 7.0


def test_untied_embeddings_are_three_matrices() -> None:
    """And none of them is like another."""
    model = build(small())
    source, target = model.encoder.embedding.look_up.weight, model.decoder.embedding.look_up.weight

    assert not torch.equal(source, target)
    assert not torch.equal(source, model.generator.project.weight)


def test_the_same_seed_gives_the_same_weights() -> None:
    """To the last bit, whatever torch's own seed is."""
    torch.manual_seed(1)
    first = build(small(seed=3)).state_dict()
    torch.manual_seed(2)
    second = build(small(seed=3)).state_dict()

    assert all(torch.equal(first[name], second[name]) for name in first)


def test_another_seed_gives_other_weights() -> None:
    """In every matrix; biases are zero and gains one for all seeds."""
    first, second = (build(small(seed=seed)).state_dict() for seed in (0, 1))

    for name in first:
        assert torch.equal(first[name], second[name]) == (first[name].dim() == 1), name


def test_drawing_leaves_torchs_own_stream_alone() -> None:
    """Somebody else's random numbers in the same process do not depend on it."""
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    build(small())

    assert torch.equal(torch.rand(3), expected)


def _place_in_line() -> int:
    """By how many steps the present thread stands behind others."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere all threads of a process share their priority")
def test_drawing_stands_behind_the_window_and_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    before, places, drawn = _place_in_line(), set[tuple[bool, int]](), nn.init.xavier_uniform_

    def fresh(*given: Any, **named: Any) -> torch.Tensor:
        places.add((threading.current_thread() is threading.main_thread(), _place_in_line()))
        return drawn(*given, **named)

    monkeypatch.setattr(nn.init, "xavier_uniform_", fresh)
    build(Config(d_model=128, d_ff=1024, n_layers=1))  # small matrices and large ones

    assert places == {(True, before), (False, min(before + 10, 19))}
    assert _place_in_line() == before


@pytest.mark.parametrize("knob", [{"n_layers": 3}, {"position": "learned"}, {"norm_placement": "post"}])
def test_what_is_added_leaves_the_rest_unchanged(knob: dict[str, object]) -> None:
    """Each parameter draws from its own name, so earlier layers keep their weights."""
    before, after = build(small()).state_dict(), build(small(**knob)).state_dict()

    assert before.keys() <= after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_no_two_layers_are_alike() -> None:
    """They are drawn, not copied."""
    model = build(small(n_layers=2))
    first, second = (layer.self_attn.project_query.weight for layer in model.encoder.layers)

    assert not torch.equal(first, second)


def test_weights_have_the_spread_of_their_kind() -> None:
    """Xavier's bound √(6/(in+out)) for matrices; embeddings of unit variance after ·√d_model; gains 1, biases 0."""
    model = build(Config())
    matrix = model.encoder.layers[0].feed_forward.expand.weight
    bound = math.sqrt(6 / (64 + 256))

    assert bound * 0.99 < matrix.abs().max() <= bound
    assert matrix.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
    assert (model.encoder.embedding.look_up.weight * 8).std().item() == pytest.approx(1, rel=0.01)
    assert (model.encoder.normalize.weight == 1).all()
    assert not model.encoder.normalize.bias.any()
    assert not model.generator.project.bias.any()


def test_progress_climbs_and_may_end_the_work() -> None:
    """Told before each parameter; what it raises goes through."""
    shares: list[float] = []
    build(small(), progress=shares.append)

    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.9 < shares[-1] < 1

    def enough(share: float) -> None:
        if share > 0.5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        build(small(), progress=enough)


def test_names_are_those_of_the_model() -> None:
    """Nothing is missing and nothing is too much, tied or not."""
    for tied in (True, False):
        with torch.device("meta"):
            model = Transformer(small(tied_embeddings=tied))
        assert untrained(model, model.config).keys() == model.state_dict().keys()


def test_a_built_model_is_ready() -> None:
    """No gradients; dropout acts only where the Config says so."""
    assert not any(parameter.requires_grad for parameter in build(small()).parameters())
    assert [build(small(dropout_active=active)).training for active in (True, False)] == [True, False]
    assert build(small())(ids_tensor((1, 2)), ids_tensor((3,))).shape == (1, 1, 50)


@pytest.mark.parametrize("knob", [knob for knob in KNOBS if knob.applies == "pass"], ids=lambda knob: knob.name)
def test_turning_a_knob_is_the_same_as_building_anew(knob: Knob) -> None:
    """Whether modules are kept or made again, each knob of the pass gives the logits of a fresh model with that knob."""
    other = {"choice": lambda: knob.choices[-1], "bool": lambda: not knob.default}.get(
        knob.kind, lambda: knob.nearest(float(knob.default) / 2 + 0.3)
    )()
    start = small(
        dropout=0.4,
        dropout_active=knob.name.startswith("dropout"),
        architecture="encoder-decoder",
        mask_value="-1e9" if knob.name == "masking" else "-inf",
    )
    turned = with_knobs(build(start), start.changed(**{knob.name: other}))
    fresh = build(start.changed(**{knob.name: other}))

    def logits(model: Transformer) -> torch.Tensor:
        torch.manual_seed(7)
        return model(ids_tensor((1, 2, 3, 4)), ids_tensor((5, 6, 7)))  # type: ignore[no-any-return]

    assert turned.config == fresh.config
    assert torch.equal(logits(turned), logits(fresh))


@pytest.mark.parametrize(
    "knob", [knob for knob in KNOBS if knob.applies == "weights" and not knob.in_modules], ids=lambda knob: knob.name
)
def test_what_decides_drawn_numbers_alone_needs_no_other_modules(knob: Knob) -> None:
    """As each knob declares it: the old modules with fresh numbers are the model that is built anew, weight by weight."""
    other = knob.choices[-1] if knob.choices else knob.nearest(float(knob.default) + 1)
    start = small()
    kept, wanted = build(start), start.changed(**{knob.name: other})
    assert can_be_redrawn(kept, wanted)
    before = {name: weight.clone() for name, weight in kept.state_dict().items()}
    again, fresh = redrawn(kept, wanted).state_dict(), build(wanted).state_dict()

    assert again.keys() == fresh.keys()
    assert all(torch.equal(again[name], fresh[name]) for name in fresh)
    assert any(not torch.equal(before[name], fresh[name]) for name in fresh)


@pytest.mark.parametrize("knobs", [{}, {"temperature": 2.0}, {"seed": 1, "activation": "gelu"}, {"seed": 1, "d_ff": 8}])
def test_other_modules_cannot_be_redrawn(knobs: dict[str, object]) -> None:
    """Nor is there anything to draw where the numbers stay as they are."""
    assert not can_be_redrawn(build(small()), small(**knobs))
