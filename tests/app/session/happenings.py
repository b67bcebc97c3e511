"""All that can happen to a simulated session, and lives of it in which some of that happens in any order."""

from collections.abc import Callable
from functools import partial

import attrs
from hypothesis import strategies as st

from explorer.app.session import events as ev
from explorer.app.session.effects import Timer
from explorer.engine import jobs
from explorer.engine.request import Frame, Request
from explorer.errors import MissingWeights, OutOfTensor, TooLong
from explorer.state.change_intents import AddChanges
from explorer.state.focus import NOWHERE, Focus
from explorer.state.intents import Intent, OpenFolder, OpenPage, SetBeam, SetKnob, SetPreset, SetText, SetTrained, look_at
from explorer.state.state import State
from explorer.trace.changes import Change
from tests.app.session.driving import frame, with_beam
from tests.app.session.simulated import Simulated

Act = Callable[[Simulated], object]
OFF = Change("encoder.layers.0.self_attn.mixed", "scale", head=0, value=0.0)
PLACE = (("encoder.layers.0.self_attn.weights", 1),)
LEAK, EDGES = frozenset({"leak"}), frozenset({"edges"})
FIRST = with_beam(State.from_preset("translator"), 4)


def leaving_out(request: Request) -> Frame:
    """An answer in which none of the changes could be made."""
    made = frame(request)
    left_out = {change: OutOfTensor(tap=change.tap, axis="head", got=0, last=0) for change in request.wish.active}
    return attrs.evolve(made, trace=attrs.evolve(made.trace, left_out=left_out))


def failing(error: BaseException) -> Callable[[Request], jobs.Failed]:
    return lambda request: jobs.Failed(request.serial, error)


def ask(world: Simulated, intent: Intent, pause_s: float) -> None:
    world.ask(intent, pause_s)


def asks(intent: Intent, pause_s: float = 5.0) -> Act:
    return partial(ask, intent=intent, pause_s=pause_s)


def does(event: ev.Event) -> Act:
    return partial(Simulated.act, event=event)


def end(world: Simulated, came: Callable[[Request], ev.Event]) -> None:
    world.worker.end(came)


def ends(came: Callable[[Request], ev.Event]) -> Act:
    return partial(end, came=came)


def begins(world: Simulated) -> None:
    world.worker.begin()


def is_answered(world: Simulated) -> None:
    """What waits or runs is answered, and the answer painted."""
    world.worker.begin()
    world.worker.end(frame)
    while world.worker.heard:
        world.deliver()
    world.paint()


def fails(world: Simulated, fault: BaseException) -> None:
    world.worker.begin()
    world.worker.end(failing(fault))
    world.deliver()


def hears_late(world: Simulated, place: int) -> None:
    """An answer comes that nobody waits for any more."""
    if len(world.submitted) >= abs(place):
        world.take(frame(world.submitted[place]))


def opens(world: Simulated) -> None:
    world.ask(OpenFolder(world.folder))


def is_refused_by_its_check(world: Simulated) -> None:
    if path := world.session.checked:
        world.take(ev.FolderRefused(path, MissingWeights(path=path, missing="*")))


def gives_up(world: Simulated) -> None:
    world.spoiled = True
    world.act(ev.Escaped())


def wants(world: Simulated, places: tuple[tuple[str, int], ...]) -> None:
    world.wants = places


TEXTS = [asks(SetText(text), pause_s) for text in ("", "一", "一二", "三") for pause_s in (0.1, 5.0)]
WISHES = [
    *map(asks, (SetBeam(1), SetBeam(3), SetKnob("seed", 1), SetKnob("n_heads", 7), SetKnob("d_model", 1024))),
    *map(asks, (SetPreset("tiny"), SetPreset("translator"), SetTrained(False), AddChanges((OFF,)), SetKnob("n_layers", "?"))),
]
LOOKS = [*map(asks, (look_at(head=3), OpenPage("masks"), look_at(top_k=3), OpenFolder("/nowhere")))]
STEPS = [does(ev.Undone()), does(ev.Redone()), gives_up, does(ev.RestartWanted())]
PAGES = [
    does(ev.PageShown(experiments, focus))
    for experiments, focus in ((frozenset(), NOWHERE), (LEAK, NOWHERE), (EDGES, NOWHERE), (LEAK | EDGES, Focus(head=1)))
]
DRAWN_AGAIN = partial(Simulated.take, event=ev.PlacesWanted(PLACE))
WINDOW = [*PAGES, partial(wants, places=PLACE), partial(wants, places=()), DRAWN_AGAIN]
PAINTING = [Simulated.paint, *(partial(Simulated.fire, timer=timer) for timer in Timer), does(ev.PicturesMade())]
FAULTS = (TooLong(limit=1, got=2), MissingWeights(path="", missing="*"), ZeroDivisionError())
ANSWERS = [ends(frame), ends(frame), ends(leaving_out), *(ends(failing(fault)) for fault in FAULTS)]
MACHINE = [begins, begins, Simulated.deliver, Simulated.deliver, *ANSWERS]
COMING = [is_answered, is_answered, Simulated.settle, *(partial(fails, fault=fault) for fault in FAULTS)]
LATE = [DRAWN_AGAIN, *(partial(hears_late, place=place) for place in (-3, -2))]
OPENING = [opens, is_refused_by_its_check, does(ev.Silence(11.0))]
ACTS: tuple[list[Act], ...] = (TEXTS, WISHES, LOOKS, STEPS, OPENING, PAGES, WINDOW, PAINTING, MACHINE, COMING, COMING, LATE)
acts = st.one_of(*map(st.sampled_from, ACTS))
lives = st.integers(0, 40).flatmap(lambda n: st.lists(acts, min_size=n, max_size=n))  # Lists of any length are mostly short.
