"""The tree of a search on screen: mouse, keys, folding, and what it says."""

import time

import attrs
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from explorer.lang import Words
from explorer.picture.decoding_kinds import Tree
from explorer.picture.makers.tree import search_tree
from explorer.picture.theme import DARK, LIGHT, Theme
from explorer.picture.tree_branches import ROOT, describe, summary
from explorer.state.look import Look
from explorer.views.painting.pointed import NOTHING, Pointed
from explorer.views.pictures.tree import TreeView
from tests.picture.trees import SEARCH, found, grown, trace_of, tree_of
from tests.pixels import colours
from tests.pointing import hover

HE, SHE, READS, A, END_BEST, END_SECOND = 0, 1, 2, 3, 11, 7


@pytest.fixture
def view(qtbot: QtBot, words: Words) -> TreeView:
    return shown(qtbot, tree_of(), words)


def shown(qtbot: QtBot, tree: Tree, words: Words, width: int = 900, height: int = 300) -> TreeView:
    made = TreeView()
    made.draw(tree, words)
    qtbot.addWidget(made)
    made.resize(width, height)
    with qtbot.waitExposed(made):
        made.show()
    return made


def large(words: Words) -> Tree:
    """Hundreds of nodes."""
    return search_tree(trace_of(found(8, 12)), Look(), words)


def click(view: TreeView, place: QPointF) -> None:
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=place.toPoint())


def press(view: TreeView, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(view, key)


def wheel(view: TreeView, place: QPointF, notches: int, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    event = QWheelEvent(
        place, place, QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton, modifier, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(view, event)


def seen(view: TreeView) -> set[int]:
    """The branches that are not folded away."""
    return {index for index in range(len(view.picture.branches)) if not view.chip_rect(index).isNull()}  # type: ignore[union-attr]


# Mouse


def test_a_click_on_a_token_chooses_its_node(qtbot: QtBot, view: TreeView) -> None:
    """Each chip gives the number of its node; the beginning gives -1."""
    for branch in (HE, READS, END_BEST):
        with qtbot.waitSignal(view.chose) as chose:
            click(view, view.chip_rect(branch).center())
        assert [branch] == chose.args
    with qtbot.waitSignal(view.chose) as chose:
        click(view, view.chip_rect(ROOT).center())
    assert [-1] == chose.args


def test_a_click_beside_the_tokens_chooses_nothing(qtbot: QtBot, view: TreeView) -> None:
    """Nor does one on a handle, a drag, or the right button."""
    with qtbot.assertNotEmitted(view.chose):
        click(view, QPointF(view.width() - 5, view.height() - 8))
        click(view, view.control_rect(HE).center())
        QTest.mouseClick(view, Qt.MouseButton.RightButton, pos=view.chip_rect(HE).center().toPoint())


def test_the_handle_folds_and_unfolds(view: TreeView) -> None:
    """What stands below is gone, its number is told, and the rest stays where it was; again, and all is back."""
    before = view.chip_rect(READS)
    everything = seen(view)
    click(view, view.control_rect(READS).center())
    assert {0, 1, 2, 3, 4, 7} == seen(view)
    assert before == view.chip_rect(READS)
    assert view.words is not None and view.words("tree.folded", count=6) in view.describe(READS).text
    click(view, view.control_rect(READS).center())
    assert everything == seen(view)


def test_what_is_folded_stays_under_the_eye(qtbot: QtBot, words: Words) -> None:
    """The fold lets it move up in the tree by two rows; on the screen it stays, but for the border, and so does its size."""
    view = shown(qtbot, grown([-1, -1, 0, 2, 2, 2, 1, 6]), words, 900, 60)
    view.setFocus()
    press(view, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down)
    assert 1 == view.selected
    before, other = view.chip_rect(1), view.chip_rect(0)
    press(view, Qt.Key.Key_Space)
    after = view.chip_rect(1)
    assert 6 not in seen(view) and before.size() == after.size()
    assert (before.center() - after.center()).manhattanLength() < 9
    assert view.chip_rect(0).top() > other.top()


def test_dragging_pans_and_chooses_nothing(qtbot: QtBot, view: TreeView) -> None:
    """The token that was grabbed stays under the mouse."""
    wheel(view, view.chip_rect(READS).center(), 6)
    place = view.chip_rect(READS).center()
    with qtbot.assertNotEmitted(view.chose):
        start = place.toPoint()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
        for step in (10, 30):
            QTest.mouseMove(view, start - QPoint(step, 0))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start - QPoint(30, 0))
    assert (view.chip_rect(READS).center() - place).x() == pytest.approx(-30, abs=0.5)


def test_the_wheel_zooms_around_the_mouse_and_a_double_click_shows_all(view: TreeView) -> None:
    """What is under the mouse stays there, but for the border."""
    before = view.chip_rect(READS)
    wheel(view, before.center(), 4)
    after = view.chip_rect(READS)
    assert after.width() > 2 * before.width()
    assert after.center().x() == pytest.approx(before.center().x(), abs=1)
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() - 10, view.height() - 10))
    assert all(view.rect().contains(view.chip_rect(index).toAlignedRect()) for index in seen(view))


