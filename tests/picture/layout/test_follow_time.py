"""When what happens: the picture at a time follows from the time alone."""

import numpy as np
import pytest

from explorer.picture.followed import BEATS
from explorer.picture.layout.follow_time import HOLD_S, Timetable, timetable
from tests.picture.examples import by_hand


def wide(n: int) -> Timetable:
    return timetable(by_hand(tuple(np.ones(n)), tuple(np.ones(n))))


@pytest.mark.parametrize("n", [1, 4, 32, 64, 300])
def test_beats_follow_each_other_without_a_gap(n: int) -> None:
    """Each begins when the one before has moved and rested; the last ends with the whole."""
    table = wide(n)
    for beat in range(len(BEATS)):
        assert table.start(beat + 1) == pytest.approx(table.end(beat) + HOLD_S)
        assert table.at(table.start(beat)).beat == beat
        assert table.at(table.end(beat)).share == 1
        assert table.at(table.start(beat + 1) - 1e-6).beat == beat
    assert table.total == pytest.approx(table.start(len(BEATS)))


def test_time_outside_is_the_first_and_the_last_moment() -> None:
    """Whoever drags beyond an end stays there."""
    table = wide(8)
    assert table.at(-5).beat == 0 and table.at(-5).share == 0
    assert table.at(1e9).name == "mixed" and table.at(1e9).share == 1


@pytest.mark.parametrize("n", [1, 4, 32, 64])
def test_every_term_has_its_time(n: int) -> None:
    """Right after a term has been added, it is still the one that is told; after the last one all is said."""
    table = wide(n)
    assert table.n_terms == n
    assert [table.term(table.after_term(term)) for term in range(n)] == [*range(n - 1), None]
    assert table.term(table.start(0)) is None


def test_many_terms_are_added_faster() -> None:
    """A head of 64 features takes six seconds, one of 300 no longer: what is left out is the last term."""
    assert wide(300).moves == wide(64).moves and wide(300).n_terms == 64
    assert wide(64).moves[1] == pytest.approx(6.0) and wide(4).moves[1] == pytest.approx(0.44)


def test_a_mask_that_closes_nothing_takes_no_time() -> None:
    """Only the rest in which its sentence is read."""
    open_, closed = timetable(by_hand(closed=(False,) * 4)), timetable(by_hand())
    assert open_.moves[3] == 0 and closed.moves[3] > 0
    assert open_.at(open_.start(3)).share == 1
