"""What tests of models of others share: the folders of tiny ones."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.foreign.models import write_model


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a family's tiny model."""
    made: dict[str, Path] = {}

    def of(name: str) -> Path:
        if name not in made:
            made[name] = write_model(tmp_path_factory.mktemp("models") / name.replace(" ", "-"), name)
        return made[name]

    return of
