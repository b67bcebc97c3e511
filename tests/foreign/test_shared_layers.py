"""ALBERT, whose layers are one: each time that it runs has taps of its own, and all share the very same weights."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch

import explorer
from explorer.engine.speed.foreign_packing import PackedLayers
from explorer.foreign import thin
from explorer.foreign.adapter import Dressed, read_adapter
from explorer.foreign.card import card_of
from explorer.foreign.folder import check_folder
from explorer.foreign.opening import open_model
from explorer.foreign.unrolled import copies_of, unroll
from explorer.lang import LANGUAGES, Words
from explorer.picture.card_text import card_rows
from tests.foreign.models import fresh, opened, opened_anew
from tests.foreign.test_adapter import matrices, write_adapter

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
NAMES = ("albert", "albert of groups")
IDS = torch.tensor([[5, 9, 30, 9, 22]])
QUERY = "albert.encoder.albert_layer_groups.{}.albert_layers.{}.attention.query"
Folder = Callable[[str], Path]


def said(model: Any) -> torch.Tensor:
    """[batch, position, vocab] the logits of a model by itself."""
    with torch.inference_mode():
        made: torch.Tensor = model(input_ids=IDS).logits
    return made


@pytest.mark.parametrize("name", NAMES)
def test_an_unrolled_model_says_the_same_to_the_bit(name: str) -> None:
    """Of modules of its own for each time, with the very parameters; twice unrolled is once unrolled."""
    own, model = fresh(name), fresh(name)
    parameters, settings = list(model.parameters()), model.config.to_dict()
    for _again in range(2):
        unroll(model)
        assert torch.equal(said(model), said(own))
    layers = model.albert.encoder.albert_layer_groups
    n_times = own.config.num_hidden_layers * own.config.inner_group_num
    assert len(layers) == n_times == len({each.albert_layers[0].attention for each in layers})
    assert {id(each) for each in parameters} == {id(each) for each in model.parameters()}
    assert model.config.to_dict() == settings
    assert {len(parts) for parts in copies_of(model).values()} == {2}


@pytest.mark.parametrize("held", ["float32", "bfloat16", "streamed"])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_same_model_however_its_weights_are_held(
    name: str, held: str, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its numbers and their count; so it is with an adapter of the one layer, which acts each time that it runs."""
    monkeypatch.setattr(thin, "SMALL", 64)
    own, last = fresh(name), (0, 0) if name == "albert" else (1, 1)
    if held == "bfloat16":
        for parameter in own.parameters():
            parameter.data = parameter.data.bfloat16().float()
    found = open_model(attrs.evolve(check_folder(folder(name)), held=held))
    adapter = read_adapter(write_adapter(tmp_path / "adapter", matrices({QUERY.format(*last): (32, 32)})))
    dressed = Dressed(found.foreign.model, found.foreign.model.base_model_prefix)

    assert card_of(found, "x").parameters == sum(each.numel() for each in own.parameters())
    for worn, factor in ((None, 0.0), (adapter, 1.0), (None, -1.0)):
        dressed.wear(worn)
        weight = own.get_submodule(QUERY.format(*last)).weight
        weight.data += factor * next(iter(adapter.pairs.values())).added(own.get_submodule(QUERY.format(*last)))
        with torch.inference_mode():
            torch.testing.assert_close(found.foreign(IDS, None), said(own), rtol=0, atol=1e-5)


def test_an_edit_of_one_layer_acts_in_all_of_them(folder: Folder) -> None:
    """As it does in the untouched model, whose one layer is edited."""
    live, own = explorer.load_model(folder("albert")), fresh("albert")
    before = explorer.explore("the fox", model=live)
    with torch.no_grad():
        live.model.get_submodule(QUERY.format(1, 0)).weight.mul_(2)  # type: ignore[union-attr]
        own.get_submodule(QUERY.format(0, 0)).weight.mul_(2)
    trace = explorer.explore("the fox", model=live)
    ids = torch.tensor([[token.id for token in trace.tokens.source]])
    with torch.inference_mode():
        expected = own(input_ids=ids).logits[0].numpy()

    np.testing.assert_allclose(trace["generator.logits"], expected, atol=1e-5)
    moved = [abs(trace[tap] - before[tap]).max() for tap in (f"encoder.layers.{n}.self_attn.query" for n in range(2))]
    assert min(moved) > 0.1


def told(name: str, language: str) -> Mapping[str, str]:
    return dict(card_rows(card_of(opened(name), "x"), Words.load(language)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_card_says_that_an_edit_acts_in_several_layers(language: str) -> None:
    """How many layers share how many sets of weights; no other model says so."""
    row = Words.load(language)("card.weight_sets")
    for name, numbers in (("albert", "21"), ("albert of groups", "84"), ("zamba", "31"), ("zamba2", "32")):
        assert "".join(filter(str.isdigit, told(name, language)[row])) == numbers
    assert row not in told("bert", language)


def test_each_weight_is_listed_once_with_all_its_names(folder: Folder) -> None:
    """And with what an edit of it changes."""
    names = [name for name in explorer.parameters(folder("albert of groups")) if name.endswith("attention.query.weight")]
    assert names == [f"{QUERY.format(n, 0)}.weight" for n in (0, 1, 4, 5)]


def test_layers_with_one_weight_share_its_packed_copy() -> None:
    """An edit of the weight makes one new copy."""
    import transformers

    sizes = {"vocab_size": 40, "embedding_size": 16, "hidden_size": 512, "num_attention_heads": 4, "intermediate_size": 512}
    model = transformers.AlbertModel(transformers.AlbertConfig(**sizes, num_hidden_layers=3), add_pooling_layer=False)
    unroll(model.eval().requires_grad_(False))
    packing = PackedLayers(model)
    assert packing.begin()
    for _edited in range(2):
        with torch.inference_mode():
            model(input_ids=IDS)
        copies = [layer._packed for layer in packing.layers if layer.is_packed]
        assert len(copies) == 3 * 6 and len({id(each) for each in copies}) == 6
        with torch.no_grad():
            model.encoder.albert_layer_groups[2].albert_layers[0].attention.query.weight.mul_(2)


def test_a_model_in_memory_stays_as_it_is(folder: Folder) -> None:
    """What is unrolled is a twin of it."""
    own = fresh("albert")
    explorer.explore(ids=[IDS[0].tolist()], model=own)
    assert len(own.albert.encoder.albert_layer_groups) == 1
    assert opened_anew("albert").foreign.model is not own
