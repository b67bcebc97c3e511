"""What a shell offers at Tab, asked as the shell asks."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import explorer
from explorer.cli.main import commands
from explorer.config import KNOBS
from explorer.export import formats
from explorer.presets import preset_names

ROOT = Path(explorer.__file__).parents[1]


def offered(*arguments: str) -> list[str]:
    """What is offered for the last argument, which is begun."""
    complete = ShellComplete(commands, {}, "transformer-explorer", "_TRANSFORMER_EXPLORER_COMPLETE")
    return [item.value for item in complete.get_completions(list(arguments[:-1]), arguments[-1])]


@pytest.mark.parametrize("knob", [knob for knob in KNOBS if knob.kind in ("choice", "bool")], ids=lambda knob: knob.name)
def test_a_knobs_words_are_offered(knob: object) -> None:
    """Its choices, or true and false; of those the ones that go on with what was begun."""
    flag = f"--{knob.name.replace('_', '-')}"
    words = list(knob.choices or ("true", "false"))
    assert offered("show", "x", flag, "") == words
    begun = words[-1] if not words[-1].startswith("-") else ""  # A shell takes what begins with a dash for a flag.
    assert offered("show", "x", flag, begun) == [word for word in words if word.startswith(begun)]


def test_commands_presets_formats_and_themes_are_offered() -> None:
    """Each from its declaration; where no preset begins so, the shell offers folders."""
    assert {"show", "export", "attribution"} <= set(offered(""))
    assert offered("show", "x", "--preset", "") == list(preset_names())
    assert offered("show", "x", "--preset", "tin") == ["tiny"]
    assert offered("show", "x", "--preset", "./models/") == ["./models/"]
    assert offered("export", "x", "--format", "") == [*formats.names(), "py"]
    assert offered("export", "x", "--theme", "d") == ["dark"]
    assert offered("show", "x", "--n-heads", "") == []


def test_the_taps_of_the_model_that_was_asked_for_are_offered() -> None:
    """As many layers as the flags say, of the architecture that they say; nothing for a preset that there is not."""
    begun = "encoder.layers.2.self_attn.w"
    assert offered("export", "x", "--tap", begun) == ["encoder.layers.2.self_attn.weights"]
    assert offered("export", "x", "--preset", "tiny", "--tap", begun) == []
    assert offered("export", "x", "--preset", "tiny", "--n-layers", "3", "--tap", begun) != []
    assert offered("export", "x", "--preset", "nonsense", "--tap", begun) == []


@pytest.mark.slow  # a process of its own
def test_the_program_answers_a_shell() -> None:
    """Bash gets its script from the program and its words at each Tab; neither loads torch or Qt."""
    ask = {"COMP_WORDS": "transformer-explorer show x --architecture enc", "COMP_CWORD": "4"}
    heavy = "print([m for m in ('torch', 'PySide6') if m in sys.modules], file=sys.stderr)"
    program = f"import sys, atexit; atexit.register(lambda: {heavy}); from explorer.__main__ import main; main()"
    for instruction, environment in (("bash_source", {}), ("bash_complete", ask)):
        told = subprocess.run(
            [sys.executable, "-c", program],
            env={"PATH": "", "_TRANSFORMER_EXPLORER_COMPLETE": instruction, **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            cwd=ROOT,
        )
        assert told.stderr.endswith("[]\n"), told.stderr
        assert ("complete" if instruction == "bash_source" else "plain,encoder-decoder\nplain,encoder-only\n") in told.stdout


def test_measures_of_a_scan_are_offered_one_after_another() -> None:
    """Those that are named already are not offered again."""
    assert offered("scan", "x.txt", "--measure", "en") == ["entropy"]
    assert offered("scan", "x.txt", "--measure", "entropy,alignment,pro") == ["entropy,alignment,probability"]
    assert "entropy,entropy" not in offered("scan", "x.txt", "--measure", "entropy,")
