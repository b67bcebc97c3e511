"""What a newcomer looks for lies within two clicks of the first screen, at the smallest size that the pages are made for."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from explorer import page_list
from explorer.app.pages.card import Card
from explorer.app.shell.export_dialog import ExportDialog
from explorer.app.shell.window import Window
from explorer.picture.causal_kinds import Account, EffectMap
from explorer.picture.kinds import Follow, Heatmap
from explorer.picture.picture import Picture
from explorer.views.pictures.river import RiverView
from tests.journeys.conftest import Journey
from tests.waiting import PATIENCE_MS

MOST = 2


class Newcomer:
    """Someone who clicks on what is seen whole, and counts."""

    def __init__(self, journey: Journey, window: Window) -> None:
        self.journey = journey
        self.window = window
        self.clicks = 0
        window.resize(1024, 700)
        journey.settle(window)

    def click(self, widget: QWidget, place: QPoint | None = None) -> None:
        """Click on a place of a widget, or on the middle of one that is seen whole."""
        region = widget.visibleRegion()
        assert region.contains(place) if place is not None else region.boundingRect() == widget.rect(), "it is not seen"
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place or widget.rect().center())
        self.clicks += 1
        self.journey.settle(self.window)

    def open_page(self, key: str) -> None:
        """By the place of the header that holds it, then by its tab unless the place opened with it."""
        place = list(page_list.PLACES).index(page_list.place_of(key))
        self.click(self.window.header.buttons.button(place))
        if self.window.page_stack.page.key != key:
            self.click(self.window.page_stack.above.tabs.buttons[key])
        assert self.window.page_stack.page.key == key

    def picture(self, kind: type[Picture], tap: str = "") -> Picture:
        """The picture of this kind that is seen, at least its upper half."""

        def shown(card: Card) -> bool:
            if not isinstance(card.picture, kind) or tap not in card.picture.caption.tap or not isinstance(card.view, QWidget):
                return False
            seen = card.view.visibleRegion().boundingRect()
            return seen.height() * 2 >= card.view.height() > 20

        found: list[Picture] = []

        def is_there() -> bool:
            pictures = [card.picture for card in self.window.page_stack.page.cards if shown(card)]
            found[:] = [picture for picture in pictures if picture is not None]
            return bool(found)

        self.journey.wait(is_there, PATIENCE_MS)
        return found[0]


def the_mask(one: Newcomer, _folder: Path) -> None:
    one.open_page("masks")
    picture = one.picture(Heatmap, "decoder.layers.1.self_attn.masked")
    assert isinstance(picture, Heatmap) and picture.closed is not None
    n = len(picture.closed)
    np.testing.assert_array_equal(picture.closed, np.triu(np.ones((n, n), dtype=bool), k=1))


def the_score_of_one_cell(one: Newcomer, _folder: Path) -> None:
    """The products q_i · k_i and their sum: the film of one weight begins with them."""
    one.open_page("follow")
    picture = one.picture(Follow)
    assert isinstance(picture, Follow)
    made = picture.followed
    assert made.query @ made.key == pytest.approx(made.scores[made.cell.key], abs=1e-4)


def the_network_of_a_layer(one: Newcomer, _folder: Path) -> None:
    """Its block in the overview opens in place."""
    view = one.window.page_stack.page.cards[0].view
    assert isinstance(view, RiverView) and view.grid is not None
    half = view.grid.half("encoder")
    zone = half.slabs[0].zone("feed_forward")
    one.click(view, QPoint(round(zone.x + zone.wide / 2), round(half.bottom + 1)))
    assert one.window.session.state.look.opened == "feed_forward"
    assert view.picture is not None and view.picture.opened is not None


def why_this_word(one: Newcomer, _folder: Path) -> None:
    one.open_page("why")
    picture = one.picture(Account)
    assert isinstance(picture, Account)


def what_happens_without_a_head(one: Newcomer, _folder: Path) -> None:
    one.open_page("effects")
    picture = one.picture(EffectMap)
    assert isinstance(picture, EffectMap) and np.isfinite(picture.values).any()


def how_to_save_a_picture(one: Newcomer, folder: Path) -> None:
    one.click(one.window.header.export_button)
    (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, ExportDialog) and w.isVisible()]
    one.click(dialog.begin)
    one.journey.wait(lambda: dialog.begin.isEnabled() and any(folder.iterdir()))
    dialog.reject()


WANTED: tuple[Callable[[Newcomer, Path], None], ...] = (
    the_mask,
    the_score_of_one_cell,
    the_network_of_a_layer,
    why_this_word,
    what_happens_without_a_head,
    how_to_save_a_picture,
)


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.__name__)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_newcomer_finds_it_within_two_clicks(
    journey: Journey, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, language: str, wanted: Callable[[Newcomer, Path], None]
) -> None:
    """From the first screen, with the bundled translator, at 1024 × 700."""
    folder = tmp_path / "documents"
    folder.mkdir()
    monkeypatch.setattr("explorer.app.shell.export_dialog.documents", lambda: folder)
    clicks: list[int] = []

    def script(window: Window) -> None:
        one = Newcomer(journey, window)
        wanted(one, folder)
        clicks.append(one.clicks)

    journey.run(script, "gui", "--preset", "translator", "--language", language)
    assert clicks and clicks[0] <= MOST
