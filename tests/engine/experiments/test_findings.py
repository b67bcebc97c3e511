"""What makes the experiments: each with every kind of model, inside changes, without dropout, and giving way."""

import importlib
import pkgutil

import grimp
import numpy as np
import pytest

from explorer.engine import experiments
from explorer.engine.compute import Computer
from explorer.engine.experiments import leak
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.request import Request
from explorer.state.focus import Focus
from explorer.stops import Superseded
from explorer.trace.changes import Change
from explorer.trace.found.experiments import EXPERIMENTS, IN_FORMULAS
from explorer.trace.found.findings import Depth, NotMade, Swap
from tests.engine.experiments.asking import asked_for, looked_into
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # each experiment makes passes of its own


def test_only_what_is_asked_for_is_made(computer: Computer) -> None:
    """Experiments cost passes."""
    request = Request.from_preset("tiny", "你好")

    assert dict(computer(request).trace.experiments) == {}
    for name in IN_FORMULAS:
        assert list(computer(asked_for(request, name)).trace.experiments) == [name]


def test_the_model_is_as_before(computer: Computer) -> None:
    """An experiment without positions or residuals leaves no trace in the next pass."""
    plain = looked_into(computer, "variants")["generator.logits"]
    for name in IN_FORMULAS:
        assert np.array_equal(looked_into(computer, name)["generator.logits"], plain)
    assert np.array_equal(looked_into(computer, "variants")["generator.logits"], plain)


@pytest.mark.parametrize("knobs", [{}, {"position": "none"}, {"residual": False}], ids=str)
def test_experiments_are_made_inside_the_changes(computer: Computer, knobs: dict[str, object]) -> None:
    """Vectors and outputs are those that the changed pass recorded, with other knobs too: those may need another module."""
    changes = (Change("encoder.layers.0.norm1", "add", value=0.5), Change("encoder.embedding.output", "scale", value=0.5))
    text, no_change = "狗是人养的", Request.from_preset("tiny", "狗是人养的", tokenizer="characters", position="learned")
    request = no_change.wishing(changes=changes)
    turned = Request.from_preset("tiny", text, tokenizer="characters", **{"position": "learned", **knobs})
    recorded = computer(turned.wishing(changes=changes)).trace
    swap: Swap = computer(asked_for(request, "swap")).trace.experiments["swap"]
    depth: Depth = computer(asked_for(request, "depth")).trace.experiments["depth"]

    if "residual" not in knobs:
        outputs = swap.without if knobs else swap.usual
        assert outputs == pytest.approx(recorded["encoder.norm"], abs=1e-5)
    if "position" not in knobs:
        lengths = depth.lengths_without if knobs else depth.lengths
        assert lengths == pytest.approx([np.linalg.norm(recorded[tap], axis=-1).mean() for tap in depth.taps], rel=1e-4)


@pytest.mark.parametrize("name", ["leak", "depth", "segmentations"])
def test_an_experiment_gives_way(computer: Computer, name: str) -> None:
    """To a stop that comes after the pass; the model is whole afterwards."""
    expected = looked_into(computer, "swap")["generator.logits"]
    n_taps = len(looked_into(computer, "swap").names())
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > n_taps + 1

    with pytest.raises(Superseded):
        computer(asked_for(Request.from_preset("tiny", "狗是人养的", tokenizer="characters"), name), stop)
    assert np.array_equal(looked_into(computer, "swap")["generator.logits"], expected)


@pytest.mark.parametrize("preset", sweep(["translator", "tutorial-c", "tutorial-d"], telling=["translator"]))
@pytest.mark.parametrize(("text", "target"), [("你", "you"), ("我爱北京天安门", "I love it")])
def test_every_experiment_works_on_every_model(computer: Computer, preset: str, text: str, target: str) -> None:
    """One token too, an odd width, a trained model with two vocabularies; of written words only where a decoder writes some.

    The target is given: of one token the trained model makes a translation without end, which takes a minute to patch.
    """
    asked = Request.from_preset(preset, text).wishing(batch=("好",), target=target if preset == "translator" else None)
    trace = computer(asked.asking(experiments=frozenset(IN_FORMULAS))).trace
    writes = "decoder.embedding.output" in trace

    assert tuple(trace.experiments) == tuple(name for name in IN_FORMULAS if writes or not EXPERIMENTS[name].decoder)


