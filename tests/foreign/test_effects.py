"""What parts of somebody's model do, in batches: against loops of torch's hooks on the model's own modules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import explorer
from explorer import Change
from explorer.engine.compute import Computer
from explorer.engine.experiments import sweep, trials
from explorer.engine.experiments.effects_exact import asking_effects, effects_in
from explorer.engine.request import Request
from explorer.errors import LacksTap
from explorer.foreign.opening import Opened
from explorer.lang import Words
from explorer.picture.makers.effects import effect_map, head_at, word_row
from explorer.state.focus import NOWHERE
from explorer.state.look import Look
from explorer.trace.found.effects import Effects
from explorer.trace.found.findings import NotMade
from explorer.trace.trace import Trace
from tests.foreign.by_hand import changed_by_hand
from tests.foreign.models import families, fresh, opened

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"
FAMILIES = ("gpt2", "llama", "qwen3", "mistral", "bert", "t5", "t5 gated", "marian", "bart")
Folder = Callable[[str], Path]


def asked(folder: Folder, name: str) -> dict[str, Any]:
    """A short pass: what explorer.explore is given. Models with both sides are given their target."""
    both = {"target": "the dog"} if name in ("t5", "t5 gated", "marian", "bart") else {}
    return {"text": TEXT, "preset": folder(name), **both}


def log_p_by_hand(
    model: Any, trace: Trace, found: Effects, like: Opened | None = None, *, at: dict[str, Any] | None = None
) -> Any:
    """[word] log p of the words in the model's own eager pass; `at` has by tap what happens to its tensor."""
    source, target = ([[token.id for token in row]] for row in (trace.tokens.source, trace.tokens.target))
    ids = {"input_ids": torch.tensor(source if trace.tokens.source else target)}
    if trace.tokens.source and trace.tokens.target:
        ids["decoder_input_ids"] = torch.tensor(target)
    if at:
        assert like is not None
        (tap, step), *others = at.items()
        with changed_by_hand(model, like, tap, step):
            return log_p_by_hand(model, trace, found, like, at=dict(others))
    with torch.inference_mode():
        logits = model(**ids, use_cache=False).logits[0, : len(found.word_ids)]
    return logits.log_softmax(-1)[range(len(found.word_ids)), list(found.word_ids)].numpy()


def zeroed(head: int | None) -> Callable[[Tensor], Tensor]:
    def step(tensor: Tensor) -> Tensor:
        made = tensor.clone()
        made[:, slice(None) if head is None else head] = 0
        return made

    return step


def hidden(column: int, rows: list[int] | None) -> Callable[[Tensor], Tensor]:
    def step(tensor: Tensor) -> Tensor:
        made = tensor.clone()
        made[:, :, slice(None) if rows is None else rows, column] = torch.finfo(torch.float32).min
        return made

    return step


@pytest.mark.parametrize("name", families(FAMILIES))
def test_every_effect_is_that_of_a_loop_of_hooks(name: str, folder: Folder) -> None:
    """Heads, layers, feed-forwards and hidden tokens of a sweep in batches, each made once more by itself and by hand."""
    given = asked(folder, name)
    trace, found = explorer.explore(**given), explorer.ablate(**given)
    like, model = opened(name), fresh(name)
    model.set_attn_implementation("eager")
    before = log_p_by_hand(model, trace, found)
    np.testing.assert_allclose(found.log_p, before, atol=1e-4)

    def difference(at: dict[str, Any]) -> Any:
        return log_p_by_hand(model, trace, found, like, at=at) - before

    for a, attention in enumerate(found.attentions):
        side, _, kind = attention.partition(".")
        for layer in range(2):
            tap = f"{side}.layers.{layer}.{kind}.mixed"
            np.testing.assert_allclose(found.layers[a, layer], difference({tap: zeroed(None)}), atol=1e-4)
            for head in range(4):
                np.testing.assert_allclose(found.heads[a, layer, head], difference({tap: zeroed(head)}), atol=1e-4)
    for s, side in enumerate(found.sides):
        for layer in range(2):
            tap = f"{side}.layers.{layer}.feed_forward.output"
            expected = difference({tap: lambda tensor: tensor * 0})
            np.testing.assert_allclose(found.feed_forwards[s, layer], expected, atol=1e-4)
    side, _, kind = found.hidden_in.partition(".")
    for token in range(len(found.tokens)):
        rows = None if kind == "cross_attn" else [row for row in range(len(found.tokens)) if row != token]
        at = {f"{side}.layers.{layer}.{kind}.masked": hidden(token, rows) for layer in range(2)}
        np.testing.assert_allclose(found.hidden[token], difference(at), atol=1e-4)
    assert abs(found.heads).max() > 0.01


