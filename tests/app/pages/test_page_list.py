"""One list of pages: stack, header, menu, keys, help and lessons follow it, and a further page is a line there and a file."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest
from PySide6.QtWidgets import QApplication

from explorer import page_list
from explorer.app import pages
from explorer.app.pages.layouts import column_in
from explorer.app.pages.page import Page
from explorer.app.shell.actions import page_shortcuts, told_page_shortcuts
from explorer.app.shell.window import Window
from explorer.errors import BadLesson
from explorer.lang import LANGUAGES, Words
from explorer.lessons.read import read_lesson
from explorer.picture.makers.embedding import embedding_strips
from explorer.trace.found.experiments import EXPERIMENTS
from explorer.views.pictures.strips import StripsView
from tests.journeys.conftest import Journey, journey
from tests.journeys.page_faults import faults_of

pytestmark = pytest.mark.slow  # every page is made

__all__ = ["journey"]  # a fixture of the journeys
ROOT = Path(__file__).parents[3]
LESSON = """group = "mine"

[title]
zh = "标题"
en = "Title"

[[step]]
zh = "一"
en = "one"
page = "further"
"""


class FurtherPage(Page):
    """A page that this file alone knows."""

    key = "further"
    least_px = 300
    experiments = frozenset({"copies"})

    def __init__(self) -> None:
        super().__init__()
        column_in(self.scrolled()).addWidget(self.card(StripsView(), embedding_strips))


class FurtherWords(Words):
    """The texts with those of the further page."""

    OWN: ClassVar = {"page.further": "Further"}

    def __call__(self, key: str, **values: object) -> str:
        return self.OWN[key] if key in self.OWN else super().__call__(key, **values)

    def __contains__(self, key: str) -> bool:
        return key in self.OWN or super().__contains__(key)


@pytest.fixture
def further(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's file, its key in a place of the list, and its text."""
    module = ModuleType(page_list.module_of("further"))
    module.PAGE = FurtherPage  # type: ignore[attr-defined]  # as a page's file ends
    monkeypatch.setitem(sys.modules, module.__name__, module)
    places = page_list.PLACES | {"compare": (*page_list.PLACES["compare"], "further")}
    monkeypatch.setattr(page_list, "PLACES", places)
    monkeypatch.setattr(page_list, "KEYS", tuple(page for pages in places.values() for page in pages))
    monkeypatch.setattr(Words, "load", FurtherWords.load)


@pytest.mark.usefixtures("further")
def test_a_further_page_is_in_tabs_menu_and_stack(journey: Journey) -> None:
    """It is opened from both, drawn, and gets what its pictures need beside the pass; its place comes back to it."""

    def script(window: Window) -> None:
        journey.settle(window)
        place, tab = window.header.buttons.button(list(page_list.PLACES).index("compare")), window.page_stack.above.tabs
        assert not tab.isVisible()
        window.actions_.pages["further"].trigger()
        assert window.page_stack.page.key == "further" and place.isChecked()
        assert tab.buttons["further"].isVisible() and tab.buttons["further"].isChecked()
        journey.wait(lambda: window.session.frame is not None and "copies" in window.session.frame.trace.experiments)
        (card,) = window.page_stack.page.cards
        assert card.picture is not None and card.picture.caption.title == card.title.text()
        assert list(faults_of(window.page_stack.page)) == []
        window.header.buttons.button(0).click()
        assert window.page_stack.page.key == "overview"
        place.click()
        assert window.page_stack.page.key == "further"
        tab.buttons["compare"].click()
        assert window.page_stack.page.key == "compare"

    journey.run(script)


@pytest.mark.usefixtures("further")
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_places_stand_still_as_whole_words(journey: Journey, language: str) -> None:
    """Also in the smallest window, with Lessons and Export beside them; no place moves when another page opens."""
    words = Words.load(language)

    def script(window: Window) -> None:
        journey.settle(window)
        for size in ((880, 480), (1024, 700), (1800, 700)):
            window.resize(*size)
            stood = set()
            for key in page_list.KEYS:
                window.go(key)
                QApplication.processEvents()
                assert (window.width(), window.height()) == size
                header, tabs = window.header, window.page_stack.above.tabs
                assert [button.text() for button in header.buttons.buttons()] == [
                    words(f"place.{key}") for key in page_list.PLACES
                ]
                assert all(
                    button.isVisible() for button in (*header.buttons.buttons(), header.lessons_button, header.export_button)
                )
                stood.add(tuple(button.geometry().getRect() for button in header.buttons.buttons()))
                shown = [name for name, tab in tabs.buttons.items() if tab.isVisible()]
                pages = page_list.PLACES[page_list.place_of(key)]
                assert shown == (list(pages) if len(pages) > 1 else [])
                whole = (*header.buttons.buttons(), *(tabs.buttons[name] for name in shown))
                assert all(
                    each.width() >= each.minimumSizeHint().width() and each.geometry().right() < size[0] for each in whole
                )
            assert len(stood) == 1

    journey.run(script, "--language", language)


