"""Request in, Frame out."""

import gc
from weakref import ref

import attrs
import numpy as np
import pytest
import torch

from explorer.config import KNOBS, find_knob
from explorer.engine.compute import Computer
from explorer.engine.devices import devices
from explorer.engine.request import Request
from explorer.engine.speed import threads
from explorer.errors import BadCut, ControlCharacter, EmptyText, NoSuchDevice, TooLong, TooManySymbols
from explorer.knobs import Knob, Value
from explorer.lang import Words
from explorer.model.weights import build
from explorer.presets import load_preset
from explorer.stops import Superseded
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.own_card import card_of
from explorer.trace.trace import Trace
from tests.model.models import parameter_count

pytestmark = pytest.mark.slow

SENTENCE = "我爱北京天安门"


def turned(knob: Knob) -> Value:
    """Another value of a knob than its default."""
    if knob.kind == "bool":
        return not knob.default
    if knob.kind == "choice":
        return next(choice for choice in knob.choices if choice != knob.default)
    return knob.nearest(0.7 * knob.valid.low + 0.3 * knob.valid.high)


OTHER: dict[str, Value] = {knob.name: turned(knob) for knob in KNOBS} | {
    "n_layers": 3,
    "n_heads": 2,
    "d_model": 32,
    "d_ff": 64,
    "max_len": 50,
    "vocab_size": 500,
    "target_vocab_size": 400,
    "architecture": "decoder-only",
    "position": "rotary",
    "tokenizer": "characters",
    "memory_budget": 2048,
}
"""Another value of every knob. Those that are named make a small model, or cut this sentence in another way."""

HERE = sorted(name for name in OTHER if name != "device" or OTHER[name] in devices())
"""Knobs whose other value this machine can take: few have CUDA."""

UNSEEN = {"device", "memory_budget", "max_len", "bias", "dropout", "dropout_seed", "jieba_hmm", "mask_value", "no_repeat_ngram"}
"""Knobs that change no number of this sentence's fresh model but masked ones: fresh biases are zero, dropout rests."""


def request(text: str = SENTENCE, **knobs: object) -> Request:
    return Request.from_preset("tiny", text, **knobs)


def texts(trace: Trace) -> tuple[list[str], list[str]]:
    return [token.text for token in trace.tokens.source], [token.text for token in trace.tokens.target]


def weights_of(computer: Computer) -> dict[str, torch.Tensor]:
    """Copies of the kept model's weights."""
    return {name: value.clone() for name, value in computer.sources.own.last.state_dict().items()}


def test_a_frame_is_the_request_and_its_trace(computer: Computer) -> None:
    """With the time each part took, the text, the preset, the vocabulary and the number of parameters."""
    asked = attrs.evolve(request(), serial=17)
    frame = computer(asked)

    assert frame.serial == 17
    assert frame.request is asked
    assert min(frame.tokens_ms, frame.build_ms, frame.pass_ms) > 0
    trace = frame.trace
    assert (trace.source, trace.target, trace.preset, trace.config) == (SENTENCE, SENTENCE, "tiny", asked.wish.config)
    assert trace.parameters == parameter_count(build(asked.wish.config))
    assert len(trace.symbols) <= asked.wish.config.vocab_size
    assert all(trace.symbols[token.id] == token.text for token in trace.tokens.source if token.known)


def test_it_computes_what_the_model_computes(computer: Computer) -> None:
    """The logits are those of a model of the same seed, run by hand."""
    trace = computer(request()).trace
    ids = torch.tensor([[token.id for token in trace.tokens.source]])

    assert (trace["generator.logits"] == build(request().wish.config)(ids, ids)[0].numpy()).all()


