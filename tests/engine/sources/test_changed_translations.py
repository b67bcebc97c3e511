"""What a trained model says under changes: it is searched for under them, and no answer is mistaken for another's."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
import torch
from torch import Tensor

import explorer
from explorer.engine.changing import Changing
from explorer.engine.compute import Computer
from explorer.engine.decoding.beam import longest
from explorer.engine.decoding.incremental import Incremental
from explorer.engine.request import Request
from explorer.errors import AllClosed, LengthsDiffer, OutOfTensor
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.model.weights_file import FILE, load_weights
from explorer.presets import load_preset
from explorer.tokens.vocabulary import BEGIN, END, PAD, UNKNOWN
from explorer.trace.changes import Change
from explorer.trace.trace import Trace
from tests.engine.sources.bundles import BILINGUAL, a_bundle
from tests.model.models import assert_same, randomized, small

pytestmark = pytest.mark.slow  # translations of the trained model

TEXT, OTHER = "我爱北京天安门", "你看图书馆猫"
SENTENCE = "她给了我一本书。"
A_WORD = BILINGUAL.target.id_of("␣cats")
assert A_WORD is not None


@pytest.fixture
def name(tmp_path: Path) -> str:
    """The preset of a tiny translator."""
    return a_bundle(tmp_path, n_layers=2)


def answer(computer: Computer, name: str, *changes: Change, **fields: object) -> Trace:
    return computer(Request.from_preset(name, TEXT).wishing(changes=changes, **fields)).trace


def assert_same_numbers(actual: Trace, expected: Trace) -> None:
    """Every recorded number, and the target. (A search rounds otherwise where it has guessed several words at once.)"""
    assert actual.names() == expected.names()
    assert [name for name in expected.names() if not np.array_equal(actual[name], expected[name])] == []
    assert actual.target == expected.target


def assert_equal(actual: Trace, expected: Trace) -> None:
    """Every number, and what the search tried."""
    assert_same_numbers(actual, expected)
    assert actual.search == expected.search


Hand = Callable[[Tensor], Tensor]


def by_hand(name: str, trace: Trace, hands: dict[str, Hand]) -> tuple[int, ...]:
    """Greedy decoding as one would write it: a model of its own with torch's own hooks, the whole pass at each step."""
    preset = load_preset(name)
    model = build(preset.config, load_weights(Path(name) / FILE, preset.config))
    for tap, hand in hands.items():
        model.get_submodule(tap).register_forward_hook(lambda _tap, _args, output, hand=hand: hand(output.clone()))
    source = ids_tensor(tuple(token.id for token in trace.tokens.source))
    said: list[int] = []
    with torch.inference_mode():
        while len(said) < longest(len(trace.tokens.source), preset.config.max_len):
            log_p = model(source, ids_tensor((BEGIN, *said)))[0, -1].log_softmax(dim=-1)
            log_p[[PAD, UNKNOWN, BEGIN]] = -torch.inf
            said.append(int(log_p.argmax()))
            if said[-1] == END:
                break
    return tuple(said)


def fill(place: Any, value: float) -> Hand:
    def hand(tensor: Tensor) -> Tensor:
        tensor[place] = value
        return tensor

    return hand


def times(place: Any, factor: float) -> Hand:
    def hand(tensor: Tensor) -> Tensor:
        tensor[place] *= factor
        return tensor

    return hand


def fourth_row_times(factor: float) -> Hand:
    """Of the decoder's tensors, which have no fourth row yet while the beginning is written."""

    def hand(tensor: Tensor) -> Tensor:
        tensor[:, 3:4] *= factor
        return tensor

    return hand


CASES: dict[str, tuple[Change, Hand]] = {
    "encoder": (Change("encoder.norm", "scale", rows=[1], value=-9), times(np.s_[:, 1], -9)),
    "embedding": (Change("decoder.embedding.output", "scale", value=-5), times(np.s_[:], -5)),
    "head": (Change("decoder.layers.1.self_attn.mixed", "scale", head=1, value=-9), times(np.s_[:, 1], -9)),
    "source word": (
        Change("decoder.layers.0.cross_attn.masked", "close", columns=[0, 1, 3]),
        fill(np.s_[..., [0, 1, 3]], -torch.inf),
    ),
    "key of the source": (Change("decoder.layers.1.cross_attn.key", "scale", value=-9), times(np.s_[:], -9)),
    "cell": (
        Change("decoder.layers.1.cross_attn.masked", "close", rows=[2], columns=[1]),
        fill(np.s_[..., 2:3, 1], -torch.inf),
    ),
    "row": (Change("decoder.layers.1.residual3", "scale", rows=[3], value=-5), fourth_row_times(-5)),
    "future": (Change("decoder.layers.0.self_attn.weights", "set", columns=[2], value=9), fill(np.s_[..., 2:3], 9)),
    "logit": (Change("generator.logits", "set", columns=[A_WORD], value=50), fill(np.s_[..., A_WORD], 50)),
}


