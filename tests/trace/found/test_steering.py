"""Steering: the vector against means taken by hand, and what it does when it is added."""

import numpy as np
import pytest

import explorer
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.errors import EmptyText, ExplorerError, SentenceOfSet, TooManySentences
from explorer.state.steering_sets import AWAY, MOST_SENTENCES, TOWARD
from explorer.trace.changes import Change
from explorer.trace.found.findings import NotMade
from explorer.trace.found.steering import Steering

TAP = "encoder.layers.1.residual2"
ME, HER = ["我喜欢猫。", "我在那里。", "我是老师。"], ["她喜欢猫。", "她在那里。", "她是老师。"]


def test_the_vector_is_the_difference_of_two_means_over_all_tokens() -> None:
    """Every token counts once, whatever the length of its sentence."""
    vector = explorer.steering(["我爱你", "好"], ["不"], TAP, preset="tiny", tokenizer="characters")
    rows = [
        explorer.explore(text, preset="tiny", tokenizer="characters")[TAP].astype(np.float64) for text in ("我爱你", "好", "不")
    ]

    assert vector == pytest.approx((rows[0].sum(axis=0) + rows[1].sum(axis=0)) / 4 - rows[2].mean(axis=0), abs=1e-6)
    assert vector.shape == (64,) and not vector.flags.writeable


def test_a_vector_that_is_added_moves_the_stream_by_it() -> None:
    """With the factor, at every token of that layer and at no earlier tap."""
    vector = explorer.steering(["我爱你"], ["不"], TAP, preset="tiny")
    plain = explorer.explore("你好吗", preset="tiny")
    change = explorer.Change(TAP, "add", value=2 * vector)
    steered = explorer.explore("你好吗", preset="tiny", changes=[change])

    assert steered[TAP] - plain[TAP] == pytest.approx(np.tile(2 * vector, (len(plain.tokens.source), 1)), abs=1e-5)
    assert np.array_equal(steered["encoder.layers.1.residual1"], plain["encoder.layers.1.residual1"])
    assert not np.array_equal(steered["generator.logits"], plain["generator.logits"])


@pytest.mark.slow
def test_a_translation_is_steered() -> None:
    """On the trained model, from "I" to "She": twice the vector, and nothing at a factor of 0."""
    vector = explorer.steering(HER, ME, TAP)
    changes = [explorer.Change(TAP, "add", value=factor * vector) for factor in (0.0, 2.0)]
    said = [explorer.explore("我喜欢书。", changes=[change]).target for change in changes]

    assert said[0] == explorer.explore("我喜欢书。").target and said[0].startswith("I ")
    assert said[1].startswith("She ")


def test_what_cannot_be_a_vector_is_refused() -> None:
    """An empty set and an unknown tap."""
    with pytest.raises(EmptyText):
        explorer.steering([], ["不"], TAP, preset="tiny")
    with pytest.raises(ExplorerError):
        explorer.steering(["我"], ["不"], "encoder.nothing", preset="tiny")


def found(computer: Computer, preset: str = "tiny", text: str = "你好吗", **fields: object) -> Steering | NotMade:
    request = Request.from_preset(preset, text).wishing(**fields).asking(experiments=frozenset({"steering"}))
    made = computer(request).trace.experiments["steering"]
    assert isinstance(made, (Steering, NotMade))
    return made


@pytest.mark.parametrize("architecture", ["encoder-decoder", "encoder-only", "decoder-only"])
def test_the_window_asks_for_the_vectors_of_the_library(architecture: str) -> None:
    """Bit for bit, behind every layer of every side; changes of the pass on screen have no part in them."""
    computer = Computer()
    request = Request.from_preset("tiny", "你好吗", architecture=architecture)
    other = Change("encoder.norm" if architecture != "decoder-only" else "decoder.norm", "scale", value=2.0)
    request = request.wishing(toward=("我爱你", "好"), away=("不",), changes=(other,), target="你好")
    made = computer(request.asking(experiments=frozenset({"steering"}))).trace.experiments["steering"]

    assert isinstance(made, Steering) and (made.toward, made.away) == (("我爱你", "好"), ("不",))
    sides = {"encoder-decoder": 2, "encoder-only": 1, "decoder-only": 1}[architecture]
    assert len(made.vectors) == sides * 2
    for tap, vector in made.vectors.items():
        own = explorer.steering(["我爱你", "好"], ["不"], tap, preset="tiny", architecture=architecture)
        assert np.array_equal(vector, own)
        texts = ("我爱你", "好", "不")
        rows = [explorer.explore(text, preset="tiny", architecture=architecture)[tap].astype(np.float64) for text in texts]
        assert made.lengths[tap] == pytest.approx(np.linalg.norm(np.concatenate(rows), axis=-1).mean())


