"""Many lines in, a file for each; one number a row; and a pass as JSON."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

import explorer
from explorer.cli.main import main
from explorer.trace.measures.measures import summary

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WEIGHTS = "encoder.layers.0.self_attn.weights"
LINES = "我爱北京天安门\n\n他在图书馆看书。\r\n"


def _typed(text: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return main(["export", "-", "--preset", "tiny", "--language", "en", *arguments])


def test_each_line_gets_a_file_with_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The very numbers of explore; an empty line is none, and keeps its number."""
    assert _typed(LINES, monkeypatch, "--out", str(tmp_path / "all.npz")) == 0
    assert capsys.readouterr().out == f"2 files saved: {tmp_path / 'all.npz'}\n"
    assert {path.name for path in tmp_path.glob("*.npz")} == {"all.0001.npz", "all.0003.npz"}
    for name, text in (("all.0001.npz", "我爱北京天安门"), ("all.0003.npz", "他在图书馆看书。")):
        trace = explorer.explore(text, preset="tiny")
        with np.load(tmp_path / name) as kept:
            assert all(np.array_equal(kept[tap], trace[tap]) for tap in trace)
        assert json.loads((tmp_path / f"{name}.json").read_text("utf-8"))["source"] == text


def test_a_folder_gets_a_folder_for_each_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a file for each head, as for one text."""
    assert _typed(LINES, monkeypatch, "--out", f"{tmp_path}/heads/", "--format", "long.csv", "--tap", WEIGHTS) == 0
    for number in ("0001", "0003"):
        found = {path.name for path in (tmp_path / "heads" / number).iterdir()}
        assert found == {*(f"{WEIGHTS}.head{head}.long.csv" for head in range(4)), f"{WEIGHTS}.long.csv.json"}


def test_a_line_that_cannot_be_used_is_told_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message has its number, the status is that of a user's error."""
    assert (
        _typed("一二三四\n一二\n", monkeypatch, "--tokenizer", "characters", "--max-len", "3", "--out", f"{tmp_path}/a.npz")
        == 2
    )
    out, err = capsys.readouterr()
    assert err == "line 1: At most 3 tokens; this text has 4.\n"
    assert out == f"1 file saved: {tmp_path}/a.npz\n"
    assert (tmp_path / "a.0002.npz").exists() and not (tmp_path / "a.0001.npz").exists()


def test_a_long_csv_has_a_row_for_each_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With head, place and token of each; read back, it is the tensor."""
    out = tmp_path / "a.long.csv"
    command = ["export", "我爱北京天安门", "--preset", "tiny", "--tap", WEIGHTS, "--layer", "all", "--out", str(out)]
    assert main(command) == 0
    trace = explorer.explore("我爱北京天安门", preset="tiny")
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 4 * 4 * 4
    made = np.full((2, 4, 4, 4), np.nan, np.float32)
    for row in rows:
        place = int(row["tap"].split(".")[2]), int(row["head"]), int(row["row"]), int(row["column"])
        made[place] = np.float32(row["value"])
        assert row["row_label"] == trace.tokens.source[place[2]].text
        assert row["column_label"] == trace.tokens.source[place[3]].text
    assert np.array_equal(made, trace["encoder.layers.*.self_attn.weights"])
    numbers = tmp_path / "n.LONG.csv"
    assert main(["export", "我", "--preset", "tiny", "--tap", "encoder.norm", "--out", str(numbers)]) == 0
    with numbers.open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["head"], first["row_label"], first["column_label"]) == ("", "我", "")


def test_show_tells_the_pass_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Valid JSON with every tap, its axes, shape and figures, and all that decides the numbers."""
    assert main(["show", "我爱北京天安门", "--preset", "tiny", "--json"]) == 0
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    trace = explorer.explore("我爱北京天安门", preset="tiny")
    assert list(told["taps"]) == list(trace)
    about = told["taps"][WEIGHTS]
    assert (about["axes"], about["shape"]) == (["head", "query", "key"], [4, 4, 4])
    assert (about["low"], about["high"]) == (summary(trace[WEIGHTS]).low, summary(trace[WEIGHTS]).high)
    assert [(token["text"], token["start"]) for token in told["tokens"]["source"]] == [
        ("我", 0),
        ("爱", 1),
        ("北京", 2),
        ("天安门", 4),
    ]
    assert told["model"]["mask_value"] == "-inf"
    assert told["config"] == trace.config.values()


def test_a_script_of_plain_pytorch_is_written_with_its_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the suffix, for each line, or into a folder; it computes what the pass did. Of one tap there is none."""
    import runpy

    assert main(["export", LINES[:7], "--preset", "tiny", "--seed", "3", "--out", str(tmp_path / "deep" / "a.py")]) == 0
    taps = runpy.run_path(str(tmp_path / "deep" / "a.py"))["run"]()
    trace = explorer.explore(LINES[:7], preset="tiny", seed=3)
    assert set(trace) == set(taps)
    assert np.allclose(trace[WEIGHTS], taps[WEIGHTS].numpy(), atol=1e-6)
    assert main(["export", LINES[:7], "--preset", "tiny", "--format", "py", "--out", f"{tmp_path}/folder/"]) == 0
    assert {path.name for path in (tmp_path / "folder").iterdir()} == {"model.py", "model.py.json", "model.safetensors"}
    assert _typed(LINES, monkeypatch, "--out", str(tmp_path / "all.py")) == 0
    assert {path.name for path in tmp_path.glob("all.*") if path.suffix != ".json"} == {
        f"all.{number}.{suffix}" for number in ("0001", "0003") for suffix in ("py", "safetensors")
    }
    capsys.readouterr()
    assert main(["export", LINES[:7], "--language", "en", "--tap", WEIGHTS, "--out", str(tmp_path / "tap.py")]) == 2
    assert "py" in capsys.readouterr().err and not (tmp_path / "tap.py").exists()


_TWICE = """
import sys
from explorer.cli.main import main

