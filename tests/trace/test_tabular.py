"""Tables of results: a row for each number, with its place along every axis."""

import numpy as np
import pytest

import explorer
from explorer.errors import UnknownTable
from explorer.trace.found.similarity import Similarity
from explorer.trace.tabular import Tabular, as_html, cells, joined

TEXT = "我爱北京天安门"


def check(found: Tabular) -> None:
    """Every table has columns of one length with at least one row; pandas gives them back."""
    pandas = pytest.importorskip("pandas")
    for name in found.tables():
        columns, frame = found.columns(name), found.to_pandas(name)
        assert isinstance(frame, pandas.DataFrame) and list(frame) == list(columns)
        assert {len(column) for column in columns.values()} == {len(frame)} and len(frame)


def test_each_number_stands_with_its_place() -> None:
    """Against the array itself."""
    values = np.arange(6.0).reshape(2, 3)
    told = cells({"value": values, "twice": 2 * values}, word=("a", "b"), place=None)
    rows = zip(told["word"], told["place"], told["value"], told["twice"], strict=True)
    assert [row for row in rows if row[2] == 5] == [("b", 2, 5.0, 10.0)]
    assert list(joined([told, told])["value"]) == [*range(6)] * 2


def test_a_page_shows_the_first_rows_and_escapes() -> None:
    """And says how many more there are."""
    told = as_html({"text": ["<b>"] * 20, "p": np.linspace(0, 1, 20)})
    assert told.count("<tr>") == 13 and "&lt;b&gt;" in told and "8 more" in told


def test_everything_that_is_a_table_has_one() -> None:
    """Of the bundled translator and language model: effects, attribution, lens, patching, saliency, metrics, neighbours …"""
    trace = explorer.explore(TEXT, experiments=["vectors"])
    parts = explorer.attribute(TEXT)
    check(trace.tokens)
    check(trace.measures("decoder.cross_attn"))
    check(trace.neighbours(1))
    check(parts)
    check(parts.inside("decoder.cross_attn", 1, 4))
    check(parts.inside("decoder.feed_forward", 0))
    check(explorer.lens(TEXT))
    check(explorer.saliency(TEXT))
    check(explorer.generate("冬天来了，", tokens=3))
    check(explorer.scan([TEXT, "他在图书馆看书。"]))
    check(Similarity(("a", "b"), np.eye(2, 3, dtype=np.float32)))
    check(explorer.breaks(sentences=[TEXT], position="none"))


def test_effects_and_patches_are_found_at_their_places() -> None:
    """The same numbers as in the arrays."""
    effects = explorer.ablate(TEXT, preset="tiny", edges="decoder.cross_attn.0.1")
    check(effects)
    frame = effects.to_pandas("heads")
    row = frame[(frame.attention == effects.attentions[2]) & (frame.layer == 1) & (frame["head"] == 3)]
    np.testing.assert_array_equal(row["effect"], effects.heads[2, 1, 3])
    found = explorer.patching(TEXT, "我爱北京图书馆", preset="tiny")
    check(found)
    head = found.to_pandas("head")
    patched = found.map("decoder", "head")
    assert patched is not None
    own = head[(head.tap == patched.taps[1]) & (head["head"] == 2) & (head.position == 0)]
    np.testing.assert_array_equal(own["recovered"], patched.recovered[1, 2, 0])


def test_a_wrong_name_is_told_the_right_ones() -> None:
    """As everywhere."""
    with pytest.raises(UnknownTable, match="heads, layers"):
        explorer.ablate("我爱", preset="tiny").to_pandas("edges")
