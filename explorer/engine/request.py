"""Request and Frame: the frozen values that go to the compute thread and come back from it."""

from collections.abc import Mapping
from typing import Any, Self

import attrs

from explorer.errors import RecordedOnly
from explorer.presets import load_preset
from explorer.state.focus import NOWHERE, Focus
from explorer.state.wish import Wish
from explorer.trace.trace import Trace


@attrs.frozen(kw_only=True)
class Detail:
    """How much of an answer is asked for.

    `quick` asks for a greedy translation in place of a wide search, and for no experiments. `refines` says that an answer to
    the same wish is on screen already, so this request gives way at once to the next one. `experiments` are the keys of
    `trace.found.experiments.EXPERIMENTS` that shall be made. `wanted` are the taps and heads that the user looks at, the newest
    last, because not everything of a long text is kept; head -1 means the whole tap.

    `leaves_out` says that a change that cannot be made in this sentence is left out, instead of refusing the Wish: the window
    asks so, because a change at the seventh word must not stand in the way of somebody who types a shorter sentence. The
    Trace says which were left out, and why.

    `focus` is the place that experiments about one place look at.

    `opens` says that the model may have to be opened first, which takes long: a newer request for the same model waits for it,
    because otherwise somebody who types meanwhile would begin the opening again with each key.
    """

    quick: bool = False
    refines: bool = False
    experiments: frozenset[str] = frozenset()
    wanted: tuple[tuple[str, int], ...] = ()
    leaves_out: bool = False
    focus: Focus = NOWHERE
    opens: bool = False


@attrs.frozen(kw_only=True)
class Request:
    """A Wish with its serial number, which grows with each request, and the Detail of the answer."""

    wish: Wish
    serial: int = 0
    detail: Detail = attrs.field(factory=Detail)

    @property
    def beam(self) -> int:
        """The width of the beam search in this answer; 1 is greedy."""
        return 1 if self.detail.quick and self.wish.searches else self.wish.beam

    @property
    def is_provisional(self) -> bool:
        """Whether the translation of this answer is a greedy one, and the search that was wished for is still to come."""
        return self.beam != self.wish.beam

    @property
    def experiments(self) -> frozenset[str]:
        """The names of the experiments that are made for this answer."""
        return frozenset() if self.detail.quick else self.detail.experiments

    def wishing(self, **fields: Any) -> Self:
        """The same request with other fields of its Wish."""
        return attrs.evolve(self, wish=attrs.evolve(self.wish, **fields))

    def asking(self, **fields: Any) -> Self:
        """The same request with other fields of its Detail."""
        return attrs.evolve(self, detail=attrs.evolve(self.detail, **fields))

    @classmethod
    def from_preset(cls, name: str, text: str | None = None, **knobs: object) -> Self:
        """A request for a preset with its own or another text and with some knobs changed.

        Raises UnknownPreset, BadKnob, and RecordedOnly for a file with a recorded pass, which has its own text.
        """
        recorded = load_preset(name).recorded
        if recorded is not None:
            raise RecordedOnly(path=str(recorded))
        return cls(wish=Wish.from_preset(name, text, **knobs))


@attrs.frozen(kw_only=True, eq=False)
class Frame:
    """The answer to a request: its Trace, and how many milliseconds each part took.

    `broken` has the bugs by which experiments could not be made, by the experiment's name.
    """

    request: Request
    trace: Trace
    tokens_ms: float
    build_ms: float
    pass_ms: float
    decoding_ms: float = 0.0
    device: str = "CPU"
    n_threads: int = 0  # of the processor, by which its products round; 0 where it made none
    devices: tuple[str, ...] = ("cpu",)  # All devices of this machine.
    broken: Mapping[str, Exception] = attrs.field(factory=dict)

    @property
    def wish(self) -> Wish:
        """The Wish that was answered."""
        return self.request.wish

    @property
    def serial(self) -> int:
        """The request's serial number."""
        return self.request.serial
