"""The whole model: torch's stacks as reference, masks, dropout, and what word order does."""

import pytest
import torch
from torch import nn

from explorer.model import masks
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from tests.model.models import assert_same, copy_decoder_layer, copy_encoder_layer, randomized, small

SOURCE, TARGET = ids_tensor((7, 3, 9, 3)), ids_tensor((1, 8, 2))


def model(**knobs: object) -> Transformer:
    return randomized(Transformer(small(**knobs)))


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_the_whole_model_is_torchs(placement: str) -> None:
    """torch's layers one after the other over the same embeddings; pre-norm ends in a norm, post-norm does not."""
    ours = model(norm_placement=placement)
    kind = {"dropout": 0.0, "batch_first": True, "norm_first": placement == "pre"}
    encoders = [nn.TransformerEncoderLayer(24, 3, 40, **kind) for _ in range(2)]
    decoders = [nn.TransformerDecoderLayer(24, 3, 40, **kind) for _ in range(2)]
    for layer, theirs in zip(ours.encoder.layers, encoders, strict=True):
        copy_encoder_layer(layer, theirs)
    for layer, theirs in zip(ours.decoder.layers, decoders, strict=True):
        copy_decoder_layer(layer, theirs)
    last = (ours.encoder.normalize, ours.decoder.normalize) if placement == "pre" else (nn.Identity(), nn.Identity())

    memory = ours.encoder.embedding(SOURCE)
    for theirs in encoders:
        memory = theirs(memory)
    memory = last[0](memory)
    x = ours.decoder.embedding(TARGET)
    for theirs in decoders:
        x = theirs(x, memory, tgt_mask=~masks.causal(3, 3))

    assert_same(ours(SOURCE, TARGET), ours.generator.project(last[1](x)))


def test_a_later_target_token_changes_no_earlier_row() -> None:
    """The causal mask holds through all layers; without it the first row does change."""
    other = TARGET.clone()
    other[0, -1] = 30
    for causal in (True, False):
        ours = model(causal_mask=causal)
        same = torch.allclose(ours(SOURCE, TARGET)[:, :-1], ours(SOURCE, other)[:, :-1], atol=1e-6)
        assert same is causal


def test_the_encoders_mask_is_its_own_knob() -> None:
    """Off, a later source token reaches the first position; on, it does not."""
    other = SOURCE.clone()
    other[0, -1] = 30
    for causal in (True, False):
        ours = model(architecture="encoder-only", causal_mask_encoder=causal)
        same = torch.allclose(ours(SOURCE, None)[:, :-1], ours(other, None)[:, :-1], atol=1e-6)
        assert same is causal


def test_the_mask_across_hides_later_source_tokens() -> None:
    """On, the first target row sees the first source token only, whose own row must not see more either."""
    other = SOURCE.clone()
    other[0, -1] = 30
    knobs = {"causal_mask_encoder": True}
    for across in (True, False):
        ours = model(causal_mask_cross=across, **knobs)
        assert torch.allclose(ours(SOURCE, TARGET), ours(other, TARGET), atol=1e-6) is across


def test_one_sided_models_take_one_text() -> None:
    """Encoder-only answers for the source's positions, decoder-only for the target's."""
    assert model(architecture="encoder-only")(SOURCE, None).shape == (1, 4, 50)
    assert model(architecture="decoder-only")(None, TARGET).shape == (1, 3, 50)
    assert model()(SOURCE, TARGET).shape == (1, 3, 50)


def test_a_decoder_alone_is_an_encoder_with_a_mask() -> None:
    """The same weights under other names give the same numbers."""
    decoder = model(architecture="decoder-only", causal_mask=True)
    encoder = model(architecture="encoder-only", causal_mask_encoder=True)

    assert (decoder(None, SOURCE) == encoder(SOURCE, None)).all()


def test_without_positions_a_model_cannot_tell_word_order() -> None:
    """Two tokens swapped swap their rows and change nothing else; with positions they do."""
    swapped = SOURCE[:, [1, 0, 2, 3]]
    for kind in ("none", "sinusoidal", "learned", "rotary", "alibi"):
        ours = model(architecture="encoder-only", position=kind)
        same = torch.allclose(ours(SOURCE, None)[:, [1, 0, 2, 3]], ours(swapped, None), atol=1e-5)
        assert same is (kind == "none"), kind


def test_the_norm_kind_reaches_every_norm() -> None:
    """Another kind gives other numbers from the same weights."""
    torchs, tutorials = model(norm_kind="torch"), model(norm_kind="std-eps")

    assert not torch.allclose(torchs(SOURCE, TARGET), tutorials(SOURCE, TARGET), atol=1e-3)
    kinds = {type(module).__name__ for module in tutorials.modules()}
    assert "StdEpsNorm" in kinds
    assert "LayerNorm" not in kinds


def test_dropout_acts_and_repeats_by_its_seed() -> None:
    """Twice the same seed is twice the same; another differs; resting is a third."""
    ours = build(small(dropout=0.5, dropout_active=True))

    def once(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return ours(SOURCE, TARGET)

    assert (once(1) == once(1)).all()
    assert (once(1) != once(2)).any()
    assert (once(1) != build(small(dropout=0.5))(SOURCE, TARGET)).any()


def test_dropout_of_zero_changes_nothing() -> None:
    """p = 0 keeps every number, even when it is on."""
    acting, resting = (build(small(dropout=0, dropout_active=active)) for active in (True, False))

    assert (acting(SOURCE, TARGET) == resting(SOURCE, TARGET)).all()
