"""Keys in every text, as a Mac writes them; nothing changes on other systems."""

import re
import sys
from pathlib import Path

import pytest

from explorer.key_names import native
from explorer.lang import LANGUAGES, Words, told_text

ASSETS = Path(__file__).parents[1] / "assets"
ENGLISH_KEYS = re.compile(r"(?<![A-Za-z])(?:Ctrl|Alt)(?![A-Za-z])(?!\+C(?![A-Za-z]))|Shift\+")
"""Names of keys that no Mac has; Ctrl+C ends a command in every terminal."""


@pytest.mark.parametrize(
    ("usual", "told"),
    [
        ("Ctrl+E", "⌘E"),
        ("按Ctrl+Shift+S保存", "按⇧⌘S保存"),
        ("Ctrl+Alt+1 … Ctrl+−", "⌥⌘1 … ⌘−"),
        ("Shift+F6, Ctrl+PgDown, Shift+← →", "⇧F6, ⌘PgDown, ⇧← →"),
        ("Ctrl+click, Ctrl+单击, Shift+arrows", "⌘-click, ⌘-单击, ⇧-arrows"),
        ("Ctrl with the wheel, 按住 Ctrl 滚动; add Ctrl or Alt", "⌘ with the wheel, 按住 ⌘ 滚动; add ⌘ or ⌥"),
        ("After Ctrl+C, a kill; but Ctrl+Shift+C and Ctrl+Copy", "After Ctrl+C, a kill; but ⇧⌘C and ⌘Copy"),
        ("Shift the position; Control; Alternatives; Ctrlx", "Shift the position; Control; Alternatives; Ctrlx"),
    ],
)
def test_a_mac_writes_its_own_signs(usual: str, told: str) -> None:
    """In Apple's order; what ends a command, and words that look alike, stay."""
    assert native(usual, "darwin") == told
    assert native(usual, "linux") == native(usual, "win32") == usual


def chapters() -> list[str]:
    """Every text of the program that people read in the window, by its place under `assets`."""
    found = [
        *ASSETS.glob("explain/*/*.md"),
        *ASSETS.glob("manual/*/*.md"),
        ASSETS / "manual/class.toml",
        ASSETS / "lessons/README.md",
    ]
    return [path.relative_to(ASSETS).as_posix() for path in found]


def test_no_text_names_a_key_that_a_mac_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text of both languages, every explanation, chapter and station; the checker finds them on another system."""
    monkeypatch.setattr(sys, "platform", "linux")
    assert [name for name in chapters() if ENGLISH_KEYS.search(told_text(name))]
    monkeypatch.setattr(sys, "platform", "darwin")
    assert [name for name in chapters() if ENGLISH_KEYS.search(told_text(name))] == []
    for language in LANGUAGES:
        words = Words.load(language)
        assert [key for key in sorted(words.keys()) if ENGLISH_KEYS.search(words.without_values(key))] == []
        assert "⌘" in words.without_values("heads.unit_words_hint")
        assert "Ctrl+L" in words.with_usual_keys("about.keys", pages="")  # for the user's own keys in their place


def test_no_lesson_names_keys() -> None:
    """Lessons are read by a door of their own, which renames nothing."""
    assert [path.name for path in ASSETS.glob("lessons/*.toml") if ENGLISH_KEYS.search(path.read_text("utf-8"))] == []
