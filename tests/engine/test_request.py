"""What goes to the compute thread."""

import attrs
import pytest

from explorer.config import Config
from explorer.engine.request import Detail, Request
from explorer.errors import HeadsDoNotFit, KnobOutOfRange, UnknownKnob, UnknownPreset
from explorer.state.wish import Wish


def test_a_preset_brings_its_sentence_and_its_knobs() -> None:
    """Unless other ones are given."""
    assert Request.from_preset("tutorial-d").wish.text == "我爱学习"
    wish = Request.from_preset("tutorial-d", "你好", temperature=2).wish

    assert (wish.text, wish.preset, wish.config.d_model, wish.config.temperature) == ("你好", "tutorial-d", 4, 2.0)


@pytest.mark.parametrize(
    ("preset", "knobs", "kind"),
    [
        ("none", {}, UnknownPreset),
        ("tiny", {"n_wings": 2}, UnknownKnob),
        ("tiny", {"n_layers": 0}, KnobOutOfRange),
        ("tiny", {"n_heads": 7}, HeadsDoNotFit),
    ],
)
def test_what_does_not_fit_is_refused(preset: str, knobs: dict[str, object], kind: type[Exception]) -> None:
    """Before any thread is asked."""
    with pytest.raises(kind):
        Request.from_preset(preset, **knobs)


def test_a_request_is_a_value() -> None:
    """Frozen, equal by content, usable as a key."""
    first, second = (Request(wish=Wish(text="a", config=Config(), preset="tiny")) for _ in range(2))

    assert first == second
    assert len({first, second, attrs.evolve(first, serial=1)}) == 2
    with pytest.raises(AttributeError):
        first.text = "b"


def test_a_greedy_answer_is_provisional_where_a_search_was_wished_for() -> None:
    """Not where the whole answer is greedy as well, or where the target was typed."""
    wish = attrs.evolve(Wish.from_preset("translator"), beam=4)
    quick = Request(wish=wish, detail=Detail(quick=True))

    assert quick.is_provisional
    assert not Request(wish=wish).is_provisional
    assert not quick.wishing(beam=1).is_provisional
    assert not quick.wishing(target="A bridge.").is_provisional
