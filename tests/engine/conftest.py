"""One Computer's dictionary for all tests of this room: jieba takes half a second to load."""

import pytest

from explorer.api.lending import computer_of_process
from explorer.engine.compute import Computer
from explorer.tokens.tokenizer import Tokenizers


@pytest.fixture(scope="session")
def tokenizers() -> Tokenizers:
    return computer_of_process().sources.tokenizers


@pytest.fixture
def computer(tokenizers: Tokenizers) -> Computer:
    """A new one for each test: it keeps the last model."""
    return Computer(tokenizers)
