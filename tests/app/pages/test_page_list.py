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
from explorer.app.pages.layouts import row_in
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
        row_in(self.scrolled()).addWidget(self.card(StripsView(), embedding_strips))


class FurtherWords(Words):
    """The texts with those of the further page."""

    OWN: ClassVar = {"page.further": "Further", "page_short.further": "More"}

    def __call__(self, key: str, **values: object) -> str:
        return self.OWN[key] if key in self.OWN else super().__call__(key, **values)

    def __contains__(self, key: str) -> bool:
        return key in self.OWN or super().__contains__(key)


@pytest.fixture
def further(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's file, its line in the list, and its two texts."""
    module = ModuleType(page_list.module_of("further"))
    module.PAGE = FurtherPage  # type: ignore[attr-defined]  # as a page's file ends
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(page_list, "KEYS", (*page_list.KEYS, "further"))
    monkeypatch.setattr(Words, "load", FurtherWords.load)


@pytest.mark.usefixtures("further")
def test_a_further_page_is_in_header_menu_and_stack(journey: Journey) -> None:
    """It is opened from both, drawn, and gets what its pictures need beside the pass."""

    def script(window: Window) -> None:
        journey.settle(window)
        button = window.header.buttons.button(len(page_list.KEYS) - 1)
        window.resize(1800, 900)
        QApplication.processEvents()
        assert button.isVisible() and button.toolTip() == "Further"
        window.actions_.pages["further"].trigger()
        assert window.page_stack.page.key == "further" and button.isChecked()
        journey.wait(lambda: window.session.frame is not None and "copies" in window.session.frame.trace.experiments)
        (card,) = window.page_stack.page.cards
        assert card.picture is not None and card.picture.caption.title == card.title.text()
        assert list(faults_of(window.page_stack.page)) == []
        window.header.buttons.button(0).click()
        assert window.page_stack.page.key == "overview"
        button.click()
        assert window.page_stack.page.key == "further"

    journey.run(script)


@pytest.mark.usefixtures("further")
@pytest.mark.parametrize("language", LANGUAGES)
def test_further_pages_fit_the_smallest_window(journey: Journey, language: str) -> None:
    """The header asks for no more than there is; what has no room is behind the ellipsis, except the page in front."""

    def script(window: Window) -> None:
        journey.settle(window)
        header = window.header
        buttons = [header.buttons.button(place) for place in range(len(page_list.KEYS))]
        window.resize(880, 480)
        for key in ("overview", "further", "tokens"):
            window.go(key)
            QApplication.processEvents()
            assert (window.width(), window.height()) == (880, 480)
            assert header.minimumSizeHint().width() <= 880
            header.more.menu().aboutToShow.emit()
            behind = [action.data() for action in header.more.menu().actions()]
            seen = [name for name, button in zip(page_list.KEYS, buttons, strict=True) if not button.isHidden()]
            assert sorted([*seen, *behind]) == sorted(page_list.KEYS) and key in seen
            assert header.more.isHidden() == (not behind)
            assert all(button.geometry().right() < 880 for button in buttons if not button.isHidden())
            for action in header.more.menu().actions():
                action.trigger()
                assert window.page_stack.page.key == action.data()
        window.resize(1800, 700)
        QApplication.processEvents()
        assert header.more.isHidden() and all(button.isVisible() for button in buttons)

    journey.run(script, "--language", language)


def test_six_pages_leave_nothing_behind_the_menu(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many have room in the smallest window, with names that are words, beside the choice of the architecture."""
    monkeypatch.setattr(page_list, "KEYS", page_list.KEYS[:6])

    def script(window: Window) -> None:
        journey.settle(window)
        window.resize(880, 480)
        QApplication.processEvents()
        header = window.header
        assert header.more.isHidden() and header.architectures.isVisible()
        assert header.buttons.button(2).text() == "Embed" and header.architectures.currentText() == "enc–dec"
        window.resize(1600, 480)
        QApplication.processEvents()
        assert header.buttons.button(2).text() == "Embedding" and header.architectures.currentText() == "encoder-decoder"

    journey.run(script, "--language", "en")


@pytest.mark.usefixtures("further")
def test_what_a_newcomer_looks_for_stays_in_a_narrow_window(journey: Journey) -> None:
    """Attention, changes and reasons keep their buttons, in the order of the pages; a page without a place goes first."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.resize(1024, 700)
        QApplication.processEvents()
        header = window.header
        seen = [key for key, button in zip(page_list.KEYS, header.buttons.buttons(), strict=True) if not button.isHidden()]
        assert {"overview", "attention", "change", "why"} <= set(seen) and "further" not in seen
        assert seen == [key for key in page_list.KEYS if key in page_list.STAYING[: len(seen)]]
        assert header.more.text() == "More ▾" and header.architectures.toolTip().endswith("encoder-decoder")

    journey.run(script, "--language", "en")


def test_the_pages_that_stay_are_pages() -> None:
    """Each once."""
    assert set(page_list.STAYING) <= set(page_list.KEYS) and len(set(page_list.STAYING)) == len(page_list.STAYING)


@pytest.mark.usefixtures("further")
def test_a_further_page_has_no_digit_and_the_others_keep_theirs() -> None:
    """The row of digits has eleven keys for pages; the help says no more than there is."""
    keys = list(page_shortcuts().values())
    assert keys == [*(f"Ctrl+{digit}" for digit in range(1, 10)), "Ctrl+-", "Ctrl+=", *[""] * (len(page_list.KEYS) - 11)]
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


def test_fewer_pages_leave_keys_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the help follows."""
    monkeypatch.setattr(page_list, "KEYS", page_list.KEYS[:3])
    assert told_page_shortcuts() == "Ctrl+1 … Ctrl+3"
    monkeypatch.setattr(page_list, "KEYS", page_list.KEYS[:1])
    assert told_page_shortcuts() == "Ctrl+1"


def test_a_key_of_no_page_does_nothing(journey: Journey, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a keyboard whose row of digits is known by place alone."""
    monkeypatch.setattr(page_list, "KEYS", page_list.KEYS[:3])

    def script(window: Window) -> None:
        journey.settle(window)
        assert window.actions_.in_digit_row("9") is None
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
        assert f"page.{key}" in words and f"page_short.{key}" in words
        page.speak(words)
    page.deleteLater()


def test_the_list_and_the_files_are_the_same_pages() -> None:
    """No file that no header leads to, and no text of a page that has gone."""
    files = {path.stem.removesuffix("_page") for path in Path(pages.__path__[0]).glob("*_page.py")}
    assert files == set(page_list.KEYS) and len(page_list.KEYS) == len(files)
    for language in LANGUAGES:
        for names in ("page.", "page_short."):
            texts = {key.removeprefix(names) for key in Words.load(language).keys() if key.startswith(names)}  # noqa: SIM118
            assert texts == set(page_list.KEYS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_has_one_name(language: str) -> None:
    """A button without room for all of it has its beginning, so that one finds the same page in the menus."""
    words = Words.load(language)
    names = {words(f"page.{key}"): words(f"page_short.{key}") for key in page_list.KEYS}

    assert len(names) == len(set(names.values())) == len(page_list.KEYS)
    assert [name for name, short in names.items() if not name.startswith(short)] == []


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
