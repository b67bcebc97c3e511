"""Files of strangers: whatever stands in one, the answer is one short sentence with its file and line."""

import contextlib
import os
import socket
import tempfile
from pathlib import Path

import pytest

from explorer.errors import BadLesson, CannotRead, DeviceAsFile, ExplorerError, FolderAsFile, NotAFile, PipeAsFile
from explorer.lang import LANGUAGES, Words
from explorer.lessons.lesson_file import MOST_BYTES, is_lesson, lesson_key
from explorer.lessons.read import read_folder, read_lesson

STEP = '[title]\nzh = "一"\nen = "one"\n[[step]]\nzh = "一"\nen = "one"\n'  # six lines
CLAIM = '[[step.claim]]\nzh = "一"\nen = "one"\n'

HOSTILE = {  # what follows the six lines, and the line that is told
    "lists in lists": ("cuts = " + "[" * 5000 + "]" * 5000, 7),
    "lists in lists, line by line": ("cuts = \n" + "[\n" * 5000 + "]\n" * 5000, 24),
    "tables in tables": ("knobs = " + "{a=" * 5000 + "1" + "}" * 5000, 7),
    "a key of many parts": ("a." * 20_000 + "b = 1", 7),
    "a key of many parts in a table": ("knobs = {" + "a ." * 20_000 + "b = 1}", 7),
    "a head of many parts": ("[" + "a." * 20_000 + "b]\nx = 1", 7),
    "a value of nine floors": ("knobs = { a = [[[[[[[[[1]]]]]]]]] }", 7),
    "a number of 5,000 digits": ("knobs = { seed = " + "9" * 5000 + " }", 7),
    "a number of 400 digits": ("knobs = { seed = " + "9" * 400 + " }", 7),
    "a long hexadecimal number": ("knobs = { seed = 0x" + "f" * 50_000 + " }", 7),
    "a tolerance of 400 digits": (f"{CLAIM}true = '1'\ntolerance = " + "9" * 400, 11),
    "a tolerance that is no number": (f"{CLAIM}true = '1'\ntolerance = nan", 11),
    "a matrix with one such number": ("[step.given]\nA = [" + "9" * 400 + "]", 8),
    "100,000 given cells": ("[step.given]\nA = [" + "1," * 100_000 + "]", 8),
    "129 given cells": ("[step.given]\nA = [" + "1," * 129 + "]", 8),
    "129 given cells in two matrices": ("[step.given]\nA = [" + "1," * 100 + "]\nB = [" + "1," * 29 + "]", 7),
    "100,000 printed cells": (f"{CLAIM}true = '1'\nprinted = [" + "1," * 100_000 + "]", 11),
    "a text of 100,000 characters": ("text = '" + "一" * 50_000 + "'", 7),
    "a key of 100,000 characters": ("a" * 100_000 + " = 1", 7),
    "a list for a text": ("text = [" + "'a'," * 20_000 + "]", 7),
    "a list for a knob": ("knobs = { seed = [" + "'a'," * 20_000 + "] }", 7),
    "1,000 claims": (f"{CLAIM}true = '1'\n" * 1000, 7),
    "a deep formula": (f"{CLAIM}true = '" + "(" * 200 + "1" + ")" * 200 + "'", 10),
    "a long formula": (f"{CLAIM}true = '" + "1+" * 900 + "1'", 10),
    "a long name in a formula": (f"{CLAIM}true = '" + "n" * 500 + "'", 10),
    "a long preset": ("preset = '" + "p" * 1500 + "'", 7),
    "an unfinished text": ('text = "' + "a" * 100_000, 7),
    "quotes without end": ('text = """' + '\\"""' * 20_000, 7),
}


def hostile(folder: Path, name: str) -> Path:
    path = folder / "x1.toml"
    path.write_text(STEP + HOSTILE[name][0], encoding="utf-8")
    return path


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gets_one_sentence_with_its_line(tmp_path: Path, name: str) -> None:
    """Short, in both languages, and the only thing that is raised."""
    path = hostile(tmp_path, name)
    with pytest.raises(BadLesson) as caught:
        read_lesson(path)

    assert HOSTILE[name][1] == caught.value.values["line"]
    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value).replace(str(path), "x1.toml")
        assert "x1.toml" in sentence and len(sentence) < 320


