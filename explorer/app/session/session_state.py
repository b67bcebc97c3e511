"""The state of the session, as one value: what is set up, what is on screen, what is asked for, what is waited for.

Decision: pictures that the compute thread makes beforehand are not among it (`pages/prepared.py`). No rule of asking depends
on them, one that is lost is made anew, and the session would carry what it cannot name.
"""

import attrs

from explorer.app.session import told
from explorer.app.session.asking import Asking
from explorer.app.session.history import History, Instant
from explorer.engine.request import Frame, Request
from explorer.presets import DEFAULT, HEAD_FIELDS, load_preset
from explorer.state.intents import Intent, LookAt, OpenStep
from explorer.state.look import Look
from explorer.state.state import State
from explorer.state.state_link import OpenLink, OpenState
from explorer.state.wish import Wish
from explorer.trace.changes import Change
from explorer.trace.measures.opening_head import opening_head


@attrs.frozen
class Opening:
    """The opening head: which one is looked at until a person, a preset's file or a lesson chooses one.

    After opening, and after another model came, the first answer of a trained model decides: its trace is measured, and the
    Look goes to the head that is most worth a look. No later answer of that model changes it. `is_chosen` says whether the
    head was chosen, `is_measured` whether it was measured with this model.

    Decision: it is measured here, once, when the answer is there and before it is painted. Rejected: a head declared in each
    preset, because somebody else's model has none; a measure at each answer, because the picture would jump while one types.
    With random weights the Look stays where it is, since none of their heads is worth more than another.
    """

    is_chosen: bool
    is_measured: bool = False

    @classmethod
    def beginning(cls, state: State, *, restored: bool) -> "Opening":
        """The Opening of the first State. `restored` says that it was left so by somebody: then its head was chosen."""
        return cls(is_chosen=restored or load_preset(state.wish.preset).names_head)

    def followed(self, before: State, after: State, by: Intent | None) -> "Opening":
        """After a change of the State; `by` is None for undo and redo, which bring the Look of another preset back."""
        chosen = self.is_chosen
        if after.wish.preset != before.wish.preset:
            chosen = by is None or _names_head(by) or load_preset(after.wish.preset).names_head
        elif by is not None and _names_head(by):
            chosen = True
        return Opening(chosen, self.is_measured and _model(after.wish) == _model(before.wish))

    def looked(self, look: Look, frame: Frame, wish: Wish) -> tuple["Opening", Look]:
        """The Look for an answer that is about to be shown: with a measured head if it is time for one, else `look` itself."""
        if self.is_chosen or self.is_measured or not frame.trace.trained or _model(frame.wish) != _model(wish):
            return self, look
        found = opening_head(frame.trace)
        if found is not None:
            look = attrs.evolve(look, attention=found.attention, layer=found.layer, head=found.head)
        return Opening(is_chosen=False, is_measured=True), look


def _model(wish: Wish) -> tuple[object, ...]:
    """What decides which weights a wish is computed with."""
    return wish.preset, wish.trained, wish.config.shape


def _names_head(by: Intent) -> bool:
    """Whether an intent says which attention, layer or head to look at."""
    if isinstance(by, (OpenState, OpenLink)):  # Somebody has left the State so.
        return True
    fields = by.fields if isinstance(by, LookAt) else by.settings.look if isinstance(by, OpenStep) else ()
    return not HEAD_FIELDS.isdisjoint(fields)


@attrs.frozen(kw_only=True)
class SessionState:
    """One moment of a session. `step` makes the next one of it.

    Serial numbers: `submitted` is the newest request that was sent to the compute thread; a refused text is never sent. What
    came of the requests up to `heard` is known. Those up to `given_up` were ended by a person, and nothing is asked behind
    their answers.
    """

    history: History
    opening: Opening
    asking: Asking = attrs.field(factory=Asking)
    frame: Frame | None = None  # the answer on screen
    submitted: int = 0
    heard: int = 0
    given_up: int = 0
    wider: Request | None = None  # the wide search that is made when nothing else was asked for a moment
    tried: tuple[Change, ...] = ()  # changes that the last step switched on and that no pass has made yet
    reported: frozenset[tuple[str, str]] = frozenset()  # experiments whose bugs were told, with the bug
    checked: str = ""  # the folder that was checked last
    hangs: bool = False  # whether the work may hang
    held: bool = False  # whether the compute thread waits until the window is painted
    made: bool = False  # whether pictures were made in this turn of the event loop, to be painted in another one
    put_off: bool = False  # whether painting was put off to the next turn
    usual: str = DEFAULT  # the preset that takes the place of a model that cannot be opened

    @classmethod
    def beginning(cls, state: State, at: Instant, *, restored: bool = False, usual: str = DEFAULT) -> "SessionState":
        """Before anything was asked. `restored` says that the user has left the State so, and its Look with it."""
        return cls(history=History.beginning(state, at), opening=Opening.beginning(state, restored=restored), usual=usual)

    @property
    def state(self) -> State:
        """What is set up."""
        return self.history.now

    @property
    def shown(self) -> Request | None:
        """The request that is answered on screen."""
        return None if self.frame is None else self.frame.request

    @property
    def computes(self) -> bool:
        """Whether an answer is still to be heard: what Escape ends, and behind which is asked for all that is missing."""
        return self.heard < self.submitted

    @property
    def opens(self) -> bool:
        """Whether a folder is being opened, and its model is not on screen yet."""
        wish = self.state.wish
        return wish.foreign and (self.frame is None or self.frame.wish.preset != wish.preset)

    @property
    def opening_folder(self) -> str:
        """The folder whose model is being opened, "" for none."""
        folder = load_preset(self.state.wish.preset).foreign if self.opens else None
        return "" if folder is None else str(folder)

    @property
    def is_answered(self) -> bool:
        """Whether the answer on screen is one to the present wish."""
        return self.frame is not None and self.frame.serial >= self.asking.first_serial

    @property
    def undoable(self) -> told.Undoable:
        """Whether there is a step to undo, and one to redo."""
        return told.Undoable(self.history.can_undo, self.history.can_redo)

    def having_heard(self, serial: int) -> "SessionState":
        """After it is known what came of this request."""
        return attrs.evolve(self, heard=max(self.heard, serial))

    def look_for(self, frame: Frame) -> Look:
        """The Look, fitted to an answer; in a model that is newly opened it goes to a layer with attention."""
        is_new = self.frame is None or self.frame.wish.preset != frame.wish.preset
        return self.state.look.fitted(frame.trace, to_attention=is_new)

    def fitting(self, state: State) -> "SessionState":
        """With another Look or page, which is no step; the Look is fitted to the answer on screen."""
        if self.frame is not None:
            state = attrs.evolve(state, look=state.look.fitted(self.frame.trace, to_attention=False))
        return attrs.evolve(self, history=self.history.with_look(state))
