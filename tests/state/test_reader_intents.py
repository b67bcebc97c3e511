"""Opening a model that reads another language: what can be read stays."""

from pathlib import Path

import attrs
import pytest

from explorer.presets import load_preset
from explorer.state.reader_intents import OpenReader
from explorer.state.state import State
from tests.translators import bundle_english


@pytest.mark.parametrize(
    ("text", "stays"), [("She sleeps.", True), ("我爱她。", False), ("我爱北京天安门。", False), ("12 + 3", False)]
)
def test_a_sentence_stays_if_the_model_reads_its_language(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, stays: bool
) -> None:
    """Another one gives way to the model's own; a typed target was in the other language."""
    english = bundle_english(monkeypatch, tmp_path)
    state = State.from_preset("translator", text)
    state = attrs.evolve(state, wish=attrs.evolve(state.wish, target="I sleep.", source_cuts=((0, 2), (2, len(text))), beam=4))
    wish = OpenReader(english).applied(state, None).wish

    assert (wish.preset, wish.beam, wish.target) == (english, 4, None)
    assert wish.text == (text if stays else load_preset(english).text)
    assert (wish.source_cuts is not None) == stays
