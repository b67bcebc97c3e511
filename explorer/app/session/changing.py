"""What follows when the State changes: the window is told, a request is made, or the change is taken back. No Qt, no thread."""

import attrs

from explorer.app.session import told
from explorer.app.session.effects import CheckFolder, Effect, EndTimer, Hold, StartTimer, StopWork, Submit, Tell, Timer
from explorer.app.session.history import History, Instant
from explorer.app.session.session_state import SessionState
from explorer.engine.request import Request
from explorer.errors import BadFile, ExplorerError
from explorer.presets import load_preset
from explorer.state.change_intents import TakeSentence, newly_on
from explorer.state.intents import Intent, SetKnob, SetSampling, SetText
from explorer.state.state import State
from explorer.state.wish import Wish
from explorer.tokens.check import check_text
from explorer.trace.own_card import parameter_bytes

_BEAM = 4  # width of the search that follows the greedy translation; wider searches improve little


def opened(preset: str) -> State:
    """The State of a preset. Raises UnknownPreset, BadPreset."""
    state = State.from_preset(preset)
    return attrs.evolve(state, wish=attrs.evolve(state.wish, beam=_BEAM))


def default_state(refused: State, usual: str) -> State:
    """The State of the usual preset, in place of one whose model cannot be opened. A text of the user's stays."""
    state = attrs.evolve(opened(usual), page=refused.page)
    own = load_preset(refused.wish.preset).text
    return state if refused.wish.text == own else TakeSentence(refused.wish.text).applied(state, None)


After = tuple[SessionState, tuple[Effect, ...]]
"""The state of the session afterwards, and its effects."""

_LARGE_BYTES = 500_000_000


def intended(session: SessionState, intent: Intent, at: Instant) -> After:
    """Apply an intent to the State, and ask for what it needs. An intent that cannot be applied changes nothing."""
    before = session.state
    try:
        state = intent.applied(before, session.frame)
    except BadFile as error:  # A box may show what was chosen: it must show the State again.
        return session, (Tell(told.Set(before, before)), Tell(told.SprungBack(error)))
    except ExplorerError as error:
        return session, (Tell(told.Refused(error)),)
    session = attrs.evolve(session, opening=session.opening.followed(before, state, intent))
    settled = isinstance(intent, SetKnob) and intent.settles(before, state)
    session, effects = _set_up(session, state, intent, at, settled=settled)
    return session, (*effects, Tell(told.Settled(state.wish.config))) if settled else effects


def _set_up(session: SessionState, state: State, intent: Intent, at: Instant, *, settled: bool) -> After:
    before, by = session.state, None if settled else intent
    if intent.is_step and state.wish != before.wish:
        history = session.history.added(state, intent.gesture, at)
        return _changed(attrs.evolve(session, history=history, tried=newly_on(before, state)), before, by)
    if isinstance(intent, SetSampling):
        if state.look != before.look:
            session = attrs.evolve(session, history=session.history.added(state, intent.gesture, at))
        session, effects = _looked(session, state, before, by)
        return session, (*effects, Tell(session.undoable))
    if state != before or settled or not intent.is_step:
        return _looked(session, state, before, by)
    return session, ()


def gone_to(session: SessionState, history: History) -> After:
    """Go to what undo or redo brings back."""
    before = session.state
    session = attrs.evolve(session, history=history, tried=())
    session = attrs.evolve(session, opening=session.opening.followed(before, session.state, None))
    return _changed(session, before)


def sprung_back(session: SessionState, error: ExplorerError) -> After:
    """Take the last step back, because a change that it switched on cannot be made; say why.

    A change that was made before and has no place in a new text is no reason for this: the pass leaves it out.
    """
    before = session.state
    session = attrs.evolve(session, history=session.history.taken_back(), tried=())
    session, effects = _changed(session, before)
    return session, (*effects, Tell(told.SprungBack(error)))


def given_back(session: SessionState) -> After:
    """Go back to the model before, because another one cannot be opened or is not waited for.

    A text that was typed meanwhile stays. Where the program began with that model, the usual preset takes its place.
    """
    before, at = session.state, session.history.at
    history, first = session.history.left(before.wish.preset)
    if history.now.wish.preset == before.wish.preset:
        history = History.beginning(default_state(first, session.usual), at)
    session = attrs.evolve(session, opening=session.opening.followed(before, history.now, None))
    if before.wish.text != first.wish.text:
        history = history.added(SetText(before.wish.text).applied(history.now, None), "", at)
    return _changed(attrs.evolve(session, history=history), before)


def asked_for(session: SessionState) -> After:
    """Ask for an answer to what is set up. A text that cannot be worked on is refused without asking the compute thread."""
    session, effects = _without_wider(session)
    wish = session.state.wish
    if (error := _fault(wish)) is not None:  # The picture stays, and what is computed is out of date.
        session = attrs.evolve(session, asking=session.asking.refused())
        if not session.opens:  # Whoever types another text deletes the old one first: the model is opened all the same.
            session, effects = session.having_heard(session.submitted), (*effects, StopWork())
        return session, (*effects, Tell(told.Busy(session.computes)), Tell(told.Refused(error)))
    if (path := session.opening_folder) and path != session.checked:
        effects = (*effects, CheckFolder(path))
    asking, request = session.asking.first(wish, session.shown)
    shown = None if session.frame is None else session.frame.wish
    # Before another model is built, which takes all cores, the window is painted: all its knobs are others. Otherwise the
    # compute thread goes on after the box and the knobs have been told.
    soon = shown is None or _model(shown) == _model(wish)
    turn = StartTimer(Timer.RELEASE, 0) if soon else EndTimer(Timer.RELEASE)
    session = attrs.evolve(session, asking=asking, submitted=request.serial, checked=path, held=True)
    return session, (*effects, Hold(), turn, Submit(request), Tell(told.Busy(True)))


def asked_also(session: SessionState, request: Request | None) -> After:
    """Send a request that adds to the answer on screen, if there is one."""
    if request is None:
        return session, ()
    session, effects = _without_wider(session)
    return attrs.evolve(session, submitted=request.serial), (*effects, Submit(request), Tell(told.Busy(True)))


def can_be_asked(wish: Wish) -> bool:
    """Whether the compute thread can be asked for a wish at all."""
    return _fault(wish) is None


def _fault(wish: Wish) -> ExplorerError | None:
    """Why a text cannot be worked on."""
    try:
        if not wish.recorded:
            check_text(wish.text)
    except ExplorerError as error:
        return error
    return None


def _without_wider(session: SessionState) -> After:
    if session.wider is None:
        return session, ()
    return attrs.evolve(session, wider=None), (EndTimer(Timer.WIDEN),)


def _looked(session: SessionState, state: State, before: State, by: Intent | None) -> After:
    """Take a State with another Look or page, for which nothing is computed."""
    session = attrs.evolve(session, asking=session.asking.looked_anew()).fitting(state)
    return session, (Tell(told.Set(session.state, before, by)),)


def _changed(session: SessionState, before: State, by: Intent | None = None) -> After:
    config, frame = session.state.wish.config, session.frame
    need = parameter_bytes(config)
    is_large = need > _LARGE_BYTES and (frame is None or frame.wish.config.shape != config.shape)
    said = (Tell(told.Large(need)),) if is_large else ()
    session, effects = asked_for(session)
    return session, (*said, Tell(told.Set(session.state, before, by)), Tell(session.undoable), *effects)


def _model(wish: Wish) -> tuple[object, ...]:
    """The parts of a wish that need a new model. Reseeding untrained weights is cheap and does not count."""
    return wish.preset, wish.trained, wish.worn, wish.config.shape
