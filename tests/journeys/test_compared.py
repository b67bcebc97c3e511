"""What an adapter changed, in the window: heads, tokens and weights against numbers that are computed here."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import explorer
from explorer.app.pages.compare_page import ComparePage
from explorer.app.shell.window import Window
from explorer.picture.causal_kinds import Rewording
from explorer.picture.kinds import Heatmap
from explorer.state.adapter_intents import OpenAdapter
from explorer.state.comparing_intents import CompareWith
from explorer.state.intents import SetText
from tests.cli.test_comparing import by_hand
from tests.foreign.models import write_model
from tests.foreign.test_adapter import ALPHA, LLAMA, RANK, matrices, write_adapter
from tests.journeys.conftest import Journey

TEXT = "the fox loves the dogs"


def compared(window: Window) -> ComparePage:
    page = window.page_stack.page
    assert isinstance(page, ComparePage)
    return page


@pytest.mark.slow  # It opens a model of transformers.
def test_what_an_adapter_changed_is_seen(journey: Journey, tmp_path: Path) -> None:
    """Each head, each token and each matrix, after one click beside the adapter; a click on a head goes to that head."""
    base = write_model(tmp_path / "base", "llama")
    adapter = write_adapter(tmp_path / "adapter", matrices(LLAMA))
    plain, adapted = explorer.explore(TEXT, preset=base), explorer.explore(TEXT, preset=base, adapter=adapter)

    def script(window: Window) -> None:
        journey.settle(window)
        window.session.ask(OpenAdapter(str(adapter)))
        journey.settle(window)
        window.side.adapter.compare.click()
        journey.settle(window)
        part = compared(window).part
        heads, row, weights = part.heads.picture, part.words.picture, part.weights.picture
        assert isinstance(heads, Heatmap) and isinstance(row, Rewording) and isinstance(weights, Heatmap)
        for layer in (0, 1):
            a, b = (
                torch.from_numpy(np.array(each[f"decoder.layers.{layer}.self_attn.weights"])).double()
                for each in (plain, adapted)
            )
            np.testing.assert_allclose(heads.values[layer], ((a - b).abs().sum(-1) / 2).mean(-1), atol=1e-6)
        ids = torch.tensor([token.id for token in plain.tokens.target][1:])
        places = torch.arange(len(ids))
        before, after = (
            torch.from_numpy(np.array(each["generator.logits"])).double().log_softmax(-1)[places, ids]
            for each in (plain, adapted)
        )
        assert [each.difference for each in row.words] == pytest.approx((after - before).tolist(), abs=1e-5)
        shares = {name: norm / of for name, (norm, of) in by_hand(base, matrices(LLAMA), ALPHA / RANK).items()}
        assert (weights.rows.labels, weights.columns.labels) == (("self_attn.q_proj", "self_attn.v_proj"), ("L0", "L1"))
        assert weights.values[0, 0] == pytest.approx(shares["model.layers.0.self_attn.q_proj.weight"], rel=1e-5)
        assert weights.values[1, 1] == pytest.approx(shares["model.layers.1.self_attn.v_proj.weight"], rel=1e-5)
        assert weights.closed is not None and weights.closed.tolist() == [[False, True], [True, False]]
        part.heads.view.chose.emit(1, 2)
        journey.settle(window)
        assert (window.session.state.look.layer, window.session.state.look.head) == (1, 2)
        np.testing.assert_array_equal(part.weights.picture.values, weights.values)  # Another look compares nothing anew.

    journey.run(script, "--preset", str(base), "--text", TEXT)


def test_only_what_differs_is_compared(journey: Journey) -> None:
    """Another sentence has other heads and the same weights, so that no weights are shown; random weights are."""

    def script(window: Window) -> None:
        journey.settle(window)
        window.go("compare")
        page = compared(window)
        assert page.part.heads.isHidden() and page.part.words.isHidden() and page.part.weights.isHidden()
        QTest.mouseClick(page.keep, Qt.MouseButton.LeftButton)
        window.session.ask(SetText("我爱上海"))
        journey.settle(window)
        assert not page.part.heads.isHidden() and page.part.weights.isHidden()
        row = page.part.words.picture
        assert isinstance(row, Rewording) and [each.difference is None for each in row.words].count(True) == len(row.words)
        window.session.ask(CompareWith(trained=False))
        journey.settle(window)
        weights = page.part.weights.picture
        assert isinstance(weights, Heatmap) and not page.part.weights.isHidden()
        own, other = explorer.load_model("sort"), explorer.load_model("sort", trained=False)
        name = next(each for each, _weight in own.named_parameters() if each.endswith("project_query.weight"))
        one, two = (each.get_parameter(name).detach().double() for each in (own, other))
        place = weights.rows.labels.index(name.partition(".0.")[2].removesuffix(".weight"))
        assert weights.values[place, 0] == pytest.approx(float((one - two).norm() / two.norm()), rel=1e-5)

    journey.run(script, "--preset", "sort")
