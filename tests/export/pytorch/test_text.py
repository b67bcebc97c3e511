"""What stands in a script beside its numbers: comments, names, places, and whether each language is whole."""

import ast
from pathlib import Path

import attrs
import pytest

from explorer.engine.compute import Computer
from explorer.errors import NoScriptForModel, RecordedOnly
from explorer.export.pytorch.coder import bracketed, columns, number, safe, wrapped
from explorer.export.pytorch.script import pytorch_script
from explorer.export.script_file import weights_beside
from explorer.lang import LANGUAGES, Words
from explorer.tokens.token import Token
from explorer.trace.recorded_pass import Tokens
from explorer.trace.script_parts import ScriptParts
from explorer.trace.trace import Trace
from tests.export.pytorch.cases import CHANGES, tiny

EN = Words.load("en")
NASTY = 'a\n"""b\\\u2028\x07\u202e'


@pytest.fixture(scope="module")
def trace() -> Trace:
    return Computer()(tiny()).trace


def test_only_what_this_model_needs_stands_there(trace: Trace) -> None:
    """No rotation, no dropout, no change, no other norm: not even their names."""
    text = pytorch_script(trace, ScriptParts(), EN)
    assert not any(word in text for word in ("rotate", "drop(", "alibi", "learned", "changed", "temperature", "std(", "others"))
    defined = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    read = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert set(defined) <= read | {"run"} and len(defined) == len(set(defined))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_is_nowhere_wider_than_a_window(language: str) -> None:
    """Columns, of which a Chinese character takes two."""
    computer, request = Computer(), tiny(position="sinusoidal-doubled").wishing(changes=CHANGES["set_and_share"])
    text = pytorch_script(computer(request).trace, computer.script_parts(request.wish), Words.load(language))
    assert [line for line in text.splitlines() if columns(line) > 128] == []


def test_no_token_and_no_path_can_end_a_comment_or_a_text(trace: Trace) -> None:
    """What cannot be seen is written as its code."""
    tokens = Tokens((Token(NASTY, 1, 0, 1, known=True),), (Token("\r", 2, 0, 1, known=True),))
    spoiled = attrs.evolve(trace, tokens=tokens, source=NASTY, preset=NASTY)
    text = pytorch_script(spoiled, ScriptParts(Path(NASTY)), EN)
    tree = ast.parse(text)
    named = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }
    assert ast.literal_eval(named["SOURCE"]) == [1] and ast.literal_eval(named["TARGET"]) == [2]
    assert ast.literal_eval(named["WEIGHTS"]) == str(Path(NASTY).absolute())
    assert "\u202e" not in text and "\u2028" not in text
    assert safe("\n") == "<A>"


def test_weights_beside_the_script_are_found_by_their_name(trace: Trace, tmp_path: Path) -> None:
    """So that both can be handed out; any others by the whole path."""
    parts = ScriptParts(tmp_path / "x.safetensors")
    assert "Path(__file__).with_name('x.safetensors')" in pytorch_script(trace, parts, EN, tmp_path / "x.py")
    for script in (None, tmp_path / "other" / "x.py"):
        text = pytorch_script(trace, parts, EN, script)
        assert repr(str(tmp_path / "x.safetensors")) in text and "__file__" not in text


def test_a_script_and_its_weights_are_never_one_file() -> None:
    """Whatever somebody types as the script's name."""
    assert weights_beside(Path("a/x.py")) == Path("a/x.safetensors")
    assert weights_beside(Path("a/x")) == Path("a/x.safetensors")
    assert weights_beside(Path("a/x.safetensors")) == Path("a/x.safetensors.safetensors")
    assert weights_beside(Path()) == Path("weights.safetensors")


def test_a_pass_that_another_program_made_has_no_script(trace: Trace) -> None:
    """Nor has one of somebody's model of which nobody says where its taps are."""
    with pytest.raises(RecordedOnly):
        pytorch_script(attrs.evolve(trace, recorded_by="vLLM"), ScriptParts(), EN)
    with pytest.raises(NoScriptForModel, match="gpt2"):
        pytorch_script(attrs.evolve(trace, config=None, preset="gpt2"), ScriptParts(), EN)


def test_the_engine_says_so_before_it_computes_anything(tmp_path: Path) -> None:
    """No weights are written then."""
    recorded = tmp_path / "pass.npz"
    recorded.write_bytes(b"")
    wish = attrs.evolve(tiny().wish, preset=str(recorded))
    with pytest.raises(RecordedOnly):
        Computer().script_parts(wish, tmp_path / "x.safetensors")
    assert not (tmp_path / "x.safetensors").exists()


def test_numbers_and_lists_are_written_as_python_reads_them() -> None:
    """With the fewest figures that give a number back."""
    assert [number(each) for each in (-1e9, 2, 0.1, 1 / 3, float("-inf"))] == [
        "-1e9",
        "2.0",
        "0.1",
        "0.3333333333333333",
        "-math.inf",
    ]
    assert ast.literal_eval(bracketed([str(each) for each in range(99)])) == list(range(99))


def test_chinese_is_cut_anywhere_but_before_a_sign() -> None:
    """English at spaces alone."""
    assert wrapped("一二三，四五", 6) == ["一二", "三，四", "五"]
    assert wrapped("one two three", 8) == ["one two", "three"]
