"""What the taps show is what the model computes by itself, and every tap can be replaced: for each family."""

import copy
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from torch import Tensor

from explorer.engine.recording.recorder import record
from explorer.errors import NoAttention, SelfCheckFailed
from explorer.foreign import attention as attention_room
from explorer.foreign import opening
from explorer.foreign.attention import NAME
from explorer.foreign.model import Foreign
from explorer.foreign.opening import Opened, with_taps
from explorer.foreign.probing import TappedPass
from explorer.model.hooks import hooked
from explorer.model.tap import Tap, taps
from tests.foreign.models import ALL, FURTHER, NO_STREAM, WHOLE, families, fresh, ids_of, opened

pytestmark = pytest.mark.slow  # To import transformers takes seconds.


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other take most of the time of so small a model."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def own_pass(name: str) -> Any:
    """The model's own eager pass over the same tokens, with all that it says of itself."""
    model = fresh(name)
    model.set_attn_implementation("eager")
    assert model.config._attn_implementation == "eager"
    source, target = ids_of(opened(name))
    both = {"decoder_input_ids": target} if source is not None and target is not None else {}
    with torch.inference_mode():
        return model(
            input_ids=target if source is None else source,
            output_attentions=True,
            output_hidden_states=True,
            use_cache=False,
            **both,
        )


def recorded(found: Opened) -> tuple[dict[str, Any], Tensor]:
    """The arrays of a pass, and what it gave out."""
    assert found.foreign.model.config._attn_implementation == NAME
    with torch.inference_mode(), record(found.foreign) as recording:
        out = found.foreign(*ids_of(found))
    return dict(recording.arrays), out


def apart(ours: Any, own: Tensor) -> float:
    """The largest difference, as a share of the largest number."""
    numbers = own[0].numpy()
    assert ours.shape == numbers.shape
    return float(abs(np.asarray(ours) - numbers).max() / abs(numbers).max())


@pytest.mark.parametrize("name", families(ALL))
def test_the_output_is_that_of_the_models_own_pass(name: str) -> None:
    """Its logits, or its last vectors; and the check at opening has seen no difference either."""
    found, own = opened(name), own_pass(name)
    arrays, out = recorded(found)

    assert found.difference <= 1e-6
    assert apart(out[0], own[0]) <= 1e-5
    if found.foreign.has_output:
        assert apart(arrays["generator.logits"], own.logits) <= 1e-5
        assert apart(arrays["generator.probabilities"], own.logits.softmax(-1)) <= 1e-5
    else:
        assert not any(each.startswith("generator") for each in arrays)


@pytest.mark.parametrize("name", families(ALL))
def test_the_weights_are_those_of_the_models_own_pass(name: str) -> None:
    """In every layer and head, of both sides and across."""
    own, (arrays, _out) = own_pass(name), recorded(opened(name))
    side = "decoder" if "decoder.layers.0.self_attn.weights" in arrays else "encoder"
    named = [
        (f"{side}.layers.{{}}.self_attn", own.get("attentions")),
        ("encoder.layers.{}.self_attn", own.get("encoder_attentions")),
        ("decoder.layers.{}.self_attn", own.get("decoder_attentions")),
        ("decoder.layers.{}.cross_attn", own.get("cross_attentions")),
    ]
    compared = 0
    for path, layers in named:
        for layer, weights in enumerate(layers or ()):
            ours = arrays[f"{path.format(layer)}.weights"]
            assert abs(ours - weights[0].numpy()).max() <= 1e-6
            if name != "gpt_oss":  # There, a sink takes a share.
                assert abs(ours.sum(-1) - 1).max() <= 1e-5
            compared += 1
    assert compared == sum(each.endswith("_attn.weights") for each in arrays) > 0


