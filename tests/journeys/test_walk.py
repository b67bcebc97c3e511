"""All pages of the window, seen once for each preset, language and theme, and asked by every check.

The checks stand in `walk.py` and the files that it imports. Each is shown to fail where the faults are made: below, in
`test_every_page.py` and in `test_whole_names.py`.
"""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget

from explorer import page_list
from explorer.app.shell.window import Window
from tests.journeys import walk as walks
from tests.journeys.by_keys import nameless, out_of_reach, unheard
from tests.journeys.conftest import Journey
from tests.journeys.walk import EMPTY_SIZES, ROUNDS, WHERE, Place, Round, Walk, begun
from tests.sweeps import exhaustive

TELLING = "tiny"
"""The preset whose walk makes every check once."""


def rounds_of(check: str) -> pytest.MarkDecorator:
    """The rounds on which a check is made, by the preset and their number; those of the trained model are exhaustive."""
    found = [
        pytest.param(
            preset, round_, id=f"{preset}-{round_.language}-{round_.theme}", marks=() if preset == TELLING else exhaustive
        )
        for preset, rounds in ROUNDS.items()
        for round_ in rounds
        if check in round_.checks
    ]
    return pytest.mark.parametrize(("preset", "round_"), found)


class Walks:
    """The walks of this file, each made when the first test asks for it. One that failed is not made again."""

    def __init__(self, journey: Journey, made: dict[str, Walk | None]) -> None:
        self._journey = journey
        self._made = made

    def of(self, preset: str) -> Walk:
        """The walk with this preset; fails where another test has seen it fail."""
        if preset not in self._made:
            self._made[preset] = None
            self._made[preset] = walks.walked(self._journey, preset)
        walk = self._made[preset]
        if walk is None:
            pytest.fail("the walk has failed in another test")
        return walk


@pytest.fixture(scope="module")
def made() -> dict[str, Walk | None]:
    return {}


@pytest.fixture
def walk(journey: Journey, made: dict[str, Walk | None]) -> Walks:
    return Walks(journey, made)


def assert_no_fault(walk: Walk, round_: Round, check: str) -> None:
    """Nothing was found, and every page was seen at every size."""
    key = (round_.language, round_.theme, check)
    assert walk.seen[key] == {(place, page) for place in WHERE[check] for page in page_list.KEYS}
    assert not walk.faults[key], "\n".join(walk.faults[key])


@rounds_of("cards")
def test_every_page_shows_its_cards(walk: Walks, preset: str, round_: Round) -> None:
    """Of a trained model at each size, light in Chinese, dark in English; opened in the largest and the smallest window."""
    assert_no_fault(walk.of(preset), round_, "cards")


@rounds_of("empty")
def test_no_page_is_largely_empty(walk: Walks, preset: str, round_: Round) -> None:
    """After everything was computed no rectangle of one colour takes more than its share of a page."""
    assert_no_fault(walk.of(preset), round_, "empty")


@rounds_of("names")
def test_no_name_ends_in_dots(walk: Walks, preset: str, round_: Round) -> None:
    """Titles, choices, knobs, buttons: each has the room of its whole text, in wide and in narrow windows."""
    assert_no_fault(walk.of(preset), round_, "names")


@rounds_of("keys")
def test_every_view_is_eight_presses_away(walk: Walks, preset: str, round_: Round) -> None:
    """On each page each picture gets the focus by at most eight presses from the sentence."""
    assert_no_fault(walk.of(preset), round_, "keys")


@rounds_of("aloud")
def test_every_picture_is_read_aloud(walk: Walks, preset: str, round_: Round) -> None:
    """On each page each view has a name and describes its picture, and an arrow key tells a cell of it with a figure."""
    assert_no_fault(walk.of(preset), round_, "aloud")


@rounds_of("controls")
def test_every_control_has_a_name_for_a_screen_reader(walk: Walks, preset: str, round_: Round) -> None:
    """On each page everything that takes the focus says what it is."""
    assert_no_fault(walk.of(preset), round_, "controls")


def test_a_fault_or_a_page_that_was_passed_over_fails() -> None:
    """So that all tests above can fail: the same walk is right, has a fault, and lacks a page."""
    round_ = Round("zh", "light", frozenset({"empty"}))
    seen = Walk()
    for size in EMPTY_SIZES:
        for page in page_list.KEYS:
            seen.told(round_, "empty", begun(size), page, iter(()))
    assert_no_fault(seen, round_, "empty")
    with pytest.raises(AssertionError, match="twice"):
        seen.told(round_, "empty", begun(EMPTY_SIZES[0]), page_list.KEYS[0], iter(()))
    seen.faults["zh", "light", "empty"].append("16% are empty")
    with pytest.raises(AssertionError, match="16% are empty"):
        assert_no_fault(seen, round_, "empty")
    seen.faults.clear()
    seen.seen["zh", "light", "empty"].pop()
    with pytest.raises(AssertionError):
        assert_no_fault(seen, round_, "empty")


def test_what_keys_do_not_reach_and_nobody_names_is_found(journey: Journey) -> None:
    """So that the checks by keys can fail: each fault is made once."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("attention")
        journey.settle(window)

        def settle() -> None:
            journey.settle(window)

        assert [list(nameless(window)), list(out_of_reach(window)), list(unheard(window, settle))] == [[], [], []]
        card = window.page_stack.page.cards[0]
        view: QWidget = card.view  # type: ignore[assignment]  # A view is a widget too.
        name, says = view.accessibleName(), f"{type(view).__name__} says nothing of a cell"
        view.setAccessibleName("")
        assert f"{type(view).__name__} has no name or no description" in list(unheard(window, settle))
        assert any(type(view).__name__ in each for each in nameless(window))
        view.setAccessibleName(name)
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        assert card.title.text() in list(out_of_reach(window))
        view.keyPressEvent = lambda _event: None  # type: ignore[method-assign]  # A view that hears no key.
        assert says in list(unheard(window, settle))
        button = next(each for each in window.findChildren(QAbstractButton) if each.isVisible() and not each.accessibleName())
        button.setText("")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        assert any(type(button).__name__ in each for each in nameless(window))

    journey.run(script)


def test_the_rounds_ask_what_was_always_asked() -> None:
    """Each check at least in one language; cards, names and empty places in both languages or both themes."""
    asked = {
        (preset, check, round_.language, round_.theme)
        for preset, rounds in ROUNDS.items()
        for round_ in rounds
        for check in round_.checks
    }
    assert all(not round_.checks & walks.BY_KEYS for rounds in ROUNDS.values() for round_ in rounds[:-1])
    assert {check for _preset, check, *_look in asked} == set(WHERE)
    for check, look in (("cards", ("en", "dark")), ("names", ("en", "dark")), ("empty", ("zh", "dark"))):
        assert {("translator", check, "zh", "light"), ("translator", check, *look)} <= asked
    assert Place((1024, 700), True) in WHERE["names"] and Place((1024, 700), False) in WHERE["cards"]
