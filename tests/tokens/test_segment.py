"""jieba's words with their places, held against jieba itself."""

import json
import os
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import jieba
import pytest
from hypothesis import example, given

from explorer.tokens.graphemes import Spans, borders, characters
from explorer.tokens.segment import Counts, Segmenter, WordCounts, full_spans, word_counts
from explorer.tokens.simplify import Simplifier
from tests.tokens.texts import SIMPLIFIED, anything, chinese, unhurried

slow = pytest.mark.slow

MODES = ("accurate", "full", "search")


def cut(segmenter: Segmenter, text: str, mode: str = "accurate", *, hmm: bool = True, words: tuple[str, ...] = ()) -> list[str]:
    return [text[start:end] for start, end in segmenter.spans(text, mode, hmm=hmm, words=words)]


def seen(words: list[str]) -> list[str]:
    return [word for word in words if word.strip()]


@slow
def test_the_three_modes_cut_as_known(segmenter: Segmenter) -> None:
    """The sentence every introduction to jieba uses."""
    assert cut(segmenter, "我来到北京清华大学") == ["我", "来到", "北京", "清华大学"]
    assert cut(segmenter, "我来到北京清华大学", "full") == ["我", "来到", "北京", "清华", "清华大学", "华大", "大学"]
    assert cut(segmenter, "清华大学", "search") == ["清华", "华大", "大学", "清华大学"]


@slow
def test_the_hidden_markov_model_finds_new_words(segmenter: Segmenter) -> None:
    """杭研 is in no dictionary; without the model it falls into characters."""
    assert "杭研" in cut(segmenter, "他来到了网易杭研大厦")
    assert "杭研" not in cut(segmenter, "他来到了网易杭研大厦", hmm=False)


@slow
@unhurried
@given(chinese)
def test_accurate_mode_is_jieba(segmenter: Segmenter, plain_jieba: jieba.Tokenizer, text: str) -> None:
    """With and without the hidden Markov model."""
    for hmm in (True, False):
        assert cut(segmenter, text, hmm=hmm) == seen(plain_jieba.lcut(text, HMM=hmm))


@slow
@unhurried
@given(chinese)
def test_search_mode_is_jieba(segmenter: Segmenter, plain_jieba: jieba.Tokenizer, text: str) -> None:
    """Inner words first, in jieba's order."""
    for hmm in (True, False):
        assert cut(segmenter, text, "search", hmm=hmm) == seen(plain_jieba.lcut_for_search(text, HMM=hmm))


@slow
@unhurried
@given(chinese)
@example("xB超和T恤")
@example("中国国中国X大学")
def test_full_mode_is_jieba(segmenter: Segmenter, plain_jieba: jieba.Tokenizer, text: str) -> None:
    """Overlapping words, in jieba's order."""
    assert cut(segmenter, text, "full") == seen(plain_jieba.lcut(text, cut_all=True))


@slow
@unhurried
@given(anything)
def test_words_follow_each_other_and_cover_all_that_can_be_seen(segmenter: Segmenter, text: str) -> None:
    """Accurate mode leaves out white space only."""
    spans = segmenter.spans(text, "accurate", hmm=True)

    assert all(a[0] < a[1] <= b[0] for a, b in pairwise(spans))
    assert covered(spans, text) == covered(characters(text), text)


@slow
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


@slow
def test_traditional_text_is_cut_as_its_simplified_form(segmenter: Segmenter) -> None:
    """The words are those that were typed."""
    assert cut(segmenter, "我們在圖書館學習") == ["我們", "在", "圖書館", "學習"]


@slow
@pytest.mark.parametrize("hmm", [True, False])
def test_a_very_long_run_is_cut_as_jieba_cuts_it(segmenter: Segmenter, plain_jieba: jieba.Tokenizer, hmm: bool) -> None:
    """Stretches meet at words, so nothing is seen of them."""
    text = "我们在图书馆学习自然语言处理" * 200

    assert cut(segmenter, text, hmm=hmm) == plain_jieba.lcut(text, HMM=hmm)


@slow
def test_a_word_longer_than_a_stretch_stays_whole(segmenter: Segmenter) -> None:
    """Letters have no border to cut at."""
    assert cut(segmenter, "ab" * 3000) == ["ab" * 3000]


@slow
def test_added_words_are_cut_out(segmenter: Segmenter) -> None:
    """In every mode, and in traditional characters too."""
    for mode in MODES:
        assert "石墨烯片" in cut(segmenter, "这是石墨烯片吗", mode, words=("石墨烯片",))
    assert "雲計算機" in cut(segmenter, "這是雲計算機嗎", words=("雲計算機",))


@slow
@unhurried
@given(chinese, chinese)
def test_added_words_leave_nothing_behind(segmenter: Segmenter, plain_jieba: jieba.Tokenizer, text: str, word: str) -> None:
    """What is cut afterwards is cut as jieba cuts it that never heard of them, in each mode."""
    cut(segmenter, text, words=(word, "石墨烯片", word[:3], "北京", ""))

    for again in (text, word):
        assert cut(segmenter, again) == seen(plain_jieba.lcut(again))
        assert cut(segmenter, again, "full") == seen(plain_jieba.lcut(again, cut_all=True))
        assert cut(segmenter, again, "search") == seen(plain_jieba.lcut_for_search(again))