@pytest.mark.parametrize("name", families(WHOLE))
def test_the_stream_is_that_of_the_models_own_pass(name: str) -> None:
    """After the embedding and after every layer; the model's last one is after its final norm, where it has one."""
    own, (arrays, _out) = own_pass(name), recorded(opened(name))
    rows = {"encoder": own.get("encoder_hidden_states"), "decoder": own.get("decoder_hidden_states")}
    rows["encoder" if "encoder.embedding.output" in arrays else "decoder"] = own.get("hidden_states") or rows["encoder"]
    for side in ("encoder", "decoder"):
        states = rows[side]
        if not states:
            continue
        last = "norm" if f"{side}.layers.0.norm3" not in arrays else "norm3"
        post = f"{side}.norm" not in arrays
        after = {True: ("norm3" if last == "norm3" else "norm2"), False: ("residual3" if last == "norm3" else "residual2")}[
            post
        ]
        assert apart(arrays[f"{side}.embedding.output"], states[0]) <= 1e-5
        for layer, state in enumerate(states[1:-1]):
            assert apart(arrays[f"{side}.layers.{layer}.{after}"], state) <= 1e-5
        assert apart(arrays[f"{side}.layers.{len(states) - 2}.{after}" if post else f"{side}.norm"], states[-1]) <= 1e-5
    assert sum(bool(states) for states in rows.values()) == sum(f"{side}.embedding.output" in arrays for side in rows)


@pytest.mark.parametrize("name", families(WHOLE))
def test_what_is_recorded_without_copies_is_what_was_computed(name: str) -> None:
    """These models overwrite no tensor that a tap has shown."""
    found = opened(name)
    assert found.foreign.overwrites_nothing
    shared, _out = recorded(found)
    found.foreign.overwrites_nothing = False
    try:
        copied, _out = recorded(found)
    finally:
        found.foreign.overwrites_nothing = True

    assert list(shared) == list(copied)
    assert all((shared[tap] == copied[tap]).all() for tap in shared)


@pytest.mark.parametrize("name", NO_STREAM)
def test_a_model_whose_streams_were_not_found_is_copied(name: str) -> None:
    """Nobody has looked whether it overwrites its tensors."""
    assert not opened(name).foreign.overwrites_nothing


@pytest.mark.parametrize("name", families(ALL))
def test_every_tap_is_reached_and_obeys_a_replacement(name: str) -> None:
    """Another tensor in its place makes another output. Only behind the probabilities nothing comes."""
    found = opened(name)
    arrays, before = recorded(found)
    generator = torch.Generator().manual_seed(3)

    def replaced(_tap: Tap, _args: Any, tensor: Tensor) -> Tensor:
        return tensor * (1 + torch.rand(tensor.shape, generator=generator))

    assert set(arrays) == set(taps(found.foreign))
    for tap in arrays:
        with torch.inference_mode(), hooked(found.foreign, replaced, at=[tap]):
            after = found.foreign(*ids_of(found))
        assert (tap == "generator.probabilities") == bool((after == before).all()), tap
    assert (recorded(found)[1] == before).all()


def test_a_stream_that_is_replaced_is_the_stream_from_then_on() -> None:
    """It goes into the next norm and into the next addition alike."""
    found = opened("gpt2")
    wanted = torch.randn(1, 7, 32)
    with torch.inference_mode(), hooked(found.foreign, lambda *_given: wanted, at=["decoder.layers.0.residual1"]):
        with record(found.foreign) as recording:
            found.foreign(*ids_of(found))
    arrays = recording.arrays
    layer = found.foreign.model.base_model.h[0]
    with torch.inference_mode():
        normed = layer.ln_2(wanted)

    assert abs(torch.tensor(arrays["decoder.layers.0.residual1"]) - wanted[0]).max() == 0
    assert abs(torch.tensor(arrays["decoder.layers.0.norm2"]) - normed[0]).max() <= 1e-5
    added = arrays["decoder.layers.0.feed_forward.output"] + wanted[0].numpy()
    assert abs(arrays["decoder.layers.0.residual2"] - added).max() <= 1e-5


