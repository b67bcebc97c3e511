"""The rules of the session, tried with random events, without a window and without a thread."""

from collections.abc import Iterator

import attrs
import pytest
from hypothesis import HealthCheck, given, settings

from explorer.app.session import effects as do
from explorer.app.session import events as ev
from explorer.app.session import told
from explorer.app.session.answers import PAUSE_MS
from explorer.app.session.asking import possible
from explorer.app.session.changing import can_be_asked
from explorer.app.session.effects import Timer
from explorer.engine.request import Request
from explorer.errors import TooLong
from explorer.state.change_intents import AddChanges
from explorer.state.focus import NOWHERE
from explorer.state.intents import Intent, SetKnob, SetPreset, SetText, SetTrained, look_at
from tests.app.session.driving import frame
from tests.app.session.happenings import EDGES, FIRST, LEAK, OFF, PLACE, Act, fails, gives_up, is_answered, lives, opens
from tests.app.session.simulated import Simulated


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder that looks like one with a model."""
    made = tmp_path_factory.mktemp("theirs")
    (made / "config.json").touch()
    return str(made)


tried = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])


def moments(life: list[Act], folder: str) -> Iterator[Simulated]:
    """The same session after each thing that happens."""
    world = Simulated.of(FIRST, folder=folder)
    yield world
    for happens in life:
        happens(world)
        yield world


def lived(life: list[Act], folder: str) -> Simulated:
    """A session after all that happens."""
    *_before, world = moments(life, folder)
    return world


def lacks(request: Request, world: Simulated) -> bool:
    """Whether the answer to a request leaves out what is wished for, or what the page in front needs."""
    wish, asking = world.session.state.wish, world.session.asking
    return (
        (request.wish, request.beam) != (wish, wish.beam if wish.searches else request.beam)
        or not possible(wish, asking.experiments) <= request.experiments
        or asking.focus not in (NOWHERE, request.detail.focus)
        or not set(asking.wanted) <= set(request.detail.wanted)
    )


def same(request: Request) -> Request:
    """What is asked for, whatever its number and however soon it gives way."""
    detail = attrs.evolve(request.detail, refines=False, opens=False, quick=request.beam != request.wish.beam)
    return attrs.evolve(request, serial=0, detail=attrs.evolve(detail, experiments=request.experiments))


def adds(request: Request, shown: Request) -> bool:
    """Whether a request asks for something that the answer on screen does not have."""
    return (
        (request.wish, request.beam) != (shown.wish, shown.beam)
        or not request.experiments <= shown.experiments
        or request.detail.focus not in (NOWHERE, shown.detail.focus)
        or not set(request.detail.wanted) <= set(shown.detail.wanted)
    )


@tried
@given(life=lives)
def test_the_newest_wish_wins(life: list[Act], folder: str) -> None:
    """Each request is one for what is set up at that moment, and has a higher number than all before."""
    n = 0
    for world in moments(life, folder):
        new, n = world.submitted[n:], len(world.submitted)
        assert all(request.wish == world.session.state.wish for request in new[-1:])
        assert sorted({request.serial for request in world.submitted}) == [request.serial for request in world.submitted]


@tried
@given(life=lives)
def test_an_old_answer_never_replaces_a_newer_one(life: list[Act], folder: str) -> None:
    """Whatever comes in whatever order, the numbers of the answers on screen grow."""
    serials = [shown.serial for shown in lived(life, folder).shown]
    assert sorted(set(serials)) == serials


@tried
@given(life=lives)
def test_escape_ends_what_runs(life: list[Act], folder: str) -> None:
    """Nothing is computed then, also where the answer was on its way already.

    Only a wide search that was not begun is made. And where the newest step cannot be made, or opened a model that is given up,
    it is taken back, and what was set up before is asked for.
    """
    world = lived(life, folder)
    computed, pauses, wish = world.session.computes, world.session.wider is not None, world.session.state.wish
    n = len(world.submitted)
    gives_up(world)
    assert not computed or world.worker.stopped >= 0 or world.worker.is_idle
    world.settle()
    assert not world.session.computes
    assert pauses or world.session.state.wish != wish or world.submitted[n:] == []


@tried
@given(life=lives)
def test_nothing_is_asked_twice(life: list[Act], folder: str) -> None:
    """Not without an act of a person between, be it answered, refused, or the thread dead. So each request is tried once."""
    for world in moments(life, folder):
        asked = [same(request) for request in world.asked_since_act]
        assert all(request not in asked[:place] for place, request in enumerate(asked))
    world.settle()
    assert all(adds(*each) for each in world.added)
    asked = [same(request) for request in world.asked_since_act]
    assert all(request not in asked[:place] for place, request in enumerate(asked))


@tried
@given(life=lives)
def test_what_a_page_wants_is_asked_for_as_soon_as_it_may_be(life: list[Act], folder: str) -> None:
    """Where nothing is computed and nothing went wrong, the answer on screen has all of it; a wide search waits a moment."""
    for world in moments(life, folder):
        session = world.session
        if session.frame is None or session.computes or world.spoiled or not session.is_answered:
            continue
        if session.wider is None and session.given_up < session.frame.serial:
            assert not lacks(session.frame.request, world)
        elif session.wider is not None:
            assert not lacks(session.wider, world) and Timer.WIDEN in world.timers


@tried
@given(life=lives)
def test_a_page_pushes_nothing_away(life: list[Act], folder: str) -> None:
    """While an answer is computed it asks for nothing: that would take the place of the wish that waits, and be slower."""
    for world in moments(life, folder):
        n = len(world.submitted)
        if world.session.computes:
            world.take(ev.PageShown(LEAK if world.session.asking.experiments != LEAK else EDGES))
            world.take(ev.PlacesWanted(PLACE))
            assert len(world.submitted) == n


@tried
@given(life=lives)
def test_a_text_that_cannot_be_worked_on_is_never_sent(life: list[Act], folder: str) -> None:
    """Not even by a page that needs something more."""
    assert all(can_be_asked(request.wish) for request in lived(life, folder).submitted)


@tried
@given(life=lives)
def test_while_painting_waits_nothing_is_lost(life: list[Act], folder: str) -> None:
    """What was put off is painted in another turn, and the compute thread goes on as soon as the window is painted."""
    for world in moments(life, folder):
        assert not world.session.put_off or Timer.PAINT in world.timers
    world.act(ev.PicturesMade())
    world.paints = True
    n = len(world.done)
    world.settle()
    assert do.Paint() in world.done[n:]
    assert not world.session.held and not world.session.put_off and not world.session.made


@tried
@given(life=lives)
def test_in_the_end_the_answer_to_the_newest_wish_is_on_screen(life: list[Act], folder: str) -> None:
    """Whatever happened before, the next sentence is answered as a whole, and the window knows that nothing is computed."""
    world = lived(life, folder)
    world.settle()
    if can_be_asked(world.session.state.wish) and not world.spoiled and world.session.given_up < world.session.submitted:
        assert world.session.frame is not None and not lacks(world.session.frame.request, world)
    world.ask(SetText("一二三四"))
    world.settle()
    assert world.session.frame is not None and not lacks(world.session.frame.request, world)
    assert world.session.frame.wish.text == "一二三四" and world.session.is_answered
    assert [value for value in world.told if isinstance(value, told.Busy)][-1] == told.Busy(False)


# Single rules


@pytest.fixture
def world() -> Simulated:
    """A session at rest, with an answer on screen."""
    made = Simulated.of(FIRST)
    made.settle()
    return made


@pytest.fixture
def typed(world: Simulated) -> Simulated:
    """The same a moment after something was typed: the quick answer is there, and the wide search waits."""
    world.ask(SetText("你好"))
    is_answered(world)
    return world


@pytest.mark.parametrize(
    "intent", [SetPreset("paper-base"), SetKnob("n_layers", 5), SetTrained(False)], ids=["preset", "shape", "trained"]
)
def test_another_model_is_built_behind_the_painted_window(world: Simulated, intent: Intent) -> None:
    """Building takes all cores, and painting its knobs takes four times as long meanwhile. Another text waits for nothing."""
    world.ask(SetText("你好"))
    assert Timer.RELEASE in world.timers
    world.settle()

    world.ask(intent)
    assert world.session.held and Timer.RELEASE not in world.timers
    world.take(ev.Painted())
    world.fire(Timer.RELEASE)
    assert world.done[-1] == do.Release() and not world.session.held


def test_escape_ends_what_would_be_asked_behind_an_answer_on_its_way(world: Simulated) -> None:
    """The answer is shown, and it is told that the rest of it was given up."""
    world.act(ev.PageShown(LEAK))
    world.settle()
    world.ask(SetText("你好"))
    world.worker.begin()
    world.worker.end(frame)
    n = len(world.submitted)
    world.act(ev.Escaped())
    world.settle()

    assert world.session.frame is not None and world.session.frame.wish.text == "你好"
    assert told.GivenUp() in world.told and len(world.submitted) == n


def test_escape_ends_an_opening_behind_an_empty_box(world: Simulated, folder: str) -> None:
    """The box is empty while somebody types another text; the model before is there again, and the box stays empty."""
    world.folder = folder
    opens(world)
    world.worker.begin()
    world.ask(SetText(""))
    assert world.session.computes and not world.worker.is_idle
    world.act(ev.Escaped())
    world.settle()

    assert told.OpeningGivenUp() in world.told
    assert (world.session.state.wish.preset, world.session.state.wish.text) == ("translator", "")


def test_a_page_that_is_opened_with_an_empty_box_asks_for_nothing(world: Simulated) -> None:
    """Its experiments are asked for behind the next sentence."""
    world.ask(SetText(""))
    n = len(world.submitted)
    world.act(ev.PageShown(LEAK))
    assert len(world.submitted) == n
    world.ask(SetText("你好"))
    world.settle()
    assert world.submitted[-1].experiments == LEAK


def test_what_a_page_no_longer_needs_is_not_computed_away(world: Simulated) -> None:
    """The answer that has more than the page in front shows is whole: it is not asked for once more without it."""
    world.act(ev.PageShown(LEAK))
    n = len(world.submitted)
    world.worker.begin()
    world.act(ev.PageShown(frozenset()))
    world.settle()
    assert len(world.submitted) == n and world.session.shown is not None and world.session.shown.experiments == LEAK


def test_a_change_that_cannot_be_made_is_taken_back_behind_a_step_of_sampling(world: Simulated) -> None:
    """The sampling was set while the change was computed; without this the change would stay on, and be asked for again."""
    world.ask(AddChanges(changes=(OFF,), stroke=0))
    world.ask(look_at(top_k=3))
    fails(world, TooLong(limit=1, got=2))
    world.settle()
    assert not world.session.state.wish.changes
    assert any(isinstance(value, told.SprungBack) for value in world.told)


def test_a_thread_that_died_is_not_asked_the_same_again(world: Simulated) -> None:
    """What it was at is not shown; what waited meanwhile is answered, and nothing is refused."""
    world.ask(SetText("一"))
    world.worker.begin()
    world.ask(SetText("二"))
    n = len(world.shown)
    world.act(ev.RestartWanted())
    world.settle()

    assert {shown.wish.text for shown in world.shown[n:]} == {"二"}
    assert not [value for value in world.told if isinstance(value, told.Refused)]


def test_places_whose_request_failed_are_not_asked_for_by_the_next_drawing(world: Simulated) -> None:
    """Every drawing wants them, so that it would never end; whoever looks at something else has them asked for anew."""
    n = len(world.submitted)
    for _drawing in range(2):
        world.take(ev.PlacesWanted(PLACE))
        fails(world, ZeroDivisionError())
    assert len(world.submitted) == n + 1
    world.ask(look_at(head=3))
    world.take(ev.PlacesWanted(PLACE))
    assert len(world.submitted) == n + 2


def test_a_wide_search_waits_for_a_pause(typed: Simulated) -> None:
    """Each text begins the pause anew; what is looked at meanwhile comes at once, and the wide search with it."""
    typed.worker.begin()
    assert do.StartTimer(Timer.WIDEN, PAUSE_MS) in typed.done[-3:] and typed.worker.is_idle
    typed.ask(SetText("你好吗"))
    assert Timer.WIDEN not in typed.timers and typed.submitted[-1].beam == 1
    is_answered(typed)
    typed.act(ev.PageShown(LEAK))
    whole = typed.submitted[-1]
    assert (whole.beam, whole.experiments, whole.wish.text) == (4, LEAK, "你好吗") and Timer.WIDEN not in typed.timers


def test_a_wide_search_that_was_not_begun_is_not_stopped(typed: Simulated) -> None:
    """Nothing is computed that Escape could end, and it would say nothing: the translation would stay a greedy one."""
    assert not typed.session.computes
    typed.act(ev.Escaped())
    typed.fire(Timer.WIDEN)
    assert (typed.submitted[-1].beam, typed.submitted[-1].wish.text) == (4, "你好")


@pytest.mark.parametrize("end", [SetText(" "), None], ids=["a text that is refused", "the window closes"])
def test_a_wide_search_that_was_not_begun_can_be_given_up(typed: Simulated, end: Intent | None) -> None:
    """Nothing waits any more."""
    n = len(typed.submitted)
    if end is None:
        typed.act(ev.WindowClosed())
    else:
        typed.ask(end)
    assert Timer.WIDEN not in typed.timers and typed.session.wider is None
    typed.settle()
    assert len(typed.submitted) == n
