"""A padded batch against each sentence alone."""

import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.trace.found.findings import PaddedBatch
from tests.engine.experiments.asking import looked_into

pytestmark = pytest.mark.slow  # each experiment makes passes of its own


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_padding_changes_nothing_where_it_is_masked(computer: Computer, architecture: str) -> None:
    """Each sentence comes out as if alone. Without the mask it does not, unless a causal one hides the padding."""
    trace = looked_into(computer, "batch", "你好", batch=("我爱北京天安门", " "), architecture=architecture)
    found: PaddedBatch = trace.experiments["batch"]
    side = "encoder" if architecture == "encoder-decoder" else "decoder"

    assert [len(sentence) for sentence in found.tokens] == [2, 7]
    assert found.real.tolist() == [[True] * 2 + [False] * 5, [True] * 7]
    assert found.difference < 1e-5
    assert (found.difference_unmasked > 1e-3) is (architecture == "encoder-decoder")
    assert found.weights.shape == (2, 2, 4, 7, 7)
    assert not found.weights[0, :, :, :, 2:].any()
    assert found.weights[0, 1, :, :2, :2] == pytest.approx(trace[f"{side}.layers.1.self_attn.weights"], abs=1e-5)


def test_a_sentence_alone_is_a_batch_too(computer: Computer) -> None:
    """Nothing is padded, nothing differs."""
    found: PaddedBatch = looked_into(computer, "batch").experiments["batch"]

    assert found.real.all()
    assert found.difference == pytest.approx(0, abs=1e-6)


def test_other_sentences_share_the_sentences_own_vocabulary(computer: Computer) -> None:
    """The same word has the same id; a new one has the next."""
    trace = looked_into(computer, "batch", "我爱你", batch=("你爱他",), vocabulary="sentence")

    assert [[token.id for token in row] for row in trace.experiments["batch"].tokens] == [[0, 1, 2], [2, 1, 3]]


def test_a_sentence_too_long_for_the_model_is_cut_off_in_a_batch(computer: Computer) -> None:
    """It takes nobody's picture away."""
    found = looked_into(computer, "batch", "你好", batch=("一" * 20,), max_len=8).experiments["batch"]

    assert [len(row) for row in found.tokens] == [2, 8]


def test_a_batch_with_numbers_that_are_none_says_so(computer: Computer) -> None:
    """Wherever in the batch they stand."""
    for text, other in (("你好", "我爱北京"), ("我爱北京", "你好")):
        found = looked_into(computer, "batch", text, batch=(other,), masking="inverted", causal_mask_encoder=True)
        assert np.isnan(found.experiments["batch"].difference)
