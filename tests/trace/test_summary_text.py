"""A Trace in at most ten lines."""

import attrs
import numpy as np
import torch

import explorer
from explorer.tokens.token import Token
from explorer.trace.changes import Change
from explorer.trace.recorded_pass import Tokens
from tests.trace.runs import a_trace


def test_it_says_what_there_is_under_its_name() -> None:
    """Texts, tokens, model, taps, and a name that can be copied."""
    lines = repr(a_trace()).splitlines()

    assert lines[0] == "<Trace '我爱北京天' → 'the b c'"
    assert lines[1] == "  .tokens.source  5: 我 / 爱 / 北 / 京 / 天"
    assert "tiny: encoder 2 × 4, decoder 2 × 4, d_model 24, 12,345 parameters, random weights" in lines[3]
    assert f"{len(a_trace())} taps" in lines[4]
    name = lines[4].split('"')[1]
    assert a_trace()[name].shape == (2, 4, 5, 5)


def test_the_longest_trace_has_ten_lines_of_one_screen() -> None:
    """A text of a book, many tokens, changes, experiments and another program."""
    text = "一二三\n" * 4000
    many = tuple(Token("一二三", 4, 0, 3, True) for _ in range(4000))
    trace = attrs.evolve(
        a_trace(),
        source=text,
        target=text,
        tokens=Tokens(many, many),
        changes=(Change("encoder.norm", "scale", value=0.0),),
        experiments=dict.fromkeys(map(str, range(500)), None),
        recorded_by="x" * 500,
    )
    lines = repr(trace).splitlines()

    assert len(lines) <= 10
    assert max(map(len, lines)) < 160
    assert lines[5:7] == ["  .changes        1", f"  .experiments    {', '.join(map(str, range(30)))[:59]}…"]


def test_a_module_of_ones_own_and_an_empty_one_have_lines_as_well() -> None:
    """Without layers, a tap stands as it is; without taps, none does."""
    trace = explorer.record(torch.nn.MultiheadAttention(8, 2), *(torch.zeros(3, 1, 8),) * 3)
    name = repr(trace).split('"')[1]

    assert isinstance(trace[name], np.ndarray)
    assert "0 taps>" in repr(attrs.evolve(a_trace(), arrays={}, axis_names={}))
