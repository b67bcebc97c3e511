"""The opening head: chosen once for a model, and only as long as nobody has chosen one."""

import attrs
import numpy as np
import pytest

from explorer.app.session import told
from explorer.app.session.session_state import Opening
from explorer.engine.request import Frame, Request
from explorer.state.intents import Intent, OpenStep, ResetKnobs, SetKnob, SetPreset, SetText, SetTrained, look_at
from explorer.state.look import Look
from explorer.state.state import Settings, State
from explorer.tokens.token import Token
from explorer.tokens.vocabulary import BEGIN
from explorer.trace.arrays import frozen_array
from explorer.trace.own_card import card_of
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace
from tests.app.session.driving import Make

FIRST = State.from_preset("translator")
ALIGNED = Look(attention="decoder.cross_attn", layer=1, head=5)
OTHER = Look(attention="decoder.cross_attn", layer=2, head=3)


def answer(state: State, *, aligned: Look = ALIGNED, trained: bool | None = None) -> Frame:
    """A pass in which one head alone looks from each written word at its own word of the source."""
    wish, config = state.wish, state.wish.config
    source = tuple(Token(text, 9 + place, place, place + 1, True) for place, text in enumerate("我爱书"))
    target = (Token("<bos>", BEGIN, 0, 0, True), *source)
    arrays = {}
    for layer in range(config.n_layers):
        weights = np.full((config.n_heads, 4, 3), 1 / 3, np.float32)
        if layer == aligned.layer and aligned.head < config.n_heads:
            weights[aligned.head, :3] = np.eye(3)
        arrays[f"decoder.layers.{layer}.cross_attn.weights"] = frozen_array(weights)
    for name in ("encoder.layers.0.self_attn.weights", "decoder.layers.0.self_attn.weights"):
        arrays[name] = frozen_array(np.full((config.n_heads, 3, 3), 1 / 3, np.float32))
    axes = dict.fromkeys(arrays, ("head", "query", "key")) | {"generator.logits": ("position", "vocab")}
    trace = Trace(
        arrays={**arrays, "generator.logits": frozen_array(np.zeros((4, 1), np.float32))},
        axis_names=axes,
        tokens=Tokens(source=source, target=target),
        config=config,
        places=frozen_array(np.zeros((1, 1), np.float32)),
        card=card_of(config, wish.preset, wish.uses_trained if trained is None else trained),
    )
    return Frame(request=Request(wish=wish, serial=1), trace=trace, tokens_ms=0, build_ms=0, pass_ms=0)


class Person:
    """Somebody at a window that has just been opened: asks, and looks at the answers."""

    def __init__(self, state: State = FIRST, *, restored: bool = False) -> None:
        self.state = state
        self.opening = Opening.beginning(state, restored=restored)

    def asks(self, *intents: Intent) -> "Person":
        for intent in intents:
            before, self.state = self.state, intent.applied(self.state, None)
            self.opening = self.opening.followed(before, self.state, intent)
        return self

    def goes_back_to(self, state: State) -> "Person":
        """By undo or redo."""
        before, self.state = self.state, state
        self.opening = self.opening.followed(before, state, None)
        return self

    def sees(self, aligned: Look = ALIGNED) -> Look:
        frame = answer(self.state, aligned=aligned)
        self.opening, look = self.opening.looked(self.state.look, frame, self.state.wish)
        self.state = attrs.evolve(self.state, look=look)
        return look


def test_the_first_answer_brings_the_head_that_is_aligned() -> None:
    """The translator's preset says nothing of a head: it is measured."""
    assert Person().sees() == ALIGNED


def test_no_later_answer_changes_it() -> None:
    """Not while one types, nor when a knob of the pass is turned, though another head would be the best one now."""
    person = Person()
    person.sees()

    assert person.asks(SetText("你好")).sees(OTHER) == ALIGNED
    assert person.asks(SetKnob("temperature", 2.0)).sees(OTHER) == ALIGNED


@pytest.mark.parametrize("fields", [{"head": 0}, {"layer": 0}, {"attention": "encoder.self_attn"}])
def test_what_a_person_has_chosen_stays(fields: dict[str, object]) -> None:
    """Even before the first answer, and even where it was chosen already."""
    assert Person().asks(look_at(**fields)).sees() == FIRST.look


