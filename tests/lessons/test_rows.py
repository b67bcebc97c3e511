"""Each numbered row of the tutorials: what its lesson prints, and the true number by a way of its own, mostly torch."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import batch_norm, layer_norm, softmax

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lessons.check import Finding, findings, scope_of
from explorer.lessons.cost import LIMIT_MB, LIMIT_MS, Budget
from explorer.lessons.formula import evaluate
from explorer.lessons.lesson import Lesson, Step
from explorer.lessons.read import bundled_lessons
from explorer.state.state import State
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.trace import Trace
from tests.sweeps import sweep

pytestmark = pytest.mark.slow  # every row of five tutorials

LESSONS = {lesson.key: lesson for lesson in bundled_lessons()[0]}
ROWS = [*(f"a{n}" for n in range(1, 8)), *(f"b{n}" for n in range(1, 9)), *(f"c{n}" for n in range(1, 12)),
        *(f"d{n}" for n in range(1, 6)), *(f"e{n}" for n in range(1, 17))]
NAN = float("nan")


def t(values: object) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def paper(n: int, d: int, base: float = 10000.0) -> torch.Tensor:
    """[position, feature] as the tutorials' right code computes it, with exp and log."""
    table, place = torch.zeros(n, d, dtype=torch.float64), torch.arange(n, dtype=torch.float64)[:, None]
    rate = torch.exp(torch.arange(0, d, 2, dtype=torch.float64) * (-math.log(base) / d))
    table[:, 0::2], table[:, 1::2] = torch.sin(place * rate), torch.cos(place * rate)
    return table


def tutorials_norm(x: torch.Tensor) -> torch.Tensor:
    """The class that A, B and E write down."""
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)


def tap(trace: Trace, name: str) -> torch.Tensor:
    return torch.tensor(trace[name], dtype=torch.float64)


def entropy(weights: torch.Tensor) -> torch.Tensor:
    return torch.special.entr(weights).sum(-1) / math.log(2)


E = t([[0.3, 0.2, -0.1], [-0.4, 0.5, 0.9], [0.1, -0.3, 0.7], [-0.2, 0.8, -0.5], [0.6, -0.1, 0.4]])
E4 = t([[0.3, 0.2, -0.1, 0.5], [-0.4, 0.5, 0.9, -0.7], [0.1, -0.3, 0.7, 0.2], [-0.2, 0.8, -0.5, 0.3], [0.6, -0.1, 0.4, -0.2]])
Y = torch.nn.functional.embedding(torch.tensor([[1, 3, 0], [4, 2, 3]]), E)
Y4 = torch.nn.functional.embedding(torch.tensor([1, 3, 0]), E4)
SUM4 = Y4 * math.sqrt(4) + paper(3, 4)
X6 = t([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])
WQ, WK = t([[1, 0], [0, 1], [1, 0], [0, 1]]), t([[0, 1], [1, 0], [0, 1], [1, 0]])
S7 = t([[21.2206, 6.2903, 1.2201, 0.8742], [6.2903, 7.1234, 1.5678, 1.2345], [1.2201, 1.5678, 5.6789, 0.9876],
        [0.8742, 1.2345, 0.9876, 4.5678]])
Q10 = t([[1, 2], [3, 4], [5, 6]])
A10 = t([[0.2, 0.3, 0.5], [0.1, 0.6, 0.3], [0.4, 0.4, 0.2]])
LN = t([[[1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]], [[4, 5, 6, 7], [5, 6, 7, 8], [6, 7, 8, 9]]])
EIGHT = torch.arange(8, dtype=torch.float64)[None]
W0, D0, C0 = "encoder.layers.0.self_attn.weights", "decoder.layers.0.self_attn.weights", "decoder.layers.0.cross_attn.weights"

Truth = Callable[[Trace], object]
Row = list[list[tuple[object, Truth | object]]]
"""For each step, for each claim: what the text prints or what is expected (None: nothing) and the truth (None: told by
another test)."""


def largest(trace: Trace, first: str, second: str, total: str) -> float:
    return float((tap(trace, first) + tap(trace, second) - tap(trace, total)).abs().max())


def lengths(*names: str) -> Truth:
    return lambda trace: [tap(trace, name).norm(dim=-1).mean() for name in names]


