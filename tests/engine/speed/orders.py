"""The orders in which packed weights may lie, whichever this machine would take."""

import pytest

ORDERS = "oneDNN's", "turned"
"""The orders of packed weights (`packed.py`)."""


def use_order(monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    """Pack small matrices in this order, whatever torch multiplies with."""
    monkeypatch.setattr("explorer.engine.speed.packed._by_mkl", lambda: order == "turned")
    monkeypatch.setattr("explorer.engine.speed.packed._turns", lambda: order == "turned")
