"""Positions that a file in GGUF slows down, against the same model whose settings say so in the words of transformers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import explorer
from explorer.foreign.folder import check_folder
from explorer.foreign.opening import open_model
from tests.foreign.gguf_files import packed_folder, plain
from tests.foreign.models import write_model

slow = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"


def divisors(base: float, n_pairs: int, *, factor: float, low: float, high: float, trained: int) -> NDArray[np.float32]:
    """What each pair's speed is divided by in Llama 3.1, by the description of its authors."""
    made = []
    for pair in range(n_pairs):
        wave = 2 * np.pi * base ** (pair / n_pairs)
        part = min(max((trained / wave - low) / (high - low), 0.0), 1.0)
        made.append(1 / ((1 - part) / factor + part))
    return np.array(made, np.float32)


@slow
def test_positions_that_a_file_slows_down_are_those_of_llama_3(tmp_path: Path) -> None:
    """Against the same model whose settings say "llama3": pairs as before, eight times slower, and one between.

    Without the divisors other numbers come out; texts are gone on with as usual.
    """
    own = write_model(tmp_path / "own", "llama")
    settings = json.loads((own / "config.json").read_text())
    told = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    settings["rope_parameters"] |= told | {"original_max_position_embeddings": 1000}
    (own / "config.json").write_text(json.dumps(settings))
    slow_down = divisors(10000.0, 4, factor=8.0, low=1.0, high=4.0, trained=1000)
    assert slow_down[0] == slow_down[1] == 1 and 1 < slow_down[2] < 8 and slow_down[3] == 8
    same = explorer.explore(TEXT, preset=own)
    fast = explorer.explore(TEXT, preset=packed_folder(tmp_path / "fast", "llama"))
    for kind in ("F32", "F16"):
        packed = packed_folder(tmp_path / kind, "llama", further={"rope_freqs.weight": plain(slow_down, kind)})
        trace = explorer.explore(TEXT, preset=packed)
        near = 1e-5 if kind == "F32" else 1e-3
        for tap in same.names():
            np.testing.assert_allclose(trace[tap], same[tap], rtol=near, atol=near)
    assert abs(fast["generator.logits"] - same["generator.logits"]).max() > 0.01


@slow
@pytest.mark.parametrize(
    ("told", "factor"),
    [
        ({"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 4.0}, 4.0),
        ({"llama.rope.scaling.factor": 2.0}, 2.0),
        ({"llama.rope.scale_linear": 4.0}, 4.0),
        ({"llama.rope.scaling.type": "none", "llama.rope.scaling.factor": 4.0}, 1.0),
        ({"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 0.0}, 1.0),
    ],
)
def test_positions_that_all_turn_slower_are_those_of_linear_scaling(
    told: dict[str, Any], factor: float, tmp_path: Path
) -> None:
    """Against the same model whose settings say "linear"; llama.cpp takes a factor without a kind for it."""
    own = write_model(tmp_path / "own", "llama")
    settings = json.loads((own / "config.json").read_text())
    settings["rope_parameters"] |= {"rope_type": "linear", "factor": factor}
    (own / "config.json").write_text(json.dumps(settings))
    trace = explorer.explore(TEXT, preset=packed_folder(tmp_path / "packed", "llama", **told))
    same = explorer.explore(TEXT, preset=own)
    np.testing.assert_allclose(trace["generator.logits"], same["generator.logits"], rtol=1e-5, atol=1e-5)


@slow
def test_positions_that_are_slowed_down_alike_at_every_length_go_on(tmp_path: Path) -> None:
    """The rows of a text need not be computed again when a word comes behind it."""
    further = {"rope_freqs.weight": plain(np.array([1, 1, 2, 8], np.float32), "F32")}
    folder = check_folder(packed_folder(tmp_path, "llama", further=further))
    assert open_model(folder, lambda _share: None).foreign.goes_on
