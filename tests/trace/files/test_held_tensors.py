"""Tensors that somebody has already, as transformers and TransformerLens give them out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import explorer
from explorer.errors import BadAxes, BadTensor, DoNotAgree, NoAxes, NotMaps, SeveralSentences
from explorer.lang import Words
from explorer.picture.makers.attention import head_map
from explorer.state.look import Look
from explorer.trace.trace import Trace

WORDS = ["The", "cat", "sat"]


def maps(n_layers: int = 2, queries: int = 3, keys: int = 3, *, causal: bool = False) -> list[torch.Tensor]:
    """[batch 1, head, query, key] weights of each layer, as transformers gives them out."""
    torch.manual_seed(5)
    scores = [torch.randn(1, 4, queries, keys) for _ in range(n_layers)]
    if causal:
        scores = [each.masked_fill(torch.ones(queries, keys).triu(1).bool(), -torch.inf) for each in scores]
    return [each.softmax(dim=-1) for each in scores]


def viewed(*given: Any, **named: Any) -> Trace:
    """Without a window."""
    return explorer.view(*given, window=False, **named)


@pytest.mark.parametrize(("causal", "side"), [(False, "encoder"), (True, "decoder")])
def test_attentions_and_tokens_are_a_trace(causal: bool, side: str) -> None:
    """Number for number, with the words along the axes; it is drawn, and a notebook shows it."""
    weights = maps(causal=causal)
    trace = viewed(weights, WORDS, name="some model")
    assert trace.names() == tuple(f"{side}.layers.{layer}.self_attn.weights" for layer in (0, 1))
    np.testing.assert_array_equal(trace[f"{side}.layers.1.self_attn.weights"], weights[1][0].numpy())
    picture = head_map(trace, Look(attention=f"{side}.self_attn", layer=1, head=2), Words.load("en"))
    assert picture is not None and picture.columns.labels == tuple(WORDS)
    closed = trace.map(f"{side}.layers.0.self_attn.weights").closed
    assert (closed == ~np.tri(3, dtype=bool)).all() if causal else closed is None
    assert trace.card.name == "some model" and "<iframe" in (trace._repr_html_() or "")


def test_both_sides_have_their_words() -> None:
    """Decoder, encoder and cross-attention, as a translator of transformers has them."""
    trace = viewed(maps(queries=2, keys=2), ["le", "chat"], source=WORDS, encoder=maps(), cross=maps(queries=2))
    assert trace.shape("decoder.layers.0.cross_attn.weights") == (4, 2, 3)
    assert [token.text for token in trace.tokens.source] == WORDS
    assert [token.text for token in trace.tokens.target] == ["le", "chat"]


def test_a_layer_without_attention_is_left_out() -> None:
    """Hybrid models give None for it."""
    first, last = maps()
    trace = viewed([first, None, last])
    assert trace.names() == ("encoder.layers.0.self_attn.weights", "encoder.layers.2.self_attn.weights")
    assert trace.card.attention_layers("encoder.self_attn") == (0, 2)


def test_a_cache_of_transformerlens_has_our_names() -> None:
    """Its heads stand behind the positions in queries; what is no tap of ours is left out."""
    (weights,) = maps(1, causal=True)
    queries, stream = torch.randn(1, 3, 4, 8), torch.randn(1, 3, 32)
    cache = {
        "hook_embed": stream,
        "blocks.0.ln1.hook_scale": torch.ones(1, 3, 1),
        "blocks.0.attn.hook_q": queries,
        "blocks.0.attn.hook_pattern": weights,
        "blocks.0.hook_resid_post": stream + 1,
    }
    trace = viewed(cache, WORDS)
    layer = "decoder.layers.0"
    assert set(trace.names()) == {
        "decoder.embedding.tokens",
        f"{layer}.self_attn.query",
        f"{layer}.self_attn.weights",
        f"{layer}.residual2",
    }
    np.testing.assert_array_equal(trace[f"{layer}.self_attn.query"][2], queries[0, :, 2].numpy())
    np.testing.assert_array_equal(trace[f"{layer}.residual2"], (stream[0] + 1).numpy())


def test_other_tensors_name_their_axes() -> None:
    """Such as the attributions of Captum, in an array of NumPy."""
    shares = np.linspace(-1, 1, 12, dtype=np.float64).reshape(3, 4)
    trace = viewed({"attributions": shares}, WORDS, axes={"attributions": "position feature"})
    np.testing.assert_allclose(trace["attributions"], shares, atol=1e-7)
    with pytest.raises(NoAxes):
        viewed({"attributions": shares}, WORDS)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: viewed([]), NotMaps),
        (lambda: viewed(None), NotMaps),
        (lambda: viewed([torch.ones(2, 4, 3, 3)]), SeveralSentences),
        (lambda: viewed([torch.ones(3, 3)]), BadAxes),
        (lambda: viewed(["weights"]), BadTensor),
        (lambda: viewed(maps(), ["The", "cat"]), DoNotAgree),
        (lambda: viewed([*maps(1), torch.ones(1, 2, 3, 3)]), DoNotAgree),
    ],
)
def test_what_does_not_fit_is_refused(make: Callable[[], Trace], error: type[Exception]) -> None:
    """In a sentence."""
    with pytest.raises(error):
        make()
