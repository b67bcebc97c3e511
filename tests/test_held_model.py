"""`explore(text, model=…, tokenizer=…)`: a model of transformers that somebody has in memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import explorer
from explorer.errors import ModelHasPreset, NeedsTokenizer, NotLoaded
from tests.foreign.models import fresh, write_tokenizer

transformers = pytest.importorskip("transformers")
TEXT = "the fox and the dog"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A fast tokenizer of transformers."""
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder)
    return transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))


@pytest.fixture
def held() -> Any:
    """A model as one has it in a notebook: in training, with gradients, with torch's fused attention."""
    model = fresh("gpt2")
    model.train().requires_grad_(True)
    model.set_attn_implementation("sdpa")
    return model


def logits(model: Any, tokenizer: Any) -> np.ndarray:
    """What the model itself says, without dropout."""
    learns = model.training
    with torch.no_grad():
        found = model.eval()(torch.tensor([tokenizer(TEXT)["input_ids"]])).logits[0]
    model.train(learns)
    return found.numpy()


def test_it_is_explored_and_stays_as_it_is(held: Any, tokenizer: Any) -> None:
    """Its numbers are those of its own pass; its attention, its training and its gradients are not touched."""
    expected = logits(held, tokenizer)
    trace = explorer.explore(TEXT, model=held, tokenizer=tokenizer)
    np.testing.assert_allclose(trace["generator.logits"], expected, atol=1e-5)
    assert [token.text for token in trace.tokens.target] == tokenizer.convert_ids_to_tokens(tokenizer(TEXT)["input_ids"])
    assert held.training and held.config._attn_implementation == "sdpa"
    assert all(each.requires_grad for each in held.parameters())
    assert explorer.record(held.eval(), torch.tensor([[1, 2]])).names()  # Nothing of ours is in it.


def test_edits_and_hooks_take_effect(held: Any, tokenizer: Any) -> None:
    """Its weights are shared with what computes, also where it was loaded once; hooks come with each call."""
    live = explorer.load_model(held, tokenizer=tokenizer)
    before = explorer.explore(TEXT, model=live)["generator.logits"]
    with torch.no_grad():
        held.get_output_embeddings().weight.mul_(2)
    expected = logits(held, tokenizer)
    for model, given in ((live, {}), (held, {"tokenizer": tokenizer})):
        np.testing.assert_allclose(explorer.explore(TEXT, model=model, **given)["generator.logits"], expected, atol=1e-5)
    assert not np.allclose(before, expected)
    held.get_output_embeddings().register_forward_hook(lambda _module, _args, made: made + 1)
    hooked = explorer.explore(TEXT, model=held, tokenizer=tokenizer)
    np.testing.assert_allclose(hooked["generator.logits"], expected + 1, atol=1e-5)


def test_what_lacks_is_said(held: Any, tokenizer: Any, tmp_path: Path) -> None:
    """A tokenizer; and what cannot be given beside it."""
    with pytest.raises(NeedsTokenizer):
        explorer.explore(TEXT, model=held)
    with pytest.raises(ModelHasPreset):
        explorer.explore(TEXT, model=held, tokenizer=tokenizer, n_heads=2)
    with pytest.raises(NotLoaded):
        explorer.explore(TEXT, model=torch.nn.Linear(2, 2))
    with pytest.raises(NotLoaded):
        explorer.load_model(torch.nn.Linear(2, 2))
    for beside in ({"n_heads": 2}, {"trained": False}, {"adapter": tmp_path}):
        with pytest.raises(ModelHasPreset):
            explorer.load_model(held, tokenizer=tokenizer, **beside)
