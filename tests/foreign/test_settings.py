"""The families that transformers has, read without importing it."""

import sys
from pathlib import Path

import pytest

from explorer.foreign import settings
from explorer.foreign.settings import known_families

slow = pytest.mark.slow


@slow
def test_the_families_are_those_that_the_library_itself_names() -> None:
    """All of them, and no other."""
    from transformers import CONFIG_MAPPING

    assert known_families() == set(CONFIG_MAPPING)


def test_without_the_library_no_family_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor with one that keeps its tables elsewhere: opening the model says what is missing."""
    for found in (None, type("Spec", (), {"submodule_search_locations": [str(Path(sys.prefix) / "nowhere")]})):
        monkeypatch.setattr(settings, "find_spec", lambda _name, found=found: found)
        assert known_families() == frozenset()
