"""explorer.record against torch's own outputs."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import explorer
from explorer.errors import BadAxes, NoTaps, SeveralSentences, UnknownTap
from explorer.lang import Words
from explorer.model.hooks import hooked
from explorer.model.tap import Tap
from explorer.picture.makers.attention import head_map
from explorer.state.look import Look
from explorer.trace.trace import Trace

WIDE = 24


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(3)


def layer(**given: Any) -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(WIDE, 4, 48, **given).eval()


def own_weights(attention: nn.MultiheadAttention, x: Tensor, **given: Any) -> np.ndarray:
    """[head, query, key] softmax(Q·Kᵀ/√d_head + M) of one sentence [position, feature], in float64 by NumPy."""
    inner = attention.in_proj_weight.detach().double().numpy()
    bias = attention.in_proj_bias.detach().double().numpy()
    queries, keys, _values = np.split(x.double().numpy() @ inner.T + bias, 3, axis=-1)
    heads = [each.reshape(len(x), attention.num_heads, -1).swapaxes(0, 1) for each in (queries, keys)]
    scores = heads[0] @ heads[1].swapaxes(1, 2) / np.sqrt(heads[0].shape[-1]) + given.get("mask", 0.0)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return scores / scores.sum(axis=-1, keepdims=True)


def test_weights_of_each_head_are_those_of_float64() -> None:
    """The weights of a layer of torch are softmax(Q·Kᵀ/√d_head), head by head."""
    module, x = layer(batch_first=True), torch.randn(1, 5, WIDE)

    trace = explorer.record(module, x)

    assert trace.axes("encoder.layers.0.self_attn.weights") == ("head", "query", "key")
    expected = own_weights(module.self_attn, x[0])
    np.testing.assert_allclose(trace["encoder.layers.0.self_attn.weights"], expected, atol=1e-6)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(trace["encoder.layers.0.self_attn.weights"], expected[::-1], atol=1e-6)


@pytest.mark.parametrize("batch_first", [False, True])
def test_both_orders_of_axes_and_no_batch_give_the_same(batch_first: bool) -> None:
    """[position, batch, feature], [batch, position, feature] and [position, feature] are the same sentence."""
    module, x = layer(batch_first=batch_first), torch.randn(5, WIDE)
    batch = x[None] if batch_first else x[:, None]

    with_batch, without = explorer.record(module, batch), explorer.record(module, x)

    assert with_batch.names() == without.names()
    for name in with_batch.names():
        np.testing.assert_allclose(with_batch[name], without[name], atol=1e-6)
    assert with_batch["encoder.layers.0.self_attn.output"].shape == (5, WIDE)


def test_masks_and_keyword_inputs_reach_the_module() -> None:
    """A causal mask closes later keys, a padding mask the last key, both given by keyword."""
    module, x = layer(batch_first=True), torch.randn(1, 5, WIDE)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    padding = torch.tensor([[False, False, False, False, True]])

    causal = explorer.record(module, x, src_mask=mask)["encoder.layers.0.self_attn.weights"]
    padded = explorer.record(module, src=x, src_key_padding_mask=padding)["encoder.layers.0.self_attn.weights"]

    np.testing.assert_allclose(causal, own_weights(module.self_attn, x[0], mask=mask.double().numpy()), atol=1e-6)
    assert not np.triu(causal, 1).any()
    assert not padded[:, :, 4].any()
    np.testing.assert_allclose(padded.sum(axis=-1), 1, atol=1e-6)


def test_the_result_is_the_modules_own_and_nothing_stays_behind() -> None:
    """What the module computes under record is, bit for bit, what it computes with need_weights=False and no fast path."""

    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.results = nn.TransformerEncoder(layer(batch_first=True), 2, enable_nested_tensor=False), []

        def forward(self, x: Tensor) -> Tensor:
            self.results.append(self.inner(x))
            return self.results[-1]

    module, x = Outer().eval(), torch.randn(1, 6, WIDE)
    before = {name: set(vars(each)) for name, each in module.named_modules()}
    fast = torch.backends.mha.get_fastpath_enabled()
    with torch.no_grad():
        plain = module(x)

    trace = explorer.record(module, x)

    assert [f"encoder.layers.{each}.self_attn.weights" in trace for each in range(2)] == [True, True]
    assert torch.backends.mha.get_fastpath_enabled() == fast
    assert {name: set(vars(each)) for name, each in module.named_modules()} == before
    assert torch.allclose(module.results[1], plain, atol=1e-6)
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with torch.no_grad():
            assert torch.equal(module.results[1], module(x))
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)


def test_in_training_weights_are_before_dropout_and_the_same_random_numbers_are_drawn() -> None:
    """Each row sums to 1 though dropout is on, and the pass draws what it would draw without the recording."""
    module, x = layer(batch_first=True, dropout=0.5).train(), torch.randn(1, 5, WIDE)
    torch.manual_seed(0)
    with torch.no_grad():
        module(x)
    expected = torch.rand(1)
    torch.manual_seed(0)

    trace = explorer.record(module, x)

    assert torch.equal(torch.rand(1), expected)
    assert module.self_attn.training
    np.testing.assert_allclose(trace["encoder.layers.0.self_attn.weights"].sum(axis=-1), 1, atol=1e-6)


def test_a_whole_transformer_of_torch_has_our_names() -> None:
    """nn.Transformer has both sides; its decoder looks at itself and across, with as many keys as the source has places."""
    module = nn.Transformer(WIDE, 4, 2, 2, 48, batch_first=True).eval()

    trace = explorer.record(module, torch.randn(1, 6, WIDE), torch.randn(1, 4, WIDE))

    assert trace["decoder.layers.1.cross_attn.weights"].shape == (4, 4, 6)
    assert trace["decoder.layers.1.self_attn.weights"].shape == (4, 4, 4)
    assert (len(trace.tokens.source), len(trace.tokens.target)) == (6, 4)
    assert trace.card.attentions == ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")
    assert (trace.card.d_model, trace.card.d_head, trace.card.side("encoder").n_layers) == (WIDE, 6, 2)
    assert trace.card.why_absent("encoder.layers.0.self_attn.query") == "absent.not_recorded"
    assert trace.card.parameters == sum(each.numel() for each in module.parameters())


class Blocks(nn.Module):
    """Somebody's own model: blocks with an attention, a Tap, and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.ModuleDict({"attn": nn.MultiheadAttention(WIDE, 4)}) for _ in range(3))
        self.stream, self.head = Tap("position batch feature"), nn.Linear(WIDE, 7)

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block["attn"](x, x, x, need_weights=False)[0]
        return self.head(self.stream(x))


