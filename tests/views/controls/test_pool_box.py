"""What stands for the heads of a map, and what of it is shown."""

import pytest
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.makers.pooled import offered_pools
from explorer.state.look import ALIGNED, Look
from explorer.views.controls.choice_box import PoolBox
from explorer.views.controls.map_filter import MapFilter


def test_a_choice_is_told_and_what_the_program_shows_is_not(qtbot: QtBot, words: Words) -> None:
    """Across two texts there is no rollout to choose."""
    box = PoolBox()
    qtbot.addWidget(box)
    with qtbot.assertNotEmitted(box.chose):
        box.offer(offered_pools(Look()), "layer", words)
        box.offer(offered_pools(Look(attention="decoder.cross_attn")), "head", words)
    assert box.count() == len(ALIGNED) - 1 and box.currentText() == words("aligned.head")
    with qtbot.waitSignal(box.chose) as chose:
        box.setCurrentIndex(ALIGNED.index("all_max"))
    assert chose.args == ["all_max"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_threshold_and_special_tokens_are_fields_of_the_look(qtbot: QtBot, language: str) -> None:
    """Slid or pressed, they are told; put there by the program, they are not. The slider's name is whole."""
    words, bar = Words.load(language), MapFilter()
    qtbot.addWidget(bar)
    bar.speak(words)
    with qtbot.assertNotEmitted(bar.changed):
        bar.put(Look(threshold=0.2, specials="hidden", unit="words"))
    assert bar.unit.isChecked() and bar.specials.isChecked() and bar.threshold.box.value() == 0.2
    with qtbot.waitSignal(bar.changed) as changed:
        bar.threshold.slider.setValue(35)
    assert changed.args == [{"threshold": 0.35}]
    for wanted in ("shown", "hidden"):
        with qtbot.waitSignal(bar.changed) as changed:
            bar.specials.click()
        assert changed.args == [{"specials": wanted}]
    for wanted in ("tokens", "words"):
        with qtbot.waitSignal(bar.changed) as changed:
            bar.unit.click()
        assert changed.args == [{"unit": wanted}]
    name = bar.threshold.name
    assert name.minimumWidth() >= name.fontMetrics().horizontalAdvance(name.text())
