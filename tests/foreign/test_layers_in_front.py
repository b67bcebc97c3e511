"""Sweeps over models of others that leave out the layers in front of each change, against sweeps with all layers."""

from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import pytest
import torch

from explorer.engine.experiments import layers_in_front as module
from explorer.engine.experiments.ablations import feed_forwards_of, heads_of, layers_of
from explorer.engine.experiments.bench import Bench
from explorer.engine.experiments.layers_in_front import LayersInFront
from explorer.engine.experiments.trials import Trials
from explorer.foreign.card import card_of
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.recorded_pass import Tokens
from tests.foreign.models import ALL, BY_SOFTMAX, families, ids_of, opened_anew

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
NAMES = [name for name in (*ALL, *BY_SOFTMAX) if name != "bert without an output"]
ALL_RUN = ("falcon", "falcon of two norms")  # They write into tensors that were given out.
# Products of chosen experts are made in no type that is finer.
IN_FLOAT32 = ("mixtral", "qwen2_moe", "qwen3_moe", "gpt_oss")


def effects(name: str) -> Array:
    """[trial, word] of each head, attention and feed-forward that is seen."""
    like = opened_anew(name)
    like.foreign.model.to(torch.get_default_dtype())
    tokens = Tokens(*(() if ids is None else tuple(Token("a", n, 0, 1, True) for n in ids[0].tolist()) for ids in ids_of(like)))
    own = Bench(like.foreign, tokens, (), lambda: False, card=card_of(like, name))
    with torch.inference_mode():
        parts = (*heads_of(own.card), *layers_of(own.card), *feed_forwards_of(own.card))
        return Trials(own).effects([part.trial for part in parts]).numpy()


@pytest.fixture(autouse=True)
def in_float64(name: str) -> Iterator[None]:
    """Wherever torch can: products of other sizes round otherwise, and a small untrained mT5 is 3e-4 off in float32."""
    if name not in IN_FLOAT32:
        torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("name", families(NAMES))
def test_effects_are_those_of_whole_passes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every family; layers are left out of those that overwrite nothing."""
    monkeypatch.setattr(module, "WORTH_A_BATCH", 3)
    asked: list[int] = []
    left_out = LayersInFront.left_out

    def noting(self: LayersInFront, n_layers: int, n_rows: int) -> object:
        asked.append(len(self._given_out[:n_layers]))
        return left_out(self, n_layers, n_rows)

    monkeypatch.setattr(LayersInFront, "left_out", noting)
    found = effects(name)
    assert (max(asked) > 0) == (name not in ALL_RUN)
    monkeypatch.setattr(LayersInFront, "left_out", lambda *_: nullcontext())
    expected = effects(name)
    np.testing.assert_allclose(found, expected, rtol=0, atol=4e-6 if name in IN_FLOAT32 else 1e-7)
    assert np.abs(expected).max() > 0.01
