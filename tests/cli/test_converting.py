"""The command convert, as somebody uses it in a terminal."""

import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest
import torch
from pytestqt.qtbot import QtBot

import explorer
from explorer.cli.main import main
from explorer.lang import LANGUAGES, Words
from tests.checkpoints import gpts, llamas
from tests.checkpoints.test_conversion import IDS, nano, own
from tests.checkpoints.translators import TutorialA
from tests.waiting import until

pytestmark = pytest.mark.slow  # a process that imports torch reads each file


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_says_what_was_written_what_was_assumed_and_how_it_opens(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """nanoGPT's checkpoint in its folder; what the command says last opens the model, with a text that it can read."""
    monkeypatch.chdir(tmp_path)
    model, words = gpts.Gpt(mask=True), Words.load(language)
    Path("out").mkdir()
    torch.save(nano(model), "out/ckpt.pt")
    assert main(["--language", language, "convert", "out/ckpt.pt"]) == 0
    told = capsys.readouterr().out.splitlines()

    names = "transformer.h.0.attn.bias, transformer.h.1.attn.bias"
    assert told == [
        words("convert.written", folder="out/ckpt", course="nanoGPT", count=sum(each.numel() for each in model.parameters())),
        words("convert.left_out", names=names, count=2),
        words("convert.assumed", course="nanoGPT", settings="activation_function=gelu, layer_norm_epsilon=1e-05"),
        words("convert.ids", text="4 5 6 7"),
        words("convert.open", command='transformer-explorer gui --preset "out/ckpt"'),
    ]
    assert main(["--language", language, "show", "5 6", "--preset", "out/ckpt"]) == 0
    assert "id: 5 6\n" in capsys.readouterr().out
    assert main(["--language", language, "show", "I am", "--preset", "out/ckpt"]) == 2
    assert capsys.readouterr().err.count('"I"' if language == "en" else "“I”") == 1


def test_settings_are_taken_as_they_are_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers as numbers: the first minimind turns by another base than happy-llm, whose names it has."""
    model = llamas.Llama2(1e6)
    torch.save(model.state_dict(), tmp_path / "pretrain.pth")
    flags = ["--n-heads", "4", "--setting", "rope_theta=1e6", "--out", str(tmp_path / "made"), "--language", "en"]
    assert main(["convert", str(tmp_path / "pretrain.pth"), *flags]) == 0
    assert "rope_theta" not in capsys.readouterr().out
    trace = explorer.explore(" ".join(map(str, IDS)), preset=str(tmp_path / "made"))
    assert trace["generator.logits"] == pytest.approx(own(model, IDS).numpy(), abs=1e-5)


def test_a_tutorials_model_translates_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of ids, which the command says."""
    torch.save(TutorialA().state_dict(), tmp_path / "transformers.pt")
    assert main(["convert", str(tmp_path / "transformers.pt"), "--n-heads", "4", "--language", "en"]) == 0
    assert Words.load("en")("convert.own-ids", text="4 5 6 7") in capsys.readouterr().out
    assert main(["translate", "4 5 6 7", "--preset", str(tmp_path / "transformers")]) == 0
    assert capsys.readouterr().out.strip()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_stops_it_and_leaves_nothing(tmp_path: Path, qtbot: QtBot) -> None:
    """While the file is being read, which is a hundred megabytes here."""
    large = torch.zeros(2**20, llamas.WIDTH)
    tied = {"tok_embeddings.weight": large, "output.weight": large}
    torch.save(llamas.Llama2().state_dict() | tied, tmp_path / "large.pt")
    command = [sys.executable, "-m", "explorer", "--language", "en", "convert", str(tmp_path / "large.pt"), "--n-heads", "4"]
    listens = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # A shell may have its children ignore it.
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=listens) as running:
        until(qtbot, lambda: bool(psutil.Process(running.pid).children()))
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert (running.returncode, told.strip()) == (130, Words.load("en")("convert.stopped"))
    assert [each.name for each in tmp_path.iterdir()] == ["large.pt"]
