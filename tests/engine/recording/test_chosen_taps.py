"""`explore(…, taps=[…])`: only the taps that are named are recorded, with the very numbers of a whole pass."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer
from explorer.errors import UnknownTap
from explorer.trace.found.findings import NotMade
from tests.foreign.models import write_model

TEXT = "我爱北京天安门"


@pytest.mark.parametrize("taps", [["*.weights", "encoder.norm"], "decoder.layers.1.*", ["generator.logits"]])
def test_only_what_is_named_is_in_the_trace(taps: str | list[str]) -> None:
    """The numbers and the translation are those of the whole pass; everything else is not there."""
    whole = explorer.explore(TEXT)
    trace = explorer.explore(TEXT, taps=taps)
    assert 0 < len(trace.names()) < len(whole.names())
    assert trace.target == whole.target and trace.tokens == whole.tokens
    for name in trace.names():
        np.testing.assert_array_equal(trace[name], whole[name], err_msg=name)
    with pytest.raises(UnknownTap):
        trace["encoder.layers.0.norm1"]


def test_a_model_of_others_has_the_choice_too(tmp_path: Path) -> None:
    """The card says that the other parts were not recorded, and so does an experiment that reads them."""
    folder = write_model(tmp_path / "gpt2", "gpt2")
    trace = explorer.explore("the fox", preset=folder, taps=["*.weights"], experiments=["lens"])
    assert all(name.endswith(".weights") for name in trace.names())
    assert trace.card.why_absent("residual2") == "absent.not_recorded"
    assert isinstance(trace.experiments["lens"], NotMade)


def test_a_long_text_keeps_whole_what_is_named() -> None:
    """The whole pass of a thousand tokens is over the budget and kept in part; one of its maps is kept cell by cell."""
    long = TEXT * 150
    knobs: dict[str, Any] = {
        "preset": "tiny",
        "architecture": "encoder-only",
        "memory_budget": 64,
        "max_len": 2048,
        "tokenizer": "characters",
    }
    tap = "encoder.layers.0.self_attn.weights"
    assert explorer.explore(long, **knobs).map(tap).array is None
    trace = explorer.explore(long, taps=[tap], **knobs)
    np.testing.assert_allclose(trace[tap].sum(axis=-1), 1, atol=1e-4)


def test_a_name_that_fits_nothing_is_said() -> None:
    """With the nearest one."""
    with pytest.raises(UnknownTap, match="weights"):
        explorer.explore(TEXT, taps=["*.wieghts"])
