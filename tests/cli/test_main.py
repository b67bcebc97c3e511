"""The command line: what it writes, and what it says when something is wrong."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import click.testing
import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

import explorer
from explorer import resources
from explorer.cli import main as cli
from explorer.config import KNOBS
from explorer.errors import MissingAsset
from explorer.export import formats
from explorer.picture.figure import text as svg_text
from explorer.presets import preset_names
from tests.picture.examples import words
from tests.sweeps import sweep

pytestmark = pytest.mark.slow

WEIGHTS = "encoder.layers.0.self_attn.weights"
TEXT = "我爱北京天安门"
Command = Callable[..., str]
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def application(qapp: QApplication) -> None:
    """PNG and PDF need one, and Qt allows only one in a process."""


def _small(arguments: tuple[str, ...]) -> list[str]:
    """The same command with the small untrained preset, unless it names one."""
    if arguments and arguments[0] in ("show", "export", "ablation", "heads") and "--preset" not in arguments:
        return [arguments[0], "--preset", "tiny", *arguments[1:]]
    return list(arguments)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command that must succeed, and return what it says."""

    def run(*arguments: str) -> str:
        status = cli.main(_small(arguments))
        out, err = capsys.readouterr()
        assert (status, err) == (0, "")
        return out

    return run


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command that must fail by the user's mistake, and return its one line."""

    def run(*arguments: str) -> str:
        status = cli.main(_small(arguments))
        out, err = capsys.readouterr()
        assert (status, out) == (2, ""), err
        assert err.endswith("\n") and err.count("\n") == 1 and "Traceback" not in err
        return err.strip()

    return run


