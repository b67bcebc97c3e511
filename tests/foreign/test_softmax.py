"""Models whose attention knows no function by name: what their softmax reads and gives is seen, and can be replaced."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import explorer
from explorer import Change
from explorer.engine.recording.recorder import record
from explorer.foreign import opening
from explorer.foreign.opening import with_taps
from explorer.model.hooks import hooked, is_hooked
from explorer.model.tap import taps
from explorer.trace.found.findings import NotMade
from tests.foreign.models import BY_SOFTMAX, fresh, ids_of, opened

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"
Folder = Callable[[str], Path]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other take most of the time of so small a model."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def own(name: str, **asked: bool) -> Any:
    """The model's own eager pass over the same tokens."""
    source, target = ids_of(opened(name))
    model = fresh(name)
    given = {} if target is None else {"use_cache": False}
    with torch.inference_mode():
        return model(input_ids=target if source is None else source, **given, **asked)


@pytest.mark.parametrize("name", BY_SOFTMAX)
def test_the_pass_is_the_models_own_to_the_last_bit(name: str) -> None:
    """Its logits, and the weights of every layer and head; each attention shows two tensors."""
    found = opened(name)
    with torch.inference_mode(), record(found.foreign) as recording:
        logits = found.foreign(*ids_of(found))
    arrays, other = dict(recording.arrays), own(name, output_attentions=True)

    assert found.difference == 0
    assert torch.equal(logits, other.logits)
    assert set(arrays) == set(taps(found.foreign))
    side = "decoder" if "decoder.layers.0.self_attn.weights" in arrays else "encoder"
    assert side == ("encoder" if name in ("mpnet", "deberta_v2") else "decoder")
    assert len(other.attentions) == 2
    for layer, weights in enumerate(other.attentions):
        block = f"{side}.layers.{layer}.self_attn"
        assert np.array_equal(arrays[f"{block}.weights"], weights[0].numpy())
        made = torch.tensor(arrays[f"{block}.masked"]).softmax(-1).numpy()
        assert abs(made - weights[0].numpy()).max() <= 1e-6
        assert np.isneginf(arrays[f"{block}.masked"][:, 0, 1:]).all() == (side == "decoder")


@pytest.mark.parametrize("name", BY_SOFTMAX)
def test_both_taps_obey_a_replacement(name: str) -> None:
    """As if the model's own softmax had read, or given, another tensor; afterwards it computes as before."""
    found = opened(name)
    ids = ids_of(found)
    with torch.inference_mode():
        before = found.foreign(*ids)
    for part in ("masked", "weights"):
        for layer in range(2):
            tap = next(each for each in taps(found.foreign) if each.endswith(f".{layer}.self_attn.{part}"))
            with torch.inference_mode(), hooked(found.foreign, lambda _tap, _args, tensor: tensor * 1.5, at=[tap]):
                after = found.foreign(*ids)
            assert abs(after - changed_by_hand(name, part, layer)).max() <= 1e-5 * abs(after).max()
            assert abs(after - before).max() > 1e-4
    with torch.inference_mode():
        assert torch.equal(found.foreign(*ids), before)


def changed_by_hand(name: str, part: str, layer: int) -> Tensor:
    """The logits of the model's own pass with torch's softmax replaced in one layer."""
    real, calls = nn.functional.softmax, [0]

    def softmax(cells: Tensor, *args: Any, **given: Any) -> Tensor:
        if cells.dim() != 4:
            return real(cells, *args, **given)
        mine = calls[0] == layer
        calls[0] += 1
        read = (
            torch.where(cells <= torch.finfo(cells.dtype).min / 2, cells, cells * 1.5) if mine and part == "masked" else cells
        )
        made = real(read, *args, **given)
        return made * 1.5 if mine and part == "weights" else made

    with patch("torch.nn.functional.softmax", softmax):
        logits: Tensor = own(name).logits
    assert calls[0] == 2
    return logits