def test_names_come_from_paths_and_axes_name_further_modules() -> None:
    """ "blocks.2.attn" is layer 2; a Tap keeps its path, and a module in `axes` has its path as its name."""
    module, x = Blocks(), torch.randn(5, 1, WIDE)

    trace = explorer.record(module, x, axes={"head": "position batch vocab"})

    assert trace.names()[-2:] == ("stream", "head")
    assert "encoder.layers.2.self_attn.weights" in trace
    assert trace.axes("head") == ("position", "vocab")
    assert trace.card.vocab_size == 7
    with torch.no_grad():
        np.testing.assert_allclose(trace["head"], module(x)[:, 0].numpy(), atol=1e-6)
        np.testing.assert_allclose(
            trace["head"], trace["stream"] @ module.head.weight.numpy().T + module.head.bias.numpy(), atol=1e-5
        )


def test_a_hook_that_somebody_put_in_acts_and_stays() -> None:
    """Recording inside a block with hooks shows what went on, and the hooks are still there afterwards."""
    module, x = Blocks(), torch.randn(5, 1, WIDE)
    with hooked(module, lambda tap, _args, tensor: torch.zeros_like(tensor)):
        first, again = explorer.record(module, x), explorer.record(module, x)

    assert not first["stream"].any()
    assert not again["stream"].any()
    assert explorer.record(module, x)["stream"].any()


def test_an_attention_that_is_called_twice_has_two_names() -> None:
    """Shared layers run several times; nothing is dropped in silence."""

    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attn = nn.MultiheadAttention(WIDE, 4)

        def forward(self, x: Tensor) -> Tensor:
            for _ in range(2):
                x = self.attn(x, x, x)[0]
            return x

    trace = explorer.record(Twice(), torch.randn(5, 1, WIDE))

    names = [name for name in trace.names() if name.endswith(".weights")]
    assert names == ["encoder.layers.0.self_attn.weights", "encoder.layers.0.self_attn.call_2.weights"]
    assert not np.array_equal(*(trace[name] for name in names))


