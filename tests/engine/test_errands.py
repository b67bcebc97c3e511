"""Errands: behind the requests, piece by piece, each giving way; the newest of a kind replaces the older one."""

import queue
from collections.abc import Callable
from pathlib import Path

import attrs
from safetensors import safe_open

from explorer.engine.agenda import Agenda
from explorer.engine.compute import Computer
from explorer.engine.errand import Brought, Errand, FindBreaks, PrepareScript, TryAll
from explorer.engine.request import Frame, Request
from explorer.engine.sources.source import never
from explorer.errors import NothingChanged, RecordedOnly
from explorer.stops import Superseded
from explorer.trace.script_parts import ScriptParts
from tests.engine.fakes import PATIENCE_S, Gate, request, working


class Bringing(Gate):
    """A compute whose pieces stand still as well, until the test lets them go."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: queue.Queue[tuple[Errand, int]] = queue.Queue()
        self.broken = False
        self.gave_way: list[int] = []

    def __call__(self, request: Request, stop: Callable[[], bool], progress: Callable[[float], None]) -> Frame:
        self.begun.put(request.serial)
        return self.answer(request)

    def piece(self, errand: Errand, number: int, stop: Callable[[], bool]) -> Brought:
        self.pieces.put((errand, number))
        if self.broken:
            raise RuntimeError("a bug")
        try:
            self.wait(stop)
        except Superseded:
            self.gave_way.append(number)
            raise
        return Brought(errand, number, NothingChanged())

    def next_piece(self) -> tuple[Errand, int]:
        return self.pieces.get(timeout=PATIENCE_S)


def search(*sentences: str) -> FindBreaks:
    return FindBreaks(sentences=sentences)


def test_pieces_are_brought_one_after_the_other() -> None:
    """Each is told with its number, and a worker with an errand is not busy: nobody waits for its answer."""
    compute, errand = Bringing(), search("a", "b", "c")
    with working(compute) as (worker, heard):
        worker.send(errand)
        for number in range(3):
            assert compute.next_piece() == (errand, number)
            assert not worker.busy
            compute.go.release()
            assert heard.next() == ("brought", "breaks", number)


def test_a_piece_gives_way_to_a_request_and_is_begun_again() -> None:
    """The request is answered at once; no piece is lost."""
    compute, errand = Bringing(), search("a", "b")
    with working(compute) as (worker, heard):
        worker.send(errand)
        compute.next_piece()
        worker.submit(request(7))
        assert heard.next() == ("done", 7)
        assert compute.gave_way == [0]
        worker.release()
        assert compute.next_piece() == (errand, 0)
        compute.go.release(2)
        assert [heard.next(), heard.next()] == [("brought", "breaks", 0), ("brought", "breaks", 1)]


def test_a_newer_errand_of_the_kind_replaces_the_older_one() -> None:
    """An empty one ends it, and what was under way is not told any more."""
    compute, first, second = Bringing(), search("a", "b"), search("c")
    with working(compute) as (worker, heard):
        worker.send(first)
        compute.next_piece()
        worker.send(second)
        assert compute.next_piece() == (second, 0)
        compute.go.release()
        assert heard.next() == ("brought", "breaks", 0)
        worker.send(first)
        compute.next_piece()
        worker.send(search())
        worker.submit(request(1))
        assert heard.next() == ("done", 1)
        assert compute.pieces.empty()


def test_a_bug_in_a_piece_ends_the_errand_alone() -> None:
    """It is told like every bug, no piece is waited for any more, and the next request is answered."""
    compute = Bringing()
    compute.broken = True
    with working(compute) as (worker, heard):
        worker.submit(request(1))
        assert heard.next() == ("done", 1)
        worker.send(search("a", "b"))
        kind, error = heard.next()
        assert (kind, str(error)) == ("broken", "a bug")
        assert [heard.next(), heard.next()] == [("brought", "breaks", 0), ("brought", "breaks", 1)]
        worker.submit(request(2))
        assert heard.next() == ("done", 2)
        assert compute.pieces.qsize() == 1


def test_the_page_on_screen_goes_before_a_search() -> None:
    """Whichever was sent first; a piece that belongs to an errand that was replaced does not count."""
    agenda, slow, page = Agenda(), search("a", "b"), TryAll(tries=(None,))  # type: ignore[arg-type]  # Nothing reads it.
    assert agenda.next() is None
    agenda.put(slow)
    agenda.did(slow)
    agenda.put(page)
    assert agenda.next() == (page, 0)
    agenda.did(search("a", "b"))
    agenda.did(page)
    assert agenda.next() == (slow, 1)
    agenda.drop(slow)
    assert agenda.next() is None and not agenda.has(slow)


def test_an_errand_is_dropped_where_torch_cannot_be_loaded() -> None:
    """It does not keep the thread from ending."""
    from explorer.engine.worker import Worker
    from tests.engine.fakes import Heard

    def load() -> object:
        raise ImportError("no torch")

    heard = Heard()
    worker = Worker(heard, load)  # type: ignore[arg-type]  # It returns nothing.
    worker.send(search("a"))
    worker.submit(request(1))
    worker.start()
    try:
        assert heard.next()[:2] == ("failed", 1)
    finally:
        worker.close()


def test_what_a_script_needs_is_an_errand_that_goes_first(tmp_path: Path) -> None:
    """The weights are in the file then; what cannot be had is brought as the error that says why."""
    computer, wish = Computer(), Request.from_preset("tiny", "我爱书", n_layers=1).wish
    agenda, errand = Agenda(), PrepareScript(wish=wish, weights=tmp_path / "deeper" / "x.safetensors")
    agenda.put(FindBreaks(wish=wish, sentences=("我",)))
    agenda.put(errand)
    assert agenda.next() == (errand, 0)
    found = computer.piece(errand, 0, never).found
    assert isinstance(found, ScriptParts) and found.weights == errand.weights and found.foreign is None
    with safe_open(found.weights, framework="np") as file:
        model = computer.sources.own.last
        assert model is not None and set(file.keys()) == dict(model.named_parameters()).keys()
    recorded = tmp_path / "pass.npz"
    recorded.write_bytes(b"")
    refused = computer.piece(PrepareScript(wish=attrs.evolve(wish, preset=str(recorded))), 0, never).found
    assert isinstance(refused, RecordedOnly)
    agenda.put(PrepareScript())  # Somebody has cancelled.
    assert agenda.next() != (errand, 0) and not agenda.has(errand)
