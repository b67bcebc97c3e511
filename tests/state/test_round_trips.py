"""Ten thousand States of all kinds are written and read, and a session of each older version opens."""

import itertools
import math
import random
import string
from pathlib import Path
from typing import Any

import attrs
import pytest

from explorer import page_list
from explorer.config import BEAM, KNOBS, Config
from explorer.errors import BadKnob, BadState
from explorer.knobs import Knob
from explorer.presets import preset_names
from explorer.state.look import Look
from explorer.state.saved import Saved, read_saved
from explorer.state.state import LessonPlace, State
from explorer.state.state_file import parsed, to_toml
from explorer.state.wish import Wish
from explorer.trace.changes import Change
from tests.sweeps import exhaustive

SAMPLES = Path(__file__).with_name("sessions")
LETTERS = f"我爱北京天安门😀\u0301\u200b\ufeff\x7f\x00{string.printable}"


class Chance:
    """Values drawn by one seed: each of them a value that a user could have set."""

    def __init__(self, seed: int) -> None:
        self._drawn = random.Random(seed)

    def text(self, most: int = 12) -> str:
        return "".join(self._drawn.choices(LETTERS, k=self._drawn.randint(0, most)))

    def texts(self) -> tuple[str, ...]:
        return tuple(self.text() for _each in range(self._drawn.randint(0, 3)))

    def some(self, values: dict[str, Any]) -> dict[str, Any]:
        """Some of these fields; the others stay as they were."""
        return {name: value for name, value in values.items() if self._drawn.random() < 0.4}

    def cuts(self) -> tuple[tuple[int, int], ...]:
        places = sorted(self._drawn.sample(range(30), 4))
        return tuple(itertools.pairwise(places))

    def knob(self, knob: Knob) -> object:
        if knob.kind == "choice":
            return self._drawn.choice(knob.choices)
        if knob.kind == "bool":
            return self._drawn.random() < 0.5
        low, high = knob.valid.low, knob.valid.high
        if knob.kind == "int":
            return self._drawn.randint(int(low), int(high))
        value = self._drawn.uniform(max(low, -1e6), min(high, 1e6))
        return value if math.isfinite(value) else knob.default

    def knobs(self, config: Config) -> Config:
        for knob in self._drawn.sample(KNOBS, 3):
            try:
                config = config.nearest_valid(**{knob.name: self.knob(knob)})
            except BadKnob:  # Two knobs that cannot be together: another one is drawn.
                continue
        return config

    def changes(self) -> tuple[Change, ...]:
        drawn = self._drawn
        known = (
            Change("encoder.layers.0.self_attn.mixed", "scale", head=drawn.randint(0, 7), value=drawn.uniform(-3, 3)),
            Change("encoder.norm", "patch", text=self.text() or "a"),
            Change("encoder.norm", "mean", rows=(0, drawn.randint(1, 9)), on=drawn.random() < 0.5),
            Change("decoder.layers.1.cross_attn.weights", "set", head=1, rows=(0,), columns=(2,), value=drawn.random()),
        )
        return tuple(drawn.sample(known, drawn.randint(0, 4)))

    def wish(self) -> Wish:
        drawn = self._drawn
        wish = Wish.from_preset(drawn.choice(preset_names()), self.text(40))
        fields = self.some({
            "target": self.text(),
            "source_cuts": self.cuts(),
            "target_cuts": self.cuts(),
            "words": self.texts(),
            "trained": False,
            "prefix": tuple(drawn.choices(range(9000), k=3)),
            "beam": drawn.randint(int(BEAM.valid.low), int(BEAM.valid.high)),
            "changes": self.changes(),
            "batch": self.texts(),
            "other": self.text(),
            "toward": self.texts(),
            "away": self.texts(),
            "adapter": self.text(),
            "adapted": False,
            "chat": True,
            "by_ids": True,
            "taps": ("*.weights", "encoder.norm"),
            "config": self.knobs(wish.config),
        })  # fmt: skip
        return attrs.evolve(wish, **fields)

    def state(self) -> State:
        drawn = self._drawn
        wish = self.wish()
        if drawn.random() < 0.3:
            wish = attrs.evolve(wish, compared_with=self.wish())
        own = State.from_preset(wish.preset).look
        look = attrs.evolve(own, **self.some({"layer": drawn.randint(0, 99), "head": drawn.randint(0, 99), "top_k": 7}))
        lesson = LessonPlace(key=self.text(), step=drawn.randint(0, 9), file=self.text()) if drawn.random() < 0.3 else None
        return State(wish=wish, look=look, page=drawn.choice((*page_list.KEYS, "", self.text())), lesson=lesson)


