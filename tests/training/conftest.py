"""Small models on one thread: a second one would wait for the first most of the time."""

from collections.abc import Iterator

import pytest
import torch

from explorer.training.training import Training
from tests.engine.conftest import computer, tokenizers  # noqa: F401  fixtures
from tests.training.runs import CHECKPOINTS, finished


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint every five steps; there are some ten in an epoch."""
    monkeypatch.setattr(CHECKPOINTS, 5)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Training:
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CHECKPOINTS, 5)
        return finished(tmp_path_factory.mktemp("undisturbed"))
