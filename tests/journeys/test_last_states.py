"""Back to a state from minutes ago, and how far the present one is from it, tap by tap."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView

from explorer.app.shell.window import Window
from explorer.state.intents import SetKnob
from explorer.views.pictures.tap_rows import DIFFERENCE
from tests.journeys.conftest import Journey


def test_one_compares_with_a_state_that_undo_has_dropped(journey: Journey) -> None:
    """Turned, undone, turned otherwise: the list still has the first value, and the inspector says where the passes part."""

    def script(window: Window) -> None:
        journey.settle(window)
        for value in (0.5, 2.0):
            window.session.ask(SetKnob("temperature", value))
            journey.settle(window)
            if value == 0.5:
                window.actions_.by_name["undo"].trigger()
        window.actions_.by_name["past"].trigger()
        box = window.past
        journey.wait(box.isVisible)
        assert box.list.topLevelItemCount() == 3
        box.list.setCurrentItem(box.list.topLevelItem(1))
        box.compare.click()
        box.close()
        journey.settle(window)
        assert window.session.state.page == "compare"
        assert window.session.frame.trace.compared_with.config.temperature == 0.5
        window.go("inspector")
        journey.settle(window)
        (table,) = window.page_stack.page.findChildren(QTableView)
        apart = {table.model().index(row, 0).data(): table.model().index(row, DIFFERENCE).data() for row in range(12)}
        assert apart["encoder.layers.0.self_attn.scores"] == "0" != apart["encoder.layers.0.self_attn.scaled"]
        window.actions_.by_name["past"].trigger()
        journey.wait(box.isVisible)
        box.list.setCurrentItem(box.list.topLevelItem(2))
        QTest.keyClick(box.list, Qt.Key.Key_Return)
        box.close()
        journey.settle(window)
        assert window.session.state.wish.config.temperature == 0.5
        assert window.session.frame.trace.compared_with is None

    journey.run(script, "--preset", "tiny")
