"""Decoding with a guess finds what decoding without one finds, and asks the decoder less often."""

import itertools

import pytest
import torch

from explorer.engine.decoding.beam import Decoding
from explorer.engine.decoding.greedy import can_guess, greedy
from explorer.engine.decoding.incremental import Incremental
from explorer.errors import TooLong
from explorer.model.ids import ids_tensor
from explorer.model.transformer import Transformer
from explorer.stops import Superseded
from explorer.trace.search_tree import Search
from tests.engine.decoding.test_beam import SOURCES, Ids, model_of, search

DRAFTS: list[Ids] = [(), (5,), (19, 18, 17, 16, 15, 14), tuple(range(4, 20)) * 2]


def guessed(model: Transformer, source: Ids, draft: Ids, prefix: Ids = (), no_repeat_ngram: int = 0) -> Search:
    with torch.inference_mode():
        memory = model.encode(ids_tensor(source))
    decoding = Decoding(prefix=prefix, no_repeat_ngram=no_repeat_ngram)
    return greedy(Incremental(model, memory), len(source), model.config.max_len, decoding, draft)


def assert_same_search(wanted: Search, got: Search) -> None:
    """The same tree, and the same log-probabilities to 1e-5."""
    assert [(node.parent, node.id, node.forced) for node in wanted.nodes] == [
        (node.parent, node.id, node.forced) for node in got.nodes
    ]
    assert wanted.ends == got.ends
    for name in ("log_p", "total"):
        assert [getattr(node, name) for node in wanted.nodes] == pytest.approx(
            [getattr(node, name) for node in got.nodes], abs=1e-5
        )


@pytest.mark.parametrize(
    ("source", "end", "position", "n"),
    [
        *itertools.product(SOURCES, (-3.0, 0.0, 2.0), ("sinusoidal", "learned", "rotary", "alibi"), (0,)),
        *itertools.product(SOURCES, (-3.0,), ("sinusoidal",), (1, 2)),
    ],
)
def test_any_guess_leads_to_the_same_sentence(source: Ids, end: float, position: str, n: int) -> None:
    """None, a wrong one, the right one, and the right one with a token put in, left out or exchanged in the middle."""
    model = model_of(end, position=position, causal_mask_cross=position == "learned")
    (plain,) = search(model, [source], Decoding(no_repeat_ngram=n))
    best, middle = plain.best, len(plain.best) // 2
    near = (
        best,
        best[:middle],
        (*best[:middle], 7, *best[middle:]),
        (*best[:middle], *best[middle + 1 :]),
        (*best[:middle], 7, *best[middle + 1 :]),
        (*best, 7, 8),
    )
    for draft in (*DRAFTS, *near):
        assert_same_search(plain, guessed(model, source, draft, no_repeat_ngram=n))


@pytest.mark.parametrize("prefix", [(6,), (6, 11, 4), (6, 3)])
def test_a_prefix_is_forced_whatever_was_guessed(prefix: Ids) -> None:
    """Its nodes say so; an end symbol in it ends the sentence."""
    model = model_of(-2.0)
    for draft in DRAFTS:
        assert_same_search(search(model, [SOURCES[0]], Decoding(prefix=prefix))[0], guessed(model, SOURCES[0], draft, prefix))


def test_a_prefix_without_room_is_refused() -> None:
    """As in beam search."""
    with pytest.raises(TooLong):
        guessed(model_of(), SOURCES[0], (), prefix=(5,) * 11)


def count_steps(monkeypatch: pytest.MonkeyPatch, model: Transformer, source: Ids, draft: Ids) -> int:
    counted: list[int] = []
    extend = Incremental.extend

    def counting(self: Incremental, ids: torch.Tensor) -> torch.Tensor:
        counted.append(ids.shape[1])
        return extend(self, ids)

    with monkeypatch.context() as patched:
        patched.setattr(Incremental, "extend", counting)
        guessed(model, source, draft)
    return len(counted)


def test_a_right_guess_takes_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong one takes as many as there are tokens, or fewer."""
    model = model_of(-3.0)
    best = search(model, [SOURCES[0]], Decoding())[0].best
    without = count_steps(monkeypatch, model, SOURCES[0], ())

    assert len(best) > 3
    assert count_steps(monkeypatch, model, SOURCES[0], best) == 1
    assert without == len(best)  # it reaches the greatest length, so no step is taken for an end


def test_only_what_is_the_same_each_time_can_be_guessed() -> None:
    """Not a wider search, not active dropout, not a decoder that sees later tokens."""
    assert can_guess(model_of(), Decoding())
    assert not can_guess(model_of(), Decoding(beam=2))
    assert not can_guess(model_of().train(), Decoding())
    assert not can_guess(model_of(causal_mask=False), Decoding())
    assert not can_guess(model_of(masking="inverted", mask_value="-1e9"), Decoding())


def test_a_stop_ends_the_search() -> None:
    """Before the next step."""
    model = model_of()

    def stop() -> None:
        raise Superseded

    with torch.inference_mode():
        memory = model.encode(ids_tensor(SOURCES[0]))
    with pytest.raises(Superseded):
        greedy(Incremental(model, memory), 3, model.config.max_len, Decoding(), (), stop)
