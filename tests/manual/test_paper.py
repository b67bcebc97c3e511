"""The chapter "From a paper to a figure": its code runs as it is printed, and finds what the text says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from explorer.resources import asset
from tests.sweeps import exhaustive


def blocks(language: str) -> list[str]:
    """The pieces of code of the chapter, in their order."""
    return re.findall(r"```\n(.*?)```", asset(f"manual/{language}/paper.md").read_text(encoding="utf-8"), re.DOTALL)


def test_both_languages_have_the_same_code() -> None:
    """As many lines as the text says."""
    assert blocks("zh") == blocks("en")
    *python, command = blocks("en")
    assert sum(bool(line.strip()) for piece in python for line in piece.splitlines()) == 30
    assert command.startswith("transformer-explorer export")


@exhaustive
def test_its_code_finds_what_the_text_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two induction heads in the second layer; the position behind the changed letter; one head behind their keys; a figure."""
    monkeypatch.chdir(tmp_path)
    *python, command = blocks("en")
    found: dict[str, Any] = {}
    for piece in python:
        exec(piece, found)  # A reader does the same.

    heads = found["heads"]
    # Another processor rounds otherwise, and its training ends a few hundredths beside.
    assert (heads > 0.4).sum(axis=1).tolist() == [0, 2]
    assert (heads < 0.2).sum() == 6 and found["layer"] == 1
    ablated = found["effects"].spread("heads")
    assert ablated.high[0, 1, found["head"]] < -0.5
    stream = found["patched"].spread("decoder stream").mean  # [tap, position]
    assert [int(row.argmax()) for row in stream] == [5, 6, 15]
    assert stream[1, 6] > 0.7
    previous = found["explorer"].many(found["prompts"], "induction").measures("decoder.self_attn")["previous"].mean(axis=0)
    assert int(found["path"].spread().mean[0].argmax()) == int(previous[0].argmax())
    subprocess.run([sys.executable, "-m", "explorer", *shlex.split(command)[1:]], check=True)
    assert Path("induction.pdf").read_bytes().startswith(b"%PDF")
