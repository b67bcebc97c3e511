"""What the largest parts of an account cost: each against a pass of its own, and against the sweep over all parts."""

import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.state.focus import Focus
from explorer.trace.changes import Change
from explorer.trace.found.costs import Costs, removable, shown_values
from explorer.trace.found.effects import Effects
from explorer.trace.found.why import Parts
from explorer.trace.trace import Trace
from tests.engine.experiments.test_effects import tiny

SHE = Request.from_preset("translator", "她给了我一本书。")


def costs_of(computer: Computer, asked: Request, *more: str, **place: int) -> tuple[Trace, Costs]:
    trace = computer(asked.asking(experiments=frozenset({"why", "costs", *more}), focus=Focus(**place))).trace
    found = trace.experiments["costs"]
    assert isinstance(found, Costs)
    return trace, found


def is_of(found: Costs, parts: Parts) -> bool:
    return found.is_of(parts.position, parts.word, parts.rival)


def difference(trace: Trace, found: Costs) -> float:
    logits = trace["generator.logits"][found.position].astype(np.float64)
    return float(logits[found.word] - logits[found.rival])


@pytest.mark.parametrize("asked", [SHE, tiny("encoder-decoder", "post"), tiny("decoder-only")], ids=["she", "post", "only"])
def test_a_cost_is_what_a_pass_without_the_part_lacks(computer: Computer, asked: Request) -> None:
    """The difference of the two logits before minus that of a single pass with the Change, over the same words."""
    trace, found = costs_of(computer, asked, position=1, rival=30)
    assert (found.position, found.rival, len(found.parts)) == (1, 30, 9) and is_of(found, trace.why(1, 30))
    asked = asked.wishing(target=trace.target if trace.expected else asked.wish.target)
    for part, cost in list(zip(found.parts, found.values, strict=True))[::2]:
        off = Change(part.tap, "scale", head=part.head if part.kind == "head" else None, value=0.0)
        other = computer(asked.wishing(changes=(off,))).trace
        assert cost == pytest.approx(difference(trace, found) - difference(other, found), abs=1e-3)


def test_costs_are_the_numbers_of_the_sweep(computer: Computer) -> None:
    """What switching a part off does to the word is the same number there; and the largest share of all costs nothing."""
    trace, found = costs_of(computer, SHE, "effects", position=0)
    effects = trace.experiments["effects"]
    assert isinstance(effects, Effects)
    heads = effects.attentions
    for part, (of_word, _of_rival) in zip(found.parts, found.effects, strict=True):
        if part.kind == "head":
            expected = effects.heads[heads.index(f"decoder.{part.attention}"), part.layer, part.head, 0]
        else:
            expected = effects.feed_forwards[effects.sides.index("decoder"), part.layer, 0]
        assert of_word == pytest.approx(expected, abs=1e-5)
    parts = trace.why(0)
    shares = removable(parts.parts, parts.values)
    assert [each.part for each in shares] == list(found.parts)
    share, cost = shares[1].share, shown_values(found, shares)[1]
    assert found.parts[1].label == "L1 feed_forward" and share > 0.6 and abs(cost) < 0.01  # an account is not a cause


def test_a_feed_forward_goes_with_its_bias(computer: Computer) -> None:
    """Its whole output is switched off, so the bias counts to the share that stands beside the cost."""
    trace, _found = costs_of(computer, SHE, position=0)
    parts = trace.why(0)
    first = removable(parts.parts, parts.values)[0]
    values = [v for part, v in zip(parts.parts, parts.values, strict=True) if part.layer == 2 and "feed_forward" in part.kind]
    assert first.part.kind == "feed_forward" and len(values) == 2 and first.share == pytest.approx(sum(values))
    assert np.isnan(shown_values(_found, removable(parts.parts, parts.values, 60))[-1])


def test_what_there_is_not_costs_nothing(computer: Computer) -> None:
    """A step beyond the end, and a model that writes no words; without a step it is the one that was least sure."""
    for asked in (tiny().asking(focus=Focus(position=99)), tiny("encoder-only")):
        assert "costs" not in computer(asked.asking(experiments=frozenset({"costs"}))).trace.experiments
    trace, found = costs_of(computer, SHE)
    assert is_of(found, trace.why())