def come_back(state: State) -> State:
    return read_again(to_toml(state.to_table()))


def read_again(written: bytes) -> State:
    return State.of_table(parsed(written, "a"), "a")[0]


def test_generated_states_come_back() -> None:
    """Three hundred; ten thousand below."""
    chance = Chance(1)
    for _each in range(300):
        state = chance.state()
        assert come_back(state) == state


@exhaustive
@pytest.mark.slow
def test_ten_thousand_generated_states_come_back() -> None:
    """Every field in all company, any text."""
    chance = Chance(18)
    different = set()
    for _each in range(10_000):
        state = chance.state()
        written = to_toml(state.to_table())
        assert read_again(written) == state
        different.add(hash(written))
    assert len(different) > 9_900


def test_a_field_that_is_lost_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator reaches it."""
    whole = State.to_table
    for field in ("words", "changes", "compared_with", "knobs", "look", "source_cuts", "lesson"):
        monkeypatch.setattr(State, "to_table", lambda state, lost=field: {k: v for k, v in whole(state).items() if k != lost})
        chance = Chance(1)
        assert any(come_back(state) != state for state in (chance.state() for _each in range(60))), field


def test_the_generator_sets_every_field_of_a_wish() -> None:
    """A field that is added to it later is to be drawn here too."""
    chance = Chance(1)
    wishes = [chance.state().wish for _each in range(200)]
    plain = Wish.from_preset("tiny")
    never = [f.name for f in attrs.fields(Wish) if all(getattr(w, f.name) == getattr(plain, f.name) for w in wishes)]
    assert never == []


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.explorer*")), ids=lambda path: path.name)
def test_a_session_of_each_version_opens(path: Path) -> None:
    """The files were written by these versions; what is in them is what was set up then."""
    saved = read_saved(path)
    assert saved.unknown == ()
    assert saved.state == SAVED_THEN
    assert come_back(saved.state) == SAVED_THEN


def test_what_came_back_in_version_0_2_still_does() -> None:
    """Its table `kept` too."""
    saved = read_saved(SAMPLES / "kept-0.2.0.explorer.toml")
    assert saved == Saved(state=SAVED_THEN, session="/home/a/lesson.explorer.toml", changed=True, was_shown=True)


def test_the_lesson_comes_back_with_what_was_set_up_before_it() -> None:
    """Both from a file that the program wrote by itself; one of these States was never lost with the other."""
    saved = read_saved(SAMPLES / "lesson" / "kept-0.2.0.explorer.toml")
    assert saved.unknown == () and saved.own == State.from_preset("tiny", "我自己的一句")
    assert saved.state.lesson == LessonPlace(key="c3", step=2, file="/home/a/c3.toml")


@pytest.mark.parametrize(
    "table", ["lesson = 3", "lesson = { step = 1 }", 'lesson = { key = "a", step = -1 }', 'lesson = { key = "a", page = 1 }']
)
def test_a_lesson_that_is_none_is_refused(table: str) -> None:
    """As every other field of a file."""
    with pytest.raises(BadState, match=r"lesson|step|page"):
        State.of_table(parsed(f'version = 1\npreset = "tiny"\n{table}\n'.encode(), "a"), "a")


def test_an_own_state_that_cannot_be_had_any_more_is_left_out(tmp_path: Path) -> None:
    """The rest comes back."""
    path = tmp_path / "a.explorer.toml"
    Saved(state=State.from_preset("tiny"), own=State.from_preset("tiny")).keep(path)
    path.write_text(path.read_text("utf-8").replace('own]\npreset = "tiny"', 'own]\npreset = "gone"'), "utf-8")
    saved = read_saved(path)
    assert "gone" in path.read_text("utf-8") and saved.own is None and saved.state == State.from_preset("tiny")


SAVED_THEN = State(
    wish=attrs.evolve(
        Wish.from_preset("tutorial-c", "我爱北京天安门", temperature=1.5, n_heads=2),
        target="I love Beijing",
        source_cuts=((0, 1), (1, 2), (2, 4), (4, 7)),
        words=("天安门",),
        beam=3,
        batch=("你好",),
        changes=(
            Change("encoder.layers.0.self_attn.mixed", "scale", head=1, value=0.0),
            Change("encoder.norm", "patch", text="你", on=False),
        ),
        compared_with=Wish.from_preset("tiny", "他们", position="none"),
    ),
    look=Look(attention="decoder.cross_attn", layer=1, head=1, top_p=0.5, unit_colours="viridis"),
    page="masks",
)