@pytest.mark.parametrize(
    ("architecture", "source", "target"),
    [("encoder-decoder", True, True), ("encoder-only", True, False), ("decoder-only", False, True)],
)
def test_each_architecture_has_its_own_sides(computer: Computer, architecture: str, source: bool, target: bool) -> None:
    """Encoder-only has source tokens, decoder-only target tokens; without a target the source is given again."""
    words = ["我", "爱", "北京", "天安门"]
    trace = computer(request(architecture=architecture)).trace

    assert texts(trace) == (words if source else [], words if target else [])
    assert any(name.startswith("encoder.") for name in trace.names()) is source
    assert any(name.startswith("decoder.") for name in trace.names()) is target


def test_a_target_of_ones_own(computer: Computer) -> None:
    """Both sides have their own text, and cross-attention is as large as they say."""
    trace = computer(request().wishing(target="I love Beijing")).trace

    assert texts(trace) == (["我", "爱", "北京", "天安门"], ["I", "love", "Beijing"])
    assert (trace.source, trace.target) == (SENTENCE, "I love Beijing")
    assert trace["decoder.layers.0.cross_attn.weights"].shape == (4, 3, 4)


@pytest.mark.parametrize("architecture", ["encoder-only", "decoder-only"])
def test_a_one_sided_model_takes_the_text_and_no_target(computer: Computer, architecture: str) -> None:
    """Tokens and text belong together: spans of one are never shown over the other."""
    trace = computer(request(architecture=architecture).wishing(target="I love Beijing")).trace

    assert trace.target == SENTENCE
    assert all("Beijing" not in side for side in texts(trace))


def test_cuts_made_by_hand_reach_their_own_side(computer: Computer) -> None:
    """Those of the source count for a target that is the source again."""
    by_hand = ((0, 1), (1, 2), (2, 7))
    trace = computer(request().wishing(source_cuts=by_hand)).trace
    assert texts(trace) == (["我", "爱", "北京天安门"],) * 2

    both = request().wishing(target="你好吗", source_cuts=by_hand, target_cuts=((0, 3),))
    assert texts(computer(both).trace) == (["我", "爱", "北京天安门"], ["你好吗"])

    alone = request(architecture="decoder-only").wishing(source_cuts=by_hand)
    assert texts(computer(alone).trace)[1] == ["我", "爱", "北京天安门"]


def test_words_reach_the_dictionary_for_this_text_only(computer: Computer) -> None:
    """Added once, gone the next time."""
    added = computer(request().wishing(words=("北京天安门",))).trace

    assert "北京天安门" in texts(added)[0]
    assert "北京天安门" not in texts(computer(request()).trace)[0]


@pytest.mark.parametrize("knob", [find_knob(name) for name in HERE], ids=lambda knob: knob.name)
def test_a_knob_of_the_pass_keeps_the_weights_and_one_of_the_weights_changes_them(computer: Computer, knob: Knob) -> None:
    """As each knob declares what it applies to. What can be compared is: the weights that both models have."""
    computer(request())
    before = weights_of(computer)
    computer(request(**{knob.name: OTHER[knob.name]}))
    after = weights_of(computer)

    shared = before.keys() & after.keys()
    kept = all(torch.equal(before[name], after[name]) for name in shared)
    if knob.applies == "pass":
        assert kept
        assert before.keys() <= after.keys()
    else:
        # Fresh weights do not depend on these: heads cut the same matrices, only learned positions have rows, ids choose.
        assert not kept or before.keys() != after.keys() or knob.name in ("n_heads", "max_len", "vocabulary")


@pytest.mark.parametrize("name", sorted(set(HERE) - UNSEEN))
def test_a_knob_changes_the_numbers(computer: Computer, name: str) -> None:
    """No knob is a dummy: taps, shapes or numbers differ."""
    before, after = (computer(asked).trace for asked in (request(), request(**{name: OTHER[name]})))

    assert before.names() != after.names() or any(
        before[tap].shape != after[tap].shape or (before[tap] != after[tap]).any() for tap in before.names()
    )


@pytest.mark.parametrize("name", HERE)
def test_a_knob_turned_back_gives_the_same_numbers(computer: Computer, name: str) -> None:
    """Whatever was kept in between."""
    first = computer(request()).trace
    computer(request(**{name: OTHER[name]}))
    again = computer(request()).trace

    assert first.names() == again.names()
    assert all(first[tap].tobytes() == again[tap].tobytes() for tap in first.names())


