"""The user's errors: one family, each with a sentence in both languages that contains its numbers."""

import copy
import pickle
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import pytest

from explorer import errors
from explorer.errors import ExplorerError
from explorer.lang import LANGUAGES, Words
from explorer.trace.found.experiments import EXPERIMENTS

VALUES = re.compile(r"Values: ([^.]*)\.")
MODULES = [import_module(f"{errors.__name__}.{each.name}") for each in pkgutil.iter_modules(errors.__path__)]


def family(kind: type[ExplorerError] = ExplorerError) -> Iterator[type[ExplorerError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from family(each)


def raised() -> list[type[ExplorerError]]:
    """Those with a key of their own; the others only group them."""
    return [kind for kind in family() if "key" in vars(kind) and kind is not ExplorerError]


def example(kind: type[ExplorerError]) -> ExplorerError:
    """An error with the values that its docstring names, each another number."""
    told = VALUES.search(kind.__doc__ or "")
    names = re.sub(r"\(.*?\)", "", told[1]).replace(" ", "").split(",") if told else []
    return kind(**{name: 900 + number for number, name in enumerate(names)})


def drawn(module: ModuleType) -> set[str]:
    """The classes in the tree at the top of a file."""
    return set(re.findall(r"\b[A-Z]\w+", (module.__doc__ or "").split("\n\n")[1]))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_family_is_the_one_drawn_in_the_docstrings(module: ModuleType) -> None:
    """The tree at the top of each file names every class of it and those that they hang on up to the root, and no other."""
    own = [kind for kind in family() if kind.__module__ == module.__name__]

    assert own
    assert drawn(module) == {base.__name__ for kind in own for base in kind.__mro__ if issubclass(base, ExplorerError)}


def test_every_error_is_given_on_by_the_package() -> None:
    """Whoever raises or catches one need not know its file, and no name is there twice."""
    assert {kind.__module__ for kind in family()} == {module.__name__ for module in MODULES}
    assert [kind for kind in family() if getattr(errors, kind.__name__, None) is not kind] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_has_a_sentence_with_its_numbers(language: str) -> None:
    """All values that its docstring names stand in it, no brace is left over, and it ends as a sentence does."""
    words = Words.load(language)
    for kind in raised():
        error = example(kind)
        sentence = words.error(error)
        assert [value for value in error.values.values() if str(value) not in sentence] == [], kind
        assert not re.search(r"[{}]", sentence), kind
        assert sentence.endswith((".", "。")), kind


def test_a_missing_number_would_be_found() -> None:
    """The sentence cannot be made without it."""
    with pytest.raises(KeyError):
        Words.load("en").error(errors.TooLong(limit=3))


def test_keys_are_not_shared() -> None:
    """Two errors are two sentences."""
    keys = [kind.key for kind in raised()]

    assert len(keys) == len(set(keys))


def test_an_error_can_be_copied_and_sent() -> None:
    """Class and values survive, as between processes."""
    for kind in raised():
        error = example(kind)
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert type(again) is kind
            assert again.values == error.values


def test_an_error_says_its_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a traceback, a log and a notebook alike, in the system's language; its repr has key and values."""
    error = errors.TooLong(limit=128, got=140)
    assert str(error) == "最多 128 个词元，现在是 140 个。"
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert str(error) == Words.load("en").error(error)
    assert repr(error) == "TooLong('error.too_long', {'limit': 128, 'got': 140})"


@pytest.mark.parametrize(
    "value",
    ["x" * 10_000, "a\nb\x1b[2J\r", "\u202e" * 90, 10**6000, -(10**20), "/long" * 100],
    ids=["long", "control", "direction", "digits", "negative", "path"],
)
def test_a_sentence_quotes_at_most_eighty_characters(value: object) -> None:
    """Of anything a user gave it, of a path the last 255, and nothing that breaks a line or steers a terminal."""
    for error in (
        errors.KnobNotANumber(name="seed", got=value),
        errors.UnknownPreset(name=value, known="tiny"),
        errors.CannotRead(path=value, reason="x"),
    ):
        for language in LANGUAGES:
            told, bare = (
                Words.load(language).error(error),
                Words.load(language).error(
                    type(error)(**{key: "" if each is value else each for key, each in error.values.items()})
                ),
            )
            assert len(told) - len(bare) <= (255 if "path" in error.values else 80)
            assert told.isprintable()
    assert str(errors.CannotRead(path="/long" * 100 + "/name.toml", reason="x")).count("/name.toml") == 1


def test_a_list_of_choices_is_told_in_a_sentence_that_can_be_read() -> None:
    """The words of a long text are cut off; our own lists are shorter than that."""
    told = Words.load("en").error(errors.UnknownWord(got="x", known=" ".join(["word"] * 900)))
    assert len(told) < 500 and "…" in told
    assert ", ".join(EXPERIMENTS) in Words.load("en").error(errors.UnknownExperiment(name="x", known=", ".join(EXPERIMENTS)))


def test_lines_are_quoted_as_one_line_without_strange_signs() -> None:
    """As those of a library's message; another character of a path would name another file."""
    lines = errors.BadSettings(path="/a", reason="Invalid setting:\n    Field 'x'\r\nmust be a number\n")
    assert "Invalid setting: Field 'x' must be a number." in Words.load("en").error(lines)
    assert "a\N{REPLACEMENT CHARACTER}b" in Words.load("en").error(errors.FolderIsGone(path="/a\nb"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_many_texts_have_in_common_is_a_whole_sentence(language: str) -> None:
    """Of errors of texts, which a scan counts by their keys: nothing is left out of it."""
    words = Words.load(language)
    for kind in (kind for kind in raised() if issubclass(kind, errors.BadText)):
        assert not re.search(r"[{}…]|error\.", words.kind_of_error(kind.key))


def test_a_bare_error_says_the_same_and_holds_no_calls() -> None:
    """Neither its own nor those of the error that it came from."""
    for kind in raised():
        error = example(kind)
        error.change = "what could not be made"
        try:
            try:
                raise ValueError
            except ValueError as cause:
                raise error from cause
        except ExplorerError as caught:
            made = errors.bare(caught)
            assert caught.__traceback__ is not None and caught.__cause__ is not None
        assert (type(made), made.args, made.values, made.change) == (kind, error.args, error.values, error.change)
        assert (made.__traceback__, made.__cause__, made.__context__) == (None, None, None)


def test_a_bug_is_no_users_error() -> None:
    """The two have different routes."""
    assert not issubclass(ValueError, ExplorerError)
    assert not any(issubclass(kind, (ValueError, KeyError, OSError)) for kind in family())
