"""What follows from the messages of the compute thread. No Qt and no thread."""

import attrs

from explorer.app.session import told
from explorer.app.session.asking import widens_alone
from explorer.app.session.changing import After, asked_also, asked_for, given_back, sprung_back
from explorer.app.session.effects import Effect, Show, StartTimer, StopWork, Tell, Timer
from explorer.app.session.session_state import SessionState
from explorer.engine.request import Frame
from explorer.errors import BadFile, EngineRestarted, ExplorerError, WorkFailed

PAUSE_MS = 400
"""Wait this long after the last request before starting the wide search; people pause for less between keys."""
_BEFORE_LAYERS = "embedding.output"  # The river begins there.
HANGS_S = 10
"""Seconds without a tap or a share of progress after which the work may hang. A usual pass asks hundreds of times a second."""


def framed(session: SessionState, frame: Frame) -> After:
    """Show an answer, unless a newer one is on screen, or it lacks a change that was switched on for it."""
    if session.frame is not None and frame.serial <= session.frame.serial:
        # The compute thread holds itself after each answer, and nothing will be painted of this one.
        return session.having_heard(frame.serial), (StartTimer(Timer.RELEASE, 0),)
    if frame.serial >= session.asking.first_serial:
        left_out = [frame.trace.left_out[change] for change in session.tried if change in frame.trace.left_out]
        session = attrs.evolve(session, tried=())
        if left_out:  # The picture stays, and the switch springs back.
            return sprung_back(session.having_heard(frame.serial), left_out[0])
    opening, look = session.opening.looked(session.look_for(frame), frame, session.state.wish)
    before, page = session.state, _page_with_something(session, frame)
    history = session.history.with_look(attrs.evolve(before, look=look, page=page))
    session = attrs.evolve(session, frame=frame, opening=opening, history=history, held=True)
    session, effects = _broken(session, frame)
    turned = () if page == before.page else (Tell(told.Set(session.state, before, None)),)
    return session, (Show(frame), *turned, *effects)


def _page_with_something(session: SessionState, frame: Frame) -> str:
    """The page in front; the attention page, or the tensors, for a model newly opened of which the overview has nothing."""
    page, last, trace = session.state.page, session.frame, frame.trace
    is_new = last is None or last.wish.preset != frame.wish.preset
    if page != "overview" or not is_new or any(tap.endswith(_BEFORE_LAYERS) for tap in trace.names()):
        return page
    return "attention" if trace.card.attentions else "inspector"


def recalled(session: SessionState, frame: Frame) -> After:
    """Show an answer of an earlier run until there is one, and ask at once for the whole: a quick answer would add nothing."""
    if session.frame is not None or frame.wish != session.state.wish:
        return session, ()
    opening, look = session.opening.looked(session.look_for(frame), frame, session.state.wish)
    history = session.history.with_look(attrs.evolve(session.state, look=look))
    session, effects = asked_for(attrs.evolve(session, frame=frame, opening=opening, history=history))
    return session, (Show(frame), *effects)


def frame_shown(session: SessionState, serial: int) -> After:
    """Ask for what the answer leaves out, now that the window has said what it needs; for a wide search behind a pause."""
    session, frame = session.having_heard(serial), session.frame
    busy = (Tell(told.Busy(session.computes)),)
    if frame is None or frame.serial != serial:
        return session, busy
    asking, rest = session.asking.rest(session.state.wish, frame.request)
    if rest is None:
        return session, busy
    if serial <= session.given_up:  # The answer was there before it could be ended.
        return session, (*busy, Tell(told.GivenUp()))
    session = attrs.evolve(session, asking=asking)
    if widens_alone(rest, frame.request):
        return attrs.evolve(session, wider=rest), (*busy, StartTimer(Timer.WIDEN, PAUSE_MS))
    return asked_also(session, rest)


def failed(session: SessionState, serial: int, error: BaseException) -> After:
    """Tell why there is no answer: a bug of any request, anything else of the newest one."""
    session = session.having_heard(serial)
    effects: tuple[Effect, ...] = (Tell(told.Busy(session.computes)),)
    if not isinstance(error, ExplorerError):
        effects = (*effects, Tell(told.Broke(error)))
        error = WorkFailed(kind=type(error).__name__)
    more: tuple[Effect, ...] = ()
    is_newest = serial == session.asking.serial
    if is_newest and session.history.can_undo and (session.tried or _adapts_in_vain(session, error)):
        session, more = sprung_back(session, error)
    elif serial == session.submitted and session.opens and isinstance(error, BadFile | EngineRestarted | WorkFailed):
        session, more = _cannot_open(session, error)
    elif is_newest:
        more = (Tell(told.Refused(error)),)
    return session, (*effects, *more)


def stopped(session: SessionState, serial: int) -> After:
    """Tell that the newest request has ended without an answer. A model that was being opened gives the one before back."""
    session = session.having_heard(serial)
    busy = Tell(told.Busy(session.computes))
    if serial == session.submitted and session.opens:
        session, effects = given_back(session)
        return session, (busy, *effects, Tell(told.OpeningGivenUp()))
    return session, (busy, Tell(told.GivenUp())) if serial == session.asking.serial else (busy,)


def progressed(session: SessionState, serial: int, share: float) -> After:
    """Tell how far the newest request is, or an opening, whichever text waits for it."""
    tells = serial == session.asking.serial or session.opens
    return session, (Tell(told.ShareDone(share)),) if tells else ()


def folder_refused(session: SessionState, path: str, error: ExplorerError) -> After:
    """Give the model before back, which the compute thread would find out when it comes to it."""
    if path != session.opening_folder or not isinstance(error, BadFile):
        return session, ()
    session, effects = _cannot_open(session, error)
    return session, (StopWork(), *effects)


def silent(session: SessionState, seconds: float) -> After:
    """Tell each time for how long the work hangs, and once that it does so no more."""
    hung, hangs = session.hangs, seconds >= HANGS_S
    session = attrs.evolve(session, hangs=hangs)
    if hangs:
        return session, (Tell(told.Hangs(max(int(seconds), 1))),)
    return session, (Tell(told.Hangs(0)),) if hung else ()


def _broken(session: SessionState, frame: Frame) -> After:
    """Report what broke experiments, once: each answer meets it again."""
    new = {(name, repr(error)): error for name, error in frame.broken.items()}
    effects = tuple(Tell(told.Broke(error)) for key, error in new.items() if key not in session.reported)
    return attrs.evolve(session, reported=session.reported | new.keys()), effects


def _cannot_open(session: SessionState, error: ExplorerError) -> After:
    session, effects = given_back(session)
    return session, (*effects, Tell(told.SprungBack(error)))


def _adapts_in_vain(session: SessionState, error: ExplorerError) -> bool:
    """Whether an error is about the files of an adapter of which there is no answer yet."""
    shown, wish = session.frame, session.state.wish
    return bool(wish.adapter) and shown is not None and shown.wish.adapter != wish.adapter and isinstance(error, BadFile)