def test_learned_positions_are_weights_of_their_own(computer: Computer) -> None:
    """Turning to them and back is a new model each time, and all other weights are the same."""
    plain = computer(request()).trace
    learned = computer(request(position="learned")).trace

    assert learned["encoder.embedding.positions"].any()
    assert learned.parameters - plain.parameters == 2 * 8192 * 64
    assert (learned["encoder.embedding.tokens"] == plain["encoder.embedding.tokens"]).all()


def test_the_model_is_kept(computer: Computer) -> None:
    """The same Config again is the same object, and so is a knob that modules read at each pass; others share storage."""
    computer(request())
    first = computer.sources.own.last
    computer(request("你好"))
    assert computer.sources.own.last is first

    computer(request(temperature=2))
    assert computer.sources.own.last is first

    computer(request(norm_kind="std-eps"))
    assert computer.sources.own.last is not first
    matrix = "encoder.layers.0.self_attn.project_query.weight"
    assert computer.sources.own.last.get_parameter(matrix).data_ptr() == first.get_parameter(matrix).data_ptr()


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_a_text_may_be_as_long_as_max_len_and_no_longer(computer: Computer, architecture: str) -> None:
    """The error has both numbers and the sentence says them."""
    knobs = {"max_len": 5, "tokenizer": "characters", "architecture": architecture}
    assert len(computer(request("一二三四五", **knobs)).trace["generator.logits"]) == 5
    with pytest.raises(TooLong) as caught:
        computer(request("一二三四五六七", **knobs))

    assert caught.value.values == {"limit": 5, "got": 7}
    assert Words.load("zh").error(caught.value) == "最多 5 个词元，现在是 7 个。"


def test_a_target_that_is_too_long_is_refused_too(computer: Computer) -> None:
    """By its own length."""
    with pytest.raises(TooLong) as caught:
        computer(request("一", max_len=2, tokenizer="characters").wishing(target="一二三"))

    assert caught.value.values["got"] == 3


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"text": " \n"}, EmptyText),
        ({"target": ""}, EmptyText),
        ({"text": "a\0b"}, ControlCharacter),
        ({"source_cuts": ((0, 99),)}, BadCut),
    ],
)
def test_a_bad_text_is_a_users_error(computer: Computer, changes: dict[str, object], kind: type[Exception]) -> None:
    """On either side."""
    with pytest.raises(kind):
        computer(request().wishing(**changes))


def test_dropout_repeats_by_its_own_seed(computer: Computer) -> None:
    """The same seed drops the same; another drops other numbers; torch's own stream is not touched."""
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    first, again, other = (computer(request(dropout=0.5, dropout_active=True, dropout_seed=seed)).trace for seed in (1, 1, 2))

    assert torch.equal(torch.rand(2), expected)
    tap = "encoder.layers.0.self_attn.dropped"
    assert (first[tap] == again[tap]).all()
    assert (first[tap] != other[tap]).any()
    assert first["encoder.layers.0.self_attn.weights"].sum(-1) == pytest.approx(1, abs=1e-6)
    assert (first[tap] == 0).any()


@pytest.mark.parametrize(
    ("position", "max_len", "shape"), [("sinusoidal", 1024, (64, 64)), ("learned", 20, (20, 64)), ("none", 9, (9, 64))]
)
def test_places_go_beyond_the_text(computer: Computer, position: str, max_len: int, shape: tuple[int, int]) -> None:
    """Waves need room: 64 places, or as many as there are, beginning with those of the text."""
    trace = computer(request(position=position, max_len=max_len)).trace

    assert trace.places.shape == shape
    assert (trace.places[:4] == trace["encoder.embedding.positions"]).all()


