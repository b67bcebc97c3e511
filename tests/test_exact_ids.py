"""`explore(ids=[[…]])`: the tokens are exactly the ids that somebody gives, also where a model has no tokenizer."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import explorer
from explorer.errors import EmptyText, NeedsIds, NeedsTokenizer, NoSuchId, NotIds, SeveralRows, TextAndIds
from explorer.state.intents import SetPreset, wishing
from explorer.state.state import State
from explorer.tokens.written_ids import written_ids
from tests.foreign.models import fresh, write_model

TEXT = "我爱北京天安门"


@pytest.mark.parametrize("preset", ["translator", "language-model", "paper-base"])
def test_the_ids_of_a_text_make_its_pass(preset: str) -> None:
    """The arrays are to the last bit those of the text, for a trained model and an untrained one."""
    knobs: dict[str, Any] = {"n_layers": 1, "n_heads": 2, "d_model": 8, "d_ff": 8} if preset == "paper-base" else {}
    of_text = explorer.explore(TEXT, preset=preset, **knobs)
    row = of_text.tokens.source or of_text.tokens.target
    ids = [[token.id for token in row]]
    trace = explorer.explore(ids=ids, preset=preset, **knobs)
    again = trace.tokens.source or trace.tokens.target
    assert [token.text for token in again] == [token.text for token in row]
    assert [trace.source[token.start : token.end] for token in again] == [str(token.id) for token in row]
    for name in of_text.names():
        np.testing.assert_array_equal(trace[name], of_text[name], err_msg=name)


def test_a_model_in_memory_needs_no_tokenizer_for_them() -> None:
    """A tensor goes in as it is; the logits are the model's own, and a lens of it is one call as well."""
    model, ids = fresh("gpt2").eval(), torch.tensor([[5, 7, 21, 3]])
    with torch.no_grad():
        expected = model(ids).logits[0].numpy()
    trace = explorer.explore(ids=ids, model=model)
    np.testing.assert_allclose(trace["generator.logits"], expected, atol=1e-5)
    assert [token.text for token in trace.tokens.target] == ["5", "7", "21", "3"]
    live = explorer.load_model(model)
    np.testing.assert_array_equal(explorer.explore(ids=ids[0], model=live)["generator.logits"], trace["generator.logits"])
    with pytest.raises(NeedsTokenizer):
        explorer.explore("the fox", model=live)
    with pytest.raises(NoSuchId):
        explorer.explore(ids=[[10_000]], model=live)


def test_a_folder_without_a_tokenizer_reads_them(tmp_path: Path) -> None:
    """As a text of numbers; any other text is told what lacks. With a tokenizer, no special tokens are added to ids."""
    folder = write_model(tmp_path / "bert", "bert")
    ids = explorer.explore(ids=[[4, 9, 2]], preset=folder)
    assert [token.id for token in ids.tokens.source] == [4, 9, 2]
    assert len(explorer.explore("the fox", preset=folder).tokens.source) > 2
    bare = shutil.copytree(folder, tmp_path / "bare")
    (bare / "tokenizer.json").unlink()
    trace = explorer.explore("4 9, 2", preset=bare)
    np.testing.assert_array_equal(trace["encoder.layers.0.self_attn.weights"], ids["encoder.layers.0.self_attn.weights"])
    for text in ("the fox", "4 -1", "4 ²"):
        with pytest.raises(NeedsIds, match="15 27 3"):
            explorer.explore(text, preset=bare)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"ids": [[1, 2], [3, 4]]}, SeveralRows),
        ({"ids": [1, "2"]}, NotIds),
        ({"ids": [1.5]}, NotIds),
        ({"ids": [-1]}, NotIds),
        ({"ids": 7}, NotIds),
        ({"ids": []}, EmptyText),
        ({"ids": [10**9]}, NoSuchId),
        ({"ids": [1], "text": TEXT}, TextAndIds),
        ({"text": ""}, EmptyText),
    ],
)
def test_what_is_no_row_of_ids_is_said(given: dict[str, Any], error: type[Exception]) -> None:
    """One sentence for each, and no pass."""
    with pytest.raises(error):
        explorer.explore(**given)


def test_a_session_keeps_that_a_text_is_ids(tmp_path: Path) -> None:
    """It is written and read; another preset reads the text as text again."""
    state = wishing(State.from_preset("translator"), text="5 187", by_ids=True)
    state.save(tmp_path / "ids.toml")
    assert State.load(tmp_path / "ids.toml").wish.by_ids
    assert not SetPreset("language-model").applied(state, None).wish.by_ids
    assert [token.id for token in written_ids("[5,  187]\n")] == [5, 187]