def test_the_six_lines_are_a_lesson(tmp_path: Path) -> None:
    """So it is what follows them that is refused; and what is just small enough is read."""
    path = tmp_path / "x1.toml"
    for text in (
        STEP,
        f"{STEP}[step.given]\nA = [{'1,' * 128}]",
        f"{STEP}text = '''\n[[[[[[[[[[[[[[[[[[[[ a.b.c.d.e.f = \n'''",
        f"{STEP}# {'[' * 100}\n",
        f"{STEP}text = '{'一' * 2000}'",
        STEP.replace("\n", "\r\n"),
    ):
        path.write_text(text, encoding="utf-8", newline="")
        assert read_lesson(path).steps[0].say.of("en") == "one"


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    """A million given cells are more bytes than a lesson may have; both sizes are told."""
    path = tmp_path / "x1.toml"
    path.write_text(STEP + "[step.given]\nA = [" + "1," * 1_000_000 + "]", encoding="utf-8")
    with pytest.raises(BadLesson) as caught:
        read_lesson(path)

    for language in LANGUAGES:
        sentence = Words.load(language).error(caught.value)
        assert f"{MOST_BYTES:,}" in sentence and f"{path.stat().st_size:,}" in sentence


def test_a_pipe_a_folder_and_a_device_are_no_files(tmp_path: Path) -> None:
    """None of them is opened: a pipe that nobody writes to would keep the reader for ever."""
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    (tmp_path / "good.toml").write_text(STEP, encoding="utf-8")
    with socket.socket(socket.AF_UNIX) as end, tempfile.TemporaryDirectory() as short:
        end.bind(f"{short}/s")  # the name of a socket has little room
        (tmp_path / "socket.toml").symlink_to(f"{short}/s")
        lessons, errors = read_folder(tmp_path)

    assert [lesson.key for lesson in lessons] == ["good"]
    assert [type(error) for error in errors] == [FolderAsFile, PipeAsFile, NotAFile, DeviceAsFile]
    for language in LANGUAGES:
        assert "pipe.toml" in Words.load(language).error(errors[1])


@pytest.mark.parametrize("name", ["nowhere.toml", "a\0b.toml", "n" * 300 + ".toml"])
def test_a_name_that_is_none_is_an_error_of_the_users(tmp_path: Path, name: str) -> None:
    """Not a bug."""
    with pytest.raises(CannotRead):
        read_lesson(tmp_path / name)


def test_a_folder_can_be_left_in_the_middle(tmp_path: Path) -> None:
    """Whoever closes the window does not wait for all of its files."""
    for number in range(9):
        (tmp_path / f"x{number}.toml").write_text(STEP, encoding="utf-8")
    asked = iter(range(9))

    assert [lesson.key for lesson in read_folder(tmp_path, lambda: next(asked) == 2)[0]] == ["x0", "x1"]


def test_what_is_raised_is_always_an_explorer_error(tmp_path: Path) -> None:
    """Cut off anywhere, with any byte in any place."""
    path = tmp_path / "x1.toml"
    text = f"{STEP}preset = 'tiny'\n[step.given]\nA = [[1, 2]]\n{CLAIM}true = 'sum(A)'\n".encode()
    for place in range(len(text)):
        for changed in (
            text[:place],
            text[:place] + b"\xff" + text[place:],
            text[:place] + b"[" + text[place + 1 :],
            text[:place] + b"=" + text[place + 1 :],
            text[:place] + b"9" + text[place + 1 :],
        ):
            path.write_bytes(changed)
            with contextlib.suppress(ExplorerError):
                read_lesson(path)


def test_a_file_is_known_as_a_lesson_by_its_ending_or_its_steps(tmp_path: Path) -> None:
    """A pipe, a folder and what is not there are none, and asking them waits for nobody."""
    for name, content, known in (
        ("a.lesson.toml", "", True),
        ("b.toml", f"group = 1\n{STEP}", True),
        ("c.toml", "[knobs]\n", False),
        ("d.txt", STEP, False),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        assert is_lesson(tmp_path / name) is known, name
    (tmp_path / "e.toml").mkdir()
    assert not is_lesson(tmp_path / "e.toml") and not is_lesson(tmp_path / "gone.toml")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "f.toml")
        assert not is_lesson(tmp_path / "f.toml")


def test_the_ending_is_no_part_of_what_a_lesson_is_called(tmp_path: Path) -> None:
    """Its key is the same with the longer one."""
    (tmp_path / "mine2.lesson.toml").write_text(STEP, encoding="utf-8")
    assert read_lesson(tmp_path / "mine2.lesson.toml").key == lesson_key(tmp_path / "mine2.toml") == "mine2"
