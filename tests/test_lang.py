"""The texts: the same keys and the same places for values in both languages, and nothing missing."""

import plistlib
import re
import string
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from explorer.config import KNOBS
from explorer.errors import KnobOutOfRange, MissingAsset, UnknownFormat, UnknownKnob, UnknownPreset
from explorer.lang import LANGUAGES, Words, system_language
from explorer.resources import asset_text
from explorer.training.recipe import TURNED

ASSETS = Path(__file__).parents[1] / "assets"
ZH, EN = Words.load("zh"), Words.load("en")


def places(text: str) -> list[str]:
    """The names in braces, sorted."""
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a table and of those in it, each under the names that lead to it."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def texts(words: Words) -> dict[str, str]:
    """As they stand in the file, with their places for values."""
    found = dict(flat(tomllib.loads(asset_text(f"lang/{words.language}.toml"))))
    assert found.keys() == words.keys()
    return found


def test_both_languages_have_the_same_keys() -> None:
    """A text is added to both in the same commit."""
    assert ZH.keys() ^ EN.keys() == set()


def test_both_languages_have_the_same_places() -> None:
    """{limit} and {got} stand in both sentences or in neither."""
    assert {key: places(text) for key, text in texts(ZH).items()} == {key: places(text) for key, text in texts(EN).items()}


def test_places_are_found() -> None:
    """With a format, twice the same, and none: the comparison above sees them all."""
    assert places("{b:.1f} and {a} and {a}") == ["a", "a", "b"]
    assert places("none") == []


@pytest.mark.parametrize(("count", "told"), [(1, "1 head"), ("1", "1 head"), (8, "8 heads"), ("1,024", "1,024 heads")])
def test_a_noun_agrees_with_its_number(count: object, told: str) -> None:
    """A number may come with its separators already set."""
    words = Words("en", {"heads": "{count:head|heads}", "plain": "|A| = {count:.1f}"})
    assert words("heads", count=count) == told
    assert words.without_values("heads") == "… heads"
    assert words("plain", count=1.25) == "|A| = 1.2"
    assert words.without_values("plain") == "|A| = …"


@pytest.mark.parametrize("words", [ZH, EN], ids=LANGUAGES)
def test_no_text_is_empty_or_ragged(words: Words) -> None:
    """No white space around it, none doubled."""
    assert [key for key, text in texts(words).items() if text != text.strip() or not text or "  " in text] == []


def english(data: object, *, told: bool = False) -> Iterator[str]:
    """The strings under every `en` in what a TOML file holds."""
    if isinstance(data, str):
        yield from [data] if told else []
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from english(value, told=told or key == "en")
    elif isinstance(data, list):
        for value in data:
            yield from english(value, told=told)


def test_english_texts_have_straight_quotes() -> None:
    """The bundled font draws the curly ones as wide as a Chinese character, which tears a gap into an English word."""
    told = texts(EN)
    for folder in ("explain/en", "manual/en"):
        told |= {str(path): path.read_text("utf-8") for path in (ASSETS / folder).iterdir()}
    for path in (
        *ASSETS.glob("*.toml"),
        *(each for part in ("lessons", "manual", "presets/*") for each in ASSETS.glob(f"{part}/*.toml")),
    ):
        told[str(path)] = "\n".join(english(tomllib.loads(path.read_text("utf-8"))))

    assert [key for key, text in told.items() if set(text) & set("‘’“”")] == []
    assert all(any(str(ASSETS / part) in key and told[key] for key in told) for part in ("explain", "lessons/tour", "glossary"))


def test_explanations_take_no_model_for_the_included_translator() -> None:
    """A page explains itself in the same words for every model, so what was seen in the translator is said of that one."""
    told = {path: path.read_text("utf-8") for folder in LANGUAGES for path in (ASSETS / "explain" / folder).glob("*.md")}
    own = re.compile(r"\b(this|the) (translator|language model)\b|(?<!自带的)(这个|本)翻译模型", re.IGNORECASE)

    assert own.search("In this translator it mostly stays with its own word.")
    assert own.search("在这个翻译模型里，它在编码器中多半留在自己的词上。")
    assert [str(path) for path, text in told.items() if path.stem not in ("news", "models") and own.search(text)] == []


