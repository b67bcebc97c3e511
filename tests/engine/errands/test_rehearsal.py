"""What is found out about changes beside the answers, held against passes that record everything and NumPy's own sums."""

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

import explorer
from explorer.config import Config
from explorer.engine.compute import Computer
from explorer.engine.errand import FindBreaks, TryAll
from explorer.engine.errands import rehearsal
from explorer.engine.errands.rehearsal import Rehearsal, can_be_together
from explorer.engine.errands.saying import Saying
from explorer.engine.request import Request
from explorer.engine.sources import trained
from explorer.engine.sources.source import Sentence
from explorer.errors import AllClosed, NothingChanged, OutOfTensor, SlowToTry, TooLongToTry
from explorer.model.transformer import Transformer
from explorer.state.held_out import held_out
from explorer.state.tries import Try, tries, unchanged_wish
from explorer.state.wish import Wish
from explorer.stops import Stop, Superseded
from explorer.trace.changes import Change
from explorer.trace.found.consequences import Break, Consequence
from explorer.trace.trace import Trace
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # translations of the trained model

SENTENCE = "她给了我一本书。"
HIDE = tuple(Change(f"decoder.layers.{layer}.cross_attn.masked", "close", columns=(0,)) for layer in range(3))
THREE = ("我不会说法语，也不会说德语。", "她给了我一本书。", "他吃。")


@pytest.fixture(scope="module")
def computer() -> Computer:
    return Computer()


@pytest.fixture(scope="module")
def alone(computer: Computer) -> Computer:
    """It finds sentences out one by one, and what the unchanged model says of each for all changes together."""
    return Computer(computer.sources.tokenizers)


def never() -> bool:
    return False


def asked(text: str = SENTENCE, preset: str = "translator", **knobs: object) -> Wish:
    return Wish.from_preset(preset, text, **knobs)


def errand_of(wish: Wish, *groups: tuple[Change, ...]) -> TryAll:
    return TryAll(unchanged=unchanged_wish(wish), tries=tries(wish, groups))


def log_p(trace: Trace) -> NDArray[np.float64]:
    """log p of each written piece, in float64 from the recorded logits."""
    logits = trace["generator.logits"].astype(np.float64)
    shifted = logits - logits.max(axis=1, keepdims=True)
    every = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return every[np.arange(len(trace.expected)), list(trace.expected)]


def forced(text: str, target: str, **given: object) -> NDArray[np.float64]:
    """log p of a typed target, by a recorded pass."""
    return log_p(explorer.explore(text, target=target, **given))


def test_a_row_is_what_two_recorded_passes_say(computer: Computer) -> None:
    """Δ log p of She gave me a book. under a knob and under a change: each word is one piece here."""
    before = explorer.explore(SENTENCE)
    wish = asked()
    errand = errand_of(wish, HIDE)
    for number, tried in enumerate(errand.tries):
        if tried.key[1] not in ("position", *HIDE):
            continue
        given = {"position": "none"} if tried.key == ("knob", "position") else {"changes": HIDE}
        found = computer.piece(errand, number, never).found
        assert isinstance(found, Consequence)
        assert found.words == ("She", "gave", "me", "a", "book", ".", "")
        expected = forced(SENTENCE, before.target, **given) - log_p(before)
        assert found.differences == pytest.approx(expected, abs=1e-4)
        assert not np.allclose(found.differences, expected + 0.01, atol=1e-3)  # The check can fail.
        assert (found.before, found.after) == (before.target, explorer.explore(SENTENCE, **given).target)


@pytest.mark.parametrize(
    ("preset", "knobs"),
    [("translator", {}), ("tiny", {}), ("tiny", {"architecture": "decoder-only"}), ("tiny", {"architecture": "encoder-only"})],
)
def test_a_change_of_probabilities_is_tried_as_the_pass_makes_it(
    computer: Computer, preset: str, knobs: dict[str, object]
) -> None:
    """Words are measured on logits, in the pass and beside it: such a change makes no difference to them, and is no error."""
    change = Change("generator.probabilities", "set", columns=(7,), value=0.5)
    wish = asked(preset=preset, **knobs)
    trace = computer(Request(wish=attrs.evolve(wish, changes=(change,)))).trace
    assert np.all(trace["generator.probabilities"][:, 7] == 0.5)
    errand = errand_of(wish, (change,))
    number = next(number for number, tried in enumerate(errand.tries) if tried.key[0] == "changes")
    found = computer.piece(errand, number, never).found
    assert isinstance(found, Consequence) and np.all(found.differences == 0) and found.before == found.after


