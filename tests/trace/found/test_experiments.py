"""The table of experiments: it can be read without NumPy, and nobody else decides by an experiment's name."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

import explorer
from explorer.errors import UnknownExperiment
from explorer.lang import LANGUAGES, Words
from explorer.state.focus import Focus
from explorer.trace.found.experiments import EXPERIMENTS, asked_for, for_any_model, look_at_a_place
from tests.picture.examples import example

ROOT = Path(explorer.__file__).parent
OTHER_WORDS = {
    "cli/spoken.py": {"why", "effects"},  # former names of commands
    "trace/files/recorded_file.py": {"batch"},  # an axis
    "picture/follow_text.py": {"vectors"},  # a beat of the film
    "picture/layout/follow_sheet.py": {"vectors"},  # a beat of the film
    "picture/makers/layers.py": {"gradients"},  # a choice of the Look
    "picture/makers/lens.py": {"jacobian"},  # a choice of the Look
    "state/comparing_intents.py": {"swap"},  # what an Intent does
}
"""Where a word that is an experiment's key, too, is compared as the name of something else."""


def compared(source: str) -> Iterator[str]:
    """The keys of experiments by which some code decides: in a comparison, a case, or a dict with several of them."""
    for node in ast.walk(ast.parse(source)):
        texts: set[str] = set()
        if isinstance(node, ast.Compare):
            sides = [each for side in (node.left, *node.comparators) for each in getattr(side, "elts", [side])]
            texts = {each.value for each in sides if isinstance(each, ast.Constant)}
        elif isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant):
            texts = {node.value.value}
        elif isinstance(node, ast.Dict):
            keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
            texts = keys if len(keys & EXPERIMENTS.keys()) > 1 else set()
        yield from texts & EXPERIMENTS.keys()


def looked_up(source: str) -> Iterator[str]:
    """The keys under which some code looks for findings, and those that captions name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg == "finding" and isinstance(node.value, ast.Constant):
            yield node.value.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".experiments.get"):
            yield from (each.value for each in node.args if isinstance(each, ast.Constant))
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(".experiments"):
            yield from ([node.slice.value] if isinstance(node.slice, ast.Constant) else ())


def test_nobody_else_decides_by_the_name_of_an_experiment() -> None:
    """Whoever must know something about one asks its row."""
    found = {path.relative_to(ROOT).as_posix(): set(compared(path.read_text("utf-8"))) for path in ROOT.rglob("*.py")}
    assert {name: keys for name, keys in found.items() if keys} == OTHER_WORDS


@pytest.mark.parametrize(
    "source",
    [
        'x = name == "patching"',
        'x = "batch" in asked',
        'x = name in ("effects", "edges")',
        'x = {"edges": 1, "costs": 2}[name]',
        'match name:\n    case "leak":\n        pass',
    ],
)
def test_a_decision_by_name_is_noticed(source: str) -> None:
    """The checker can fail."""
    assert list(compared(source))


def test_whatever_is_looked_up_is_in_the_table() -> None:
    """A key that nobody makes would leave a card waiting for ever."""
    found = {key for path in ROOT.rglob("*.py") for key in looked_up(path.read_text("utf-8"))}
    assert {"leak", "batch"} <= found
    assert found <= EXPERIMENTS.keys() | {""}


def test_the_table_is_read_without_numpy_and_torch() -> None:
    """A Look and a State name experiments before anything large is imported."""
    told = "import sys, explorer.trace.found.experiments; print(sorted({'numpy', 'torch'} & sys.modules.keys()))"
    made = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"


def test_a_place_is_a_part_of_the_focus() -> None:
    """So is how far a sweep goes; and what looks at a place is told from what does not."""
    fields = {field.name for field in attrs.fields(Focus)}
    for row in EXPERIMENTS.values():
        assert {*row.place, *filter(None, [row.grows])} <= fields
        assert len(row.place_in(Focus())) == len(row.place)
    assert look_at_a_place(["leak", "edges"]) and not look_at_a_place(["leak", "effects"])


def test_what_needs_our_own_models_is_left_out_for_others() -> None:
    """The others stay, in any order."""
    assert for_any_model(["leak", "effects", "segmentations", "vectors"]) == {"effects", "vectors"}
    assert [row.key for row in asked_for(["vectors", "leak"])] == ["leak", "vectors"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unknown_experiment_is_refused_with_a_sentence(language: str) -> None:
    """It names what there is."""
    with pytest.raises(UnknownExperiment) as refused:
        explorer.explore("我爱你", preset="tiny", experiments=["leak", "liek"])
    said = Words.load(language).error(refused.value)
    assert "liek" in said and "leak" in said


def test_a_lesson_may_name_what_stands_in_the_pass_itself() -> None:
    """Passes of other Wishes are no numbers of this one."""
    without = {row.key for row in EXPERIMENTS.values() if not row.formulas}
    assert without == {"unchanged", "without_part", "steering"}
    assert example("encoder-decoder").experiments.keys() <= EXPERIMENTS.keys()
