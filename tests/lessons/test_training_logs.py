"""The logs of bundled trainings as formulas name them: column by column, and of nothing else."""

import json

import pytest

from explorer.errors import BadFormula, ExplorerError, NoSuchColumn, UnknownTraining
from explorer.lang import LANGUAGES, Words
from explorer.lessons.formula import evaluate
from explorer.lessons.known import PLAIN
from explorer.presets import training_names
from explorer.resources import asset


@pytest.mark.parametrize("field", ["step", "loss", "norm", "valid_step", "valid_loss", "exact"])
@pytest.mark.parametrize("training", [*training_names(), "sort"])
def test_the_log_of_a_bundled_training_is_a_name_of_formulas(training: str, field: str) -> None:
    """Column by column, in the order of its lines: of the steps, or of the validations."""
    folder = asset("presets" if training == "sort" else "trainings") / training
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text("utf-8").splitlines()]
    validations = field in ("valid_step", "valid_loss", "exact")
    kept = [line for line in lines if ("valid_loss" if validations else "loss") in line]

    wanted = [line[field.replace("valid_step", "step")] for line in kept]
    assert len(wanted) > 10
    assert evaluate(f"run('{training}', '{field}')", PLAIN).tolist() == wanted
    assert evaluate(f"run('{training}', '{field}', {kept[5]['step']})", PLAIN) == wanted[5]


@pytest.mark.parametrize(
    ("formula", "error", "said"),
    [
        ("run('/etc', 'loss')", UnknownTraining, "few_examples"),
        ("run('tiny', 'loss')", UnknownTraining, "sort"),
        ("run('usual', 'los')", NoSuchColumn, "valid_loss"),
        ("run(1, 'loss')", UnknownTraining, "usual"),
        ("run('usual', 'loss', 0.5)", BadFormula, "0.5"),
    ],
)
def test_no_other_training_and_no_other_column_is_read(formula: str, error: type[ExplorerError], said: str) -> None:
    """The error's sentence lists those that there are, in both languages."""
    with pytest.raises(error) as caught:
        evaluate(formula, PLAIN)
    assert all(said in Words.load(language).error(caught.value) for language in LANGUAGES)