def test_opening_leaves_no_hooks_and_only_its_attentions_wrapped() -> None:
    """The hooks of the probe are gone; what was wrapped before stays so."""
    found = with_taps(fresh("xlm"), "xlm")
    assert not is_hooked(found.foreign) and not is_hooked(next(iter(found.foreign.attentions.values())))
    wrapped = {path: module for path, module in found.foreign.model.named_modules() if "forward" in module.__dict__}
    others = {path for path, module in wrapped.items() if not isinstance(module, nn.Linear)}  # Those may be packed.
    assert others == {"transformer.attentions.0", "transformer.attentions.1"}


def test_one_that_disagrees_loses_its_taps(monkeypatch: pytest.MonkeyPatch) -> None:
    """As every other model does: here, because its temperature was turned."""
    ids, real = ids_of(opened("gpt_neo")), opening.Foreign

    def turned(*args: Any, **given: Any) -> Any:
        made = real(*args, **given)
        made.turned.temperature = 1.5
        return made

    monkeypatch.setattr(opening, "Foreign", turned)
    found = with_taps(fresh("gpt_neo"), "gpt_neo")
    assert not found.agrees
    left = set(taps(found.foreign))
    assert not any(tap.endswith((".masked", ".weights", ".mixed")) for tap in left)
    assert {"generator.logits", "generator.probabilities", "decoder.layers.0.self_attn.output"} < left
    with torch.inference_mode():
        assert torch.equal(found.foreign(*ids), own("gpt_neo").logits)


@pytest.mark.parametrize("name", ["bloom", "deberta_v2"])
def test_what_is_not_seen_says_why_and_what_is_seen_can_be_changed(name: str, folder: Folder) -> None:
    """From its folder: effects, closed cells, the temperature; what needs its queries says so."""
    path = folder(name)
    trace, found = explorer.explore(TEXT, preset=path), explorer.ablate(TEXT, preset=path)
    side = "encoder" if name == "deberta_v2" else "decoder"
    block = f"{side}.layers.1.self_attn"
    off = explorer.explore(TEXT, preset=path, changes=[Change(f"{block}.mixed", "scale", head=2, value=0.0)])
    ids = list(found.word_ids)
    both = [np.log(each["generator.probabilities"][range(len(ids)), ids]) for each in (trace, off)]

    np.testing.assert_allclose(found.heads[0, 1, 2], both[1] - both[0], atol=1e-4)
    assert np.isfinite(found.hidden).any()
    closed = explorer.explore(TEXT, preset=path, changes=[Change(f"{block}.masked", "close", head=0, rows=[3], columns=[1])])
    assert closed[f"{block}.weights"][0, 3, 1] == 0
    assert closed[f"{block}.weights"][0, 3].sum() == pytest.approx(1, abs=1e-6)
    edges = explorer.ablate(TEXT, preset=path, edges=f"{side}.self_attn.1.0").edges
    assert edges is not None
    after = np.log(closed["generator.probabilities"][range(len(ids)), ids])
    np.testing.assert_allclose(edges.values[3, 1], after - both[0], atol=1e-4)
    warm = explorer.explore(TEXT, preset=path, temperature=2.0)[f"{side}.layers.0.self_attn.masked"]
    own_cells = trace[f"{side}.layers.0.self_attn.masked"]
    there = np.isfinite(own_cells)
    assert abs(warm[there] - own_cells[there] / 2).max() <= 1e-5
    assert trace.card.why_absent("self_attn.query") == "absent.softmax_alone"
    assert isinstance(explorer.explore(TEXT, preset=path, experiments=["readers"]).experiments["readers"], NotMade)


def test_heads_that_only_a_softmax_shows_are_swept_in_batches(folder: Folder) -> None:
    """Every head of every layer, as single passes."""
    path = folder("falcon")
    trace, found = explorer.explore(TEXT, preset=path), explorer.ablate(TEXT, preset=path)
    ids = list(found.word_ids)
    before = np.log(trace["generator.probabilities"][range(len(ids)), ids])
    for layer in range(2):
        for head in range(4):
            change = Change(f"decoder.layers.{layer}.self_attn.weights", "scale", head=head, value=0.0)
            after = explorer.explore(TEXT, preset=path, changes=[change])["generator.probabilities"][range(len(ids)), ids]
            np.testing.assert_allclose(found.heads[0, layer, head], np.log(after) - before, atol=1e-4)