def test_with_others_on_a_row_says_what_it_adds(computer: Computer) -> None:
    """A row that is on says what it does alone; what it adds is measured on the words of the unchanged translation."""
    before = explorer.explore(SENTENCE)
    errand = errand_of(asked(position="none"), HIDE)
    by_key = {tried.key: number for number, tried in enumerate(errand.tries)}
    alone = computer.piece(errand, by_key["knob", "position"], never).found
    added = computer.piece(errand, by_key["changes", *HIDE], never).found
    assert isinstance(alone, Consequence) and isinstance(added, Consequence)
    first = forced(SENTENCE, before.target, position="none")
    both = forced(SENTENCE, before.target, position="none", changes=HIDE)
    assert alone.differences == pytest.approx(first - log_p(before), abs=1e-4)
    assert added.differences == pytest.approx(both - first, abs=1e-4)
    assert (alone.before, added.before) == ("She gave me a book.", "I gave her a book.")


def test_tries_follow_the_list() -> None:
    """Own changes are put in their place, offered ones at the end; what is on is tried alone."""
    off, on = Change("encoder.layers.0.self_attn.mixed", "scale", head=0, value=0.0, on=False), HIDE[0]
    wish = attrs.evolve(asked(), changes=(off, on))
    by_key = {tried.key: tried for tried in tries(wish, [(off,), (on,), HIDE[1:]])}
    as_on = attrs.evolve(off, on=True)
    assert by_key["changes", as_on].wish.changes == (as_on, on) and by_key["changes", as_on].without.changes == (on,)
    assert by_key["changes", on].wish.changes == (on,) and by_key["changes", on].without.changes == ()
    assert by_key["changes", *HIDE[1:]].wish.changes == HIDE
    assert by_key["knob", "residual"].wish.config.residual is False
    assert by_key["knob", "residual"].without.changes == (on,)


@pytest.mark.parametrize("knobs", [{"architecture": "encoder-only"}, {"architecture": "decoder-only"}, {}])
def test_a_model_that_writes_nothing_has_cells_and_no_translation(computer: Computer, knobs: dict[str, object]) -> None:
    """Its own tokens are measured, or the next ones."""
    errand = errand_of(asked("我爱北京天安门", "tiny", **knobs))
    found = computer.piece(errand, 0, never).found
    assert isinstance(found, Consequence) and found.before == found.after == ""
    assert len(found.words) == len(found.log_p) > 0 and np.isfinite(found.differences).all()


def test_without_residuals_it_loops_and_a_broken_number_is_nan(computer: Computer) -> None:
    """A loop is cut by the longest that a translation may be; NaN stays NaN."""
    nan = (Change("decoder.layers.2.feed_forward.output", "set", value=3e38),)  # The mean of so large numbers is infinite.
    errand = errand_of(asked(), nan)
    by_key = {tried.key: number for number, tried in enumerate(errand.tries)}
    loop = computer.piece(errand, by_key["knob", "residual"], never).found
    broken = computer.piece(errand, by_key["changes", *nan], never).found
    assert isinstance(loop, Consequence) and len(set(loop.after)) == 1 and len(loop.after) > 20
    assert isinstance(broken, Consequence) and np.isnan(broken.differences).any()
    assert np.isnan(broken.differences[broken.largest])


def test_what_cannot_be_made_is_an_error_as_a_value(computer: Computer) -> None:
    """The other rows are found out all the same."""
    closed = (Change("decoder.layers.0.cross_attn.masked", "close", columns=tuple(range(7))),)
    errand = errand_of(asked(), closed)
    assert isinstance(computer.piece(errand, errand.n_pieces - 1, never).found, AllClosed)
    assert isinstance(computer.piece(errand, 0, never).found, Consequence)


