"""Lessons from files: what is read, and that a mistake is told with file and line."""

from pathlib import Path

import pytest

from explorer.errors import BadLesson, CannotRead, ExplorerError
from explorer.lang import LANGUAGES, Words
from explorer.lessons.read import bundled_lessons, read_folder, read_lesson
from explorer.resources import asset_text

GOOD = """group = "mine"

[title]
zh = "标题"
en = "Title"

[[step]]
zh = "一"
en = "one"
preset = "tiny"
knobs = { n_layers = 3 }
page = "position"

[[step]]
zh = "二"
en = "two"
highlight = ["knob:n_layers"]

[step.given]
A = [[1, 2], [3, 4]]

[[step.claim]]
zh = "和"
en = "sum"
printed = 11
true = "sum(A)"

[step.question]
zh = "几？"
en = "how much?"
answer = "sum(A)"
"""

MISTAKES = {
    "unknown knob": ("n_layers = 3", "n_leyers = 3", 11, "n_leyers"),
    "value out of range": ("n_layers = 3", "n_layers = 99", 11, "99"),
    "not a number": ("n_layers = 3", 'n_layers = "x"', 11, "x"),
    "unknown preset": ('preset = "tiny"', 'preset = "tinny"', 10, "tinny"),
    "unknown page": ('page = "position"', 'page = "potision"', 12, "potision"),
    "no such key": ('zh = "二"', 'zh = "二"\nzhh = "三"', 16, "zhh"),
    "missing translation": ('en = "two"', "", 15, "en"),
    "missing title": ('en = "Title"', "", 4, "en"),
    "unknown name in a formula": ('true = "sum(A)"', 'true = "sum(B)"', 26, "B"),
    "formula that is none": ('true = "sum(A)"', 'true = "sum(A"', 26, "sum(A"),
    "matrix of words": ("A = [[1, 2], [3, 4]]", 'A = [["x"]]', 20, ""),
    "ragged matrix": ("A = [[1, 2], [3, 4]]", "A = [[1, 2], [3]]", 20, ""),
    "highlight of nothing": ('"knob:n_layers"', '"n_layers"', 17, "n_layers"),
    "no toml": ("[[step.claim]]", "[[step.claim", 22, ""),
    "step that is no step": ('[[step]]\nzh = "一"', '[step]\nzh = "一"', 14, ""),
    "preset that is no name": ('preset = "tiny"', "preset = 3", 10, "3"),
    "look at nothing": ('page = "position"', 'look = { head = "x" }', 12, "head"),
    "look before the beginning": ('page = "position"', "look = { layer = -3 }", 12, "-3"),
    "cuts of another text": ('page = "position"', 'cuts = ["a"]', 12, "a"),
    "matrix of nothing": ("A = [[1, 2], [3, 4]]", "A = []", 20, "A"),
    "fact of an unknown kind": ('zh = "二"', 'zh = "二"\nfact = "riddle"', 16, "riddle"),
    "to follow no translator": ('page = "position"', "follows = true", 12, "follows"),
    "link to nowhere": (
        'answer = "sum(A)"',
        'answer = "sum(A)"\n[[step.link]]\nzh = "去"\nen = "go"\nto = "page:potision"',
        35,
        "potision",
    ),
    "answer to an unknown kind": ('answer = "sum(A)"', 'kind = "riddle"', 31, "riddle"),
}


def write(folder: Path, text: str) -> Path:
    path = folder / "x1.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_lesson_is_what_its_file_says(tmp_path: Path) -> None:
    """Steps in order, with knobs, matrices, claims and questions."""
    lesson = read_lesson(write(tmp_path, GOOD))

    assert (lesson.key, lesson.group, lesson.title.of("en")) == ("x1", "mine", "Title")
    assert [step.say.of("zh") for step in lesson.steps] == ["一", "二"]
    assert lesson.steps[0].settings.knobs == {"n_layers": 3}
    assert lesson.steps[1].given["A"].tolist() == [[1, 2], [3, 4]]
    assert float(lesson.steps[1].claims[0].printed) == 11
    assert lesson.steps[1].question.answer == "sum(A)"


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_has_a_file_a_line_and_a_reason(tmp_path: Path, name: str) -> None:
    """In both languages, in one sentence."""
    before, after, line, word = MISTAKES[name]
    assert GOOD.count(before) == 1
    with pytest.raises(BadLesson) as caught:
        read_lesson(write(tmp_path, GOOD.replace(before, after)))

    assert caught.value.values["line"] == line
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert "x1.toml" in sentence and str(line) in sentence and word in sentence


@pytest.mark.parametrize(
    ("tables", "line"),
    [
        ('choices_zh = ["a", "b"]\nchoices_en = ["a"]\nright = 0', 32),
        ('choices_zh = ["a", "b"]\nchoices_en = ["a", "b"]\nright = 2', 33),
    ],
)
def test_choices_must_fit_together(tmp_path: Path, tables: str, line: int) -> None:
    """As many in each language, and the right one among them."""
    with pytest.raises(BadLesson) as caught:
        read_lesson(write(tmp_path, GOOD.replace('answer = "sum(A)"', tables)))
    assert caught.value.values["line"] == line


def test_the_others_are_read_all_the_same(tmp_path: Path) -> None:
    """A broken file is an error beside the good lessons."""
    write(tmp_path, GOOD)
    (tmp_path / "x4.toml").write_text("title = 3\n[[step]]\nquestion = 3\n", encoding="utf-8")
    (tmp_path / "x2.toml").write_text("group =", encoding="utf-8")
    (tmp_path / "x3.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "x10.toml").write_text(GOOD, encoding="utf-8")
    lessons, errors = read_folder(tmp_path)

    assert [lesson.key for lesson in lessons] == ["x1", "x10"]
    assert [Path(str(error.values["path"])).name for error in errors] == ["x2.toml", "x3.toml", "x4.toml"]


def test_a_file_that_is_not_there_is_an_error_of_the_users(tmp_path: Path) -> None:
    """Not a bug."""
    with pytest.raises(CannotRead):
        read_lesson(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("language", LANGUAGES)
def test_bundled_lessons_speak_both_languages(language: str) -> None:
    """Every sentence of every step; English has no Chinese full stop, Chinese is Chinese."""
    for lesson in bundled_lessons()[0]:
        for step in lesson.steps:
            said = step.say.of(language)
            assert said
            assert ("。" in said or "：" in said or "？" in said) is (language == "zh")


def test_errors_are_explorer_errors() -> None:
    """They take the way of a user's mistakes."""
    assert issubclass(BadLesson, ExplorerError)


def test_the_readmes_lesson_can_be_read(tmp_path: Path) -> None:
    """What a teacher copies from it works."""
    readme = asset_text("lessons/README.md")
    lesson = read_lesson(write(tmp_path, readme.partition("```toml\n")[2].partition("```")[0]))

    assert lesson.steps[0].given["A"].sum() == 10
    assert lesson.steps[0].claims and lesson.steps[0].question
