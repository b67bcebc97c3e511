"""What every Picture has: a Caption that says what is shown and where its numbers come from, and a Kind that draws it."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import attrs

from explorer.lang import sentences

if TYPE_CHECKING:
    from explorer.picture.figure.kind import Kind

P = TypeVar("P", bound="Picture")

Origin = Literal["recorded", "computed", "beside"]
"""Where a picture's numbers come from.

"recorded" by the pass itself, "computed" from its recorded tensors, or from other passes that were made "beside" it.
"""


@attrs.frozen(kw_only=True)
class Caption:
    """What a picture shows: title, formula (rich text), tap, shape of the recorded array, a note, and the numbers' origin.

    `hint` is what can be done with the picture in the window; no file has it.
    `changes` is how many changes were made inside the pass that the numbers come from; None where nobody has said it yet.
    `recorded_by` names another program that recorded them, "" for this one.
    `name` is what a file of the picture is called, where its tap would not say what is in it.
    """

    title: str
    tap: str
    shape: str
    formula: str = ""
    note: str = ""
    hint: str = ""
    origin: Origin = "recorded"
    changes: int | None = None
    recorded_by: str = ""
    name: str = ""

    @property
    def told(self) -> str:
        """The note and the hint, as the window tells them."""
        return sentences(self.note, self.hint)

    @property
    def file_name(self) -> str:
        """What a file of the picture is called, without its suffix."""
        return self.name or self.tap.replace("*", "all") or "tokens"


def marked(picture: P, changes: int, recorded_by: str = "") -> P:
    """The picture of a pass with so many changes, unless its maker has said how many, and of the program that recorded it.

    Every picture says both in its caption.
    """
    told: dict[str, Any] = {"changes": changes} if changes and picture.caption.changes is None else {}
    told |= {"recorded_by": recorded_by} if recorded_by else {}
    if not told:
        return picture
    made: P = attrs.evolve(picture, caption=attrs.evolve(picture.caption, **told))  # type: ignore[misc]  # All kinds are attrs.
    return made


class Picture(ABC):
    """The base of all kinds of Picture. Each has a caption and a Kind, which draws it as SVG, makes tables and a description.

    A new kind needs three things: a frozen class, as in `kinds.py`, a Kind in `picture/figure` and a View in `views/pictures`.
    """

    __slots__ = ()
    caption: Caption
    head: int | None = None  # the head that the numbers belong to; None where they belong to several

    @abstractmethod
    def kind(self) -> "Kind[Any]":
        """The drawing, tables and description of this kind of picture; imported at the first use."""
