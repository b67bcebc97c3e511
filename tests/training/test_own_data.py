"""Files of one's own: a text, character by character, and a table of pairs."""

from pathlib import Path

import pytest

from explorer.errors import BadText, EmptySplit, KnobNotAChoice, NotInUtf8, NotPairs, NoTrainingData
from explorer.training.own_data import WindowExample
from explorer.training.run import Run
from explorer.training.setup import usual_setup

SMALL = {"d_model": 16, "d_ff": 32, "n_layers": 1, "n_heads": 2, "epochs": 1}
CHINESE = "天地玄黄，宇宙洪荒。\n日月盈昃，辰宿列张。\n" * 80
ENGLISH = "The quick brown fox jumps over the lazy dog.\n" * 60


def run(tmp_path: Path, task: str, content: bytes) -> Run:
    data = tmp_path / "data.txt"
    data.write_bytes(content)
    return Run(usual_setup(tmp_path / "out", task, data, None, SMALL))


@pytest.mark.parametrize("text", [CHINESE, ENGLISH], ids=["zh", "en"])
def test_a_text_is_cut_into_pieces_that_follow_each_other(tmp_path: Path, text: str) -> None:
    """Line breaks are spaces; English keeps them as tokens, Chinese has none. Each character is predicted from those before."""
    made = run(tmp_path, "text", text.encode())
    symbols = made.prepared.bilingual.source.symbols
    pieces = [each for each in (*made.prepared.train, *made.prepared.valid) if isinstance(each, WindowExample)]
    read = "".join(symbols[id_] for piece in pieces for id_ in piece.ids)
    plain = " ".join(text.split())
    expected = plain.replace(" ", "␣") if text is ENGLISH else plain.replace(" ", "")
    assert read.lstrip("␣") in expected and len(read) > 0.9 * len(expected)
    row = pieces[0].row(0.0, 0.0, None)  # type: ignore[arg-type]  # Nothing is drawn.
    assert (row.given[1:], row.expected[:-1]) == (row.expected[:-1], row.given[1:])
    assert len(made.prepared.valid) == len(pieces) // 10


def test_a_table_of_pairs_is_learned_from(tmp_path: Path) -> None:
    """To the end, and its preset opens with a pair that was kept apart."""
    rows = "\n".join(f"a{n}\tB {n}" for n in range(200))
    made = run(tmp_path, "pairs", rows.encode("utf-8-sig"))
    assert (len(made.prepared.train), len(made.prepared.valid), made.prepared.first) == (180, 20, "a180")
    assert made.prepared.bilingual.target_text(made.prepared.valid[0].target) == "B 180"  # type: ignore[union-attr]
    for _step in made.steps():
        pass
    assert made.finish() == tmp_path / "out"


@pytest.mark.parametrize(
    ("task", "content", "error"),
    [
        ("pairs", b"a\tb\nlonely\n", NotPairs),
        ("pairs", b"a\tb\n", EmptySplit),
        ("pairs", b"a\t\n", NotPairs),
        ("text", b"\xff\xfe\x00", NotInUtf8),
        ("text", b"  \n", BadText),
        ("text", "太短。".encode(), EmptySplit),
    ],
)
def test_a_file_that_is_none_says_why(tmp_path: Path, task: str, content: bytes, error: type[Exception]) -> None:
    """In one sentence, before anything is trained."""
    with pytest.raises(error):
        run(tmp_path, task, content)


def test_a_task_of_a_file_needs_its_file(tmp_path: Path) -> None:
    """And others must have none; a text is for a decoder alone."""
    with pytest.raises(NoTrainingData):
        usual_setup(tmp_path, "text", None, None, {})
    with pytest.raises(NoTrainingData):
        usual_setup(tmp_path, "sort", tmp_path / "x", None, {})
    data = tmp_path / "data.txt"
    data.write_text(CHINESE, encoding="utf-8")
    with pytest.raises(KnobNotAChoice):
        usual_setup(tmp_path, "text", data, None, {"architecture": "encoder-decoder"})
