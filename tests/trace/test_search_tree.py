"""The tree of what decoding tried: its arithmetic, and its way into a file and back."""

import json
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from explorer.errors import NotATrace
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import BEGIN, END
from explorer.trace.recorded_pass import Tokens
from explorer.trace.search_tree import Node, Search, score
from explorer.trace.trace import Trace
from tests.trace.runs import a_trace

TREE = Search(
    nodes=(
        Node(-1, 7, -0.5, -0.5, forced=True),
        Node(0, 8, -1.0, -1.5),
        Node(0, 9, -2.0, -2.5),
        Node(1, END, -0.25, -1.75),
        Node(2, 10, -0.5, -3.0),
        Node(4, END, -0.1, -3.1),
    ),
    ends=(3, 5),
    beam=2,
    length_penalty=1.0,
)


def test_a_path_leads_from_the_beginning() -> None:
    """Through every node on the way, to the node itself."""
    assert [TREE.path(node) for node in (0, 3, 5)] == [(0,), (0, 1, 3), (0, 2, 4, 5)]
    assert TREE.path(-1) == ()


def test_a_sentence_is_read_without_its_end_symbol() -> None:
    """The best one is the first of the ends."""
    assert TREE.ids(5) == (7, 9, 10)
    assert TREE.ids(4) == (7, 9, 10)
    assert TREE.best == (7, 8)


@pytest.mark.parametrize(("penalty", "expected"), [(0.0, -3.1), (1.0, -3.1 / 4), (0.5, -3.1 / 2), (2.0, -3.1 / 16)])
def test_the_score_divides_by_the_length_to_the_power_of_the_penalty(penalty: float, expected: float) -> None:
    """Four tokens, the end symbol among them."""
    assert attrs.evolve(TREE, length_penalty=penalty).score(5) == pytest.approx(expected)


def test_a_higher_penalty_favours_the_longer_sentence() -> None:
    """The same two, the other way round."""
    short, long = (-2.0, 3), (-3.0, 6)

    assert score(*short, 0.0) > score(*long, 0.0)
    assert score(*short, 1.0) < score(*long, 1.0)


def test_the_score_of_nothing_is_zero() -> None:
    """And no division by zero."""
    assert score(0.0, 0, 1.0) == 0.0


def with_search(search: Search | None = TREE) -> Trace:
    return attrs.evolve(a_trace(), search=search, card=attrs.evolve(a_trace().card, trained=search is not None))


def test_a_search_comes_back_from_a_file(tmp_path: Path) -> None:
    """Every node, to the last bit, a probability of zero among them."""
    search = attrs.evolve(TREE, nodes=(*TREE.nodes, Node(2, 11, -np.inf, -np.inf), Node(2, 12, -1 / 3, -0.1 - 0.2)))
    with_search(search).save(tmp_path / "x.npz")
    loaded = Trace.load(tmp_path / "x.npz")

    assert loaded.search == search
    assert loaded.trained
    assert loaded.search.path(5) == (0, 2, 4, 5)


def test_no_search_comes_back_as_none(tmp_path: Path) -> None:
    """As do files from before there were any, nor cards."""
    with_search(None).save(tmp_path / "x.npz")

    assert Trace.load(tmp_path / "x.npz").search is None
    old = rewritten(tmp_path / "y.npz", lambda about: [about.pop(key) for key in ("search", "trained", "card")])
    assert not Trace.load(old).trained
    assert Trace.load(tmp_path / "y.npz").search is None


def rewritten(path: Path, change: Any) -> Path:
    """A saved Trace with a search, its table of contents changed."""
    with_search().save(path)
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(str(arrays.pop("about.json")))
    change(about)
    np.savez(path, **{"about.json": np.array(json.dumps(about))}, **arrays)
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row["nodes"][3].update(parent=3),
        lambda row: row["nodes"][0].update(parent=5),
        lambda row: row["nodes"][2].update(parent=-2),
        lambda row: row.update(ends=[99]),
        lambda row: row.update(ends=[-1]),
        lambda row: row["nodes"][0].pop("total"),
        lambda row: row.update(nodes=7),
        lambda row: row.update(more=1),
    ],
    ids=["own-parent", "circle", "no-parent", "no-node", "before", "field-missing", "no-list", "field-too-many"],
)
def test_a_tree_that_is_none_is_refused(tmp_path: Path, change: Any) -> None:
    """Whoever walked it would never arrive."""
    with pytest.raises(NotATrace):
        Trace.load(rewritten(tmp_path / "x.npz", lambda about: change(about["search"])))


def test_each_place_of_the_target_expects_the_next_token_and_the_last_the_end() -> None:
    """Where the target begins with the begin symbol, and only there."""
    begin, one, two = (Token(str(id_), id_, 0, 0, known=True) for id_ in (BEGIN, 8, 9))

    assert attrs.evolve(a_trace(), tokens=Tokens((), (begin, one, two))).expected == (8, 9, END)
    assert attrs.evolve(a_trace(), tokens=Tokens((), (begin,))).expected == (END,)
    assert attrs.evolve(a_trace(), tokens=Tokens((one,), (one, two))).expected == ()
    assert attrs.evolve(a_trace(), tokens=Tokens((one,), ())).expected == ()
