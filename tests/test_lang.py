"""The texts: the same keys and the same places for values in both languages, and nothing missing."""

import string

import pytest

from explorer.config import KNOBS
from explorer.errors import KnobOutOfRange, MissingAsset, UnknownFormat, UnknownKnob, UnknownPreset
from explorer.lang import LANGUAGES, Words, system_language

ZH, EN = Words.load("zh"), Words.load("en")


def places(text: str) -> list[str]:
    """The names in braces, sorted."""
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def texts(words: Words) -> dict[str, str]:
    return {key: words._texts[key] for key in words.keys()}  # noqa: SIM118  Words is no mapping


def test_both_languages_have_the_same_keys() -> None:
    """A text is added to both in the same commit."""
    assert ZH.keys() ^ EN.keys() == set()


def test_both_languages_have_the_same_places() -> None:
    """{limit} and {got} stand in both sentences or in neither."""
    assert {key: places(text) for key, text in texts(ZH).items()} == {
        key: places(text) for key, text in texts(EN).items()
    }


def test_places_are_found() -> None:
    """With a format, twice the same, and none: the comparison above sees them all."""
    assert places("{b:.1f} and {a} and {a}") == ["a", "a", "b"]
    assert places("none") == []


@pytest.mark.parametrize("words", [ZH, EN], ids=LANGUAGES)
def test_no_text_is_empty_or_ragged(words: Words) -> None:
    """No white space around it, none doubled."""
    assert [key for key, text in texts(words).items() if text != text.strip() or not text or "  " in text] == []


@pytest.mark.parametrize("words", [ZH, EN], ids=LANGUAGES)
@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.name)
def test_every_knob_has_its_texts(knob: object, words: Words) -> None:
    """Name, hint, group, cost, and a word for each choice."""
    keys = [f"knob.{knob.name}.name", f"knob.{knob.name}.hint", f"group.{knob.group}", f"cost.{knob.cost}",
            *(f"choice.{knob.name}.{choice}" for choice in knob.choices)]

    assert [key for key in keys if key not in words] == []


@pytest.mark.parametrize("words", [ZH, EN], ids=LANGUAGES)
def test_no_knob_is_described_that_is_not_there(words: Words) -> None:
    """Texts of a knob that has gone go with it."""
    described = {key.split(".")[1] for key in words.keys() if key.startswith("knob.")}  # noqa: SIM118  no mapping

    assert described == {knob.name for knob in KNOBS}


def test_values_are_filled_in() -> None:
    """Braces in a value stay as they are."""
    assert EN("status.tokens", count=3) == "3 tokens"
    assert EN("error.unknown_preset", name="{x}", known="a") == "There is no preset {x}; there are a."


def test_a_missing_text_is_a_bug() -> None:
    """It is not shown as an empty place."""
    assert "no.such.key" not in EN
    with pytest.raises(KeyError):
        EN("no.such.key")
    with pytest.raises(KeyError):
        EN("status.tokens")


def test_a_missing_language_is_a_missing_file() -> None:
    """The error names it."""
    with pytest.raises(MissingAsset) as caught:
        Words.load("tlh")

    assert caught.value.values == {"name": "assets/lang/tlh.toml"}


def test_a_knob_is_called_by_the_users_word() -> None:
    """And by its own name, which is what is typed."""
    error = KnobOutOfRange(name="n_layers", low=1, high=64, got=0)

    assert EN.error(error) == "Layers n_layers must be from 1 to 64, not 0."
    assert EN.error(UnknownKnob(name="n_wings")) == "There is no knob n_wings."


@pytest.mark.parametrize("kind", [UnknownPreset, UnknownFormat])
def test_what_is_no_knob_is_not_called_one(kind: type[UnknownPreset]) -> None:
    """A preset that somebody calls "dropout" keeps its name."""
    assert "Dropout" not in EN.error(kind(name="dropout", known="tiny"))


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "zh"), ({"LANG": ""}, "zh"), ({"LANG": "C"}, "zh"), ({"LANG": "C.UTF-8"}, "zh"), ({"LC_ALL": "POSIX"}, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"), ({"LANG": "zh_TW"}, "zh"), ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE@euro"}, "en"), ({"LC_ALL": "en_GB", "LANG": "zh_CN"}, "en"),
        ({"LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh"), ({"LC_ALL": "", "LANG": "en_US"}, "en"),
    ],
)
def test_the_language_follows_the_locale(environment: dict[str, str], language: str) -> None:
    """Chinese unless another language is named; LC_ALL before LC_MESSAGES before LANG."""
    assert system_language(environment) == language
