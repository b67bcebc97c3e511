"""Pictures of vectors: the very numbers that were found out, their names, and what is said about them."""

import attrs
import numpy as np
import pytest

import explorer
from explorer.picture.figure.kinds import tables
from explorer.picture.layout.vector_map import Point, nearest, points, told_point
from explorer.picture.makers.vectors import chosen_token, neighbours, vector_map
from explorer.picture.marks import Rect
from explorer.state.look import Look
from explorer.trace.trace import Trace
from explorer.trace.vectors import Vectors
from tests.picture.examples import LANGUAGES, example, words

LOOK = Look(vector=1)


def a_trace(**knobs: object) -> Trace:
    return explorer.explore("我爱北京天安门", preset="tiny", experiments=["vectors"], **knobs)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_bars_are_the_neighbours_of_the_chosen_token(side: str) -> None:
    """Twelve names with their cosines, nearest first; of another side those of its own token."""
    trace = a_trace()
    made = neighbours(trace, attrs.evolve(LOOK, side=side), words("en"))
    assert made is not None
    listed = trace.neighbours(1, side)[:12]
    assert made.labels == tuple(name for name, _cosine in listed)
    assert made.values == pytest.approx([value for _name, value in listed])
    assert "爱" in made.caption.title and made.caption.origin == "beside"


@pytest.mark.parametrize("language", LANGUAGES)
def test_untrained_vectors_say_that_what_is_near_means_nothing(language: str) -> None:
    """On both cards; and how much the plane shows, and of how many symbols."""
    trace, word = a_trace(vocab_size=2000), words(language)
    bars, plane = neighbours(trace, LOOK, word), vector_map(trace, LOOK, word)
    assert bars is not None and plane is not None
    assert word("vectors.untrained") in bars.caption.note and word("vectors.untrained") in plane.caption.note
    assert "2000" in plane.caption.note and str(len(plane.names)) in plane.caption.note
    learned = attrs.evolve(trace, card=attrs.evolve(trace.card, trained=True))
    assert word("vectors.untrained") not in vector_map(learned, LOOK, word).caption.note  # type: ignore[union-attr]  # it is there


def test_nothing_is_drawn_before_it_is_found_out() -> None:
    """The card waits."""
    assert neighbours(example(), LOOK, words()) is None and vector_map(example(), LOOK, words()) is None


def test_the_first_word_is_looked_at_until_one_is_chosen() -> None:
    """Of a target that begins with a special token, the word after it; a place that is not there any more is forgotten."""
    trace = a_trace()
    assert chosen_token(trace, Look()) == 0 and chosen_token(trace, LOOK) == 1
    assert chosen_token(trace, Look(vector=99)) == 0
    found = trace.experiments["vectors"]
    assert isinstance(found, Vectors)
    begun = attrs.evolve(found.sides["encoder"], tokens=("<bos>", "。", "爱", "北京"))
    other = attrs.evolve(trace, experiments={"vectors": Vectors({"encoder": begun})})
    assert chosen_token(other, Look()) == 2


def test_points_keep_their_distances_within_the_area() -> None:
    """One scale for x and y: every distance in px is the same multiple of that on the plane, and all points are inside."""
    made = vector_map(a_trace(), LOOK, words("en"))
    assert made is not None
    at = points(made, Rect(0, 0, 400, 300))
    every, on_plane = (
        np.concatenate([cloud, way.reshape(-1, 2)]) for cloud, way in ((at.cloud, at.path), (made.cloud, made.path))
    )
    assert (every >= 0).all() and (every <= [400, 300]).all()
    px, own = (np.linalg.norm(where[1:] - where[0], axis=1) for where in (every, on_plane))
    assert px / own == pytest.approx(np.full(len(own), (px / own)[0]), rel=1e-3)


def test_a_point_is_found_where_it_stands_and_told_by_its_name() -> None:
    """Tokens before symbols; nothing where no point is near."""
    made, word = vector_map(a_trace(), LOOK, words("en")), words("en")
    assert made is not None
    at = points(made, Rect(0, 0, 400, 300))
    found = nearest(at, *at.path[2, 1], 3.0)
    assert found is not None and found.symbol is None and found.place == 2
    assert word("vectors.behind", layer=1) in told_point(made, Point(place=2, token=1), word)
    assert "爱" in told_point(made, Point(place=0, token=1), word)
    far = int(np.abs(at.cloud - at.path.reshape(-1, 2).mean(0)).sum(1).argmax())
    symbol = nearest(at, *at.cloud[far], 0.5)
    assert symbol is not None and symbol.symbol is not None
    assert made.names[symbol.symbol] in told_point(made, symbol, word)
    assert nearest(at, -500, -500, 8.0) is None


def test_the_tables_hold_the_places_of_all_points() -> None:
    """The vocabulary, and the tokens at each place of their way."""
    made = vector_map(a_trace(), LOOK, words("en"))
    assert made is not None
    cloud, *ways = tables(made)
    assert np.array_equal(cloud.values, made.cloud) and cloud.rows.labels == made.names
    assert [np.array_equal(way.values, values) for way, values in zip(ways, made.path, strict=True)] == [True] * 3
    assert len({table.name for table in (cloud, *ways)}) == 4
