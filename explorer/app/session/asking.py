"""The policy of Requests: a quick one first, so that something is seen soon, and the whole one after its answer.

The page in front and a lesson may need experiments; pictures of a long text may need maps that were not kept. Requests for
these are made when nothing else waits. This file uses no Qt and no thread.
"""

import attrs

from explorer.engine.request import Detail, Request
from explorer.state.focus import FOCUSED, NOWHERE, Focus
from explorer.state.wish import Wish
from explorer.trace.found.findings import OF_OUR_OWN

_MOST_WANTED = 16


class Asking:
    """Makes Requests: keeps the serial numbers and the detail to ask for. `shown` is the request answered on screen."""

    def __init__(self) -> None:
        self.serial = 0  # the newest request's
        self.first_serial = 0  # the newest wish's first request; answers to the wish have this serial or a later one
        self._experiments: frozenset[str] = frozenset()
        self._focus = NOWHERE
        self._wanted: tuple[tuple[str, int], ...] = ()
        self._in_vain: set[tuple[str, int]] = set()  # places asked for since the user's last action

    def looked_anew(self) -> None:
        """After an action of the user, allow asking again for places that could not be kept before."""
        self._in_vain.clear()

    def first(self, wish: Wish, shown: Request | None) -> Request:
        """The first Request for a wish: a quick one, or the whole where only the beam or the detail is new."""
        self.looked_anew()
        self.serial += 1
        self.first_serial = self.serial
        same = shown is not None and attrs.evolve(shown.wish, beam=wish.beam) == wish
        opens = wish.foreign and (shown is None or shown.wish.preset != wish.preset)
        return Request(wish=wish, serial=self.serial, detail=self._detail(wish, quick=not same, opens=opens))

    def refused(self) -> None:
        """Count a wish that is refused before any request: answers to older requests are no answers to it."""
        self.looked_anew()
        self.serial += 1
        self.first_serial = self.serial

    def rest(self, wish: Wish, shown: Request) -> Request | None:
        """The Request for the whole wish, if the answer on screen leaves something out; otherwise None."""
        if shown.serial != self.serial or not self._lacks(wish, shown):
            return None
        return self._refined(wish)

    def look_into(
        self, experiments: frozenset[str], wish: Wish, shown: Request | None, busy: bool, focus: Focus = NOWHERE
    ) -> Request | None:
        """Change the experiments and the place that they look at; returns the Request to send now, if any."""
        self.looked_anew()
        focus = focus if experiments & FOCUSED else NOWHERE
        if (experiments, focus) == (self._experiments, self._focus):
            return None
        self._experiments, self._focus = experiments, focus
        if (
            shown is None
            or busy
            or (possible(wish, experiments) <= shown.experiments and focus in (NOWHERE, shown.detail.focus))
        ):
            return None
        return self._refined(wish)

    def want(self, places: tuple[tuple[str, int], ...], wish: Wish, shown: Request | None, busy: bool) -> Request | None:
        """Ask to keep these taps and heads of a long text; returns the Request to send now, if any.

        Places are not asked for twice, because they may not fit into memory.
        """
        if shown is None or set(places) <= self._in_vain:
            return None
        self._in_vain |= set(places)
        before = (each for each in self._wanted if each not in places)
        self._wanted = tuple(dict.fromkeys((*before, *places)))[-_MOST_WANTED:]
        return None if busy or shown.serial < self.first_serial or not self._lacks(wish, shown) else self._refined(wish)

    def _detail(self, wish: Wish, *, quick: bool = False, refines: bool = False, opens: bool = False) -> Detail:
        return Detail(
            quick=quick,
            refines=refines,
            experiments=possible(wish, self._experiments),
            wanted=self._wanted,
            leaves_out=True,
            focus=self._focus,
            opens=opens,
        )

    def _refined(self, wish: Wish) -> Request:
        self.serial += 1
        return Request(wish=wish, serial=self.serial, detail=self._detail(wish, refines=True))

    def _lacks(self, wish: Wish, shown: Request) -> bool:
        """Whether the answer to `shown` leaves out part of the wish, its search, the experiments or what they look at."""
        whole = Request(wish=wish, detail=self._detail(wish))
        return (shown.wish, shown.beam) != (wish, whole.beam) or _looks_into(shown) != _looks_into(whole)


def widens_alone(request: Request, shown: Request) -> bool:
    """Whether a request adds nothing but a wider search to the answer to `shown`."""
    return shown.wish == request.wish and _looks_into(shown) == _looks_into(request)


def _looks_into(request: Request) -> tuple[object, ...]:
    """What is found out in an answer beside the pass."""
    return request.experiments, request.detail.wanted, request.detail.focus


def possible(wish: Wish, experiments: frozenset[str]) -> frozenset[str]:
    """Those of the experiments that the model of a wish can have; cards for the others are not shown."""
    return experiments - OF_OUR_OWN if wish.foreign else experiments
