"""The window of results over prompts: its maps, and the sentences beside them."""

from collections.abc import Iterator

import attrs
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from explorer.app.shell.prompt_list import PromptRow
from explorer.app.shell.prompts_window import PromptsWindow
from explorer.engine.errand import AblateEach, Brought
from explorer.errors import EmptyText
from explorer.lang import LANGUAGES, Words
from explorer.picture.theme import DARK, LIGHT
from explorer.state.state_link import OpenPrompt
from explorer.state.wish import Wish
from explorer.trace.found.metric_map import MetricMap
from explorer.trace.found.over_prompts import MetricEffects
from explorer.views.controls.row_list import ROW

LEFT = Qt.MouseButton.LeftButton
TEXTS = ("one", "two", "three")


def effects(texts: tuple[str, ...] = TEXTS, seed: int = 0) -> MetricEffects:
    """Effects of two layers of three heads, and of their networks."""
    rng = np.random.default_rng(seed)
    heads = rng.standard_normal((len(texts), 1, 2, 3)).astype(np.float32)
    feeds = rng.standard_normal((len(texts), 1, 2)).astype(np.float32)
    return MetricEffects(
        prompts=texts,
        plain=rng.standard_normal(len(texts)).astype(np.float32),
        maps={
            "heads": MetricMap(heads, {"attention": ("decoder.self_attn",), "layer": None, "head": None}),
            "feed_forwards": MetricMap(feeds, {"side": ("decoder",), "layer": None}),
        },
        preset="tiny",
        metric="next",
        made_with={"preset": "tiny", "text": ""},
    )


