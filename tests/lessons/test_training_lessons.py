"""The lessons about training: each number from the lines of a log by json alone, or from the recorded pass by torch."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
import torch
from torch.nn.functional import cosine_similarity

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.lessons.check import findings, scope_of
from explorer.lessons.formula import evaluate
from explorer.lessons.read import bundled_lessons
from explorer.presets import training_names
from explorer.resources import asset
from explorer.runs.snapshots import steps_kept
from explorer.tokens.tokenizer import Tokenizers
from explorer.trace.trace import Trace
from tests.lessons.test_rows import Row, passes, same

LESSONS = {lesson.key: lesson for lesson in bundled_lessons()[0] if lesson.group == "training"}
LOGS = {
    name: [json.loads(line) for line in (asset("trainings") / name / "log.jsonl").read_text("utf-8").splitlines()]
    for name in training_names()
}
IN, OUT = "encoder.embedding.output", "encoder.layers.1.residual2"
WARM, COLD, PRE = "deep_post_norm", "no_warmup", "deep_pre_norm"


def at(training: str, step: int, field: str) -> float:
    """What the log says of a step, or of the validation after it."""
    return float(next(line[field] for line in LOGS[training] if line["step"] == step and field in line))


def every(training: str, field: str) -> list[float]:
    return [line[field] for line in LOGS[training] if field in line]


def last(field: str, *trainings: str) -> list[float]:
    return [every(name, field)[-1] for name in trainings]


def recent(training: str) -> float:
    """The mean training loss of the last 20 steps."""
    return sum(every(training, "loss")[-20:]) / 20


def lowest(training: str) -> dict[str, Any]:
    """The validation with the lowest loss."""
    return min((line for line in LOGS[training] if "valid_loss" in line), key=lambda line: line["valid_loss"])


def n_written(trace: Trace) -> float:
    return float(sum(token.text.isdigit() for token in trace.tokens.target))


def apart(trace: Trace) -> float:
    return float(torch.dist(*torch.tensor(trace["encoder.norm"][:2], dtype=torch.float64)))


def kept(trace: Trace) -> float:
    return float(cosine_similarity(torch.tensor(trace[IN]), torch.tensor(trace[OUT]), dim=-1).mean())


def likelihoods(trace: Trace, *texts: str) -> list[float]:
    """The probability of each of these texts at the first positions, in turn."""
    symbols = (asset("trainings") / "no_mask" / "target.txt").read_text("utf-8").splitlines()
    return [float(trace["generator.probabilities"][place, symbols.index(text)]) for place, text in enumerate(texts)]


def ahead(trace: Trace) -> float:
    """The weight on later tokens in the decoder's first layer, of the rows that have any."""
    weights = torch.tensor(trace["decoder.layers.0.self_attn.weights"], dtype=torch.float64)  # [head, query, key]
    return float(weights.triu(1).sum(-1)[:, :-1].mean())


EXPECTED: dict[str, Row] = {
    "t1": [
        [(None, [at(WARM, 1, "rate"), at(COLD, 1, "rate")]), (None, [at(WARM, 12, "loss"), at(COLD, 12, "loss")])],
        [
            (None, [at(WARM, 55, "valid_loss"), at(COLD, 55, "valid_loss")]),
            (None, [at(WARM, 275, "valid_loss"), at(COLD, 275, "valid_loss")]),
            (None, last("valid_loss", WARM, COLD)),
            (None, last("exact", WARM, COLD)),
        ],
        [(None, [*last("valid_loss", "usual"), *last("exact", "usual")])],
    ],
    "t2": [
        [
            (None, [max(every("usual", "rate")), max(every("fast", "rate"))]),
            (None, [at("usual", 55, "valid_loss"), at("fast", 55, "valid_loss")]),
        ],
        [
            (None, [at("usual", 110, "valid_loss"), at("fast", 110, "valid_loss")]),
            (None, [at("fast", 220, "valid_loss"), at("fast", 275, "valid_loss")]),
            (None, last("valid_loss", "usual", "fast")),
            (None, last("exact", "usual", "fast")),
        ],
        [(None, [max(every("usual", "rate")), *last("rate", "usual")])],
    ],
    "t3": [
        [(0, apart), (5, n_written)],
        [(None, last("valid_loss", "no_positions", "usual")), (None, last("exact", "no_positions", "usual"))],
        [(None, apart), (5, n_written)],
    ],
    "t4": [
        [
            (None, [at("no_residual", 110, "valid_loss"), at("usual", 110, "valid_loss")]),
            (None, last("valid_loss", "no_residual", "usual")),
            (None, last("exact", "no_residual", "usual")),
        ],
        [(None, kept)],
        [(None, kept)],
    ],
    "t5": [
        [
            (None, [recent("no_mask"), recent("usual")]),
            (None, last("exact", "no_mask")[0]),
            (None, last("valid_loss", "no_mask", "usual")),
        ],
        [(None, lambda trace: likelihoods(trace, "1", "2")), (None, ahead)],
        [(None, lambda trace: likelihoods(trace, "<eos>")), (5, n_written)],
        [(5, n_written)],
    ],
    "t6": [
        [(None, recent("few_examples")), (None, [lowest("few_examples")["valid_loss"], *last("valid_loss", "few_examples")])],
        [(None, lowest("few_examples")["step"]), (None, [lowest("few_examples")["exact"], *last("exact", "few_examples")])],
        [(None, last("valid_loss", "usual", "few_examples")), (None, last("exact", "usual", "few_examples"))],
    ],
    "t7": [
        [(None, lambda trace: trace.parameters), (None, 24 / 4)],
        [
            (None, lambda trace: trace.parameters),
            (None, [at("one_head", 220, "valid_loss"), at("usual", 220, "valid_loss")]),
            (None, last("valid_loss", "one_head", "usual")),
            (None, last("exact", "one_head", "usual")),
        ],
        [],
    ],
    "t8": [
        [
            (None, [at(PRE, 330, "exact"), at(WARM, 330, "exact")]),
            (None, last("valid_loss", PRE, WARM)),
            (None, [max(every(PRE, "norm")), max(every(WARM, "norm"))]),
        ],
        [(None, last("exact", PRE, WARM, COLD))],
        [(None, last("exact", "usual", PRE))],
    ],
}
ANSWERS = {"t2": last("valid_loss", "fast")[0] / last("valid_loss", "usual")[0], "t6": lowest("few_examples")["step"], "t7": 24}


