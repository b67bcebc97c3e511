"""What a step changed, in words."""

import attrs
import pytest

from explorer.app.shell.step_text import told_step
from explorer.lang import Words
from explorer.state.intents import Intent, SetBeam, SetKnob, SetPreset, SetTarget, SetText, SetTrained
from explorer.state.state import State
from explorer.state.wish import Wish
from explorer.trace.changes import Change

OFF = Change("decoder.layers.1.cross_attn.mixed", "scale", head=3, value=0.0)


def told(*intents: Intent, preset: str = "tiny", language: str = "en") -> str:
    before = state = State.from_preset(preset)
    for intent in intents:
        state = intent.applied(state, None)
    return told_step(before.wish, state.wish, Words.load(language))


@pytest.mark.parametrize(
    ("intent", "said"),
    [
        (SetKnob("temperature", 0.5), "Attention temperature 1 → 0.5"),
        (SetKnob("causal_mask", False), "Causal, decoder ✓ → —"),
        (SetText("狗"), "sentence"),
        (SetTarget("dog"), "target"),
        (SetBeam(3), "beam width"),
        (SetPreset("paper-base"), "preset: Paper, base"),
    ],
)
def test_a_step_says_what_it_changed(intent: Intent, said: str) -> None:
    """A knob with its value before and after, a preset by its name, without the knobs that it brings."""
    assert told(intent) == said


def test_weights_and_changes_are_told() -> None:
    """What was made inside the pass is told by what it does, with a sign for made and for no more made."""
    words, wish = Words.load("en"), Wish.from_preset("translator")
    changed = attrs.evolve(wish, changes=(OFF,))
    switched = attrs.evolve(wish, changes=(attrs.evolve(OFF, on=False),))

    assert told(SetTrained(False), preset="translator") == "Weights: random"
    assert told_step(wish, changed, words).startswith("+ ") and "head 3" in told_step(wish, changed, words)
    assert told_step(changed, switched, words).startswith("− ")
    assert told_step(wish, switched, words) == words("past.list")


def test_many_differences_are_counted() -> None:
    """Three are named."""
    knobs = [SetKnob(name, value) for name, value in (("seed", 3), ("temperature", 2), ("dropout", 0.5), ("bias", False))]

    assert told(*knobs).endswith(" · 1 more") and told(*knobs).count(" · ") == 3
    assert told(*knobs, language="zh").endswith("另有 1 处")


def test_the_first_state_and_a_comparison_are_told() -> None:
    """So is letting the other state go, and a state that is set up again unchanged."""
    words, wish = Words.load("en"), Wish.from_preset("tiny")
    beside = attrs.evolve(wish, compared_with=wish)

    assert told_step(None, wish, words) == words("past.first")
    assert told_step(wish, beside, words) == words("past.compared")
    assert told_step(beside, wish, words) == words("past.alone")
    assert told_step(wish, wish, words) == words("past.same")


def test_every_field_of_a_wish_has_a_name() -> None:
    """A field that is added later cannot be forgotten."""
    for language in ("zh", "en"):
        words = Words.load(language)
        wish = Wish.from_preset("tiny")
        for name in attrs.fields_dict(Wish):
            other = {
                "text": "x",
                "target": "x",
                "other": "x",
                "adapter": "x",
                "source_cuts": ((0, 1),),
                "target_cuts": ((0, 1),),
                "words": ("x",),
                "batch": ("x",),
                "toward": ("x",),
                "away": ("x",),
                "prefix": (1,),
                "beam": 2,
                "chat": True,
                "adapted": False,
            }.get(name)
            if other is not None:
                assert told_step(wish, attrs.evolve(wish, **{name: other}), words) == words(f"past.field.{name}")
            else:
                assert name in ("config", "preset", "trained", "changes", "compared_with")
