"""The parameters of the model on the page of tensors: listed, looked at and saved, as a user does it."""

from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import explorer
from explorer.app.pages.inspector_page import InspectorPage
from explorer.app.shell.window import Window
from explorer.picture.cell_text import number
from explorer.picture.kinds import Heatmap, Waves
from explorer.state.intents import SetKnob
from explorer.views.pictures.tap_rows import COLUMNS
from tests.journeys.conftest import Journey
from tests.journeys.test_exporting import choose_in_dialog, export_dialog, finish_export

QUERY = "encoder.layers.0.self_attn.project_query.weight"


def opened(journey: Journey, window: Window, key: str) -> InspectorPage:
    """The page of tensors with one of its lists."""
    journey.settle(window)
    window.go("inspector")
    journey.settle(window)
    page = window.page_stack.page
    assert isinstance(page, InspectorPage)
    page.lists.press(key)
    journey.settle(window)
    return page


def row(page: InspectorPage, name: str) -> dict[str, str]:
    """The texts of a row by column."""
    shown = page.table.table.model()
    rows = [[shown.index(each, column).data() for column in range(len(COLUMNS))] for each in range(shown.rowCount())]
    return dict(zip(COLUMNS, next(each for each in rows if each[0] == name), strict=True))


def mapped(page: InspectorPage) -> Heatmap:
    """The picture of the parameter."""
    picture = page.part.map.picture
    assert isinstance(picture, Heatmap)
    return picture


def test_every_parameter_is_listed_and_the_chosen_one_is_shown(journey: Journey) -> None:
    """The rows have torch's own figures, keys walk from one to the next, and the map has its very numbers."""
    own = explorer.load_model("tiny")
    names = [name for name, _ in own.named_parameters()]

    def script(window: Window) -> None:
        page = opened(journey, window, "parameters")
        shown = page.table.table.model()
        assert [shown.index(each, 0).data() for each in range(shown.rowCount())] == names
        assert page.table.table.currentIndex().row() == 0  # What is shown is marked.
        assert mapped(page).caption.tap == names[0]
        page.table.table.setFocus()
        QTest.keyClick(page.table.table, Qt.Key.Key_Down)
        journey.settle(window)
        assert window.session.state.look.parameter == QUERY == names[1]
        weight = own.get_parameter(QUERY).detach().double().numpy()
        figures = row(page, QUERY)
        assert figures["shape"] == "64×64" and figures["dtype"] == "f32"
        for column, value in (
            ("min", weight.min()),
            ("max", weight.max()),
            ("mean", weight.mean()),
            ("deviation", weight.std()),
        ):
            assert figures[column] == number(float(value)), column
        assert np.array_equal(mapped(page).values, weight)
        curve = page.part.curve.picture
        assert isinstance(curve, Waves) and int(curve.values.sum()) == weight.size
        page.table.filter.setFocus()
        QTest.keyClicks(page.table.filter, "norm")
        assert shown.rowCount() == sum("norm" in name for name in names)

    journey.run(script)


def test_the_circuit_of_a_head_is_shown_and_saved(journey: Journey, qtbot: QtBot, tmp_path: Path) -> None:
    """For the head that is looked at and then for the next one; the file has the product of its two weights."""
    own = explorer.load_model("tiny")
    query, key = (
        own.get_parameter(f"decoder.layers.1.cross_attn.project_{part}.weight").detach().double() for part in ("query", "key")
    )
    name = "decoder.layers.1.cross_attn.qk_circuit"
    wanted = [(query[16 * head : 16 * head + 16].T @ key[16 * head : 16 * head + 16]).numpy() for head in range(4)]
    out = tmp_path / "circuit.npz"

    def script(window: Window) -> None:
        page = opened(journey, window, "circuits")
        page.table.filter.setText("decoder.layers.1.cross")
        page.table.table.setFocus()
        QTest.keyClick(page.table.table, Qt.Key.Key_Home)
        journey.settle(window)
        head = window.session.state.look.head
        np.testing.assert_allclose(mapped(page).values, wanted[head], atol=1e-6)
        other = (head + 1) % 4
        page.part.box.setValue(other)
        journey.settle(window)
        assert window.session.state.look.head == other
        np.testing.assert_allclose(mapped(page).values, wanted[other], atol=1e-6)
        page.part.map.touched.emit(page.part.map)
        dialog = export_dialog(window)
        choose_in_dialog(dialog, "this", "npz", out)
        finish_export(dialog, qtbot)
        dialog.reject()
        with np.load(out) as saved:
            np.testing.assert_allclose(saved[name], wanted[other], atol=1e-6)

    journey.run(script)


def test_the_list_follows_the_model(journey: Journey) -> None:
    """A knob that takes a side away takes its parameters away as well."""

    def script(window: Window) -> None:
        page = opened(journey, window, "parameters")
        window.session.ask(SetKnob("architecture", "encoder-only"))
        journey.settle(window)
        shown = page.table.table.model()
        names = [shown.index(each, 0).data() for each in range(shown.rowCount())]
        assert names and not any(name.startswith("decoder.") for name in names)

    journey.run(script)