@pytest.mark.parametrize("case", CASES)
def test_the_changed_model_is_what_decodes(computer: Computer, name: str, case: str) -> None:
    """The same symbols as by whole passes under one's own hooks, with the model's own translation as a guess or without."""
    change, hand = CASES[case]
    alone = answer(computer, name, change)
    plain = answer(computer, name)
    again = answer(Computer(computer.sources.tokenizers), name, change)

    assert alone.search.best == again.search.best == by_hand(name, alone, {change.tap: hand})  # type: ignore[union-attr]  # it is there
    assert plain.search.best == by_hand(name, plain, {})  # type: ignore[union-attr]  # it is there
    ids = tuple(token.id for token in alone.tokens.target)
    assert ids == (BEGIN, *(id_ for id_ in alone.search.best if id_ != END))  # type: ignore[union-attr]  # it is there


def test_most_of_these_changes_change_what_is_said(computer: Computer, name: str) -> None:
    """Else the test above says little."""
    plain = answer(computer, name).search
    moved = {case for case, (change, _hand) in CASES.items() if answer(computer, name, change).search.best != plain.best}  # type: ignore[union-attr]  # it is there

    assert len(moved) >= len(CASES) - 2
    assert {"row", "future", "logit"} <= moved


@pytest.mark.parametrize("case", CASES)
def test_step_by_step_under_a_change_is_the_whole_pass_under_it(case: str) -> None:
    """Wherever decoding goes step by step: the logits of each position, in a batch, to 1e-5."""
    change, _hand = CASES[case]
    if change.tap == "generator.logits":
        change = attrs.evolve(change, columns=(9,))
    model: Transformer = randomized(build(small()))  # type: ignore[assignment]
    changing = Changing((change,))
    chance = torch.Generator().manual_seed(3)
    source, target = (torch.randint(4, 50, (2, n), generator=chance) for n in (5, 7))
    with torch.inference_mode(), changing.inside(model):
        memory = model.encode(source)
        steps = Incremental(model, memory, whole=changing.in_whole_passes)
        for n in range(7):
            whole = model.generator(model.decode(target[:, : n + 1], memory))[:, -1]
            assert_same(steps.step(target[:, n]), whole)
    assert changing.in_whole_passes is (case in ("future", "logit"))


def test_a_step_that_says_not_where_it_stands_would_miss_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Step by step a tap is shown one row, which is the fourth one only where somebody says so: the checker above can fail."""
    change, _hand = CASES["row"]
    model: Transformer = randomized(build(small()))  # type: ignore[assignment]
    target = torch.arange(4, 11)[None]
    monkeypatch.setattr(Changing, "_noting_begin", lambda _self, _model: nullcontext())
    with torch.inference_mode(), Changing((change,)).inside(model):
        memory = model.encode(target)
        steps = Incremental(model, memory)
        stepped = torch.stack([steps.step(target[:, n])[0] for n in range(7)])
        whole = model.generator(model.decode(target, memory))[0]
    with pytest.raises(AssertionError):
        assert_same(stepped, whole)


def test_a_change_is_told_where_a_step_of_decoding_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the ids that the decoder's embedding is given; also after an error inside, a whole pass begins at 0 again."""
    model: Transformer = randomized(build(small()))  # type: ignore[assignment]
    seen = list[int]()

    def noting(tensor: Tensor, _change: Change, _tap: Any, begin: int, *_given: Any) -> Tensor:
        seen.append(begin)
        if len(seen) == 3:
            raise ValueError
        return tensor

    monkeypatch.setattr("explorer.engine.changing.changed", noting)
    ids = torch.arange(4, 9)[None]
    with torch.inference_mode(), Changing((CASES["row"][0],)).inside(model):
        memory = model.encode(ids)
        steps = Incremental(model, memory)
        steps.extend(torch.tensor([[4, 5]]))
        steps.step(torch.tensor([6]))
        with pytest.raises(ValueError):
            steps.step(torch.tensor([7]))
        model.decode(ids, memory)

    assert [0, 2, 3, 0] == seen