@pytest.fixture(params=LANGUAGES)
def shown(qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[PromptsWindow]:
    around = QWidget()
    qtbot.addWidget(around)
    window = PromptsWindow(around, Words.load(request.param))
    window.set_theme(LIGHT)
    window.put(effects(), "found.npz")
    window.show()
    yield window  # Its parent lives as long.
    around.close()


def listed(shown: PromptsWindow) -> list[PromptRow]:
    rows = [shown.prompts.item(place).data(ROW) for place in range(shown.prompts.count())]
    assert all(isinstance(row, PromptRow) for row in rows)
    return rows


def clicked(shown: PromptsWindow, place: int) -> None:
    QTest.mouseClick(shown.prompts.viewport(), LEFT, pos=shown.prompts.visualItemRect(shown.prompts.item(place)).center())


def test_the_sentences_stand_by_their_values_at_the_chosen_cell(shown: PromptsWindow) -> None:
    """At first the cell with the largest mean; a click chooses another one in all maps."""
    found = shown.found
    assert found is not None
    mean = found["heads"][:, 0].mean(axis=0)
    assert shown.place == tuple(np.unravel_index(np.abs(mean).argmax(), mean.shape))
    for view in (shown.mean, shown.interval, shown.own):
        QTest.mouseClick(view, LEFT, pos=view.cell_rect(1, 0).center().toPoint())
        own = found["heads"][:, 0, 1, 0]
        rows = listed(shown)
        assert [row.number for row in rows] == np.argsort(-own).tolist()
        assert [row.value for row in rows] == pytest.approx(np.sort(own)[::-1])
        assert [row.plain for row in rows] == pytest.approx([found.plain[row.number] for row in rows])
        assert shown.mean.picture is not None and shown.mean.picture.chosen_row == 1
        QTest.mouseClick(shown.mean, LEFT, pos=shown.mean.cell_rect(0, 2).center().toPoint())


def test_a_click_shows_a_sentence_and_a_second_action_opens_it(shown: PromptsWindow, qtbot: QtBot) -> None:
    """Its own values; then Enter, a double click and the button say the same."""
    found = shown.found
    assert found is not None
    clicked(shown, 2)
    number = listed(shown)[2].number
    assert shown.own.picture is not None
    np.testing.assert_allclose(shown.own.picture.values, found["heads"][number, 0])
    wished: list[object] = []
    shown.wished.connect(wished.append)
    QTest.keyClick(shown.prompts, Qt.Key.Key_Return)
    shown.open_button.click()
    place = shown.prompts.visualItemRect(shown.prompts.item(0)).center()
    QTest.mouseDClick(shown.prompts.viewport(), LEFT, pos=place)
    assert wished == [OpenPrompt(found.made_with, TEXTS[number])] * 2 + [
        OpenPrompt(found.made_with, found.prompts[listed(shown)[0].number])
    ]
    assert shown.isVisible()


def test_another_kind_language_and_theme_keep_the_sentence(shown: PromptsWindow) -> None:
    """The cell moves where the other map has none there."""
    clicked(shown, 1)
    number = shown.prompts.chosen()
    QTest.mouseClick(shown.mean, LEFT, pos=shown.mean.cell_rect(1, 2).center().toPoint())
    shown.kind.setCurrentIndex(shown.kind.findData("feed_forwards"))
    assert shown.mean.picture is not None and shown.mean.picture.values.shape == (1, 2) and shown.place[0] == 0
    before = shown.kind.currentText()
    other = next(each for each in LANGUAGES if each != shown.words.language)
    shown.speak(Words.load(other))
    shown.set_theme(DARK)
    assert shown.prompts.chosen() == number and shown.kind.currentData() == "feed_forwards"
    assert shown.kind.currentText() != before and shown.mean.picture.scale.colours == DARK.signed_colours


def test_a_result_without_its_model_opens_nothing(shown: PromptsWindow) -> None:
    """One of two texts in memory says nothing of what made it."""
    shown.put(attrs.evolve(effects(), made_with={}), "found.npz")
    wished: list[object] = []
    shown.wished.connect(wished.append)
    QTest.keyClick(shown.prompts, Qt.Key.Key_Return)
    assert not shown.open_button.isEnabled() and wished == []


def test_a_result_without_a_part_says_so(shown: PromptsWindow) -> None:
    """No head comes before a receiver in the first layer."""
    maps = {"paths to decoder.self_attn.0.1.query": MetricMap(np.zeros((3, 0, 0), np.float32), {"tap": (), "head": None})}
    shown.put(attrs.evolve(effects(), maps=maps), "found.npz")
    assert shown.meaning.text() == shown.words("many.nothing")
    assert not shown.mean.isVisible() and shown.prompts.count() == 0 and not shown.open_button.isEnabled()
    shown.put(effects(), "found.npz")
    assert shown.mean.isVisible() and shown.prompts.count() == 3


def test_what_is_found_grows_and_what_is_chosen_stays(shown: PromptsWindow, qtbot: QtBot) -> None:
    """A sentence that cannot be used is counted with its reason; Stop ends it, and another metric begins anew."""
    sent: list[AblateEach] = []
    shown.bar.sent.connect(sent.append)
    wish = Wish.from_preset("tiny", "")
    shown.ablate(wish, ("a", "b", "c", "d"), "lines.txt")
    bar = shown.bar
    assert bar.isVisible() and shown.found is None and not shown.open_button.isEnabled()
    assert (sent[-1].wish, sent[-1].prompts, sent[-1].metric) == (wish, ("a", "b", "c", "d"), "log-p")
    bar.bring(Brought(sent[-1], 0, effects(("a",), 1)))
    assert shown.found is not None and shown.prompts.count() == 1
    QTest.mouseClick(shown.mean, LEFT, pos=shown.mean.cell_rect(1, 1).center().toPoint())
    bar.bring(Brought(sent[-1], 1, EmptyText()))
    bar.bring(Brought(sent[-1], 2, effects(("c",), 2)))
    assert bar.works
    bar.stop.click()
    assert sent[-1] == AblateEach() and not bar.works
    assert shown.found.prompts == ("a", "c") and shown.place == (1, 1)
    assert shown.words.error(EmptyText()) in bar.told.text() and bar.progress.value() == 3
    bar.asked.setCurrentIndex(bar.asked.findData("difference"))
    assert sent[-1].metric == "difference" and len(sent[-1].prompts) == 4
    bar.bring(Brought(sent[0], 3, effects(("d",))))  # It is of the errand before.
    assert bar.progress.value() == 0
    shown.leave.click()
    assert sent[-1] == AblateEach()
