"""One walk through all pages of a window, on which every check of a page is made where it is due.

To make all pages, and to compute what they show, takes seconds for each preset. Checks that each walked by themselves took
most of their time for that. What a check finds is a fault in words; `test_walk.py` has a test for each check.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator

import attrs
from PySide6.QtWidgets import QApplication

from explorer import page_list
from explorer.app.shell.window import Window
from tests.journeys.by_keys import nameless, out_of_reach, unheard
from tests.journeys.conftest import Journey
from tests.journeys.cut_off import cut_off
from tests.journeys.emptiness import emptiness
from tests.journeys.page_faults import faults_of

COMPUTING_MS = 120_000  # ms; what a page finds out of 2,048 heads takes seconds, and the machine may have other work
MOST_EMPTY = 0.08
"""The share of a page that may be one empty rectangle."""

Size = tuple[int, int]
CARD_SIZES: tuple[Size, ...] = ((2560, 1440), (1440, 900), (1024, 700), (960, 620), (880, 480))
EMPTY_SIZES: tuple[Size, ...] = ((1440, 900), (1024, 700), (2560, 1440))
NAME_SIZES: tuple[Size, ...] = ((1440, 900), (1440, 860), (1024, 700), (1024, 660), (960, 620))
KEY_SIZE: Size = (1440, 860)
_NARROW_PX = 1200


@attrs.frozen
class Place:
    """A size of the window, with the panel of knobs open or folded, and with or without the lessons."""

    size: Size
    is_open: bool
    has_lessons: bool = False

    def enter(self, window: Window) -> None:
        """Give the window this size and these panels."""
        window.resize(*self.size)
        window.drawer.set_open(self.is_open)
        if window.lessons.isVisible() != self.has_lessons:
            window.actions_.by_name["lessons"].trigger()


def begun(size: Size) -> Place:
    """The panel as it is in a window of this size until somebody opens or folds it."""
    return Place(size, is_open=size[0] >= _NARROW_PX)


BESIDE_LESSONS = Place((1440, 900), is_open=True, has_lessons=True)
"""Where pages have the least room in a window of usual size."""

WHERE: dict[str, tuple[Place, ...]] = {
    "cards": (*(begun(size) for size in CARD_SIZES), BESIDE_LESSONS),
    "empty": tuple(begun(size) for size in EMPTY_SIZES),
    "names": (*(Place(size, is_open=True) for size in NAME_SIZES), BESIDE_LESSONS),
    "keys": (begun(KEY_SIZE),),
    "aloud": (begun(KEY_SIZE),),
    "controls": (begun(KEY_SIZE),),
}
"""Where each check is made."""

BY_KEYS = frozenset({"keys", "aloud", "controls"})
"""These press keys, which choose other cells and heads: they come behind all others."""


@attrs.frozen
class Round:
    """All pages once, in one language and theme, and the checks that are made."""

    language: str
    theme: str
    checks: frozenset[str]


ROUNDS: dict[str, tuple[Round, ...]] = {
    "translator": (
        Round("en", "dark", frozenset({"cards", "names"})),
        Round("zh", "dark", frozenset({"empty"})),
        Round("zh", "light", frozenset(WHERE)),
    ),
    "tiny": (Round("zh", "light", frozenset(WHERE) - {"empty"}),),
}
"""By preset. Every language and theme is come to by a switch, but for the first."""

Seen = tuple[str, str, str]


@attrs.frozen
class Walk:
    """What was found on a walk: by language, theme and check the places and pages that were seen, and the faults."""

    seen: dict[Seen, set[tuple[Place, str]]] = attrs.field(factory=lambda: defaultdict(set))
    faults: dict[Seen, list[str]] = attrs.field(factory=lambda: defaultdict(list))

    def told(self, round_: Round, check: str, place: Place, page: str, faults: Iterator[str]) -> None:
        """Keep what a check finds on a page. The same place is seen once."""
        key = (round_.language, round_.theme, check)
        assert (place, page) not in self.seen[key], "a place was come to twice"
        self.seen[key].add((place, page))
        width, height = place.size
        self.faults[key] += [f"{page} {width}×{height}: {fault}" for fault in faults]


def walked(journey: Journey, preset: str) -> Walk:
    """Start the program with this preset, and go round it as often as is due."""
    walk = Walk()

    def script(window: Window) -> None:
        journey.settle(window)
        for number, round_ in enumerate(ROUNDS[preset]):
            if window.appearance.words.language != round_.language:
                window.actions_.by_name["language"].trigger()
            window.actions_.themes[round_.theme].trigger()
            _go_round(journey, window, walk, round_, backwards=bool(number % 2))
            _press_keys(journey, window, walk, round_)

    journey.run(script, "--language", ROUNDS[preset][0].language, "--preset", preset)
    return walk


def _go_round(journey: Journey, window: Window, walk: Walk, round_: Round, *, backwards: bool) -> None:
    """Look at every page in every size. One is opened at the first of them, the next one at the last, and so on: to make the
    window large again for each page would lay out the page before once more. The next round opens each at the other one."""
    checks = round_.checks - BY_KEYS
    order = sorted({place for check in checks for place in WHERE[check]}, key=_largest_first, reverse=backwards)
    for key in page_list.KEYS:
        for place in order:
            place.enter(window)
            window.go(key)
            journey.settle(window, COMPUTING_MS)
            QApplication.processEvents()
            for check in sorted(checks):
                if place in WHERE[check]:
                    walk.told(round_, check, place, key, _LOOKED_AT[check](window, place))
        order = order[::-1]


def _largest_first(place: Place) -> tuple[bool, int, int, bool]:
    """Widths that follow each other, and with them the panels open and folded only once."""
    width, height = place.size
    return place.has_lessons, -width, -height, place.is_open


def _press_keys(journey: Journey, window: Window, walk: Walk, round_: Round) -> None:
    """Go round once more with the keyboard."""
    checks = round_.checks & BY_KEYS
    if not checks:
        return
    found: dict[str, Callable[[], Iterator[str]]] = {
        "controls": lambda: nameless(window),
        "keys": lambda: out_of_reach(window),
        "aloud": lambda: unheard(window, lambda: journey.settle(window)),
    }
    place = begun(KEY_SIZE)
    for key in page_list.KEYS:
        place.enter(window)
        window.go(key)
        journey.settle(window)
        for check in ("controls", "keys", "aloud"):
            if check in checks:
                walk.told(round_, check, place, key, found[check]())


def _empty(window: Window, place: Place) -> Iterator[str]:
    """Whether one rectangle of a single colour takes more than its share of the page."""
    share = emptiness(window.page_stack)
    if share > MOST_EMPTY:
        yield f"{share:.0%} are empty"


def _cut_off(window: Window, place: Place) -> Iterator[str]:
    for _ in range(20):  # A title that breaks gives the others another height, one layout after the other.
        QApplication.processEvents()
    return cut_off(window, place.size)


_LOOKED_AT: dict[str, Callable[[Window, Place], Iterator[str]]] = {
    "cards": lambda window, _place: faults_of(window.page_stack.page),
    "empty": _empty,
    "names": _cut_off,
}