def leftover(table: torch.Tensor) -> float:
    """What the best 2×2 map of each pair leaves, one place on."""
    worst = 0.0
    for first in range(0, table.shape[1], 2):
        now, then = table[:-1, first:first + 2], table[1:, first:first + 2]
        worst = max(worst, float((now @ (torch.linalg.pinv(now) @ then) - then).abs().max()))
    return worst


def nearest(table: torch.Tensor) -> float:
    return float(torch.pdist(table).min())


def alike(x: torch.Tensor) -> float:
    cosines = torch.nn.functional.cosine_similarity(x[:, None], x[None], dim=-1)
    return float(cosines[~torch.eye(len(x), dtype=torch.bool)].mean())


ALIKE: Truth = lambda trace: [alike(tap(trace, name)) for name in (  # noqa: E731
    "encoder.embedding.output", "encoder.layers.0.residual2", "encoder.layers.7.residual2")]
HALVED = [[0, 1, 0, 1], [.8415, .5403, .0998, .9950], [.9093, -.4161, .1987, .9801], [.1411, -.9900, .2955, .9553],
          [-.7568, -.6536, .3894, .9211], [-.9589, .2837, .4794, .8776], [-.2794, .9602, .5646, .8253],
          [.6570, .7539, .6442, .7648], [.9894, -.1459, .7174, .6967], [.4121, -.9111, .7833, .6216]]