def test_the_view_menu_fits_a_low_screen(journey: Journey) -> None:
    """Every page is in it, those of a place with several in a menu of their own."""

    def script(window: Window) -> None:
        journey.settle(window)
        menus = window.actions_.menus
        assert menus["view"].sizeHint().height() <= 700
        for place, keys in page_list.PLACES.items():
            actions = [window.actions_.pages[key] for key in keys]
            held = menus["view"].actions() if len(keys) == 1 else menus[place].actions()
            assert [action for action in held if action in actions] == actions

    journey.run(script)


@pytest.mark.usefixtures("further")
def test_a_further_page_has_no_digit_and_the_others_keep_theirs() -> None:
    """The row of digits has eleven keys for pages; the help says no more than there is."""
    keys = page_shortcuts()
    assert [keys[page] for page in page_list.WITH_DIGITS] == [*(f"Ctrl+{digit}" for digit in range(1, 10)), "Ctrl+-", "Ctrl+="]
    assert keys.keys() == set(page_list.KEYS) and sum(map(bool, keys.values())) == 11 and keys["further"] == ""
    assert told_page_shortcuts() == "Ctrl+1 … Ctrl+9, Ctrl+−, Ctrl+="


@pytest.mark.usefixtures("further")
def test_a_lesson_may_name_a_further_page(tmp_path: Path) -> None:
    """Its step opens there."""
    (tmp_path / "a.toml").write_text(LESSON, encoding="utf-8")
    assert read_lesson(tmp_path / "a.toml").steps[0].settings.page == "further"


def test_a_page_that_is_not_in_the_list_is_unknown(tmp_path: Path) -> None:
    """So that the tests above say something."""
    (tmp_path / "a.toml").write_text(LESSON, encoding="utf-8")
    with pytest.raises(BadLesson):
        read_lesson(tmp_path / "a.toml")
    assert "further" not in page_shortcuts() and "page.further" not in Words.load("en")


def test_keys_go_from_page_to_page(journey: Journey) -> None:
    """In the order of the places; behind the last page comes the first."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.actions_.by_name["previous_page"].trigger()
        assert window.page_stack.page.key == page_list.KEYS[-1]
        for key in (page_list.KEYS[0], page_list.KEYS[1]):
            window.actions_.by_name["next_page"].trigger()
            assert window.page_stack.page.key == key

    journey.run(script)


def test_each_key_of_the_row_of_digits_opens_its_page(journey: Journey) -> None:
    """On a keyboard whose row of digits is known by place alone."""

    def script(window: Window) -> None:
        journey.settle(window)
        assert window.actions_.in_digit_row("9") is window.actions_.pages["output"]
        assert window.actions_.in_digit_row("3") is window.actions_.pages["embedding"]
        assert window.actions_.in_digit_row("0") is window.actions_.by_name["fit"]

    journey.run(script)


@pytest.mark.parametrize("key", page_list.KEYS)
def test_every_page_declares_itself_in_its_own_file(key: str, qapp: QApplication) -> None:
    """Under the key that the list has for it, with experiments that there are, a title in both languages and words for it."""
    page: Page = importlib.import_module(page_list.module_of(key)).PAGE()
    assert page.key == key
    assert page.experiments <= EXPERIMENTS.keys()
    for language in LANGUAGES:
        words = Words.load(language)
        assert f"page.{key}" in words
        page.speak(words)
    page.deleteLater()


def test_the_list_and_the_files_are_the_same_pages() -> None:
    """No file that no header leads to, and no text of a page that has gone."""
    files = {path.stem.removesuffix("_page") for path in Path(pages.__path__[0]).glob("*_page.py")}
    assert files == set(page_list.KEYS) and len(page_list.KEYS) == len(files)
    for language in LANGUAGES:
        for names, wanted in (("page.", page_list.KEYS), ("place.", page_list.PLACES)):
            texts = {key.removeprefix(names) for key in Words.load(language).keys() if key.startswith(names)}  # noqa: SIM118
            assert texts == set(wanted)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_has_a_name_of_its_own(language: str) -> None:
    """Nobody looks for a page among two of the same name."""
    words = Words.load(language)
    assert len({words(f"page.{key}") for key in page_list.KEYS}) == len(page_list.KEYS)


PROGRAM = """
import sys
from tests.turning import turn
from explorer.app import main
from explorer.app.main import Program, make_application

main._QUIET_MS = 10**6  # Later, when nobody waits, all the others are imported too.


def loaded():
    names = (name.removeprefix("explorer.app.pages.") for name in list(sys.modules) if name.startswith("explorer.app.pages."))
    return sorted(name for name in names if name.endswith("_page"))


application = make_application()
program = Program("我爱北京天安门", "tiny", "zh")
program.open()
print(*loaded())
while program.session.frame is None:
    turn()
print(*loaded())
program.window.go("masks")
print(*loaded())
program.close()
"""


def test_a_page_is_imported_when_it_is_first_opened() -> None:
    """None before the window is there, then the first alone: what is not seen does not delay the start."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == ["", "overview_page", "masks_page overview_page", ""]
