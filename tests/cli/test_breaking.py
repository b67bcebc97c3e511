"""The commands breaks and postcard, and the same from Python."""

import json
from pathlib import Path

import pytest

import explorer
from explorer.cli.main import main
from explorer.errors import NothingChanged, UnknownFormat, WritesNothing
from explorer.state.held_out import held_out
from explorer.trace.changes import Change

pytestmark = pytest.mark.slow  # commands with the trained model

SENTENCE = "她给了我一本书。"
THREE = ("我不会说法语，也不会说德语。", SENTENCE, "他吃。")
HIDE = tuple(Change(f"decoder.layers.{layer}.cross_attn.masked", "close", columns=(6,)) for layer in range(3))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.txt"
    path.write_text("\n".join(THREE), encoding="utf-8")
    return path


def test_breaks_says_the_share_and_what_was_picked(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As text, and as JSON with all numbers of explorer.breaks."""
    assert main(["breaks", "--position", "none", "--sentences", str(own), "--language", "en"]) == 0
    told = capsys.readouterr().out
    found = explorer.breaks(position="none", sentences=THREE)
    assert f"{found.changed} of 3" in told and "selected" in told
    assert all(one.source in told and one.after in told for one in found.kept) and len(found.kept) >= 1
    assert main(["breaks", "--position", "none", "--sentences", str(own), "--json"]) == 0
    as_json = json.loads(capsys.readouterr().out)
    assert as_json == json.loads(json.dumps(found.to_dict()))
    assert f"{found.changed} of 3 changed" in repr(found)


def test_sentences_without_a_place_for_the_change_are_left_out(own: Path, tmp_path: Path) -> None:
    """They count neither as changed nor as unchanged."""
    found = explorer.breaks(changes=HIDE, sentences=THREE)
    assert len(found) == 2 and found.left_out == 1
    assert [one.source for one in found.tried] == list(THREE[:2])
    assert len(explorer.breaks(position="none", most=2)) == 2 == len(held_out(2))


def test_without_a_change_nothing_is_searched_or_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line and exit status 2; in Python an error."""
    assert main(["breaks", "--language", "en"]) == 2
    assert "No intervention is on" in capsys.readouterr().err
    assert main(["postcard", SENTENCE, "--out", str(tmp_path / "a.png"), "--language", "en"]) == 2
    assert "No intervention is on" in capsys.readouterr().err
    with pytest.raises(NothingChanged):
        explorer.breaks(sentences=THREE)
    with pytest.raises(NothingChanged):
        explorer.postcard(SENTENCE, tmp_path / "a.svg")
    with pytest.raises(UnknownFormat):
        explorer.postcard(SENTENCE, tmp_path / "a.xyz", position="none")
    assert main(["postcard", SENTENCE, "--out", str(tmp_path / "a.xyz"), "--position", "none"]) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_postcard_is_written_and_its_changes_are_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the command and from Python alike; files of numbers are in English."""
    out = tmp_path / "card.svg"
    assert main(["postcard", SENTENCE, "--out", str(out), "--position", "none", "--theme", "dark", "--language", "zh"]) == 0
    assert str(out) in capsys.readouterr().out
    text = out.read_text(encoding="utf-8")
    assert SENTENCE in text and "不用位置编码" in text and 'width="1200" height="630"' in text
    again = tmp_path / "again.svg"
    beside = f"{out}.json"
    assert main(["postcard", SENTENCE, "--out", str(again), "--changes", beside, "--theme", "dark", "--language", "zh"]) == 0
    assert again.read_text(encoding="utf-8") == text
    explorer.postcard(SENTENCE, tmp_path / "python.svg", position="none", theme="dark", language="zh")
    assert (tmp_path / "python.svg").read_text(encoding="utf-8") == text
    explorer.postcard(SENTENCE, tmp_path / "numbers.csv", changes=HIDE[:1], language="zh")
    assert "log_p.changed" in (tmp_path / "numbers.csv").read_text(encoding="utf-8")
    assert "改" not in (tmp_path / "numbers.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("model", [{"preset": "tiny"}, {"preset": "language-model"}, {"preset": "translator", "seed": 3}])
def test_a_model_that_writes_nothing_has_no_share_of_changed_translations(
    model: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nought of all would be said of translations that there are not; it is refused, in Python and at the command line."""
    with pytest.raises(WritesNothing):
        explorer.breaks(position="none", sentences=THREE, **model)  # type: ignore[arg-type]  # names of arguments
    flags = [part for name, value in model.items() for part in (f"--{name}", str(value))]
    assert main(["breaks", "--position", "none", "--language", "en", *flags]) == 2
    assert "generates no translation" in capsys.readouterr().err
