"""Passes with something changed, each against a way of its own to the same numbers."""

import importlib
import math
import pkgutil
from pathlib import Path

import numpy as np
import pytest
import torch

from explorer.engine import experiments
from explorer.engine.compute import Computer
from explorer.engine.experiments import findings, leak
from explorer.engine.experiments.inquiry import Inquiry
from explorer.engine.request import Request
from explorer.model.ids import ids_tensor
from explorer.model.positions import EXPONENTS
from explorer.model.transformer import Transformer
from explorer.stops import Superseded
from explorer.trace.changes import Change
from explorer.trace.found.experiments import EXPERIMENTS, IN_FORMULAS
from explorer.trace.found.findings import DECODER_LEARNED, Depth, Leak, NotMade, PaddedBatch, Swap, Variants
from explorer.trace.trace import Trace
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # each experiment makes passes of its own


def looked_into(
    computer: Computer, name: str, text: str = "狗是人养的", *, batch: tuple[str, ...] = (), **knobs: object
) -> Trace:
    request = Request.from_preset("tiny", text, **{"tokenizer": "characters", **knobs})
    return computer(_with(request, name, batch)).trace


def _with(request: Request, name: str, batch: tuple[str, ...] = ()) -> Request:
    return request.wishing(batch=batch).asking(experiments=frozenset({name}))


def ids(trace: Trace) -> torch.Tensor:
    return ids_tensor(tuple(token.id for token in trace.tokens.source or trace.tokens.target))


def test_only_what_is_asked_for_is_made(computer: Computer) -> None:
    """Experiments cost passes."""
    request = Request.from_preset("tiny", "你好")

    assert dict(computer(request).trace.experiments) == {}
    for name in IN_FORMULAS:
        assert list(computer(_with(request, name)).trace.experiments) == [name]


@pytest.mark.parametrize("kind", [*EXPONENTS, "learned"])
def test_each_variant_is_the_table_of_a_model_with_it(computer: Computer, kind: str) -> None:
    """Whatever the model itself has: the same numbers as when one switches over."""
    found = looked_into(computer, "variants", position="rotary")
    switched = looked_into(computer, "variants", position=kind)
    variants: Variants = found.experiments["variants"]

    assert np.array_equal(variants.tables[kind][:64], switched.places)
    rows = switched.places[1:].astype(np.float64)
    cosine = rows @ rows[0] / np.linalg.norm(rows, axis=1) / np.linalg.norm(rows[0])
    assert variants.against_distance[kind][:63] == pytest.approx(cosine, abs=1e-5)


def test_rotary_and_alibi_are_seen_by_distance(computer: Computer) -> None:
    """The mean of cos(k·w_i) over the pairs; -m·k with the first head's slope 2^(-8/n_heads)."""
    found: Variants = looked_into(computer, "variants", d_model=32, n_heads=2).experiments["variants"]
    k = np.arange(127)
    cosines = np.mean([np.cos(k * 10000.0 ** (-2 * i / 16)) for i in range(8)], axis=0)

    assert found.against_distance["rotary"] == pytest.approx(cosines, abs=1e-5)
    assert found.against_distance["alibi"] == pytest.approx(-k * 2.0**-4, abs=1e-6)


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only"])
def test_without_positions_an_exchange_of_words_exchanges_rows(computer: Computer, architecture: str) -> None:
    """Row C5: 狗是人养的 and 人是狗养的. With positions the rows are other ones."""
    trace = looked_into(computer, "swap", architecture=architecture)
    found: Swap = trace.experiments["swap"]
    with_positions, without = found.differences()

    assert "".join(token.text for token in found.tokens) == "人是狗养的"
    assert without < 1e-5
    assert with_positions > 0.01
    assert found.usual == pytest.approx(trace["encoder.norm"], abs=1e-6)
    other = looked_into(computer, "swap", "人是狗养的", architecture=architecture)
    assert found.usual_swapped[[2, 1, 0, 3, 4]] == pytest.approx(other["encoder.norm"], abs=1e-5)


def test_the_model_is_as_before(computer: Computer) -> None:
    """An experiment without positions or residuals leaves no trace in the next pass."""
    plain = looked_into(computer, "variants")["generator.logits"]
    for name in IN_FORMULAS:
        assert np.array_equal(looked_into(computer, name)["generator.logits"], plain)
    assert np.array_equal(looked_into(computer, "variants")["generator.logits"], plain)


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
    found: Leak = computer(_with(request, "leak")).trace.experiments["leak"]

    assert found.changes[1, 5] == pytest.approx(12.68, abs=0.01)
    leaks = np.argwhere(np.triu(found.changes, 1) > 1e-4).tolist()  # [output, changed token]
    assert leaks == [[output, 5] for output in (1, 2, 3, 4)]  # Later queries of the next layers see the second one.


