"""Changes by a whole array or by a function, against what the pass goes on with."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer
from explorer import Change
from explorer.errors import BadChangeField, BadFunctionResult, ChangeIsFunction, LengthsDiffer
from explorer.trace.changes import changes_from

TEXT = "我爱北京天安门"
STREAM, MIXED = "decoder.layers.0.residual2", "decoder.layers.1.self_attn.mixed"


def explored(*changes: Change, text: str = TEXT, **given: Any) -> explorer.Trace:
    return explorer.explore(text, preset="language-model", changes=changes, **given)


def test_an_array_takes_the_place_of_a_tensor() -> None:
    """The recorded tensor of another pass gives all that follows in that pass, to the last bit."""
    own, other = explored(), explored(text="我爱上海天安门")
    found = explored(Change(STREAM, "set", value=other[STREAM]))
    assert (found[STREAM] == other[STREAM]).all() and not np.array_equal(own[STREAM], other[STREAM])
    assert (found["generator.logits"] == other["generator.logits"]).all()
    heads = explored(Change(MIXED, "set", value=other[MIXED]))
    assert (heads[MIXED] == other[MIXED]).all()


def test_an_array_is_for_the_named_cells() -> None:
    """Of one head, some rows and some columns; "add" adds it."""
    own = explored()
    values = np.arange(6.0).reshape(2, 3)
    found = explored(Change(MIXED, "add", head=1, rows=[3, 1], columns=[0, 5, 2], value=values))
    expected = own[MIXED].copy()
    expected[1][np.ix_([1, 3], [0, 5, 2])] += values
    np.testing.assert_allclose(found[MIXED], expected, atol=1e-6)


def test_a_function_is_given_the_recorded_cells() -> None:
    """And the pass goes on with what it returns."""
    own, seen = explored(), []

    def turned(cells: np.ndarray) -> np.ndarray:
        seen.append(cells)
        return cells[::-1]

    found = explored(Change(STREAM, "set", value=turned))
    np.testing.assert_allclose(seen[-1], own[STREAM], atol=1e-6)
    assert (found[STREAM] == own[STREAM][::-1]).all()
    doubled = explored(Change(MIXED, "set", head=0, rows=[2], value=lambda x: 2 * x))
    np.testing.assert_allclose(doubled[MIXED][0, 2], 2 * own[MIXED][0, 2], atol=1e-6)
    assert (doubled[MIXED][1:] == own[MIXED][1:]).all()


def test_a_function_acts_while_a_translation_is_generated() -> None:
    """The same as a change that has no function."""
    tap = "decoder.layers.2.cross_attn.mixed"
    plain = Change(tap, "scale", head=3, value=0.0)
    asked = Change(tap, "set", head=3, value=lambda x: 0 * x)
    first, second = (explorer.explore(TEXT, changes=[each]) for each in (plain, asked))
    assert first.target == second.target
    np.testing.assert_allclose(first["generator.logits"], second["generator.logits"], atol=1e-5)


def test_many_prompts_are_changed_one_by_one() -> None:
    """A function sees one prompt at a time."""
    change = Change(STREAM, "set", value=lambda x: x - x.mean(axis=0))
    texts = (TEXT, "冬天来了", "他在图书馆看书。")
    found = explorer.many(texts, "language-model", changes=[change])
    for number, text in enumerate(texts):
        np.testing.assert_allclose(found.logits[number], explored(change, text=text)["generator.logits"][-1], atol=1e-5)


def test_an_array_is_kept_in_files_and_a_function_is_not(tmp_path: Path) -> None:
    """It says so, and what to do instead."""
    array = Change(STREAM, "set", value=np.ones((6, 4)), columns=range(4))
    assert changes_from([array.to_dict()]) == (array,) and hash(array) == hash(changes_from([array.to_dict()])[0])
    assert array != Change(STREAM, "set", value=np.zeros((6, 4)), columns=range(4))
    saved = explored(array)
    saved.save(tmp_path / "a.npz")
    assert explorer.Trace.load(tmp_path / "a.npz").changes == (array,)
    script = explorer.to_pytorch(TEXT, preset="language-model", changes=[array])
    assert ".reshape(6, 4)" in script
    function = explored(Change(STREAM, "set", value=np.negative))
    with pytest.raises(ChangeIsFunction, match=STREAM):
        function.save(tmp_path / "b.npz")


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"value": np.ones((5, 192))}, LengthsDiffer),
        ({"value": np.ones((2, 6, 192))}, LengthsDiffer),
        ({"value": np.full((6, 128), np.nan)}, BadChangeField),
        ({"value": [[1, 2], [3]]}, BadChangeField),
        ({"kind": "scale", "value": np.ones((6, 192))}, BadChangeField),
        ({"kind": "scale", "value": np.negative}, BadChangeField),
        ({"value": lambda x: x[:2]}, BadFunctionResult),
        ({"value": lambda x: "much"}, BadFunctionResult),
        ({"value": lambda x: x * np.nan}, BadFunctionResult),
    ],
)
def test_what_does_not_fit_is_refused(fields: dict[str, Any], kind: type[Exception]) -> None:
    """Shapes, numbers that are none, and results of functions."""
    with pytest.raises(kind):
        explored(Change(STREAM, **{"kind": "set"} | fields))
