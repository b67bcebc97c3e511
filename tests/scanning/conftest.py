"""Sentences of the bundled held-out rows, and what a plan of all measures is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.engine.request import Request
from explorer.scanning.plan import ScanPlan
from explorer.state.held_out import held_out
from explorer.trace.measures.scan_sums import SCAN_MEASURES


@pytest.fixture
def plan() -> Callable[..., ScanPlan]:
    """A plan of all measures of the translator, or of another preset with knobs."""

    def made(preset: str = "translator", chunk_rows: int = 16, best: int = 3, **knobs: object) -> ScanPlan:
        wish = Request.from_preset(preset, "", **knobs).wish
        return ScanPlan(wish=wish, measures=SCAN_MEASURES, best=best, chunk_rows=chunk_rows)

    return made


@pytest.fixture(scope="session")
def sentences() -> tuple[str, ...]:
    """Fifty of all lengths."""
    return held_out(50)


@pytest.fixture
def lines(tmp_path: Path, sentences: tuple[str, ...]) -> Path:
    """The same in a file, with an empty line and one of another kind."""
    path = tmp_path / "sentences.txt"
    path.write_text("\n".join((*sentences, "", "他吃。")), encoding="utf-8")
    return path
