"""The sentences of a language model: each once, none that is held out for training."""

from pathlib import Path

import pytest

from explorer.errors import NotACorpus
from explorer.tokens.simplify import Simplifier
from explorer.training.corpus import BadRow
from explorer.training.texts import letters_of, read_texts, split_of, usual_form

SIMPLIFIER = Simplifier()
PAIRS = ["train\t我爱猫。\tI love cats.", "train\t我爱猫！\tI love cats!", "valid\t他们学习汉语。\tx", "test\t你好吗？\tx"]


def files(folder: Path, *further: str) -> tuple[Path, Path]:
    (folder / "pairs.tsv").write_text("\n".join(("split\tzh\ten", *PAIRS)), encoding="utf-8")
    (folder / "more.tsv").write_text("".join(f"{place}\tcmn\t{text}\n" for place, text in enumerate(further)), encoding="utf-8")
    return folder / "pairs.tsv", folder / "more.tsv"


@pytest.mark.parametrize(
    "same", ["他们学习汉语。", "他們學習漢語。", "他们学习汉语", "他们，学习汉语！", "他们 学习汉语。", "你好吗?"]
)
def test_nothing_equal_to_a_held_out_sentence_is_trained_on(tmp_path: Path, same: str) -> None:
    """Neither in another script, nor with other punctuation, nor with spaces."""
    texts = read_texts(*files(tmp_path, same), SIMPLIFIER)

    assert texts.train == ("我爱猫。",)
    assert (texts.valid, texts.test) == (("他们学习汉语。",), ("你好吗？",))


def test_a_pair_that_is_wrongly_in_training_is_held_out(tmp_path: Path) -> None:
    """The split of the file is not trusted where two rows have the same sentence."""
    data, further = files(tmp_path)
    with data.open("a", encoding="utf-8") as file:
        file.write("\ntrain\t他們學習漢語\tx")

    assert "他们学习汉语" not in read_texts(data, further, SIMPLIFIER).train


def test_a_further_sentence_keeps_its_split_whatever_is_added(tmp_path: Path) -> None:
    """About four in a hundred are held out; the same ones among twice as many and in another order."""
    some = [f"他有{number}本书。" for number in range(600)]
    first = read_texts(*files(tmp_path, *some), SIMPLIFIER)
    second = read_texts(*files(tmp_path, *reversed(some), *(f"她有{number}只猫。" for number in range(600))), SIMPLIFIER)

    for split in ("train", "valid", "test"):
        assert set(first.split(split)) <= set(second.split(split))
    assert 10 < len(first.valid) + len(first.test) < 45
    assert {split_of(letters_of(usual_form(text, SIMPLIFIER))) for text in first.valid[1:]} == {"valid"}


def test_sentences_are_in_their_usual_form_and_bad_lines_are_told(tmp_path: Path) -> None:
    """Simplified, with full-width punctuation; an empty sentence and a control character are left out."""
    data, further = files(tmp_path, "我們走吧!", "", "坏\0的")
    with further.open("ab") as file:
        file.write(b"9\tcmn\t\xff\n\n")
    texts = read_texts(data, further, SIMPLIFIER)

    assert "我们走吧！" in (*texts.train, *texts.valid, *texts.test)
    assert texts.bad == (BadRow(2, "empty"), BadRow(3, "control_character"), BadRow(4, "not_utf8"))


def test_english_sentences_are_the_other_side_of_the_pairs(tmp_path: Path) -> None:
    """As they stand; case and punctuation make no new sentence, also where one is held out."""
    data, further = files(tmp_path, "I LOVE cats.", "It’s late!", "y", "Do they learn Chinese?")
    data.write_text(data.read_text().replace("\tx\n", "\tDo they learn Chinese?\n", 1), encoding="utf-8")
    texts = read_texts(data, further, None)

    assert texts.valid == ("Do they learn Chinese?",)
    assert texts.train[0] == "I love cats." and "Do they learn Chinese?" not in texts.train
    assert sorted((*texts.train, *texts.valid, *texts.test)) == sorted(
        ("I love cats.", "Do they learn Chinese?", "x", "It’s late!", "y")
    )


def test_a_file_without_splits_is_no_corpus(tmp_path: Path) -> None:
    """The two files cannot be exchanged."""
    data, further = files(tmp_path, "我")
    with pytest.raises(NotACorpus):
        read_texts(further, data, SIMPLIFIER)
