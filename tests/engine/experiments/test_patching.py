"""Patching: batches of patched passes against single passes with Changes, and against the other sentence's own pass."""

import attrs
import numpy as np
import pytest
import torch

import explorer
from explorer.api.lending import computer_of_process
from explorer.config import Config
from explorer.engine.changing import Changing
from explorer.engine.compute import Computer
from explorer.engine.experiments import patching as patching_module
from explorer.engine.experiments.bench import streams
from explorer.engine.experiments.layers_in_front import LayersInFront
from explorer.engine.experiments.patched_passes import Bed, Patch, PatchedPasses, PatchText
from explorer.engine.experiments.patching import each_place_patched, paired
from explorer.engine.experiments.runs import runs_of
from explorer.engine.request import Request
from explorer.errors import CannotAlign, NoOtherText
from explorer.model.hooks import hooked, is_hooked
from explorer.model.tap import taps
from explorer.model.weights import build
from explorer.stops import Superseded
from explorer.tokens.token import Token
from explorer.trace.arrays import Array
from explorer.trace.changes import Change
from explorer.trace.found.findings import NotMade
from explorer.trace.found.patching import LEAST, Patching, aligned
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace

_SMALL = Config(n_layers=2, n_heads=2, d_model=16, d_ff=32, vocab_size=40, max_len=16)
ARCHITECTURES = ("encoder-decoder", "encoder-only", "decoder-only")
FIRST, SECOND = "她给了我一本书。", "我给了她一支笔。"


def tokens(*ids: int) -> tuple[Token, ...]:
    return tuple(Token(chr(ord("a") + number), number, place, place + 1, True) for place, number in enumerate(ids))


def text_of(architecture: str, source: tuple[int, ...], target: tuple[int, ...], text: str = "x") -> PatchText:
    if architecture == "decoder-only":
        return PatchText(text, Tokens((), tokens(*source)))
    return PatchText(text, Tokens(tokens(*source), () if architecture == "encoder-only" else tokens(*target)))


def bed(architecture: str, norm_placement: str = "pre", *, same: bool = False, stopped: bool = False) -> Bed:
    model = build(_SMALL.changed(architecture=architecture, norm_placement=norm_placement))
    first = text_of(architecture, (4, 5, 6, 7), (2, 8, 9))
    second = first if same else text_of(architecture, (4, 10, 6, 11), (2, 12, 13))
    return Bed(model, first, second, Changing(), lambda: stopped, card_of(model.config))


def passes(given: Bed) -> tuple[PatchedPasses, dict[str, tuple[tuple[int, int], ...]]]:
    pairs = paired(given.card, given.first.tokens, given.second.tokens)
    return PatchedPasses(given, exchanged(given), pairs), pairs


def exchanged(given: Bed) -> frozenset[str]:
    """Those whose rows are exchanged: streams, what heads mix, and what feed-forwards add."""
    ends = (".embedding.output", ".mixed", ".feed_forward.output", ".residual1", ".residual2", ".residual3")
    return frozenset(name for name in taps(given.model) if name.endswith(ends))


def of_trace(trace: Trace, words: list[tuple[int, int]]) -> list[float]:
    """Δ at each step, of the recorded logits, in float64."""
    logits = trace["generator.logits"].astype(np.float64)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return [log_p[place, other] - log_p[place, own] for place, (own, other) in enumerate(words)]


