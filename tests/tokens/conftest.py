"""jieba's dictionary, 90 MB in each of these, is read once a file and goes with it."""

from pathlib import Path

import jieba
import pytest

from explorer.api.lending import computer_of_process
from explorer.tokens.segment import Segmenter
from explorer.tokens.tokenizer import Tokenizers


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jieba")


@pytest.fixture(scope="module")
def segmenter(cache: Path) -> Segmenter:
    loaded = Segmenter(cache)
    loaded.spans("我", "accurate", hmm=True)
    return loaded


@pytest.fixture(scope="module")
def tokenizers() -> Tokenizers:
    return computer_of_process().sources.tokenizers


@pytest.fixture(scope="module")
def plain_jieba(cache: Path) -> jieba.Tokenizer:
    """jieba as it is, to hold the segmenter against."""
    plain = jieba.Tokenizer()
    plain.tmp_dir = str(cache)
    return plain
