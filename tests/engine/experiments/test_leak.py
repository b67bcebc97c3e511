"""What one token moves, against passes over a text with another token there."""

import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.trace.changes import Change
from explorer.trace.found.findings import Leak
from tests.engine.experiments.asking import asked_for, ids, looked_into

pytestmark = pytest.mark.slow  # each experiment makes passes of its own


def test_a_causal_mask_lets_nothing_leak(computer: Computer) -> None:
    """A later token moves no earlier output; with the mask off each moves all."""
    closed: Leak = looked_into(computer, "leak").experiments["leak"]
    opened: Leak = looked_into(computer, "leak", causal_mask=False).experiments["leak"]
    later = np.triu(np.ones((5, 5), bool), 1)  # [output, changed token]

    assert closed.side == "target"
    assert closed.changes[later].max() < 1e-5
    assert closed.changes[~later].min() > 1e-3
    assert opened.changes.min() > 1e-3


def test_a_leak_is_what_another_text_gives(computer: Computer) -> None:
    """Each column is the pass over a text with that one token replaced by the symbol after it."""
    trace = looked_into(computer, "leak", architecture="decoder-only", causal_mask=False)
    found: Leak = trace.experiments["leak"]
    model = computer.sources.own.last
    other = ids(trace).clone()
    other[0, 3] += 1
    moved = (model.decode(other, None) - model.decode(ids(trace), None))[0].norm(dim=-1)

    assert found.changes[:, 3] == pytest.approx(moved.numpy(), abs=1e-5)


def test_a_change_that_opens_the_mask_leaks(computer: Computer) -> None:
    """The sixth token's share of the second query moves the second output; by how much is a pass over another text."""
    change = Change("decoder.layers.0.self_attn.weights", "set", rows=[1], columns=[5], value=0.6)
    request = Request.from_preset("translator", "他在图书馆看书。").wishing(changes=(change,))
    found: Leak = computer(asked_for(request, "leak")).trace.experiments["leak"]

    assert found.changes[1, 5] == pytest.approx(12.68, abs=0.01)
    leaks = np.argwhere(np.triu(found.changes, 1) > 1e-4).tolist()  # [output, changed token]
    assert leaks == [[output, 5] for output in (1, 2, 3, 4)]  # Later queries of the next layers see the second one.


def test_a_long_text_is_looked_at_as_far_as_256_tokens(computer: Computer) -> None:
    """Passes grow with the cube of the length."""
    found = looked_into(computer, "leak", "一二三" * 100, architecture="encoder-only", n_layers=1, d_model=8, n_heads=1, d_ff=8)

    assert found.experiments["leak"].changes.shape == (256, 256)


def test_what_collapsed_outputs_move_is_rounding(computer: Computer) -> None:
    """Without residuals eight layers make all places alike: what is left of a change is below what rounding can do, while
    a mask that is off moves outputs by a million times as much."""
    collapsed: Leak = looked_into(computer, "leak", residual=False, n_layers=8).experiments["leak"]
    opened: Leak = looked_into(computer, "leak", causal_mask=False).experiments["leak"]

    assert 0 < collapsed.changes.max() < collapsed.noise
    assert opened.changes.max() > 1e4 * opened.noise
    usual = looked_into(computer, "leak", residual=False, n_layers=8)["decoder.norm"]
    assert collapsed.length == pytest.approx(float(np.linalg.norm(usual, axis=-1).mean()), rel=1e-3)