def test_other_fields_of_the_look_choose_no_head() -> None:
    """Neither colours nor the step of decoding."""
    look = Person().asks(look_at(unit_colours="viridis", position=2)).sees()

    assert look == attrs.evolve(ALIGNED, unit_colours="viridis", position=2)


def test_a_restored_state_was_chosen() -> None:
    """What somebody left comes back as it was."""
    assert Person(restored=True).sees() == FIRST.look


def test_a_lessons_step_that_names_a_head_has_chosen_it() -> None:
    """One that opens a preset and names none gets the one that is measured."""
    named = Settings(wish={"preset": "translator"}, look={"attention": "decoder.cross_attn", "layer": 2})
    silent = Settings(wish={"preset": "translator"}, look={"stage": "scores"})

    assert Person(State.from_preset("tiny")).asks(OpenStep(named)).sees() == Look(attention="decoder.cross_attn", layer=2)
    assert Person(State.from_preset("tiny")).asks(OpenStep(silent)).sees() == attrs.evolve(ALIGNED, stage="scores")


def test_another_preset_is_measured_anew_whatever_was_chosen_before() -> None:
    """Its Look begins at the beginning as well."""
    person = Person()
    person.asks(look_at(head=2)).sees()

    assert person.asks(SetPreset("tiny"), SetPreset("translator")).sees(OTHER) == OTHER


def test_random_weights_leave_the_look_where_it_is() -> None:
    """A slider of the shape moves no head, and so one sees what training did; back at the trained weights it is measured."""
    person = Person()
    person.asks(SetTrained(False))
    assert person.sees() == FIRST.look
    person.asks(SetTrained(True))
    assert person.sees() == ALIGNED
    person.asks(SetKnob("d_ff", 512))
    assert person.sees(OTHER) == ALIGNED
    person.asks(ResetKnobs())
    assert person.sees(OTHER) == OTHER


def test_a_persons_choice_outlives_random_weights() -> None:
    """The same head before and after, of the same preset."""
    person = Person()
    person.sees()
    person.asks(look_at(head=7), SetTrained(False)).sees()

    assert person.asks(SetTrained(True)).sees() == attrs.evolve(ALIGNED, head=7)


def test_undo_brings_back_what_was_looked_at() -> None:
    """The Look of the preset that comes back is the one that was left."""
    person = Person()
    person.sees()
    there = person.state
    person.asks(SetPreset("tiny")).sees()

    assert person.goes_back_to(there).sees(OTHER) == ALIGNED


def test_an_answer_to_an_older_wish_is_not_measured() -> None:
    """It is of another model; the one that is waited for is."""
    person, old = Person(), answer(FIRST)
    person.asks(SetPreset("tiny"), SetPreset("translator"), SetTrained(False))

    assert person.opening.looked(person.state.look, old, person.state.wish)[1] == FIRST.look
    person.asks(SetTrained(True))
    assert person.sees(OTHER) == OTHER


def test_a_preset_that_names_a_head_has_chosen_it(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever made it wanted it."""
    (tmp_path / "preset.toml").write_text('text = "你好"\n[knobs]\n[look]\nlayer = 1\n', encoding="utf-8")  # type: ignore[operator]
    person = Person(State.from_preset(str(tmp_path)))
    frame = answer(person.state, trained=True)

    assert person.opening.looked(person.state.look, frame, person.state.wish)[1] == Look(layer=1)


def test_the_window_hears_of_an_answer_when_its_head_is_chosen(make: Make) -> None:
    """Nothing is painted with the old one: the Frame is told once, with the State as it is then, and undo knows no step."""
    driven = make(FIRST)
    driven.gate.answer = lambda request: attrs.evolve(answer(FIRST), request=request)
    seen: list[tuple[str, int, int]] = []

    def see(value: object) -> None:
        if isinstance(value, Frame):
            look = driven.session.state.look
            seen.append((look.attention, look.layer, look.head))

    driven.session.told.connect(see)
    driven.session.start()
    driven.begun()
    driven.let_go()
    said = driven.heard()

    assert seen == [("decoder.cross_attn", 1, 5)]
    assert [value for value in said if isinstance(value, (told.Set, told.Undoable))] == []