sys.exit(main(sys.argv[1].split()) or main(sys.argv[2].split()))
"""


@pytest.mark.slow  # two exports in a process of its own
def test_a_picture_and_then_a_page_are_written_by_one_process(tmp_path: Path) -> None:
    """Qt's application is one to a process: that of the picture serves the widgets of the page."""
    picture = f"export 我爱 --preset tiny --tap encoder.layers.0.self_attn.weights --out {tmp_path / 'a.png'}"
    page = f"export 我爱 --preset tiny --page attention --out {tmp_path / 'b.png'}"
    for first, second in ((picture, page), (page, picture)):
        done = subprocess.run([sys.executable, "-c", _TWICE, first, second], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        for name in ("a.png", "b.png"):
            assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
            (tmp_path / name).unlink()


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    ("page", "place", "tap"), [("why", 2, "generator.logits"), ("effects", 3, "encoder.layers.0.self_attn.masked")]
)
def test_a_page_has_what_the_window_computes_behind_its_first_answer(
    page: str, place: int, tap: str, language: str, tmp_path: Path, qapp: QApplication
) -> None:
    """The costs of parts, and the cells of the chosen head: passes that the window makes once the first ones are shown."""
    out, said = tmp_path / f"{page}.svg", ("--language", language, "--preset", "tiny")
    assert main(["export", "我爱北京天安门", *said, "--page", page, "--out", str(out)]) == 0
    pictures = json.loads((tmp_path / f"{page}.svg.json").read_text("utf-8"))["pictures"]
    assert len(pictures) == 4
    assert (pictures[place]["tap"], pictures[place]["origin"]) == (tap, "beside")


QUERY, CIRCUIT = "encoder.layers.0.self_attn.project_query.weight", "encoder.layers.0.self_attn.qk_circuit"


def test_a_parameter_is_written_as_numbers_or_as_a_figure(tmp_path: Path) -> None:
    """The very numbers of the model; of a circuit one head, all heads, or a file for each in a folder."""
    own = explorer.parameters("tiny")
    command = ["export", "我", "--preset", "tiny", "--parameter"]
    assert main([*command, QUERY, "--out", str(tmp_path / "q.npz")]) == 0
    with np.load(tmp_path / "q.npz") as kept:
        assert np.array_equal(kept[QUERY], own[QUERY])
    assert json.loads((tmp_path / "q.npz.json").read_text("utf-8"))["origin"] == "parameter"

    assert main([*command, CIRCUIT, "--out", str(tmp_path / "all.npz")]) == 0
    with np.load(tmp_path / "all.npz") as kept:
        assert [np.array_equal(kept[f"{CIRCUIT}.head{head}"], own[CIRCUIT][head]) for head in range(4)] == [True] * 4
    assert main([*command, CIRCUIT, "--head", "2", "--out", str(tmp_path / "one.npz")]) == 0
    with np.load(tmp_path / "one.npz") as kept:
        assert np.array_equal(kept[CIRCUIT], own.circuit(CIRCUIT, 2))
    assert main([*command, CIRCUIT, "--out", f"{tmp_path}/heads/", "--format", "csv"]) == 0
    assert {path.name for path in (tmp_path / "heads").glob("*.csv")} == {f"{CIRCUIT}.head{head}.csv" for head in range(4)}
    assert main([*command, CIRCUIT, "--out", str(tmp_path / "all.svg")]) == 0
    assert [f"H{head}" in (tmp_path / "all.svg").read_text("utf-8") for head in range(4)] == [True] * 4


def test_a_large_matrix_is_written_whole_though_its_figure_has_blocks(tmp_path: Path) -> None:
    """More numbers than a picture has cells."""
    name = "encoder.embedding.look_up.weight"
    given = (
        "--preset",
        "tiny",
        "--d-model",
        "512",
        "--vocab-size",
        "8300",
        "--n-layers",
        "1",
        "--language",
        "en",
        "--parameter",
        name,
    )
    for form in ("npz", "png"):
        assert main(["export", "我", *given, "--out", str(tmp_path / f"large.{form}")]) == 0
    own = explorer.parameters("tiny", d_model=512, vocab_size=8300, n_layers=1)[name]
    assert own.size > 2**22
    with np.load(tmp_path / "large.npz") as kept:
        assert np.array_equal(kept[name], own)
    assert "2×2 numbers" in json.loads((tmp_path / "large.png.json").read_text("utf-8"))["note"]


def test_a_parameter_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the closest name, the last head, or the two flags that exclude each other; nothing is written."""
    out = ("--preset", "tiny", "--language", "en", "--out", str(tmp_path / "a.npz"))
    for given, said in (
        (("--parameter", f"{CIRCUIT}s"), CIRCUIT),
        (("--parameter", CIRCUIT, "--head", "4"), "the last is 3"),
        (("--parameter", CIRCUIT, "--tap", WEIGHTS), "--tap and --parameter"),
        (("--parameter", CIRCUIT, "--layer", "1"), "--parameter and --layer"),
    ):
        assert main(["export", "我", *given, *out]) == 2
        assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