def test_another_number_of_heads_is_named_by_its_path() -> None:
    """One side has one number of heads; the attention that differs is there under its own path."""

    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.local, self.wide = nn.MultiheadAttention(WIDE, 4), nn.MultiheadAttention(WIDE, 2)

        def forward(self, x: Tensor) -> Tensor:
            return self.wide(x, *2 * [self.local(x, x, x)[0]])[0]

    trace = explorer.record(Two(), torch.randn(5, 1, WIDE))

    assert trace.shape("encoder.layers.0.self_attn.weights") == (4, 5, 5)
    assert trace.shape("wide.weights") == (2, 5, 5)


def test_our_own_model_has_the_taps_of_explore() -> None:
    """A Transformer of ours brings its Config, and every tap that `explore` records, with the same numbers."""
    from explorer.config import Config
    from explorer.model.weights import build

    usual = explorer.explore("我爱北京", preset="tiny")
    assert isinstance(usual.config, Config)
    model = build(usual.config)
    ids = [torch.tensor([[token.id for token in side]]) for side in (usual.tokens.source, usual.tokens.target)]

    trace = explorer.record(model, *ids)

    assert set(trace.names()) == set(usual.names())
    assert trace.config == usual.config
    for name in trace.names():
        np.testing.assert_allclose(trace[name], usual[name], atol=1e-5)


def test_it_is_saved_read_drawn_and_compared(tmp_path: Path) -> None:
    """The Trace of any module can be kept in a file, and its maps are pictures like all others."""
    module = nn.TransformerEncoder(layer(batch_first=True), 2, enable_nested_tensor=False).eval()
    trace = explorer.record(module, torch.randn(1, 5, WIDE))
    trace.save(tmp_path / "x.npz")

    again = Trace.load(tmp_path / "x.npz")

    for name in trace.names():
        np.testing.assert_array_equal(again[name], trace[name])
    assert again.card == trace.card
    picture = head_map(again, Look(side="encoder", layer=1, head=2), Words.load("en"))
    np.testing.assert_array_equal(picture.values, trace["encoder.layers.1.self_attn.weights"][2])


@pytest.mark.parametrize("module", [nn.Linear(3, 3), nn.Sequential(nn.ReLU())])
def test_nothing_to_record_is_an_error_that_says_what_to_add(module: nn.Module) -> None:
    """There is no empty Trace."""
    with pytest.raises(NoTaps, match=r"MultiheadAttention"):
        explorer.record(module, torch.zeros(1, 3))


def test_what_did_not_run_is_an_error_too() -> None:
    """A module that has taps, none of which its pass reached, gives no empty Trace."""

    class Unused(nn.Linear):
        def __init__(self) -> None:
            super().__init__(3, 3)
            self.tap = Tap("batch feature")

    with pytest.raises(NoTaps):
        explorer.record(Unused(), torch.zeros(1, 3))


def test_wrong_axes_batches_and_paths_are_refused_in_a_sentence() -> None:
    """Each of them names what it was given; nothing stays wrapped."""
    module, x = layer(batch_first=True), torch.randn(1, 5, WIDE)
    untouched = copy.deepcopy({name: set(vars(each)) for name, each in module.named_modules()})

    with pytest.raises(SeveralSentences, match="2"):
        explorer.record(module, torch.randn(2, 5, WIDE))
    with pytest.raises(BadAxes, match="linear1"):
        explorer.record(module, x, axes={"linear1": "feature"})
    with pytest.raises(UnknownTap, match="linear7"):
        explorer.record(module, x, axes={"linear7": "batch position feature"})

    assert {name: set(vars(each)) for name, each in module.named_modules()} == untouched


