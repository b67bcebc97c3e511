"""One dictionary for all tests of this room."""

from pathlib import Path

import pytest

from explorer.engine.compute import Computer
from explorer.tokens.tokenizer import Tokenizers


@pytest.fixture(scope="session")
def tokenizers(shared_cache: Path) -> Tokenizers:
    return Tokenizers(shared_cache)


@pytest.fixture
def computer(tokenizers: Tokenizers) -> Computer:
    """A new one for each test: it keeps the last model."""
    return Computer(tokenizers)
