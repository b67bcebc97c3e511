"""Translations that are guessed from the one before are the greedy ones, and their Traces those of a new program."""

from collections import defaultdict
from pathlib import Path

import attrs
import numpy as np
import pytest

from explorer.engine.compute import Computer
from explorer.engine.decoding.beam import search
from explorer.engine.request import Request
from explorer.engine.sources.source import never
from explorer.engine.sources.translator import Translator
from explorer.presets import load_preset
from explorer.stops import Superseded
from explorer.trace.changes import Change
from explorer.trace.search_tree import Search
from explorer.trace.trace import Trace
from tests.engine.sources.bundles import a_bundle
from tests.sweeps import exhaustive, sweep

TEXTS = ("我爱北京", "你看书", "他爱猫。", "图书馆")
HEAD = Change("decoder.layers.0.cross_attn.mixed", "scale", head=0, value=-9.0)


def answer(computer: Computer, name: str, text: str, *changes: Change, **fields: object) -> Trace:
    return computer(Request.from_preset(name, text).wishing(changes=changes, **fields)).trace


def assert_same_trace(ours: Trace, slow: Trace) -> None:
    """Every number bit for bit; of the tree the same nodes, and their probabilities to 1e-5."""
    assert ours.target == slow.target and ours.tokens == slow.tokens
    assert list(ours.names()) == list(slow.names())
    for tap in slow.names():
        assert ours.axes(tap) == slow.axes(tap)
        np.testing.assert_array_equal(ours[tap], slow[tap])
    assert ours.search is not None and slow.search is not None
    assert ours.search.ends == slow.search.ends
    for one, other in zip(ours.search.nodes, slow.search.nodes, strict=True):
        assert (one.parent, one.id, one.forced) == (other.parent, other.id, other.forced)
        assert (one.log_p, one.total) == pytest.approx((other.log_p, other.total), abs=1e-5)


@pytest.mark.parametrize("changes", [(), (HEAD,), (attrs.evolve(HEAD, tap="encoder.layers.0.self_attn.mixed"),)])
@pytest.mark.parametrize("prefix", sweep([(), (270,), (271, 265, 270)], telling=[(271, 265, 270)]))
def test_the_trace_is_that_of_a_program_that_has_just_begun(
    tmp_path: Path, changes: tuple[Change, ...], prefix: tuple[int, ...]
) -> None:
    """One sentence after the other, each with the last one as its guess."""
    name, computer = a_bundle(tmp_path), Computer()
    answer(computer, name, "猫")
    for text in TEXTS:
        ours = answer(computer, name, text, *changes, prefix=prefix)
        assert_same_trace(ours, answer(Computer(), name, text, *changes, prefix=prefix))


def test_a_stop_ends_it(tmp_path: Path) -> None:
    """Wherever it is asked."""
    name = a_bundle(tmp_path)
    computer = Computer()
    whole = 0

    def counting() -> bool:
        nonlocal whole
        whole += 1
        return False

    computer(Request.from_preset(name, TEXTS[0]), counting)
    for n_asked in range(0, whole, 7):
        left = n_asked

        def stop() -> bool:
            nonlocal left
            left -= 1
            return left < 0

        with pytest.raises(Superseded):
            Computer()(Request.from_preset(name, TEXTS[0]), stop)


@exhaustive
@pytest.mark.slow  # 300 sentences of the trained model, in two ways
def test_three_hundred_translations_are_those_of_a_search() -> None:
    """Sentences that were not trained on, whole and half typed, one after the other."""
    computer = Computer()
    translator = computer.sources.translator("translator")
    assert translator is not None and translator.folder is not None
    rows = (translator.folder / "held-out.tsv").read_text(encoding="utf-8").splitlines()[1::10]
    texts = [text[: len(text) // (1 + n % 2)] or text for n, text in enumerate(row.split("\t")[1] for row in rows)][:300]
    said = set()
    by_length: dict[int, list[tuple[str, tuple[int, ...], Search]]] = defaultdict(list)
    for text in texts:
        trace = answer(computer, "translator", text)
        ids = tuple(token.id for token in trace.tokens.source)
        assert trace.search is not None
        by_length[len(ids)].append((text, ids, trace.search))
        said.add(trace.target)
    assert len(texts) == 300 and len(said) > 250
    model, n_held = Translator(load_preset("translator")).model(translator.preset.config), 0
    decoding = translator.decoding(translator.preset.config, beam=1)
    for alike in by_length.values():  # Sentences of one length go together, which takes less time than one by one.
        slow_ones = search(model, [ids for _text, ids, _found in alike], decoding)
        for (text, _ids, found), slow in zip(alike, slow_ones, strict=True):
            assert found.best == slow.best, text
            n_held += 1
    assert n_held == 300


@pytest.mark.parametrize("preset", ["paper-base", "tiny", "translator", "language-model"])
def test_the_same_request_gives_the_same_bits_after_a_rest(preset: str) -> None:
    """And as a program that has just begun: weights are packed when they are read or never, so products round alike."""
    computer, request = Computer(), Request.from_preset(preset, "我爱北京")
    first = computer(request)
    computer.rest(never)
    computer(Request.from_preset(preset, "你看书"))
    again, fresh = computer(request), Computer()(request)

    for other in (again, fresh):
        if other.n_threads == first.n_threads:  # Beside a busy program there may be fewer; the status line says how many.
            assert other.trace.names() == first.trace.names()
            for tap in first.trace.names():
                assert np.array_equal(other.trace[tap], first.trace[tap], equal_nan=True), tap