@slow
def test_added_words_leave_nothing_behind_after_a_fault(
    segmenter: Segmenter, plain_jieba: jieba.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if cutting fails half way."""
    sentence = "这是石墨烯片和北京天安门吗"

    def broken(*_asked: object, **_named: object) -> list[str]:
        raise TypeError

    with monkeypatch.context() as patched:
        patched.setattr(jieba.Tokenizer, "cut", broken)
        with pytest.raises(TypeError):
            cut(segmenter, sentence, words=("石墨烯片", "北京天安门吗"))
    assert cut(segmenter, sentence) == plain_jieba.lcut(sentence)


@slow
def test_a_word_too_long_to_add_is_left_alone(segmenter: Segmenter) -> None:
    """jieba would enter every beginning of it."""
    assert cut(segmenter, "我爱北京", words=("北" * 100_000,)) == ["我", "爱", "北京"]


@slow
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


@slow
def test_nothing_is_loaded_before_the_first_use(tmp_path: Path) -> None:
    """Making a segmenter is free."""
    Segmenter(tmp_path)

    assert list(tmp_path.iterdir()) == []


@slow
def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Cutting works without a cache."""
    assert cut(Segmenter(tmp_path / "missing"), "我爱北京") == ["我", "爱", "北京"]
    assert capfd.readouterr() == ("", "")


@slow
def test_simplified_text_is_left_as_it_is_for_cutting() -> None:
    """What the comparisons with jieba above rest on."""
    assert Simplifier().simplified(SIMPLIFIED) == SIMPLIFIED


@slow
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


def test_letters_around_a_dictionary_word_are_two_words() -> None:
    """jieba glues x and y to xy, which is not in the text."""
    table = {0: [0], 1: [1, 2], 2: [2], 3: [3]}

    assert list(full_spans(table, "xABy")) == [(1, 3), (0, 1), (3, 4)]


def test_letters_of_no_dictionary_word_are_one_word() -> None:
    """It ends where other characters begin, or the text."""
    table = {0: [0], 1: [1], 2: [2], 3: [3]}

    assert list(full_spans(table, "ab我c")) == [(0, 2), (2, 3), (3, 4)]


BUILT: Counts = ({"我": 3, "我们": 2, "爱": 0, "北京": 4_000_000_000, "a b": 7, "𠀀": 1}, 12)


def all_of(found: WordCounts, firsts: Iterable[str] = "我爱北a𠀀们京 b") -> Counts:
    """Every word that begins with one of these characters, and the total."""
    counts: dict[str, int] = {}
    for first in firsts:
        counts |= found.beginning(first)
    return counts, found.total


def build() -> Counts:
    return BUILT


def never() -> Counts:
    raise AssertionError


def test_the_second_time_it_is_read(tmp_path: Path) -> None:
    """With the same key; counts up to four milliards, a character of four bytes, and a total that is no sum."""
    path = tmp_path / "words"
    assert all_of(word_counts(path, "key", build)) == BUILT
    assert all_of(word_counts(path, "key", never)) == BUILT


def told(**about: object) -> bytes:
    """A file in today's form, right in everything but what is said here."""
    rest = b"a\t1"
    head = {"form": "word counts 3", "key": "key", "total": 1, **about}
    head = {"crc32": zlib.crc32(rest, zlib.crc32(str(head["total"]).encode())), **head}
    return json.dumps(head).encode() + b"\n" + rest


def test_the_form_that_is_broken_below_is_read_where_it_is_whole(tmp_path: Path) -> None:
    """So that each of the next test's files is refused for its own fault."""
    (tmp_path / "words").write_bytes(told())
    assert all_of(word_counts(tmp_path / "words", "key", never)) == ({"a": 1}, 1)


@pytest.mark.parametrize("changed", range(60))
def test_a_changed_byte_is_noticed(changed: int, tmp_path: Path) -> None:
    """Wherever it stands, in the head or in the words or in the counts."""
    path = tmp_path / "words"
    word_counts(path, "key", build)
    content = bytearray(path.read_bytes())
    content[changed * len(content) // 60] ^= 1
    path.write_bytes(content)
    assert all_of(word_counts(path, "key", build)) == BUILT


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Only a regular file is opened."""
    os.mkfifo(tmp_path / "words")
    assert all_of(word_counts(tmp_path / "words", "key", build)) == BUILT


@pytest.mark.parametrize(
    "harm",
    [
        b"",
        b"{}",
        b"[]\n",
        b"null\n",
        b"\xff\xfe\n",
        b'{"form": "word counts 1", "key": "key"}\n',
        b'{"form": "word counts 2", "key": "key", "words": 1, "bytes": 1, "total": 1}\na\x01\0\0\0',
        b'{"form": "word counts 3", "key": "key", "total": 1}\na\t1',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        told(form="word counts 2"),
        told(key="other"),
        told(total=0),
        told(total=-5),
        told(total=1e400),
        told(total="x"),
        told(crc32=7),
    ],
)
def test_a_broken_or_foreign_file_is_made_anew(harm: bytes, tmp_path: Path) -> None:
    """And mended on the way."""
    path = tmp_path / "words"
    path.write_bytes(harm)
    assert all_of(word_counts(path, "key", build)) == BUILT
    assert all_of(word_counts(path, "key", never)) == BUILT


def test_a_folder_that_is_not_there_costs_only_time(tmp_path: Path) -> None:
    """Nothing is said, nothing is left."""
    assert all_of(word_counts(tmp_path / "missing" / "words", "key", build)) == BUILT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow  # half a million words are written and read
def test_jiebas_own_dictionary_comes_back_as_it_was(tmp_path: Path, plain_jieba: jieba.Tokenizer) -> None:
    """All half a million words, and the total that its probabilities are made with."""
    plain_jieba.initialize()
    counts = plain_jieba.FREQ, plain_jieba.total
    firsts = {word[0] for word in plain_jieba.FREQ}
    assert all_of(word_counts(tmp_path / "words", "jieba", lambda: counts), firsts) == counts
    assert all_of(word_counts(tmp_path / "words", "jieba", never), firsts) == counts