def test_every_row_of_the_table_has_a_file_that_makes_it() -> None:
    """And every file that makes something has a row, so that somebody can ask for it."""
    files = {
        each.name
        for each in pkgutil.iter_modules(experiments.__path__)
        if hasattr(importlib.import_module(f"{experiments.__name__}.{each.name}"), "MAKE")
    }
    assert files == EXPERIMENTS.keys()


def test_no_experiment_needs_another() -> None:
    """Nor does what they share, so one can be read, changed and taken out by itself."""
    graph = grimp.build_graph("explorer", exclude_type_checking_imports=False, cache_dir=None)
    files = {f"{experiments.__name__}.{key}" for key in EXPERIMENTS}
    inside = graph.find_descendants(experiments.__name__)
    assert {name: files & graph.find_modules_directly_imported_by(name) for name in inside} == {name: set() for name in inside}


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_every_experiment_is_made_of_every_kind_of_our_models(computer: Computer, architecture: str) -> None:
    """Inside a change, so that the pass without it is asked for, too; of written words where a decoder writes some."""
    side = "encoder" if architecture == "encoder-only" else "decoder"
    change = Change(f"{side}.layers.0.self_attn.mixed", "scale", head=0, value=0.5)
    request = Request.from_preset("tiny", "我爱北京", architecture=architecture).wishing(batch=("好",), changes=(change,))
    frame = computer(request.asking(experiments=frozenset(EXPERIMENTS), focus=Focus(tap=change.tap)))
    promised = {key for key, row in EXPERIMENTS.items() if not row.decoder or architecture != "encoder-only"}

    assert frame.trace.experiments.keys() == promised and not frame.broken
    refused = {key: found.error for key, found in frame.trace.experiments.items() if isinstance(found, NotMade)}
    assert refused.keys() <= {"jacobian"}  # Its matrices are fitted for one model alone.


def test_a_bug_in_one_experiment_leaves_the_others(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a window, which tells it; a script gets the bug itself."""

    def broken(_inquiry: Inquiry) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(leak, "MAKE", broken)
    asked = Request.from_preset("tiny", "你好").asking(experiments=frozenset({"swap", "leak", "depth"}))
    with pytest.raises(ZeroDivisionError):
        computer(asked)
    frame = computer(asked.asking(leaves_out=True))
    found = frame.trace.experiments
    assert list(frame.broken) == ["leak"] and isinstance(found["swap"], Swap) and isinstance(found["depth"], Depth)
    assert isinstance(found["leak"], NotMade) and "ZeroDivisionError" in str(found["leak"].error)


def test_a_state_can_be_put_beside(computer: Computer) -> None:
    """It is computed once, by weights of its own, and goes when nobody asks for it any more."""
    other = Request.from_preset("tiny", "你好", seed=3)
    request = Request.from_preset("tiny", "你好吗").wishing(compared_with=other.wish)
    first = computer(request).trace.compared_with
    again = computer(request.wishing(text="你")).trace.compared_with

    assert first is again
    assert np.array_equal(first["generator.logits"], Computer()(other).trace["generator.logits"])
    assert computer(request.wishing(compared_with=None)).trace.compared_with is None


def test_experiments_are_made_without_dropout(computer: Computer) -> None:
    """Noise is no finding: the causal mask holds, and so does the padding, while the pass itself drops."""
    knobs = {"dropout": 0.3, "dropout_active": True}
    later = np.triu(np.ones((5, 5), bool), 1)

    assert looked_into(computer, "leak", **knobs).experiments["leak"].changes[later].max() < 1e-5
    assert looked_into(computer, "batch", **knobs).experiments["batch"].difference < 1e-5
    assert computer.sources.own.last.training