def test_large_models_and_long_texts_are_left_out_with_their_numbers(computer: Computer) -> None:
    """A large model only until somebody asks for it; nothing is computed before that."""
    large = asked("我" * 80, "paper-base", n_layers=12, d_model=1024, d_ff=4096)
    errand = errand_of(large)
    assert isinstance(computer.piece(errand, 0, never).found, SlowToTry)
    long = asked("我" * 800, "paper-base", max_len=1024)
    found = computer.piece(errand_of(long), 0, never).found
    assert isinstance(found, TooLongToTry) and found.values["n_tokens"] == 800
    with pytest.raises(Superseded):
        computer.piece(attrs.evolve(errand, anyway=True), 0, lambda: True)


def test_a_keystroke_ends_a_try_at_the_next_tap(computer: Computer) -> None:
    """Wherever it stands; and the same piece is found out after it."""
    errand = errand_of(asked("他在图书馆看书。", temperature=2.0))
    taps = 0

    def stop() -> bool:
        nonlocal taps
        taps += 1
        return taps > 60

    with pytest.raises(Superseded):
        computer.piece(errand, 0, stop)
    assert taps == 61
    assert isinstance(computer.piece(errand, 0, never).found, Consequence)


def test_the_models_answers_stay_bit_equal_beside_errands(computer: Computer) -> None:
    """An errand has a model of its own."""
    request = Request(wish=asked())
    first = computer(request).trace
    computer.piece(errand_of(asked()), 4, never)
    after = computer(request).trace
    assert all(np.array_equal(first[name], after[name]) for name in first.names())


def test_the_score_is_that_of_recorded_passes(computer: Computer) -> None:
    """Σ [log P_changed(after) − log P_unchanged(after)], and the means, on three sentences."""
    errand = FindBreaks(wish=asked(position="none"), sentences=THREE)
    for number, text in enumerate(THREE):
        found = computer.piece(errand, number, never).found
        assert isinstance(found, Break)
        before, after = explorer.explore(text), explorer.explore(text, position="none")
        changed, plain = log_p(after), forced(text, after.target)
        assert (found.source, found.before, found.after) == (text, before.target, after.target)
        assert found.score == pytest.approx((changed - plain).sum(), abs=2e-3)
        assert found.sure_before == pytest.approx(log_p(before).mean(), abs=1e-4)
        assert found.sure_after == pytest.approx(changed.mean(), abs=1e-4)
        assert found.changed is (before.target != after.target)


def test_without_a_causal_mask_words_are_measured_as_they_were_written(computer: Computer) -> None:
    """By the sum that the search itself has found. A pass over all words would let each place read the word it is asked for."""
    errand = FindBreaks(wish=asked(causal_mask=False), sentences=THREE)
    for number, text in enumerate(THREE):
        found = computer.piece(errand, number, never).found
        after = explorer.explore(text, causal_mask=False)
        assert isinstance(found, Break) and after.search is not None
        end = after.search.ends[0]
        assert found.after == after.target
        assert found.sure_after * len(after.search.path(end)) == pytest.approx(after.search.nodes[end].total, abs=2e-3)
        assert log_p(after).mean() < found.sure_after - 0.5, "the pass on screen sees later words"


ALTERED = {
    "knob": {"position": "none"},
    "head": {"changes": (Change("decoder.layers.1.cross_attn.mixed", "scale", head=3, value=0.0),)},
    "mean": {"changes": (Change("decoder.layers.1.self_attn.mixed", "mean", head=2),)},
    "mask": {"causal_mask": False},
    "set": {"changes": (Change("decoder.layers.0.cross_attn.weights", "set", rows=(1, 2), columns=(0,), value=0.9),)},
    "last word": {"changes": (Change("encoder.layers.2.residual2", "scale", rows=(6,), value=0.0),)},
}


