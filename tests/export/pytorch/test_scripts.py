"""Scripts of plain PyTorch compute what the program recorded: all taps, in a process that has no such package."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from explorer.engine.compute import Computer
from explorer.export.pytorch.script import pytorch_script
from explorer.export.script_file import weights_beside, written
from explorer.lang import LANGUAGES, Words
from explorer.trace.trace import Trace
from tests.export.pytorch.cases import TEXT, requests, tiny

Taps = Mapping[str, NDArray[np.float32]]
REQUESTS = requests()
WRONG = "wrong_divisor"
WITH_FILE = ("preset_translator", "preset_tiny", "tied_embeddings_True", "change_patch_a_row", "norm_placement_post")


def differing(trace: Trace, taps: Taps) -> list[str]:
    """The taps that one side lacks, or that differ by more than 10⁻⁵ of their largest number; NaN and ∞ are to be the same."""
    return [name for name in trace.names() if name not in taps or _differs(trace[name], taps[name])] + [
        name for name in taps if name not in trace
    ]


def _differs(wanted: NDArray[np.float32], got: NDArray[np.float32]) -> bool:
    if wanted.shape != got.shape or got.dtype != np.float32:
        return True
    finite = np.isfinite(wanted)
    if not np.array_equal(wanted[~finite], got[~finite], equal_nan=True):
        return True
    largest = np.abs(wanted[finite & (np.abs(wanted) < 1e8)]).max(initial=1.0)  # The mask's value is no measure.
    return not bool((np.abs(wanted[finite].astype(float) - got[finite]) <= 1e-5 * largest).all())


@attrs.frozen(eq=False)
class Ran:
    """What was recorded, and what the script of the same pass computed."""

    traces: Mapping[str, Trace]
    folder: Path

    def taps(self, name: str) -> Taps:
        with np.load(self.folder / f"{name}.npz") as file:
            return {tap: file[tap] for tap in file}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Every script, all in one process, from a folder that is not this project's."""
    folder = tmp_path_factory.mktemp("scripts")
    computer, traces = Computer(), {}
    for number, (name, request) in enumerate(REQUESTS.items()):
        trace = traces[name] = computer(request).trace
        file = folder / f"{name}.py"
        words = Words.load(LANGUAGES[number % len(LANGUAGES)])
        if name in WITH_FILE:
            written(trace, computer.script_parts(request.wish, weights_beside(file)), words, file)
        else:
            file.write_text(pytorch_script(trace, computer.script_parts(request.wish), words), "utf-8")
    right = (folder / "preset_tiny.py").read_text("utf-8")
    (folder / f"{WRONG}.py").write_text(right.replace("math.sqrt(D_HEAD)", "math.sqrt(D_HEAD + 1)"), "utf-8")
    runner = shutil.copy(Path(__file__).with_name("runner.py"), tmp_path_factory.mktemp("runner"))
    done = subprocess.run(
        [sys.executable, "-I", str(runner), str(folder)],
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1"},  # Threads of small models only wait for each other.
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Ran(traces, folder)


@pytest.mark.slow  # A process that loads torch, and a hundred models.
@pytest.mark.parametrize("name", REQUESTS)
def test_a_script_without_the_package_computes_every_tap(ran: Ran, name: str) -> None:
    """Presets, every value of every knob, and changes of every kind."""
    assert differing(ran.traces[name], ran.taps(name)) == []


@pytest.mark.slow  # It is the same process.
def test_a_wrong_script_would_be_found(ran: Ran) -> None:
    """One divisor that is wrong is seen from the first scaled score on, and nowhere before."""
    found = differing(ran.traces["preset_tiny"], ran.taps(WRONG))
    assert "encoder.layers.0.self_attn.scaled" in found and "generator.logits" in found
    assert "encoder.layers.0.self_attn.scores" not in found
    right = dict(ran.taps("preset_tiny"))
    del right["generator.logits"]
    assert differing(ran.traces["preset_tiny"], {**right, "more": right["generator.probabilities"]}) == [
        "generator.logits",
        "more",
    ]


@pytest.mark.slow  # It is the same process.
def test_no_script_imports_or_names_anything_that_it_does_not_use(ran: Ran) -> None:
    """Only what this model needs stands there; ruff reads all of them."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F,E,W,B", "--line-length", "128", str(ran.folder)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_script_of_a_small_model_computes_every_tap(language: str) -> None:
    """The same in this process, for the tests before a commit; in both languages."""
    request = tiny(position="rotary", norm_placement="post")
    computer = Computer()
    trace = computer(request).trace
    space: dict[str, object] = {"__name__": "script"}
    exec(pytorch_script(trace, computer.script_parts(request.wish), Words.load(language)), space)
    taps = space["run"]()  # type: ignore[operator]
    assert differing(trace, {name: tensor.numpy() for name, tensor in taps.items()}) == []
    assert TEXT in str(space["__doc__"])
