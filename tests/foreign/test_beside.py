"""What is found out beside a pass of somebody's model: patching, saliency, steering, and what changes did before and after."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import explorer
from explorer import Change
from explorer.engine.compute import Computer
from explorer.engine.errand import TryAll
from explorer.engine.request import Request
from explorer.errors import CannotSteer, LacksTap, NoStreamToSteer, NotForThisModel
from explorer.state.breaks import broken, offered
from explorer.state.offers import ChangePlace, MakeChange, offers_at
from explorer.state.state import State
from explorer.state.tries import tries, unchanged_wish
from explorer.trace.found.consequences import Consequence
from explorer.trace.found.experiments import EXPERIMENTS, for_any_model
from explorer.trace.found.findings import NotMade, Unchanged
from explorer.trace.found.saliency import Saliency
from explorer.trace.found.steering import Steering
from tests.foreign.models import families, fresh
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # To import transformers takes seconds.
TEXT, OTHER = "the fox and 我爱", "the dog and 我爱"
BOTH = ("t5", "marian", "bart", "mbart")
FAMILIES = ("gpt2", "llama", "bert", "t5", "marian", "bart")
Folder = Callable[[str], Path]


def asked(folder: Folder, name: str) -> dict[str, Any]:
    return {"text": TEXT, "preset": folder(name)} | ({"target": "the dog"} if name in BOTH else {})


def request(folder: Folder, name: str, **wished: Any) -> Request:
    return Request.from_preset(str(folder(name)), TEXT).wishing(target="the dog" if name in BOTH else None, **wished)


def log_p(logits: Any) -> Any:
    return torch.tensor(logits).log_softmax(-1).numpy()


@pytest.mark.parametrize("name", families(FAMILIES))
def test_each_patch_is_that_of_a_pass_with_this_change(name: str, folder: Folder) -> None:
    """Of the stream, of a head and of a feed-forward: (Δ patched − Δ A) / (Δ B − Δ A)."""
    given = asked(folder, name)
    found = explorer.patching(other=OTHER, **given)
    compared = 0
    for made in found.maps:
        for number in (0, len(made.taps) - 1):
            tap = made.taps[number]
            for place, other in found.pairs[made.side][1:4:2]:
                assert place == other
                head = 2 if made.kind == "head" else None
                change = Change(tap, "patch", head=head, rows=[place], text=OTHER)
                logits = explorer.explore(**given, changes=[change])["generator.logits"]
                for n, step in enumerate(found.steps):
                    if not step.measurable:
                        continue
                    row = log_p(logits)[step.position]
                    gap = row[step.other_word[0]] - row[step.word[0]]
                    share = (gap - step.gap) / (step.other_gap - step.gap)
                    value = made.recovered[number, place, n] if head is None else made.recovered[number, head, place, n]
                    assert value == pytest.approx(share, abs=1e-3 / abs(step.other_gap - step.gap))
                    compared += 1
    assert compared > 10
    assert {made.kind for made in found.maps} == {"stream", "head", "feed_forward"}


def test_the_whole_stream_of_the_other_text_brings_its_answer_back(folder: Folder) -> None:
    """Behind the last layer, at the step's own place: then the output is the other's."""
    found = explorer.patching(TEXT, OTHER, preset=folder("gpt2"))
    (stream,) = [each for each in found.maps if each.kind == "stream"]
    steps = [n for n, step in enumerate(found.steps) if step.measurable]
    assert steps
    for n in steps:
        assert stream.recovered[-1, found.steps[n].position, n] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("name", families([*FAMILIES, "gemma", "qwen3"]))
def test_saliency_is_that_of_the_models_own_gradients(name: str, folder: Folder) -> None:
    """Gradient × input, with what the first layer reads as the input, by autograd on the model without taps."""
    given = asked(folder, name)
    trace, found = explorer.explore(**given), explorer.saliency(**given)
    model = fresh(name)
    model.set_attn_implementation("eager")
    source, target = (torch.tensor([[token.id for token in row]]) for row in (trace.tokens.source, trace.tokens.target))
    ids = {"input_ids": source if trace.tokens.source else target}
    if trace.tokens.source and trace.tokens.target:
        ids["decoder_input_ids"] = target
    base, seen = model.base_model, {}
    firsts = {
        "gpt2": {"decoder": lambda: base.h[0]},
        "bert": {"encoder": lambda: base.encoder.layer[0]},
        "t5": {"encoder": lambda: base.encoder.block[0], "decoder": lambda: base.decoder.block[0]},
        "marian": {"encoder": lambda: base.encoder.layers[0], "decoder": lambda: base.decoder.layers[0]},
    }
    firsts |= {"bart": firsts["marian"]} | {key: {"decoder": lambda: base.layers[0]} for key in ("llama", "gemma", "qwen3")}

    def keep(side: str) -> Any:
        def hook(_module: Any, args: Any) -> None:
            seen[side] = args[0]
            args[0].retain_grad()

        return hook

    for side, layer in firsts[name].items():
        layer().register_forward_pre_hook(keep(side))
    logits = model(**ids, use_cache=False).logits[0].log_softmax(-1)
    words = list(trace.expected) or logits.argmax(-1).tolist()
    for number, word in enumerate(words):
        for x in seen.values():
            x.grad = None
        logits[number, word].backward(retain_graph=True)
        for side, x in seen.items():
            expected = (x * x.grad).sum(-1)[0].detach().numpy()
            np.testing.assert_allclose(found.gradient[side][number], expected, atol=1e-4 * max(1, abs(expected).max()))
    np.testing.assert_allclose(found.log_p, logits.detach()[range(len(words)), words].numpy(), atol=1e-4)


def test_what_positions_alone_add_is_the_baseline_where_they_are_added(folder: Folder) -> None:
    """The stream of GPT-2 is a sum; behind a norm, as in BERT, it is none, and the baseline is zero."""
    for name, zero in (("gpt2", False), ("marian", False), ("bert", True), ("bart", True), ("llama", True)):
        given = asked(folder, name)
        found = explorer.saliency(**given)
        side = next(iter(found.tokens))
        tap = f"{side}.embedding.output"
        trace = explorer.explore(**given)
        base = np.zeros_like(trace[tap]) if zero else trace[f"{side}.embedding.positions"]
        sides = [each for each in ("encoder", "decoder") if f"{each}.embedding.output" in trace]
        changes = []
        for each in sides:
            row = np.zeros_like(trace[f"{each}.embedding.output"]) if zero else trace[f"{each}.embedding.positions"]
            changes += [
                Change(f"{each}.embedding.output", "set", rows=[n], value=tuple(map(float, vector)))
                for n, vector in enumerate(row)
            ]
        blank = log_p(explorer.explore(**given, changes=changes)["generator.logits"])
        words = list(trace.expected) or trace["generator.logits"].argmax(-1).tolist()
        np.testing.assert_allclose(found.baseline_log_p, blank[range(len(words)), words], atol=1e-3)
        assert base.shape == trace[tap].shape


def test_a_vector_that_steers_is_the_difference_of_means(folder: Folder) -> None:
    """Of the stream behind each layer, over all tokens of both sets; added, it moves the output."""
    toward, away = ("the fox",), ("the dog", "dog and dog")
    asking = request(folder, "gpt2", toward=toward, away=away).asking(experiments=frozenset({"steering"}))
    found = Computer()(asking).trace.experiments["steering"]
    assert isinstance(found, Steering)
    tap = "decoder.layers.1.residual2"
    rows = [np.concatenate([explorer.explore(text, preset=folder("gpt2"))[tap] for text in some]) for some in (toward, away)]
    expected = rows[0].mean(0) - rows[1].mean(0)
    vector = explorer.steering(toward, away, tap, preset=folder("gpt2"))
    np.testing.assert_allclose(vector, expected, atol=1e-4)
    before = explorer.explore(TEXT, preset=folder("gpt2"))["generator.logits"]
    after = explorer.explore(TEXT, preset=folder("gpt2"), changes=[Change(tap, "add", value=2 * vector)])["generator.logits"]
    assert abs(after - before).max() > 0.01


def test_a_model_whose_streams_were_not_found_says_what_it_lacks(folder: Folder) -> None:
    """Each in a sentence of its own, while the pass is there."""
    asking = request(folder, "xlm", other=OTHER, toward=("a",), away=("b",))
    wanted = frozenset({"patching", "saliency", "steering"})
    found = Computer()(asking.asking(experiments=wanted)).trace.experiments
    assert isinstance(found["patching"], NotMade)
    assert isinstance(found["saliency"], NotMade)
    assert isinstance(found["steering"], NotMade)
    assert isinstance(found["steering"].error, NoStreamToSteer)
    assert "could not be followed" in explorer.lang.Words.load("en").error(found["steering"].error)
    assert issubclass(NoStreamToSteer, CannotSteer)
    for call in (
        lambda: explorer.patching(TEXT, OTHER, preset=folder("xlm")),
        lambda: explorer.saliency(TEXT, preset=folder("xlm")),
    ):
        with pytest.raises(LacksTap):
            call()


@pytest.mark.parametrize("name", sweep(["gpt2", "bert", "t5", "xlm"], telling=["t5", "xlm"]))
def test_every_experiment_is_made_of_somebodys_model_or_says_what_it_lacks(name: str, folder: Folder) -> None:
    """All but those that ask for knobs and parts of our own; where no stream was found many taps are not seen."""
    wanted = for_any_model(EXPERIMENTS)
    tap = next(tap for tap in explorer.explore(**asked(folder, name)).names() if tap.endswith("self_attn.weights"))
    asking = request(folder, name, changes=(Change(tap, "scale", head=0, value=0.5),), other=OTHER)
    frame = Computer()(asking.asking(experiments=wanted))
    found, card = frame.trace.experiments, frame.trace.card

    assert found.keys() == {key for key in wanted if card.has("decoder") or not EXPERIMENTS[key].decoder}
    for key, made in found.items():
        lacking = [tap for tap in EXPERIMENTS[key].taps if card.why_absent(tap)]
        if lacking:
            assert isinstance(made, NotMade) and isinstance(made.error, LacksTap) and made.error.values["tap"] == lacking[0]
        else:
            assert not isinstance(made, NotMade) or key in ("jacobian", "steering")


def test_what_needs_knobs_of_our_own_models_is_refused_unless_it_may_be_missed(folder: Folder) -> None:
    """A leak is asked for by somebody who reads the answer; segmentations are one card of several."""
    with pytest.raises(NotForThisModel):
        explorer.explore(TEXT, preset=folder("gpt2"), experiments=["leak", "vectors"])
    trace = explorer.explore(TEXT, preset=folder("gpt2"), experiments=["segmentations", "vectors"])
    assert list(trace.experiments) == ["vectors"]


@pytest.mark.parametrize("name", ["gpt2", "t5"])
def test_the_unchanged_pass_stands_beside_the_changed_one(name: str, folder: Folder) -> None:
    """Over the same words."""
    side = "decoder"
    change = Change(f"{side}.layers.0.self_attn.mixed", "scale", head=1, value=0.0)
    computer = Computer()
    asking = request(folder, name, changes=(change,)).asking(experiments=frozenset({"unchanged"}))
    trace = computer(asking).trace
    found = trace.experiments["unchanged"]
    assert isinstance(found, Unchanged)
    own = explorer.explore(**asked(folder, name))
    assert all(np.array_equal(found.trace[tap], own[tap]) for tap in own.names())
    assert found.fed.tokens == own.tokens
    assert abs(found.fed["generator.logits"] - own["generator.logits"]).max() > 1e-3


@pytest.mark.parametrize("name", ["gpt2", "bert", "t5"])
def test_what_a_further_change_would_do_is_known_beforehand(name: str, folder: Folder) -> None:
    """Δ log p of the unchanged words; the temperature is the one knob that is tried."""
    side = "encoder" if name == "bert" else "decoder"
    change = Change(f"{side}.layers.1.self_attn.mixed", "scale", head=2, value=0.0)
    wish = request(folder, name).wish
    assert offered(str(folder(name))) == ("temperature",)
    assert broken(wish.config, wish.preset) == ()
    made = tries(wish, [[change]])
    assert len(made) == 2
    computer = Computer()
    errand = TryAll(unchanged=unchanged_wish(wish), tries=made)
    before, after = (explorer.explore(**asked(folder, name), changes=some) for some in ((), (change,)))
    for number, changed in ((1, after), (0, explorer.explore(**asked(folder, name), temperature=4.0))):
        found = computer.piece(errand, number, lambda: False).found
        assert isinstance(found, Consequence), found
        tokens = before.tokens.target or before.tokens.source
        ids = list(before.expected) or [token.id for token in tokens][0 if name == "bert" else 1 :]
        values = [log_p(each["generator.logits"])[range(len(ids)), ids] for each in (before, changed)]
        np.testing.assert_allclose(found.log_p.sum(), values[0].sum(), atol=1e-3)
        np.testing.assert_allclose(found.log_p_after.sum(), values[1].sum(), atol=1e-3)


def test_one_head_alone_leaves_all_others_of_this_model_off(folder: Folder) -> None:
    """The menu asks the card how many heads there are: our own models have eight, and this one four."""
    computer = Computer()
    frame = computer(request(folder, "gpt2"))
    place = ChangePlace("decoder.layers.0.self_attn.weights", 1, 3, 2)
    (only,) = [each for each in offers_at(place) if each.key == "head_only"]
    (everywhere,) = [each for each in offers_at(place) if each.key == "cell_everywhere"]
    state = State(wish=frame.wish)
    after = MakeChange(only, place).applied(state, frame).wish.changes
    assert [change.head for change in after] == [0, 2, 3]
    assert len(MakeChange(everywhere, place).applied(state, frame).wish.changes) == 2


def test_saliency_is_a_value(folder: Folder) -> None:
    """Both estimates, in nats."""
    found = explorer.saliency(TEXT, preset=folder("gpt2"))
    assert isinstance(found, Saliency)
    assert abs(found.errors).max() < 5
