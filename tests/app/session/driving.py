"""A session whose compute stands still until the test lets it go, and all that the session tells. No torch."""

import threading
from collections.abc import Callable

import attrs
import numpy as np
from pytestqt.qtbot import QtBot

from explorer.app.session.session import Session
from explorer.engine.request import Frame, Request
from explorer.state.state import State
from explorer.tokens.token import Token
from explorer.trace.arrays import frozen_array
from explorer.trace.recorded_pass import Tokens
from explorer.trace.trace import Trace
from tests.engine.fakes import Gate
from tests.waiting import until

_AXES = {"encoder.layers.0.self_attn.weights": ("head", "query", "key"), "generator.logits": ("position", "vocab")}


def trace(request: Request) -> Trace:
    """As little as a session asks a Trace: which taps there are, how many tokens, and the card."""
    shapes = {name: (1,) * len(axes) for name, axes in _AXES.items()}
    tokens = (Token(text="我", id=5, start=0, end=1, known=True),)
    return Trace(
        arrays={name: frozen_array(np.zeros(shape, np.float32)) for name, shape in shapes.items()},
        axis_names=_AXES,
        tokens=Tokens(source=tokens, target=tokens),
        config=request.wish.config,
        places=frozen_array(np.zeros((1, 1), np.float32)),
        source=request.wish.text,
    )


def frame(request: Request) -> Frame:
    """The answer to a request."""
    return Frame(request=request, trace=trace(request), tokens_ms=1, build_ms=1, pass_ms=1)


class RecordingGate(Gate):
    """A gate that keeps the requests which got to it, and says how far each is when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.answer = frame
        self.requests: list[Request] = []
        self.share: float | None = None

    def __call__(self, request: Request, stop: Callable[[], bool], progress: Callable[[float], None]) -> Frame:
        self.requests.append(request)
        self.begun.put(request.serial)
        self.wait(stop)
        if self.share is not None:
            progress(self.share)
        return self.answer(request)


class Driven:
    """`session` with `gate` behind it. What it told since the last question is in `heard()`."""

    def __init__(self, state: State, qtbot: QtBot) -> None:
        self.gate = RecordingGate()
        self.session = Session(state, lambda: self.gate)
        self.session.told.connect(self._hear)
        self.threads: set[str] = set()
        self._told: list[object] = []
        self._qtbot = qtbot

    def _hear(self, value: object) -> None:
        self.threads.add(threading.current_thread().name)
        if isinstance(value, Frame):
            self.session.painted()  # There is no screen: the worker need not wait for it.
        self._told.append(value)

    def heard(self) -> list[object]:
        """What was told since this was asked last, in order."""
        told, self._told = self._told, []
        return told

    def wait(self, condition: Callable[[], bool]) -> None:
        """Until it holds."""
        until(self._qtbot, condition)

    def wait_for(self, *kinds: type) -> list[object]:
        """What is told until a value of each of these kinds was, in order."""
        self.wait(lambda: all(any(isinstance(value, kind) for value in self._told) for kind in kinds))
        return self.heard()

    def begun(self) -> Request:
        """The request that stands at the gate; waits for it."""
        self.session.painted()
        self.wait(lambda: not self.gate.begun.empty())
        self.gate.next()
        return self.gate.requests[-1]

    def let_go(self) -> Frame:
        """Let what stands at the gate answer, and wait until the session has told of it."""
        self.gate.go.release()
        self.wait(lambda: any(isinstance(value, Frame) for value in self._told))
        (found,) = [value for value in self._told if isinstance(value, Frame)]
        return found

    def settle_greedily(self) -> None:
        """Start, have the first request answered, whatever is still to come, and forget what was told."""
        self.session.start()
        self.begun()
        self.let_go()
        self.heard()

    def settle(self) -> None:
        """Start, have the first request answered, and forget what was told."""
        self.session.start()
        self.begun()
        self.let_go()
        self.wait(lambda: not self.session.waiting)
        self.heard()

    def idle(self) -> bool:
        """Whether nothing more is asked of the compute."""
        self.wait(lambda: not self.session.waiting)
        return self.gate.begun.empty()

    def close(self) -> None:
        """End the thread, whatever stands at the gate."""
        self.gate.heeds_stop = True
        self.session.close()


Make = Callable[[State], Driven]


def kinds(values: list[object]) -> list[str]:
    """The names of what was told."""
    return [type(value).__name__ for value in values]


def with_beam(state: State, beam: int) -> State:
    """The same, with a search for a translation so wide."""
    return attrs.evolve(state, wish=attrs.evolve(state.wish, beam=beam))