@pytest.mark.parametrize("beam", [1, 3])
def test_no_answer_is_taken_for_anothers(computer: Computer, name: str, beam: int) -> None:
    """Plain, changed, changed otherwise, plain again: each as from a computer that was asked nothing before."""
    head = Change("decoder.layers.1.self_attn.mixed", "scale", head=1, value=-3)
    plain = answer(computer, name, beam=beam)
    for changes in ((), (head,), (attrs.evolve(head, value=2),), (head, CASES["source word"][0]), (), (head,)):
        fresh = answer(Computer(computer.sources.tokenizers), name, *changes, beam=beam)
        assert_close(answer(computer, name, *changes, beam=beam), fresh)

    assert_equal(answer(computer, name, beam=beam), plain)


def assert_close(actual: Trace, fresh: Trace) -> None:
    """The same symbols; numbers may differ in their last bits with the guess that was looked over."""
    assert actual.target == fresh.target
    for one, other in zip(actual.search.nodes, fresh.search.nodes, strict=True):  # type: ignore[union-attr]  # it is there
        assert one.id == other.id
        assert one.log_p == pytest.approx(other.log_p, abs=1e-4)
    for tap in fresh.names():
        np.testing.assert_allclose(actual[tap], fresh[tap], atol=1e-5)


def test_a_factor_of_one_and_a_patch_from_itself_change_no_bit(computer: Computer, name: str) -> None:
    """At every tap of both sides, the target being the model's own."""
    plain = answer(computer, name)
    for changes in (
        tuple(Change(tap, "scale", value=1) for tap in plain.names()),
        tuple(Change(tap, "patch", text=TEXT) for tap in plain.names()),
        tuple(Change(tap, "patch", text=TEXT) for tap in plain.names() if tap.startswith("encoder.")),
    ):
        trace = answer(computer, name, *changes)
        assert trace.target == plain.target
        for tap in plain.names():
            np.testing.assert_array_equal(trace[tap], plain[tap])


def test_with_the_others_source_it_says_what_it_says_of_the_other(computer: Computer, name: str) -> None:
    """The encoder's whole output patched in; a text of another length is refused."""
    patch = Change("encoder.norm", "patch", text=OTHER)
    other = computer(Request.from_preset(name, OTHER)).trace
    plain = answer(computer, name)
    assert len(other.tokens.source) == len(plain.tokens.source)
    trace = answer(computer, name, patch)

    assert trace.target == other.target != plain.target
    assert trace.tokens.source == plain.tokens.source
    assert (trace["generator.logits"] == other["generator.logits"]).all()
    with pytest.raises(LengthsDiffer):
        answer(computer, name, Change("encoder.norm", "patch", text="我爱"))


def test_a_given_target_stays(computer: Computer, name: str) -> None:
    """And is given to the text that is patched from, so that their rows go together."""
    plain = answer(computer, name, target="I love cats")
    trace = answer(computer, name, *(Change(tap, "patch", text=TEXT) for tap in plain.names()), target="I love cats")
    other = answer(computer, name, Change("decoder.norm", "patch", text=OTHER), target="I love cats")

    assert_equal(trace, plain)
    own = computer(Request.from_preset(name, OTHER).wishing(target="I love cats")).trace
    assert other.target == own.target == "I love cats"
    assert (other["generator.logits"] == own["generator.logits"]).all()


def test_a_row_behind_the_end_is_refused_when_the_end_is_known(computer: Computer, name: str) -> None:
    """With the last one there is."""
    with pytest.raises(OutOfTensor) as caught:
        answer(computer, name, Change("decoder.norm", "scale", rows=[24], value=0))

    trace = answer(computer, name)
    assert str(caught.value) == f"decoder.norm 没有 position 24；最后一个是 {len(trace.tokens.target) - 1}。"