@pytest.mark.parametrize("norm_placement", ["pre", "post"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_patch_from_oneself_changes_nothing(architecture: str, norm_placement: str) -> None:
    """Bit for bit, at every tap, place and head: the batch is that of the plain passes."""
    given = bed(architecture, norm_placement, same=True)
    with torch.inference_mode():
        made, pairs = passes(given)
        taps = [(side, tap) for side in pairs for tap in streams(card_of(given.model.config), side)]
        trials = [(Patch(tap, (a,), (b,)),) for side, tap in taps for a, b in pairs[side]]

        assert np.array_equal(made.gaps(trials), made.gaps([()] * len(trials)))


@pytest.mark.parametrize("norm_placement", ["pre", "post"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_whole_stream_of_a_layer_gives_the_other_answer(architecture: str, norm_placement: str) -> None:
    """All places of both sides, in any layer: whatever comes behind reads B alone."""
    given = bed(architecture, norm_placement)
    with torch.inference_mode():
        made, pairs = passes(given)
        layers = zip(*(streams(card_of(given.model.config), side) for side in pairs), strict=True)
        rows = [tuple(a for a, _b in own) for own in pairs.values()]
        whole = [tuple(Patch(tap, row, row) for tap, row in zip(taps, rows, strict=True)) for taps in layers]
        gaps = made.gaps(whole)

    assert gaps == pytest.approx(np.array([[step.other_gap for step in made.steps]] * len(whole)), abs=1e-5)
    assert max(abs(step.other_gap - step.gap) for step in made.steps) > 0.1, (
        "The two answers differ, so equality says something."
    )


@pytest.fixture(scope="module")
def found() -> Patching:
    return explorer.patching(FIRST, SECOND)


@pytest.mark.slow
def test_the_gaps_are_those_of_the_two_passes(found: Patching) -> None:
    """Δ of both sentences, of the logits that `explore` records."""
    words = [(step.word[0], step.other_word[0]) for step in found.steps]

    assert [step.gap for step in found.steps] == pytest.approx(of_trace(explorer.explore(FIRST), words), abs=1e-4)
    assert [step.other_gap for step in found.steps] == pytest.approx(of_trace(explorer.explore(SECOND), words), abs=1e-4)
    assert [step.word[1] for step in found.steps if step.measurable] == ["␣She", "␣me", "␣book"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("side", "kind", "row", "head", "place"),
    [
        ("encoder", "stream", 0, None, 0),
        ("encoder", "stream", 2, None, 5),
        ("encoder", "feed_forward", 1, None, 2),
        ("encoder", "head", 2, 3, 4),
        ("decoder", "stream", 1, None, 0),
        ("decoder", "feed_forward", 2, None, 2),
        ("decoder", "head", 4, 7, 0),
    ],
)
def test_a_cell_is_a_single_pass_with_a_change(
    found: Patching, side: str, kind: str, row: int, head: int | None, place: int
) -> None:
    """The same patch made with `Change` through `explore`, which knows nothing of batches."""
    patched = found.map(side, kind)
    assert patched is not None
    change = Change(patched.taps[row], "patch", head=head, rows=[place], text=SECOND)
    # The target is written as A's, since otherwise the changed pass would write its own.
    trace = _with_a_target(change)
    words = [(step.word[0], step.other_word[0]) for step in found.steps]
    gaps = of_trace(trace, words)
    cells: Array = patched.recovered[(row, place) if head is None else (row, head, place)]
    expected = [
        (gap - step.gap) / (step.other_gap - step.gap) if step.measurable else np.nan
        for gap, step in zip(gaps, found.steps, strict=True)
    ]

    assert cells == pytest.approx(expected, abs=1e-4, nan_ok=True)


def _with_a_target(change: Change) -> Trace:
    """A's pass with one change and A's own translation as it was written, whatever the change would have it write."""
    from explorer.engine.request import Request

    plain = explorer.explore(FIRST)
    ids = tuple(token.id for token in plain.tokens.target[1:])
    request = Request.from_preset("translator", FIRST).wishing(changes=(change,), prefix=ids)
    return computer_of_process()(request).trace


@pytest.mark.slow
def test_changes_of_the_wish_are_made_in_the_patched_pass() -> None:
    """A's pass has them, B's has not."""
    first, second = "她来了。", "我来了。"  # short, for each place of each layer is a pass
    off = Change("decoder.layers.2.cross_attn.mixed", "scale", value=0.0)
    changed = explorer.patching(first, second, changes=[off])
    words = [(step.word[0], step.other_word[0]) for step in changed.steps]
    trace = explorer.explore(first, changes=[off])

    assert [step.gap for step in changed.steps] == pytest.approx(of_trace(trace, words)[: len(words)], abs=1e-4)
    assert changed.steps[0].gap != pytest.approx(of_trace(explorer.explore(first), words)[0], abs=1e-4)
    other = explorer.explore(second)
    assert [step.other_gap for step in changed.steps] == pytest.approx(of_trace(other, words)[: len(words)], abs=1e-4)


def test_texts_of_one_length_are_aligned_by_place_and_others_by_equal_tokens() -> None:
    """Tokens without a partner are left out; texts with nothing in common are refused with both lengths."""
    assert aligned("abc", "xyz") == ((0, 0), (1, 1), (2, 2))
    assert aligned("abcd", "abd") == ((0, 0), (1, 1), (3, 2))
    assert aligned("axcd", "aycde") == ((0, 0), (1, 1), (2, 2), (3, 3))
    with pytest.raises(CannotAlign) as refused:
        aligned("abc", "wxyz")
    assert "3" in str(refused.value) and "4" in str(refused.value)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_what_cannot_be_patched_says_so(computer: Computer, architecture: str) -> None:
    """Without a second sentence or an alignment, there is a reason instead of maps, and nothing is raised."""
    request = Request.from_preset("tiny", "雪", architecture=architecture, tokenizer="characters")
    asked = request.asking(experiments=frozenset({"patching"}))
    nothing = computer(asked).trace.experiments["patching"]  # No other sentence can be suggested.
    apart = computer(asked.wishing(other="一本书")).trace.experiments["patching"]

    assert isinstance(nothing, NotMade) and isinstance(nothing.error, NoOtherText)
    assert isinstance(apart, NotMade) and isinstance(apart.error, CannotAlign)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_equal_answers_recover_nothing(architecture: str) -> None:
    """The same sentence twice: Δ_B = Δ_A, and no share of nothing is shown."""
    made = each_place_patched(bed(architecture, same=True))

    assert isinstance(made, Patching) and made.first_step() is None
    assert all(np.isnan(each.recovered).all() for each in made.maps)
    assert all(abs(step.gap) < LEAST for step in made.steps)


def test_patching_can_be_stopped() -> None:
    """A keystroke does not wait for hundreds of passes."""
    with pytest.raises(Superseded):
        each_place_patched(bed("encoder-decoder", stopped=True))


def test_patching_can_be_stopped_inside_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind each layer, since a batch takes a tenth of a second; the model is left without hooks."""
    asked: list[bool] = []
    batches: list[int] = []
    given, left_out = bed("encoder-decoder"), LayersInFront.left_out  # It is called once for each batch.
    monkeypatch.setattr(LayersInFront, "left_out", lambda *args: (batches.append(args[2]), left_out(*args))[1])
    counting = attrs.evolve(given, stop=lambda: asked.append(is_hooked(given.model)) is not None)
    assert isinstance(each_place_patched(counting), Patching)
    assert sum(asked) >= len(batches) > 4  # Only inside a batch anything is hooked.

    places = iter(range(len(asked)))
    within = len(asked) - 1 - asked[::-1].index(True)  # the last time that it is asked inside a batch
    with pytest.raises(Superseded):
        each_place_patched(attrs.evolve(given, stop=lambda: next(places) == within))
    assert next(places, len(asked)) == within + 1 and not is_hooked(given.model)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_only_words_that_are_compared_are_multiplied_out_unless_somebody_looks(architecture: str) -> None:
    """The product with the weights of some words is a part of that with all; a hook of the output still takes effect."""
    given = bed(architecture)
    runs, words = runs_of(given.model, given.first.tokens), [3, 9, 30]
    with torch.inference_mode():
        whole = runs.logits(2)
        torch.testing.assert_close(runs.logits(2, symbols=words), whole[..., words])
        torch.testing.assert_close(runs.logits(2, places=[0, 2], symbols=words), whole[:, [0, 2]][..., words])
        assert not torch.allclose(runs.logits(2, symbols=words), whole[..., [3, 9, 31]])  # The check can fail.
        with hooked(given.model, lambda _tap, _args, tensor: tensor + 1.0, at=["generator.logits"]):
            torch.testing.assert_close(runs.logits(2, symbols=words), whole[..., words] + 1.0)
        handle = given.model.generator.project.register_forward_hook(lambda _module, _given, made: made - 1.0)
        torch.testing.assert_close(runs.logits(2, symbols=words), whole[..., words] - 1.0)
        handle.remove()


def test_a_large_models_heads_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams and feed-forwards are still patched, and nothing offers what is not there."""
    monkeypatch.setattr(patching_module, "MOST_HEAD_TRIALS", 10)
    found = Computer()(
        Request.from_preset("tiny", "我爱北京").wishing(other="我爱上海").asking(experiments=frozenset({"patching"}))
    ).trace.experiments["patching"]
    assert isinstance(found, Patching)
    assert found.kinds == ("stream", "feed_forward") and found.map("encoder", "head") is None
