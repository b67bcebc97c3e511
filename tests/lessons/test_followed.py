"""Steps that follow the model: the translator that is open, or the one that reads the interface's language."""

from pathlib import Path

import pytest

from explorer.lessons.followed import settings_of
from explorer.lessons.lesson import Step
from explorer.lessons.read import bundled_lessons, read_lesson
from explorer.presets import load_preset
from explorer.resources import asset
from explorer.state.wish import Wish
from tests.translators import bundle_english

TOUR = read_lesson(asset("lessons/tour.toml")).steps
ATTENDS = next(step for step in TOUR if step.fact == "cross")


@pytest.fixture
def english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    return bundle_english(monkeypatch, tmp_path)


def test_the_tour_follows_and_the_lessons_about_texts_do_not(english: str) -> None:
    """A row of a Chinese tutorial is about its own sentence."""
    assert all(step.follows for step in TOUR)
    wish = Wish.from_preset(english)
    others = [step for lesson in bundled_lessons()[0] for step in lesson.steps if not step.follows]
    assert others and all(settings_of(step, wish, "en") is step.settings for step in others)


def test_a_bundled_translator_stays_with_any_sentence(english: str) -> None:
    """Whatever language is spoken; each with its own heads."""
    for preset in ("translator", english):
        for language in ("zh", "en"):
            settings = settings_of(ATTENDS, Wish.from_preset(preset, "猫 cat"), language)
            assert settings.wish == {"preset": preset}
            own = dict(load_preset(preset).heads).get("decoder.cross_attn", (1, 5))
            assert (settings.look["layer"], settings.look["head"]) == own


@pytest.mark.parametrize(("text", "language", "reads"), [("猫", "zh", True), ("cat", "en", True), ("猫", "en", False)])
def test_another_model_gives_way_to_the_translator_of_the_language(english: str, text: str, language: str, reads: bool) -> None:
    """A sentence that it cannot read gives way to its own."""
    preset = load_preset({"zh": "translator", "en": english}[language])
    wished = settings_of(ATTENDS, Wish.from_preset("tiny", text), language).wish
    assert wished == {"preset": preset.name} | ({} if reads else {"text": preset.text})


def test_heads_of_another_attention_are_the_steps(english: str) -> None:
    """Only those that the preset declares take their place."""
    step: Step = next(step for step in TOUR if step.fact == "mask")
    settings = settings_of(step, Wish.from_preset(english), "en")
    assert settings.look == step.settings.look