def test_a_change_that_leaves_a_word_nothing_to_look_at_is_refused_while_decoding(computer: Computer, name: str) -> None:
    """The first word sees only itself; the model is as before."""
    plain = answer(computer, name)
    with pytest.raises(AllClosed):
        answer(computer, name, Change("decoder.layers.0.self_attn.masked", "close", columns=[0]))

    assert_equal(answer(computer, name), plain)


def test_fresh_weights_are_changed_and_shown_with_what_the_trained_ones_say(computer: Computer, name: str) -> None:
    """The sentence is that of the trained model without changes, so that all else is equal."""
    change = CASES["head"][0]
    plain = answer(computer, name, trained=False)
    trace = answer(computer, name, change, trained=False)

    assert trace.target == plain.target == answer(computer, name).target
    assert (trace[change.tap][1] == plain[change.tap][1] * np.float32(-9)).all()


def test_the_two_sides_of_a_comparison_have_their_own_changes(computer: Computer, name: str) -> None:
    """The unchanged pass beside the changed one."""
    plain = Request.from_preset(name, TEXT)
    trace = computer(plain.wishing(changes=[CASES["head"][0]], compared_with=plain.wish)).trace

    assert trace.changes and not trace.compared_with.changes  # type: ignore[union-attr]  # it is there
    assert_equal(trace.compared_with, answer(Computer(computer.sources.tokenizers), name))  # type: ignore[arg-type]  # it is there


# The real one


def test_without_positions_she_gave_me_becomes_i_gave_her() -> None:
    """By two changes and by the knob alike, every number to 1e-4."""
    off = [explorer.Change(f"{side}.embedding.positions", "scale", value=0) for side in ("encoder", "decoder")]
    changed, knob = explorer.explore(SENTENCE, changes=off), explorer.explore(SENTENCE, position="none")

    assert explorer.explore(SENTENCE).target == "She gave me a book."
    assert changed.target == knob.target == "I gave her a book."
    for tap in knob.names():
        np.testing.assert_allclose(changed[tap], knob[tap], atol=1e-4, rtol=1e-4)


def test_a_word_that_nobody_sees_is_not_said() -> None:
    """她 closed in all cross-attention: what is said of "she" is gone; every row still sums to 1, the closed ones are 0."""
    closed = [explorer.Change(f"decoder.layers.{layer}.cross_attn.masked", "close", columns=0) for layer in range(3)]
    trace = explorer.explore(SENTENCE, changes=closed)

    assert trace.tokens.source[0].text == "她"
    assert "She" not in trace.target
    for layer in range(3):
        weights = trace[f"decoder.layers.{layer}.cross_attn.weights"]
        assert (weights[..., 0] == 0).all()
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)


def test_one_pronoun_patched_is_said_as_the_other() -> None:
    """The stream of 他 in the place of 她, after the second layer."""
    patch = explorer.Change("encoder.layers.1.residual2", "patch", rows=[0], text="他给了我一本书。")

    assert explorer.explore(SENTENCE, changes=[patch]).target == "He gave me a book."


def test_the_encoders_part_is_recorded_once_for_all_changes_in_the_decoder(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is changed in the encoder, and another sentence, has it made again; each answer is that of a new program."""
    made: list[int] = []
    encode = Transformer.encode

    def counting(model: Transformer, ids: Tensor, *args: Any) -> Tensor:
        made.append(1)
        return encode(model, ids, *args)

    monkeypatch.setattr(Transformer, "encode", counting)
    in_decoder = Change("decoder.layers.0.cross_attn.mixed", "scale", head=0, value=0.0)
    in_encoder = Change("encoder.layers.1.self_attn.mixed", "scale", head=0, value=0.0)
    computer, wished = Computer(), [(), (in_decoder,), (in_decoder, in_encoder), (), (in_decoder,), (in_encoder,)]
    counts, traces = [], []
    for changes in wished:
        made.clear()
        traces.append(answer(computer, name, *changes))
        counts.append(len(made))
    assert counts == [1, 0, 1, 0, 0, 1]
    for changes, trace in zip(wished, traces, strict=True):
        assert_same_numbers(trace, answer(Computer(), name, *changes))
    made.clear()
    assert_same_numbers(answer(computer, name, text=OTHER), answer(Computer(), name, text=OTHER))
    assert len(made) == 2
    assert_same_numbers(answer(computer, name, in_decoder, text=TEXT), traces[1])
