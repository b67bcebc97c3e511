"""Beam search, held against full passes, a search written out plainly, and the enumeration of all sentences."""

import itertools
import math

import pytest
import torch

import explorer
from explorer.engine.decoding.beam import Decoding, longest, search
from explorer.errors import TooLong
from explorer.model.transformer import Transformer
from explorer.model.weights import build
from explorer.stops import Superseded
from explorer.tokens.vocabulary import BEGIN, END, PAD, UNKNOWN
from explorer.trace.search_tree import Search
from tests.model.models import randomized, small

pytestmark = pytest.mark.slow  # searches of the trained model

Ids = tuple[int, ...]
SOURCES: list[Ids] = [(5, 6, 7), (9,), (12, 4, 4, 8, 10)]


def model_of(end: float = 0.0, **knobs: object) -> Transformer:
    """A random model; `end` makes its sentences shorter."""
    torch.set_num_threads(1)
    model = randomized(build(small(**{"n_layers": 1, "target_vocab_size": 20, "max_len": 12, **knobs})))
    model.generator.project.bias[END] += end
    return model  # type: ignore[return-value]


def log_p(model: Transformer, source: Ids, target: Ids) -> list[float]:
    """log P of each symbol after the begin symbol and `target`, by a full pass."""
    logits = model(torch.tensor([source]), torch.tensor([(BEGIN, *target)]))[0, -1]
    return logits.double().log_softmax(dim=-1).tolist()  # type: ignore[no-any-return]


def naive_greedy(model: Transformer, source: Ids) -> Ids:
    said: Ids = ()
    while len(said) < longest(len(source), model.config.max_len):
        row = log_p(model, source, said)
        best = max((id_ for id_ in range(len(row)) if id_ not in (PAD, UNKNOWN, BEGIN)), key=lambda id_: row[id_])
        if best == END:
            break
        said = (*said, best)
    return said


def naive_beam(model: Transformer, source: Ids, beam: int) -> list[tuple[float, Ids]]:
    """Finished sentences with their log P: all continuations of all kept ones, sorted, at each step."""
    kept: list[tuple[float, Ids]] = [(0.0, ())]
    ended: list[tuple[float, Ids]] = []
    for _ in range(longest(len(source), model.config.max_len)):
        tried = sorted(
            (
                (total + row[id_], (*said, id_))
                for total, said in kept
                for row in [log_p(model, source, said)]
                for id_ in range(len(row))
                if id_ not in (PAD, UNKNOWN, BEGIN)
            ),
            reverse=True,
        )
        ended += [each for each in tried[:beam] if each[1][-1] == END]
        kept = [each for each in tried if each[1][-1] != END][:beam]
        if len(ended) >= beam and max(total / len(said) for total, said in kept) <= max(
            total / len(said) for total, said in ended
        ):
            return ended
    return ended


def ended(found: Search) -> list[tuple[float, Ids]]:
    """log P and ids with the end symbol, best score first."""
    return [
        (found.nodes[end].total, tuple(found.nodes[node].id for node in found.path(end)))
        for end in found.ends
        if found.nodes[end].id == END
    ]


@pytest.mark.parametrize(
    "knobs",
    [
        {},
        {"position": "learned"},
        {"position": "rotary", "norm_placement": "post"},
        {"position": "alibi", "causal_mask_cross": True},
        {"causal_mask": False},
    ],
    ids=str,
)
def test_greedy_is_the_most_probable_symbol_of_a_full_pass_again_and_again(knobs: dict[str, object]) -> None:
    """Keys and values that are kept change nothing."""
    model = model_of(**knobs)

    assert [each.best for each in search(model, SOURCES, Decoding())] == [naive_greedy(model, row) for row in SOURCES]