@pytest.mark.parametrize("altered", sweep(ALTERED, telling=["head"]))
@pytest.mark.parametrize("beam", sweep([1, 3], telling=[1]))
def test_a_search_in_batches_finds_what_single_sentences_give(
    computer: Computer, alone: Computer, altered: str, beam: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By translations exactly and by 1e-3 in log p; a sentence in which the change has no place is an error in both."""
    given = dict(ALTERED[altered])
    changes = given.pop("changes", ())
    wish = attrs.evolve(asked(**given), changes=changes, beam=beam)
    errand = FindBreaks(wish=wish, sentences=held_out(24))
    batches: list[int] = []
    whole = Saying.says_together

    def counted(self: Saying, wishes: list[Wish], stop: Stop = never) -> list[Sentence]:
        batches.append(len(wishes))
        return whole(self, wishes, stop)

    monkeypatch.setattr(Saying, "says_together", counted)
    together = [computer.piece(errand, number, never).found for number in range(errand.n_pieces)]
    # Sentences of one length have been found out together, each with changes and without.
    assert max(batches) > 2 and len(batches) < 1.5 * errand.n_pieces
    batches.clear()
    monkeypatch.setattr(rehearsal, "_AHEAD", 1)
    monkeypatch.setattr(Rehearsal, "_look_ahead", lambda *_given: None)
    single = [alone.piece(errand, number, never).found for number in range(errand.n_pieces)]
    assert batches == []
    for one, other in zip(together, single, strict=True):
        assert type(one) is type(other)
        if isinstance(one, Break) and isinstance(other, Break):
            assert (one.source, one.before, one.after) == (other.source, other.before, other.after)
            for name in ("score", "sure_before", "sure_after"):
                assert getattr(one, name) == pytest.approx(getattr(other, name), abs=2e-3)
    assert (altered == "last word") == any(isinstance(one, OutOfTensor) for one in together)


def test_a_search_builds_no_model_for_each_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """The unchanged model and the one with other knobs are both kept; they were built anew four times a sentence."""
    built: list[object] = []
    make = trained.with_knobs

    def counted(model: Transformer, config: Config) -> Transformer:
        built.append(config)
        return make(model, config)

    monkeypatch.setattr(trained, "with_knobs", counted)
    errand = FindBreaks(wish=asked(position="none"), sentences=held_out(6))
    computer = Computer()
    for number in range(errand.n_pieces):
        computer.piece(errand, number, never)
    assert len(built) <= 1


def test_dropout_is_found_out_sentence_by_sentence() -> None:
    """It draws other numbers in a batch; and models that do not translate have no batches either."""
    assert can_be_together(asked(position="none"))
    assert not can_be_together(asked(dropout_active=True))
    assert not can_be_together(attrs.evolve(asked(), trained=False))
    assert not can_be_together(asked(preset="tiny")) and not can_be_together(asked(preset="language-model"))


def test_a_batch_gives_way_and_is_begun_again(computer: Computer) -> None:
    """As a single sentence does."""
    errand = FindBreaks(wish=asked(position="none", temperature=1.5), sentences=held_out(12))
    asked_for = 0

    def stop() -> bool:
        nonlocal asked_for
        asked_for += 1
        return asked_for > 5

    with pytest.raises(Superseded):
        computer.piece(errand, 0, stop)
    assert isinstance(computer.piece(errand, 0, never).found, Break)


def test_nothing_is_searched_without_a_change(computer: Computer) -> None:
    """It is an error with a sentence."""
    found = computer.piece(FindBreaks(wish=asked(), sentences=("他吃。",)), 0, never).found
    assert isinstance(found, NothingChanged)


def test_the_search_reads_rows_that_nothing_was_trained_on() -> None:
    """Different ones, short and long, the same each time, and every beginning is like the whole; in either language."""
    sentences = held_out()
    assert len(set(sentences)) == len(sentences) == 300 and sentences == held_out()
    lengths = [len(sentence) for sentence in sentences]
    assert abs(np.mean(lengths[:60]) - np.mean(lengths)) < 0.15 * np.mean(lengths)
    assert held_out(3, english=True)[0].isascii() and not sentences[0].isascii()
    assert held_out(0) == () and len(held_out(10**6)) > 1000


def test_a_try_is_a_value() -> None:
    """So that what is known of it is found again."""
    wish = asked()
    assert Try(("knob", "position"), wish, wish) in {Try(("knob", "position"), asked(), asked())}