@pytest.fixture(scope="module")
def computer(shared_cache: Path) -> Computer:
    return Computer(Tokenizers(shared_cache))


def test_there_are_eight_of_them() -> None:
    """In one group, each with one question, each ending with a training of one's own."""
    assert list(LESSONS) == [f"t{n}" for n in range(1, 9)] == list(EXPECTED)
    for lesson in LESSONS.values():
        assert sum(step.question is not None for step in lesson.steps) == 1
        assert "Train your own" in lesson.steps[-1].say.en and "自己训练" in lesson.steps[-1].say.zh


@pytest.mark.parametrize("key", EXPECTED)
def test_a_lesson_says_what_the_logs_say(key: str, computer: Computer) -> None:
    """Each claim's number, what should come out beside it, and the answer to the question."""
    for (step, trace), expected in zip(passes(LESSONS[key], computer), EXPECTED[key], strict=True):
        found = findings(step, trace)
        assert len(found) == len(expected)
        for finding, (wanted, truth) in zip(found, expected, strict=True):
            same(finding, wanted, truth(trace) if callable(truth) else truth)
        if step.question is not None and step.question.answer:
            assert evaluate(step.question.answer, scope_of(trace, step.given)) == pytest.approx(ANSWERS[key])


def test_what_the_lessons_say_in_words_is_in_the_logs() -> None:
    """Who is ahead where, what rises and what does not."""
    assert at(COLD, 12, "loss") < at(WARM, 12, "loss")
    assert [at(COLD, step, "valid_loss") > at(WARM, step, "valid_loss") for step in (55, 165, 330)] == [True, False, True]
    assert at("fast", 55, "valid_loss") < at("usual", 55, "valid_loss")
    assert at("fast", 110, "valid_loss") > at("usual", 110, "valid_loss")
    assert at("fast", 275, "valid_loss") > at("fast", 220, "valid_loss")
    assert recent("no_mask") < recent("usual")
    assert last("exact", "no_mask")[0] > 0.99
    assert last("valid_loss", "few_examples")[0] > 1.2 * lowest("few_examples")["valid_loss"]
    assert last("exact", "few_examples")[0] > lowest("few_examples")["exact"]
    assert at("one_head", 220, "valid_loss") > at("usual", 220, "valid_loss")


def test_what_the_models_write_is_what_the_lessons_say(computer: Computer) -> None:
    """Greedily and by the search of the window; without residual connections no snapshot sorts."""

    def written(preset: str, text: str, beam: int = 1) -> str:
        request = Request.from_preset(preset, text)
        trace = computer(attrs.evolve(request, wish=attrs.evolve(request.wish, beam=beam))).trace
        return "".join(token.text for token in trace.tokens.target if token.text.isdigit())

    for beam in (1, 4):
        assert [written(name, "77733", beam) for name in ("no_positions", "usual")] == ["377", "33777"]
        assert [written(name, "31524", beam) for name in ("no_mask", "usual")] == ["", "12345"]
    snapshots = steps_kept(asset("trainings") / "no_residual")
    assert len(snapshots) > 2
    assert "12345" not in [written(f"no_residual@{step}", "31524") for step in snapshots]


@pytest.mark.parametrize("name", LOGS)
def test_a_bundled_training_was_made_as_its_readme_says(name: str) -> None:
    """The log's own setup has the flags of the command; all trainings but the short one made as many steps."""
    rows = (asset("trainings") / "README.md").read_text("utf-8").splitlines()
    flags = next((row.split("|")[2].strip(" `") for row in rows if row.startswith(f"| `{name}` |")), "")
    command = "--n-layers 2 --n-heads 4 --d-model 24 --d-ff 48 --epochs 12 " + flags
    words = command.split()
    given = {flag[2:].replace("-", "_"): value for flag, value in zip(words[::2], words[1::2], strict=True)}
    given.pop("snapshots", None)  # No part of what is trained.
    setup = LOGS[name][0]["setup"]

    assert f"{command.removesuffix(' ' + flags) if flags else command.strip()} --snapshots" in "\n".join(rows)
    assert {key: str(({**setup["knobs"], **setup["recipe"]})[key]).lower() for key in given} == given
    assert max(line["step"] for line in LOGS[name]) == (400 if name == "few_examples" else 660)