@pytest.mark.parametrize("beam", range(1, 9))
@pytest.mark.parametrize("end", [0.0, 3.0])
def test_beam_search_is_the_plain_one(beam: int, end: float) -> None:
    """The same finished sentences with the same log P, ordered by score."""
    model = model_of(end=end)
    for source, found in zip(SOURCES, search(model, SOURCES, Decoding(beam=beam)), strict=True):
        expected = sorted(naive_beam(model, source, beam), key=lambda each: -each[0] / len(each[1]))
        assert [ids for _, ids in ended(found)] == [ids for _, ids in expected]
        assert [total for total, _ in ended(found)] == pytest.approx([total for total, _ in expected], abs=1e-4)


def test_unlikely_ends_do_not_hide_the_answer() -> None:
    """The bundled model that sorts has fourteen symbols and is sure: among four, an early end is always the next best."""
    for digits in ("31524", "7360914", "55501"):
        found = {explorer.translate(digits, preset="sort@1650", beam=beam) for beam in (1, 2, 4, 8)}
        assert found == {"".join(sorted(digits))}, digits


def all_sentences(model: Transformer, source: Ids, most: int) -> dict[Ids, float]:
    """log P of every finished sentence of at most so many tokens."""
    n = model.config.n_target_symbols
    symbols = [id_ for id_ in range(n) if id_ not in (PAD, UNKNOWN, BEGIN, END)]
    found: dict[Ids, float] = {}
    for length in range(most):
        for said in itertools.product(symbols, repeat=length):
            logits = model(torch.tensor([source]), torch.tensor([(BEGIN, *said)]))[0]
            rows = logits.double().log_softmax(dim=-1).tolist()
            found[(*said, END)] = sum(row[id_] for row, id_ in zip(rows, (*said, END), strict=True))
    return found


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, 2.0])
def test_a_beam_as_wide_as_the_tree_finds_the_best_of_all_sentences(penalty: float) -> None:
    """Up to three tokens over sixteen symbols: 1 + 12 + 144 finished sentences, ranked as enumeration ranks them."""
    model = model_of(target_vocab_size=16, max_len=4)
    every = all_sentences(model, (5, 6), 3)
    (found,) = search(model, [(5, 6)], Decoding(beam=5000, length_penalty=penalty))
    expected = sorted(every, key=lambda ids: -every[ids] / len(ids) ** penalty)

    assert len(every) == 157
    assert [ids for _, ids in ended(found)][:30] == expected[:30]
    assert {ids: total for total, ids in ended(found)} == pytest.approx(every, abs=1e-4)


def test_a_narrow_beam_can_miss_the_best_sentence() -> None:
    """Otherwise the enumeration would prove nothing."""
    missed = 0
    model = model_of(target_vocab_size=16, max_len=4)
    for source in itertools.product((4, 5), repeat=2):
        every = all_sentences(model, source, 3)
        (found,) = search(model, [source], Decoding(beam=1))
        missed += [ids for _, ids in ended(found)][:1] != [max(every, key=lambda ids: every[ids] / len(ids))]

    assert missed > 0


def test_each_nodes_numbers_are_those_of_a_full_pass() -> None:
    """log P of the token, and the sum from the beginning."""
    model = model_of()
    (found,) = search(model, SOURCES[:1], Decoding(beam=4))

    assert len(found.nodes) > 10
    for index, node in enumerate(found.nodes):
        before = tuple(found.nodes[each].id for each in found.path(index)[:-1])
        assert node.log_p == pytest.approx(log_p(model, SOURCES[0], before)[node.id], abs=1e-4)
        assert node.total == pytest.approx(math.fsum(found.nodes[each].log_p for each in found.path(index)), abs=1e-4)


@pytest.mark.parametrize("beam", [1, 3, 8])
@pytest.mark.parametrize("knobs", [{}, {"causal_mask_encoder": True}, {"causal_mask": False, "position": "rotary"}], ids=str)
def test_a_batch_says_what_each_sentence_says_alone(beam: int, knobs: dict[str, object]) -> None:
    """Padding, and neighbours that are done earlier, change nothing."""
    model = model_of(end=1.0, **knobs)
    sources = [*SOURCES, (4, 4), (5, 6, 7)]
    for source, found in zip(sources, search(model, sources, Decoding(beam=beam)), strict=True):
        (alone,) = search(model, [source], Decoding(beam=beam))
        assert [(node.parent, node.id) for node in found.nodes] == [(node.parent, node.id) for node in alone.nodes]
        assert [node.total for node in found.nodes] == pytest.approx([node.total for node in alone.nodes], abs=1e-4)
        assert found.ends == alone.ends


