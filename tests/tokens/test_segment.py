"""jieba's words with their places, held against jieba itself."""

import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import jieba
import pytest
from hypothesis import example, given

from explorer.tokens.graphemes import Spans, borders, characters
from explorer.tokens.segment import Segmenter
from explorer.tokens.simplify import Simplifier
from tests.tokens.texts import SIMPLIFIED, anything, chinese, unhurried

pytestmark = pytest.mark.slow

MODES = ("accurate", "full", "search")


def cut(segmenter: Segmenter, text: str, mode: str = "accurate", *, hmm: bool = True, words: tuple[str, ...] = ()) -> list[str]:
    return [text[start:end] for start, end in segmenter.spans(text, mode, hmm=hmm, words=words)]


def seen(words: list[str]) -> list[str]:
    return [word for word in words if word.strip()]


def test_the_three_modes_cut_as_known(segmenter: Segmenter) -> None:
    """The sentence every introduction to jieba uses."""
    assert cut(segmenter, "我来到北京清华大学") == ["我", "来到", "北京", "清华大学"]
    assert cut(segmenter, "我来到北京清华大学", "full") == ["我", "来到", "北京", "清华", "清华大学", "华大", "大学"]
    assert cut(segmenter, "清华大学", "search") == ["清华", "华大", "大学", "清华大学"]


def test_the_hidden_markov_model_finds_new_words(segmenter: Segmenter) -> None:
    """杭研 is in no dictionary; without the model it falls into characters."""
    assert "杭研" in cut(segmenter, "他来到了网易杭研大厦")
    assert "杭研" not in cut(segmenter, "他来到了网易杭研大厦", hmm=False)


@unhurried
@given(chinese)
def test_accurate_mode_is_jieba(segmenter: Segmenter, plain_jieba: jieba.Tokenizer, text: str) -> None:
    """With and without the hidden Markov model."""
    for hmm in (True, False):
        assert cut(segmenter, text, hmm=hmm) == seen(plain_jieba.lcut(text, HMM=hmm))


@unhurried
@given(chinese)
def test_search_mode_is_jieba(segmenter: Segmenter, plain_jieba: jieba.Tokenizer, text: str) -> None:
    """Inner words first, in jieba's order."""
    for hmm in (True, False):
        assert cut(segmenter, text, "search", hmm=hmm) == seen(plain_jieba.lcut_for_search(text, HMM=hmm))


@unhurried
@given(chinese)
@example("xB超和T恤")
@example("中国国中国X大学")
def test_full_mode_is_jieba(segmenter: Segmenter, plain_jieba: jieba.Tokenizer, text: str) -> None:
    """Overlapping words, in jieba's order."""
    assert cut(segmenter, text, "full") == seen(plain_jieba.lcut(text, cut_all=True))


@unhurried
@given(anything)
def test_words_follow_each_other_and_cover_all_that_can_be_seen(segmenter: Segmenter, text: str) -> None:
    """Accurate mode leaves out white space only."""
    spans = segmenter.spans(text, "accurate", hmm=True)

    assert all(a[0] < a[1] <= b[0] for a, b in pairwise(spans))
    assert covered(spans, text) == covered(characters(text), text)


@unhurried
@given(anything)
def test_no_mode_cuts_through_a_character_or_loses_one(segmenter: Segmenter, text: str) -> None:
    """Emoji with joiners and letters with marks stay whole, and no word is white space."""
    allowed = set(borders(text))
    for mode in MODES:
        spans = segmenter.spans(text, mode, hmm=True)
        assert allowed.issuperset(offset for span in spans for offset in span)
        assert covered(spans, text) == covered(characters(text), text)
        assert len(set(spans)) == len(spans)


def covered(spans: Spans, text: str) -> set[int]:
    return {at for start, end in spans for at in range(start, end) if not text[at].isspace()}


def test_traditional_text_is_cut_as_its_simplified_form(segmenter: Segmenter) -> None:
    """The words are those that were typed."""
    assert cut(segmenter, "我們在圖書館學習") == ["我們", "在", "圖書館", "學習"]