@pytest.mark.parametrize("words", [ZH, EN], ids=LANGUAGES)
@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.name)
def test_every_knob_has_its_texts(knob: object, words: Words) -> None:
    """Name, hint, group, what it applies to, and a word for each choice."""
    keys = [
        f"knob.{knob.name}.name",
        f"knob.{knob.name}.hint",
        f"group.{knob.group}",
        f"applies.{knob.applies}",
        *(f"choice.{knob.name}.{choice}" for choice in knob.choices),
    ]

    assert [key for key in keys if key not in words] == []


@pytest.mark.parametrize("words", [ZH, EN], ids=LANGUAGES)
def test_no_knob_is_described_that_is_not_there(words: Words) -> None:
    """Texts of a knob that has gone go with it."""
    described = {key.split(".")[1] for key in words.keys() if key.startswith("knob.")}  # noqa: SIM118  no mapping

    assert described == {knob.name for knob in KNOBS} | set(TURNED)


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
        ({}, "zh"),
        ({"LANG": ""}, "zh"),
        ({"LANG": "C"}, "zh"),
        ({"LANG": "C.UTF-8"}, "zh"),
        ({"LC_ALL": "POSIX"}, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE@euro"}, "en"),
        ({"LC_ALL": "en_GB", "LANG": "zh_CN"}, "en"),
        ({"LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh"),
        ({"LC_ALL": "", "LANG": "en_US"}, "en"),
    ],
)
def test_the_language_follows_the_locale(environment: dict[str, str], language: str) -> None:
    """Chinese unless another language is named; LC_ALL before LC_MESSAGES before LANG."""
    assert system_language(environment) == language


@pytest.mark.parametrize(
    ("platform", "environment", "asked", "language"),
    [
        ("win32", {}, ["de-DE", "zh-CN"], "en"),
        ("win32", {}, ["zh-Hans-CN", "en"], "zh"),
        ("darwin", {}, ["en-GB"], "en"),
        ("darwin", {}, ["zh-Hant-TW"], "zh"),
        ("win32", {}, [], "zh"),
        ("win32", {"LANG": "en_US.UTF-8"}, ["zh-CN"], "en"),
        ("linux", {}, ["C"], "zh"),
        ("linux", {"LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}, ["zh-CN"], "zh"),
        ("linux", {"LANG": "C", "LANGUAGE": "de"}, [], "zh"),
    ],
)
def test_where_no_variable_is_set_the_systems_own_language_counts(
    platform: str, environment: dict[str, str], asked: list[str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows and macOS set none, and a German there was spoken to in Chinese."""
    monkeypatch.setattr("explorer.lang.sys.platform", platform)
    assert system_language(environment, asked) == language


def test_macos_is_asked_without_qt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the user's preferences; without them it is as if nobody had said anything."""
    monkeypatch.setattr("explorer.lang.sys.platform", "darwin")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert system_language({}) == "zh"
    folder = tmp_path / "Library" / "Preferences"
    folder.mkdir(parents=True)
    (folder / ".GlobalPreferences.plist").write_bytes(plistlib.dumps({"AppleLanguages": ["fr-FR", "zh-Hans"]}))
    assert system_language({}) == "en"
    (folder / ".GlobalPreferences.plist").write_bytes(b"no list")
    assert system_language({}) == "zh"


def test_windows_is_asked_without_qt(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the number that it has for a language."""
    import ctypes

    for number, language in ((0x0407, "en"), (0x0804, "zh"), (0x0404, "zh")):
        kernel = SimpleNamespace(kernel32=SimpleNamespace(GetUserDefaultUILanguage=lambda number=number: number))
        monkeypatch.setattr(ctypes, "windll", kernel, raising=False)
        monkeypatch.setattr("explorer.lang.sys.platform", "win32")
        assert system_language({}) == language
