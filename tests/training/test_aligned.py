"""The sentence pairs that were linked by hand, and what counts as a hit."""

import numpy as np
import pytest

import explorer
from tests.training.aligned import Linked, hits, linked


@pytest.mark.parametrize("from_english", [True, False])
def test_every_link_is_two_words_of_its_pair(from_english: bool) -> None:
    """Forty pairs; no word of a sentence is linked by a piece of another one."""
    pairs = list(linked(from_english=from_english))

    assert len(pairs) == len({pair.source for pair in pairs}) == 40
    for pair in pairs:
        english, side = (pair.source, 0) if from_english else (pair.target, 1)
        for link in pair.links:
            start, end = link[side]
            assert not (english[:start][-1:].isalpha() or english[end:][:1].isalpha()), (english, english[start:end])
        assert len({link[side] for link in pair.links}) == len(pair.links) >= 3


@pytest.mark.slow
def test_a_hit_is_the_largest_weight_on_a_token_of_the_word() -> None:
    """Counted by hand for one pair: the query that writes cats stands before it, and 猫 is one token."""
    pair = Linked("我爱猫。", "I love cats.", (((0, 1), (0, 1)), ((2, 3), (7, 11))))
    trace = explorer.explore(pair.source, target=pair.target, preset="translator")
    target = [token.text for token in trace.tokens.target]
    query, key = target.index("␣cats") - 1, [token.text for token in trace.tokens.source].index("猫")

    found = hits(pair, "translator")
    for layer in range(3):
        weights = trace[f"decoder.layers.{layer}.cross_attn.weights"]
        assert list(found[1, layer]) == [int(np.argmax(weights[head, query])) == key for head in range(8)]
