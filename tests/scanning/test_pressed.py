"""Ctrl+C during a scan ends it, also where Python cannot hand the exception on."""

import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import explorer
from explorer.engine.request import Request
from explorer.scanning import run
from explorer.scanning.pressed import noted, unasked
from explorer.scanning.progress_file import progress_path
from tests.scanning.fakes import fake

WISH = Request.from_preset("tiny", "").wish


@pytest.fixture(autouse=True)
def meaning() -> Iterator[None]:
    """What Ctrl+C means here, which must be the same afterwards."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    now = signal.signal(signal.SIGINT, before)
    assert now is signal.default_int_handler


def press_in_vain(*_given: object) -> None:
    """As in a weak reference's call, of which nobody hears."""
    with suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_press_that_was_swallowed_ends_the_scan_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the portion; what was measured before is kept."""
    monkeypatch.setattr(run, "here", lambda plan, rows, chunks, check: fake(plan, rows, chunks))
    (tmp_path / "a.txt").write_text("他吃。\n" * 5000, encoding="utf-8")
    out, heard = tmp_path / "a.json", []

    def pressed(_share: float, n_rows: int) -> None:
        heard.append(n_rows)
        press_in_vain()

    with pytest.raises(KeyboardInterrupt):
        run.scanned(WISH, tmp_path / "a.txt", ("entropy",), out, "", 1, 1, None, False, pressed)
    assert heard == [4096] and progress_path(out).exists() and not out.exists()


def test_within_a_portion_a_press_is_heard_before_the_next_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A portion has thousands of them, and this model takes each alone."""
    from explorer.scanning.measuring import Measurer

    of_trace, n_measured = Measurer.of_trace, []

    def pressed(measurer: Measurer, trace: explorer.Trace) -> object:
        n_measured.append(trace.source)
        press_in_vain()
        return of_trace(measurer, trace)

    monkeypatch.setattr(Measurer, "of_trace", pressed)
    with pytest.raises(KeyboardInterrupt):
        run.scanned(WISH, ["他吃。"] * 9, ("entropy",), None, "", 1, 1, None, False)
    assert n_measured == ["他吃。"]


def test_without_the_note_it_would_go_on() -> None:
    """The reason for all of this: the exception is gone."""
    press_in_vain()
    with noted() as check:
        check()
        press_in_vain()
        with pytest.raises(KeyboardInterrupt):
            check()


def test_a_meaning_of_somebody_elses_stays() -> None:
    """A program that uses the library, one that ignores it, and a thread, which may set none."""
    heard: list[object] = []
    other = lambda *given: heard.append(given)  # noqa: E731
    for meaning in (other, signal.SIG_IGN):
        signal.signal(signal.SIGINT, meaning)
        with noted() as check:
            signal.raise_signal(signal.SIGINT)
            assert check is unasked and signal.getsignal(signal.SIGINT) is meaning
    signal.signal(signal.SIGINT, signal.default_int_handler)
    assert len(heard) == 1
    checks: list[object] = []

    def within() -> None:
        with noted() as check:
            checks.append(check)

    thread = threading.Thread(target=within)
    thread.start()
    thread.join()
    assert checks == [unasked]
