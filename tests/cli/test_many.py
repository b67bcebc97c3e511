"""The command many, beside the same from Python."""

import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer
from explorer.cli.main import main
from explorer.engine.experiments.trials import Trials
from explorer.engine.many import metric_sweeps
from explorer.trace.found.over_prompts import OverPrompts

pytestmark = pytest.mark.slow  # commands with a model

LINES = ("我爱北京天安门", "冬天来了")
PAIRS = (("他在图书馆看书。", "她在图书馆看书。"), ("冬天来了", "春天来了"))


def written(folder: Path, *rows: tuple[str, ...]) -> str:
    (folder / "rows.tsv").write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")
    return str(folder / "rows.tsv")


def asked(out: Path, file: str, *flags: str) -> OverPrompts:
    assert main(["many", file, "--preset", "language-model", "--language", "en", "--out", str(out), *flags]) == 0
    return OverPrompts.load(out)


def same(first: OverPrompts, second: OverPrompts) -> None:
    assert (first.prompts, first.metric, list(first.maps)) == (second.prompts, second.metric, list(second.maps))
    np.testing.assert_array_equal(first.plain, second.plain)
    for kind in first.maps:
        np.testing.assert_allclose(first[kind], second[kind], atol=1e-5)


def test_it_writes_what_python_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ablations, patches, paths, and metrics of heads; the largest means are printed."""
    lines, out = written(tmp_path, *((text, "beside") for text in LINES)), tmp_path / "out.npz"
    same(asked(out, lines), explorer.ablate(LINES, preset="language-model", metric="log-p"))
    assert "2 prompts done" in capsys.readouterr().out
    same(asked(out, lines, "--metric", "next"), explorer.ablate(LINES, preset="language-model", metric="next"))
    same(asked(out, lines, "--experiment", "heads"), explorer.many(LINES, "language-model").over_prompts())
    pairs, given = written(tmp_path, *PAIRS), ("--experiment", "patching")
    same(asked(out, pairs, *given), explorer.patching(PAIRS, preset="language-model", metric="next"))
    paths = explorer.patching(PAIRS, preset="language-model", metric="next", receiver="logits")
    same(asked(out, pairs, *given, "--receiver", "logits"), paths)
    ids = written(tmp_path, ("5 9 30",), ("7 8",))
    same(asked(out, ids, "--ids"), explorer.ablate([[5, 9, 30], [7, 8]], preset="language-model", metric="log-p"))


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--metric", "loss"), "log-p, next, difference"),
        (("--experiment", "patching", "--metric", "log-p"), "difference, next"),
        (("--experiment", "heads", "--metric", "next"), "--metric and --experiment heads"),
        (("--receiver", "logits"), "--receiver and --experiment ablation"),
        (("--experiment", "patching"), "prompt 0"),
        (("--out", "a.json"), ".npz"),
    ],
)
def test_what_does_not_go_together_is_refused(
    flags: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, and nothing is written."""
    file, out = written(tmp_path, ("冬天来了",)), tmp_path / "out.npz"
    assert main(["many", file, "--preset", "tiny", "--language", "en", "--out", str(out), *flags]) == 2
    assert said in capsys.readouterr().err and not out.exists()


def test_ctrl_c_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a prompt, with the status of a stopped command, and without a file."""

    class Pressed(Trials):
        """Somebody presses Ctrl+C before the ablations of the first prompt."""

        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(metric_sweeps, "Trials", Pressed)
    out = tmp_path / "out.npz"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # A shell may have its children ignore it.
    try:
        assert main(["many", written(tmp_path, ("冬天来了",)), "--preset", "tiny", "--out", str(out)]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert not out.exists()
