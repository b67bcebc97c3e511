"""A window whose session is told what to tell, and what counts the calls of its parts."""

from collections.abc import Callable
from typing import Any

import pytest

from explorer.app.appearance import Appearance
from explorer.app.session.session import Session
from explorer.app.shell.window import Window
from explorer.engine.request import Frame, Request
from explorer.state.state import State
from explorer.views.controls.knobs import KnobRow
from tests.engine.fakes import Answers
from tests.views.conftest import trace_of


def answer(request: Request, *_given: object) -> Frame:
    """The Frame of a text, whatever the knobs: what is drawn is not what these tests are about."""
    return Frame(request=request, trace=trace_of("我爱北京天安门"), tokens_ms=1, build_ms=1, pass_ms=1)


class Opened:
    """A window with a session whose thread was not started: nothing comes but what the test says."""

    def __init__(self, appearance: Appearance, state: State) -> None:
        self.session = Session(state, lambda: Answers(answer))
        self.window = Window(self.session, appearance)
        self.words = appearance.words

    def tell(self, value: object) -> None:
        """As the session does."""
        self.session.told.emit(value)

    def show_frame(self) -> Frame:
        """Have the newest request answered."""
        frame = answer(Request(wish=self.session.state.wish, serial=self.session.serial + 1))
        self.session.take(frame)
        return frame

    def close(self) -> None:
        self.window.close()
        self.window.step_opener.close()
        self.session.close()


Make = Callable[[State], Opened]


def spy(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> list[tuple[Any, ...]]:
    """The arguments of each call of a method, which does its work all the same."""
    calls: list[tuple[Any, ...]] = []
    plain = getattr(owner, name)

    def called(*given: Any, **named: Any) -> Any:
        calls.append(given)
        return plain(*given, **named)

    monkeypatch.setattr(owner, name, called)
    return calls


def spied_rows(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each row of the knobs is told what to show, from now on."""
    calls: dict[str, int] = {}
    plain = KnobRow.put

    def put(row: KnobRow, *given: Any) -> None:
        calls[row.knob.name] = calls.get(row.knob.name, 0) + 1
        plain(row, *given)

    monkeypatch.setattr(KnobRow, "put", put)
    return calls
