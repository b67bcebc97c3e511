"""The film of a training's heads."""

import re

import numpy as np
import pytest

from explorer.picture.figure.diary_film import film_of
from explorer.picture.figure.kinds import tables
from explorer.picture.theme import DARK, LIGHT
from tests.picture.examples import LANGUAGES, words
from tests.picture.trainings import ANSWERS, CURVES, DIARY


def test_a_film_has_a_frame_for_each_snapshot_and_rests_on_the_last() -> None:
    """Four frames, of which three last a quarter of a second."""
    assert film_of(DIARY, words("en"), LIGHT).delays_ms() == (250, 250, 250, 3000)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_frame_names_the_step_and_the_patterns_so_far(language: str) -> None:
    """All frames have one size. A token with angle brackets is text."""
    film = film_of(DIARY, words(language), LIGHT)
    frames = [film.frame(time) for time in film.times]
    for frame, step in zip(frames, DIARY.steps, strict=True):
        assert words(language)("training.curves.at_step", step=step) in frame
        assert 'width="960" height="600"' in frame and frame.count("<image") == 3
        assert "<&>" not in re.sub(r"&lt;&amp;&gt;", "", frame)
    assert ["previous" in frame for frame in frames] == [False, False, True, True]
    assert film.frame(film.seconds) == frames[-1] != film_of(DIARY, words(language), DARK).frame(film.seconds)


def test_tables_have_the_very_numbers() -> None:
    """Of a log the values that are no numbers, too; of a head a table for each snapshot; of answers the step of each."""
    training, validation, other, gone = tables(CURVES)
    assert training.name == "training.part.training" and training.rows.labels == ("1", "2", "10", "50", "100")
    np.testing.assert_array_equal(training.values[:, 0], [4, 3, 2, np.nan, 1])
    np.testing.assert_array_equal(gone.values[:, 0], [np.nan, np.inf])
    assert validation.columns.labels == ("validation",) and other.name == "training.part.other"
    found = {table.name: table for table in tables(DIARY)}
    assert len(found) == 3 * 4
    before = found["encoder.layers.0.self_attn.weights.head1.step10"]
    np.testing.assert_array_equal(before.values, [[1, np.nan], [0.875, 0.125]])
    (answers,) = tables(ANSWERS)
    np.testing.assert_array_equal(answers.values, [[0, 0], [1, 1], [10, 1], [100, np.nan]])
