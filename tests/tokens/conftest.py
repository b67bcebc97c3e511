"""The Segmenter for all tests of this room, and jieba itself, whose dictionary of 90 MB goes with the file that asks for it."""

from pathlib import Path

import jieba
import pytest

from explorer.tokens.segment import Segmenter
from explorer.tokens.tokenizer import Tokenizers


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jieba")


@pytest.fixture(scope="session")
def segmenter(cache: Path) -> Segmenter:
    loaded = Segmenter(cache)
    loaded.spans("我", "accurate", hmm=True)
    return loaded


@pytest.fixture(scope="session")
def tokenizers(cache: Path) -> Tokenizers:
    return Tokenizers(cache)


@pytest.fixture(scope="module")
def plain_jieba(cache: Path) -> jieba.Tokenizer:
    """jieba as it is, to hold the segmenter against."""
    plain = jieba.Tokenizer()
    plain.tmp_dir = str(cache)
    return plain
