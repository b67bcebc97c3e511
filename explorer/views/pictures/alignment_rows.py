"""The two rows of an Alignment, told apart where self-attention has the same text in both."""

import attrs

from explorer.picture.kinds import Alignment

_ROW = " "  # between a side and the row in which its tokens stand


def two_sided(picture: Alignment) -> Alignment:
    """The picture with a name of its own for each row of tokens, which self-attention has the same text in."""
    if picture.rows.side != picture.columns.side:
        return picture
    rows = attrs.evolve(picture.rows, side=f"{picture.rows.side}{_ROW}below")
    columns = attrs.evolve(picture.columns, side=f"{picture.columns.side}{_ROW}above")
    return attrs.evolve(picture, rows=rows, columns=columns)


def real_side(side: str) -> str:
    """The side whose tokens stand in a row."""
    return side.partition(_ROW)[0]
