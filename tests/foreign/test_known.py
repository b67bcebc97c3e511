"""The families that transformers has, read without importing it."""

import sys
from pathlib import Path

import pytest

from explorer.foreign import known
from explorer.foreign.known import known_families

slow = pytest.mark.slow


@slow
def test_the_families_are_those_that_the_library_itself_names() -> None:
    """All of them, and no other."""
    from transformers import CONFIG_MAPPING

    assert known_families() == set(CONFIG_MAPPING)


def test_without_the_library_no_family_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor with one that keeps its tables elsewhere: opening the model says what is missing."""
    for found in (None, type("Spec", (), {"submodule_search_locations": [str(Path(sys.prefix) / "nowhere")]})):
        monkeypatch.setattr(known, "find_spec", lambda _name, found=found: found)
        known_families.cache_clear()
        assert known_families() == frozenset()
    monkeypatch.undo()
    known_families.cache_clear()
