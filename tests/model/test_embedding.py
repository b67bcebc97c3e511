"""From ids to the vectors that enter the first layer."""

import math

import pytest
import torch

from explorer.engine.recording.recorder import Recording, record
from explorer.model import positions
from explorer.model.embedding import Embedding
from tests.model.models import assert_same, randomized, small

IDS = torch.tensor([[3, 1, 4, 1, 5]])


def embedded(**knobs: object) -> tuple[Embedding, Recording]:
    embedding = randomized(Embedding(small(**knobs), 50))
    with record(embedding) as recording:
        embedding(IDS)
    return embedding, recording


@pytest.mark.parametrize("scale", [0.0, 1.0, 2.5])
def test_token_vectors_are_scaled_by_the_root_of_d_model(scale: float) -> None:
    """x = E[id]·√d_model·embedding_scale, and the sum is x + positions."""
    embedding, recording = embedded(embedding_scale=scale)
    taken = embedding.look_up.weight[IDS[0]]

    assert (torch.from_numpy(recording.arrays["tokens"].copy()) == taken).all()
    assert_same(torch.from_numpy(recording.arrays["scaled"].copy()), taken * math.sqrt(24) * scale)
    total = recording.arrays["scaled"] + recording.arrays["positions"]
    assert recording.arrays["output"] == pytest.approx(total, abs=1e-6)


def test_the_same_token_has_the_same_vector_and_another_place() -> None:
    """Tokens 1 and 3 are alike; what enters the model is not."""
    _, recording = embedded()

    assert (recording.arrays["tokens"][1] == recording.arrays["tokens"][3]).all()
    assert (recording.arrays["output"][1] != recording.arrays["output"][3]).any()


@pytest.mark.parametrize("kind", ["rotary", "alibi", "none"])
def test_kinds_that_add_nothing_record_zeros(kind: str) -> None:
    """`positions` is recorded for every kind."""
    _, recording = embedded(position=kind)

    assert recording.arrays["positions"].shape == (5, 24)
    assert not recording.arrays["positions"].any()


def test_learned_positions_are_rows_of_a_matrix() -> None:
    """One row for each place up to max_len."""
    embedding, recording = embedded(position="learned", max_len=9)

    assert embedding.learned.weight.shape == (9, 24)
    assert (torch.from_numpy(recording.arrays["positions"].copy()) == embedding.learned.weight[:5]).all()


def test_the_base_reaches_the_positions() -> None:
    """The knob position_base is the paper's 10000."""
    _, recording = embedded(position_base=77.0)

    assert_same(torch.from_numpy(recording.arrays["positions"].copy()), positions.sinusoidal(5, 24, 77.0))


def test_dropout_acts_on_the_sum() -> None:
    """What is kept is divided by 1 - p, what is dropped is zero."""
    embedding = randomized(Embedding(small(dropout=0.5), 50)).train()
    torch.manual_seed(0)
    with record(embedding) as recording:
        embedding(IDS)
    total = recording.arrays["scaled"] + recording.arrays["positions"]
    kept = recording.arrays["output"] != 0

    assert 0.3 < kept.mean() < 0.7
    assert recording.arrays["output"][kept] == pytest.approx(total[kept] * 2, rel=1e-5)