EXPECTED: dict[str, Row] = {
    "a1": [[([.8415, .5403, .01, 1.0], [math.sin(1), math.cos(1e-2), math.sin(1e-4), 1.0])],
           [(0, lambda trace: leftover(tap(trace, "encoder.embedding.positions").new_tensor(trace.places))),
            (None, leftover(paper(64, 4)))]],
    "a2": [[(22.6274, math.sqrt(512)), (80, 80)], []],
    "a3": [[([.25] * 4, [.25] * 4)], [([NAN] * 4, [NAN] * 4)]],
    "a4": [[(2048, 2048), (512, 512),
            (None, lambda trace: float((torch.relu(tap(trace, "encoder.layers.0.feed_forward.hidden")) == 0).double().mean())),
            (None, lambda trace: float((tap(trace, "encoder.layers.0.feed_forward.hidden") <= 0).all(0).double().mean()))]],
    "a5": [[(None, tutorials_norm(EIGHT)), (None, layer_norm(EIGHT, (8,))),
            (0, float((tutorials_norm(EIGHT) - layer_norm(EIGHT, (8,))).abs().max())),
            (None, lambda trace: float((tutorials_norm(tap(trace, "encoder.embedding.output"))
                                        - layer_norm(tap(trace, "encoder.embedding.output"), (512,))).abs().max()))]],
    "a6": [[(0, lambda trace: largest(trace, "encoder.embedding.output", "encoder.layers.0.self_attn.output",
                                      "encoder.layers.0.residual1")),
            (0, lambda trace: largest(trace, "encoder.layers.0.residual1", "encoder.layers.0.feed_forward.output",
                                      "encoder.layers.0.residual2")),
            (None, lengths("encoder.embedding.output", "encoder.layers.0.residual2", "encoder.layers.1.residual2"))]],
    "a7": [[(None, 478_497_672), (None, 4 * 478_497_672 / 1e9)]],
    "b1": [[(22.6274, math.sqrt(512)), (None, lambda trace: [token.id for token in trace.tokens.source]),
            (None, lambda trace: float(tap(trace, "encoder.embedding.scaled")[:2].std(correction=0)))]],
    "b2": [[(0, lambda trace: float((tap(trace, "encoder.embedding.positions") - paper(4, 512)).abs().max()))],
           [(1.1111, 1 / 0.9), (.1, lambda trace: float((tap(trace, "encoder.embedding.output") == 0).double().mean()))]],
    "b3": [[([8, 4, 64], [8, 4, 64]), ([4, 512], [4, 512])]],
    "b4": [[(None, lengths("encoder.layers.0.residual2", "encoder.layers.3.residual2"))], [(8, lengths("encoder.layers.3.norm2"))]],
    "b5": [[(None, lambda trace: [8, len(trace.tokens.target), len(trace.tokens.source)]), (1, 1)]],
    "b6": [[(1, 1), (0, lambda trace: float((tap(trace, "generator.logits").log_softmax(-1).exp()
                                             - tap(trace, "generator.probabilities")).abs().max())),
            (None, lambda trace: float(tap(trace, "generator.logits")[0].log_softmax(-1).max()))]],
    "b7": [[([[.25] * 4] * 4, softmax(torch.full((4, 4), -1e9), -1)), (None, [2] * 4)]],
    "b8": [[([0, 0, 0], [0, 0, 0])], [(None, None)]],
    "c1": [[(4, 4), (None, [0, 1, 2, 3])]],
    "c2": [[(None, [0, 1, 2, 3])]],
    "c3": [[([4, 10], [4, 10]), (3.1623, math.sqrt(10))]],
    "c4": [[(None, lambda trace: float(tap(trace, W0.replace("weights", "scaled"))[0][:2].std(correction=0))),
            (None, lambda trace: float(entropy(tap(trace, W0)).mean())), (None, lambda trace: jacobians(tap(trace, W0)))],
           [(None, lambda trace: float(tap(trace, W0.replace("weights", "scaled"))[0][:2].std(correction=0))),
            (None, lambda trace: float(entropy(tap(trace, W0)).mean()))],
           [(None, lambda trace: float(entropy(tap(trace, W0)).mean())), (None, lambda trace: jacobians(tap(trace, W0)))]],
    "c5": [[(0, 0)], [(None, lambda trace: moved(trace)), (0, 0)]],
    "c6": [[(0, 0), (0, 0)]],
    "c7": [[(None, 2 * math.pi), (None, 2 * math.pi * 10000 ** (62 / 64))]],
    "c8": [[(None, nearest(paper(1000, 64)))], [(None, nearest(paper(1000, 4)))]],
    "c9": [[(0, lambda trace: leftover(tap(trace, "encoder.embedding.positions").new_tensor(trace.places))), (0, 0)]],
    "c10": [[(None, 2 * math.pi * 2 ** (62 / 64)), (None, nearest(paper(1000, 64, 2)))],
            [(None, float(paper(64, 64, 1e6)[:, -2].max() - paper(64, 64, 1e6)[:, -2].min())),
             (None, float(paper(64, 64)[:, -2].max() - paper(64, 64)[:, -2].min()))]],
    "c11": [[(0, 0), (None, lengths("encoder.embedding.scaled", "encoder.embedding.positions")), (5.6569, math.sqrt(32))]],
    "d1": [[([[-.4, .5, .9], [-.2, .8, -.5], [.3, .2, -.1]], Y[0]), ([[.6, -.1, .4], [.1, -.3, .7], [-.2, .8, -.5]], Y[1]),
            ([2, 3, 3], [2, 3, 3])]],
    "d2": [[([[-.4, .5, .9, -.7], [-.2, .8, -.5, .3], [.3, .2, -.1, .5]], Y4)]],
    "d3": [[([1, 17.78, 100, 5623.41], [1, 1, 100, 100]), ([17.78, 5623.41], [10, 1000]),
             ([17.78, 5623.41], [math.sqrt(math.sqrt(1e5)), 1e5 ** 0.75]), ([.8415, .9984, .01, 1], paper(2, 4)[1])]],
    "d4": [[([-.8, 2.0, 1.8, -.4], SUM4[0]), ([.4415, 2.5984, -.99, 1.6], SUM4[1]), ([1.5093, 1.3937, -.18, 2.0], SUM4[2])]],
    "d5": [[(None, lambda trace: trace.parameters), (None, lambda trace: [len(trace.tokens.source), len(trace.tokens.target)])], []],
    "e1": [[(7, 6)], [(7, 7), ([2, 6], [1, 5])]],
    "e2": [[([.9093, -.4161, .0002, 1], paper(7, 4)[2]), ([-.2794, .9602, .0006, 1], paper(7, 4)[6]),
            ([1.0093, -.2161, .3002, 1.4], t([.1, .2, .3, .4]) + paper(7, 4)[2])]],
    "e3": [[([1.0, .1], torch.exp(t([0, 2]) * -(math.log(10000) / 4))), ([.8415, .5403, .0998, .9950], paper(2, 4)[1]),
            (HALVED, paper(10, 4))], [(HALVED[1], [math.sin(1), math.cos(1), math.sin(.1), math.cos(.1)])]],
    "e4": [[(0, lambda trace: float((tap(trace, D0)[0].triu(1)).sum()))],
           [(0, lambda trace: float(tap(trace, D0)[0, 0, 1:].sum())), (None, [.25] * 4)]],
    "e5": [[([0, 1, 2, 3, 4], [1, 2, 3, 4, 5]), (None, [1, 2, 3])]],
    "e6": [[([[1, 2], [5, 6], [9, 10]], [[4, 6], [12, 14], [20, 22]]), ([[2, 1], [6, 5], [10, 9]], [[6, 4], [14, 12], [22, 20]]),
            ([[1, 2], [5, 6], [9, 10]], [[4, 6], [12, 14], [20, 22]]),
            ([[4, 16, 28], [16, 60, 104], [28, 104, 180]], [[48, 128, 208], [128, 336, 544], [208, 544, 880]]),
            (None, softmax(X6 @ WQ @ (X6 @ WK).T / math.sqrt(2), -1))]],
    "e7": [[(np.eye(4), softmax(S7, -1)), ([0] * 4, entropy(softmax(S7, -1)))]],
    "e8": [[(0, 0)], [(0, 0), (0, None)]],
    "e9": [[([8, 64], [8, 64]), (None, t([[1, 2, 3, 4], [5, 6, 7, 8]]).view(2, 2, 2).transpose(0, 1))]],
    "e10": [[([[5, 11, 17], [11, 25, 39], [17, 39, 61]], Q10 @ Q10.T), ([[3.6, 4.8], [3.4, 4.4], [2.6, 3.6]], A10 @ Q10),
             ([[.2, .3, .5], [.1, .6, .3], [.4, .4, .2]], softmax(Q10 @ Q10.T / math.sqrt(2), -1)),
             ([[3.6, 4.8], [3.4, 4.4], [2.6, 3.6]], softmax(Q10 @ Q10.T / math.sqrt(2), -1) @ Q10)]],
    "e11": [[(1024, 1024), (512, 512),
             (None, lambda trace: float((tap(trace, "encoder.layers.0.feed_forward.hidden") <= 0).all(0).double().mean()))]],
    "e12": [[([2.5, 3.5, 4.5], LN[0].mean(-1)), (None, LN.reshape(-1, 4).mean(0)), ([-1.3416, -.4472, .4472, 1.3416],
             layer_norm(LN, (4,))[0, 0]), (None, batch_norm(LN.reshape(-1, 4), None, None, training=True)[0])]],
    "e13": [[(1.118, t([1, 2, 3, 4]).std()), (1.118, t([1, 2, 3, 4]).std(correction=0)),
             ([-1.3416, -.4472, .4472, 1.3416], tutorials_norm(t([1, 2, 3, 4]))),
             ([-1.3416, -.4472, .4472, 1.3416], layer_norm(t([1, 2, 3, 4]), (4,)))]],
    "e14": [[(0, 1)], [(0, 0)]],
    "e15": [[(None, ALIKE), (None, None), (None, None)],
            [(None, ALIKE), (None, lengths("encoder.embedding.output", "encoder.layers.7.residual2"))]],
    "e16": [[([.25] * 4, [.25] * 4), ([.25] * 4, [.25] * 4), (None, lambda trace: float(entropy(tap(trace, W0)).mean()))]],
}

