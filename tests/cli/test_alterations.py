"""Changes in the JSON beside a picture, and the sentences of a search."""

import json
from pathlib import Path

import pytest

from explorer.cli.breaking import read_alterations
from explorer.errors import BadChangesFile, CannotRead, NoSentences
from explorer.state.change_intents import TakeSentence
from explorer.state.held_out import held_out, mixed, own_sentences
from explorer.state.state import State
from explorer.trace.changes import Change

OFF = Change("encoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0)
OTHER = Change("encoder.layers.0.self_attn.mixed", "scale", head=2, value=0.0, on=False)


def written(folder: Path, content: object) -> Path:
    path = folder / "a.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_changes_are_read_from_a_list_and_from_what_stands_beside_a_picture(tmp_path: Path) -> None:
    """Those that are on; of the knobs only those that the change page switches."""
    rows = [OFF.to_dict(), OTHER.to_dict()]
    assert read_alterations(written(tmp_path, rows)) == ((OFF,), {})
    beside = {"changes": rows, "config": {"position": "none", "seed": 3, "residual": True}, "source": "x"}
    assert read_alterations(written(tmp_path, beside)) == ((OFF,), {"position": "none", "residual": True})
    assert read_alterations(written(tmp_path, {})) == ((), {})
    assert read_alterations(written(tmp_path, {"config": None})) == ((), {})


@pytest.mark.parametrize(
    "content",
    ["{", "3", '"x"', "[3]", '[{"tap": "a"}]', '[{"tap": "a", "kind": "no"}]', "[" * 100_000, "\ud800x", '{"changes": 3}'],
)
def test_any_other_file_is_refused(tmp_path: Path, content: str) -> None:
    """With a sentence that names it."""
    path = tmp_path / "a.json"
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(BadChangesFile) as caught:
        read_alterations(path)
    assert "a.json" in str(caught.value)
    with pytest.raises(CannotRead):
        read_alterations(tmp_path / "none.json")


def test_own_sentences_are_lines_or_a_column(tmp_path: Path) -> None:
    """Different ones, without blanks around; a file without any is refused."""
    path = tmp_path / "own.txt"
    path.write_text("\ufeff 他吃。\n\n她吃。 \n他吃。\n", encoding="utf-8")
    assert own_sentences(path) == ("他吃。", "她吃。")
    path.write_text("split\tzh\ten\ntest\t他吃。\tHe eats.\nshort\n", encoding="utf-8")
    assert own_sentences(path) == ("他吃。",)
    path.write_text("split\tzh\ten\ntest\t他吃。\tHe eats.\nshort\n", encoding="utf-8")
    assert own_sentences(path, english=True) == ("He eats.",)
    path.write_text(" \n", encoding="utf-8")
    with pytest.raises(NoSentences, match=r"own\.txt"):
        own_sentences(path)


def test_the_order_mixes_short_and_long_ones() -> None:
    """Every beginning is spread over the whole, and nothing is lost."""
    made = mixed([str(n) for n in range(100)])
    assert sorted(made, key=int) == [str(n) for n in range(100)]
    assert {int(each) // 25 for each in made[:6]} == {0, 1, 2, 3}
    assert len(held_out(7)) == 7


def test_a_found_sentence_is_a_step_of_its_own() -> None:
    """Cuts, prefix and a typed target belong to the old sentence; the changes stay."""
    before = State.from_preset("translator")
    intent = TakeSentence("他吃。")
    after = intent.applied(before, None)
    assert after.wish.text == "他吃。" and after.wish.target is None and intent.gesture == ""
    assert after.wish.changes == before.wish.changes