@pytest.mark.parametrize("beam", [1, 4])
def test_a_sentence_without_an_end_stops_at_the_greatest_length(beam: int) -> None:
    """All that are left stand behind those that ended."""
    model = model_of(end=-1000.0)
    (found,) = search(model, [(5,)], Decoding(beam=beam))

    assert {len(found.path(end)) for end in found.ends} == {11}
    assert len(found.ends) == beam
    assert [found.score(end) for end in found.ends] == sorted((found.score(end) for end in found.ends), reverse=True)


def test_what_was_given_up_is_no_end() -> None:
    """The search is over when `beam` sentences have ended; what was then on its way has no place among them."""
    for beam in (1, 2, 4):
        (found,) = search(model_of(end=4.0), [(5, 6)], Decoding(beam=beam))
        assert len(found.ends) >= beam
        assert all(found.nodes[end].id == END for end in found.ends)


def test_padding_begin_and_unknown_are_never_said() -> None:
    """However probable the model finds them."""
    model = model_of()
    model.generator.project.bias[[PAD, UNKNOWN, BEGIN]] += 100

    assert {node.id for found in search(model, SOURCES, Decoding(beam=4)) for node in found.nodes}.isdisjoint(
        {PAD, UNKNOWN, BEGIN}
    )


# Prefix


@pytest.mark.parametrize("beam", [1, 3])
def test_a_translation_begins_with_its_prefix(beam: int) -> None:
    """Forced tokens are marked and counted with the model's own log P; what follows is searched as ever."""
    model = model_of()
    prefix = (7, UNKNOWN, 9)
    for source, found in zip(SOURCES, search(model, SOURCES, Decoding(beam=beam, prefix=prefix)), strict=True):
        assert found.best[:3] == prefix
        assert [node.forced for node in found.nodes] == [True] * 3 + [False] * (len(found.nodes) - 3)
        for at in range(3):
            assert found.nodes[at].log_p == pytest.approx(log_p(model, source, prefix[:at])[prefix[at]], abs=1e-4)
        if beam == 1:
            row = log_p(model, source, prefix)
            assert found.nodes[3].id == max((id_ for id_ in range(3, 20)), key=lambda id_: row[id_])


def test_the_models_own_beginning_as_prefix_changes_nothing() -> None:
    """Greedily, wherever one begins."""
    model = model_of()
    (own,) = search(model, [(5, 6)], Decoding())
    for n in range(len(own.best)):
        (again,) = search(model, [(5, 6)], Decoding(prefix=own.best[:n]))
        assert again.best == own.best


def test_a_prefix_that_ends_is_the_whole_sentence() -> None:
    """Nothing is said behind the end."""
    for found in search(model_of(), SOURCES, Decoding(beam=2, prefix=(7, END))):
        assert found.best == (7,)
        assert [node.id for node in found.nodes] == [7, END]
        assert found.ends == (1,)


@pytest.mark.parametrize("position", ["sinusoidal", "learned"])
def test_a_prefix_without_room_behind_it_is_too_long(position: str) -> None:
    """Learned positions end somewhere, and so does a Trace."""
    model = model_of(position=position)
    (found,) = search(model, [(5,)], Decoding(prefix=(7,) * 10))
    assert len(found.path(found.ends[0])) == 11
    with pytest.raises(TooLong) as caught:
        search(model, [(5,)], Decoding(prefix=(7,) * 11))

    assert caught.value.values == {"limit": 12, "got": 13}


# No n-gram twice


def repeats(ids: Ids, n: int) -> bool:
    grams = list(zip(*(ids[at:] for at in range(n)), strict=False))
    return len(grams) > len(set(grams))