def test_a_long_text_has_all_its_places(computer: Computer) -> None:
    """On either side."""
    trace = computer(request("一", tokenizer="characters").wishing(target="二" * 70)).trace

    assert len(trace.places) == 70
    assert np.array_equal(trace.places, trace["decoder.embedding.positions"])


def test_stop_ends_a_pass(computer: Computer) -> None:
    """At a tap; the next request is answered as ever."""
    expected = computer(request()).trace["generator.logits"]
    with pytest.raises(Superseded):
        computer(request(), stop=lambda: True)

    assert (computer(request()).trace["generator.logits"] == expected).all()


def test_stop_ends_building(computer: Computer) -> None:
    """Between two parameters; neither half a model is kept nor the one before, which made room."""
    shares: list[float] = []
    computer(request())
    with pytest.raises(Superseded):
        computer(request(seed=5), stop=lambda: len(shares) > 3, progress=shares.append)

    assert len(shares) == 4
    assert computer.sources.own.last is None
    assert (computer(request(seed=5)).trace["generator.logits"] == Computer()(request(seed=5)).trace["generator.logits"]).all()


def test_a_large_pass_takes_all_free_processors(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small one takes one thread: more would cost more than they bring."""
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    monkeypatch.setattr(threads, "free_cores", lambda: 6)
    computer(request())
    monkeypatch.setattr(threads, "_ONE_THREAD_WORK", 0)
    computer(request())

    assert asked == [1, 6]


def test_a_step_of_decoding_leaves_a_processor_to_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two of them it takes one thread, with many at most four."""
    large = card_of(load_preset("translator").config)
    counts = {}
    for n in (1, 2, 3, 16, None):
        monkeypatch.setattr("os.cpu_count", lambda n=n: n)
        counts[n] = threads.decoding_threads(large, 1)

    assert counts == {1: 1, 2: 1, 3: 2, 16: 4, None: 1}


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.name)
def test_every_knob_has_another_value_here(knob: Knob) -> None:
    """A new one too, so that it is tested."""
    assert knob.check(OTHER[knob.name]) == OTHER[knob.name] != knob.default


def test_tokenizers_may_be_shared(tokenizers: Tokenizers) -> None:
    """Two Computers, one dictionary."""
    first, second = (Computer(tokenizers)(request()).trace for _ in range(2))

    assert first.tokens == second.tokens


def test_a_sentence_may_be_its_own_vocabulary(computer: Computer) -> None:
    """Ids by first appearance, the same in every run; tutorial C's set() has another order each time."""
    trace = computer(request("我爱你你爱我", vocabulary="sentence", tokenizer="characters")).trace

    assert [token.id for token in trace.tokens.source] == [0, 1, 2, 2, 1, 0]
    assert trace.symbols == ("我", "爱", "你")
    assert all(token.known for token in trace.tokens.source)


def test_a_sentence_of_too_many_symbols_is_refused(computer: Computer) -> None:
    """With both numbers; 16 is the smallest vocabulary."""
    with pytest.raises(TooManySymbols) as caught:
        computer(request("一二三四五六七八九十百千万亿兆京垓", vocabulary="sentence", tokenizer="characters", vocab_size=16))

    assert caught.value.values == {"limit": 16, "got": 17}


def test_a_device_that_is_not_there_is_said_so(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the processor still answers."""
    monkeypatch.setattr("explorer.engine.devices.devices", lambda: ("cpu",))
    with pytest.raises(NoSuchDevice) as caught:
        computer(request(device="mps"))
    assert "mps" in Words.load("en").error(caught.value)

    assert computer(request()).device == "CPU"


def test_a_computer_that_nobody_has_goes_at_once_with_its_models() -> None:
    """Without Python's search for circles, which comes seldom: models of hundreds of megabytes would stay until then."""
    gc.collect()
    gc.disable()
    try:
        made = Computer()
        made(request())
        made.rest(lambda: False)
        gone = [ref(made), ref(made.sources.of(request().wish))]
        del made
        assert [each() for each in gone] == [None, None]
    finally:
        gc.enable()
