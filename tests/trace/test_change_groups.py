"""Changes that belong together, and what a row of the list says of them."""

import attrs
import pytest

from explorer.engine.compute import Computer
from explorer.engine.request import Request
from explorer.errors import OutOfTensor
from explorer.lang import Words
from explorer.picture.change_text import listed, told_change, told_group
from explorer.trace.change_groups import change_groups
from explorer.trace.changes import Change

HIDDEN = tuple(Change(f"decoder.layers.{n}.cross_attn.masked", "close", columns=(0,)) for n in range(2))
ONLY = tuple(Change("encoder.layers.1.self_attn.mixed", "scale", head=head, value=0.0) for head in (0, 1, 3))
CELLS = tuple(
    Change("encoder.layers.0.self_attn.masked", "close", head=2, rows=(row,), columns=columns)
    for row, columns in ((0, (1,)), (1, (2, 3)))
)
ALONE = Change("encoder.layers.0.self_attn.mixed", "scale", head=2, value=0.0)


def test_what_belongs_together_is_one_row() -> None:
    """All layers of a hidden word, all heads but one, cells of one head; in the order of the list, and every change once."""
    groups = change_groups((ALONE, *HIDDEN, *ONLY, *CELLS, ALONE), n_heads=4)

    assert [(group.kin, group.indices) for group in groups] == [
        ("", (0,)),
        ("layers", (1, 2)),
        ("heads", (3, 4, 5)),
        ("cells", (6, 7)),
        ("", (8,)),
    ]
    assert [group.changes for group in groups] == [(ALONE,), HIDDEN, ONLY, CELLS, (ALONE,)]


def test_what_does_not_belong_together_is_switched_by_itself() -> None:
    """Two heads out of four, layers that begin in the middle, a change that is off among others that are on."""
    two = ONLY[:2]
    later = tuple(
        attrs.evolve(change, tap=change.tap.replace("layers.0", "layers.5").replace("layers.1", "layers.6"))
        for change in HIDDEN
    )
    mixed = (HIDDEN[0], attrs.evolve(HIDDEN[1], on=False))

    for changes in (two, later, mixed):
        assert [group.changes for group in change_groups(changes, n_heads=4)] == [(change,) for change in changes]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (HIDDEN, "nobody sees 我 (cross L0–L1 all heads)"),
        (ONLY, "only encoder self L1 head 2"),
        (CELLS, "3 cells closed (encoder self L0 head 2)"),
        ((ALONE,), "encoder self L0 head 2 off"),
        ((attrs.evolve(ALONE, value=-2.5, head=None),), "encoder self L0 all heads × −2.5"),
        ((Change("encoder.layers.0.self_attn.mixed", "mean", head=0),), "encoder self L0 head 0 at its mean"),
        (
            (Change("encoder.embedding.output", "patch", rows=(0,), text="你爱上海"),),
            '我 from "你爱上海" (Encoder Sum entering the model)',
        ),
        (
            (Change("encoder.layers.0.self_attn.masked", "close", head=1, rows=(0,), columns=(1,)),),
            "我 does not see 爱 (encoder self L0 head 1)",
        ),
        ((Change("no.such.tap", "scale", rows=(3,), value=0.0),), "#3 (no.such.tap) off"),
    ],
    ids=str,
)
def test_a_row_says_what_it_does_in_plain_words(changes: tuple[Change, ...], told: str) -> None:
    """With the tokens of the sentence on screen."""
    trace = Computer()(Request.from_preset("tiny", "我爱北京")).trace
    (group,) = change_groups(changes, n_heads=4)

    assert told_group(group, trace, Words.load("en")) == told


def test_a_row_says_why_its_change_is_left_out() -> None:
    """The error's own sentence; a row that is made says nothing."""
    asked = Request.from_preset("tiny", "我爱北京").wishing(changes=(ALONE, Change(ALONE.tap, "scale", rows=(9,), value=0.0)))
    trace = Computer()(asked.asking(leaves_out=True)).trace
    words = Words.load("en")
    first, second = listed(asked.wish.changes, 4, trace, words)

    assert first.lacks == ""
    assert second.lacks == words.error(OutOfTensor(tap=ALONE.tap, axis="query", got=9, last=2))
    assert told_change(ALONE, None, words) == first.name  # A head needs no tokens.