def test_a_head_that_is_another_would_be_found(folder: Folder) -> None:
    """The effect of head 0 is not that of head 1."""
    given = asked(folder, "gpt2")
    found = explorer.ablate(**given)
    assert abs(found.heads[0, 0, 0] - found.heads[0, 0, 1]).max() > 1e-2


@pytest.mark.parametrize("name", ["gpt2", "llama", "t5"])
def test_the_cells_of_a_head_are_those_of_single_passes(name: str, folder: Folder) -> None:
    """Each cell closed alone, before the softmax; the only key of a query cannot be closed."""
    given = asked(folder, name)
    attention = "decoder.cross_attn" if name == "t5" else "decoder.self_attn"
    edges = explorer.ablate(**given, edges=f"{attention}.1.2").edges
    assert edges is not None
    trace = explorer.explore(**given)
    side, _, kind = attention.partition(".")
    tap = f"{side}.layers.1.{kind}.masked"
    words = list(edges.word_ids)
    before = np.log(trace["generator.probabilities"][range(len(words)), words])
    made = 0
    for query, key in np.argwhere(~edges.closed & ~edges.alone).tolist():
        after = explorer.explore(**given, changes=[Change(tap, "close", head=2, rows=[query], columns=[key])])
        expected = np.log(after["generator.probabilities"][range(len(words)), words]) - before
        np.testing.assert_allclose(edges.values[query, key], expected, atol=1e-4)
        made += 1
    assert made > 5
    assert edges.closed.any() == (name != "t5")