def test_shift_and_the_wheel_go_sideways(view: TreeView) -> None:
    """The zoom stays."""
    wheel(view, view.chip_rect(READS).center(), 6)
    before = view.chip_rect(READS)
    wheel(view, before.center(), -2, Qt.KeyboardModifier.ShiftModifier)
    after = view.chip_rect(READS)
    assert after.left() < before.left() and after.size() == before.size() and after.top() == before.top()


def test_the_tree_cannot_be_lost(view: TreeView) -> None:
    """However far it is dragged, and however small it is made, some of it is seen."""
    wheel(view, QPointF(5, 5), 5)
    for step in (QPoint(-4000, -4000), QPoint(4000, 4000)):
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(400, 290))
        QTest.mouseMove(view, QPoint(400, 290) + step)
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(400, 290) + step)
        assert any(view.chip_rect(index).intersects(view.rect().toRectF()) for index in (ROOT, *seen(view)))
    wheel(view, QPointF(800, 200), -60)
    assert view.chip_rect(ROOT).width() > 1 and view.rect().contains(view.chip_rect(ROOT).center().toPoint())


def test_hovering_tells_everything_and_lights_the_target_up(qtbot: QtBot, view: TreeView, words: Words) -> None:
    """A token of the best sentence is one of the target's; another is none; leaving ends it."""
    with qtbot.waitSignal(view.pointed) as pointed:
        hover(view, view.chip_rect(READS).center().toPoint())
    assert [Pointed(describe(tree_of(), READS, words), frozenset({("target", 2)}))] == pointed.args
    with qtbot.waitSignal(view.pointed) as pointed:
        hover(view, view.chip_rect(A).center().toPoint())
    assert frozenset() == pointed.args[0].tokens and "␣a" in pointed.args[0].text
    with qtbot.waitSignal(view.pointed) as pointed:
        hover(view, QPoint(view.width() - 3, view.height() - 8))
    assert [NOTHING] == pointed.args


# Menu


def test_the_menu_folds_what_was_given_up(view: TreeView, words: Words) -> None:
    """One press folds every dropped attempt where it left the others; another brings all back."""
    actions = {action.text(): action for action in view.menu(None).actions()}
    actions[words("tree.fold_dropped")].trigger()
    assert 9 not in seen(view) and 6 in seen(view) and {HE, READS, END_BEST, END_SECOND} <= seen(view)
    actions[words("tree.unfold_all")].trigger()
    assert set(range(12)) == seen(view)


def test_the_menu_key_opens_the_tokens_menu(qtbot: QtBot, view: TreeView, words: Words) -> None:
    """It can choose and fold the selected token."""
    view.setFocus()
    press(view, Qt.Key.Key_Right, Qt.Key.Key_Right)
    menu = view.menu(view.selected)
    actions = {action.text(): action for action in menu.actions()}
    with qtbot.waitSignal(view.chose) as chose:
        actions[words("tree.choose")].trigger()
    assert [HE] == chose.args
    actions[words("tree.fold")].trigger()
    assert READS not in seen(view)
    assert words("tree.unfold", count=8) in [action.text() for action in view.menu(HE).actions()]
    assert isinstance(menu, QMenu)


# Keys


