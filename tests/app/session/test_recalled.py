"""The pass on the first screen: it is the one of the present wish, and gives way to the first answer."""

from pathlib import Path

import attrs
import numpy as np
import pytest

from explorer.app.session import effects as do
from explorer.app.session import recalled
from explorer.app.session.changing import opened
from explorer.app.session.events import Recalled, WindowSeen
from explorer.app.session.history import Instant
from explorer.app.session.session_state import SessionState
from explorer.app.session.step import step
from explorer.engine.request import Frame, Request
from explorer.lang import LANGUAGES
from explorer.presets import DEFAULT, first_preset
from explorer.resources import config_folder
from explorer.state.state import State
from tests.app.session.driving import frame
from tests.first_pass import first_pass

FIRST = opened(DEFAULT)
OTHER = opened("tiny")


def kept() -> list[Path]:
    """The files that the next start may read."""
    return list(config_folder().glob("pass-*.npz"))


@pytest.mark.parametrize("preset", sorted({first_preset(language) for language in LANGUAGES}))
def test_the_bundled_pass_is_what_the_first_preset_computes(preset: str) -> None:
    """In each language; rounding differs from one processor to the other, and nothing else does."""
    found, fresh = recalled.recalled(opened(preset).wish), first_pass(preset)
    assert found is not None and found.serial == 0
    assert found.trace.names() == fresh.names() and found.trace.tokens == fresh.tokens and found.trace.target == fresh.target
    for tap in fresh.names():
        np.testing.assert_allclose(found.trace[tap], fresh[tap], rtol=1e-4, atol=1e-4, err_msg=tap)


def test_the_last_answer_is_kept_to_the_bit_and_for_its_own_wish() -> None:
    """One file; another wish finds nothing, and a pass of another wish takes its place."""
    request = Request(wish=OTHER.wish, serial=3)
    made = frame(request)
    recalled.keep(made)
    found = recalled.recalled(OTHER.wish)
    assert found is not None and found.serial == 0 and found.wish == OTHER.wish
    assert all(np.array_equal(found.trace[tap], made.trace[tap]) for tap in made.trace.names())
    assert recalled.recalled(attrs.evolve(OTHER.wish, text="你好")) is None
    recalled.keep(frame(Request(wish=attrs.evolve(OTHER.wish, text="你好"))))
    assert recalled.recalled(OTHER.wish) is None and len(kept()) == 1


def test_a_damaged_file_shows_nothing() -> None:
    """The window stays empty until torch is there, as without one."""
    recalled.keep(frame(Request(wish=OTHER.wish)))
    (path,) = kept()
    path.write_bytes(path.read_bytes()[:1000])
    assert recalled.recalled(OTHER.wish) is None


def test_what_is_large_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """And what was kept before belongs to an older wish."""
    recalled.keep(frame(Request(wish=attrs.evolve(OTHER.wish, text="你好"))))
    monkeypatch.setattr(recalled, "_MOST_BYTES", 1)
    recalled.keep(frame(Request(wish=OTHER.wish)))
    assert kept() == []


def started(state: State) -> SessionState:
    """A session whose window was seen, and which has asked for its first answer."""
    session, _effects = step(SessionState.beginning(state, Instant(0.0, 0.0)), WindowSeen())
    return session


def of(state: State) -> Frame:
    """A frame that an earlier run has kept."""
    return frame(Request(wish=state.wish))


def test_a_recalled_pass_is_shown_and_the_whole_is_asked_for() -> None:
    """A quick answer would take away the search that is on screen."""
    found = of(FIRST)
    session, effects = step(started(FIRST), Recalled(found))
    (request,) = [effect.request for effect in effects if isinstance(effect, do.Submit)]
    assert session.frame is found and any(isinstance(effect, do.Show) for effect in effects)
    assert request.serial == session.submitted and not request.detail.quick and not session.is_answered
    answer = frame(request)
    answered, _effects = step(session, answer)
    assert answered.frame is answer and answered.is_answered


def test_a_recalled_pass_of_another_wish_changes_nothing() -> None:
    """Somebody has typed meanwhile."""
    before = started(FIRST)
    assert step(before, Recalled(of(OTHER))) == (before, ())


def test_a_recalled_pass_never_replaces_an_answer() -> None:
    """Whichever comes first."""
    session = started(FIRST)
    session, _effects = step(session, frame(Request(wish=FIRST.wish, serial=session.submitted)))
    assert step(session, Recalled(of(FIRST))) == (session, ())
