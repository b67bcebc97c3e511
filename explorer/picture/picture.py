"""What every Picture has: a Caption with what is shown and where its numbers come from."""

from typing import Any, Literal, TypeVar

import attrs

from explorer.lang import Words, sentences
from explorer.trace.found.experiments import EXPERIMENTS
from explorer.trace.trace import Trace

P = TypeVar("P", bound="Picture")

Origin = Literal["recorded", "parameter", "dequantized", "product", "computed", "beside"]
"""Where a picture's numbers come from.

"recorded" by the pass itself, a "parameter" of the model, one that was "dequantized" or a "product" of two, which no change of
the pass touches, "computed" from recorded tensors, or from extra passes ("beside").
"""


@attrs.frozen(kw_only=True)
class Caption:
    """What a picture shows: title, formula (rich text), tap, shape of the recorded array, a note, and the numbers' origin.

    `hint` is what can be done with the picture in the window; no file has it.
    `finding` names the experiment whose passes the numbers come from, "" where there is none.
    `changes` counts the changes inside the pass that the numbers come from; None until `marked` sets it.
    `without` names what acts in the pass on screen and not in these numbers: "changes", "dropout".
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
    finding: str = ""
    changes: int | None = None
    without: tuple[str, ...] = ()
    recorded_by: str = ""
    name: str = ""

    @property
    def told(self) -> str:
        """The note and the hint, as the window shows them."""
        return sentences(self.note, self.hint)

    def noted(self, more: str) -> str:
        """The note with one more sentence behind it."""
        return "  ".join(filter(None, (self.note, more)))

    @property
    def file_name(self) -> str:
        """What a file of the picture is called, without its suffix."""
        return self.name or self.tap.replace("*", "all") or "tokens"


def captioned(picture: P, **fields: Any) -> P:
    """The picture with these fields of its Caption replaced."""
    made: P = attrs.evolve(picture, caption=attrs.evolve(picture.caption, **fields))  # type: ignore[misc]  # All are attrs.
    return made


def marked(picture: P, trace: Trace) -> P:
    """The picture with a caption that names the pass of its numbers.

    The caption gets the number of changes inside the pass, unless its maker has set it, what of the pass on screen is left out,
    and the program that recorded the pass.
    """
    caption, n_changes = picture.caption, len(trace.changes)
    if caption.origin in ("parameter", "dequantized", "product"):  # They belong to the model and to no pass.
        return picture
    made_by = EXPERIMENTS[caption.finding] if caption.finding else None
    told: dict[str, Any] = {"recorded_by": trace.recorded_by} if trace.recorded_by else {}
    if n_changes and caption.changes is None:
        told["changes"] = n_changes if made_by is None or made_by.changes else 0
    left_out = {
        "changes": bool(n_changes) and told.get("changes", caption.changes) == 0,
        "dropout": trace.card.dropout_active and made_by is not None and made_by.passes,
    }
    if any(left_out.values()):
        told["without"] = tuple(name for name, is_so in left_out.items() if is_so)
    return captioned(picture, **told) if told else picture


def told_pass(caption: Caption, words: Words) -> dict[str, str]:
    """Badges, each with a sentence, for numbers that are not of this program's usual pass."""
    told = {words("recorded.badge"): words("recorded.by", name=caption.recorded_by)} if caption.recorded_by else {}
    if caption.changes:
        told[words("change.badge")] = words("change.badge_about", count=caption.changes)
    return told | {words(f"picture.without.{each}"): words(f"picture.without_about.{each}") for each in caption.without}


class Picture:
    """The base of all kinds of Picture: numbers and labels with a caption. A kind knows neither drawing nor toolkit.

    A new kind needs a frozen class, as in `kinds.py`, its row in `figure/kinds.py` and a View in `views/pictures`.
    """

    __slots__ = ()
    caption: Caption
    head: int | None = None  # the head that the numbers belong to; None where they belong to several