AGREES = {  # which claims of a text that prints something are right, step by step
    "a1": [[False], [False]], "a2": [[True, True], []], "a3": [[True], [True]], "a4": [[True, True]], "a5": [[False]],
    "a6": [[True, True]], "a7": [[]], "b1": [[True]], "b2": [[True], [True, True]], "b3": [[True, True]],
    "b4": [[], [True]], "b5": [[True]], "b6": [[True, True]], "b7": [[True]], "b8": [[True], []], "c1": [[True]], "c2": [[]],
    "c3": [[True, True]], "c4": [[], [], []], "c5": [[True], [True]], "c6": [[True, True]], "c7": [[]], "c8": [[], []],
    "c9": [[False, True]], "c10": [[], []], "c11": [[True, True]], "d1": [[True, True, True]], "d2": [[True]],
    "d3": [[False, False, True, False]], "d4": [[True, False, False]], "d5": [[], []], "e1": [[False], [True, False]],
    "e2": [[False, False, False]], "e3": [[False, False, False], [True]], "e4": [[True], [False]], "e5": [[False]],
    "e6": [[False] * 4], "e7": [[False, False]], "e8": [[True], [True, False]], "e9": [[True]],
    "e10": [[True, False, False, False]], "e11": [[True, True]], "e12": [[True, True]], "e13": [[False, True, False, True]],
    "e14": [[False], [True]], "e15": [[], []], "e16": [[True, True]],
}


def jacobians(weights: torch.Tensor) -> float:
    """The mean size of the softmax's own Jacobian, by autograd."""
    rows = weights.reshape(-1, weights.shape[-1])
    return float(torch.stack([torch.autograd.functional.jacobian(lambda x: softmax(x, -1), row.log()).norm() for row in rows]).mean())