def run_outside(*arguments: str | bytes, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, without this one's platform and language."""
    own = ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY", "LC_ALL")
    kept = {name: value for name, value in os.environ.items() if name not in own}
    return subprocess.run(
        [sys.executable, "-m", "explorer", *arguments],
        cwd=ROOT,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def test_show_says_tokens_model_and_taps(said: Command) -> None:
    """Every tap with its shape and range, as explore recorded them."""
    out = said("show", TEXT)
    trace = explorer.explore(TEXT, preset="tiny")
    assert "源句词元 (4): 我 / 爱 / 北京 / 天安门" in out
    assert f"id: {' '.join(str(token.id) for token in trace.tokens.source)}" in out
    assert f"{trace.parameters:,}" in out
    lines = [line.split() for line in out.splitlines() if re.match(r"(encoder|decoder|generator)\.", line)]
    assert [line[0] for line in lines] == list(trace.names())
    assert "[head 4, query 4, key 4]" in out and "…" in out


def test_show_marks_words_that_are_not_known(said: Command) -> None:
    """With a question mark."""
    assert "qwertz?" in said("show", "qwertz", "--tokenizer", "spaces", "--language", "en")


def test_a_text_may_begin_with_a_dash(said: Command) -> None:
    """After two dashes; and what stands there is text, even the name of a flag."""
    assert "Source tokens" in said("show", "--language", "en", "--", "-5")
    assert "language" in said("show", "--tokenizer", "spaces", "--", "--language")


@pytest.mark.parametrize("format_", sweep(formats.names(), telling=["svg", "npz"]))
def test_export_writes_every_format_to_file_and_folder(format_: str, said: Command, tmp_path: Path) -> None:
    """The suffix says the format; a folder gets a file for each head."""
    out = said("export", TEXT, "--tap", WEIGHTS, "--out", str(tmp_path / f"a.{format_}"))
    assert "1" in out and f"a.{format_}" in out
    out = said("export", TEXT, "--tap", WEIGHTS, "--out", f"{tmp_path}/heads/", "--format", format_, "--language", "en")
    assert "4 files" in out
    assert {path.name for path in (tmp_path / "heads").iterdir()} == {
        *(f"{WEIGHTS}.head{head}.{format_}" for head in range(4)),
        f"{WEIGHTS}.{format_}.json",
    }
    assert json.loads((tmp_path / f"a.{format_}.json").read_text("utf-8"))["source"] == TEXT


@pytest.mark.slow
def test_export_of_all_taps_is_what_explore_returns(said: Command, tmp_path: Path) -> None:
    """Numbers only, and the same numbers."""
    said("export", TEXT, "--out", str(tmp_path / "all.npz"), "--n-layers", "1")
    trace = explorer.explore(TEXT, preset="tiny", n_layers=1)
    with np.load(tmp_path / "all.npz") as kept:
        assert set(kept.keys()) == set(trace.names())
        assert all(np.array_equal(kept[name], trace[name]) for name in trace.names())


def test_head_and_layer_choose(said: Command, tmp_path: Path) -> None:
    """One of them, or all."""
    said("export", TEXT, "--tap", WEIGHTS, "--head", "2", "--layer", "all", "--out", f"{tmp_path}/", "--format", "SVG")
    assert {path.name for path in tmp_path.glob("*.svg")} == {
        f"encoder.layers.{layer}.self_attn.weights.head2.svg" for layer in (0, 1)
    }
    assert "layer 1" not in (tmp_path / f"{WEIGHTS}.head2.svg").read_text("utf-8")


def test_a_folder_that_is_there_needs_no_slash(said: Command, tmp_path: Path) -> None:
    """And PNG is what it gets where nothing is said."""
    said("export", TEXT, "--tap", "encoder.norm", "--out", str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"encoder.norm.png", "encoder.norm.png.json"}


def test_the_theme_reaches_the_figure(said: Command, tmp_path: Path) -> None:
    """A dark background."""
    said("export", TEXT, "--tap", "encoder.norm", "--out", str(tmp_path / "a.svg"), "--theme", "dark")
    assert 'fill="#1b1f24"' in (tmp_path / "a.svg").read_text("utf-8")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_presets_and_knobs_are_listed(language: str, said: Command) -> None:
    """Every one of them, with its name in the language."""
    listed = said("presets", "--language", language)
    assert (
        len({line.index(" × ") - len(line.split()[1]) for line in listed.splitlines()}) == 1
    )  # All columns begin at one place.
    assert [line.split()[0] for line in listed.splitlines()] == list(preset_names())
    listed = said("knobs", "--language", language)
    assert [line.split()[0] for line in listed.splitlines()] == [f"--{knob.name.replace('_', '-')}" for knob in KNOBS]
    assert all(words(language)(f"knob.{knob.name}.name") in listed for knob in KNOBS)


@pytest.mark.parametrize("command", ["show", "export"])
def test_every_knob_is_a_flag(command: str) -> None:
    """No more and no fewer; its help says the range."""
    flags = {option.name for option in cli.commands.commands[command].params if isinstance(option, click.Option)}
    assert {knob.name for knob in KNOBS} <= flags
    helped = click.testing.CliRunner().invoke(cli.commands, [command, "--help"]).output
    assert all(f"--{knob.name.replace('_', '-')}" in helped for knob in KNOBS)


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.name)
def test_every_flag_is_parsed(knob: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last value reaches the Config; nonsense is refused under the knob's own name."""
    seen: list[object] = []
    monkeypatch.setattr("explorer.engine.compute.Computer", lambda: seen.append)
    value = {
        "choice": lambda: knob.choices[-1],
        "bool": lambda: "false",
        "int": lambda: str(knob.default),
        "float": lambda: str(knob.default),
    }[knob.kind]()
    with pytest.raises(AttributeError):  # what is computed here is nothing
        cli.main(["show", TEXT, f"--{knob.name.replace('_', '-')}", value])
    config = seen[0].wish.config
    assert str(getattr(config, knob.name)).lower() == value.lower() or float(getattr(config, knob.name)) == float(value)
    assert cli.main(["show", TEXT, f"--{knob.name.replace('_', '-')}", "zzz"]) == 2


ERRORS = {
    "empty": (("show", ""), "句子是空的", "is empty"),
    "spaces": (("show", " \u3000\t"), "句子是空的", "is empty"),
    "nul": (("show", "a\0b"), "U+0000", "U+0000"),
    "nul-out": (("export", TEXT, "--tap", WEIGHTS, "--out", "OUT/a\0.png"), "U+0000", "U+0000"),
    "nul-trace": (("gui", "--trace", "OUT/a\0.npz"), "U+0000", "U+0000"),
    "nul-file": (("gui", "OUT/a\0.toml"), "U+0000", "U+0000"),
    "surrogate": (("show", "a\udcffb"), "U+DCFF", "U+DCFF"),
    "long": (("show", "我" * 9_000), "8192", "At most 8192 tokens"),
    "heads": (("show", TEXT, "--n-heads", "7"), "7", "7 heads do not divide d_model 64"),
    "range": (("show", TEXT, "--temperature", "99"), "temperature", "must be from 0.1 to 5"),
    "number": (("show", TEXT, "--n-layers", "two"), "n_layers", "must be a number, not two"),
    "choice": (("show", TEXT, "--architecture", "gpt"), "gpt", "must be one of encoder-decoder"),
    "preset": (("show", TEXT, "--preset", "nope"), "nope", "There is no preset nope"),
    "tap": (
        ("export", TEXT, "--tap", "encoder.nrom", "--out", "OUT/a.png"),
        "encoder.norm",
        "the closest name is encoder.norm",
    ),
    "dpi": (("export", TEXT, "--tap", WEIGHTS, "--dpi", "nan", "--out", "OUT/a.png"), "dpi 须是数", "dpi must be a number"),
    "head": (
        ("export", TEXT, "--tap", WEIGHTS, "--head", "9", "--out", "OUT/a.png"),
        "没有第 9 头",
        "no head 9; the last is 3",
    ),
    "head-word": (("export", TEXT, "--tap", WEIGHTS, "--head", "²", "--out", "OUT/a.png"), "²", "no head ²"),
    "head-huge": (("export", TEXT, "--tap", WEIGHTS, "--head", "9" * 5000, "--out", "OUT/a.png"), "999", "no head 999"),
    "layer": (("export", TEXT, "--tap", WEIGHTS, "--layer", "-1", "--out", "OUT/a.png"), "-1", "no layer -1; the last is 1"),
    "format": (("export", TEXT, "--tap", WEIGHTS, "--out", "OUT/a.gif"), "gif", "Cannot write the format gif"),
    "no-tap": (("export", TEXT, "--out", "OUT/a.png"), "png", "possible are html, csv, npz, safetensors"),
    "below-file": (("export", TEXT, "--tap", WEIGHTS, "--out", "OUT/file/a.png"), "file", "Cannot create the folder"),
    "device": (("export", TEXT, "--tap", WEIGHTS, "--out", "/dev/full"), "/dev/full", "/dev/full"),
    "long-name": (("export", TEXT, "--tap", WEIGHTS, "--out", f"OUT/{'a' * 300}.png"), "aaa", "Cannot write"),
}


@pytest.mark.parametrize("kind", sorted(ERRORS))
@pytest.mark.parametrize("language", sweep(["zh", "en"], telling=["zh"]))
def test_a_users_mistake_is_one_line(kind: str, language: str, refused: Command, tmp_path: Path) -> None:
    """In the user's language, with what is wrong and what would be right; nothing is written."""
    arguments, chinese, english = ERRORS[kind]
    (tmp_path / "file").write_text("old")
    line = refused(*(word.replace("OUT", str(tmp_path)) for word in arguments), "--language", language)
    assert (chinese if language == "zh" else english) in line
    assert bool(re.search("[\u4e00-\u9fff]", line.replace("a" * 300, ""))) == (language == "zh")
    assert [path.name for path in tmp_path.iterdir()] == ["file"] and (tmp_path / "file").read_text() == "old"


@pytest.mark.slow
def test_a_hundred_thousand_characters_are_refused_without_a_model(refused: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are cut and counted; no model is built for them."""
    for source in ("own_model", "trained"):
        monkeypatch.delattr(f"explorer.engine.sources.{source}.build")
    assert "8192" in refused("show", "我爱" * 50_000)


def test_a_full_disk_is_said(refused: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the old file stays."""

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    (tmp_path / "a.csv").write_text("old")
    assert "The disk is full" in refused("export", TEXT, "--tap", WEIGHTS, "--out", str(tmp_path / "a.csv"), "--language", "en")
    assert (tmp_path / "a.csv").read_text() == "old"


@pytest.mark.parametrize("asset", ["fonts/TXSansSC-Regular.otf", "lang/zh.toml"])
def test_a_missing_file_of_the_program_is_said(
    asset: str, refused: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By name, even if it is the very file with the words."""
    real = resources.asset

    def without(name: str) -> Path:
        if name == asset:
            raise MissingAsset(name=f"assets/{name}")
        return real(name)

    for module in (resources, svg_text):
        monkeypatch.setattr(module, "asset", without)
    text = "魑魅魍魉"  # letters that no other test draws
    assert f"assets/{asset}" in refused("export", text, "--tap", WEIGHTS, "--out", f"{tmp_path}/a.svg", "--language", "zh")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("show",),
        ("show", TEXT, "--nonsense", "1"),
        ("nonsense",),
        ("show", TEXT, TEXT),
        ("show", TEXT, "--seed"),
        ("export", TEXT),
        ("export", TEXT, "--out", "a.png", "--dpi", "1"),
        ("export", TEXT, "--out", "a.png", "--theme", "pink"),
        ("--language", "fr", "presets"),
    ],
)
def test_a_wrong_call_is_one_line_too(arguments: tuple[str, ...], refused: Command) -> None:
    """click's own errors, without its usage text."""
    assert "Usage" not in refused(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--language", "en", "show", "x"),
        ("show", "--language", "en", "x"),
        ("show", "x", "--language", "en"),
        ("show", "x", "--language=en"),
    ],
)
def test_the_language_may_stand_anywhere(arguments: tuple[str, ...], said: Command) -> None:
    """Before the command, behind it, at the end."""
    assert said(*arguments).startswith("Source tokens")


@pytest.mark.parametrize(("locale", "says"), [("zh_CN.UTF-8", "句子"), ("en_US.UTF-8", "sentence"), ("C", "句子")])
def test_the_system_chooses_the_language_otherwise(
    locale: str, says: str, refused: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chinese where the system says nothing."""
    monkeypatch.setenv("LC_ALL", locale)
    assert says in refused("show", "")


def test_help_and_version_are_no_errors(said: Command) -> None:
    """Exit status 0."""
    assert explorer.__version__ in said("--version")
    assert all(command in said("--help") for command in ("show", "export", "presets", "knobs", "gui"))


def test_a_bug_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on up, where Python shows its traceback."""
    monkeypatch.setattr("explorer.engine.compute.Computer", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli.main(["show", TEXT])


def test_an_interrupt_has_its_own_status(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C: 130, as shells expect."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("explorer.engine.compute.Computer", interrupted)
    assert cli.main(["show", TEXT]) == 130


@pytest.mark.parametrize("arguments", [("gui", "--text", "x", "--preset", "tiny"), ("--text", "x", "--preset", "tiny")])
def test_the_window_is_given_text_preset_and_language(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command and without it; its status is ours."""
    given: dict[str, object] = {}

    def opened(**values: object) -> int:
        given.update(values)
        return 7

    monkeypatch.setattr("explorer.app.main.open_window", opened)
    assert cli.main([*arguments, "--language", "en"]) == 7
    assert given == {
        "text": "x",
        "preset": "tiny",
        "language": "en",
        "session": None,
        "trace": None,
        "lesson": None,
        "other": None,
        "chat": False,
    }


@pytest.mark.parametrize("before", [[], ["gui"]])
def test_a_single_file_is_opened_as_what_it_is(before: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A desktop gives it, by its ending or, where many kinds have one, by what is in it."""
    given: dict[str, object] = {}
    monkeypatch.setattr("explorer.app.main.open_window", lambda **values: given.update(values) or 0)
    for name, content, flag in (
        ("a.explorer.toml", "", "session"),
        ("a.explorer", "", "session"),
        ("a.lesson.toml", "", "lesson"),
        ("a.toml", "group = 1\n[[step]]\n", "lesson"),
        ("knobs.toml", "n_layers = 2\n", "preset"),
        ("x.gguf", "", "preset"),
        ("x.pt", "", "preset"),
        ("x.parquet", "", "other"),
    ):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        assert cli.main([*before, str(path)]) == 0
        assert [key for key, value in given.items() if value == str(path)] == [flag]
    (tmp_path / "notes.txt").write_text("n_layers = 2\n", encoding="utf-8")
    assert cli.main([*before, str(tmp_path / "notes.txt")]) == 2


@pytest.mark.slow
def test_outside_show_works_on_a_console_without_chinese() -> None:
    """Letters it lacks are codes: it does not break."""
    done = run_outside("show", TEXT, "--language", "en", PYTHONIOENCODING="latin-1")
    assert done.returncode == 0, done.stderr
    assert r"\u6211 / \u7231 / \u5317\u4eac" in done.stdout


@pytest.mark.slow
def test_outside_figures_are_drawn_without_a_screen(tmp_path: Path) -> None:
    """PNG and PDF with no display and no platform named, and the process ends well."""
    done = run_outside("export", TEXT, "--preset", "tiny", "--tap", WEIGHTS, "--out", f"{tmp_path}/heads/", "--language", "en")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list(tmp_path.glob("heads/*.png"))) == 4


@pytest.mark.slow
def test_outside_no_screen_is_one_line() -> None:
    """Qt would abort the process."""
    for arguments in ((), ("gui",)):
        done = run_outside(*arguments, "--language", "en")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1 and "There is no screen" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("text", "says"), [(b"\xff", "U+DCFF"), (b"", "is empty")])
def test_outside_bytes_that_are_no_text_are_one_line(text: bytes, says: str) -> None:
    """What the shell hands over may be anything."""
    done = run_outside(b"show", text, LANG="en_US.UTF-8")
    assert done.returncode == 2 and says in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_outside_a_bug_shows_its_traceback(tmp_path: Path) -> None:
    """And the status is 1."""
    (tmp_path / "sitecustomize.py").write_text("import explorer.cli.main as c\nc.explored = lambda *a: 1 / 0\n")
    done = run_outside("show", "x", PYTHONPATH=os.pathsep.join((str(tmp_path), str(ROOT))))
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr and "Traceback" in done.stderr


@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii"])
def test_a_pipe_holds_utf_8_whatever_the_systems_code_page(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows gives a pipe its code page, in which half of the tokens would be question marks."""
    from explorer import __main__ as program

    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding=encoding) for name in ("stdin", "stdout", "stderr")}
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.setattr(cli, "main", lambda **_tell: print("▁我") or 0)
    with pytest.raises(SystemExit):
        program.main()
    streams["stdout"].flush()
    assert streams["stdout"].buffer.getvalue().decode("utf-8").strip() == "▁我"  # type: ignore[attr-defined]  # it is a BytesIO


def test_without_any_streams_the_program_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind a window on Windows there are none, not even for what goes wrong."""
    from explorer import __main__ as program

    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    monkeypatch.setattr(sys, "argv", ["transformer-explorer", "show", ""])
    with pytest.raises(SystemExit) as left:
        program.main()
    assert left.value.code == 2


def test_why_says_the_parts_and_their_sum(said: Command) -> None:
    """The largest first; as JSON the same numbers, which sum to the recorded difference."""
    text = ("我爱北京天安门", "--preset", "tiny", "--step", "1", "--language", "en")
    lines = said("attribution", *text).splitlines()
    found = json.loads(said("attribution", *text, "--json"))
    values = [part["value"] for part in found["parts"]]
    assert lines[0].startswith("Why ") and len(lines) == len(values) + 3
    assert sum(values) == pytest.approx(found["difference"], abs=1e-4) and found["exact"]
    assert found["word"]["logit"] - found["rival"]["logit"] == pytest.approx(found["difference"])
    largest = max(map(abs, values))
    assert f"{largest:.4f}" in lines[2] and f"{found['difference']:.4f}" in lines[-1]
    trace = explorer.explore("我爱北京天安门", preset="tiny", experiments=["why"])
    assert values == pytest.approx(trace.why(1).values.tolist())


def test_why_opens_down_to_the_embedding(said: Command) -> None:
    """A way leads from a head over a key to a number of Q, K or V; its parts sum to the recorded one, the largest first."""
    way = "decoder.cross_attn.1.2/0/key/5/encoder.self_attn.0.1/1/value/all"
    text = ("我爱北京天安门", "--preset", "tiny", "--step", "1", "--language", "en", "--into")
    found = json.loads(said("attribution", *text, way.partition("/encoder")[0], "--json"))
    trace = explorer.explore("我爱北京天安门", preset="tiny")
    assert found["recorded"] == pytest.approx(float(trace["decoder.layers.1.cross_attn.key"][2, 0, 5]))
    assert sum(part["value"] for part in found["parts"]) == pytest.approx(found["recorded"], abs=1e-4) and found["exact"]
    lines = said("attribution", *text, way).splitlines()
    assert lines[0].startswith("encoder.layers.0.self_attn.value[1, 1] ") and "remainder" in lines[-1]
    assert {line.split()[-1] for line in lines[1:-1]} >= {"encoder.embedding.scaled", "encoder.embedding.positions"}


def test_why_takes_a_rival_and_a_word(said: Command) -> None:
    """By text or by id; a kind of positions is a knob, as in every command."""
    call = (
        "attribution",
        "我爱北京天安门",
        "--preset",
        "tiny",
        "--step",
        "0",
        "--rival",
        "#17",
        "--word",
        "她",
        "--position",
        "rotary",
    )
    found = json.loads(said(*call, "--json"))
    assert (found["rival"]["id"], found["word"]["text"], found["position"]) == (17, "她", 0)


def test_lens_says_what_each_layer_would_write(said: Command) -> None:
    """A line for each addition, the last of them the output; as JSON with the ten likeliest words of each place."""
    text = ("我爱北京天安门", "--preset", "tiny", "--language", "en")
    lines = said("lens", *text).splitlines()
    found = json.loads(said("lens", *text, "--json"))
    assert [line.split()[0] for line in lines[1:-1]] == [row["tap"] for row in found["rows"]]
    assert [row["exact"] for row in found["rows"]] == [False] * 6 + [True]
    probabilities = explorer.explore("我爱北京天安门", preset="tiny")["generator.probabilities"]
    last = found["rows"][-1]["positions"]
    assert [[each["p"] for each in place["top"]] for place in last] == pytest.approx(-np.sort(-probabilities)[:, :10], rel=1e-5)


def test_a_model_that_writes_no_words_is_refused(refused: Command) -> None:
    """Both commands say so in one line."""
    for command in ("attribution", "lens"):
        told = refused(command, "你好", "--preset", "tiny", "--architecture", "encoder-only", "--language", "en")
        assert "encoder-only" in told and "no decoder" in told


def test_heads_are_measured_and_given_as_json(said: Command) -> None:
    """A row for each layer of each attention; a dash, and None, where a measure means nothing."""
    trace = explorer.explore(TEXT, preset="tiny")
    told = said("heads", TEXT, "--measure", "previous").splitlines()
    assert len(told) == 7 and "–" in told[-1]
    values = trace.measures("encoder.self_attn")["previous"]
    assert told[1].endswith(" ".join(f"{value:8.3f}" for value in values[0]))
    read = json.loads(said("heads", TEXT, "--json"))
    assert np.array_equal(read["encoder.self_attn"]["previous"], values)
    assert read["decoder.cross_attn"]["previous"] == [[None] * 4] * 2
    assert said("heads", TEXT).splitlines()[0].startswith(("熵", "Entropy"))


def test_effects_are_told_written_and_given_as_json(said: Command, tmp_path: Path) -> None:
    """A table for people, all arrays for programs, and the page's own picture and numbers as files."""
    found = explorer.ablate(TEXT, preset="tiny")
    told = said("ablation", TEXT)
    assert f"{found.hidden[0].sum():+8.3f}  {found.tokens[0]}" in told
    assert told.count(" L") == 10

    read = json.loads(said("ablation", TEXT, "--json", "--word", found.words[0]))
    assert np.array_equal(np.array(read["heads"], np.float32), found.heads[..., :1])

    said("ablation", TEXT, "--out", str(tmp_path / "a.svg"), "--word", found.words[1])
    assert found.words[1] in (tmp_path / "a.svg").read_text(encoding="utf-8")
    said("ablation", TEXT, "--out", str(tmp_path / "a.npz"))
    with np.load(tmp_path / "a.npz") as file:
        heads = next(file[name] for name in file.files if name.endswith(".heads"))
    np.testing.assert_allclose(heads[0], found.heads[0, 0].sum(-1), atol=1e-6)


def test_effects_of_a_heads_cells_are_told_written_and_given_as_json(said: Command, refused: Command, tmp_path: Path) -> None:
    """A row for each query; the library's numbers in JSON; the page's map as a file; a head that there is not is refused."""
    head = ("--edges", "decoder.cross_attn.1.2", "--language", "en")
    found = explorer.ablate(TEXT, preset="tiny", edges="decoder.cross_attn.1.2").edges
    assert found is not None and found.exact
    lines = said("ablation", TEXT, *head).splitlines()
    assert len(lines) == len(found.values) + 2 and f"{found.values[1].sum(-1)[0]:+8.4f}" in lines[3]
    read = json.loads(said("ablation", TEXT, *head, "--json", "--word", found.words[0]))["edges"]
    np.testing.assert_allclose(np.array(read["values"], np.float32)[..., 0], found.values[..., 0], atol=1e-6)
    said("ablation", TEXT, *head, "--out", str(tmp_path / "a.npz"))
    with np.load(tmp_path / "a.npz") as file:
        np.testing.assert_allclose(file[file.files[0]], found.values.sum(-1), atol=1e-6)
    assert "decoder.cross_attn.9.2" in refused("ablation", TEXT, "--edges", "decoder.cross_attn.9.2")
    assert "cross" in refused("ablation", TEXT, "--edges", "cross")


def test_effects_refuse_what_they_cannot_do(refused: Command, tmp_path: Path) -> None:
    """A word that was not written, and a format that does not exist, which is found before the pass."""
    assert "天安门" in refused("ablation", TEXT, "--word", "cat")
    assert "doc" in refused("ablation", TEXT, "--out", str(tmp_path / "a.doc"))


def test_patching_tells_the_places_that_bring_the_other_answer_back(said: Command) -> None:
    """The strongest places in lines; as JSON what the library gives."""
    texts = ("我爱北京", "我爱上海", "--preset", "tiny", "--language", "en")
    assert said("patching", *texts).strip()
    found = json.loads(said("patching", *texts, "--json"))
    assert {(each["side"], each["kind"]) for each in found["maps"]} >= {("encoder", "stream"), ("decoder", "head")}


def test_patching_without_a_second_sentence_is_refused(refused: Command) -> None:
    """In one line."""
    assert refused("patching", "我爱北京", " ", "--preset", "tiny", "--language", "en").strip()


@pytest.mark.slow  # the trained model
def test_generate_writes_on_and_says_what_it_chose_from(said: Command) -> None:
    """The text with what was written, then a line for each token; as JSON all candidates. A given token says so."""
    texts = ("冬天来了，", "--tokens", "3", "--begin", "我们", "--language", "en")
    first, *lines = said("generate", *texts).strip().splitlines()
    found = json.loads(said("generate", *texts, "--json"))

    assert first == "冬天来了，" + found["text"]
    assert len(lines) == 2 + len(found["tokens"]) and "Greedy" in lines[-2] and "given" in lines[0] and "given" not in lines[1]
    assert f"{found['log_p']:.3f}" in lines[-1]
    assert [row["forced"] for row in found["tokens"]] == [True, False, False]


@pytest.mark.slow  # the trained model
def test_generate_draws_no_unlikely_token_unless_it_is_told_to(said: Command) -> None:
    """At temperature 1 with nothing cut away it chose ranks 21, 32 and 164; what it draws from is said."""
    asked = ("generate", "冬天来了，", "--tokens", "12", "--language", "en", "--sampling-seed")
    told = [said(*asked, str(seed)) for seed in range(3)]
    assert all(f"temperature 0.8, top-k off, top-p 0.9, with seed {seed}" in each for seed, each in enumerate(told))
    ranks = [int(rank) for each in told for rank in re.findall(r"rank (\d+)", each)]
    assert len(ranks) > 12 and max(ranks) < 100
    assert "temperature 1, top-k off, top-p off" in said(*asked, "0", "--sampling-temperature", "1", "--top-p", "1")


def test_generate_refuses_other_models_and_wrong_numbers(refused: Command) -> None:
    """In a sentence, and a wrong number before any model is read."""
    assert "tiny" in refused("generate", TEXT, "--preset", "tiny")
    assert "0.001" in refused("generate", TEXT, "--sampling-temperature", "0")
    assert "1000" in refused("generate", TEXT, "--tokens", "1001")


def test_saliency_tells_the_words_that_count(said: Command) -> None:
    """In lines for people; as JSON all arrays."""
    texts = ("我爱北京", "--preset", "tiny", "--language", "en")
    assert said("saliency", *texts).strip()
    assert json.loads(said("saliency", *texts, "--json"))
