"""A row of the panel of knobs, made from the knob's declaration."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from explorer.config import KNOBS, find_knob
from explorer.knobs import Knob
from explorer.lang import Words
from explorer.state.wish import Wish
from explorer.training.recipe import RECIPE_KNOBS
from explorer.views.controls.knobs import KnobPanel, KnobRow
from tests.trace.foreign import foreign_trace, grouped_trace


def a_row(qtbot: QtBot, name: str) -> tuple[KnobRow, list[object]]:
    row, turned = KnobRow(find_knob(name)), []
    qtbot.addWidget(row)
    row.turned.connect(lambda _name, value: turned.append(value))
    return row, turned


def test_the_slider_has_the_offered_values_and_the_box_all_valid_ones(qtbot: QtBot) -> None:
    """A seed beyond the slider can be typed; the slider then stands at its end and turns nothing back."""
    row, turned = a_row(qtbot, "seed")
    assert (row.slider.minimum(), row.slider.maximum()) == (0, 9999)
    row.editor.setValue(123_456)
    row.put(123_456, 0)

    assert turned == [123_456]
    assert (row.editor.value(), row.slider.value()) == (123_456, 9999)


@pytest.mark.parametrize(
    "knob", [each for each in (*KNOBS, *RECIPE_KNOBS) if each.kind in ("int", "float")], ids=lambda each: each.name
)
def test_every_valid_number_can_be_shown(qtbot: QtBot, knob: Knob) -> None:
    """Also one that lies outside what the slider offers, such as 0 on a scale of factors."""
    row = KnobRow(knob)
    qtbot.addWidget(row)
    for value, end in ((knob.valid.low, row.slider.minimum()), (knob.valid.high, row.slider.maximum())):
        row.put(value, knob.default)
        assert row.editor.value() == value and row.slider.value() == end


def test_the_box_takes_nothing_that_is_not_valid(qtbot: QtBot) -> None:
    """It stops at the last valid value."""
    row, turned = a_row(qtbot, "seed")
    row.editor.setValue(10**9)

    assert turned == [find_knob("seed").valid.high]


def test_a_slider_of_factors_runs_from_end_to_end(qtbot: QtBot) -> None:
    """Its first tick is the lowest offered value and its last one the highest."""
    row, turned = a_row(qtbot, "max_len")
    row.slider.setValue(1)
    row.slider.setValue(row.slider.maximum())
    row.slider.setValue(0)

    assert turned[1:] == [8192, 2]


def test_the_hint_tells_range_unit_and_what_the_knob_applies_to(qtbot: QtBot) -> None:
    """In the user's language."""
    row, _turned = a_row(qtbot, "memory_budget")
    words = Words.load("en")
    row.speak(words)

    assert "16 … 65536 MB" in row.toolTip()
    assert row.toolTip().endswith(words("applies.pass"))


def test_only_knobs_that_act_are_there(qtbot: QtBot, tmp_path: Path) -> None:
    """Of a model of others three, and no group without a knob; sampling where there is an output. Our own have all again."""
    (tmp_path / "config.json").touch()
    panel, theirs, ours = KnobPanel(), Wish.from_preset(str(tmp_path)), Wish.from_preset("tiny")
    qtbot.addWidget(panel)
    panel.speak(Words.load("en"))
    every = {name for name, row in panel.rows.items() if not row.isHidden()}
    panel.put_wish(theirs)
    assert {name for name, row in panel.rows.items() if not row.isHidden()} == {"temperature", "memory_budget", "device"}
    assert [group.key for group in panel.groups if not group.isHidden()] == ["decoding", "attention", "computation"]
    panel.offer("device", ("cpu",))
    assert panel.rows["device"].isHidden()
    panel.offer("device", ("cpu", "cuda"))
    assert not panel.rows["device"].isHidden()
    panel.draw(foreign_trace())
    assert panel.groups[0].isHidden()
    panel.put_wish(ours)
    # An untrained model searches for no translation.
    assert {name for name, row in panel.rows.items() if not row.isHidden()} == every - {"no_repeat_ngram"}
    panel.put_wish(Wish.from_preset("translator"))
    assert {name for name, row in panel.rows.items() if not row.isHidden()} == every
    panel.draw(grouped_trace()[0])
    assert not panel.groups[0].isHidden()