def moved(trace: Trace) -> float:
    """The largest number by which the sentence with two words exchanged differs, row by row of its own words."""
    other = Computer()(Request.from_preset("tiny", "人是狗养的", tokenizer="characters")).trace
    return float((tap(trace, "encoder.norm") - tap(other, "encoder.norm")[[2, 1, 0, 3, 4]]).abs().max())


@pytest.fixture(scope="module")
def computer(shared_cache: Path) -> Computer:
    return Computer(Tokenizers(shared_cache))


def passes(lesson: Lesson, computer: Computer) -> list[tuple[Step, Trace]]:
    """Each step as the window would set it up, one after the other. A7's second step builds 1.9 GB and is left out."""
    state, made = State.from_preset("tiny"), []
    for step in lesson.steps[:1] if lesson.key == "a7" else lesson.steps:
        state = state.opened(step.settings)
        made.append((step, computer(Request(wish=state.wish).asking(experiments=step.experiments)).trace))
    return made


def test_every_row_has_its_lesson() -> None:
    """47 rows, A1 to E16, in their order, in the groups of the tutorials; no lesson is broken."""
    lessons, errors = bundled_lessons()

    assert errors == ()
    assert [(lesson.key, lesson.group) for lesson in lessons if lesson.group in set("ABCDE")] == [(row, row[0].upper()) for row in ROWS]
    assert EXPECTED.keys() == AGREES.keys() == set(ROWS)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_tells_the_truth(row: str, computer: Computer) -> None:
    """The text's number as it prints it, the true number, and whether the two agree."""
    for number, (step, trace) in enumerate(passes(LESSONS[row], computer)):
        found, expected = findings(step, trace), EXPECTED[row][number]
        assert len(found) == len(expected)
        for finding, (printed, truth) in zip(found, expected, strict=True):
            same(finding, printed, truth(trace) if callable(truth) else truth)
        assert [finding.agrees for finding in found if finding.claim.printed is not None] == AGREES[row][number]


@pytest.mark.parametrize("row", sweep(ROWS, telling=list(ROWS)[::4]))
def test_a_row_is_well_within_its_budget(row: str, computer: Computer) -> None:
    """No formula of a claim or an answer needs more than nine tenths of what it may cost."""
    for step, trace in passes(LESSONS[row], computer):
        answer = step.question.answer if step.question is not None else ""
        for formula in (*(claim.true for claim in step.claims), *([answer] if answer else [])):
            evaluate(formula, scope_of(trace, step.given), Budget(0.9 * LIMIT_MS, 0.9 * LIMIT_MB))


def same(finding: Finding, printed: object, truth: object) -> None:
    if printed is None:
        assert finding.claim.printed is None
    else:
        np.testing.assert_array_equal(finding.claim.printed, np.array(printed, np.float64))
    if truth is not None:
        wanted = truth.numpy() if isinstance(truth, torch.Tensor) else np.array(
            [float(x) for x in truth] if isinstance(truth, list) and isinstance(truth[0], torch.Tensor) else truth, np.float64)
        np.testing.assert_allclose(finding.computed, wanted.reshape(finding.computed.shape), rtol=2e-4, atol=2e-5)


def test_a_wrong_truth_would_be_found(computer: Computer) -> None:
    """The comparison can fail, both ways."""
    ((step, trace),) = passes(LESSONS["d1"], computer)
    finding = findings(step, trace)[0]
    with pytest.raises(AssertionError):
        same(finding, finding.claim.printed, finding.computed + 0.001)
    with pytest.raises(AssertionError):
        same(finding, finding.claim.printed + 0.001, finding.computed)


@pytest.mark.parametrize("row", sweep(ROWS, telling=list(ROWS)[::4]))
def test_every_question_has_an_answer(row: str, computer: Computer) -> None:
    """Its formula can be computed on the pass of its step."""
    for step, trace in passes(LESSONS[row], computer):
        if step.question is not None and step.question.answer:
            assert np.isfinite(evaluate(step.question.answer, scope_of(trace, step.given))).all()


def test_the_base_a_claim_hangs_on_is_torchs() -> None:
    """B8: torch's own encoder makes deep copies of one layer too."""
    stack = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False)

    assert torch.equal(stack.layers[0].linear1.weight, stack.layers[1].linear1.weight)
