"""Changes that are off, means, and changes that a sentence has no place for."""

import attrs
import numpy as np
import pytest

import explorer
from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.errors import AllClosed, LengthsDiffer, NoMean, NotForLongTexts, OutOfTensor, UnknownHead, UnknownTap
from explorer.model import blocks
from explorer.trace.changes import Change
from explorer.trace.trace import Trace

SENTENCE = "我爱北京天安门和长城"  # six tokens
MIXED = "encoder.layers.0.self_attn.mixed"
MASKED = "encoder.layers.0.self_attn.masked"
OFF = Change(MIXED, "scale", head=1, value=0.0, on=False)


def request(*changes: Change, text: str = SENTENCE, preset: str = "tiny", **knobs: object) -> Request:
    return Request.from_preset(preset, text, **knobs).wishing(changes=changes)


def same(first: Trace, second: Trace) -> bool:
    return list(first.arrays) == list(second.arrays) and all(
        np.array_equal(first[name], second[name], equal_nan=True) for name in first.arrays
    )


@pytest.mark.parametrize("preset", ["tiny", "translator"])
def test_a_change_that_is_off_is_absent(computer: Computer, preset: str) -> None:
    """To the last bit, in the list of what was made too; and on it is there, so that the comparison could fail."""
    plain, off, on, after = (
        computer(request(*changes, preset=preset)).trace for changes in ((), (OFF,), (attrs.evolve(OFF, on=True),), (OFF,))
    )

    assert same(plain, off) and off.changes == () and off.left_out == {}
    assert not same(plain, on) and on.changes == (attrs.evolve(OFF, on=True),)
    assert same(plain, after)


def test_what_is_off_is_not_even_checked(computer: Computer) -> None:
    """It may belong to another sentence or model; the Request comes back as it was asked."""
    asked = request(Change("no.such.tap", "scale", value=0.0, on=False))
    frame = computer(asked)

    assert frame.request == asked


@pytest.mark.parametrize("rows", [None, (0, 2, 3)], ids=str)
@pytest.mark.parametrize(
    ("tap", "head", "columns"),
    [
        (MIXED, 1, None),
        (MIXED, None, (2, 5)),
        ("encoder.layers.1.residual1", None, None),
        ("decoder.layers.0.norm2", None, None),
    ],
)
def test_a_mean_is_numpys(
    computer: Computer, tap: str, head: int | None, rows: tuple[int, ...] | None, columns: tuple[int, ...] | None
) -> None:
    """The rows that are named become their mean in float64, by 1e-6; every other number of the tensor stays."""
    before = computer(request()).trace[tap]
    made = computer(request(Change(tap, "mean", head=head, rows=rows, columns=columns))).trace[tap]

    place = np.ix_(
        *(() if before.ndim == 2 else (range(len(before)) if head is None else (head,),)),
        range(before.shape[-2]) if rows is None else rows,
        range(before.shape[-1]) if columns is None else columns,
    )
    expected = before.astype(np.float64)
    expected[place] = expected[place].mean(axis=-2, keepdims=True)
    np.testing.assert_allclose(made, expected, atol=1e-6, rtol=0)
    assert not np.allclose(made, before, atol=1e-3)
    untouched = np.ones(before.shape, bool)
    untouched[place] = False
    assert np.array_equal(made[untouched], before[untouched])


def test_a_mean_is_refused_where_a_mask_closes_cells(computer: Computer) -> None:
    """The mean of numbers and −∞ is −∞, and a row of nothing else has no softmax."""
    with pytest.raises(NoMean):
        computer(request(Change(MASKED, "mean")))


def test_a_mean_of_maps_that_come_in_blocks_is_refused(computer: Computer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block does not know the other rows; a whole tensor of the same long text can be averaged."""
    monkeypatch.setattr(blocks, "_WHOLE_CELLS", 0)
    monkeypatch.setattr(blocks, "_BLOCK_CELLS", 1)
    asked = request(text="我爱北京天安门" * 30, n_layers=1)
    with pytest.raises(NotForLongTexts):
        computer(asked.wishing(changes=(Change("encoder.layers.0.self_attn.weights", "mean"),)))
    made = computer(asked.wishing(changes=(Change("encoder.layers.0.norm1", "mean"),))).trace

    assert np.ptp(made["encoder.layers.0.norm1"], axis=0).max() == 0


def test_a_translator_with_all_heads_off_gives_equal_rows(computer: Computer) -> None:
    """No position hears of another: the encoder's rows of one and the same token without positions are one row."""
    config = Request.from_preset("translator").wish.config
    off = tuple(Change(f"encoder.layers.{layer}.self_attn.mixed", "scale", value=0.0) for layer in range(config.n_layers))
    trace = computer(request(*off, text="书书书书", preset="translator", position="none")).trace
    rows = trace["encoder.norm"][: len(trace.tokens.source)]

    same_token = [row for row, token in zip(rows, trace.tokens.source, strict=True) if token.id == trace.tokens.source[0].id]
    assert all(np.array_equal(row, same_token[0]) for row in same_token)
    out = trace["encoder.layers.0.self_attn.output"]
    assert np.ptp(out, axis=0).max() == 0


MISFITS = [
    (Change(MIXED, "scale", rows=(6,), value=0.0), OutOfTensor),
    (Change("decoder.layers.0.norm1", "scale", rows=(6,), value=0.0), OutOfTensor),
    (Change(MASKED, "close", columns=(0, 1, 2, 3, 4, 5)), AllClosed),
    (Change("encoder.layers.9.norm1", "scale", value=0.0), UnknownTap),
    (Change(MIXED, "scale", head=4, value=0.0), UnknownHead),
    (Change("encoder.norm", "patch", text="你"), LengthsDiffer),
]


@pytest.mark.parametrize(("change", "kind"), MISFITS, ids=[kind.__name__ for _, kind in MISFITS])
def test_what_has_no_place_is_refused_or_left_out(computer: Computer, change: Change, kind: type[Exception]) -> None:
    """For a caller it is refused, and the error names it. Where the window asks so it is left out, and the others are made."""
    fits = Change(MIXED, "scale", head=0, value=0.0)
    asked = request(change, fits)
    with pytest.raises(kind) as refused:
        computer(asked)
    assert refused.value.change == change  # type: ignore[attr-defined]  # every ExplorerError has it

    frame = computer(asked.asking(leaves_out=True))
    assert frame.request.wish.changes == (change, fits) and frame.trace.changes == (fits,)
    assert list(frame.trace.left_out) == [change] and isinstance(frame.trace.left_out[change], kind)
    assert same(frame.trace, computer(request(fits)).trace)


def test_a_change_comes_back_with_the_text(computer: Computer) -> None:
    """In the shorter sentence it is left out, in the longer one it is made again, bit for bit."""
    change = Change("encoder.embedding.output", "scale", rows=(5,), value=0.0)
    long, short, again = (
        computer(request(change, text=text).asking(leaves_out=True)).trace for text in (SENTENCE, "我爱", SENTENCE)
    )

    assert long.changes == again.changes == (change,) and same(long, again)
    assert short.changes == () and same(short, computer(request(text="我爱")).trace)


def test_a_library_caller_has_the_switch_too() -> None:
    """`explore(changes=…)` with one that is off and a mean."""
    plain = explorer.explore(SENTENCE, preset="tiny")

    assert same(plain, explorer.explore(SENTENCE, preset="tiny", changes=[OFF]))
    mean = explorer.explore(SENTENCE, preset="tiny", changes=[explorer.Change(MIXED, "mean")])
    assert np.ptp(mean[MIXED], axis=1).max() == 0
