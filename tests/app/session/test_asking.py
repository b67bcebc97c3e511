"""Which requests are made of a wish: a quick one first, then the whole."""

import attrs
import pytest

from explorer.app.session.asking import Asking, Places, widens_alone
from explorer.engine.request import Request
from explorer.state.focus import NOWHERE, Focus
from explorer.state.wish import Wish

BEAM = attrs.evolve(Wish.from_preset("translator", "我爱你"), beam=4)
LEAK = frozenset({"leak"})
PLACE = (("encoder.layers.0.self_attn.weights", 3),)


class Asker:
    """Asks one request after the other, each with what is known by then."""

    def __init__(self) -> None:
        self.asking = Asking()

    @property
    def first_serial(self) -> int:
        return self.asking.first_serial

    def first(self, wish: Wish, shown: Request | None) -> Request:
        self.asking, request = self.asking.first(wish, shown)
        return request

    def rest(self, wish: Wish, shown: Request) -> Request | None:
        self.asking, request = self.asking.rest(wish, shown)
        return request

    def look_into(
        self, experiments: frozenset[str], wish: Wish, shown: Request | None, busy: bool, focus: Focus = NOWHERE
    ) -> Request | None:
        self.asking, request = self.asking.looking_into(experiments, wish, shown, busy, focus)
        return request

    def want(self, places: Places, wish: Wish, shown: Request | None, busy: bool) -> Request | None:
        self.asking, request = self.asking.wanting(places, wish, shown, busy)
        return request

    def look_anew(self) -> None:
        self.asking = self.asking.looked_anew()

    def refuse(self) -> None:
        self.asking = self.asking.refused()


@pytest.fixture
def asking() -> Asker:
    return Asker()


def test_a_wide_search_follows_a_greedy_one(asking: Asker) -> None:
    """The first answer is greedy, the second one gives way to whatever is asked next; then nothing is left to ask."""
    first = asking.first(BEAM, None)
    assert (first.serial, first.beam, first.detail.refines) == (1, 1, False)
    whole = asking.rest(BEAM, first)
    assert whole is not None
    assert (whole.serial, whole.beam, whole.detail.refines) == (2, 4, True)
    assert asking.rest(BEAM, whole) is None


def test_a_rest_that_only_widens_the_search_can_wait(asking: Asker) -> None:
    """One with experiments, which somebody waits for, cannot; nor can a map of a long text that was not kept."""
    first = asking.first(BEAM, None)
    whole = asking.rest(BEAM, first)
    assert whole is not None and widens_alone(whole, first)

    looked = asking.look_into(LEAK, BEAM, first, busy=False)
    assert looked is not None and looked.beam == 4 and not widens_alone(looked, first)
    wanted = asking.want(PLACE, BEAM, first, busy=False)
    assert wanted is not None and wanted.detail.wanted == PLACE and wanted.beam == 4 and not widens_alone(wanted, first)


def test_nothing_follows_where_nothing_was_left_out(asking: Asker) -> None:
    """A target of one's own is not searched for, and tiny has no trained weights."""
    for wish in (attrs.evolve(BEAM, target="I love you."), attrs.evolve(Wish.from_preset("tiny"), beam=4)):
        first = asking.first(wish, None)
        assert asking.rest(wish, first) is None


def test_where_only_the_search_is_new_it_is_made_at_once(asking: Asker) -> None:
    """The same sentence is on screen: a greedy answer would show nothing new."""
    shown = asking.first(attrs.evolve(BEAM, beam=2), None)
    assert asking.first(BEAM, shown).beam == 4


def test_an_older_answer_is_not_refined(asking: Asker) -> None:
    """Somebody has typed since: the answer to the newer wish comes next."""
    older = asking.first(BEAM, None)
    asking.first(attrs.evolve(BEAM, text="你好"), older)
    assert asking.rest(BEAM, older) is None


def test_another_place_is_asked_for_when_an_experiment_looks_there(asking: Asker) -> None:
    """The place counts only with experiments that look at one; of those without, an answer leaves nothing out."""
    tiny = Wish.from_preset("tiny")
    shown = asking.first(tiny, None)
    assert asking.look_into(frozenset(), tiny, shown, busy=False, focus=Focus(head=3)) is None
    edges = frozenset({"edges"})
    first = asking.look_into(edges, tiny, shown, busy=False, focus=Focus(head=1))
    assert first is not None and first.detail.focus == Focus(head=1) and first.detail.refines
    assert asking.look_into(edges, tiny, first, busy=False, focus=Focus(head=1)) is None
    second = asking.look_into(edges, tiny, first, busy=False, focus=Focus(head=2))
    assert second is not None and second.detail.focus == Focus(head=2)
    assert asking.look_into(edges, tiny, second, busy=True, focus=Focus(head=3)) is None
    rest = asking.rest(tiny, second)
    assert rest is not None and rest.detail.focus == Focus(head=3)
    assert asking.look_into(frozenset(), tiny, rest, busy=False) is None


def test_experiments_are_asked_for_when_they_are_looked_at(asking: Asker) -> None:
    """At once where nothing runs, with the rest where something does; never twice; and not in a first answer."""
    tiny = Wish.from_preset("tiny")
    shown = asking.first(tiny, None)
    found = asking.look_into(LEAK, tiny, shown, busy=False)
    assert found is not None and found.experiments == LEAK
    assert asking.look_into(LEAK, tiny, found, busy=False) is None
    assert asking.look_into(frozenset(), tiny, found, busy=False) is None
    assert asking.look_into(LEAK, tiny, shown, busy=True) is None
    newer = asking.first(attrs.evolve(tiny, text="好"), shown)
    assert newer.experiments == frozenset()
    rest = asking.rest(attrs.evolve(tiny, text="好"), newer)
    assert rest is not None and rest.experiments == LEAK


def test_what_was_asked_for_in_vain_is_not_asked_for_again(asking: Asker) -> None:
    """A head that no budget has room for is wanted by each drawing; a step of the user's asks anew."""
    tiny = Wish.from_preset("tiny")
    shown = asking.first(tiny, None)
    wanted = asking.want(PLACE, tiny, shown, busy=False)
    assert wanted is not None and wanted.detail.wanted == PLACE
    assert asking.want(PLACE, tiny, wanted, busy=False) is None
    asking.look_anew()
    assert asking.want(PLACE, tiny, wanted, busy=False) is None, "it is in the answer"
    other = asking.first(attrs.evolve(tiny, text="好"), wanted)
    assert other.detail.wanted == PLACE


def test_the_newest_sixteen_places_are_wanted(asking: Asker) -> None:
    """A wall of heads may want more than any budget has room for."""
    tiny = Wish.from_preset("tiny")
    shown = asking.first(tiny, None)
    many = tuple(("encoder.layers.0.self_attn.weights", head) for head in range(40))
    found = asking.want(many, tiny, shown, busy=False)
    assert found is not None and found.detail.wanted == many[-16:]
    assert asking.want(many, tiny, found, busy=False) is None, "those that had no room are not asked for in turn"


def test_older_answers_are_none_to_a_wish_that_was_refused(asking: Asker) -> None:
    """It has a number all the same."""
    first = asking.first(BEAM, None)
    asking.refuse()
    assert asking.first_serial > first.serial
    assert asking.rest(BEAM, first) is None
