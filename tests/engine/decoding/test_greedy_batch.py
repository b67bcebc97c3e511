"""Greedy decoding of a batch, against the search that keeps a tree."""

import pytest
import torch

from explorer.config import Config
from explorer.engine.decoding.beam import Decoding, longest, search
from explorer.engine.decoding.greedy_batch import greedy_batch
from explorer.engine.decoding.incremental import Incremental
from explorer.errors import EmptyText
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.tokens.vocabulary import END

SOURCES = [tuple(torch.randint(4, 30, (5,), generator=torch.Generator().manual_seed(n)).tolist()) for n in range(9)]


def model(end: float) -> Transformer:
    """A small one that ends its sentences the sooner, the larger `end` is."""
    made = build(Config(n_layers=2, n_heads=2, d_model=16, d_ff=32, vocab_size=30, max_len=24, seed=4))
    with torch.no_grad():
        made.generator.project.bias[END] += end
    return made.eval()


@pytest.mark.parametrize("end", [-50.0, 0.6, 50.0])
def test_a_batch_writes_what_a_beam_of_one_writes(end: float) -> None:
    """Sentences that end at different steps, that end at once, and that reach the greatest length."""
    own = model(end)
    with torch.inference_mode():
        memory = own.encode(torch.tensor(SOURCES))
    found = greedy_batch(Incremental(own, memory), len(SOURCES), longest(5, 24))
    assert found == [each.best for each in search(own, SOURCES, Decoding())]
    lengths = {len(ids) for ids in found}
    assert lengths == {23} if end < 0 else lengths == {0} if end > 1 else len(lengths) > 1


@pytest.mark.parametrize("n", [1, 2])
def test_no_sentence_of_a_batch_repeats_an_n_gram(n: int) -> None:
    """As in a beam of one; without the knob other words are written."""
    own = model(-0.5)
    with torch.inference_mode():
        memory = own.encode(torch.tensor(SOURCES))
    found = greedy_batch(Incremental(own, memory), len(SOURCES), longest(5, 24), n)
    assert found == [each.best for each in search(own, SOURCES, Decoding(no_repeat_ngram=n))]
    assert found != [each.best for each in search(own, SOURCES, Decoding())]


def test_a_batch_can_be_ended_before_each_step() -> None:
    """By an error of whoever waits."""
    own = model(0.0)

    def check() -> None:
        raise EmptyText

    with pytest.raises(EmptyText), torch.inference_mode():
        greedy_batch(Incremental(own, own.encode(torch.tensor(SOURCES))), len(SOURCES), longest(5, 24), check=check)