@pytest.mark.parametrize("name", ["llama", "bert", "marian"])
def test_a_large_model_is_estimated_first_and_then_exact_row_by_row(
    name: str, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The estimates are those of a central difference, and the rows that turn exact are those of the whole sweep."""
    given = asked(folder, name)
    exact = explorer.ablate(**given)
    monkeypatch.setattr(trials, "LONG_WORK", 0)
    monkeypatch.setattr(sweep, "WORDS_FOR_A_HEAD", 0)
    request = Request.from_preset(str(given["preset"]), TEXT).wishing(target=given.get("target"))
    computer = Computer()
    found = computer(request.asking(experiments=frozenset({"effects"}))).trace.experiments["effects"]
    assert isinstance(found, Effects)
    assert not found.exact
    step = 1e-2
    for a, attention in enumerate(found.attentions):
        side, _, kind = attention.partition(".")
        tap = f"{side}.layers.0.{kind}.mixed"
        around = [
            explorer.explore(**given, changes=[Change(tap, "scale", head=1, value=1 + sign * step)])["generator.logits"]
            for sign in (-1, 1)
        ]
        log_p = [
            torch.tensor(each).log_softmax(-1)[range(len(found.word_ids)), list(found.word_ids)].numpy() for each in around
        ]
        slope = (log_p[1] - log_p[0]) / (2 * step)
        np.testing.assert_allclose(found.heads[a, 0, 1], -slope, atol=2e-2 * max(1, abs(slope).max()))
    after = effects_in(computer(asking_effects(request)).trace, NOWHERE)
    np.testing.assert_allclose(after.heads, exact.heads, atol=1e-4)
    assert after.estimates is not None
    np.testing.assert_allclose(after.estimates, found.heads, atol=1e-4)


def test_sides_of_different_depth_have_their_own_rows(tmp_path: Path) -> None:
    """An encoder of two layers and a decoder of one: places that the model has not are empty, and no others."""
    import transformers

    from tests.foreign.models import _T5, write_tokenizer

    torch.manual_seed(0)
    config = transformers.T5Config(**_T5 | {"num_decoder_layers": 1})
    transformers.T5ForConditionalGeneration(config).save_pretrained(tmp_path)
    write_tokenizer(tmp_path)
    found = explorer.ablate(TEXT, target="the dog", preset=tmp_path)

    assert found.attentions == ("encoder.self_attn", "decoder.self_attn", "decoder.cross_attn")
    assert np.isfinite(found.heads[0]).all()
    assert np.isfinite(found.heads[1:, 0]).all()
    assert np.isnan(found.heads[1:, 1]).all()
    assert np.isnan(found.feed_forwards[1, 1]).all()
    assert np.isfinite(found.feed_forwards[0]).all()


def test_a_model_whose_streams_were_not_found_has_the_effects_of_its_attention(folder: Folder) -> None:
    """Where its feed-forwards are was not found, so their places are empty."""
    given = asked(folder, "xlm")
    trace, found = explorer.explore(**given), explorer.ablate(**given)
    tap = next(each for each in trace.names() if each.endswith("layers.1.self_attn.weights"))
    off = explorer.explore(**given, changes=[Change(tap, "scale", head=3, value=0.0)])
    ids = list(found.word_ids)
    both = [np.log(each["generator.probabilities"][range(len(ids)), ids]) for each in (trace, off)]

    np.testing.assert_allclose(found.heads[0, 1, 3], both[1] - both[0], atol=1e-4)
    assert np.isnan(found.feed_forwards).all()
    assert "strongest head" in repr(found)


def test_a_model_without_an_output_says_why_there_are_none(folder: Folder) -> None:
    """It gives no word a probability."""
    with pytest.raises(LacksTap) as caught:
        explorer.ablate(TEXT, preset=folder("bert without an output"))
    assert caught.value.values == {"name": "effects", "tap": "generator.logits", "why": "absent.no_output"}


def test_effects_are_those_of_the_pass_with_its_changes(folder: Folder) -> None:
    """A head that is off already has no effect."""
    given = asked(folder, "llama")
    off = Change("decoder.layers.0.self_attn.mixed", "scale", head=2, value=0.0)
    found = explorer.ablate(**given, changes=[off])
    assert abs(found.heads[0, 0, 2]).max() <= 1e-6
    assert abs(found.heads[0, 0, 1]).max() > 1e-3


@pytest.mark.parametrize("name", ["t5", "xlm", "bert without an output"])
def test_the_picture_has_a_row_for_each_part_that_is_seen(name: str, folder: Folder) -> None:
    """Its numbers are those of the row's own tap; a model without an output has a sentence in their place."""
    words = Words.load("en")
    trace = explorer.explore(**asked(folder, name), experiments=["effects"])
    made, found = effect_map(trace, Look(), words), trace.experiments["effects"]
    assert made is not None
    if isinstance(found, NotMade):
        assert "no output over a vocabulary" in made.told
        assert not made.pending
        assert word_row(trace, Look(), words) is None
        return
    assert isinstance(found, Effects)
    for row, about in enumerate(made.rows):
        side, _layers, layer, kind, _part = about.tap.split(".")
        if kind == "feed_forward":
            expected = found.feed_forwards[found.sides.index(side), int(layer)]
            assert head_at(trace.card, row) is None
        else:
            number = found.attentions.index(f"{side}.{kind}")
            expected = found.layers[number, int(layer)]
            np.testing.assert_array_equal(made.values[row], found.heads[number, int(layer)].sum(-1))
            assert head_at(trace.card, row) == (f"{side}.{kind}", int(layer))
        assert made.whole[row] == pytest.approx(expected.sum(), abs=1e-6)
    assert len(made.rows) == (3 * 2 + 2 * 2 if name == "t5" else 2)