@pytest.mark.parametrize("name", families(WHOLE))
def test_one_step_follows_from_the_last(name: str) -> None:
    """Scores from Q and K, weights from masked scores, mixtures from weights and V; what the feed-forward reads."""
    arrays, _out = recorded(opened(name))
    for tap in arrays:
        if not tap.endswith("_attn.scores"):
            continue
        base = tap.removesuffix(".scores")
        q, k, v, masked, mixed = (
            torch.tensor(arrays[f"{base}.{part}"]) for part in ("query", "key", "value", "masked", "mixed")
        )
        groups = len(q) // len(k)
        k, v = k.repeat_interleave(groups, 0), v.repeat_interleave(groups, 0)
        assert torch.allclose(torch.tensor(arrays[tap]), q @ k.mT, atol=1e-4)
        assert torch.allclose(masked.softmax(-1) @ v, mixed, atol=1e-4)
        open_ = ~masked.isneginf()
        if name == "gemma2":  # It bounds its scores by 50.
            bounded = 50 * torch.tanh(torch.tensor(arrays[f"{base}.scaled"]) / 50)
            assert torch.allclose(masked[open_], bounded[open_], atol=1e-6)
        elif "t5" not in name:  # There, a bias for the distance is added between the two.
            assert torch.equal(masked[open_], torch.tensor(arrays[f"{base}.scaled"])[open_])


def test_temperature_divides_all_that_the_softmax_reads() -> None:
    """The bias of positions too; at 1 nothing changes, not even the last bit."""
    found = opened("t5")
    before, out = recorded(found)
    found.foreign.turned.temperature = 2.0
    try:
        warm, _out = recorded(found)
    finally:
        found.foreign.turned.temperature = 1.0
    name = "encoder.layers.0.self_attn.{}"
    assert abs(warm[name.format("masked")] - before[name.format("masked")] / 2).max() <= 1e-5
    assert (recorded(found)[1] == out).all()


@pytest.fixture(autouse=True)
def known() -> None:
    """transformers knows our attention, whichever test is first."""
    attention_room.register()


def test_a_wrong_attention_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores that are one per cent too large differ by more than the tolerance: the taps of the attention are taken away."""
    right = attention_room.attention

    def wrong(*args: Any, scaling: float, **kwargs: Any) -> Any:
        return right(*args, scaling=1.01 * scaling, **kwargs)

    from transformers import AttentionInterface

    AttentionInterface.register(NAME, wrong)
    try:
        found = with_taps(fresh("gpt2"), "gpt2")
        assert found.difference > 1e-3
        assert not found.agrees
        assert found.foreign.model.config._attn_implementation == "eager"
        with torch.inference_mode(), record(found.foreign) as recording:
            found.foreign(*ids_of(found))
        assert not any("scores" in tap or "weights" in tap for tap in recording.arrays)
        assert apart(recording.arrays["generator.logits"], own_pass("gpt2").logits) <= 1e-5
    finally:
        attention_room.register()


def test_a_mask_that_is_not_made_would_be_found() -> None:
    """Without a function for masks, a causal model sees the future: the check at opening notices."""
    from transformers import AttentionMaskInterface

    AttentionMaskInterface.register(NAME, lambda **_given: None)
    try:
        assert with_taps(fresh("gpt2"), "gpt2").difference > 0.1
    finally:
        attention_room.register()


def test_a_model_that_differs_even_without_those_taps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing of it can be trusted."""
    real = opening.tapped

    def other(foreign: Foreign) -> TappedPass:
        taken = real(foreign)
        return attrs.evolve(taken, logits=2 * taken.logits)

    monkeypatch.setattr(opening, "tapped", other)

    with pytest.raises(SelfCheckFailed):
        with_taps(fresh("gpt2"), "gpt2")


def test_two_models_of_one_settings_object_do_not_share_their_attention() -> None:
    """The comparison is one between two implementations; where it is not, the model is refused."""
    found = with_taps(fresh("llama"), "llama")
    own = copy.deepcopy(found.foreign.model.config)
    own._attn_implementation = "eager"
    assert found.foreign.model.config._attn_implementation == NAME


def test_a_model_without_attention_is_refused() -> None:
    """FNet mixes tokens by waves."""
    import transformers

    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "intermediate_size": 48, "vocab_size": 40}
    with pytest.raises(NoAttention):
        with_taps(transformers.FNetForMaskedLM(transformers.FNetConfig(**sizes)), "x")


def test_the_tables_are_apart() -> None:
    """A family is in one of them."""
    assert not set(WHOLE) & set(FURTHER)
