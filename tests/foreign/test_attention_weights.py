"""The matrices behind Q, K, V and the output of models of others: their products arrive as the model itself recorded them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import explorer
from explorer.engine.experiments.checked_weights import checked
from explorer.foreign.weights import attention_weights, possible_turns
from explorer.trace.found.findings import NotMade
from explorer.trace.found.projections import MADE, projection
from tests.foreign.models import STREAM_BY_SOFTMAX, WHOLE, families, opened

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT = "the fox and 我爱"
BOTH = ("t5", "t5 gated", "mt5", "marian", "bart", "mbart", "m2m_100", "pegasus")


@pytest.mark.parametrize("name", families(WHOLE))
def test_each_matrix_gives_what_the_model_recorded(name: str, folder: Callable[[str], Path]) -> None:
    """Of each attention and head, to 1e-5 of the largest: fused or not, with biases, shared KV heads, norms and rotations."""
    target = {"target": "the dog"} if name in BOTH else {}
    trace, foreign = explorer.explore(TEXT, preset=folder(name), **target), opened(name).foreign
    n = max(len(trace.tokens.source), len(trace.tokens.target))
    assert foreign.attentions
    for block in foreign.attentions:
        found = checked(attention_weights(foreign, block, n), possible_turns(foreign, n), trace)
        for made in MADE:
            recorded = trace[f"{block}.{made}"]
            for head in range(1 if made == "output" else trace.card.side(block).n_heads):
                rows = recorded if made == "output" else recorded[trace.card.head_in(f"{block}.{made}", head)]
                arrived = projection(trace, found, made, head).arrived
                np.testing.assert_allclose(arrived, rows, rtol=0, atol=1e-5 * np.abs(recorded).max(), err_msg=f"{block} {made}")


@pytest.mark.parametrize("name", families(STREAM_BY_SOFTMAX))
def test_a_model_without_q_and_k_says_so(name: str, folder: Callable[[str], Path]) -> None:
    """Its attention is its own, and only what goes into its softmax is recorded."""
    trace = explorer.explore(TEXT, preset=folder(name), experiments=["attention_weights"])
    found = trace.experiments["attention_weights"]
    assert isinstance(found, NotMade) and found.error.values["why"] == "absent.softmax_alone"
