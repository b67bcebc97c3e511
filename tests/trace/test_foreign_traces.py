"""Traces of other people's models: they need a card and no Config, and heads may share keys and values."""

from pathlib import Path

import attrs
import numpy as np
import pytest

from explorer.engine.recording.memory import trace_bytes
from explorer.errors import NotATrace, UnknownKnob
from explorer.trace.remake_heads import remade
from explorer.trace.trace import Trace
from tests.trace.foreign import NAMES, foreign_trace, grouped_trace
from tests.trace.runs import a_trace
from tests.trace.test_trace_files import rewritten


def test_a_trace_without_a_config_needs_a_card() -> None:
    """Without both nothing would be known of the model."""
    with pytest.raises(TypeError):
        attrs.evolve(foreign_trace(), card=None)


def test_it_comes_back_from_a_file(tmp_path: Path) -> None:
    """With its card, its axes and no Config."""
    trace = foreign_trace()
    trace.save(tmp_path / "x.npz")
    loaded = Trace.load(tmp_path / "x.npz")

    assert loaded.card == trace.card
    assert loaded.config is None
    assert [loaded.axes(name) for name in NAMES] == [trace.axes(name) for name in NAMES]
    assert all(loaded[name].tobytes() == trace[name].tobytes() for name in NAMES)


def test_it_has_no_knobs() -> None:
    """Asking for one is told as asking for an unknown one is."""
    assert a_trace().knob("d_ff") == 40
    for trace, name in ((foreign_trace(), "d_ff"), (a_trace(), "n_wings")):
        with pytest.raises(UnknownKnob) as caught:
            trace.knob(name)
        assert caught.value.values == {"name": name}


def test_a_file_from_before_there_were_cards_gets_one(tmp_path: Path) -> None:
    """From its Config, with the parameters that it was told."""
    old = Trace.load(rewritten(tmp_path / "x.npz", lambda about, _arrays: about.pop("card")))

    assert old.card == a_trace().card
    assert (old.parameters, old.trained) == (12345, False)


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about.update(config=None, card=None),
        lambda about: [about.update(config=None), about.pop("card")],
        lambda about: about["card"].update(sides=[]),
        lambda about: about["card"].update(d_model=-24),
        lambda about: about["card"]["sides"][0].update(n_layers="2"),
    ],
)
def test_a_file_with_a_wrong_card_is_no_trace(tmp_path: Path, change: object) -> None:
    """It is refused at the border and not met later in a picture."""
    with pytest.raises(NotATrace):
        Trace.load(rewritten(tmp_path / "x.npz", lambda about, _arrays: change(about)))


@pytest.mark.parametrize("stage", ["scores", "scaled", "masked"])
def test_a_head_that_shares_its_keys_can_be_made_again(stage: str) -> None:
    """From the keys that it shares, as it was recorded; with the other keys it would be another map."""
    _copied, shared = grouped_trace()
    base = "decoder.layers.1.self_attn"
    open_cells = np.tril(np.ones((3, 3), bool)) if stage == "masked" else np.ones((3, 3), bool)
    for head in range(4):
        made, recorded = remade(shared, f"{base}.{stage}", head), shared[f"{base}.{stage}"][head]
        np.testing.assert_allclose(made[open_cells], recorded[open_cells], rtol=1e-5, atol=1e-6)
    first, second = shared[f"{base}.key"]
    assert not np.allclose(shared[f"{base}.query"][0] @ first.T, shared[f"{base}.query"][0] @ second.T)


def test_the_estimate_counts_shared_keys_once() -> None:
    """To the byte."""
    copied, shared = grouped_trace()
    taken = [sum(array.nbytes for array in trace.arrays.values()) for trace in (copied, shared)]

    assert [trace_bytes(trace.card, 0, 3) for trace in (copied, shared)] == taken
    assert taken[0] > taken[1]