def test_arrows_walk_and_enter_chooses(qtbot: QtBot, view: TreeView) -> None:
    """To the first child, down the column, back to the parent."""
    view.setFocus()
    walked = []
    keys = (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Left)
    for key in keys:
        press(view, key)
        walked.append(view.selected)
    assert [ROOT, HE, READS, A, 4, SHE] == walked
    with qtbot.waitSignal(view.chose) as chose:
        press(view, Qt.Key.Key_Return)
    assert [SHE] == chose.args


def test_walking_tells_the_reader_and_the_status_line(qtbot: QtBot, view: TreeView, words: Words) -> None:
    """The same words as the mouse gets."""
    view.setFocus()
    assert view.accessibleName() == tree_of().caption.title
    assert summary(tree_of(), words) in view.accessibleDescription()
    press(view, Qt.Key.Key_Right)
    with qtbot.waitSignal(view.pointed) as pointed:
        press(view, Qt.Key.Key_Right)
    assert describe(tree_of(), HE, words) == pointed.args[0].text == view.accessibleDescription()


def test_space_folds_and_the_right_arrow_unfolds(view: TreeView) -> None:
    """A chain can be folded too; a token without any below cannot."""
    view.setFocus()
    press(view, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down)
    assert SHE == view.selected
    press(view, Qt.Key.Key_Space)
    assert {4, 7} & seen(view) == set()
    press(view, Qt.Key.Key_Right)
    assert SHE == view.selected and {4, 7} <= seen(view)
    press(view, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Space)
    assert END_SECOND == view.selected and set(range(12)) == seen(view)


def test_walking_keeps_the_token_in_the_window(qtbot: QtBot, words: Words) -> None:
    """However far away it is."""
    view = shown(qtbot, large(words), words, 300, 120)
    view.setFocus()
    for key in [Qt.Key.Key_Right] * 12 + [Qt.Key.Key_Down] * 3 + [Qt.Key.Key_Left] * 12:
        press(view, key)
        assert view.selected is not None
        assert view.rect().contains(view.chip_rect(view.selected).toRect())


def test_other_keys_zoom_fit_and_open(qtbot: QtBot, view: TreeView) -> None:
    """Plus and minus zoom, zero fits, Enter without a token asks for the page, F folds what was given up."""
    view.setFocus()
    before = view.chip_rect(HE).width()
    press(view, Qt.Key.Key_Plus)
    assert view.chip_rect(HE).width() > before
    press(view, Qt.Key.Key_0)
    assert view.chip_rect(HE).width() == before
    press(view, Qt.Key.Key_Minus)
    assert view.chip_rect(HE).width() < before
    with qtbot.waitSignal(view.opened), qtbot.assertNotEmitted(view.chose):
        press(view, Qt.Key.Key_Return)
    press(view, Qt.Key.Key_F)
    assert 9 not in seen(view)


# Drawing again


def test_folds_zoom_and_selection_outlive_a_redraw(view: TreeView) -> None:
    """The same tokens in another language, with other numbers: nothing moves."""
    view.setFocus()
    press(view, Qt.Key.Key_Right, Qt.Key.Key_Right)
    click(view, view.control_rect(READS).center())
    wheel(view, view.chip_rect(READS).center(), 3)
    before = seen(view), view.chip_rect(READS), view.selected
    view.draw(tree_of(language="en"), Words.load("en"))
    assert before == (seen(view), view.chip_rect(READS), view.selected)


def test_a_fold_is_known_by_its_tokens(view: TreeView, words: Words) -> None:
    """Where the same tokens have other numbers they stay folded; where they are gone so is the fold."""
    click(view, view.control_rect(READS).center())
    nodes = list(SEARCH.nodes)
    moved = [
        nodes[1],
        nodes[0],
        attrs.evolve(nodes[2], parent=1),
        attrs.evolve(nodes[3], parent=1),
        attrs.evolve(nodes[4], parent=0),
        *nodes[5:],
    ]
    view.draw(tree_of(attrs.evolve(SEARCH, nodes=tuple(moved))), words)
    assert {0, 1, 2, 3, 4, 7} == seen(view)
    view.draw(grown([-1, 0, 1]), words)
    assert {0, 1, 2} == seen(view)
    view.draw(tree_of(), words)
    assert set(range(12)) == seen(view)


