"""The log of a training, read while it is written."""

import json
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from explorer.runs.log import FILE, LogReader, LogWriter, read_log

STEP = {"epoch": 0, "loss": 2.5, "rate": 0.001, "norm": 1.5, "tokens_per_s": 900.0, "seconds": 3.0}


def written(folder: Path, n_steps: int, first_step: int = 0) -> LogWriter:
    log = LogWriter(folder, first_step)
    for step in range(first_step + 1, n_steps + 1):
        log.add(step=step, **STEP | {"loss": 1 / step})
    log.flush()
    return log


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Steps, validations, changes and the planned number of steps."""
    log = written(tmp_path, 5)
    log.add(step=0, total=400)
    log.add(step=5, valid_loss=0.5, accuracy=0.75, exact=0.25)
    log.add(step=5, changed={"learning_rate": 0.01})
    log.flush()
    found = read_log(tmp_path)
    np.testing.assert_array_equal(found.column("step"), [1, 2, 3, 4, 5])
    np.testing.assert_array_equal(found.column("loss"), [1 / step for step in range(1, 6)])
    np.testing.assert_array_equal(found.valid, [[5, 0.5, 0.75, 0.25]])
    assert [(step, dict(what)) for step, what in found.changes] == [(5, {"learning_rate": 0.01})]
    assert found.total == 400


def test_a_reader_goes_on_where_it_was_and_waits_for_half_a_line(tmp_path: Path) -> None:
    """A line counts when it is complete; nothing is read twice."""
    log, reader = written(tmp_path, 2), LogReader(tmp_path)
    assert reader.read() and not reader.read()
    path = tmp_path / FILE
    with path.open("a", encoding="utf-8") as file:
        file.write('{"step": 3, "epoch": 0, "lo')
    assert not reader.read() and len(reader.log.steps) == 2
    with path.open("a", encoding="utf-8") as file:
        file.write(f'ss": 1.0, {json.dumps(STEP)[1:]}\n')
    assert reader.read() and len(reader.log.steps) == 3
    del log


def test_a_training_that_goes_on_drops_what_it_makes_again(tmp_path: Path) -> None:
    """Lines after its checkpoint are gone, and a reader begins anew."""
    written(tmp_path, 9)
    reader = LogReader(tmp_path)
    assert reader.read()
    written(tmp_path, 6, first_step=4)
    assert reader.read()
    np.testing.assert_array_equal(reader.log.column("step"), [1, 2, 3, 4, 5, 6])


def test_without_a_file_the_log_is_empty(tmp_path: Path) -> None:
    """As before the first step."""
    found = read_log(tmp_path)
    assert (found.steps.shape, found.valid.shape, found.changes, found.total) == ((0, 7), (0, 4), (), 0)


@given(st.binary(max_size=300))
def test_damaged_lines_are_left_out(content: bytes) -> None:
    """Whatever stands between them, whole lines are read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, 1)
        with (folder / FILE).open("ab") as file:
            file.write(content + b"\n")
        LogWriter(folder, 1)
        assert read_log(folder).column("step").tolist()[:1] == [1]