def naive_guarded(model: Transformer, source: Ids, n: int) -> Ids:
    """Greedily, trying the symbols from the likeliest on until one repeats nothing."""
    said: Ids = ()
    while len(said) < longest(len(source), model.config.max_len):
        row = log_p(model, source, said)
        order = sorted((id_ for id_ in range(len(row)) if id_ not in (PAD, UNKNOWN, BEGIN)), key=lambda id_: -row[id_])
        best = next(id_ for id_ in order if id_ == END or not repeats((*said, id_), n))
        if best == END:
            break
        said = (*said, best)
    return said


@pytest.mark.parametrize("n", [1, 2, 3])
def test_no_n_gram_is_written_twice(n: int) -> None:
    """In any finished sentence of any beam; without the knob some are, or this would prove nothing."""
    model = model_of(end=-2.0, max_len=30)
    assert any(repeats(each.best, n) for each in search(model, SOURCES, Decoding()))
    found = search(model, SOURCES, Decoding(no_repeat_ngram=n))
    assert [each.best for each in found] == [naive_guarded(model, row, n) for row in SOURCES]
    for beam in (2, 4):
        for found in search(model, SOURCES, Decoding(beam=beam, no_repeat_ngram=n)):
            assert not any(repeats(found.ids(end), n) for end in found.ends)


def test_what_is_closed_stands_in_the_tree_with_the_models_own_probability() -> None:
    """It would repeat an n-gram and would have been kept; nothing goes on from it, and it is no end."""
    for beam in (1, 4):
        model = model_of(end=-2.0, max_len=30)
        for source, found in zip(SOURCES, search(model, SOURCES, Decoding(beam=beam, no_repeat_ngram=2)), strict=True):
            closed = [index for index, node in enumerate(found.nodes) if node.closed]
            assert closed and not set(closed) & ({node.parent for node in found.nodes} | set(found.ends))
            for index in closed:
                node, ids = found.nodes[index], found.ids(index)
                assert repeats(ids, 2) and not repeats(ids[:-1], 2)
                assert node.log_p == pytest.approx(log_p(model, source, ids[:-1])[node.id], abs=1e-4)
                kept = [each.total for each in found.nodes if each.parent == node.parent and not each.closed]
                assert beam > 1 or node.total >= max(kept)


def test_a_beginning_of_ones_own_may_repeat_itself() -> None:
    """It was given, so nothing of it is closed; what follows repeats none of it."""
    model = model_of(max_len=30)
    (found,) = search(model, [(5, 6)], Decoding(beam=3, prefix=(7, 8, 7, 8, 7), no_repeat_ngram=2))
    assert found.best[:5] == (7, 8, 7, 8, 7) and not any(node.closed for node in found.nodes[:5])
    assert not repeats(found.best[2:], 2)


def test_a_sentence_of_which_every_continuation_is_closed_ends() -> None:
    """Four symbols, none twice: after four of them only the end is left."""
    for beam in (1, 3):
        (found,) = search(model_of(target_vocab_size=8, max_len=30), [(5,)], Decoding(beam=beam, no_repeat_ngram=1))
        assert all(len(set(found.ids(end))) == len(found.ids(end)) <= 4 for end in found.ends)


# The rest


@pytest.mark.parametrize(("n", "limit", "expected"), [(1, 1024, 22), (10, 1024, 40), (500, 256, 255), (3, 2, 1)])
def test_the_greatest_length_follows_the_sources(n: int, limit: int, expected: int) -> None:
    """Twice as long and twenty more, as far as the model has places for it with the begin symbol."""
    assert longest(n, limit) == expected


def test_a_search_can_be_ended_at_each_step() -> None:
    """What is asked before each step may raise; the model is as it was."""
    calls: list[int] = []

    def check() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise Superseded

    model = model_of(end=-1000.0)
    with pytest.raises(Superseded):
        search(model, SOURCES, Decoding(beam=2), check)

    assert len(calls) == 3
    assert search(model, SOURCES, Decoding()) == search(model, SOURCES, Decoding())