@pytest.mark.parametrize("hmm", [True, False])
def test_a_very_long_run_is_cut_as_jieba_cuts_it(segmenter: Segmenter, plain_jieba: jieba.Tokenizer, hmm: bool) -> None:
    """Stretches meet at words, so nothing is seen of them."""
    text = "我们在图书馆学习自然语言处理" * 200

    assert cut(segmenter, text, hmm=hmm) == plain_jieba.lcut(text, HMM=hmm)


def test_a_word_longer_than_a_stretch_stays_whole(segmenter: Segmenter) -> None:
    """Letters have no border to cut at."""
    assert cut(segmenter, "ab" * 3000) == ["ab" * 3000]


def test_added_words_are_cut_out(segmenter: Segmenter) -> None:
    """In every mode, and in traditional characters too."""
    for mode in MODES:
        assert "石墨烯片" in cut(segmenter, "这是石墨烯片吗", mode, words=("石墨烯片",))
    assert "雲計算機" in cut(segmenter, "這是雲計算機嗎", words=("雲計算機",))


@unhurried
@given(chinese)
def test_the_dictionary_is_restored(segmenter: Segmenter, text: str) -> None:
    """Counts, total and words are what they were, whatever was added."""
    dictionary = segmenter._jieba
    dictionary.check_initialized()
    before, total = len(dictionary.FREQ), dictionary.total
    beginnings = {text[:end]: dictionary.FREQ.get(text[:end]) for end in range(len(text) + 1)}

    segmenter.spans("我爱北京", "accurate", hmm=True, words=(text, "石墨烯片", text[:3], "北京", ""))

    assert (len(dictionary.FREQ), dictionary.total) == (before, total)
    assert {part: dictionary.FREQ.get(part) for part in beginnings} == beginnings


def test_the_whole_dictionary_is_restored_after_a_fault(segmenter: Segmenter) -> None:
    """Every single count, even if cutting fails half way."""
    segmenter.spans("我", "accurate", hmm=True)
    before = dict(segmenter._jieba.FREQ)

    with pytest.raises(TypeError), segmenter._added(("石墨烯片", "北京天安门")):
        raise TypeError

    assert before == segmenter._jieba.FREQ


def test_a_word_too_long_to_add_is_left_alone(segmenter: Segmenter) -> None:
    """jieba would enter every beginning of it."""
    assert cut(segmenter, "我爱北京", words=("北" * 100_000,)) == ["我", "爱", "北京"]


def test_the_cache_lies_in_the_given_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing new in the temp folder, nothing said, and the second start reads the cache."""
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    own.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(shared))

    first = cut(Segmenter(own), "我爱北京天安门")

    assert [path.name for path in own.iterdir()] == ["jieba.words"]
    assert list(shared.iterdir()) == []
    assert cut(Segmenter(own), "我爱北京天安门") == first == ["我", "爱", "北京", "天安门"]
    assert capfd.readouterr() == ("", "")


def test_nothing_is_loaded_before_the_first_use(tmp_path: Path) -> None:
    """Making a segmenter is free."""
    Segmenter(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Cutting works without a cache."""
    assert cut(Segmenter(tmp_path / "missing"), "我爱北京") == ["我", "爱", "北京"]
    assert capfd.readouterr() == ("", "")


def test_simplified_text_is_left_as_it_is_for_cutting() -> None:
    """What the comparisons with jieba above rest on."""
    assert Simplifier().simplified(SIMPLIFIED) == SIMPLIFIED


def test_jieba_is_imported_without_a_warning(tmp_path: Path) -> None:
    """Its last release has invalid escapes, of which Python tells whenever it compiles them; here it compiles them anew."""
    for module, calm in (("explorer.tokens.segment", True), ("jieba", False)):
        done = subprocess.run(
            [sys.executable, "-W", "always", "-X", f"pycache_prefix={tmp_path / module}", "-c", f"import {module}"],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert ("invalid escape" not in done.stderr) == calm
