"""A Change as a value: what can never be right is refused, and all else survives a file."""

import json
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from explorer.errors import (
    BadChange,
    BadChangeField,
    ChangeHasNo,
    ChangeLacks,
    ExplorerError,
    TooManyInChange,
    UnknownChangeKind,
)
from explorer.trace.changes import KINDS, Change, changes_from, checked, switched_on

TAP = "decoder.layers.2.cross_attn.mixed"
EXAMPLES = (
    Change(TAP, "scale", head=3, value=0.0),
    Change(TAP, "set", rows=(1, 4), columns=(7, 2), value=(0.5, -1.0)),
    Change("decoder.layers.0.self_attn.masked", "close", rows=(3,), columns=(0, 1)),
    Change("encoder.embedding.output", "patch", rows=(0,), text="他给了我一本书。"),
    Change("encoder.layers.0.self_attn.mixed", "mean", head=1, on=False),
    Change("encoder.layers.0.residual2", "add", rows=(1,), columns=(0, 3), value=(0.5, -2.0)),
)


def test_there_is_an_example_of_each_kind() -> None:
    """So that what is tried below is tried for all."""
    assert {change.kind for change in EXAMPLES} == set(KINDS)


def test_it_is_a_public_name() -> None:
    """The same class."""
    assert explorer.Change is Change


@pytest.mark.parametrize("change", EXAMPLES, ids=lambda change: change.kind)
def test_it_survives_a_file(change: Change) -> None:
    """Through JSON, equal to the bit; only types that TOML has as well, which has no null."""
    row = change.to_dict()

    assert Change.from_dict(json.loads(json.dumps(row))) == change
    assert all(type(value) in (str, int, float, list, bool) for value in row.values())
    assert changes_from(json.loads(json.dumps([row, row]))) == (change, change)


def test_a_switch_that_is_on_is_not_written() -> None:
    """So that older versions read the files of whoever switches nothing off; one that is off they refuse, and do not make."""
    made = Change(TAP, "scale", value=0.0)

    assert "on" not in made.to_dict()
    assert attrs.evolve(made, on=False).to_dict() == {**made.to_dict(), "on": False}
    assert switched_on((made, attrs.evolve(made, on=False), made)) == (made, made)


def test_it_is_a_value() -> None:
    """Frozen, equal by content, usable as a key; rows are a set, while columns go with their values."""
    first, second = Change(TAP, "scale", rows=[4, 1], value=0), Change(TAP, "scale", rows=(1, 4), value=0.0)

    assert first == second
    assert len({first, second, attrs.evolve(first, value=1)}) == 2
    assert Change(TAP, "set", columns=[7, 2], value=[1, 2]) != Change(TAP, "set", columns=[2, 7], value=[1, 2])
    with pytest.raises(AttributeError):
        first.value = 3.0  # type: ignore[misc]  # that is what is tried


def test_numbers_come_as_people_have_them() -> None:
    """One position, a range, NumPy's own, whole numbers for factors."""
    change = Change(TAP, "set", head=np.int64(2), rows=5, columns=range(3), value=np.array([1, 2, 3], np.float32))

    assert change == Change(TAP, "set", head=2, rows=(5,), columns=(0, 1, 2), value=(1.0, 2.0, 3.0))
    lone = Change(TAP, "set", rows=np.array(5), columns=np.array(2), value=np.array(0.5, np.float32))
    assert lone == Change(TAP, "set", rows=(5,), columns=(2,), value=0.5)
    assert all(type(number) is int for number in (change.head, *change.rows, *change.columns))  # type: ignore[misc]  # they are there


