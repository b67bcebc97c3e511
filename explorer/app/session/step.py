"""The session as a pure function: from its state and an event to its next state and the effects.

It reads no clock, asks no thread and uses no toolkit. Intents that open a folder look at the disk, and so do presets.

Newest wins: a request takes the place of one that still waits, and an answer is shown if none newer is on screen. Escape ends
what runs, and nothing is asked behind it. Nothing is asked twice. A request that fails, or whose thread died, is tried once.

Decision: one value and one function. Rejected: an object with a flag for each thing that is waited for, as each fault of it
was two flags that did not agree.
"""

from typing import assert_never

import attrs

from explorer.app.session import answers, changing, told
from explorer.app.session import events as ev
from explorer.app.session.changing import After, asked_also
from explorer.app.session.effects import EndTimer, Paint, Release, Restart, StartTimer, StopWork, Tell, Timer
from explorer.app.session.events import Event
from explorer.app.session.session_state import SessionState
from explorer.engine import jobs
from explorer.engine.errand import Brought
from explorer.engine.request import Frame


def step(session: SessionState, event: Event) -> After:
    """The state of the session after an event, and its effects in their order."""
    match event:
        case Frame() | jobs.Failed() | jobs.Stopped() | jobs.Progressed() | jobs.Started() | jobs.Broken() | Brought():
            return _heard(session, event)
        case ev.PageShown() | ev.PlacesWanted() | ev.FrameShown():
            return _needed(session, event)
        case ev.PicturesMade() | ev.PaintAsked() | ev.Painted():
            return _painting(session, event)
        case ev.TimerFired(timer):
            return _fired(session, timer)
        case ev.Silence(seconds):
            return answers.silent(session, seconds)
        case ev.FolderRefused(path, error):
            return answers.folder_refused(session, path, error)
        case ev.Recalled(frame):
            return answers.recalled(session, frame)
        case _:
            return _done_by_person(session, event)


def _done_by_person(session: SessionState, event: ev.OfPerson) -> After:
    match event:
        case ev.WindowSeen():
            return changing.asked_for(session)
        case ev.Intended(intent, at):
            return changing.intended(session, intent, at)
        case ev.Undone():
            return changing.gone_to(session, session.history.undone())
        case ev.Redone():
            return changing.gone_to(session, session.history.redone())
        case ev.Escaped():
            return attrs.evolve(session, given_up=session.submitted), (StopWork(),)
        case ev.RestartWanted():
            return session, (Restart(),)
        case ev.WindowClosed():
            return attrs.evolve(session, wider=None), tuple(EndTimer(timer) for timer in Timer)
        case _:
            assert_never(event)


def _heard(session: SessionState, event: jobs.Told) -> After:
    match event:
        case Frame():
            return answers.framed(session, event)
        case jobs.Failed(serial, error):
            return answers.failed(session, serial, error)
        case jobs.Stopped(serial):
            return answers.stopped(session, serial)
        case jobs.Progressed(serial, share):
            return answers.progressed(session, serial, share)
        case jobs.Started():
            return session, (Tell(told.Loaded()),)
        case jobs.Broken(error):
            return session, (Tell(told.Broke(error)),)
        case Brought():
            return session, (Tell(event),)
        case _:
            assert_never(event)


def _needed(session: SessionState, event: ev.PageShown | ev.PlacesWanted | ev.FrameShown) -> After:
    if isinstance(event, ev.FrameShown):
        return answers.frame_shown(session, event.serial)
    wish, shown = session.state.wish, session.shown
    busy = session.computes or not changing.can_be_asked(wish)
    if isinstance(event, ev.PageShown):
        asking, request = session.asking.looking_into(event.experiments, wish, shown, busy, event.focus)
    else:
        asking, request = session.asking.wanting(event.places, wish, shown, busy)
    return asked_also(attrs.evolve(session, asking=asking), request)


def _painting(session: SessionState, event: ev.PicturesMade | ev.PaintAsked | ev.Painted) -> After:
    """Qt paints at the end of the turn of its event loop in which pictures were made. Both together keep keys and the pointer
    waiting for twice as long as either of them, so what was made in a turn is painted in the next one. Nothing is painted
    twice: Qt adds up what is to be painted until it has been.
    """
    match event:
        case ev.PicturesMade():
            return attrs.evolve(session, made=True), ()
        case ev.PaintAsked() if session.made:
            return attrs.evolve(session, put_off=True), (StartTimer(Timer.PAINT, 0),)
        case ev.Painted() if session.held:  # Unless the layout asks for more in the next turn.
            return session, (StartTimer(Timer.RELEASE, 0),)
        case _:
            return session, ()


def _fired(session: SessionState, timer: Timer) -> After:
    match timer:
        case Timer.WIDEN:  # Without the pause each key would begin it, and the next key would wait until it gave way.
            return asked_also(session, session.wider)
        case Timer.RELEASE:
            return attrs.evolve(session, held=False), (Release(),)
        case Timer.PAINT:
            return attrs.evolve(session, made=False, put_off=False), (Paint(),)
        case _:
            assert_never(timer)