@pytest.mark.parametrize("knobs", [{}, {"position": "none"}, {"residual": False}], ids=str)
def test_experiments_are_made_inside_the_changes(computer: Computer, knobs: dict[str, object]) -> None:
    """Vectors and outputs are those that the changed pass recorded, with other knobs too: those may need another module."""
    changes = (Change("encoder.layers.0.norm1", "add", value=0.5), Change("encoder.embedding.output", "scale", value=0.5))
    text, no_change = "狗是人养的", Request.from_preset("tiny", "狗是人养的", tokenizer="characters", position="learned")
    request = no_change.wishing(changes=changes)
    turned = Request.from_preset("tiny", text, tokenizer="characters", **{"position": "learned", **knobs})
    recorded = computer(turned.wishing(changes=changes)).trace
    swap: Swap = computer(_with(request, "swap")).trace.experiments["swap"]
    depth: Depth = computer(_with(request, "depth")).trace.experiments["depth"]

    if "residual" not in knobs:
        outputs = swap.without if knobs else swap.usual
        assert outputs == pytest.approx(recorded["encoder.norm"], abs=1e-5)
    if "position" not in knobs:
        lengths = depth.lengths_without if knobs else depth.lengths
        assert lengths == pytest.approx([np.linalg.norm(recorded[tap], axis=-1).mean() for tap in depth.taps], rel=1e-4)


@pytest.mark.parametrize("residual", [True, False])
def test_lengths_and_gradients_are_those_of_a_pass_by_hand(computer: Computer, residual: bool) -> None:
    """Vectors recorded with that knob, and autograd from a leaf that takes the embedding's place."""
    trace = looked_into(computer, "depth", architecture="encoder-only", residual=residual)
    found: Depth = trace.experiments["depth"]
    model: Transformer = computer.sources.own.last
    lengths, gradients = (found.lengths, found.gradients) if residual else (found.lengths_without, found.gradients_without)
    x = model.encoder.embedding(ids(trace)).clone().requires_grad_(True)
    h = x
    for layer in model.encoder.layers:
        h = layer(h, None)
    log_p = model.generator(model.encoder.normalized(h)).log_softmax(-1)
    loss = -torch.stack([log_p[0, place, token] for place, token in enumerate(ids(trace)[0])]).mean()
    loss.backward()

    assert found.taps == (
        "encoder.embedding.output",
        *(f"encoder.layers.{layer}.residual{k}" for layer in (0, 1) for k in (1, 2)),
    )
    assert lengths == pytest.approx([np.linalg.norm(trace[tap], axis=-1).mean() for tap in found.taps], rel=1e-5)
    assert gradients[0] == pytest.approx(float(x.grad.norm(dim=-1).mean()), rel=1e-4)
    assert not any(weight.requires_grad for weight in model.parameters())


def test_the_loss_is_about_the_next_token(computer: Computer) -> None:
    """The gradient at the last addition is that of softmax and cross-entropy: (p - 1)·W for the token that follows."""
    trace = looked_into(computer, "depth", "你好吗", architecture="decoder-only", norm_placement="post")
    found: Depth = trace.experiments["depth"]
    model: Transformer = computer.sources.own.last
    x = torch.tensor(trace["decoder.norm"][:-1]).requires_grad_(True)
    logits = model.generator.project(x)
    loss = torch.nn.functional.cross_entropy(logits, ids(trace)[0, 1:])
    loss.backward()
    by_hand = ((logits.softmax(-1) - torch.eye(8000)[ids(trace)[0, 1:]]) @ model.generator.project.weight / 2).detach()

    assert x.grad.numpy() == pytest.approx(by_hand.numpy(), abs=1e-6)
    assert math.isfinite(found.gradients[-1])


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_padding_changes_nothing_where_it_is_masked(computer: Computer, architecture: str) -> None:
    """Each sentence comes out as if alone. Without the mask it does not, unless a causal one hides the padding."""
    trace = looked_into(computer, "batch", "你好", batch=("我爱北京天安门", " "), architecture=architecture)
    found: PaddedBatch = trace.experiments["batch"]
    side = "encoder" if architecture == "encoder-decoder" else "decoder"

    assert [len(sentence) for sentence in found.tokens] == [2, 7]
    assert found.real.tolist() == [[True] * 2 + [False] * 5, [True] * 7]
    assert found.difference < 1e-5
    assert (found.difference_unmasked > 1e-3) is (architecture == "encoder-decoder")
    assert found.weights.shape == (2, 2, 4, 7, 7)
    assert not found.weights[0, :, :, :, 2:].any()
    assert found.weights[0, 1, :, :2, :2] == pytest.approx(trace[f"{side}.layers.1.self_attn.weights"], abs=1e-5)