def test_the_vectors_are_kept_while_a_slider_moves() -> None:
    """The passes over the sets are made once, until a set or the model changes."""
    computer = Computer()
    first = found(computer, toward=("我",), away=("他",))
    assert isinstance(first, Steering)
    for factor in (1.0, 2.0):
        change = first.change("encoder.layers.1.residual2", factor)
        assert change is not None
        assert found(computer, toward=("我",), away=("他",), changes=(change,)) is first
    assert found(computer, toward=("我",), away=("她",)) is not first


def test_without_sentences_those_that_are_suggested_are_used() -> None:
    """Each set by itself: sentences in one set leave the other as it is suggested."""
    computer = Computer()
    suggested, one_sided = found(computer), found(computer, toward=("我",))

    assert isinstance(suggested, Steering) and (suggested.toward, suggested.away) == (TOWARD, AWAY)
    assert isinstance(one_sided, Steering) and (one_sided.toward, one_sided.away) == (("我",), AWAY)


def test_bad_sentences_are_one_sentence_and_the_picture_stays() -> None:
    """Too many of them, and one that no pass can be made of; blank lines count for nothing."""
    computer = Computer()
    many = found(computer, toward=("我",) * (MOST_SENTENCES + 1), away=("他",))
    bad = found(computer, toward=("我\x00",), away=("他",))

    assert isinstance(many, NotMade) and isinstance(many.error, TooManySentences)
    assert str(MOST_SENTENCES) in str(many.error)
    assert isinstance(bad, NotMade) and isinstance(bad.error, SentenceOfSet)
    assert isinstance(found(computer, toward=("我", "  "), away=("他", "")), Steering)


def test_a_change_says_how_many_times_the_vector_it_adds() -> None:
    """0 adds nothing; a change made of other sentences is told apart; rows, heads and numbers are no steering."""
    computer, tap = Computer(), "encoder.layers.1.residual2"
    made, other = found(computer, toward=("我",), away=("他",)), found(computer, toward=("书",), away=("他",))
    assert isinstance(made, Steering) and isinstance(other, Steering)
    change = made.change(tap, -2.5)
    assert change is not None and made.change(tap, 0.0) is None

    assert made.factor(change) == pytest.approx(-2.5) and made.is_own(change)
    assert not other.is_own(change)
    no_steering = (
        Change(tap, "add", rows=(0,), value=change.value),
        Change(tap, "add", value=1.0),
        Change("encoder.norm", "add", value=change.value),
        Change(tap, "set", value=change.value),
    )
    assert made.steered_by(no_steering) is None
    assert made.steered_by((*no_steering, change)) == change
    assert made.fits(explorer.explore("你", preset="tiny"))
    assert not made.fits(explorer.explore("你", preset="tiny", d_model=32))
    assert not made.fits(explorer.explore("你", preset="tiny", architecture="decoder-only"))


@pytest.mark.slow
def test_the_page_s_example_is_true() -> None:
    """What the explanation says: three times the suggested vector in layer 1, with the window's search and without one."""
    computer = Computer()
    for text, tap, before, after in (
        ("我喜欢书。", TAP, "I like books.", "She likes her books."),
        ("我是学生。", "decoder.layers.1.residual3", "I'm a student.", "She is a student."),
    ):
        made = found(computer, "translator", text)
        assert isinstance(made, Steering)
        change = made.change(tap, 3.0)
        assert change is not None
        for beam in (1, 4):
            request = Request.from_preset("translator", text).wishing(beam=beam)
            assert computer(request).trace.target == before
            assert computer(request.wishing(changes=(change,))).trace.target == after