@pytest.mark.parametrize(
    ("fields", "kind", "sentence"),
    [
        ({"kind": "mean", "on": 1}, BadChangeField, "干预的 on 不能是 1"),
        ({"kind": "delete"}, UnknownChangeKind, "没有“delete”这种干预；有 scale, set, close, patch, mean, add。"),
        ({"kind": None}, UnknownChangeKind, "没有“None”这种干预；"),
        ({"kind": ["scale"]}, UnknownChangeKind, "没有“['scale']”这种干预；"),
        ({"kind": "scale"}, ChangeLacks, "干预“scale”需要 value。"),
        ({"kind": "set"}, ChangeLacks, "干预“set”需要 value。"),
        ({"kind": "close"}, ChangeLacks, "干预“close”需要 columns。"),
        ({"kind": "patch"}, ChangeLacks, "干预“patch”需要 text。"),
        ({"kind": "close", "columns": 1, "value": 0}, ChangeHasNo, "干预“close”不用 value。"),
        ({"kind": "patch", "text": "一", "value": 0}, ChangeHasNo, "干预“patch”不用 value。"),
        ({"kind": "scale", "value": 0, "text": "一"}, ChangeHasNo, "干预“scale”不用 text。"),
        ({"kind": "scale", "value": float("nan")}, BadChangeField, "干预的 value 不能是 nan："),
        ({"kind": "scale", "value": float("inf")}, BadChangeField, "干预的 value 不能是 inf："),
        ({"kind": "scale", "value": 10**400}, BadChangeField, "干预的 value 不能是 inf："),
        ({"kind": "scale", "value": 1e300}, BadChangeField, "干预的 value 不能是 1e+300："),
        ({"kind": "scale", "value": True}, BadChangeField, "干预的 value 不能是 True："),
        ({"kind": "scale", "value": "0"}, BadChangeField, "干预的 value 不能是 0："),
        ({"kind": "scale", "value": [0.5, 1]}, BadChangeField, "干预的 value 不能是 (0.5, 1.0)："),
        ({"kind": "set", "value": []}, BadChangeField, "干预的 value 不能是 ()："),
        ({"kind": "set", "value": [1, "x"]}, BadChangeField, "干预的 value 不能是 (1.0, 'x')："),
        ({"kind": "set", "value": [1, 2, 3], "columns": [1, 2]}, BadChangeField, "干预的 value 不能是 (1.0, 2.0, 3.0)："),
        (
            {"kind": "scale", "value": 0, "head": -1},
            BadChangeField,
            "干预的 head 不能是 -1：头和位置须是从 0 起、互不重复的整数",
        ),
        ({"kind": "scale", "value": 0, "head": 0.5}, BadChangeField, "干预的 head 不能是 0.5："),
        ({"kind": "scale", "value": 0, "head": True}, BadChangeField, "干预的 head 不能是 True："),
        ({"kind": "scale", "value": 0, "rows": [1, -2]}, BadChangeField, "干预的 rows 不能是 (-2, 1)："),
        ({"kind": "scale", "value": 0, "rows": []}, BadChangeField, "干预的 rows 不能是 ()："),
        ({"kind": "scale", "value": 0, "rows": "12"}, BadChangeField, "干预的 rows 不能是 ('12',)："),
        ({"kind": "close", "columns": [3, 3]}, BadChangeField, "干预的 columns 不能是 (3, 3)："),
        ({"kind": "close", "columns": [2**40]}, BadChangeField, "干预的 columns 不能是 (1099511627776,)："),
        ({"kind": "scale", "value": 0, "tap": None}, BadChangeField, "干预的 tap 不能是 NoneType："),
        ({"kind": "patch", "text": 5}, BadChangeField, "干预的 text 不能是 int："),
        ({"kind": "scale", "value": 0, "tap": "x" * 201}, TooManyInChange, "干预的 tap：现在是 201，最多 200。"),
        ({"kind": "scale", "value": 0, "rows": range(10**9)}, TooManyInChange, "干预的 rows：现在是 65537，最多 65536。"),
        ({"kind": "patch", "text": "一" * 70000}, TooManyInChange, "干预的 text：现在是 70000，最多 65536。"),
    ],
    ids=str,
)
def test_what_can_never_be_right_is_refused(fields: dict[str, Any], kind: type[ExplorerError], sentence: str) -> None:
    """By the constructor, in one sentence."""
    with pytest.raises(kind) as caught:
        Change(**{"tap": TAP, **fields})

    assert isinstance(caught.value, BadChange)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({"tap": TAP, "kind": "scale", "value": 0, "colour": 3}, ChangeHasNo),
        ({"kind": "scale", "value": 0}, ChangeLacks),
        ({"tap": TAP}, ChangeLacks),
        (["tap"], BadChangeField),
        ({"tap": TAP, "kind": "scale", "value": {"a": 1}}, BadChangeField),
    ],
    ids=str,
)
def test_a_strangers_row_is_refused(row: Any, kind: type[ExplorerError]) -> None:
    """With fields that are not there, or too few."""
    with pytest.raises(kind):
        Change.from_dict(row)


def test_a_strangers_file_is_bounded() -> None:
    """In the number of its changes, and it must be a list of tables."""
    with pytest.raises(TooManyInChange) as caught:
        changes_from([EXAMPLES[0].to_dict()] * 5000)
    assert str(caught.value) == "干预的 changes：现在是 5000，最多 4096。"
    for rows in ({"tap": TAP}, "scale", 3, None, [[]]):
        with pytest.raises(BadChangeField):
            changes_from(rows)


def test_only_changes_are_changes() -> None:
    """One alone will do; anything else is told by its type."""
    assert checked([EXAMPLES[0]]) == checked(EXAMPLES[0]) == (EXAMPLES[0],)  # type: ignore[arg-type]  # that is what is tried
    for given_ in ([EXAMPLES[0], {"tap": TAP}], "scale", 5, None):
        with pytest.raises(BadChangeField):
            checked(given_)  # type: ignore[arg-type]  # that is what is tried


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(
    row=st.dictionaries(st.sampled_from([field.name for field in attrs.fields(Change)]), ANYTHING), kind=st.sampled_from(KINDS)
)
def test_whatever_a_file_says_is_a_change_or_a_sentence(row: dict[str, Any], kind: str) -> None:
    """Nothing else comes out, and what is accepted is written as it was read."""
    try:
        change = Change.from_dict({"kind": kind, **row})
    except BadChange as error:
        assert str(error)
        return
    assert Change.from_dict(json.loads(json.dumps(change.to_dict(), allow_nan=False))) == change