def test_a_sentence_alone_is_a_batch_too(computer: Computer) -> None:
    """Nothing is padded, nothing differs."""
    found: PaddedBatch = looked_into(computer, "batch").experiments["batch"]

    assert found.real.all()
    assert found.difference == pytest.approx(0, abs=1e-6)


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
        computer(_with(Request.from_preset("tiny", "狗是人养的", tokenizer="characters"), name), stop)
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


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_every_experiment_is_made_of_every_kind_of_our_models(computer: Computer, architecture: str) -> None:
    """Inside a change, so that the pass without it is asked for, too; of written words where a decoder writes some."""
    side = "encoder" if architecture == "encoder-only" else "decoder"
    change = Change(f"{side}.layers.0.self_attn.mixed", "scale", head=0, value=0.5)
    request = Request.from_preset("tiny", "我爱北京", architecture=architecture).wishing(batch=("好",), changes=(change,))
    frame = computer(request.asking(experiments=frozenset(EXPERIMENTS)))
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


def test_learned_positions_can_be_taken_away(computer: Computer) -> None:
    """The table rests meanwhile."""
    using, without = looked_into(computer, "swap", position="learned").experiments["swap"].differences()

    assert without < 1e-5 < using


def test_other_sentences_share_the_sentences_own_vocabulary(computer: Computer) -> None:
    """The same word has the same id; a new one has the next."""
    trace = looked_into(computer, "batch", "我爱你", batch=("你爱他",), vocabulary="sentence")

    assert [[token.id for token in row] for row in trace.experiments["batch"].tokens] == [[0, 1, 2], [2, 1, 3]]


def test_a_sentence_too_long_for_the_model_is_cut_off_in_a_batch(computer: Computer) -> None:
    """It takes nobody's picture away."""
    found = looked_into(computer, "batch", "你好", batch=("一" * 20,), max_len=8).experiments["batch"]

    assert [len(row) for row in found.tokens] == [2, 8]


def test_a_long_text_is_looked_at_as_far_as_256_tokens(computer: Computer) -> None:
    """Passes grow with the cube of the length."""
    found = looked_into(computer, "leak", "一二三" * 100, architecture="encoder-only", n_layers=1, d_model=8, n_heads=1, d_ff=8)

    assert found.experiments["leak"].changes.shape == (256, 256)


def test_a_batch_with_numbers_that_are_none_says_so(computer: Computer) -> None:
    """Wherever in the batch they stand."""
    for text, other in (("你好", "我爱北京"), ("我爱北京", "你好")):
        found = looked_into(computer, "batch", text, batch=(other,), masking="inverted", causal_mask_encoder=True)
        assert np.isnan(found.experiments["batch"].difference)


def test_what_collapsed_outputs_move_is_rounding(computer: Computer) -> None:
    """Without residuals eight layers make all places alike: what is left of a change is below what rounding can do, while
    a mask that is off moves outputs by a million times as much."""
    collapsed: Leak = looked_into(computer, "leak", residual=False, n_layers=8).experiments["leak"]
    opened: Leak = looked_into(computer, "leak", causal_mask=False).experiments["leak"]

    assert 0 < collapsed.changes.max() < collapsed.noise
    assert opened.changes.max() > 1e4 * opened.noise
    usual = looked_into(computer, "leak", residual=False, n_layers=8)["decoder.norm"]
    assert collapsed.length == pytest.approx(float(np.linalg.norm(usual, axis=-1).mean()), rel=1e-3)


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only", "encoder-only"])
def test_each_side_has_its_own_learned_positions(computer: Computer, architecture: str) -> None:
    """The table of a side begins with what the pass recorded of it, and so does the one that is compared."""
    trace = looked_into(computer, "variants", position="learned", architecture=architecture)
    variants: Variants = trace.experiments["variants"]
    sides = [side for side in ("encoder", "decoder") if f"{side}.norm" in trace]

    for side in sides:
        recorded = trace[f"{side}.embedding.positions"]
        assert np.array_equal(trace.table(side)[: len(recorded)], recorded)
        name = DECODER_LEARNED if side == "decoder" and len(sides) == 2 else "learned"
        assert np.array_equal(variants.tables[name][: len(recorded)], recorded)
    if len(sides) == 2:
        assert not np.array_equal(trace.table("encoder"), trace.table("decoder"))


@pytest.mark.parametrize("architecture", ["encoder-decoder", "decoder-only"])
def test_what_learned_positions_would_begin_with_is_the_sides_own(computer: Computer, architecture: str) -> None:
    """Shown beside another kind they are the very table that switching over gives."""
    shown: Variants = looked_into(computer, "variants", architecture=architecture).experiments["variants"]
    switched = looked_into(computer, "variants", position="learned", architecture=architecture)

    name = DECODER_LEARNED if architecture == "encoder-decoder" else "learned"
    assert np.array_equal(shown.tables[name][:64], switched.table("decoder")[:64])


def test_each_row_of_the_table_has_a_file_that_makes_it_and_each_such_file_a_row() -> None:
    room = Path(findings.__file__).parent
    makers = {path.stem for path in room.glob("*.py") if "\nMAKE = " in path.read_text(encoding="utf-8")}
    assert makers == EXPERIMENTS.keys()
