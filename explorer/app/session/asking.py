"""Which Requests are made of a Wish: a quick one first, so that something is seen, and the whole when it is answered.

A page in front and a lesson ask for experiments beside the pass; pictures of a long text ask for what was not kept. Both
follow when nothing else waits. No Qt, and no thread.
"""

import attrs

from explorer.engine.request import Detail, Request
from explorer.state.wish import Wish

_MOST_WANTED = 16


class Asking:
    """Serial numbers, and the detail that is asked for now. `shown` is the request whose answer is on screen."""

    def __init__(self) -> None:
        self.serial = 0  # of the newest request
        self.first_serial = 0  # of the newest wish: an answer to it has this serial number or a later one
        self._experiments: frozenset[str] = frozenset()
        self._wanted: tuple[tuple[str, int], ...] = ()
        self._in_vain: set[tuple[str, int]] = set()  # asked for since the user last did something

    def looked_anew(self) -> None:
        """The user did something: what was asked for in vain may be asked for again."""
        self._in_vain.clear()

    def first(self, wish: Wish, shown: Request | None) -> Request:
        """The first Request for a wish; the whole at once where only its search or its detail is new."""
        self.looked_anew()
        self.serial += 1
        self.first_serial = self.serial
        same = shown is not None and attrs.evolve(shown.wish, beam=wish.beam) == wish
        return Request(wish=wish, serial=self.serial, detail=self._detail(quick=not same))

    def refused(self) -> None:
        """A wish that fails before any thread is asked has a number all the same: older answers are none to it."""
        self.looked_anew()
        self.serial += 1
        self.first_serial = self.serial

    def rest(self, wish: Wish, shown: Request) -> Request | None:
        """The whole of what is wished, if the answer that came is less."""
        if shown.serial != self.serial or not self._lacks(wish, shown):
            return None
        return self._refined(wish)

    def look_into(self, experiments: frozenset[str], wish: Wish, shown: Request | None, busy: bool) -> Request | None:
        """What shall be found out beside the pass has changed."""
        self.looked_anew()
        if experiments == self._experiments:
            return None
        self._experiments = experiments
        if shown is None or busy or experiments <= shown.experiments:
            return None
        return self._refined(wish)

    def want(self, places: tuple[tuple[str, int], ...], wish: Wish, shown: Request | None, busy: bool) -> Request | None:
        """Taps and heads of a long text that are looked at; what was asked for in vain is not asked for again."""
        if shown is None or set(places) <= self._in_vain:
            return None
        self._in_vain |= set(places)
        before = (each for each in self._wanted if each not in places)
        self._wanted = tuple(dict.fromkeys((*before, *places)))[-_MOST_WANTED:]
        return None if busy else self.rest(wish, shown)

    def _detail(self, *, quick: bool = False, refines: bool = False) -> Detail:
        return Detail(quick=quick, refines=refines, experiments=self._experiments, wanted=self._wanted)

    def _refined(self, wish: Wish) -> Request:
        self.serial += 1
        return Request(wish=wish, serial=self.serial, detail=self._detail(refines=True))

    def _lacks(self, wish: Wish, shown: Request) -> bool:
        """Whether the answer to `shown` leaves anything out: of the wish, its search, the experiments or what is wanted."""
        whole = Request(wish=wish, detail=self._detail())
        return (shown.wish, shown.beam, shown.experiments, shown.detail.wanted) != (
            wish,
            whole.beam,
            whole.experiments,
            whole.detail.wanted,
        )
