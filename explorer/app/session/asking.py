"""The policy of Requests: a quick one first, so that something is seen soon, and the whole one after its answer.

The page in front and a lesson may need experiments; pictures of a long text may need maps that were not kept. Requests for
these are made when nothing else waits.
"""

import attrs

from explorer.engine.request import Detail, Request
from explorer.state.focus import NOWHERE, Focus
from explorer.state.wish import Wish
from explorer.trace.found.experiments import for_any_model, look_at_a_place

_MOST_WANTED = 16

Places = tuple[tuple[str, int], ...]
"""Taps and their heads; head -1 means the whole tap."""


@attrs.frozen(kw_only=True)
class Asking:
    """The newest serial numbers and the detail to ask for. Each method that asks returns another Asking and the Request.

    `serial` is the newest request's; answers to the newest wish have `first_serial` or a later one. `in_vain` are the places
    asked for since the user's last action: they may not fit into memory. `shown` is the request that is answered on screen.
    """

    serial: int = 0
    first_serial: int = 0
    experiments: frozenset[str] = frozenset()
    focus: Focus = NOWHERE
    wanted: Places = ()
    in_vain: frozenset[tuple[str, int]] = frozenset()

    def looked_anew(self) -> "Asking":
        """After an action of the user: places that could not be kept before may be asked for again."""
        return attrs.evolve(self, in_vain=frozenset())

    def first(self, wish: Wish, shown: Request | None) -> tuple["Asking", Request]:
        """Ask for a wish: quickly, or at once for the whole where only the beam or the detail is new."""
        same = shown is not None and attrs.evolve(shown.wish, beam=wish.beam) == wish
        opens = wish.foreign and (shown is None or shown.wish.preset != wish.preset)
        asking = attrs.evolve(self.refused(), in_vain=frozenset(self.wanted))
        return asking, Request(wish=wish, serial=asking.serial, detail=asking._detail(wish, quick=not same, opens=opens))

    def refused(self) -> "Asking":
        """Count a wish that is refused before any request: answers to older requests are no answers to it."""
        return attrs.evolve(self.looked_anew(), serial=self.serial + 1, first_serial=self.serial + 1)

    def rest(self, wish: Wish, shown: Request) -> tuple["Asking", Request | None]:
        """Ask for the whole wish, if the answer on screen is the newest and leaves something out."""
        if shown.serial != self.serial or not self._lacks(wish, shown):
            return self, None
        return self._refined(wish)

    def looking_into(
        self, experiments: frozenset[str], wish: Wish, shown: Request | None, busy: bool, focus: Focus = NOWHERE
    ) -> tuple["Asking", Request | None]:
        """Change the experiments and the place that they look at, and ask for them, unless the session is `busy`."""
        focus = focus if look_at_a_place(experiments) else NOWHERE
        asking = attrs.evolve(self.looked_anew(), experiments=experiments, focus=focus)
        if (experiments, focus) == (self.experiments, self.focus) or shown is None or busy:
            return asking, None
        if _looks_into(shown, possible(wish, experiments), focus):
            return asking, None
        return asking._refined(wish)

    def wanting(self, places: Places, wish: Wish, shown: Request | None, busy: bool) -> tuple["Asking", Request | None]:
        """Ask to keep these places of a long text, each once, unless the session is `busy`."""
        if shown is None or set(places) <= self.in_vain:
            return self, None
        before = (each for each in self.wanted if each not in places)
        wanted = tuple(dict.fromkeys((*before, *places)))[-_MOST_WANTED:]
        asking = attrs.evolve(self, wanted=wanted, in_vain=self.in_vain | set(places))
        if busy or shown.serial < self.first_serial or set(places) <= set(shown.detail.wanted):
            return asking, None
        return asking._refined(wish)

    def _detail(self, wish: Wish, *, quick: bool = False, refines: bool = False, opens: bool = False) -> Detail:
        return Detail(
            quick=quick,
            refines=refines,
            experiments=possible(wish, self.experiments),
            wanted=self.wanted,
            leaves_out=True,
            focus=self.focus,
            opens=opens,
        )

    def _refined(self, wish: Wish) -> tuple["Asking", Request]:
        asking = attrs.evolve(self, serial=self.serial + 1, in_vain=self.in_vain.union(self.wanted))
        return asking, Request(wish=wish, serial=asking.serial, detail=self._detail(wish, refines=True))

    def _lacks(self, wish: Wish, shown: Request) -> bool:
        """Whether the answer to `shown` leaves out part of the wish, its search, the experiments or what they look at."""
        whole = Request(wish=wish, detail=self._detail(wish))
        return (shown.wish, shown.beam) != (wish, whole.beam) or not _has_all(shown, whole)


def widens_alone(request: Request, shown: Request) -> bool:
    """Whether a request adds nothing but a wider search to the answer to `shown`."""
    return shown.wish == request.wish and _has_all(shown, request)


def _has_all(shown: Request, request: Request) -> bool:
    """Whether the answer to `shown` has all experiments and places that another request asks for. It may have more."""
    has_places = set(request.detail.wanted) <= set(shown.detail.wanted)
    return has_places and _looks_into(shown, request.experiments, request.detail.focus)


def _looks_into(shown: Request, experiments: frozenset[str], focus: Focus) -> bool:
    """Whether the answer to `shown` has these experiments, at this place."""
    return experiments <= shown.experiments and focus in (NOWHERE, shown.detail.focus)


def possible(wish: Wish, experiments: frozenset[str]) -> frozenset[str]:
    """Those of the experiments that the model of a wish can have; cards for the others are not shown."""
    return for_any_model(experiments) if wish.foreign else experiments
