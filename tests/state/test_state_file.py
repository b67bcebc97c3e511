"""A State written and read: nothing is lost, and nothing is believed."""

import tomllib
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.config import KNOBS
from explorer.errors import BadState, CannotRead, NewerState
from explorer.lang import Words
from explorer.state.look import Look
from explorer.state.saved import Saved, read_saved
from explorer.state.state import State
from explorer.state.wish import Wish
from explorer.trace.changes import Change

FULL = State(
    wish=attrs.evolve(
        Wish.from_preset("tiny", "我爱北京", temperature=0.5, n_heads=8),
        target="I love",
        source_cuts=((0, 2), (2, 4)),
        target_cuts=((0, 6),),
        words=("北京天安门", "\"''\\\n"),
        trained=False,
        prefix=(4, 5),
        beam=3,
        batch=("你好", ""),
        other="他爱北京",
        toward=("她是老师。",),
        away=("我是老师。", "我"),
        adapter="/an/adapter",
        adapted=False,
        chat=True,
        by_ids=True,
        taps=("*.weights", "encoder.norm"),
        changes=(
            Change("encoder.layers.0.self_attn.mixed", "scale", head=3, value=0.0),
            Change("encoder.norm", "patch", text="你"),
            Change("encoder.norm", "mean", rows=(0, 1), on=False),
        ),
        compared_with=Wish.from_preset("translator", "他们", position="none"),
    ),
    look=Look(
        attention="decoder.cross_attn",
        layer=1,
        head=3,
        overlaid=(1, 3),
        drawn="arcs",
        tap="encoder.norm",
        top_p=0.5,
        unit_colours="viridis",
    ),
    page="masks",
)


def test_every_field_comes_back(tmp_path: Path) -> None:
    """All of them differ from their defaults here, so that none can be forgotten."""
    FULL.save(tmp_path / "a.toml")

    assert read_saved(tmp_path / "a.toml") == Saved(state=FULL)
    plain = Wish(text="", config=FULL.wish.config, preset="tiny")
    same = [field.name for field in attrs.fields(Wish) if getattr(plain, field.name) == getattr(FULL.wish, field.name)]
    assert same == ["config", "preset"]


@pytest.mark.parametrize("preset", ["tiny", "translator", "paper-base", "tutorial-a", "tutorial-e"])
def test_a_preset_needs_two_lines(preset: str, tmp_path: Path) -> None:
    """What is as in the preset is not written, so that a preset that was mended is read as mended.
    Of trained weights it is said which they were."""
    state = State.from_preset(preset)
    attrs.evolve(state, look=Look()).save(tmp_path / "a.toml")

    lines = {"version", "preset", "text"} | ({"weights"} if state.wish.has_trained else set())
    assert set(tomllib.loads((tmp_path / "a.toml").read_text(encoding="utf-8"))) == lines
    assert State.load(tmp_path / "a.toml").wish == state.wish


@given(text=st.text(), page=st.text(max_size=20), words=st.lists(st.text(min_size=1), max_size=3))
def test_any_text_comes_back(text: str, page: str, words: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Quotes, line breaks and characters that nobody sees included."""
    path = tmp_path_factory.mktemp("states") / "a.toml"
    wish = attrs.evolve(Wish.from_preset("tiny", text), words=tuple(words))
    State(wish=wish, page=page).save(path)

    assert State.load(path) == State(wish=wish, page=page)


def test_every_knob_comes_back(tmp_path: Path) -> None:
    """Moved as far as it goes, each by itself."""
    start = Wish.from_preset("tiny")
    for knob in KNOBS:
        value = {"choice": knob.choices[-1:], "bool": (not knob.default,)}.get(knob.kind, (knob.valid.low, knob.valid.high))[-1]
        wish = attrs.evolve(start, config=start.config.nearest_valid(**{knob.name: value}))
        State(wish=wish).save(tmp_path / "a.toml")
        assert State.load(tmp_path / "a.toml").wish == wish, knob.name


def test_half_a_surrogate_does_not_stop_the_file(tmp_path: Path) -> None:
    """No file can hold it: a question mark stands in its place."""
    State.from_preset("tiny", "a\ud800b").save(tmp_path / "a.toml")
    assert State.load(tmp_path / "a.toml").wish.text == "a?b"


def test_names_of_a_later_version_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    """The number of the format grows only where an old program would misread a file."""
    path = tmp_path / "a.toml"
    path.write_text('version = 1\npreset = "tiny"\ntext = "好"\nwings = 2\n[compared_with]\npreset = "tiny"\nfins = 1\n')
    saved = read_saved(path)
    assert (saved.state.wish.text, saved.unknown) == ("好", ("wings", "fins"))


@pytest.mark.parametrize(
    ("content", "kind", "said"),
    [
        ("", BadState, "version ?"),
        ("version = true", BadState, "version ?"),
        ("version = 2", NewerState, "2"),
        ("version = 1", BadState, "preset ?"),
        ('version = 1\npreset = "none"', BadState, "none"),
        ('version = 1\npreset = "tiny"\ntext = 3', BadState, "text cannot be 3"),
        ('version = 1\npreset = "tiny"\nbeam = 99', BadState, "beam cannot be 99"),
        ('version = 1\npreset = "tiny"\nbeam = true', BadState, "beam cannot be True"),
        ('version = 1\npreset = "tiny"\nprefix = [1.5]', BadState, "prefix cannot be 1.5"),
        ('version = 1\npreset = "tiny"\nsource_cuts = [[1]]', BadState, "source_cuts cannot be [1]"),
        ('version = 1\npreset = "tiny"\nknobs = { n_heads = 7 }', BadState, "7"),
        ('version = 1\npreset = "tiny"\nknobs = { wings = 7 }', BadState, "wings"),
        ('version = 1\npreset = "tiny"\nknobs = 3', BadState, "knobs cannot be 3"),
        ('version = 1\npreset = "tiny"\npage = 3', BadState, "page cannot be 3"),
        ('version = 1\npreset = "tiny"\nlook = { layer = -1 }', BadState, "layer cannot be -1"),
        ('version = 1\npreset = "tiny"\nlook = { top_p = nan }', BadState, "top_p cannot be nan"),
        ('version = 1\npreset = "tiny"\nlook = { colour = "red" }', BadState, "colour cannot be ?"),
        ('version = 1\npreset = "tiny"\n[compared_with.compared_with]', BadState, "compared_with"),
        ('version = 1\npreset = "tiny"\nchanges = 3', BadState, "changes"),
        ('version = 1\npreset = "tiny"\n[[changes]]\ntap = "encoder.norm"\nkind = "melt"', BadState, "melt"),
        ("version = [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", BadState, "16"),
        ("version = " + "9" * 5000, BadState, "digits"),
        ("no toml", BadState, ""),
        (b"\xff\xfe", BadState, "utf-8"),
    ],
)
def test_what_is_no_state_is_refused(content: str | bytes, kind: type[BadState], said: str, tmp_path: Path) -> None:
    """With the path and the reason, in one sentence."""
    path = tmp_path / "a.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadState) as refused:
        State.load(path)
    assert type(refused.value) is kind
    sentence = Words.load("en").error(refused.value)
    assert str(path) in sentence and said in sentence and "\n" not in sentence


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    """As for every other file."""
    with pytest.raises(CannotRead):
        State.load(tmp_path / "none.toml")
