"""What goes to the compute thread and what comes back: two frozen values."""

from typing import Any, Self

import attrs

from explorer.state.wish import Wish
from explorer.trace.trace import Trace


@attrs.frozen(kw_only=True)
class Detail:
    """How much of an answer is asked for.

    `quick`: a greedy translation in place of a wide search, and no experiments. `refines`: an answer to the same wish is
    on screen already, so this request gives way at once to whatever comes next. `experiments` are wanted beside the pass
    (names of `trace.findings.EXPERIMENTS`). `wanted` are taps and heads of a long text that are looked at, the newest
    last: of such a text not everything is kept (head -1: the tap as a whole).
    """

    quick: bool = False
    refines: bool = False
    experiments: frozenset[str] = frozenset()
    wanted: tuple[tuple[str, int], ...] = ()


@attrs.frozen(kw_only=True)
class Request:
    """A Wish with its serial number, the later the higher, and how much of an answer is asked for."""

    wish: Wish
    serial: int = 0
    detail: Detail = attrs.field(factory=Detail)

    @property
    def beam(self) -> int:
        """How many sentences the search for a translation follows in this answer."""
        return 1 if self.detail.quick and self.wish.searches else self.wish.beam

    @property
    def experiments(self) -> frozenset[str]:
        """What is found out beside the pass in this answer."""
        return frozenset() if self.detail.quick else self.detail.experiments

    def wishing(self, **fields: Any) -> Self:
        """The same request with other fields of its Wish."""
        return attrs.evolve(self, wish=attrs.evolve(self.wish, **fields))

    def asking(self, **fields: Any) -> Self:
        """The same request with other fields of its Detail."""
        return attrs.evolve(self, detail=attrs.evolve(self.detail, **fields))

    @classmethod
    def from_preset(cls, name: str, text: str | None = None, **knobs: object) -> Self:
        """A preset with its own sentence, or another one, and some knobs moved. Raises UnknownPreset, BadKnob."""
        return cls(wish=Wish.from_preset(name, text, **knobs))


@attrs.frozen(kw_only=True, eq=False)
class Frame:
    """A Trace as it comes back: the request that asked for it, and how long each part took."""

    request: Request
    trace: Trace
    tokens_ms: float
    build_ms: float
    pass_ms: float
    decoding_ms: float = 0.0
    device: str = "CPU"
    devices: tuple[str, ...] = ("cpu",)  # that could have computed it

    @property
    def wish(self) -> Wish:
        """What was answered."""
        return self.request.wish

    @property
    def serial(self) -> int:
        """The request's serial number."""
        return self.request.serial
