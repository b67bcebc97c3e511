"""Runs cases of all kinds in turn until the time is over, and keeps count.

Kinds with the same warm-up share a process, so a case can suffer from one before it. Each new fault is therefore tried
again alone, in a process of its own.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import attrs

from tests.fuzz.case import Bad, Case, Limits, Outcome, seed_of
from tests.fuzz.kinds import Kind
from tests.fuzz.watch import Child, Died

_TURN_S = 4.0
_TOLD_EVERY_S = 60.0
_MOST_AGAIN = 60  # tries of faults alone; then there is enough to read


@attrs.define
class Tally:
    """What has come of a kind so far."""

    cases: int = 0
    seconds: float = 0.0
    told: Counter[str] = attrs.field(factory=Counter)
    warnings: Counter[str] = attrs.field(factory=Counter)


@attrs.define
class Fault:
    """One mistake, as far as can be told, and the cases that met it. `again` None: not tried."""

    kind: str
    bad: Bad
    seeds: list[int]
    again: bool | None = None

    @property
    def counts(self) -> bool:
        """A slow answer that was not slow when tried alone was the machine's."""
        return not (self.bad.timed and self.again is False)


class Fuzz:
    """`run` fills `tallies` and `faults`."""

    def __init__(self, kinds: Sequence[Kind], seed: int, limits: Limits, say: Callable[[str], None]) -> None:
        self.kinds, self.seed, self.limits, self._say = kinds, seed, limits, say
        self.tallies: dict[str, Tally] = {kind.name: Tally() for kind in kinds}
        self.faults: dict[tuple[str, str, str], Fault] = {}
        self._next: defaultdict[str, int] = defaultdict(int)
        self._children: dict[str, Child] = {}
        self._tried = 0

    def run(self, seconds: float) -> None:
        """Until the time is over, and each kind has had a case."""
        end_s = time.monotonic() + seconds
        turn_s = min(_TURN_S, seconds / (2 * sum(kind.turns for kind in self.kinds)))
        told_s = time.monotonic()
        try:
            while time.monotonic() < end_s or not all(tally.cases for tally in self.tallies.values()):
                for kind in self.kinds:
                    if time.monotonic() < end_s or not self.tallies[kind.name].cases:
                        self._turn(kind, min(end_s, time.monotonic() + turn_s * kind.turns))
                    if time.monotonic() - told_s > _TOLD_EVERY_S:
                        told_s = time.monotonic()
                        self._say(self.line(end_s - told_s))
        finally:
            self._end()

    def run_one(self, kind: Kind, case: Case) -> None:
        """One case, and what is bad about it a second time."""
        try:
            self.one(kind, case)
        finally:
            self._end()

    def _end(self) -> None:
        for child in self._children.values():
            child.end()

    def line(self, left_s: float) -> str:
        """How far it is."""
        cases = sum(tally.cases for tally in self.tallies.values())
        told = sum(tally.told.total() for tally in self.tallies.values())
        bad = [fault for fault in self.faults.values() if fault.counts]
        return f"{max(0.0, left_s):4.0f} s left: {cases} cases, {told} errors told, {len(bad)} faults"

    def _turn(self, kind: Kind, until_s: float) -> None:
        while True:
            case = Case(kind.name, seed_of(self.seed, kind.name, self._next[kind.name]))
            self._next[kind.name] += 1
            self.one(kind, case)
            if time.monotonic() >= until_s:
                return

    def one(self, kind: Kind, case: Case) -> None:
        """Run one case and keep what it came to."""
        start_s = time.monotonic()
        outcome = self._outcome(kind, case)
        tally = self.tallies[kind.name]
        tally.cases += 1
        tally.seconds += time.monotonic() - start_s
        tally.told.update(outcome.told)
        tally.warnings.update(outcome.warnings)
        for bad in outcome.bad:
            self._note(kind, case, bad)

    def _outcome(self, kind: Kind, case: Case) -> Outcome:
        try:
            if kind.warm_up not in self._children:
                self._children[kind.warm_up] = Child(kind.warm_up, self.limits)
            outcome = self._children[kind.warm_up].run(case, kind.place)
            if self._children[kind.warm_up].n_cases >= kind.most or self._children[kind.warm_up].worn:
                self._children.pop(kind.warm_up).end()
            return outcome
        except Died as died:
            if kind.warm_up in self._children:
                self._children.pop(kind.warm_up).end()
            return Outcome((died.bad,))

    def _note(self, kind: Kind, case: Case, bad: Bad) -> None:
        fault = self.faults.setdefault((kind.name, *bad.key), Fault(kind.name, bad, []))
        if case.seed in fault.seeds:
            return
        fault.seeds.append(case.seed)
        if len(fault.seeds) == 1:
            if self._tried < _MOST_AGAIN:
                self._tried += 1
                fault.again = bad.key in self._alone(kind, case)
            unless = {True: "", False: " (not when tried alone)", None: " (not tried alone)"}[fault.again]
            self._say(f"{kind.name} {case.seed}: {bad.what} at {bad.where or '?'}{unless}")

    def _alone(self, kind: Kind, case: Case) -> set[tuple[str, str]]:
        """What is bad about a case in a process where nothing ran before."""
        try:
            child = Child(kind.warm_up, self.limits)
        except Died as died:
            return {died.bad.key}
        try:
            return {bad.key for bad in child.run(case, kind.place).bad}
        except Died as died:
            return {died.bad.key}
        finally:
            child.end()
