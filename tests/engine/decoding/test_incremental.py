"""One token at a time gives what the whole pass gives."""

import itertools

import pytest
import torch
from torch import Tensor

from explorer.engine.decoding.incremental import Incremental
from explorer.model import masks, positions
from explorer.model.embedding import Embedding
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from tests.model.models import assert_same, randomized, small

pytestmark = pytest.mark.slow  # each step is held against a whole pass

LENGTHS = (5, 2, 4)

KNOBS: list[dict[str, object]] = [
    *(
        {"position": position, "norm_placement": norm}
        for position, norm in itertools.product(("sinusoidal", "learned", "rotary", "alibi", "none"), ("pre", "post"))
    ),
    {"norm_kind": "std-eps"},
    {"norm_kind": "std-eps", "norm_placement": "post", "position": "alibi", "temperature": 0.7},
    {"causal_mask": False, "position": "rotary"},
    {"causal_mask": False, "position": "alibi", "causal_mask_cross": True},
    {"masking": "inverted", "mask_value": "-1e9"},
    {"masking": "zeros-decoder", "mask_value": "-1e9", "causal_mask_cross": True},
    {"residual": False, "score_scaling": False, "position": "sinusoidal-doubled"},
    {"causal_mask_cross": True, "position": "learned"},
    {"causal_mask_cross": True, "causal_mask_encoder": True, "mask_value": "-1e9"},
    {"temperature": 2.5, "embedding_scale": 0.5, "position_base": 50.0, "position": "rotary"},
    {"bias": False, "activation": "gelu"},
    {"tied_embeddings": True, "target_vocab_size": 30},
    {"n_heads": 1, "n_layers": 1, "max_len": 7},
]


def name(knobs: dict[str, object]) -> str:
    return "-".join(f"{name}={value}" for name, value in knobs.items())


def model_of(**knobs: object) -> Transformer:
    """With every number random, so that nothing passes by a zero."""
    return randomized(build(small(**knobs)))  # type: ignore[return-value]


def a_batch(model: Transformer) -> tuple[Tensor, Tensor, Tensor]:
    """Three sources of different length, as the encoder gives them, their padding mask, and targets [batch, position]."""
    chance = torch.Generator().manual_seed(3)
    source = torch.randint(4, model.config.vocab_size, (3, max(LENGTHS)), generator=chance)
    real = masks.padding(torch.tensor(LENGTHS), max(LENGTHS))
    target = torch.randint(2, model.config.n_target_symbols, (3, 7), generator=chance)
    return model.encode(source, real), real, target


def whole(model: Transformer, target: Tensor, memory: Tensor, real: Tensor | None) -> Tensor:
    """[batch, vocab] logits behind the last token, by one pass over all of them."""
    return model.generator.project(model.decode(target, memory, real))[:, -1]  # type: ignore[no-any-return]


@pytest.mark.parametrize("knobs", KNOBS, ids=name)
@torch.inference_mode()
def test_each_step_gives_the_logits_of_the_whole_pass(knobs: dict[str, object]) -> None:
    """To 1e-5, at every position, in a batch with padding."""
    model = model_of(**knobs)
    memory, real, target = a_batch(model)
    steps = Incremental(model, memory, real)
    for n in range(target.shape[1]):
        assert_same(steps.step(target[:, n]), whole(model, target[:, : n + 1], memory, real))


@pytest.mark.parametrize("knobs", KNOBS, ids=name)
@torch.inference_mode()
def test_rows_that_go_on_keep_what_they_were_given(knobs: dict[str, object]) -> None:
    """Some twice, some not at all, in another order, and once more later."""
    model = model_of(**knobs)
    memory, real, target = a_batch(model)
    steps = Incremental(model, memory, real)
    for n in range(3):
        steps.step(target[:, n])
    rows = torch.tensor([2, 0, 0, 2])
    steps.select(rows)
    target, memory, real = target[rows], memory[rows], real[rows]
    target[:, 3] = torch.tensor([5, 6, 7, 8])  # the copies part
    assert_same(steps.step(target[:, 3]), whole(model, target[:, :4], memory, real))

    rows = torch.tensor([3, 1])
    steps.select(rows)
    target, memory, real = target[rows], memory[rows], real[rows]
    for n in (4, 5):
        assert_same(steps.step(target[:, n]), whole(model, target[:, : n + 1], memory, real))


