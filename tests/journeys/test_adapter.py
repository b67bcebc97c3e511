"""A LoRA adapter in the window: added, switched, compared with its base, taken away; a wrong one springs back."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog

from explorer.app.shell.window import Window
from explorer.state.adapter_intents import OpenAdapter
from explorer.state.intents import SetPreset
from tests.foreign.models import write_model
from tests.foreign.test_adapter import LLAMA, matrices, write_adapter
from tests.journeys.conftest import Journey


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return write_model(tmp_path / "base", "llama")


def test_an_adapter_is_added_switched_and_compared(
    journey: Journey, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of it shows in the logits: other numbers with it, the base's own bits without; both beside each other."""
    adapter = write_adapter(tmp_path / "adapter", matrices(LLAMA))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_arguments: str(adapter))

    def script(window: Window) -> None:
        journey.settle(window)
        bar = window.side.adapter
        plain = _logits(window)
        assert not bar.isVisible()
        window.actions_.by_name["open_any"].trigger()
        window.open_box.folder.click()
        journey.wait(lambda: bool(window.session.state.wish.adapter))
        journey.settle(window)
        adapted = _logits(window)
        assert bar.isVisible()
        assert "adapter" in bar.title.text()
        assert np.abs(adapted - plain).max() > 1e-3

        bar.segments.press("off")
        journey.settle(window)
        np.testing.assert_array_equal(_logits(window), plain)
        bar.segments.press("on")
        bar.compare.click()
        journey.settle(window)
        assert window.session.state.page == "compare"
        assert "adapter" in window.page_stack.page.about.text()
        np.testing.assert_array_equal(_logits(window), adapted)
        assert window.session.frame is not None
        other = window.session.frame.trace.compared_with
        assert other is not None
        np.testing.assert_array_equal(other["generator.logits"], plain)

        bar.drop.click()
        journey.settle(window)
        assert not bar.isVisible()
        np.testing.assert_array_equal(_logits(window), plain)
        window.session.undo()
        journey.settle(window)
        np.testing.assert_array_equal(_logits(window), adapted)
        window.session.ask(SetPreset("tiny"))
        journey.settle(window)
        assert (window.session.state.wish.adapter, bar.isVisible()) == ("", False)

    journey.run(script, "--preset", str(base), "--text", "the fox")


def test_one_that_does_not_fit_springs_back(journey: Journey, base: Path, tmp_path: Path) -> None:
    """By what it is, by whom it belongs to, and where there is no base: a sentence each, and all is as before."""
    strange = write_adapter(tmp_path / "strange", matrices({"model.layers.0.self_attn.q_proj": (32, 31)}))
    other = write_adapter(tmp_path / "other", matrices(LLAMA), use_dora=True)

    def script(window: Window) -> None:
        journey.settle(window)
        plain = _logits(window)
        for folder, told in ((strange, "q_proj"), (other, "use_dora")):
            window.session.ask(OpenAdapter(str(folder)))
            journey.wait(lambda told=told: told in window.refusals.text.text())  # type: ignore[misc]
            journey.settle(window)
            assert (window.session.state.wish.adapter, window.side.adapter.isVisible()) == ("", False)
            np.testing.assert_array_equal(_logits(window), plain)
        window.session.ask(SetPreset("tiny"))
        journey.settle(window)
        window.session.ask(OpenAdapter(str(other)))
        journey.wait(lambda: str(other.name) in window.refusals.text.text())
        assert window.session.state.wish.preset == "tiny"

    journey.run(script, "--preset", str(base), "--text", "the fox")


def _logits(window: Window) -> np.ndarray:
    assert window.session.frame is not None
    return window.session.frame.trace["generator.logits"]
