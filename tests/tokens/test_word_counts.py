"""The file of words and counts: what comes back is what was built, and whatever is wrong with it, it is built again."""

import json
import os
import zlib
from pathlib import Path

import jieba
import pytest

from explorer.tokens.segment import Segmenter
from explorer.tokens.word_counts import Counts, word_counts

BUILT: Counts = ({"我": 3, "爱": 0, "北京": 4_000_000_000, "a b": 7, "": 1}, 12)


def build() -> Counts:
    return BUILT


def never() -> Counts:
    raise AssertionError


def test_the_second_time_it_is_read(tmp_path: Path) -> None:
    """With the same key; counts up to four milliards, an empty word, and a total that is no sum."""
    path = tmp_path / "words"
    assert word_counts(path, "key", build) == BUILT
    assert word_counts(path, "key", never) == BUILT


def told(**about: object) -> bytes:
    """A file in today's form, right in everything but what is said here."""
    rest = b"a\x01\0\0\0"
    head = {"form": "word counts 2", "key": "key", "words": 1, "bytes": 1, "total": 1, **about}
    head = {"crc32": zlib.crc32(rest, zlib.crc32(f"{head['words']} {head['bytes']} {head['total']}".encode())), **head}
    return json.dumps(head).encode() + b"\n" + rest


def test_the_form_that_is_broken_below_is_read_where_it_is_whole(tmp_path: Path) -> None:
    """So that each of the next test's files is refused for its own fault."""
    (tmp_path / "words").write_bytes(told())
    assert word_counts(tmp_path / "words", "key", never) == ({"a": 1}, 1)


@pytest.mark.parametrize("changed", range(60))
def test_a_changed_byte_is_noticed(changed: int, tmp_path: Path) -> None:
    """Wherever it stands, in the head or in the words or in the counts."""
    path = tmp_path / "words"
    word_counts(path, "key", build)
    content = bytearray(path.read_bytes())
    content[changed * len(content) // 60] ^= 1
    path.write_bytes(content)
    assert word_counts(path, "key", build) == BUILT


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Only a regular file is opened."""
    os.mkfifo(tmp_path / "words")
    assert word_counts(tmp_path / "words", "key", build) == BUILT


@pytest.mark.parametrize(
    "harm",
    [
        b"",
        b"{}",
        b"[]\n",
        b"null\n",
        b"\xff\xfe\n",
        b'{"form": "word counts 1", "key": "key"}\n',
        b'{"form": "word counts 1", "key": "other", "words": 1, "bytes": 1, "total": 1}\na\x01\0\0\0',
        b'{"form": "word counts 1", "key": "key", "words": 2, "bytes": 1, "total": 1}\na\x01\0\0\0',
        b'{"form": "word counts 1", "key": "key", "words": 1, "bytes": 1, "total": 1}\na\x01\0\0',
        b'{"form": "word counts 1", "key": "key", "words": 1, "bytes": "x", "total": 1}\na\x01\0\0\0',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        told(words=1, bytes=10**18),
        told(words=1, bytes=-1),
        told(words=1, bytes=1, total=0),
        told(words=1, bytes=1, total=-5),
        told(words=1, bytes=1, total=1e400),
        told(words=1, bytes=1, crc32=7),
    ],
)
def test_a_broken_or_foreign_file_is_made_anew(harm: bytes, tmp_path: Path) -> None:
    """And mended on the way."""
    path = tmp_path / "words"
    path.write_bytes(harm)
    assert word_counts(path, "key", build) == BUILT
    assert word_counts(path, "key", never) == BUILT


def test_a_folder_that_is_not_there_costs_only_time(tmp_path: Path) -> None:
    """Nothing is said, nothing is left."""
    assert word_counts(tmp_path / "missing" / "words", "key", build) == BUILT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow  # half a million words are counted
def test_jiebas_own_dictionary_comes_back_as_it_was(cache: Path) -> None:
    """All half a million words, and the total that its probabilities are made with."""
    plain = jieba.Tokenizer()
    plain.tmp_dir = str(cache)
    plain.initialize()
    for _ in range(2):
        segmenter = Segmenter(cache)
        segmenter.spans("我", "accurate", hmm=True)
        assert (plain.FREQ, plain.total) == (segmenter._jieba.FREQ, segmenter._jieba.total)