class Fused(nn.Module):
    """An attention as nanoGPT has it: one projection, torch's fused attention or softmax, no module for the weights."""

    def __init__(self, way: str, *, causal: bool) -> None:
        super().__init__()
        self.way, self.causal = way, causal
        self.project, self.soft = nn.Linear(WIDE, 3 * WIDE), nn.Softmax(dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        n_heads, n = 4, x.shape[1]
        q, k, v = (each.unflatten(-1, (n_heads, -1)).transpose(1, 2) for each in self.project(x).chunk(3, dim=-1))
        if self.way == "grouped":
            k, v = k[:, ::2], v[:, ::2]
        open_cells = torch.ones(n, n, dtype=torch.bool).tril() if self.causal else torch.ones(n, n, dtype=torch.bool)
        attend = nn.functional.scaled_dot_product_attention
        if self.way == "is_causal":
            return x + attend(q, k, v, is_causal=self.causal, dropout_p=0.5).transpose(1, 2).flatten(2)
        if self.way == "grouped":
            return x + attend(q, k, v, attn_mask=open_cells, enable_gqa=True).transpose(1, 2).flatten(2)
        if self.way == "by name":
            return x + attend(query=q, key=k, value=v, attn_mask=open_cells, dropout_p=0.0).transpose(1, 2).flatten(2)
        if self.way == "added":
            least = torch.zeros(n, n).masked_fill(~open_cells, torch.finfo(torch.float32).min)
            return x + attend(q, k, v, attn_mask=least, scale=0.25).transpose(1, 2).flatten(2)
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~open_cells, -torch.inf)
        weights = self.soft(scores) if self.way == "module" else torch.softmax(input=scores, dim=-1)
        return x + (weights @ v).transpose(1, 2).flatten(2)


def fused_weights(module: Fused, x: Tensor) -> np.ndarray:
    """[head, query, key] its weights by NumPy, in float64."""
    weight, bias = (each.detach().double().numpy() for each in (module.project.weight, module.project.bias))
    q, k, _v = np.split(x[0].double().numpy() @ weight.T + bias, 3, axis=-1)
    q, k = (each.reshape(len(each), 4, -1).swapaxes(0, 1) for each in (q, k))
    k = np.repeat(k[::2], 2, axis=0) if module.way == "grouped" else k
    scores = q @ k.swapaxes(1, 2) * (0.25 if module.way == "added" else q.shape[-1] ** -0.5)
    scores = np.where(np.tri(len(x[0]), dtype=bool) | (not module.causal), scores, -np.inf)
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("way", ["is_causal", "grouped", "by name", "added", "softmax", "module"])
@pytest.mark.parametrize("causal", [True, False])
def test_an_attention_that_calls_a_function_is_seen(way: str, causal: bool) -> None:
    """By the path of its module, with its masked cells; the result of the pass is what it was."""
    module = nn.ModuleDict({"blocks": nn.ModuleList([nn.ModuleDict({"attn": Fused(way, causal=causal)}) for _ in range(2)])})
    module.forward = lambda x: module.blocks[1].attn(module.blocks[0].attn(x))
    x = torch.randn(1, 5, WIDE)
    before = module(x)

    trace = explorer.record(module, x)

    side = "decoder" if causal else "encoder"
    taps = [f"{side}.layers.{i}.self_attn.{stage}" for i in (0, 1) for stage in ("masked", "weights")]
    assert trace.names() == tuple(taps)
    np.testing.assert_allclose(trace[f"{side}.layers.0.self_attn.weights"], fused_weights(module.blocks[0].attn, x), atol=1e-6)
    closed = trace.map(f"{side}.layers.1.self_attn.weights").closed
    assert (closed == ~np.tri(5, dtype=bool)).all() if causal else closed is None
    assert way == "is_causal" or torch.equal(module(x), before)


def test_torchs_own_attention_is_not_seen_twice() -> None:
    """It calls the same functions inside."""
    names = explorer.record(layer(batch_first=True), torch.randn(1, 5, WIDE)).names()
    assert names == ("encoder.layers.0.self_attn.weights", "encoder.layers.0.self_attn.output")


def test_a_model_of_transformers_is_recorded_as_it_computes() -> None:
    """Fused and eager, in memory: the weights are those that it tells itself."""
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=50
    )
    ids = torch.tensor([[3, 14, 15, 9, 2, 6]])
    for way in ("sdpa", "eager"):
        model = transformers.LlamaForCausalLM._from_config(config, attn_implementation=way).eval()
        trace = explorer.record(model, ids)
        model.set_attn_implementation("eager")
        told = model(ids, output_attentions=True).attentions
        for number, expected in enumerate(told):
            found = trace[f"decoder.layers.{number}.self_attn.weights"]
            np.testing.assert_allclose(found, expected[0].detach().numpy(), atol=1e-6)