@torch.inference_mode()
def test_without_padding_no_mask_is_needed() -> None:
    """A batch whose sentences are of one length."""
    model = model_of(position="rotary", causal_mask_cross=True)
    memory, _real, target = a_batch(model)
    steps = Incremental(model, memory)
    for n in range(target.shape[1]):
        assert_same(steps.step(target[:, n]), whole(model, target[:, : n + 1], memory, None))


@pytest.mark.parametrize("position", ["sinusoidal", "learned", "rotary"])
@torch.inference_mode()
def test_a_forgotten_position_would_be_found(position: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that all stand at position 0 differ from the whole pass."""
    table, rotate = Embedding.table, positions.rotate
    monkeypatch.setattr(Embedding, "table", lambda self, n, _first=0: table(self, n))
    monkeypatch.setattr(positions, "rotate", lambda x, base, _first=0: rotate(x, base))
    model = model_of(position=position)
    memory, real, target = a_batch(model)
    steps = Incremental(model, memory, real)
    steps.step(target[:, 0])
    with pytest.raises(AssertionError):
        assert_same(steps.step(target[:, 1]), whole(model, target[:, :2], memory, real))


@torch.inference_mode()
def test_a_forgotten_padding_mask_would_be_found() -> None:
    """A padded row without its mask differs."""
    model = model_of()
    memory, real, target = a_batch(model)
    with pytest.raises(AssertionError):
        assert_same(Incremental(model, memory).step(target[:, 0]), whole(model, target[:, :1], memory, real))


@torch.inference_mode()
def test_a_step_costs_the_same_for_each_token() -> None:
    """The feed-forward sees one position at each step; with the causal mask off it sees them all again."""
    seen: list[int] = []
    for causal in (True, False):
        model = model_of(causal_mask=causal)
        memory, real, target = a_batch(model)
        model.decoder.layers[0].feed_forward.register_forward_pre_hook(lambda _m, given: seen.append(given[0].shape[1]))
        steps = Incremental(model, memory, real)
        for n in range(3):
            steps.step(target[:, n])

    assert seen == [1, 1, 1, 1, 2, 3]


@torch.inference_mode()
def test_every_tap_of_the_last_position_is_the_same() -> None:
    """Not the logits alone: what a step computes on its way is what the whole pass computes there."""
    model = model_of(position="rotary")
    memory, real, target = a_batch(model)
    tap = model.decoder.layers[1].self_attn.mixed
    seen: list[Tensor] = []
    tap.register_forward_hook(lambda _tap, _args, tensor: seen.append(tensor))
    steps = Incremental(model, memory, real)
    for n in range(4):
        steps.step(target[:, n])
    model.decode(target[:, :4], memory, real)

    assert_same(torch.cat(seen[:4], dim=-2), seen[4])


@pytest.mark.parametrize("tap", ["scores", "scaled", "masked", "weights", "dropped", "mixed"])
@torch.inference_mode()
def test_a_hook_at_any_map_is_reached_by_each_step(tap: str) -> None:
    """A step without hooks never has the weight matrix; one hook anywhere brings it back."""
    model = model_of()
    memory, real, target = a_batch(model)
    seen: list[int] = []
    tapped = getattr(model.decoder.layers[1].cross_attn, tap)
    tapped.register_forward_hook(lambda _tap, _args, tensor: seen.append(tensor.shape[-2]))
    steps = Incremental(model, memory, real)
    for n in range(3):
        steps.step(target[:, n])

    assert seen == [1, 1, 1]
