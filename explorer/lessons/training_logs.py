"""Columns from the logs of bundled trainings, for the formulas of lessons."""

from functools import lru_cache

import numpy as np

from explorer.errors import NoSuchColumn, UnknownTraining
from explorer.lessons.cost import MOVE, Cost, number, quoted, refused
from explorer.mathematics import Numbers
from explorer.presets import load_preset, training_names
from explorer.runs.log import STEP_FIELDS, VALID_FIELDS, RunLog, read_log

_LIVED = "sort"  # the preset whose training is bundled whole
_VALID_STEP = "valid_step"  # the steps of the validations; "step" has those of the training
_OF_VALIDATIONS = (_VALID_STEP, *VALID_FIELDS[1:])
COLUMNS = (*STEP_FIELDS, *_OF_VALIDATIONS)


def run_price(training: str, field: str, step: float | None = None) -> Cost:
    """The column of a log is free, as recorded arrays are; a step is looked for. Raises UnknownTraining, NoSuchColumn."""
    known = (*training_names(), _LIVED)
    if training not in known:
        raise UnknownTraining(name=quoted(training), known=", ".join(known))
    if field not in COLUMNS:
        raise NoSuchColumn(path=training, name=quoted(field), known=", ".join(COLUMNS))
    n = 0 if step is None else len(_log(training).steps)
    return Cost(n, MOVE * n)


@lru_cache(maxsize=16)  # The logs belong to the program and never change; to read one takes longer than a formula may.
def _log(training: str) -> RunLog:
    folder = load_preset(training).folder
    assert folder is not None  # A training lies in a folder.
    return read_log(folder)


def run(training: str, field: str, step: float | None = None) -> Numbers:
    """A column [line] of a bundled training's log, a number for each step or each validation; of one `step` its number.

    Raises BadFormula for a step that the column does not have.
    """
    log, of_validations = _log(training), field in _OF_VALIDATIONS
    column = log.valid[:, 0] if field == _VALID_STEP else log.column(field)
    if step is None:
        return column
    found = np.flatnonzero((log.valid if of_validations else log.steps)[:, 0] == number(step))
    if not found.size:
        raise refused(f"{field}: {number(step):g} ?")
    return np.asarray(column[found[0]])