def test_a_way_that_becomes_the_best_is_unfolded(view: TreeView, words: Words) -> None:
    """It was folded while others were better; one that the user folded as the best stays folded."""
    click(view, view.control_rect(READS).center())
    worse = tuple(
        attrs.evolve(branch, state="kept" if branch.state == "best" else branch.state) for branch in tree_of().branches
    )
    view.draw(attrs.evolve(tree_of(), branches=worse), words)
    folded = seen(view)
    view.draw(tree_of(), words)

    assert len(seen(view)) > len(folded)
    assert set(range(12)) == seen(view)


def test_an_empty_tree_is_drawn_and_says_why(qtbot: QtBot, view: TreeView, words: Words) -> None:
    """Keys and mouse do nothing to it, and the next tree is drawn as ever."""
    empty = search_tree(trace_of(None), Look(), words)
    view.setFocus()
    press(view, Qt.Key.Key_Right)
    view.draw(empty, words)
    assert words("tree.own_target") == view.accessibleDescription()
    with qtbot.assertNotEmitted(view.chose):
        press(view, Qt.Key.Key_Right, Qt.Key.Key_Space, Qt.Key.Key_F)
        click(view, QPointF(20, 20))
    wheel(view, QPointF(20, 20), 3)
    view.fit()
    assert not view.grab().isNull()
    view.draw(tree_of(), words)
    assert set(range(12)) == seen(view)


# Pixels


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_best_line_has_the_accent_and_others_not(qtbot: QtBot, words: Words, theme: Theme) -> None:
    """Between two chips of a chain: of the best sentence, and of another."""
    view = shown(qtbot, tree_of(), words)
    view.set_theme(theme)
    image = view.grab().toImage()

    def between(one: int, other: int) -> QColor:
        x = (view.chip_rect(one).right() + view.chip_rect(other).left()) / 2
        return image.pixelColor(round(x), int(view.chip_rect(one).center().y()))

    assert theme.accent == between(8, 10).name()
    assert theme.accent != between(4, END_SECOND).name()


def test_a_lit_token_stands_out(view: TreeView) -> None:
    """The one of the best sentence that has this place among the target's tokens."""
    plain = view.grab(view.chip_rect(READS).toAlignedRect()).toImage()
    other = view.grab(view.chip_rect(A).toAlignedRect()).toImage()
    view.light(frozenset({("target", 2), ("source", 1)}))
    assert plain != view.grab(view.chip_rect(READS).toAlignedRect()).toImage()
    assert other == view.grab(view.chip_rect(A).toAlignedRect()).toImage()
    view.light(frozenset())
    assert plain == view.grab(view.chip_rect(READS).toAlignedRect()).toImage()


def test_the_dark_theme_is_dark(qtbot: QtBot, view: TreeView) -> None:
    """No chip keeps the light theme's colours."""
    assert LIGHT.accent in colours(view.grab().toImage())
    view.set_theme(DARK)
    found = colours(view.grab().toImage())
    assert DARK.accent in found and LIGHT.accent not in found


def test_a_large_tree_begins_folded_and_readable(qtbot: QtBot, words: Words) -> None:
    """Letters of a size that can be read at the beginning of the sentence; all of it once it is unfolded and fitted."""
    tree = large(words)
    assert len(tree.branches) > 200
    view = shown(qtbot, tree, words, 800, 250)
    assert len(seen(view)) < len(tree.branches)
    assert view.chip_rect(ROOT).height() > 14 and view.rect().contains(view.chip_rect(ROOT).toRect())
    view.unfold_all()
    assert len(tree.branches) == len(seen(view))
    view.fit()
    assert all(view.rect().contains(view.chip_rect(index).toAlignedRect()) for index in seen(view))


@pytest.mark.slow
def test_a_large_tree_paints_fast(qtbot: QtBot, words: Words) -> None:
    """Fluent means well under the twentieth of a second that this allows a busy machine."""
    view = shown(qtbot, large(words), words, 800, 250)
    view.unfold_all()
    view.grab()
    times = []
    for _ in range(7):
        start = time.perf_counter()
        view.grab()
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05
